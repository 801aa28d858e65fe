"""How objects are looked at by a walk (digest.py): for each class, what it says of an object beside attributes and slots.

Nothing of the program is run: what is read is read by the methods of the class written in C that an object's class follows.
"""

from __future__ import annotations

import array
import collections
import contextlib
import functools
import hashlib
import io
import random
import sys
import types
import warnings
import weakref
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from anfora.core import memory
from anfora.core.errors import AnforaError
from anfora.core.tensor import Tensor, current
from anfora.eager.tape import Output
from anfora.graph.facts.kinds import dict_of_module, name_of_module
from anfora.graph.machine.generators import Generator, driven_by
from anfora.graph.machine.operations import is_of_python
from anfora.graph.run.compiled import Compiled, RecordedProgram
from anfora.graph.tell.tokens import ATOMS, Blob, Children, Path, atom, hashed, long_text

if TYPE_CHECKING:
    from anfora.graph.tell.digest import Walk

__all__ = ["WITHOUT_IDENTITY", "Plan", "is_of_a_library"]

_MRO = type.__dict__["__mro__"].__get__
_CLASS_DICT: Callable[[type], Any] = type.__dict__["__dict__"].__get__
_COMPILED_DICT: Callable[[Any], dict[str, Any]] = vars(Compiled)["__dict__"].__get__
_OPAQUE = ("anfora.kernel", "anfora.graph", "anfora.eager", "anfora.ops", "anfora.core.op", "anfora.core.abstract",
           "anfora.core.slots", "anfora.core.memory", "threading", "_thread", "logging", "ast")  # fmt: skip


def is_of_a_library(module: str) -> bool:
    """Whether a module belongs to Python, this library or an installed package, by its name."""
    if module.partition(".")[0] in _LIBRARIES:
        return True
    found = sys.modules.get(module)
    file = dict_of_module(found).get("__file__") if type(found) is types.ModuleType else None
    return type(file) is str and ("site-packages" in file or "dist-packages" in file)


_LIBRARIES = {*sys.stdlib_module_names, "anfora", "numpy"} - {"__main__"}


def _class_module(kind: type) -> str:
    module = _CLASS_DICT(kind).get("__module__", "builtins")
    return module if type(module) is str else "?"


def _class_name(kind: type) -> str:
    module, name = _class_module(kind), type.__dict__["__qualname__"].__get__(kind)
    return name if module in ("builtins", "__main__") or module.startswith("anfora.") else f"{module}.{name}"


def _is_of_the_program(kind: type) -> bool:
    return is_of_python(kind) and not is_of_a_library(_class_module(kind))


class Plan:
    """How objects of a class are looked at."""

    def __init__(self, kind: type) -> None:
        name = _class_name(kind)
        self.title = f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"
        self.kind = kind
        self.payload: Callable | None = None
        self.dictionary: Callable | None = None
        self.members: list[tuple[str, Any]] = []
        self.hidden: tuple[str, ...] = _OF_ERRORS if issubclass(kind, AnforaError) else ()
        self.state: Callable | None = None  #: of a class of this library: what a copy takes, and no caches
        self.follows_class = False
        if issubclass(kind, Compiled):  # what it is compiled from, with its own attributes
            self.payload = _compiled
            self.dictionary = _COMPILED_DICT
            self.hidden = ("program", "options", "__wrapped__", *functools.WRAPPER_ASSIGNMENTS)
            return
        if issubclass(kind, RecordedProgram) or _class_module(kind).startswith(_OPAQUE):
            self.payload = _opaque
            return
        order = _MRO(kind)
        self.payload = next((_PAYLOADS[base] for base in order if base in _PAYLOADS), None)
        is_whole = any(base in _WHOLE for base in order)
        for base in order:
            for key, value in _CLASS_DICT(base).items():
                if key == "__dict__" and self.dictionary is None and type(value) is types.GetSetDescriptorType:
                    self.dictionary = value.__get__
                elif key == "__getstate__" and self.state is None and _class_module(base).startswith("anfora."):
                    self.state = value
                elif type(value) is types.MemberDescriptorType and not is_whole and not key.startswith("__"):
                    self.members.append((key, value.__get__))
        self.follows_class = _is_of_the_program(kind)
        if self.payload is None and self.dictionary is None and not self.members:
            self.payload = _of_c

    def attributes(self, path: Path, value: Any) -> tuple[str, list[tuple[Path, Any]]]:
        """What its slots and its dictionary hold, and its class; and the names, in words."""
        if self.payload is _opaque:
            return "", []
        found: dict[str, Any] = {}
        for name, get in self.members:
            with contextlib.suppress(AttributeError):  # it holds nothing
                found[name] = get(value)
        if self.dictionary is not None:
            held = self.state(value) if self.state is not None else self.dictionary(value)
            if type(held) is dict:
                found.update(held)
                for name in self.hidden:
                    found.pop(name, None)
        parts = [((path, f".{name}"), held) for name, held in found.items()]
        if self.follows_class:
            parts.append(((path, ".__class__"), self.kind))
        return f" with {', '.join(map(str, found))}" if found else "", parts


