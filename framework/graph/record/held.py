"""Numbers that vary, inside of what the program makes: lists, dicts, objects, variables of inner functions.

    rates = [rate, rate * 0.5]              the list holds the `Number`s themselves,
    loss = lambda v: (v * rate).sum()       and so does the variable of the closure

Only the machine, which knows what a `Number` is, may come across one. There is one door between it and native code,
`Machine.natively`, and the recorder stands at it (`Held.handed`): what a function of Python's gets holds none, unless it
is one that moves values and never looks at them (`looked_at`), as `append` does. Everything else is looked at, so the
program depends on the numbers: they are known from then on. What leaves the machine altogether (arguments of the
interpreter's, results, what is written outside, the program itself when recording ends) holds their values.

    history.append({"loss": loss.item()})   the dict is the outside's as well: see `shown_outside`
"""

from __future__ import annotations

import abc
import collections
import functools
import gc
import operator
import types
from collections.abc import Callable, Collection, Mapping
from typing import Any

from anfora import api, batching
from anfora.api import GradientFunction
from anfora.core.dtype import DType
from anfora.core.op import Op
from anfora.core.tensor import Tensor
from anfora.core.tree import has_tensors
from anfora.eager import transform
from anfora.eager.transform import Differentiation, Linearized
from anfora.graph.facts import known
from anfora.graph.facts.classes import defines, slots_of
from anfora.graph.facts.collected import KINDS
from anfora.graph.facts.kinds import is_a, module_of, reduced
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.looking import GOING_OVER, is_iterator
from anfora.graph.facts.makers import takes_numbers
from anfora.graph.facts.origins import Number, value_of_number
from anfora.graph.facts.table import (
    DRAINED,
    IDENTITY,
    KEPT,
    KEYS,
    LENGTH,
    LOOKS,
    MAPPING,
    NEW,
    PLAIN,
    WALKED,
    are_classes,
    fact_of,
    name_as_method,
    resolved,
)
from anfora.graph.lower.ranges import Counter, iterator_of
from anfora.graph.machine import operations
from anfora.graph.machine.frames import Frame
from anfora.graph.machine.generators import Generator, is_left
from anfora.graph.machine.walks import Walk
from anfora.graph.polyfill.gradients import ARRANGING, laid_out
from anfora.graph.record.notebook import Notebook
from anfora.graph.source.quiet import quietly

__all__ = ["Held", "Unwrapping", "looked_at", "stored_from"]


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
        else:
            self.changed[id(value)] = result = value
            self._pending.append(value)
            if self._is_leaving and is_left(value):
                others, self._pending = self._pending[:-1], [value]  # they are to find what stands in its place
                self._go_through()
                self._pending = others
                result = value.python(for_good=True)
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
        args, *state = [self._value(part) for part in parts]
        if all(map(operator.is_, (args, *state), parts)):
            return value
        made = function(*args)
        if state:
            quietly(made.__setstate__, state[0])
        return made

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


class _Exchange(Unwrapping):
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
        return types.MethodType(method.__func__, owner)
    made_by = known.descriptor_of(method)
    return getattr(owner, method.__name__) if made_by is None else known.bound_to(owner, made_by)


class WithNumbers:
    """A block in which objects that the outside sees hold the program's own numbers, as `Held.with_numbers` gives it."""

    def __init__(self, lent: list[Unwrapping]) -> None:
        self.lent = lent

    def __enter__(self) -> None:
        for each in self.lent:
            each.undo()

    def __exit__(self, *_: object) -> None:
        for each in self.lent:
            each.redo()


