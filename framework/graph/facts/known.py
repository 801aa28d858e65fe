"""What kinds of values and functions there are for the recorder: which compute, which are gone into, which types it can
look into. What Python's own functions do with their arguments is asked of the table of facts (table.py)."""

from __future__ import annotations

import collections
import enum
import functools
import operator
import os
import sys
import types
import weakref
from collections.abc import Collection, Iterator
from typing import Any, TypeGuard

import numpy as np

from anfora import api, batching, directions
from anfora.core import memory
from anfora.core.cell import Cell
from anfora.core.dtype import DType
from anfora.core.habits import Asked
from anfora.core.handlers import is_of_handler
from anfora.core.op import Op
from anfora.core.parameter import Parameter, ParameterTuple
from anfora.core.span import between
from anfora.core.tensor import Tensor
from anfora.core.tensor_classes import CLASSES, changed, is_code, is_met, is_put
from anfora.eager import autocast, batched, transform
from anfora.eager.recompute import recompute, run_with_hooks
from anfora.eager.tape import no_grad
from anfora.graph.facts import contexts, makers, rows
from anfora.graph.facts.classes import class_attribute, defines, of_version
from anfora.graph.facts.compiled_functions import is_compiled
from anfora.graph.facts.kinds import is_a, module_of
from anfora.graph.facts.operator_classes import NOTING
from anfora.graph.facts.origins import Number
from anfora.graph.facts.table import fact_of, resolved
from anfora.graph.machine.generators import Generator
from anfora.graph.machine.operations import VIEWS, is_made, is_of_python, mro_of, table_of, viewed
from anfora.graph.machine.walks import Walk
from anfora.kernel import glue

__all__ = [
    "BOUND", "CONTAINERS", "DEQUE_ITERATORS", "GETTERS", "ITERABLES", "ITERATORS", "METADATA", "NUMBERS", "SIMPLE",
    "VIEWS", "are_compared_plainly", "bound_to", "computes", "descriptor_of", "enters", "forgets", "has_identity",
    "has_methods", "holds_state", "is_among", "is_attribute_of_ours", "is_bound", "is_compared_plainly", "is_compiled",
    "is_constant", "is_hashed_by_program", "is_layer", "is_object", "is_of_layers", "is_opaque", "is_ours", "is_plain_key",
    "is_pythons", "is_transform", "name_of", "only_moves", "overrides", "rows", "sets_plainly", "viewed", "writes",
]  # fmt: skip

NUMBERS = (bool, int, float)
#: Types whose values are what they are: they stand in images as themselves.
SIMPLE = frozenset(
    {type(None), bool, int, float, complex, str, bytes, type(...), type(NotImplemented), range, types.CodeType}
)
#: Types of methods that are written in C; of modules' functions too.
BOUND = (types.BuiltinMethodType, types.MethodWrapperType)
_OF_C = (types.MethodDescriptorType, types.WrapperDescriptorType)  #: what makes such, of an object
#: What Python walks over, and nothing of the program is called for it.
ITERABLES: tuple[type, ...] = (list, tuple, str, range, dict, set, frozenset, *VIEWS)
#: Iterators that tell what they go over, and where they are.
ITERATORS: tuple[type, ...] = (type(iter([])), type(iter(())), type(reversed([])), reversed, enumerate, zip)
#: Iterators that Python, from some version on, makes like objects of the program's classes.
DEQUE_ITERATORS: tuple[type, ...] = (type(iter(collections.deque())), type(reversed(collections.deque())))
CONTAINERS = (tuple, list, dict, set, frozenset)

#: What a Tensor says of itself without its data.
METADATA = frozenset([
    "shape", "dtype", "size", "ndim", "itemsize", "nbytes", "strides", "dim", "nelement", "numel", "stride",
    "is_contiguous", "element_size", "storage_offset", "device", "has_init", "init_finished", "requires_grad",
    "is_leaf", "const_arg", "__len__", "name", "is_named", "is_init",
])  # fmt: skip

