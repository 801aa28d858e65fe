"""Stubs: what type checkers and editors are told of names that they cannot see in the source.

Half of the names of this package are made by tables (operators, the methods of Tensor, class forms, mint, numpy), or are
looked up when they are first used. Here each is asked for its signature, as it is in the live package, and a stub says so:

    python stubs/make.py            writes the files of anfora-stubs/ anew; `./dev stubs` does it
    python stubs/make.py FOLDER     writes them there

What stands in the source as it is, is read there by type checkers; the stubs lead to it. They are the package
`anfora-stubs`
of the wheel, which is marked as partial for that. Where a definition does not tell enough, it is the definition that is
mended: an operator without an annotation gives one tensor.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import keyword
import sys
import types
from collections.abc import Iterable
from pathlib import Path
from typing import Any

__all__ = ["annotated", "made", "result_of", "write"]

#: Modules whose functions are made by tables: each gets its form. In others the stub leads to where a name is defined.
TABLES = (
    "anfora.ops", "anfora.mint", "anfora.mint.nn.functional", "anfora.mint.linalg", "anfora.mint.special", "anfora.numpy",
)  # fmt: skip

#: Modules that lead to names which are defined elsewhere.
LEADING = (
    "anfora", "anfora.nn", "anfora.optim", "anfora.train", "anfora.train.callback", "anfora.dataset",
    "anfora.dataset.vision", "anfora.dataset.transforms", "anfora.dataset.text", "anfora.communication",
    "anfora.mindrecord", "anfora.models", "anfora.mint.nn", "anfora.mint.optim",
)  # fmt: skip

_NOTE = "# Made by stubs/make.py from the live package; not to be edited.\n"

_HEAD = """\
import builtins
from collections.abc import Callable, Sequence
from typing import Any

from anfora.core.dtype import DType
from anfora.core.tensor import Tensor
from anfora.core.tensor_methods import TensorLike
"""

_METHODS_HEAD = """\
import builtins
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from anfora.core.border import NumpyBorder
from anfora.core.dtype import DType
from anfora.core.tensor import Tensor

#: What is taken where a tensor is asked for.
TensorLike: TypeAlias = (
    Tensor | np.ndarray[Any, Any] | np.number[Any] | np.bool_ | builtins.float | list[Any] | tuple[Any, ...]
)
"""

#: How arguments for tensors are annotated, and what they take.
_TENSORS = {
    "Tensor": "TensorLike", "Tensor | None": "TensorLike | None", "Tensors": "Sequence[TensorLike] | Tensor",
    "Sequence[Tensor]": "Sequence[TensorLike] | Tensor", "tuple[int, ...]": "Sequence[int]",
}  # fmt: skip

_KNOWN = {"Any", "Callable", "DType", "None", "Sequence", "Tensor", "TensorLike"}
_BUILTIN = {"bool", "complex", "dict", "float", "int", "list", "str", "tuple", "object", "type"}


def annotated(annotation: Any, is_result: bool = False) -> str:
    """An annotation as a stub has it: builtin types by their full names, since functions and methods are called `float`
    and `all`; Any for what is known only where the function stands."""
    if annotation is inspect.Parameter.empty:
        return "Tensor" if is_result else "Any"
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "Any")
    tree = ast.parse(text if is_result else _TENSORS.get(text, text), mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in _BUILTIN:
            node.id = f"builtins.{node.id}"
        elif (isinstance(node, ast.Name) and node.id not in _KNOWN) or isinstance(node, ast.Attribute):
            return "Any"
    return ast.unparse(tree)


def result_of(function: Any) -> str:
    """What a function gives, as its stub has it."""
    return annotated(inspect.signature(function).return_annotation, is_result=True)


def _default(value: Any) -> str:
    plain = value is None or type(value) in (bool, int, str) or (type(value) is float and value == value)
    text = repr(value)
    if plain or (type(value) is tuple and all(type(item) in (int, str) for item in value)):
        return text if "inf" not in text and len(text) < 40 else "..."
    return "..."


def _parameters(signature: inspect.Signature, others: Iterable[str] = ()) -> str:
    """The parameters of a stub. `others` are further names of some of them, which therefore may be missing."""
    parts: list[str] = []
    kinds = inspect.Parameter
    parameters = list(signature.parameters.values())
    others = [name for name in others if name not in signature.parameters]
    last = max((i for i, p in enumerate(parameters) if p.name in _spelled_by(others)), default=-1)
    star = False
    for i, p in enumerate(parameters):
        if p.kind is kinds.KEYWORD_ONLY and not star:
            parts, star = [*parts, "*"], True
        if p.kind is kinds.VAR_KEYWORD and others:
            parts += [] if star else ["*"]
            parts += [f"{name}: Any = ..." for name in others]
            others = []
        annotation = annotated(p.annotation)
        if p.kind in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD):
            star = star or p.kind is kinds.VAR_POSITIONAL
            parts.append(f"{'*' if p.kind is kinds.VAR_POSITIONAL else '**'}{p.name}: {annotation}")
            continue
        if p.default is None and annotation == "TensorLike":
            annotation = "TensorLike | None"
        if p.default is not p.empty:
            parts.append(f"{p.name}: {annotation} = {_default(p.default)}")
        elif (i <= last and p.kind is not kinds.KEYWORD_ONLY and p.name in _spelled_by(others)) or (
            any(" = " in part for part in parts) and not star
        ):
            parts.append(f"{p.name}: {annotation} = ...")
        else:
            parts.append(f"{p.name}: {annotation}")
    if others:
        parts += [*([] if star else ["*"]), *(f"{name}: Any = ..." for name in others)]
    return ", ".join(parts)


def _spelled_by(names: Iterable[str]) -> set[str]:
    """The names that other names are other spellings of."""
    from anfora.ops.forms import SYNONYMS

    return {known for group in SYNONYMS for name in names if name in group for known in group}


def _others_of(function: Any) -> list[str]:
    """Other names that a function knows for its arguments."""
    return sorted(getattr(function, "other_names", ()))


def _documentation(function: Any, indent: str) -> str:
    """The first sentence of its documentation, as a body."""
    first = " ".join(line.strip() for line in (inspect.getdoc(function) or "").partition("\n\n")[0].splitlines())
    first = first.replace("\\", "\\\\").replace('"""', "'''")
    return f'\n{indent}    """{first}"""\n' if first and not first.endswith('"') else " ...\n"