class Held(Notebook):
    """Sees to it that native code gets no numbers that vary."""

    def held(self, values: Any) -> Any:
        self.holds = self.holds or any(type(value) is Number for value in values)
        return values

    def variables(self, frame: Frame) -> dict[str, Any]:
        found = super().variables(frame)
        if any(type(value) is Number for value in found.values()):
            return {name: value_of_number(value) for name, value in found.items()}
        return found

    def plain(self, values: tuple) -> tuple:
        return self.known(values, True)

    def known(self, value: Any, is_kept: bool = False) -> Any:
        """A value, with what numbers there are in it known from now on.

        Args:
            is_kept: what is given stands in an object of the program's, so it is what the program has.
        """
        if type(value) in SIMPLE or is_a(value, Tensor):
            return value
        found = Unwrapping(self.is_foreign, self.force, moved=self.moved)
        result = found(value)
        moved = found.moved() if is_kept else found.exchanged()
        self.settled.update(moved)
        self.moved.update(moved)
        self._go_on_with(found.moved())
        return result

    def _go_on_with(self, moved: Mapping[int, tuple[Any, Any]]) -> None:
        """Of what has moved, iterators are where they are: if the program had another one than who has been given it, the
        one would not know what the other has taken."""
        iterators = {key: pair for key, pair in moved.items() if type(pair[0]) in GOING_OVER}
        if iterators:
            self.moved.update(iterators)
            self._exchange(iterators)

    def _exchange(self, moved: Mapping[int, tuple[Any, Any]]) -> Unwrapping:
        """Let the program have what stands in the places of what has moved."""
        exchange = _Exchange(self.is_foreign, moved)
        for each in self.machine.chain() if self.machine is not None else ():
            for frame in each.frames:
                exchange(frame)
            exchange(each.saved)
        return exchange

    def released(self, value: Any, is_leaving: bool = False) -> Any:
        """A value for the world outside: in the places of numbers stand their values, on which nothing depends.

        Args:
            is_leaving: see Unwrapping.
        """
        return self._unwrapping(is_leaving)(value)

    def taken_apart(self, operation: Any, args: tuple) -> tuple:
        """The arguments of something that takes all items of tuples, lists and dicts at once. Where these are from outside,
        and numbers that vary are in them, it gets such as the program has made: what comes out of it still varies."""
        fact = None if self.given is not None else fact_of(operation)
        if fact is None or fact.owner is not None or not fact.is_of_values:
            return args
        count, sums = len(args), known.is_among(operation, operations.OF_ITEMS)
        taken = [(fact.use(place, count), value) for place, value in enumerate(args)]
        if not any(use & (WALKED | DRAINED) and (sums or not use & LOOKS & ~KEYS) for use, _ in taken):
            return args
        return tuple([self._copied(value) if _is_taken(use, value) else value for use, value in taken])

    def _copied(self, value: Any) -> Any:
        found = self.origins.get(id(value))
        if found is None or id(value) in self.looked:
            return value
        if type(value) is dict and any(type(key) is not str for key in value):
            # Other keys are equal to such of other types, and to copy objects as keys may call their methods.
            return value
        origin = found[1]
        items = dict(value) if type(value) is dict else dict(enumerate(value))
        origins = {key: self.origin("item", key, origin) for key in items}
        # A list of which all is known is known after a change too; so it stays, unless there are floats in it.
        ints_vary = type(value) is not list
        varies = [
            type(x) is float or (ints_vary and type(x) is int and self.keeper.varies(origins[key]))
            for key, x in items.items()
        ]
        if not any(varies):
            return value
        self.guard(*(("keys", origin, tuple(value)) if type(value) is dict else ("length", origin, len(value))))
        self.holds = True
        for key, item in items.items():
            items[key] = self.register(item, origins[key])
        return items if type(value) is dict else _walked_as(value)(items.values())

    # -- where the outside sees it ------------------------------------------------------------------------------------

    def shown_outside(self, value: Any) -> Any:
        """Something that the program puts where the outside sees it: that holds values. The objects are the program's as
        well, so the numbers that they held are noted, for the end of the piece, and for who looks into them. Those in
        variables of functions, which the machine reads by itself, are known from now on."""
        found = self._unwrapping()
        result = found(value)
        self.shown.update(found.changed)
        if not found.is_plain:
            found.undo()
            self.known(value)
            return self.shown_as_values(value)
        if found.replaced():
            self.lent.append(found)
        self.moved.update(found.moved())
        return result

    def _unwrapping(self, is_leaving: bool = False) -> Unwrapping:
        return Unwrapping(self.is_foreign, value_of_number, is_leaving=is_leaving, moved=self.moved)

    def shown_as_values(self, value: Any, is_leaving: bool = False) -> Any:
        """What the outside gets for good: objects hold values from now on, and what is made of its parts, numbers that vary
        among them, is another one there. That becomes the program's at the end of the piece, see `settle_moved`.

        Args:
            is_leaving: see Unwrapping.
        """
        found = self._unwrapping(is_leaving)
        result = found(value)
        self.moved.update(found.moved())
        return result

    def settle_moved(self, *lists: list[Any]) -> None:
        """The piece has been written down. The tuples, methods and iterators that have been put outside with values in the
        places of numbers are, from now on, those that the program has.

        Args:
            lists: of values that are handed on.
        """
        if not self.moved:
            return
        exchange = self._exchange(self.moved)
        self.moved, self.settled = {}, {}
        for values in lists:
            values[:] = [exchange.of(value) for value in values]

    def with_numbers(self) -> WithNumbers:
        """For a block that writes down what is alive, all objects hold the numbers that the program has put into them."""
        return WithNumbers(list(self.lent))  # the piece may end in there

    def know_item(self, owner: list | dict, place: Any) -> None:
        """What the program has put into a list or dict is read: if it is a number, and shown outside, it is known from now
        on."""
        for lent in self.lent:
            self.known(lent.replaced(owner, place))

    def _know_what_is_lent(self, operation: Any, args: tuple, names: dict) -> None:
        """Something looks into what the outside sees as well: the numbers that it finds are known from now on."""
        owner, first, name = _method(operation, args)
        if name == "__getitem__" and type(owner) in (list, dict) and type(args[first]) in SIMPLE:
            key = args[first]
            self.know_item(owner, key + len(owner) if type(owner) is list and type(key) is int and key < 0 else key)
            return
        reached = Unwrapping(self.is_foreign, lambda number: number)
        reached((operation, _read_by(operation, args), names))
        for lent in list(self.lent):
            if not reached.changed.keys().isdisjoint(lent.changed):
                self.lent.remove(lent)
                self.known(lent.replaced())

    def is_foreign(self, value: Any) -> bool:
        """Whether no number of the program's can be in an object."""
        return self.is_outside(value) or self.is_fixed(value)

    def handed(self, operation: Callable, args: tuple, names: dict) -> tuple[Callable, tuple, dict]:
        """The door to native code: a call as that sees it."""
        if self.moved and known.is_among(operation, _OF_IDENTITY):
            args = tuple([self.moved.get(id(value), (value, value))[1] for value in args])
        if self.lent:
            self._know_what_is_lent(operation, args, names)
        is_direct = Number in map(type, args) or Number in map(type, names.values())
        if self.shown and known.writes(operation):
            owner = _method(operation, args)[0]
            if id(args[0] if owner is None and args else owner) in self.shown:
                self.known((args, names))
                found = self._unwrapping()
                args = tuple(map(found, args))
                names = {name: found(value) for name, value in names.items()}
                self.shown.update(found.changed)
                self.moved.update(found.moved())
                self.settled.update(found.moved())
                return operation, args, names
        if not (self.holds or is_direct):
            return operation, args, names
        stored = stored_from(operation, args) if is_direct else None
        self.holds = self.holds or stored is not None
        looked = looked_at(operation, args) if self.holds else ()
        is_kept = self.holds and (known.writes(operation) or _makes_an_object(operation))

        def given(place: int, value: Any) -> Any:
            if type(value) is Number:
                return value if stored is not None and place >= stored else self.force(value)
            return self.known(value, is_kept) if looked is None or place in looked else value

        behind = max(len(args), stored or 0)
        names = {name: given(behind, value) for name, value in names.items()}
        args = tuple([given(i, value) for i, value in enumerate(args)])
        return self.known(operation) if looked is None and known.is_bound(operation) else operation, args, names


