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
import functools
import operator
import types
from collections.abc import Callable, Mapping
from typing import Any

from anfora import api, batching
from anfora.api import GradientFunction
from anfora.core.tensor import Tensor
from anfora.core.tree import has_tensors
from anfora.eager import transform
from anfora.eager.transform import Differentiation
from anfora.graph.facts import known
from anfora.graph.facts.classes import defines
from anfora.graph.facts.kinds import is_a
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.looking import GOING_OVER
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
from anfora.graph.machine import operations
from anfora.graph.machine.frames import Frame
from anfora.graph.polyfill.gradients import ARRANGING, laid_out
from anfora.graph.record.notebook import Notebook
from anfora.graph.record.unwrapping import Exchange, Unwrapping

__all__ = ["Held", "looked_at", "stored_from"]


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
        exchange = Exchange(self.is_foreign, moved)
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