def function_of(name: str, function: Any) -> str:
    """The stub of a function."""
    signature = inspect.signature(function)
    head = f"def {name}({_parameters(signature, _others_of(function))}) -> {result_of(function)}:"
    return head + _documentation(function, "")


def method_of(name: str, function: Any) -> str:
    """The stub of a method of Tensor: the first parameter is the tensor."""
    signature = inspect.signature(function)
    [own, *rest] = signature.parameters.values()
    if own.kind is own.VAR_POSITIONAL:
        rest = [own, *rest]
    others = _others_of(function)
    inner = _parameters(signature.replace(parameters=rest), others)
    result = result_of(function)
    return f"    def {name}(self{', ' if inner else ''}{inner}) -> {result}:" + _documentation(function, "    ")


def class_of(name: str) -> str:
    """The stub of an operator as a class."""
    from anfora import ops
    from anfora.ops.primitives import PLAIN

    kind = getattr(ops, name)
    inner = _parameters(inspect.signature(kind))
    made = f"    def __init__(self, {inner}) -> None: ...\n" if inner else ""
    if name not in PLAIN:
        return f"class {name}(_Any):{made and chr(10)}{made or ' ...' + chr(10)}"
    function = getattr(ops, PLAIN[name])
    call, result = _parameters(inspect.signature(function)), result_of(function)
    return f"class {name}(_Made):\n{made}    def __call__(self{', ' if call else ''}{call}) -> {result}: ...\n"


def constructed(name: str, kind: type) -> str:
    """The stub of a class whose constructor is made, below the class that its source shows."""
    inner = _parameters(inspect.signature(kind))
    return f"class {name}(_{name}):\n    def __init__(self, {inner}) -> None: ...\n"


#: What the classes of operators share: most are made without arguments, and of many it is not known what a call takes.
_CLASSES = """\

class _Made(Primitive):
    def __init__(self) -> None: ...

class _Any(_Made):
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
"""


# -- modules ----------------------------------------------------------------------------------------------------------


def names_of(module: types.ModuleType) -> list[str]:
    """The public names of a module."""
    names = dir(module) if "__dir__" in vars(module) else module.__all__
    return sorted({name for name in names if not name.startswith("__") and not keyword.iskeyword(name)})


def _led_to(name: str, value: Any, module: str) -> str | None:
    """The line that leads to where a value is defined, if it is defined in a source file."""
    import anfora

    if inspect.ismodule(value):
        if (sys.modules.get(f"{module}.{name}") or value) is value and value.__name__ == f"{module}.{name}":
            return f"from . import {name} as {name}\n"
        home, _, last = value.__name__.rpartition(".")
        return f"from {home} import {last} as {name}\n"
    home = getattr(value, "__module__", None) if isinstance(value, (type, types.FunctionType)) else None
    homes = [home, anfora._HOME.get(name), getattr(sys.modules[module], "_HOME", {}).get(name)]
    for home in filter(None, homes):
        own = getattr(value, "__name__", name)
        there = vars(importlib.import_module(home))
        if home == module:
            continue
        for known in (own, name):
            if there.get(known) is value:
                return f"from {home} import {known} as {name}\n"
    return None