#: Modules of this package whose functions compute with tensors and do nothing else. Here and in the next table the longer
#: name counts: the layers of `anfora.mint` are programs, and the functions behind them are not.
_LIBRARY = ("anfora.ops", "anfora.mint", "anfora.mint.nn.functional", "anfora.numpy", "anfora.core.dtype")
_LAYERS = ("anfora.nn", "anfora.mint.nn")
#: Modules of this package that are programs like the user's.
_PROGRAMS = (
    *_LAYERS, "anfora.api", "anfora.batching", "anfora.directions", "anfora.modes", "anfora.ops.programs",
    "anfora.models", "anfora.onnx", "anfora.examples", "anfora.core.cell", "anfora.core.tree", "anfora.eager.cells",
    "anfora.eager.custom", "anfora.eager.updating", "anfora.graph.gradient.sums", "anfora.graph.gradient.whole",
    "anfora.graph.polyfill.polyfills", "anfora.graph.polyfill.gradients", "anfora.graph.polyfill.iterators",
    "anfora.graph.polyfill.records", "anfora.graph.polyfill.taking",
)  # fmt: skip
#: Modules whose exceptions do nothing when they are made.
_ERRORS = ("builtins", "anfora.core.errors")
#: Modules of Python's whose functions are gone into like the program's: they make and copy records.
_PLAIN_LIBRARIES = ("collections", "dataclasses")


def is_among(value: Any, table: Any) -> bool:
    """Whether a value is in a set, which what cannot be hashed is not, nor what says itself what it is equal to."""
    if has_equality(value):
        return False
    try:
        return value in table
    except TypeError:
        return False


def has_equality(value: Any) -> bool:
    """Whether to compare a function with others, or to hash it, is a call of the program or of a library."""
    kind = type(value)
    if kind is types.MethodType:
        return has_equality(value.__func__)
    return kind not in BOUND and not (kind.__eq__ is object.__eq__ and kind.__hash__ is object.__hash__)


def is_bound(value: Any) -> TypeGuard[types.BuiltinMethodType]:
    """Whether it is a method written in C, bound to an object; functions of modules and classes have the same types."""
    return is_a(value, BOUND) and not is_a(value.__self__, (types.ModuleType, type(None), type))


def is_chain(method: Any) -> bool:
    """Whether a method is bound to a method, that one to another, and so on further than is looked into."""
    for _ in range(_LONGEST_CHAIN):
        if not is_a(method, _METHODS):
            return False
        method = method.__self__
    return True


_LONGEST_CHAIN = 20
_METHODS = (types.MethodType, *BOUND)


def descriptor_of(method: Any) -> Any:
    """What makes a method that `is_bound` of the object that it is bound to; None if no class of the object has that. The
    class may have something else under the name of the method: this one was read behind `super()`, or of a base class; and
    those of Tensor are called as their operators are, so that `x.detach` is called stop_gradient, and `x.__rsub__` sub."""
    owner = method.__self__
    bases = mro_of(type(owner))
    for base in bases:
        found: Any = table_of(base).get(method.__name__)
        if type(found) in _OF_C and bound_to(owner, found) == method:
            return found
    for base in bases if is_a(owner, Tensor) else ():
        for found in list(table_of(base).values()):
            if type(found) is types.MethodDescriptorType and bound_to(owner, found) == method:
                return found
    return None


def bound_to(owner: Any, descriptor: Any) -> Any:
    """A method of C, bound to an object. The class is said as well: where the method wants to know the class that defines
    it (`re.Pattern.match`), CPython reads what is not there if it is left out, and the process ends."""
    return descriptor.__get__(owner, type(owner))


def _of(module: str | None, prefixes: tuple[str, ...]) -> bool:
    return is_a(module, str) and any(module == p or module.startswith(p + ".") for p in prefixes)


def _is_library(module: Any) -> bool:
    """Whether what a module of this name has computes with tensors, and does nothing else."""
    return type(module) is str and _depth(module, _LIBRARY) > _depth(module, _PROGRAMS)


def _is_program(module: Any) -> bool:
    """Whether a module of this name is one of this package's that are programs like the user's."""
    return type(module) is str and _depth(module, _PROGRAMS) > _depth(module, _LIBRARY)


@functools.cache
def _depth(module: str, prefixes: tuple[str, ...]) -> int:
    """The length of the longest of the names that a module lies in; 0 if it lies in none."""
    return max((len(prefix) for prefix in prefixes if _of(module, (prefix,))), default=0)