_OF_ERRORS = ("message", "help", "arg", "place")


# What payloads give: a text, many values, and parts. Each gets the walk, the path, the object and the name of its class.


def _opaque(walk: Walk, path: Path, value: Any, title: str) -> tuple:
    if type(value) is Generator:
        return _generator(walk, path, value, title)
    name = value.__dict__.get("name") if type(getattr(value, "__dict__", None)) is dict else None
    return f"{title} {name}" if type(name) is str else title, None, ()


def _compiled(walk: Walk, path: Path, value: Compiled, title: str) -> tuple:
    function = _COMPILED_DICT(value)["__wrapped__"]
    return _function(walk, path, function, title)


def _items(path: Path, items: Iterable[Any]) -> Children:
    for number, item in enumerate(items):
        yield (path, f"[{number}]"), item


def _counted(title: str, count: int) -> str:
    return f"{title} of {count} item{'s' * (count != 1)}"


def _sequence(base: Any) -> Callable:
    def payload(walk: Walk, path: Path, value: Any, title: str) -> tuple:
        limit = base.maxlen.__get__(value) if base is collections.deque else None
        text = _counted(title, base.__len__(value)) + ("" if limit is None else f", {limit} at most")
        return text, None, _items(path, base.__iter__(value))

    return payload


def _holding(base: type, *names: str) -> Callable:
    """Of objects that hold others under names."""

    def payload(walk: Walk, path: Path, value: Any, title: str) -> tuple:
        return title, None, [((path, f".{name}"), vars(base)[name].__get__(value)) for name in names]

    return payload


def _dict(walk: Walk, path: Path, value: dict, title: str) -> tuple:
    return _counted(title, dict.__len__(value)), None, _pairs(path, list(dict.items(value)))


def _ordered_dict(walk: Walk, path: Path, value: collections.OrderedDict, title: str) -> tuple:
    pairs = list(dict.items(value))
    if all(type(key) in (str, int, tuple) and atom(key) is not None for key, _ in pairs):
        held = dict(pairs)
        pairs = [(key, held[key]) for key in collections.OrderedDict.__iter__(value)]
    return _counted(title, len(pairs)), None, _pairs(path, pairs)


def _defaultdict(walk: Walk, path: Path, value: collections.defaultdict, title: str) -> tuple:
    text, _, parts = _dict(walk, path, value, title)
    factory = collections.defaultdict.__dict__["default_factory"].__get__(value)
    return text, None, [((path, ".default_factory"), factory), *parts]


def _pairs(path: Path, pairs: list[tuple[Any, Any]]) -> Children:
    for number, (key, item) in enumerate(pairs):
        text = atom(key)
        if text is None:
            yield (path, f" key {number}"), key
            yield (path, f" value {number}"), item
        else:
            yield (path, f" key {number}"), key
            yield (path, f"[{text}]"), item


def _set(walk: Walk, path: Path, value: Any, title: str) -> tuple:
    items = list((set if isinstance(value, set) else frozenset).__iter__(value))
    text = _counted(title, len(items))
    if any(_is_hashed_by_address(type(item)) for item in items):  # whose order nothing in the program decides
        known = sorted(walk.numbers[id(item)] for item in items if id(item) in walk.numbers)
        others = [item for item in items if id(item) not in walk.numbers]
        kinds = ", ".join(sorted(_class_name(type(item)) for item in others))
        words = [text, *(["those known: " + ", ".join(map(str, known))] if known else []), *([kinds] if kinds else [])]
        return "; ".join(words), None, [((path, " item"), item) for item in others] if len(others) == 1 else ()
    return text, None, [((path, f" item {number}"), item) for number, item in enumerate(items)]


