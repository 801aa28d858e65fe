"""Other values in the places of numbers that vary: the walk through what the program has made, which puts them there."""

from __future__ import annotations

import collections
import functools
import gc
import operator
import types
from collections.abc import Callable, Collection, Mapping
from typing import Any

from anfora.core.dtype import DType
from anfora.core.op import Op
from anfora.core.tensor import Tensor
from anfora.eager.transform import Differentiation, Linearized
from anfora.graph.facts import known
from anfora.graph.facts.classes import slots_of
from anfora.graph.facts.collected import KINDS
from anfora.graph.facts.kinds import is_a, module_of, reduced
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.looking import GOING_OVER, is_iterator
from anfora.graph.facts.origins import Number
from anfora.graph.lower.ranges import Counter, iterator_of
from anfora.graph.machine import operations
from anfora.graph.machine.frames import Frame
from anfora.graph.machine.generators import Generator, bound, is_left
from anfora.graph.machine.walks import Walk
from anfora.graph.source.quiet import quietly

__all__ = ["Exchange", "Unwrapping"]

_NONE_MOVED: Mapping[int, tuple[Any, Any]] = types.MappingProxyType({})


class Unwrapping:
    """Puts other values in the places of numbers that vary: within objects, in place; tuples are made anew.

    Args:
        is_foreign: whether an object holds none, since the program has not made it.
        plain: what stands in the place of a number.
        done: by identity, values and what stands in their places.
        moved: the same of tuples and methods of which that is known, and which are gone through all the same.
        is_leaving: the values leave the machine for good: in the places of its iterators stand Python's.
    """

    def __init__(
        self,
        is_foreign: Callable[[Any], bool],
        plain: Callable[[Number], Any],
        done: dict[int, tuple[Any, Any]] | None = None,
        is_leaving: bool = False,
        moved: Mapping[int, tuple[Any, Any]] = _NONE_MOVED,
    ) -> None:
        self._is_foreign, self._plain, self._is_leaving = is_foreign, plain, is_leaving
        self._done: dict[int, tuple[Any, Any]] = done or {}
        self._moved = moved
        #: By identity, the iterators that are gone through, and whether they have been met in there.
        self._open: dict[int, bool] = {}
        self._pending: list[Any] = []  #: objects that are to be gone through: they may be nested to any depth
        self.changed: dict[int, Any] = {}  #: the objects that may hold numbers, by identity
        #: What was put into them in the places of other things: how, where, what stood there, and what stands there.
        self._exchanged: list[tuple[Callable, Any, Any, Any, Any]] = []
        self.is_plain = True  #: whether all that was in lists, dicts and attributes

    def __call__(self, value: Any) -> Any:
        result = self._value(value)
        self._go_through()
        return result

    def _go_through(self) -> None:
        while self._pending:
            held = self._pending.pop()
            self._fill(held, type(held))

    def of(self, value: Any) -> Any:
        """What stands in the place of a value, if that is known."""
        return self._done.get(id(value), (value, value))[1]

    def replaced(self, owner: Any = None, place: Any = None) -> tuple:
        """What stood where something else stands now: in all objects, or at one place."""
        return tuple(
            [old for _, held, at, old, _ in self._exchanged if owner is None or (held is owner and at == place)]
        )

    def undo(self) -> None:
        for put, owner, place, old, _ in reversed(self._exchanged):
            put(owner, place, old)

    def redo(self) -> None:
        for put, owner, place, _, new in self._exchanged:
            put(owner, place, new)

    def _exchange(self, put: Callable, owner: Any, place: Any, old: Any) -> None:
        new = self._value(old)
        if new is not old:
            put(owner, place, new)
            self._exchanged.append((put, owner, place, old, new))
            self.is_plain = self.is_plain and put is operator.setitem

    def moved(self) -> dict[int, tuple[Any, Any]]:
        """What stands in the places of tuples, methods and iterators, and these, by identity."""
        return {
            key: pair for key, pair in self._done.items() if pair[0] is not pair[1] and type(pair[0]) is not Counter
        }

    def exchanged(self) -> dict[int, tuple[Any, Any]]:
        """What has moved, if some of it stands in objects now."""
        found = self.moved()
        return found if any(id(old) in found for *_, old, _ in self._exchanged) else {}

    def _value(self, value: Any) -> Any:
        kind = type(value)
        if kind is Number:
            return self._plain(value)
        if kind in SIMPLE or is_a(value, (Tensor, type, types.ModuleType, Op, DType, Linearized)):
            return value
        done = self._done.get(id(value))
        if done is not None:
            if id(value) in self._open:
                self._open[id(value)] = True
            return done[1]
        if (self._is_foreign(value) and not known.is_bound(value)) or known.is_chain(value):
            return value
        self._done[id(value)] = value, value
        result: Any
        if kind is Counter:
            result = self._counter(value)
        elif is_a(value, tuple):
            result = self._tuple(value)
        elif kind is frozenset:
            result = self._frozen(value)
        elif kind is slice:
            parts = value.start, value.stop, value.step
            found = self._tuple(parts)
            result = value if found is parts else slice(*found)
        elif kind is types.MethodType or known.is_bound(value):
            owner = self._value(value.__self__)
            result = value if owner is value.__self__ else _bound(value, owner)
        elif kind in GOING_OVER:
            result = self._iterator(value)
        elif self._is_leaving and is_left(value):
            self.changed[id(value)] = value
            result = self._left(value)
        else:
            self.changed[id(value)] = result = value
            self._pending.append(value)
        if result is not value:
            result = self._moved.get(id(value), (value, result))[1]
        self._done[id(value)] = value, result
        return result

    def _counter(self, value: Counter) -> Any:
        return iterator_of(value)

    def _tuple(self, value: tuple) -> tuple:
        items = [self._value(item) for item in tuple.__iter__(value)]  # its class may have another one
        if all(map(operator.is_, items, tuple.__iter__(value))):
            return value
        return tuple(items) if type(value) is tuple else tuple.__new__(type(value), items)

    def _keys(self, keys: Collection[Any]) -> list[Any] | None:
        """What stands in the places of keys; None where all stay. There are no numbers among them, but iterators."""
        if not self._is_leaving:
            return None
        found = [self._value(key) for key in keys]
        return None if all(map(operator.is_, found, keys)) else found

    def _frozen(self, value: frozenset) -> frozenset:
        found = self._keys(value)
        return value if found is None else frozenset(found)

    def _iterator(self, value: Any) -> Any:
        try:
            function, *parts = reduced(value)
        except TypeError:  # it does not tell what it holds
            return value
        self._open[id(value)] = False
        args, *state = [self._value(part) for part in parts]
        is_held = self._open.pop(id(value))
        if all(map(operator.is_, (args, *state), parts)):
            return value
        made = function(*args)
        if state:
            quietly(made.__setstate__, state[0])
        if is_held:
            self._put_in_place(value, made, (args, state))
        return made

    def _left(self, value: Generator | Walk) -> Any:
        """Python's iterator in the place of one of the machine's."""
        others, self._pending = self._pending, [value]  # they are to find what stands in its place
        self._open[id(value)] = False
        self._go_through()
        is_held = self._open.pop(id(value))
        self._pending = others
        held = (value.frame, value.call) if type(value) is Generator else value.base
        made = value.python(for_good=True)
        if is_held:
            self._put_in_place(value, made, held)
        return made

    def _put_in_place(self, value: Any, made: Any, held: Any) -> None:
        """In what an iterator holds, which holds it in turn, let what is made for it stand in its place."""
        if made is not value:
            exchange = Exchange(self._is_foreign, {id(value): (value, made)})
            exchange(held)
            self._done.update(exchange.moved())

    def _keywords(self, table: dict[str, Any] | None) -> None:
        """Go through what a call takes by name where it is given nothing else: nobody is asked for it then."""
        for name, value in (table or {}).items():
            self._exchange(_set_keyword, table, name, value)

    def _fill(self, value: Any, kind: type) -> None:
        """Go through what an object holds."""
        fill = _FILLS.get(kind)
        if fill is not None:
            fill(self, value)
        elif is_a(value, Differentiation):  # behind the rest of it there is the tape
            for name in value.__dict__.keys() & {"args", "kwargs"}:
                value.__dict__[name] = self._value(value.__dict__[name])
        elif kind in known.VIEWS:
            self._value(known.viewed(value))
        elif kind in KINDS:  # numbers do not get into them, but for objects that hold some
            for place, item in [*(enumerate(value) if kind is collections.deque else value.items())]:
                self._exchange(operator.setitem, value, place, item)
            self._value(getattr(value, "default_factory", None))
        else:
            self._fill_object(value, kind)

    def _fill_list(self, value: list) -> None:
        for i, item in enumerate(value):
            self._exchange(operator.setitem, value, i, item)

    def _fill_dict(self, value: dict) -> None:
        for key, item in value.items():
            self._exchange(operator.setitem, value, key, item)  # the keys stay, so it may be walked over meanwhile
        keys = self._keys(value.keys())
        if keys is not None:
            items = [*value.values()]
            value.clear()
            value.update(zip(keys, items))

    def _fill_set(self, value: set) -> None:
        keys = self._keys(value)
        if keys is not None:
            value.clear()
            value.update(keys)

    def _fill_cell(self, value: types.CellType) -> None:
        try:
            held = value.cell_contents
        except ValueError:
            return  # it is empty
        self._exchange(setattr, value, "cell_contents", held)

    def _fill_function(self, value: types.FunctionType) -> None:
        for cell in value.__closure__ or ():
            self._value(cell)
        if value.__defaults__:
            self._exchange(setattr, value, "__defaults__", value.__defaults__)
        self._keywords(value.__kwdefaults__)
        for table in (value.__kwdefaults__, value.__annotations__, value.__dict__):
            self._value(table)

    def _fill_frame(self, value: Frame) -> None:
        self._value(value.function)
        self._value(value.locals)
        self._value(value.cells)
        value.stack[:] = [self._value(item) for item in value.stack]
        value.caught[:] = [self._value(item) for item in value.caught]
        value.target, value.cell_call = self._value(value.target), self._value(value.cell_call)

    def _fill_generator(self, value: Generator) -> None:
        self._value(value.frame)
        value.call = self._value(value.call)

    def _fill_partial(self, value: functools.partial) -> None:
        self._keywords(value.keywords)
        self._exchange(_set_parts, value, None, (value.func, value.args, value.keywords))

    def _fill_walk(self, value: Walk) -> None:
        self._value(value.base)

    def _fill_object(self, value: Any, kind: type) -> None:
        if is_iterator(value) and module_of(kind) in ("builtins", "itertools") and kind is not types.GeneratorType:
            for held in gc.get_referents(value):  # of what tells nothing, lists and dicts are gone through all the same
                self._value(held)
            return
        if is_a(value, BaseException):
            self._exchange(setattr, value, "args", value.args)
        if kind.__dictoffset__:
            self._value(operations.dict_of(value))
        for place in slots_of(kind):
            if operations.is_set(place, value):
                self._exchange(_set_slot, value, place, place.__get__(value))


