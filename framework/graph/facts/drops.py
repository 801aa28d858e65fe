"""What a write lets go of, and whether anybody may notice that.

    box["item"] = None            the object that stood there may be dropped: its `__del__`, the callback of a weak
    print(count)                  reference to it, the `finally` of a generator run in that very moment

Where a write drops nothing but numbers, texts, tensors without weak references, and lists, tuples and dicts of a few of
them, nothing can tell when it is done.
"""

from __future__ import annotations

import gc
import inspect
import types
import weakref
from collections.abc import Iterable
from typing import Any

from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.graph.facts import containers
from anfora.graph.facts.classes import class_attribute
from anfora.graph.facts.kinds import is_a, module_of
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.table import fact_of
from anfora.graph.machine import operations

__all__ = ["drops_plainly", "dropped", "is_finished", "is_noticed", "place_of"]


def place_of(operation: Any, args: tuple) -> tuple | None:
    """The place that a write puts something else into, in what it writes to: a word for its kind, and which it is; None for
    a write that drops nothing."""
    if operation is containers.update:
        return ("all",) if args[1] is not None else ("items", *args[2])
    fact = fact_of(operation)
    kind = None if fact is None else fact.puts
    if kind is None or kind in ("all", "variable"):
        return None if kind is None else (kind,)
    if kind == "item" and type(args[1]) is slice:
        return "slice", args[1].start, args[1].stop, args[1].step
    return kind, args[1]


def dropped(owner: Any, kind: str, *place: Any) -> Iterable[Any]:
    """What stands at a place now."""
    if kind == "attribute":
        table = operations.dict_of(owner)
        if table is not None and place[0] in table:
            return (table[place[0]],)
        descriptor = class_attribute(type(owner), place[0])
        if type(descriptor) is types.MemberDescriptorType and hasattr(owner, place[0]):
            return (descriptor.__get__(owner),)
        return ()
    if kind == "variable":
        return (owner.cell_contents,) if operations.is_filled(owner) else ()
    if kind == "all":
        return owner.values() if type(owner) is dict else owner
    if kind == "slice":
        return owner[slice(*place)]
    if type(owner) is dict:
        return [owner[key] for key in place if key in owner]
    return [owner[index] for index in place if type(index) is int and -len(owner) <= index < len(owner)]


def drops_plainly(owner: Any, *place: Any) -> bool:
    """Whether nobody notices when what stands at a place is dropped."""
    return all(map(_is_unnoticed, dropped(owner, *place)))


def _is_unnoticed(value: Any, depth: int = 0) -> bool:
    kind = type(value)
    if kind in SIMPLE:
        return True
    if kind in _TENSORS:
        held = [x for x in value.__dict__.values() if type(x) not in _HELD]
        return not weakref.getweakrefcount(value) and all(type(x) is tuple and _is_unnoticed(x, _DEEPEST) for x in held)
    if kind is list or kind is tuple or kind is dict:
        items = value.values() if kind is dict else value
        is_small = len(value) <= _MOST and depth <= _DEEPEST
        return is_small and all(_is_unnoticed(item, depth + 1) for item in (*items, *(value if kind is dict else ())))
    return False


def is_noticed(value: Any) -> bool:
    """Whether something is done, or seen, when an object is dropped, be what it holds what it may."""
    return type(class_attribute(type(value), "__del__")) is types.FunctionType or weakref.getweakrefcount(value) > 0


def is_finished(value: Any) -> bool:
    """Whether something is done, or seen, when an object is dropped with what it holds."""
    seen, pending = {id(value)}, [value]
    while pending and len(seen) < _MOST_REACHED:
        held = pending.pop()
        kind = type(held)
        if kind in SIMPLE or is_a(held, _LASTING) or module_of(kind).startswith("anfora."):
            continue  # this library refers weakly to its own
        if kind is types.GeneratorType and inspect.getgeneratorstate(held) == inspect.GEN_SUSPENDED:
            return True
        if is_noticed(held):
            return True
        more = [each for each in gc.get_referents(held) if id(each) not in seen]
        seen.update(map(id, more))
        pending += more
    return False


_TENSORS = (Tensor, Parameter)
_HELD = SIMPLE | {Tensor, Parameter}
_LASTING = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType)
_MOST_REACHED = 200  #: objects that are looked at for what one holds
_MOST, _DEEPEST = 8, 2  #: items of a container, and containers in containers, that are looked at