def _is_hashed_by_address(kind: type) -> bool:
    for base in _MRO(kind):
        if "__hash__" in _CLASS_DICT(base):
            return _CLASS_DICT(base)["__hash__"] is object.__hash__ or base in _HASHED_BY_ADDRESS
    return True


_HASHED_BY_ADDRESS = {types.BuiltinFunctionType, types.MethodType, types.FunctionType, type, weakref.ref}


def _of_atom(base: type) -> Callable:
    def payload(walk: Walk, path: Path, value: Any, title: str) -> tuple:
        plain = base.__new__(base, base.__str__(value)) if base is str else _CONVERTED[base](value)
        text = ATOMS[base](plain)
        if text is None:
            return title, long_text(path, plain).blob, ()
        return f"{title} {text}", None, ()

    return payload


_CONVERTED: dict[type, Callable] = {
    int: int.__int__,
    float: float.__float__,
    complex: lambda value: complex(*(vars(complex)[part].__get__(value) for part in ("real", "imag"))),
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
}


def _in_a_row(walk: Walk, path: Path, value: bytearray | array.array, title: str) -> tuple:
    kind = f" of type {value.typecode}" if isinstance(value, array.array) else ""
    return f"{title}{kind}", Blob(bytes(memoryview(value).cast("B")), "bytes"), ()


def _tensor(walk: Walk, path: Path, value: Tensor, title: str) -> tuple:
    tensor = current(value)
    history = "" if tensor._node is None else ", followed" if tensor._node.is_leaf else ", with a history"
    if tensor._array is None:
        return f"{title} without data", None, ()
    layout = tensor._layout
    text = f"{title} of {layout.type!r}{history}{_place(walk, tensor._array)}"
    if tensor._node is not None and not tensor._node.is_leaf:
        walk.followed.append((path, tensor))
    hooks = _hooks_of(tensor._node)
    parts = [((path, f".hooks()[{number}]"), hook) for number, hook in enumerate(hooks)]
    return text, Blob(tensor._array.tobytes(), (layout.dtype.name, layout.shape)), parts


def _hooks_of(node: Any) -> list[Any]:
    """The hooks on the gradient of a tensor with this history."""
    key: Any = (node, 0)
    if type(node) is Output:
        key = node.key
        key = key if type(key) is tuple else (key, 0)
    tables = getattr(key[0], "hooks", None)  # a block, which nobody has looked into, has none
    return list(((tables or {}).get(key[1]) or {}).values())


def _place(walk: Walk, buffer: np.ndarray) -> str:
    """How an array lies in memory: whose, and how."""
    owner = memory.root(buffer)
    steps = "" if buffer.flags.c_contiguous else f", strides {buffer.strides}"
    offset = buffer.__array_interface__["data"][0] - owner.__array_interface__["data"][0] if buffer.size else 0
    return f" in memory {walk.owner(buffer)}{f' at {offset}' if offset else ''}{steps}"


def _ndarray(walk: Walk, path: Path, value: np.ndarray, title: str) -> tuple:
    plain = np.ndarray.view(value, np.ndarray)
    text = f"{title} {plain.dtype.str if plain.dtype.names is None else plain.dtype}{list(plain.shape)}"
    text += _place(walk, value if isinstance(value, np.ndarray) else plain)
    text += "" if plain.flags.writeable else ", not to be written to"
    if plain.dtype.hasobject:
        return text, None, _items(path, plain.ravel().tolist())
    return text, Blob(plain.tobytes(), (plain.dtype, plain.shape)), ()


def _error(walk: Walk, path: Path, value: BaseException, title: str) -> tuple:
    text = title
    parts = [((path, f".args[{n}]"), item) for n, item in enumerate(vars(BaseException)["args"].__get__(value))]
    if isinstance(value, AnforaError):
        text += f": {str.__str__(AnforaError.__str__(value))}"
        parts = []
    parts += [((path, ".__cause__"), value.__cause__), ((path, ".__context__"), value.__context__)]
    if value.__suppress_context__:
        text += " whose context is not shown"
    return text, None, parts