def _makes_an_object(operation: Any) -> bool:
    """Whether it is a class whose objects may hold what they are made of."""
    return is_a(operation, type) and not known.is_among(operation, SIMPLE)


def _is_taken(use: int, value: Any) -> bool:
    """Whether all items of a container are taken as they are now."""
    kind = _walked_as(value)
    if use & MAPPING:
        return kind is dict
    return not use & KEYS and (kind is tuple if use & WALKED else bool(use & DRAINED) and kind in (tuple, list))


def _walked_as(value: Any) -> type:
    """The type of a container, for who only walks over it: a named tuple is a tuple."""
    kind = type(value)
    is_plain = issubclass(kind, tuple) and kind.__iter__ is tuple.__iter__ and kind.__len__ is tuple.__len__
    return tuple if is_plain else kind


def looked_at(operation: Any, args: tuple) -> tuple[int, ...] | None:
    """The positions of the arguments that a function of Python's may look into, and not at their identity or length
    alone; None if that may be all of them, those that are given by name among them."""
    if known.is_among(operation, _LOOKED_BY):
        return _LOOKED_BY[operation](operation, args)
    if operation is type and len(args) > 1:  # a class that is made
        return None
    if is_a(operation, type) and (takes_numbers(operation) or defines(operation, "_is_compiled")):
        return ()
    fact, given = resolved(operation, args)
    if fact is None or (fact.gives == NEW and not fact.moves) or fact.owner not in _HOLDING:
        return None
    if fact.asking is not None and fact.asking.kind == "class" and not are_classes(args[1:], _CLASSES):
        return None  # who is asked looks for itself
    owners = len(given) - len(args)
    if not owners and given is not args:  # a method of the second one
        return tuple([1 - i for i, (use, value) in enumerate(fact.uses(given)) if _is_looked_into(use, value)])
    looked = [i for i, (use, value) in enumerate(fact.uses(given)) if _is_looked_into(use, value)]
    return None if looked and looked[0] < owners else tuple([i - owners for i in looked])


def _looked_by_transform(operation: Any, args: tuple) -> tuple[int, ...] | None:
    return () if all(map(_is_plain_nest, args)) and not _is_by_a_number(operation, args) else None


def _looked_by_setattr(_: Any, args: tuple) -> tuple[int, ...] | None:
    if _sets_plainly(*args[:2]):
        return ()
    return (2,) if type(args[0]) is types.FunctionType else None  # what gets `__qualname__` and the like