#: By the class of what holds something, how one goes through that.
_FILLS: dict[type, Callable[[Unwrapping, Any], None]] = {
    list: Unwrapping._fill_list,
    dict: Unwrapping._fill_dict,
    set: Unwrapping._fill_set,
    types.CellType: Unwrapping._fill_cell,
    types.FunctionType: Unwrapping._fill_function,
    Frame: Unwrapping._fill_frame,
    Generator: Unwrapping._fill_generator,
    functools.partial: Unwrapping._fill_partial,
    Walk: Unwrapping._fill_walk,
}


class Exchange(Unwrapping):
    """Puts what has moved in the places of what it was; numbers that vary stay.

    Args:
        moved: by identity, what has moved and what stands for it now.
    """

    def __init__(self, is_foreign: Callable[[Any], bool], moved: Mapping[int, tuple[Any, Any]]) -> None:
        super().__init__(is_foreign, lambda number: number, dict(moved))

    def _counter(self, value: Counter) -> Counter:
        return value


def _set_keyword(table: dict[str, Any], name: str, value: Any) -> None:
    table[name] = value


def _set_slot(value: Any, place: types.MemberDescriptorType, held: Any) -> None:
    place.__set__(value, held)


def _set_parts(function: functools.partial, _: None, parts: tuple) -> None:
    function.__setstate__((*parts, operations.attributes_of_partial(function)))  # type: ignore[attr-defined]


def _bound(method: Any, owner: Any) -> Any:
    """The same method of another object."""
    if type(method) is types.MethodType:
        return bound(method.__func__, owner)
    made_by = known.descriptor_of(method)
    return getattr(owner, method.__name__) if made_by is None else known.bound_to(owner, made_by)