def forgets(function: Any) -> bool:
    """Whether a function neither keeps its arguments, nor gives them back in its result."""
    fact = fact_of(function)
    if fact is not None:
        return fact.forgets
    return is_a(function, Op) or (computes(function) and not _makes_holders(function))


def _makes_holders(function: Any) -> bool:
    """Whether it is a class whose objects hold what they are made of."""
    return is_a(function, type) and issubclass(function, (BaseException, tuple))


def only_moves(function: Any, args: tuple) -> bool:
    """Whether a call moves what a list, dict or set holds, one by one or all of it, and does not look at it."""
    fact, _ = resolved(function, args)
    return fact is not None and fact.only_moves


def is_pythons(function: Any) -> bool:
    """Whether it is one of Python's own functions of values."""
    fact = fact_of(function)
    return fact is not None and fact.is_of_values


def computes(function: Any) -> bool:
    """Whether a function gives a value that follows from its arguments, and has no effect but on these."""
    if is_pythons(function) or is_a(function, Op) or any(function is s for s in _OTHERS_THAT_COMPUTE):
        return True
    if is_a(function, (types.BuiltinMethodType, types.MethodType)) and is_a(function.__self__, Tensor):
        return _is_operator_method(function)
    if is_a(function, types.FunctionType):
        is_ours = _is_library(function.__globals__.get("__name__")) and function not in NOTING
        return is_ours or is_transform(function)
    if is_a(function, types.MethodDescriptorType) and _is_library(getattr(function, "__module__", None)):
        return True
    if is_a(function, types.MethodDescriptorType) and function.__objclass__ in (Tensor, Parameter):
        return True
    if is_a(function, enum.EnumMeta):  # a member by its value
        if type(function).__call__ is not enum.EnumMeta.__call__:
            return False
        return function._missing_.__func__.__globals__.get("__name__") == "enum"  # type: ignore[attr-defined]
    if is_a(function, type):
        if function in (Tensor, ParameterTuple) or (
            issubclass(function, BaseException) and module_of(function) in _ERRORS
        ):
            return True
        return issubclass(function, tuple) and makers.maker(function) is makers.ROW and _is_row(function)
    return not is_a(function, Cell) and _is_library(module_of(type(function)))


def is_layer(kind: type) -> bool:
    """Whether it is a class of this library's layers: to make one has no effect but random numbers."""
    return issubclass(kind, Cell) and is_of_layers(module_of(kind))


def is_of_layers(module: Any) -> bool:
    """Whether a module of this name is one of this library's that have layers."""
    return _of(module, _LAYERS)


def holds_state(value: Any) -> bool:
    """Whether there is more to an object of this library than which one it is: it is a metric, a schedule or a loss scaler,
    whose attributes change, or a gradient function, which holds one of the program's."""
    return type(value) is api.GradientFunction or _of(module_of(type(value)), (*_LAYERS, "anfora.optim"))


def is_transform(function: Any) -> bool:
    """Whether it is a step of a gradient transform: these turn the tape on and off, and walk it."""
    return type(function) is types.FunctionType and function in _TRANSFORMS


_TRANSFORMS = (
    api.GradientFunction.start, api._Run.leave, api._Run.finish, api.value_and_grad, api.grad, api._positions_of_tensors,
    api.GradOperation.__init__, api.GradOperation.__call__, api.jacrev, api.jacfwd, api._points_and_directions,
    directions._floating, directions._parts, directions._rays, batching._named_like,
    batching._all_examples, batching._collected, batching._one_example, batching._stack,
)  # fmt: skip


#: What turns the tape and mixed precision on and off, or tells how they stand: points know that, and rows what they need.
_OTHERS_THAT_COMPUTE = (
    glue.set_recording, glue.open_block, glue.close_block, glue.is_recording, autocast.enter, memory.tick,
    Parameter.set_data, Tensor.item, Tensor.tolist, batched.begin_level, batched.end_level, batched.next_level,
    is_of_handler,
)  # fmt: skip

#: The code of functions of other modules that are gone into as well: those that switch the tape (rows and points know how
#: it stands), and those that call a function of the program under it.
_ALSO_ENTERED = [
    function.__code__
    for function in (
        no_grad.__init__, no_grad.__enter__, no_grad.__exit__, recompute, run_with_hooks, transform.linearize,
    )
]  # fmt: skip