def _is_looked_into(use: int, value: Any) -> bool:
    """Whether what is in an argument may be looked at, and not its identity or length alone; the keys of dicts and sets are
    never numbers that vary."""
    if use & LOOKS & ~KEYS:
        return True
    return bool(use & KEYS) and type(value) not in (dict, set, frozenset)


def stored_from(operation: Any, args: tuple) -> int | None:
    """From which position on a function of Python's only stores its arguments, and what is given by name; None if it does
    not."""
    if operation is setattr:
        return 2 if _sets_plainly(*args[:2]) else None
    if is_a(operation, type) and operation is not dict and operation is not functools.partial:
        return 0 if takes_numbers(operation) else None
    fact, given = resolved(operation, args)
    if fact is None or not fact.moves or fact.stores_from is None:
        return None
    return fact.stores_from - (len(given) - len(args))


def _read_by(operation: Any, args: tuple) -> tuple:
    """Those arguments of a function of Python's whose items it may read, or hand on."""
    if operation is setattr:
        return args[:-1] if _sets_plainly(*args[:2]) else args
    fact, given = resolved(operation, args)
    if fact is None or fact.gives != PLAIN or not fact.is_of_values:
        return args
    return tuple([value for use, value in fact.uses(given) if use & ~(KEPT | LENGTH | IDENTITY)])


def _method(operation: Any, args: tuple) -> tuple[Any, int, str]:
    """What a method is called on, the position of the first of its other arguments, and its name."""
    if is_a(operation, known.BOUND):
        owner = operation.__self__  # type: ignore[union-attr]
        if not is_a(owner, types.ModuleType):
            return owner, 0, operation.__name__
    name = name_as_method(operation) if args and not known.has_equality(operation) else None
    if name is not None:
        return args[0], 1, name
    if args and is_a(operation, (types.MethodDescriptorType, types.WrapperDescriptorType)):
        return args[0], 1, operation.__name__
    return None, 0, ""


def _is_by_a_number(operation: Any, args: tuple) -> bool:
    """Whether something else than tensors is differentiated by, or is the gradient of the result: an error that tells what
    it is."""
    if operation is transform.start:
        given, named, positions, _ = args
    elif operation is GradientFunction.start or operation is laid_out:
        gradient, given, named = args if operation is GradientFunction.start else (args[0], *args[1])
        positions = gradient.positions
        if gradient.sens_param:
            return True
    else:
        return False
    given = (*given, *named.values())
    return any(i < len(given) and not has_tensors(given[i]) for i in positions)


def _is_plain_nest(value: Any) -> bool:
    """Whether `tree_map` calls no code of the program to copy a nesting."""
    kind = type(value)
    if kind in (tuple, list):
        return all(map(_is_plain_nest, value))
    if kind is dict:
        return all(map(_is_plain_nest, value.values()))
    return not is_a(value, (tuple, list, Mapping)) and not defines(kind, "__dataclass_fields__")


def _sets_plainly(owner: Any, name: Any) -> bool:
    """Whether to set an attribute of an object of the program puts it into the object's dict, and nothing else sees it."""
    kind = type(owner)
    if kind is types.FunctionType:
        return type(name) is str and not hasattr(kind, name)  # `__doc__`, `__name__` and the like lie elsewhere
    is_plainly_set = known.is_object(owner) and known.sets_plainly(kind) and not known.is_ours(kind)
    return is_plainly_set and operations.dict_of(owner) is not None


#: Steps of transforms that pass on what is not a tensor, in nestings that they copy.
_OF_TRANSFORMS: frozenset[Any] = frozenset({
    GradientFunction.start, api._Run.leave, api._Run.finish, api.value_and_grad, api.grad, api._positions_of_tensors,
    api.GradOperation.__init__, api.GradOperation.__call__, api.jacrev, api.jacfwd, transform.start, *ARRANGING,
    batching._named_like, batching._all_examples, batching._one_example,
})  # fmt: skip
#: What `looked_at` says of functions with arguments of their own.
_LOOKED_BY: dict[Any, Callable[[Any, tuple], tuple[int, ...] | None]] = {
    **dict.fromkeys(_OF_TRANSFORMS, _looked_by_transform),
    Differentiation.finish: lambda *_: (1,),  # what it has been started with it does not look at
    batching._collected: lambda *_: (0,),  # of the arguments it takes the tensors
    setattr: _looked_by_setattr,
}
_OF_IDENTITY = (operator.is_, operator.is_not)
#: Classes of classes that are told which class something is of, and nothing else about it.
_CLASSES = (type, abc.ABCMeta)
#: Classes of which the methods are known to leave numbers where they are; those of functions.
_HOLDING = (None, list, tuple, dict)