def _function(walk: Walk, path: Path, value: types.FunctionType, title: str) -> tuple:
    code = value.__code__
    text = f"the function {value.__qualname__} ({hashlib.blake2b(code.co_code, digest_size=6).hexdigest()})"
    module = value.__globals__.get("__name__")
    if type(module) is str and module.partition(".")[0] == "anfora":
        return f"the function {module}.{value.__qualname__}", None, ()
    return text, None, _of_function(walk, path, value, code)


def _of_function(walk: Walk, path: Path, value: types.FunctionType, code: types.CodeType) -> Children:
    for name, cell in zip(code.co_freevars, value.__closure__ or ()):
        yield (None, f"/variable {name} of {value.__qualname__}"), cell
    for number, default in enumerate(value.__defaults__ or ()):
        yield (path, f".__defaults__[{number}]"), default
    for name, default in list((value.__kwdefaults__ or {}).items()):
        yield (path, f".__kwdefaults__[{name!r}]"), default
    yield from walk.globals_of(value, code)


def _cell(walk: Walk, path: Path, value: types.CellType, title: str) -> tuple:
    try:
        return "a variable", None, [(path, value.cell_contents)]
    except ValueError:
        return "an empty variable", None, ()


def _builtin(walk: Walk, path: Path, value: Any, title: str) -> tuple:
    owner = value.__self__
    parts = () if owner is None or type(owner) is types.ModuleType else [((path, ".__self__"), owner)]
    return f"the function {value.__qualname__}", None, parts


def _named(walk: Walk, path: Path, value: Any, title: str) -> tuple:
    return f"{title} {value.__qualname__}", None, ()


def _module(walk: Walk, path: Path, value: types.ModuleType, title: str) -> tuple:
    return f"the module {name_of_module(value)}", None, ()


def _class(walk: Walk, path: Path, value: type, title: str) -> tuple:
    text = f"the class {_class_name(value)}"
    return text, None, _of_class(value) if _is_of_the_program(value) else ()


def _of_class(kind: type) -> Children:
    path = None, f"/class {_class_name(kind)}"
    for number, base in enumerate(_MRO(kind)[1:]):
        yield (path, f".__mro__[{number + 1}]"), base
    for name, held in list(_CLASS_DICT(kind).items()):
        if name not in _OF_CLASSES:
            yield (path, f".{name}"), held


_OF_CLASSES = ("__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__abstractmethods__", "_abc_impl",
               "__annotate_func__", "__annotations_cache__", "__static_attributes__", "__firstlineno__")  # fmt: skip


def _cached(walk: Walk, path: Path, value: Any, title: str) -> tuple:
    return f"{title}: {tuple(type(value).cache_info(value))}", None, ()


def _reference(walk: Walk, path: Path, value: weakref.ref, title: str) -> tuple:
    walk.collect()
    target = weakref.ref.__call__(value)
    return (f"{title}, dead", None, ()) if target is None else (title, None, [((path, "()"), target)])


def _generator(walk: Walk, path: Path, value: Any, title: str) -> tuple:
    """Where a generator stands is told by what its variables hold: the machine has other instructions than Python."""
    if type(value) is types.GeneratorType:
        value = driven_by(value) or value
    frame = value.gi_frame
    if frame is None:
        return "a generator at its end", None, ()
    held = frame.f_locals
    has_started = value.gi_suspended if hasattr(value, "gi_suspended") else frame.f_lasti >= 0
    text = f"the generator {frame.f_code.co_name}"
    text += f" in line {frame.f_lineno}" if has_started else ", not started"
    text += f" with {', '.join(sorted(held))}"
    return text, None, [((path, f".gi_frame.{name}"), held[name]) for name in sorted(held)]


def _in_memory(base: Any) -> Callable:
    def payload(walk: Walk, path: Path, value: Any, title: str) -> tuple:
        if base.closed.__get__(value):
            return f"{title}, closed", None, ()
        held = base.getvalue(value)
        text = held.decode("utf-8", "surrogateescape") if type(held) is bytes else held
        return f"{title} at {base.tell(value)}", long_text(path, text).blob, ()

    return payload


