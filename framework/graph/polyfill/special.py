"""Special methods: what operators and functions of Python's do with objects of the program is a call of theirs.

`entered(recorder, operation, args)` finds the method that Python would call, where it is written in Python, and gives the
`Enter` that makes it a frame. What Python does around it (the other operand's method after NotImplemented, the check of
what `__len__` gives) is in polyfills.py.
"""

from __future__ import annotations

import abc
import operator
import sys
import types
from typing import Any

from anfora.core.cell import Cell
from anfora.core.tensor import Tensor
from anfora.graph.facts import known
from anfora.graph.facts.classes import class_attribute, is_set_through
from anfora.graph.facts.kinds import is_a, module_of
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.origins import value_of_number
from anfora.graph.facts.table import Asking, fact_of
from anfora.graph.machine import operations
from anfora.graph.machine.operations import mro_of, table_of
from anfora.graph.machine.requests import Enter
from anfora.graph.polyfill import polyfills

__all__ = [
    "answers_itself", "asks_a_class", "behind", "called_to_set", "check_of", "entered", "method_of", "setter_of",
    "truth_of",
]  # fmt: skip


def asks_a_class(operation: Any) -> bool:
    """Whether it asks a class about something: `isinstance` and `issubclass`."""
    fact = fact_of(operation)
    return fact is not None and fact.asking is not None and fact.asking.kind == "class"


def behind(kind: type, above: type, name: str) -> Any:
    """What the classes behind another one, in the order of a class, have under a name: where `super()` looks."""
    classes = iter(mro_of(kind))
    any(base is above for base in classes)
    return next((table_of(base)[name] for base in classes if name in table_of(base)), None)


def entered(recorder: Any, operation: Any, args: tuple) -> Enter | None:
    """The call that an operation on objects of the program is; None if it is none, or not one that can be seen into."""
    if operation is operator.getitem and is_a(args[0], type):
        return _of_class(recorder, *args)
    fact = fact_of(operation)
    asking = None if fact is None else fact.asking
    if asking is None or asking.kind == "class" or not any(_has_methods(recorder, value) for value in args[:2]):
        return None
    if asking.kind == "truth":
        return truth_of(recorder, args[0], "value")
    if asking.kind in ("operator", "comparison"):
        enter = _binary if asking.kind == "operator" else _comparison
        return enter(recorder, operation, asking, *args) if len(args) == 2 else None
    if asking.kind in _MEMBERSHIP:
        method = method_of(recorder, args[1], asking.names[0])
        return None if method is None else Enter(_MEMBERSHIP[asking.kind], (method, args[1], args[0]))
    if asking.check is not None and len(args) != 1:
        return None
    method = method_of(recorder, args[0], asking.names[0])
    if method is None:
        return None
    if asking.check is not None:
        return Enter(polyfills.checked, (asking.check, method, args[0]))
    return Enter(polyfills.next_, args) if operation is next and len(args) == 2 else Enter(method, args)


def _has_methods(recorder: Any, value: Any) -> bool:
    """Whether special methods of the program may be called on a value. A class of tensors may get some later."""
    return recorder.has_methods(value) if is_a(value, Tensor) else known.has_methods(value)


#: What is made of the answer of `__contains__`.
_MEMBERSHIP = {"member": polyfills.contains, "no member": polyfills.contains_not}


def _of_class(recorder: Any, kind: type, item: Any) -> Enter | None:
    """What `kind[item]` is: a method of the class of the class, or a class method of the class."""
    method = method_of(recorder, kind, "__getitem__")
    if method is not None or type(kind) is not type:
        return None if method is None else Enter(method, (kind, item))
    found = class_attribute(kind, "__class_getitem__")
    function = found.__func__ if is_a(found, classmethod) else None
    if not is_a(function, types.FunctionType) or not recorder.enters(function):
        return None
    asked = recorder.derive(class_attribute, recorder.origin("known", kind), "__class_getitem__")
    recorder.guard("is", asked, found)
    return Enter(function, (kind, item))


def truth_of(recorder: Any, value: Any, deliver: str = "truth") -> Enter | None:
    """The call that tells whether an object of the program is true."""
    method = method_of(recorder, value, "__bool__")
    if method is not None:
        return Enter(polyfills.checked, (operations.as_truth, method, value), deliver)
    if class_attribute(type(value), "__bool__") is None:
        method = method_of(recorder, value, "__len__")
        if method is not None:
            return Enter(polyfills.checked, (operations.as_filled, method, value), deliver)
    return None


def setter_of(recorder: Any, owner: Any, name: Any, value: Any) -> Enter | None:
    """The call that an assignment is: of a property, with a descriptor, or where the class sees to all its attributes."""
    kind = type(owner)
    if not known.is_object(owner) or recorder.opaque(owner):
        return None
    if not known.sets_plainly(kind):
        own = None if is_a(owner, Cell) else method_of(recorder, owner, "__setattr__")
        return None if own is None else Enter(polyfills.without_result, (own, owner, name, value))
    found = class_attribute(kind, name) if type(name) is str else None
    if type(name) is str:
        called = recorder.derive(called_to_set, recorder.origin("known", kind), name)
        recorder.guard("is", called, called_to_set(kind, name))
        recorder.guard_describing(found)
    if type(found) is property:
        setter = found.fset
        if not is_a(setter, types.FunctionType) or not recorder.enters(setter):
            return None
        recorder.guard_class(kind, name)
        return Enter(polyfills.without_result, (setter, owner, value))
    setter = method_of(recorder, found, "__set__")
    if setter is None:
        return None
    return Enter(polyfills.without_result, (setter, recorder.descriptor(kind, name), owner, value))