def _is_operator_method(function: Any) -> bool:
    """Whether a bound method of a tensor comes from the table of methods, or tells how the tensor is made."""
    name = function.__name__
    plain = getattr(function, "__func__", function)
    module = plain.__globals__.get("__name__") if is_a(plain, types.FunctionType) else None
    if _of(module, ("anfora.core",)):
        return name in METADATA
    return True


def writes(function: Any) -> bool:
    """Whether a function may change its first argument, or the object it is a method of."""
    fact = fact_of(function)
    return fact is not None and fact.writes


def enters(function: types.FunctionType) -> bool:
    """Whether the machine goes into a Python function: into programs, not into libraries; nor into what puts a hook on a
    Cell, since the table of hooks, and the number of the next one, are this library's."""
    module = function.__globals__.get("__name__")
    if _of(module, ("anfora",)):
        return (_is_program(module) and function is not Cell._hook) or any(
            function.__code__ is each for each in (*_ALSO_ENTERED, *between)
        )
    if module in _PLAIN_LIBRARIES or contexts.enters(function):
        return True
    file = function.__code__.co_filename
    return not file.startswith(_LIBRARIES)


#: Where files of Python's library are, and of what is installed.
_LIBRARIES = (
    os.path.dirname(os.__file__),
    *(path for path in sys.path if path.endswith(("site-packages", "dist-packages"))),
    "<frozen",
)


def is_constant(value: Any) -> bool:
    """Whether an object is compared by identity: what it is does not change."""
    if is_a(value, np.dtype):
        return value.isbuiltin == 1
    return is_a(
        value,
        (
            type, types.ModuleType, types.BuiltinFunctionType, types.FunctionType, Op, DType, enum.Enum,
            types.MethodDescriptorType, types.WrapperDescriptorType, types.GetSetDescriptorType,
        ),
    )  # fmt: skip


#: What reads a field of a named tuple.
_FIELD = type(vars(collections.namedtuple("Named", "field"))["field"])  # noqa: PYI024


def is_ours(kind: type) -> bool:
    """Whether a class is of this library."""
    return module_of(kind).startswith("anfora.")


def is_object(value: Any) -> bool:
    """Whether it is an object of a class of Python's, or of one that is made like those: its attributes can be read one by
    one."""
    kind = type(value)
    if kind is types.SimpleNamespace:
        return True
    return (
        (is_of_python(kind) or (is_made(kind) and kind is not _FIELD and not defines(kind, "__next__")))
        and kind.__getattribute__ is object.__getattribute__
        and not is_a(value, (Tensor, tuple, list, dict, set, BaseException, enum.Enum, Generator, Walk, Number))
        and not _hides_dict(kind)
    )


@of_version
def _hides_dict(kind: type) -> bool:
    """Whether objects of a class have a dict that cannot be seen: in the place where they show it there is something of the
    program's, or nothing."""
    found = class_attribute(kind, "__dict__")
    if found is None:
        return kind.__dictoffset__ != 0
    return not is_a(found, (types.GetSetDescriptorType, types.MemberDescriptorType))


def has_methods(value: Any) -> bool:
    """Whether operators and functions of Python's may call special methods of the program on a value: an object, or a named
    tuple, a member of an enumeration, a class or a tensor that has some."""
    if is_a(value, Tensor):
        return bool(overrides(type(value)))
    if is_a(value, (tuple, enum.Enum, type)):
        return type(value) not in (tuple, type) and any(_special_methods(type(value)))
    return is_object(value)


class Overriding:
    """What the program has put into a class of tensors, and taken away; true.

    Attributes:
        parts: name, and a weak reference to what stands there; None for what is gone.
    """

    __slots__ = ("parts",)

    def __init__(self, parts: dict[str, Any]) -> None:
        self.parts = {name: None if found is None else _told_by(found) for name, found in parts.items()}

    def is_of(self, parts: dict[str, Any]) -> bool:
        return self.parts.keys() == parts.keys() and all(
            (found is None) if (told := self.parts[name]) is None else found is not None and told == _told_by(found)
            for name, found in parts.items()
        )

    def __repr__(self) -> str:
        return f"{', '.join(sorted(self.parts))} of the program"