def module_of(name: str) -> str:
    """The stub of a module."""
    from anfora.ops.primitives import CLASSES, PLAIN

    module = importlib.import_module(name)
    leading, defined = [], []
    seen: dict[str, str] = {}
    in_ops = functions_of_ops() if name in TABLES and name != "anfora.ops" else {}
    for key in names_of(module):
        value = getattr(module, key)
        if name == "anfora.ops" and (key in CLASSES or key in PLAIN):
            defined.append(class_of(key))
            continue
        is_made = name in TABLES and callable(value) and not isinstance(value, type)
        if isinstance(value, type) and name == "anfora.dataset" and hasattr(value.__init__, "__signature__"):
            leading.append(f"from {value.__module__} import {key} as _{key}\n")
            defined.append(constructed(key, value))
            continue
        line = _led_to(key, value, name) if not is_made or key in getattr(module, "_HOME", {}) else None
        if line:
            leading.append(line)
        elif callable(value) and not isinstance(value, type):
            text = function_of(key, value)
            if text == in_ops.get(key):
                leading.append(f"from anfora.ops import {key} as {key}\n")
                continue
            first = seen.setdefault(text.partition("(")[2], key)
            # another name of a function, as its documentation tells
            defined.append(f"{key} = {first}\n" if first != key and '"""' in text else text)
        else:
            defined.append(f"{key}: {annotated(type(value).__name__)}\n")
    head = (
        _HEAD if name in TABLES else "import builtins\nfrom typing import Any\n\nfrom anfora.core.dtype import DType\n"
    )
    if name == "anfora":
        defined.append("__version__: str\n")
    if name == "anfora.ops":
        defined.insert(0, _CLASSES)
    return _NOTE + head + "".join(sorted(set(leading))) + "\n" + "\n".join(defined)


@functools.cache
def functions_of_ops() -> dict[str, str]:
    """The stubs of the functions of `anfora.ops`, which other modules have too."""
    from anfora import ops

    values = {key: getattr(ops, key) for key in names_of(ops)}
    return {
        key: function_of(key, value)
        for key, value in values.items()
        if callable(value) and not isinstance(value, type) and key not in ops._HOME
    }


_OF_ONE = ("__neg__", "__pos__", "__abs__", "__invert__")


def tensor_methods() -> str:
    """The stub of the base of Tensor that its table of methods is for type checkers."""
    from anfora.core.tensor import Tensor
    from anfora.ops.methods import METHODS, OPERATORS, PROPERTIES, REFLECTED

    lines = [_NOTE, _METHODS_HEAD, "\nclass TensorMethods(NumpyBorder):\n"]
    for name, function in PROPERTIES.items():
        lines.append(f"    @property\n    def {name}(self) -> Tensor:{_documentation(function, '    ')}")
    for name in [*OPERATORS, *REFLECTED]:
        other = "" if name in _OF_ONE else ", other: object" if name in ("__eq__", "__ne__") else ", other: TensorLike"
        if name in ("__lt__", "__le__", "__gt__", "__ge__"):
            other = ", other: Any"  # as type checkers want it of two classes that know each other
        wrong = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
        lines.append(f"    def {name}(self{other}) -> Tensor: ...{wrong}\n")
    for name in METHODS:
        if name not in vars(Tensor) or name in ("__getitem__", "__setitem__"):
            continue
        lines.append(method_of(name, inspect.getattr_static(Tensor, name)))
    lines.append(
        "    def __getitem__(self, key: Any) -> Tensor: ...\n    def __setitem__(self, key: Any, value: Any) -> None: ...\n"
    )
    return "".join(lines)


def made() -> dict[str, str]:
    """All stubs: their paths, and their text."""
    from anfora.paths import PATHS

    found = {"py.typed": "partial\n", "core/tensor_methods.pyi": tensor_methods()}
    for name in (*TABLES, *LEADING):
        found["/".join([*name.split(".")[1:], "__init__.pyi"])] = module_of(name)
    packages = {name for paths in PATHS.values() for path in paths for name in _parents(path)}
    for home, paths in PATHS.items():
        for path in paths:
            if any(part.startswith("_") for part in path.split(".")) or any(map(_is_file, [path, *_parents(path)])):
                continue
            place = path.replace(".", "/")
            text = f"from {home} import *\n"
            found.setdefault(f"{place}/__init__.pyi" if path in packages else f"{place}.pyi", text)
    return found


def _parents(path: str) -> list[str]:
    parts = path.split(".")
    return [".".join(parts[:i]) for i in range(1, len(parts))]


def _is_file(path: str) -> bool:
    """Whether there is a module without others below it at a path."""
    module = importlib.import_module(f"anfora.{path}")
    return getattr(module, "__file__", None) is not None and not hasattr(module, "__path__")


def write(folder: Path) -> None:
    """Write all stubs into a folder, and take away those that are no more."""
    for old in folder.rglob("*.pyi"):
        old.unlink()
    for path, text in made().items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "anfora-stubs")
