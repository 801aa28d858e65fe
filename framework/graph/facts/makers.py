"""What a call of a class of the program comes to.

Python's `type.__call__` calls `__new__`, and `__init__` on what that gives. Both may be set, replaced and taken away at any
time, so a recording that has made an object asks again in later calls for the answer that `maker` gave.
"""

from __future__ import annotations

import dataclasses
import types
from typing import Any

from anfora.core.tensor import Tensor
from anfora.graph.facts.classes import class_attribute, of_version
from anfora.graph.facts.kinds import is_a
from anfora.graph.machine.operations import mro_of, table_of

__all__ = ["BARE", "RECORD", "ROW", "defaults_of", "is_generated", "maker", "takes_numbers"]

BARE = "bare"  #: the object is all there is
RECORD = "record"  #: what `dataclasses` has written stores the arguments as they are
ROW = "row"  #: what `namedtuple` has written does


@of_version
def maker(kind: type) -> Any:
    """What makes an object of a class: BARE, RECORD, the function that is its `__init__`, or None: more than that.

    Args:
        kind: whose own class is `type`, or that of abstract classes.
    """
    new, init = _found(kind, "__new__"), _found(kind, "__init__")
    if issubclass(kind, tuple) and is_a(new, types.FunctionType) and init is object.__dict__["__init__"]:
        return ROW if str(new.__globals__.get("__name__")).startswith("namedtuple_") else None
    # Before `Tensor.__init__` has made it one, it is no tensor.
    if new is not object.__dict__["__new__"] or issubclass(kind, Tensor):
        return None
    if init is object.__dict__["__init__"]:
        return BARE
    if not is_a(init, types.FunctionType):
        return None
    return RECORD if _only_stores(kind, init) else init


def defaults_of(kind: type) -> types.FunctionType | None:
    """The function of which a call of a record or a row takes what it is not given."""
    found = _found(kind, "__new__" if issubclass(kind, tuple) else "__init__")
    return found if is_a(found, types.FunctionType) else None


def takes_numbers(kind: type) -> bool:
    """Whether an object of a class is made of numbers without a look at them, and holds them in its dict or as a tuple."""
    way = maker(kind) if type(kind) is type else None
    if way is ROW:
        return str(_found(kind, "__new__").__globals__["__name__"]) == f"namedtuple_{kind.__name__}"
    is_set = kind.__setattr__ is object.__setattr__
    return way is RECORD and is_set and not any(table_of(base).get("__slots__") for base in mro_of(kind))


def _found(kind: type, name: str) -> Any:
    """What a class has under a name, as it stands there; None if it has nothing."""
    found = class_attribute(kind, name)
    return found.__func__ if is_a(found, staticmethod) else found


def _only_stores(kind: type, init: types.FunctionType) -> bool:
    """Whether what makes an object of a record stores the arguments, which runs nothing of the program."""
    if not is_generated(kind, "__init__", init):
        return False
    fields = _fields_of(kind)
    if any(field.default_factory not in _FACTORIES for field in fields):
        return False
    if not (kind.__setattr__ is object.__setattr__ or vars(kind)["__dataclass_params__"].frozen):
        return False
    kinds = [type(_found(kind, field.name)) for field in fields]
    return all(each is types.MemberDescriptorType or not hasattr(each, "__set__") for each in kinds)


def is_generated(kind: type, name: str, function: types.FunctionType) -> bool:
    """Whether a method of a class is what `dataclasses` would generate for it: it is told by its code."""
    parameters = kind.__dict__.get("__dataclass_params__")
    if parameters is None or kind.__dict__.get(name) is not function or function.__code__.co_filename != "<string>":
        return False
    options = {option: getattr(parameters, option) for option in ("eq", "order", "frozen")}
    shown = [(field.name, object, _like(field)) for field in _fields_of(kind)]
    reference = getattr(dataclasses.make_dataclass("Reference", shown, **options), name, None)
    code = getattr(reference, "__code__", None)
    return code is not None and all(getattr(code, part) == getattr(function.__code__, part) for part in _PARTS)


def _fields_of(record: Any) -> tuple[dataclasses.Field, ...]:
    return dataclasses.fields(record)


def _like(field: dataclasses.Field) -> Any:
    """A field of which the same is generated."""
    parts: dict[str, Any] = {"init": field.init, "compare": field.compare, "kw_only": field.kw_only}
    if field.default_factory is not dataclasses.MISSING:
        parts["default_factory"] = list
    elif field.default is not dataclasses.MISSING:
        parts["default"] = None
    return dataclasses.field(**parts)


_FACTORIES = (dataclasses.MISSING, list, dict, set)
_PARTS = (
    "co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_flags", "co_argcount", "co_kwonlyargcount",
)  # fmt: skip