def _told_by(found: Any) -> tuple:
    """What tells whether something in a class is still the same, and keeps nothing alive."""
    if is_a(found, property):
        return tuple([None if part is None else _told_by(part) for part in (found.fget, found.fset, found.fdel)])
    found = found.__func__ if is_a(found, (classmethod, staticmethod)) else found
    try:
        return (_Same(found),)
    except TypeError:  # there are no weak references to it
        return (type(found), id(found))


class _Same(weakref.ref):
    """A weak reference that is equal to another one if both are to one object."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is _Same and self() is not None and self() is other())

    __hash__ = None  # type: ignore[assignment]


_OVERRIDING: weakref.WeakKeyDictionary[type, list[Overriding]] = weakref.WeakKeyDictionary()
_MOST_OVERRIDING = 16  #: that are kept of a class; more are told apart from each other, and from those that come again


@of_version
def overrides(kind: type) -> Overriding | bool:
    """Whether a class of tensors has something of the program's in the place of what a Tensor has, or a special method, or
    lacks one: then operators and this library's functions may call it. If so, what: the same object for the same."""
    parts: dict[str, Any] = {}
    for base in reversed(mro_of(kind)[:-1]):
        parts |= changed(base) if base in CLASSES else _of_program(base)
    if not parts:
        return False
    known_ones = _OVERRIDING.setdefault(kind, [])
    found = next((each for each in known_ones if each.is_of(parts)), None)
    if found is None:
        found = Overriding(parts)
        known_ones.append(found)
        del known_ones[:-_MOST_OVERRIDING]
    return found


def _of_program(kind: type) -> dict[str, Any]:
    """What a class, a base of one of tensors, has that operators may call and that is not this library's or Python's."""
    return {
        name: found
        for name, found in list(vars(kind).items())
        if name not in _OF_MAKING and is_met(name) and not _is_of_library(kind, name, found)
    }


def is_attribute_of_ours(kind: type, name: str) -> bool:
    """Whether what a class of tensors has under a name is as this library has made it."""
    home = next((base for base in mro_of(kind) if name in table_of(base)), object)
    if home in CLASSES:
        return is_put(home, name, home.__dict__[name])
    is_ours = home is object or (_of(module_of(home), ("anfora",)) and is_met(name))
    return is_ours and _is_of_library(home, name, home.__dict__.get(name))


def _is_of_library(home: type, name: str, found: Any) -> bool:
    """Whether what stands in a class under a name is this library's code, or Python's, or no code at all. What is this
    library's under another name does what nobody expects in a class of the program's."""
    inner = found
    if type(inner) is not types.FunctionType:
        if is_a(inner, (classmethod, staticmethod)):
            inner = inner.__func__
        if is_a(inner, property):
            inner = inner.fget
    if type(inner) is types.FunctionType:
        module = inner.__globals__.get("__name__")
        is_ours = type(module) is str and _depth(module, _OF_LIBRARY) > 0
    elif is_a(inner, types.MethodDescriptorType):
        is_ours = True
    else:
        return is_a(inner, _PYTHONS) or not is_code(inner)
    is_at_home = _depth(module_of(home), _OF_LIBRARY) > 0 or any(is_put(base, name, found) for base in CLASSES)
    return is_ours and is_at_home


def _special_methods(kind: type) -> Iterator[str]:
    for base in mro_of(kind):
        for name, found in list(table_of(base).items()) if is_of_python(base) else ():
            if not name.startswith("__") or name in _OF_MAKING or type(found) is not types.FunctionType:
                continue
            if enters(found) and found.__globals__.get("__name__") not in _PLAIN_LIBRARIES:
                yield name


def _is_row(kind: type) -> bool:
    """Whether the items of tuples of a class are found like those of others."""
    return kind is tuple or not _OF_ROWS.intersection(_special_methods(kind))


#: Special methods of tuples by which they show what they hold.
_OF_ROWS = frozenset(
    ["__iter__", "__getitem__", "__len__", "__eq__", "__ne__", "__hash__", "__contains__", "__reversed__"]
)


