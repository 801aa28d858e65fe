"""What the texts say is what there is: every public name is documented, indexes name every file, the diff that shows how to
add an operator is in the files, and the error that README shows is the one that is raised."""

from __future__ import annotations

import fnmatch
import importlib
import inspect
import re
import runpy
import sys
import textwrap
from collections.abc import Iterator

import pytest
from test_package import FILES, FOLDERS, RANKS, ROOT, module_name

from anfora.core.op import Op

#: Modules whose public names are meant for programs.
PUBLIC = [
    "anfora", "anfora.communication", "anfora.ir",
    "anfora.mindrecord", "anfora.models", "anfora.nn", "anfora.ops", "anfora.optim",
    "anfora.optim.lr_scheduler", "anfora.scipy.fft", "anfora.scipy.linalg", "anfora.scipy.optimize", "anfora.train",
]  # fmt: skip


def public_names(module: str) -> Iterator[tuple[str, object]]:
    """The classes, functions and operators that a module offers."""
    home = importlib.import_module(module)
    for name in home.__all__:
        value = getattr(home, name)
        if isinstance(value, (type, Op)) or inspect.isroutine(value):
            yield name, value


def own_text(value: object) -> str:
    """The documentation of a class or function itself, not of its base."""
    text = vars(value).get("__doc__") if isinstance(value, type) else value.__doc__
    return inspect.cleandoc(text or "")


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names_are_documented_with_an_example(module):
    bare = [name for name, value in public_names(module) if not own_text(value)]
    assert not bare, f"without documentation: {bare}"
    # The examples are run by test_examples.
    mute = [name for name, value in public_names(module) if ">>>" not in own_text(value)]
    assert not mute, f"without an example: {mute}"


@pytest.mark.parametrize("index", [f for f in FILES if f.name == "__init__.py"], ids=module_name)
def test_the_index_of_a_folder_names_its_files(index):
    text = inspect.getdoc(importlib.import_module(module_name(index))) or ""
    named = re.findall(r"(?<![\w*/])[\w*]+\.py", text)  # without those of other folders
    left_out = [
        file.name
        for file in index.parent.glob("[!_]*.py")
        if not any(fnmatch.fnmatch(file.name, pattern) for pattern in named)
    ]
    assert not left_out
    gone = [pattern for pattern in named if not list(index.parent.glob(pattern))]
    assert not gone


def test_the_layers_of_the_design_are_those_that_are_tested():
    [table] = re.findall(
        r"^## 3\. Layers\n\n(.*?)\n\n", (ROOT / "docs/design.md").read_text(), re.DOTALL | re.MULTILINE
    )
    told = {}
    for names, rank in re.findall(r"((?:\w+, )*\w+) +\[(\d)\]", table):
        told |= dict.fromkeys(names.split(", "), int(rank))
    assert told
    assert {name: RANKS[name] for name in told} == told


def test_the_diff_in_contributing_is_in_the_files():
    [diff] = re.findall(r"^```diff\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL | re.MULTILINE)
    changes = re.findall(r"^--- a/(\S+)\n@@\n((?:\+.*\n)+)", diff, re.MULTILINE)
    assert len(changes) == 2
    for path, added in changes:
        code = "".join(line[1:] + "\n" for line in added.splitlines())
        assert code in (ROOT / path).read_text(), f"{path} reads otherwise"


def test_the_error_in_the_readme_is_the_one_that_is_raised(tmp_path):
    text = (ROOT / "README.md").read_text()
    [program] = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    [shown] = re.findall(r"^  ```\n(.*?)^  ```", text, re.DOTALL | re.MULTILINE)
    file = tmp_path / "train.py"
    file.write_text(program.replace("ops.randn(8, 4)", "ops.randn(8, 5)"))
    with pytest.raises(ValueError) as caught:
        runpy.run_path(str(file))
    said = f"{caught.type.__name__}: {caught.value}".replace(str(file), file.name)
    if sys.version_info < (3, 11):  # which knows the line of a call, not its columns
        shown = re.sub(r"^ +\^+\n", "", shown, flags=re.MULTILINE)
    assert said == textwrap.dedent(shown).rstrip()


@pytest.mark.parametrize("text", ["README.md", "CONTRIBUTING.md", "docs/design.md"])
def test_files_that_texts_name_exist(text):
    missing = []
    for name in re.findall(r"`((?:\w+/)*\w*\.?\w*/?)`", (ROOT / text).read_text()):
        if not re.search(r"\.(py|md)$|/$", name):
            continue
        if not any((place / name).exists() for place in (ROOT, *(ROOT / folder for folder in FOLDERS))):
            missing.append(name)
    assert not missing


def test_every_page_stands_in_the_menu_of_the_site():
    menus = re.findall(r"^```{toctree}\n(.*?)^```", (ROOT / "docs/index.md").read_text(), re.DOTALL | re.MULTILINE)
    told = {line for menu in menus for line in menu.splitlines() if line and not line.startswith(":")}
    pages = {file.stem for file in (ROOT / "docs").glob("*.md")} - {"index"}
    assert told - {"names/index"} == pages
