"""The site: what Sphinx is told, and the pages of the public names, made from the live package.

Half of the names are made by tables (operators, their forms as methods, mint, numpy), which tools that read source do not
see; so each is asked for its signature and its documentation, whose sections become headings and lists. `./dev docs` copies
this folder and builds the copy, in which the pages are written.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anfora

project, author, release = "anfora", "the authors of anfora", anfora.__version__
extensions = ["myst_parser"]
html_theme, html_title, html_copy_source = "furo", "anfora", False
project_copyright = author
html_static_path, html_css_files = ["static"], ["site.css"]
myst_heading_anchors = 3
highlight_language = "text"  # of blocks that name none
suppress_warnings = ["misc.highlighting_failure"]  # programs that leave something out with …

#: The modules whose names have pages, in the order of the menu; whether the names stand by the file that they come from.
MODULES = {
    "anfora": False, "anfora.nn": True, "anfora.ops": True, "anfora.optim": False, "anfora.optim.lr_scheduler": False,
    "anfora.train": False, "anfora.dataset": False, "anfora.dataset.vision": False, "anfora.dataset.transforms": False,
    "anfora.dataset.text": False, "anfora.mindrecord": False, "anfora.communication": False, "anfora.ir": False,
    "anfora.mint": False, "anfora.mint.nn": False, "anfora.numpy": False, "anfora.scipy.linalg": False,
    "anfora.scipy.fft": False, "anfora.scipy.optimize": False,
    "anfora.models": False, "anfora.Tensor": False,
}  # fmt: skip

_TITLES = (
    "Args|Returns|Raises|Gradient|Source|Example|Examples|Attributes|Parameters|States|Columns|Column|Children|Yields|Note"
    "|Inputs|Outputs"
)
_WIDEST = 96  #: signs of a call in one line
_SECTION = re.compile(rf"^({_TITLES}):", re.M)
_ITEM = re.compile(r"^(\*{0,2}[\w., *]+):\s+(.*)", re.S)


def setup(app: Any) -> None:
    app.connect("builder-inited", lambda app: write_pages(Path(app.srcdir) / "names"))


def write_pages(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for module in MODULES:
        (folder / f"{module}.md").write_text(page_of(module))
    menu = "\n".join(MODULES)
    (folder / "index.md").write_text(f"# Names\n\n```{{toctree}}\n:maxdepth: 1\n\n{menu}\n```\n")


def page_of(module: str) -> str:
    """The page of a module, or of a class whose methods are told."""
    home, _, name = module.rpartition(".")
    value = (
        getattr(importlib.import_module(home), name) if module == "anfora.Tensor" else importlib.import_module(module)
    )
    lines = [f"# {module}", "", *markdown(_head(inspect.getdoc(value) or "")), ""]
    groups: dict[str, list[tuple[str, Any]]] = {}
    for key, found in names_of(value):
        groups.setdefault(_group(found) if MODULES[module] else "", []).append((key, found))
    for group, members in groups.items():
        if group:
            lines += [f"## {group}", ""]
        for key, found in members:
            level = "###" if group else "##"
            lines += entry(key, found, level)
            for name, method in methods_of(found):
                lines += entry(f"{key}.{name}", method, level + "#")
    return "\n".join(lines) + "\n"


def names_of(home: Any) -> Iterator[tuple[str, Any]]:
    """The documented names of a module, or methods of a class."""
    names = [key for key in dir(home) if not key.startswith("_")] if isinstance(home, type) else sorted(home.__all__)
    for key in names:
        found = inspect.getattr_static(home, key) if isinstance(home, type) else getattr(home, key)
        if not inspect.ismodule(found) and (callable(found) or isinstance(found, property)) and found.__doc__:
            yield key, found


def methods_of(value: Any) -> Iterator[tuple[str, Any]]:
    """The documented methods that a class has itself; those of its bases stand there."""
    for name, found in vars(value).items() if isinstance(value, type) else ():
        found = getattr(found, "__func__", found)
        if not name.startswith("_") and inspect.isfunction(found) and found.__doc__:
            yield name, found


def entry(key: str, value: Any, level: str) -> list[str]:
    """The heading, the form of the call and the documentation of a name."""
    try:
        signature = inspect.signature(value)
        if signature.return_annotation in ("None", None):  # of classes, and of what is called for its effect
            signature = signature.replace(return_annotation=inspect.Signature.empty)
        form = re.sub(r"(: |-> )'([^']*)'", r"\1\2", f"{key}{signature}")
        if len(form) > _WIDEST:
            form = re.sub(r"(: |-> )'([^']*)'", r"\1\2", f"{key}{_in_lines(signature)}")
    except (TypeError, ValueError):
        form = key
    text = inspect.cleandoc(value.__doc__ or "")
    return [f"{level} {key}", "", "```python", form, "```", "", *markdown(text), ""]


def _in_lines(signature: inspect.Signature) -> str:
    """A signature with a line for each argument."""
    lines: list[str] = []
    before = None
    for argument in signature.parameters.values():
        if before is argument.POSITIONAL_ONLY and argument.kind is not before:
            lines.append("/")
        if argument.kind is argument.KEYWORD_ONLY and before not in (argument.KEYWORD_ONLY, argument.VAR_POSITIONAL):
            lines.append("*")
        lines.append(str(argument))
        before = argument.kind
    return "(\n    " + ",\n    ".join(lines) + "\n" + str(signature.replace(parameters=[]))[1:]


def markdown(text: str) -> list[str]:
    """The documentation of a name as markdown."""
    lines: list[str] = []
    parts = _SECTION.split(text)
    lines += _prose(parts[0])
    for title, body in zip(parts[1::2], parts[2::2]):
        first, _, rest = body.partition("\n")
        body = (first.strip() + "\n" + inspect.cleandoc("\n" + rest)).strip("\n")
        if title in ("Example", "Examples"):
            lines += ["", "```pycon", *body.strip().splitlines(), "```"]
        elif title in ("Args", "Raises", "Attributes") and (items := _items(body)):
            lines += ["", f"**{title}**", ""]
            lines += [f"- **{_escaped(name)}**: {_escaped(' '.join(told.split()))}" for name, told in items]
        else:
            lines += ["", f"**{title}**", "", *_prose(body)]
    return lines


def _items(body: str) -> list[tuple[str, str]]:
    """`name: text` with what stands below it, indented; empty if something else stands there."""
    blocks = re.split(r"\n(?=\S)", body.strip("\n"))
    found = [_ITEM.match(block) for block in blocks]
    return [(each[1], each[2]) for each in found if each] if all(found) else []


def _prose(text: str) -> list[str]:
    lines = []
    for line in text.strip("\n").splitlines():
        lines.append(line if line.startswith("    ") else _escaped(line))
    return lines


def _escaped(text: str) -> str:
    """Text in which nothing but code in backticks, and one *word*, is markup."""
    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([_<\[\]|])", lambda found: "&lt;" if found[1] == "<" else "\\" + found[1], parts[i])
        parts[i] = re.sub(r"(?<!\w)\*(?=\w+\*)|(?<=\w)\*(?!\w)|(\*)", lambda m: "\\*" if m[1] else m[0], parts[i])
    return "".join(parts)


def _group(value: Any) -> str:
    """The file that a name comes from, by the first line of its documentation."""
    module = sys.modules.get(getattr(value, "__module__", "") or "")
    head = (module.__doc__ or "").strip().splitlines() if module is not None else []
    if not head or module.__name__ in MODULES:
        return "More"
    return head[0].rstrip(".:").partition(":")[0]


def _head(text: str) -> str:
    """What a module says of itself, without the table of its files."""
    return text.split("\n\n")[0]