#: Special methods that no operator calls.
_OF_MAKING = frozenset([
    "__new__", "__init__", "__call__", "__prepare__", "__init_subclass__", "__set_name__", "__instancecheck__",
    "__subclasscheck__", "__getattr__", "__getattribute__", "__setattr__", "__delattr__", "__getnewargs__",
])  # fmt: skip


_OF_LIBRARY = ("anfora", "abc", "typing", "typing_extensions")  #: the latter are those of abstract classes
_PYTHONS = (
    types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType, types.BuiltinFunctionType,
    types.GetSetDescriptorType, types.MemberDescriptorType, type, Op, Asked,
)  # fmt: skip


def sets_plainly(kind: type) -> bool:
    """Whether an assignment to an attribute of an object of a class puts it into the object's dict, or calls a setter."""
    return kind.__setattr__ is object.__setattr__ or kind is types.SimpleNamespace


#: What takes the same from each value: see polyfills.py.
GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)


def has_identity(kind: type) -> bool:
    """Whether objects of a class are equal to themselves alone."""
    return kind.__hash__ is object.__hash__ and kind.__eq__ is object.__eq__


def is_plain_key(key: Any) -> bool:
    """Whether to hash a value, and to compare it, calls nothing of the program."""
    return type(key) in SIMPLE or (type(key) is tuple and all(map(is_plain_key, key)))


def is_hashed_by_program(value: Any) -> bool:
    """Whether somebody may see that a value becomes a key: a function of Python is called, other than that of an enum."""
    kind = type(value)
    if kind in SIMPLE:
        return False
    if kind is tuple or kind is frozenset:
        return any(map(is_hashed_by_program, value))
    functions = [
        method for name in ("__hash__", "__eq__") if is_a(method := class_attribute(kind, name), types.FunctionType)
    ]
    return bool(functions) and (not is_constant(value) or any(map(enters, functions)))


def are_compared_plainly(keys: Collection[Any]) -> bool:
    """The same of all keys of a dict or set: whether nothing of the program is called where another one is looked for."""
    return set(map(type, keys)) <= SIMPLE or all(map(is_compared_plainly, keys))


def is_compared_plainly(value: Any) -> bool:
    """Whether nothing of the program is called where a value is compared with one that has its hash."""
    kind = type(value)
    if is_a(value, (tuple, frozenset)) and not all(map(is_compared_plainly, value)):
        return False
    if is_a(value, Tensor):
        return not overrides(kind)
    return kind in SIMPLE or not is_a(class_attribute(kind, "__eq__"), types.FunctionType)


_TRANSPARENT = (
    *GETTERS,
    *NUMBERS, type(None), str, bytes, complex, type(...), type(NotImplemented), range, slice, *CONTAINERS, Generator, Walk,
    types.MethodType, functools.partial, types.CellType, types.TracebackType, BaseException, super, *VIEWS,
)  # fmt: skip


def is_opaque(value: Any) -> bool:
    """Whether nothing is known of a value but that it is there: an array, a file, something of a library."""
    if type(value) in _TRANSPARENT or is_a(value, (Tensor, BaseException, ParameterTuple)):
        return False
    if is_bound(value):
        return not is_chain(value) and is_opaque(value.__self__)
    if is_a(value, tuple):
        return not _is_row(type(value))
    if is_constant(value) or is_object(value):
        return False
    if is_a(value, types.GeneratorType):
        return True
    if type(value) in DEQUE_ITERATORS:
        return False
    return not (defines(type(value), "__next__") and module_of(type(value)) in ("builtins", "itertools"))


def name_of(value: Any) -> str:
    """The `__name__` of a function or class, "" if it has none; no code of the program is called to make one up."""
    kind = type(value)
    if is_of_python(kind) and not is_a(value, type) and not _of(module_of(kind), ("anfora",)):
        return object.__getattribute__(value, "__dict__").get("__name__", "") if kind.__dictoffset__ else ""
    return getattr(value, "__name__", "")


def describe(function: Any) -> str:
    """A function's name, for reports."""
    if not name_of(function):
        return type(function).__name__
    name = getattr(function, "__qualname__", None) or function.__name__
    module = module_of(function)
    return name if module in ("", "builtins", "_operator") else f"{module}.{name}"