def _text_io(walk: Walk, path: Path, value: io.TextIOWrapper, title: str) -> tuple:
    try:
        io.TextIOWrapper.flush(value)
        buffer = vars(io.TextIOWrapper)["buffer"].__get__(value)
    except Exception:  # closed, or without a buffer
        return f"{title}, closed", None, ()
    return title, None, [((path, ".buffer"), buffer)] if isinstance(buffer, io.BytesIO) else ()


def _file(walk: Walk, path: Path, value: Any, title: str) -> tuple:
    return title, None, ()


def _random(walk: Walk, path: Path, value: random.Random, title: str) -> tuple:
    state = super(random.Random, random.Random).getstate  # of the C class
    return title, None, [((path, ".getstate()"), hashed(state(value)))]


def _bits(walk: Walk, path: Path, value: Any, title: str) -> tuple:
    state = value.bit_generator.state if isinstance(value, np.random.Generator) else value.get_state()
    parts = tuple(map(repr, state.items() if isinstance(state, dict) else state))
    return title, None, [((path, " state"), hashed(parts))]


def _of_c(walk: Walk, path: Path, value: Any, title: str) -> tuple:
    """An object of a class written in C: what it would be made anew from, if it says so."""
    kind = type(value)
    if _is_of_the_program(kind):
        return title, None, ()
    for name in ("__reduce_ex__", "__reduce__"):
        for base in _MRO(kind):
            method = _CLASS_DICT(base).get(name)
            if method is not None:
                if base is not object and type(method) is types.MethodDescriptorType:
                    try:
                        with warnings.catch_warnings():  # iterators will not say it for ever
                            warnings.simplefilter("ignore")
                            parts = method(value, 2) if name == "__reduce_ex__" else method(value)
                    except Exception:  # it cannot be
                        return title, None, ()
                    if type(parts) is tuple:
                        return title, None, [((path, f" part {n}"), part) for n, part in enumerate(parts[1:])]
                break
    return title, None, ()


_DESCRIPTORS = {
    types.MethodWrapperType, types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType,
    types.MemberDescriptorType, types.ClassMethodDescriptorType,
}  # fmt: skip
WITHOUT_IDENTITY = {types.MethodType, types.BuiltinFunctionType, types.ModuleType, *_DESCRIPTORS}

_PAYLOADS: dict[type, Callable] = {
    **{base: _sequence(base) for base in (list, tuple, collections.deque)}, dict: _dict,
    collections.OrderedDict: _ordered_dict, collections.defaultdict: _defaultdict, set: _set, frozenset: _set,
    **{base: _of_atom(base) for base in (int, float, complex, str, bytes)},
    bytearray: _in_a_row, array.array: _in_a_row, Tensor: _tensor, np.ndarray: _ndarray, BaseException: _error,
    types.FunctionType: _function, types.CellType: _cell, types.BuiltinFunctionType: _builtin,
    types.MethodType: _holding(types.MethodType, "__self__", "__func__"),
    **dict.fromkeys(_DESCRIPTORS, _named), types.ModuleType: _module, type: _class,
    functools.partial: _holding(functools.partial, "func", "args", "keywords"),
    property: _holding(property, "fget", "fset", "fdel"), staticmethod: _holding(staticmethod, "__func__"),
    classmethod: _holding(classmethod, "__func__"), functools._lru_cache_wrapper: _cached, weakref.ref: _reference,
    types.GeneratorType: _generator, io.StringIO: _in_memory(io.StringIO), io.BytesIO: _in_memory(io.BytesIO),
    io.TextIOWrapper: _text_io, io.BufferedIOBase: _file, io.RawIOBase: _file, random.Random: _random,
    np.random.Generator: _bits, np.random.BitGenerator: _file, np.random.RandomState: _bits,
}  # fmt: skip

#: Classes of which the payload says all that their own slots hold.
_WHOLE = {
    Tensor, types.FunctionType, types.MethodType, types.BuiltinFunctionType, type, types.ModuleType, functools.partial,
    property, staticmethod, classmethod, collections.defaultdict, types.GeneratorType, slice, *_DESCRIPTORS,
}  # fmt: skip