def called_to_set(kind: type, name: str) -> Any:
    """What is called of a class to set an attribute of its objects: its `__setattr__`, or a descriptor; None if the
    attribute is simply set."""
    if not known.sets_plainly(kind):
        return class_attribute(kind, "__setattr__")
    found = class_attribute(kind, name)
    return found if is_set_through(found) else None


def method_of(recorder: Any, value: Any, name: str) -> types.FunctionType | None:
    """The special method of an object of the program, if the machine goes into it."""
    if not _has_methods(recorder, value):
        return None
    found = class_attribute(type(value), name)
    if found is None or is_a(found, types.WrapperDescriptorType):
        recorder.guard_without(type(value), name)
    if not is_a(found, types.FunctionType) or not recorder.enters(found):
        if found is not None:  # which another may take the place of
            asked = recorder.derive(class_attribute, recorder.origin("known", type(value)), name)
            recorder.guard("is", asked, found)
        return None
    recorder.guard_class(type(value), name)
    return found


def answers_itself(kind: Any) -> bool:
    """Whether a function of the program's may say what counts as of an abstract class: Python asks it, and remembers."""
    hook = getattr(class_attribute(kind, "__subclasshook__"), "__func__", None) if is_a(kind, abc.ABCMeta) else None
    return is_a(hook, types.FunctionType) and module_of(hook).partition(".")[0] not in sys.stdlib_module_names


def check_of(recorder: Any, operation: Any, value: Any, kind: Any) -> Enter | None:
    """The call that `isinstance` or `issubclass` is, where the class of a class says so."""
    fact = fact_of(operation)
    assert fact is not None and fact.asking is not None
    (name,) = fact.asking.names
    found = class_attribute(type(kind), name)
    if not is_a(found, types.FunctionType):
        return None
    if answers_itself(kind):
        return None
    if not recorder.enters(found):  # that of abstract classes, which others may be registered with, or of protocols
        is_outside = operation is isinstance and recorder.is_outside(value)
        asked = value if operation is issubclass else _kind(value)
        base = recorder.origins[id(value)][1] if is_outside else recorder.origin("known", asked)
        question, subject = (isinstance, value) if is_outside else (issubclass, asked)
        recorder.guard("is", recorder.derive(question, base, kind), question(subject, kind))
        return None
    if operation is isinstance and type(value) is kind:  # Python does not ask
        return None
    recorder.guard_class(type(kind), name)
    return Enter(polyfills.contains, (found, kind, value))


def _binary(recorder: Any, operation: Any, asking: Asking, left: Any, right: Any) -> Enter | None:
    names, reflected, symbol = asking.names, asking.reflected, asking.symbol
    methods = [(_operand(recorder, left, name), left, right) for name in names]
    kind, other_kind = _kind(left), _kind(right)
    if kind is not other_kind:
        other = _operand(recorder, right, reflected)
        overrides = other is not class_attribute(kind, reflected)
        comes_first = issubclass(other_kind, kind) and overrides
        methods.insert(len(names) - comes_first, (other, right, left))  # that of an operator in place comes before it
    if any(method is NotImplemented for method, *_ in methods):
        return None
    tried = tuple(each for each in methods if each[0] is not None)
    return Enter(polyfills.first_answer, (tried, operations.no_operator, symbol, left, right)) if tried else None


def _comparison(recorder: Any, operation: Any, asking: Asking, left: Any, right: Any) -> Enter | None:
    (name,), reflected, symbol = asking.names, asking.reflected, asking.symbol
    kind, other_kind = _kind(left), _kind(right)
    inverse = operation is operator.ne and _is_default(kind, "__ne__")
    if inverse:  # the opposite of ==, where that answers
        if not _is_default(other_kind, "__ne__"):
            return None
        name = reflected = "__eq__"
    tried = []
    for own, other, method in ((left, right, name), (right, left, reflected)):
        held = None if _kind(own) in SIMPLE else _operand(recorder, own, method)
        if held is NotImplemented:
            return None
        if held is not None:
            tried.append((held, own, other))
    if not tried and operation not in (operator.eq, operator.ne):
        return None
    if len(tried) == 2 and kind is not other_kind and issubclass(other_kind, kind):
        tried.reverse()
    if inverse:
        return Enter(polyfills.first_answer_not, (tuple(tried), left, right))
    if operation in (operator.eq, operator.ne):
        same = operator.is_ if operation is operator.eq else operator.is_not
        return Enter(polyfills.first_answer, (tuple(tried), polyfills.same_or_not, same, left, right))
    return Enter(polyfills.first_answer, (tuple(tried), operations.no_comparison, symbol, left, right))


def _kind(value: Any) -> type:
    return type(value_of_number(value))


def _is_default(kind: type, name: str) -> bool:
    return kind in SIMPLE or class_attribute(kind, name) is object.__dict__[name]


def _operand(recorder: Any, value: Any, name: str) -> Any:
    """The method of an operand that is tried, which Python may have to do itself; None if it has none, or one that answers
    to no object of the program; and NotImplemented for sequences, of which Python asks the other operand first, and for
    what has to be asked for the method, a property say."""
    method = method_of(recorder, value, name)
    if method is not None:
        return method
    kind = _kind(value)
    if kind in SIMPLE and kind not in (str, bytes):
        return None
    found = class_attribute(kind, name)
    if found is None:  # or there is a None in its place, which Python calls
        return NotImplemented if any(name in table_of(base) for base in mro_of(kind)) else None
    if found is object.__dict__.get(name):
        return None
    is_method = is_a(found, _METHODS) and (known.is_object(value) or is_a(value, Tensor))
    return found if is_method else NotImplemented


_METHODS = (types.FunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)
