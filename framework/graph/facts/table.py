"""One table of what Python's functions do with what they are given.

A row says of a function, a method or a type, for each of its arguments (the object that a method is called on is the
first), how far it is looked into and what becomes of it. There are two cases only:

    all that is looked at is plain      what the row says is all that happens: the call is done at once, or put off, or
                                        done again in each recording, and what it gives follows from what it is given
    something of it is not              a special method of the program, or the data of a tensor, is asked in there: a
                                        polyfill does the same in Python, for the machine to go into, or the call is a hop
                                        whose state is written down before it

What has no row is a hop. So a new function is a row, and nothing else: all who want to know something of a function ask
here, by the function itself and never by its name. The rows are in rows/, a file for each family; tests/graph/test_facts.py
drives every one of them.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

__all__ = [
    "ALL", "ARRANGES", "CALLED", "COUPLES", "DATA_NUMBERS", "DATA_TRUTH", "DRAINED", "EQUAL", "EQUALS", "IDENTITY",
    "INDEX", "ITEM", "KEPT", "KEY", "KEYS", "LENGTH", "LOOKS", "MAPPING", "NEW", "ORDER", "ORDERS", "PLAIN",
    "RELEASED", "TRUTH", "TRUTHS", "WALKED", "WHOLE", "WRITTEN", "Asking", "Fact", "Numbers", "add", "add_methods",
    "all_facts", "are_classes", "as_many", "dispatch", "fact_of", "fewest", "is_in_turn", "method_fact", "methods_of",
    "name_as_method", "resolved",
]  # fmt: skip

# -- what is done with an argument ------------------------------------------------------------------------------------
# Nothing but its type is asked where none of these is said.

KEPT = 1 << 0  #: it stands in what is changed, or in what is given back
WRITTEN = 1 << 1  #: it is changed
RELEASED = 1 << 2  #: something that it holds may be let go, for the last time perhaps
LENGTH = 1 << 3  #: `__len__`
WALKED = 1 << 4  #: it is iterated over, but not before the result is: items are handed on one by one
DRAINED = 1 << 5  #: all its items are taken, one by one: see `is_in_turn`
MAPPING = 1 << 6  #: what has `keys` is asked for these, and for its items
INDEX = 1 << 7  #: `__index__`
KEY = 1 << 8  #: `__hash__`, and `==` with what has the same
EQUAL = 1 << 9  #: `==`, with the items of another argument
ORDER = 1 << 10  #: `<`, with the items of another argument
TRUTH = 1 << 11  #: `bool`
CALLED = 1 << 12  #: it is called
WHOLE = 1 << 13  #: anything may be asked of it, and of what it holds
KEYS = 1 << 14  #: the same for each of its items: they are hashed, …
EQUALS = 1 << 15  #: … compared by `==`, …
ORDERS = 1 << 16  #: … by `<`, …
TRUTHS = 1 << 17  #: … asked whether they are true
COUPLES = 1 << 18  #: its items are keys and values in turn
IDENTITY = 1 << 20  #: which object it is
ALL = 1 << 19  #: Python goes through all that it holds, before the result is there, and asks nothing of it for that

#: Uses that look into an argument, beyond its arrangement.
LOOKS = INDEX | KEY | EQUAL | ORDER | TRUTH | CALLED | WHOLE | KEYS | EQUALS | ORDERS | TRUTHS
#: Uses that look at how things are arranged: which they are, where, in which order, under which key.
ARRANGES = (
    KEPT | WRITTEN | RELEASED | LENGTH | WALKED | DRAINED | MAPPING | INDEX | KEY | KEYS | COUPLES | ALL | IDENTITY
)

_MOVES = KEPT | WRITTEN | RELEASED | LENGTH | WALKED | DRAINED | INDEX | KEY | KEYS | ALL | IDENTITY

# -- what is given back -----------------------------------------------------------------------------------------------

PLAIN = "plain"  #: a number, a text or the like, which holds none of the arguments; None too
NEW = "new"  #: a new object, which may hold arguments and items of theirs
ITEM = "item"  #: an argument, or an item of one


#: What a function takes from the data of a tensor.
DATA_TRUTH, DATA_NUMBERS = "truth", "numbers"


class Numbers:
    """What becomes of numbers that vary, given to a function.

    Args:
        gives_numbers: whether a number follows from them, or a truth.
        gives_texts: whether a text follows from them, and from texts that vary.
        may_fail: whether it raises, or gives another type, for some numbers.
        only: whether it is about numbers alone: it does not take tensors as an operator does.
    """

    __slots__ = ("gives_numbers", "gives_texts", "may_fail", "only")

    def __init__(
        self, gives_numbers: bool = True, gives_texts: bool = False, may_fail: bool = False, only: bool = False
    ) -> None:
        self.gives_numbers, self.gives_texts, self.may_fail, self.only = gives_numbers, gives_texts, may_fail, only


class Asking:
    """Which special method of an object of the program a function of Python's is a call of.

    Args:
        names: of the methods of the object, in the order in which they are tried.
        kind: "method" of the first argument, its "truth"; "operator" and "comparison" of two operands, of which the other
            one may answer; "member" and "no member", where the second argument is asked about the first; "class", where
            that is a class, and its class is asked.
        check: what Python does with what the method gives; None if that is the result as it is.
        reflected: the method of the other operand, which is tried as well.
        symbol: of the operator, in words of errors.
    """

    __slots__ = ("check", "kind", "names", "reflected", "symbol")

    def __init__(
        self,
        *names: str,
        kind: str = "method",
        check: Callable[[Any], Any] | None = None,
        reflected: str = "",
        symbol: str = "",
    ) -> None:
        self.names, self.kind, self.check = names, kind, check
        self.reflected, self.symbol = reflected, symbol


class Fact:
    """A row.

    Args:
        function: what it is about: a function, a class, or a method as its class has it.
        takes: what is done with the positional arguments, from the first.
        rest: with further ones; None if there are none.
        alone: with the only positional argument, if that is something else.
        named: with arguments that are given by name; with others of these, what `others` says.
        gives: see above.
        numbers: what becomes of numbers that vary; None if they are known from then on.
        of_arrays: whether it takes arrays of numpy's for numbers, and follows from them as it does from these.
        owner: the class that it is a method of.
        moves: whether what it makes or changes holds what was given as it is, where the machine finds it again: in a list,
            tuple, dict, partial function, variable, or an iterator that tells what it goes over.
        by_python: whether it is a hop where no polyfill does the same: it does something that is seen outside, or
            what it gives is not looked into.
        is_of_own: whether the row holds for objects that the program has made, and those from outside are not looked into.
        hands_on: where it makes an iterator or a view that hands on items one by one, and tells what it goes over: how many
            come, given how many there are in each of the things it goes over.
        is_late: whether it asks for an iterator over an argument only when it comes to that.
        asking: which special method it is a call of; None if it is none, or of several.
        puts: what a change puts something else into, or takes away: "attribute" or "item", of which the argument behind
            the first is the place, "variable", or "all".
        sliced: what is done with the argument behind a slice, if that is something else than behind a number.
        of_data: what it asks of the data of a tensor and gives back to Python, and does nothing else: DATA_TRUTH or
            DATA_NUMBERS.
    """

    __slots__ = (
        "alone", "asking", "asks_identity", "by_python", "function", "gives", "hands_on", "is_late", "is_of_own",
        "is_of_values", "is_walking", "moves", "named", "_names", "numbers", "of_arrays", "of_data", "only_moves", "others",
        "owner", "puts", "rest", "sliced", "starts", "stores_from", "takes", "writes",
    )  # fmt: skip

    def __init__(
        self,
        function: Any,
        takes: tuple[int, ...] = (),
        *,
        rest: int | None = None,
        alone: int | None = None,
        named: dict[str, int] | None = None,
        others: int = WHOLE,
        gives: str = NEW,
        numbers: Numbers | None = None,
        of_arrays: bool = False,
        owner: type | None = None,
        by_python: bool = False,
        is_of_own: bool = False,
        moves: bool = False,
        hands_on: Callable[[Iterable[int]], int] | None = None,
        is_late: bool = False,
        asking: Asking | None = None,
        puts: str | None = None,
        sliced: int | None = None,
        of_data: str | None = None,
    ) -> None:
        every = (*takes, rest or 0)
        self._names: tuple[str | None, ...] | None = None
        self.sliced, self.is_late = sliced, is_late
        self.of_data = of_data
        self.function, self.takes, self.rest, self.alone = function, takes, rest, alone
        self.named, self.others, self.gives = named or {}, others, gives
        self.numbers, self.of_arrays, self.owner = numbers, of_arrays, owner
        #: Whether what it gives follows from values of Python's alone.
        self.is_of_values = not by_python and not is_of_own
        self.by_python, self.is_of_own = by_python, is_of_own
        self.moves = moves
        self.hands_on, self.asking, self.puts = hands_on, asking, puts
        #: The first of the arguments, at the end, that are only kept; None if there are none.
        first = len(takes)
        while first and takes[first - 1] == KEPT and rest in (None, KEPT):
            first -= 1
        self.stores_from = first if first < len(takes) or rest == KEPT or self.others == KEPT else None
        #: Whether the first argument is changed; what is only drained is not.
        self.writes = bool(takes and takes[0] & WRITTEN)
        #: Whether it moves what a list, dict or set holds, one by one or all of it, and does not look at it.
        self.only_moves = not any(use & ~_MOVES or (use & KEYS and use & DRAINED) for use in (*every, alone or 0))
        #: Whether it makes an iterator that tells what it goes over, and where it is, whatever length that has.
        self.starts = hands_on is not None and not any(use & LENGTH for use in (*every, alone or 0))
        #: Whether it tells which object something is.
        self.asks_identity = any(use & IDENTITY for use in every)
        #: Whether it hands on the items of something, and asks nothing else.
        walked = (*takes[:1], rest or 0) if alone is None else (alone,)
        walks = WALKED | DRAINED
        asks = ~(walks | LENGTH | WRITTEN | ALL)
        self.is_walking = any(use & walks for use in walked) and not any(use & asks for use in walked)

    def __repr__(self) -> str:
        return f"<what is known of {getattr(self.function, '__qualname__', self.function)}>"

    @property
    def names(self) -> tuple[str | None, ...]:
        """By what names a function takes the arguments that have places; None for those without one."""
        if self._names is None:
            try:
                parameters = [*inspect.signature(self.function).parameters.values()]
            except (TypeError, ValueError):  # written in C, and does not tell
                parameters = []
            kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)
            self._names = tuple(
                each.name if each.kind is kinds[0] else None for each in parameters if each.kind in kinds
            )
        return self._names

    @property
    def forgets(self) -> bool:
        """Whether none of the arguments is kept, or given back."""
        return self.gives == PLAIN and not any(use & (KEPT | WRITTEN) for use in (*self.takes, self.rest or 0))

    @property
    def hands_later(self) -> bool:
        """Whether what it makes hands something on when it is asked for the next, be all items taken before."""
        return isinstance(self.function, type) and hasattr(self.function, "__next__")

    def use(self, place: int, count: int) -> int:
        """What is done with the argument at a place, of so many positional ones."""
        if count == 1 and self.alone is not None:
            return self.alone
        if place < len(self.takes):
            return self.takes[place]
        return self.rest or 0

    def uses(self, args: tuple, kwargs: dict | None = None) -> Iterator[tuple[int, Any]]:
        """The arguments, each with what is done with it."""
        count = len(args)
        for place, value in enumerate(args):
            if self.sliced is not None and place and type(args[place - 1]) is slice:
                yield self.sliced, value
            else:
                yield self.use(place, count), value
        for name, value in (kwargs or {}).items():
            yield self.named.get(name, self.others), value

    def tells_by_type(self, args: tuple) -> bool:
        """Whether what it gives follows from the types of its arguments, and from which objects they are."""
        if self.gives != PLAIN or self.by_python or (self.function is type and len(args) != 1):
            return False
        if self.asking is not None and not (self.asking.kind == "class" and are_classes(args[1:], (type,))):
            return False
        return bool(args) and not any(use & ~IDENTITY for use, _ in self.uses(args))

    def goes_through(self, use: int) -> bool:
        """Whether a call asks something of each item of an argument, or of its whole, before the result is there."""
        if use & WALKED and self.hands_on is None and self.gives != ITEM:
            return True
        return bool(use & ~(KEPT | WRITTEN | LENGTH | INDEX | WALKED | IDENTITY))


def are_classes(kinds: tuple, of: tuple[type, ...]) -> bool:
    """Whether these are classes, or tuples of such, and of which classes they are themselves."""
    return all(are_classes(kind, of) if type(kind) is tuple else type(kind) in of for kind in kinds)


def is_in_turn(use: int) -> bool:
    """Whether what is asked of an item that is taken comes before the next is taken, and may be the end of it. Where the
    length is asked too, a list is made of all of them first."""
    return bool(use & DRAINED and use & _OF_ITEMS and not use & LENGTH)


_OF_ITEMS = KEYS | EQUALS | ORDERS | TRUTHS | WHOLE


def as_many(counts: Iterable[int]) -> int:
    """How many items come of something that hands on those of the first of what it goes over, at most."""
    return next(iter(counts), 0)


def fewest(counts: Iterable[int]) -> int:
    """The same of something that goes over several side by side."""
    return min(counts, default=0)


# -- the table --------------------------------------------------------------------------------------------------------

_FACTS: dict[Any, Fact] = {}  #: by function
_METHODS: dict[type, dict[str, Fact]] = {}  #: by class and name, for methods that are bound to an object
_DISPATCHED: dict[Any, tuple[str, int, bool]] = {}  #: see `dispatch`

_BOUND = (types.BuiltinMethodType, types.MethodWrapperType)
_BY_IDENTITY = frozenset({
    types.BuiltinFunctionType, types.FunctionType, types.MethodDescriptorType, types.WrapperDescriptorType,
    types.MethodWrapperType, types.ClassMethodDescriptorType, type,
})  # fmt: skip
_MODULES = (types.ModuleType, type(None), type)


def add(function: Any, *takes: int, **more: Any) -> None:
    """Put a row for a function or a class into the table: see `Fact`."""
    _FACTS[function] = Fact(function, takes, **more)


def add_methods(kind: type, rows: dict[str, Fact]) -> None:
    """Put rows for the methods of a class into the table; those that it has of another class are its own as well."""
    table = _METHODS.setdefault(kind, {})
    for name, fact in rows.items():
        table[name] = fact
        if name in vars(kind):
            _FACTS.setdefault(vars(kind)[name], fact)


def dispatch(operation: Any, name: str, place: int = 0, is_binary: bool = False) -> None:
    """Let an operation be a method of one of its arguments, where that is of a class that the table has rows for.

    Args:
        name: of the method.
        place: of the argument.
        is_binary: whether the method of the other operand may come first; so both must be of such classes.
    """
    _DISPATCHED[operation] = name, place, is_binary


def name_as_method(operation: Any) -> str | None:
    """The method of its first argument that an operation may be; None if it is none."""
    found = _DISPATCHED.get(operation)
    return None if found is None or found[1] else found[0]


def method_fact(kind: type, name: str) -> Fact | None:
    """The row of a method of a class; None if there is none."""
    return _METHODS.get(kind, _NONE).get(name)


def methods_of(kind: type) -> dict[str, Fact]:
    """The rows of the methods of a class, by name."""
    return _METHODS.get(kind, _NONE)


def all_facts() -> Iterable[Fact]:
    """Every row of the table, once."""
    found = {id(fact): fact for fact in _FACTS.values()}
    found.update((id(fact), fact) for table in _METHODS.values() for fact in table.values())
    return found.values()


def fact_of(operation: Any) -> Fact | None:
    """The row of a function, a class, or a method, bound or not; None if there is none."""
    kind = type(operation)
    if kind in _BOUND:
        owner = operation.__self__
        if not isinstance(owner, _MODULES):
            return _METHODS.get(type(owner), _NONE).get(operation.__name__)
    elif kind not in _BY_IDENTITY and not (kind.__eq__ is object.__eq__ and kind.__hash__ is object.__hash__):
        return None
    return _FACTS.get(operation)


def resolved(operation: Any, args: tuple) -> tuple[Fact | None, tuple]:
    """The row of what is called, and its arguments, of which the first is what a method is called on."""
    kind = type(operation)
    if kind in _BOUND:
        owner = operation.__self__
        if not isinstance(owner, _MODULES):
            return _METHODS.get(type(owner), _NONE).get(operation.__name__), (owner, *args)
    elif kind not in _BY_IDENTITY and not (kind.__eq__ is object.__eq__ and kind.__hash__ is object.__hash__):
        return None, args
    found = _DISPATCHED.get(operation)
    if found is not None and len(args) > found[1]:
        name, place, is_binary = found
        fact = _METHODS.get(type(args[place]), _NONE).get(name)
        if fact is not None and not (is_binary and type(args[1 - place]) not in _METHODS):
            return fact, (args if place == 0 else (args[place], *args[:place]))
    return _FACTS.get(operation), args


def by_place(operation: Any, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
    """The same arguments of a call: those of a function that have a place stand in it, also where they came by name. So
    what a row says of a place holds for them, and what is changed comes first. Where it says the same of all, they are
    left as they came: numpy warns of some that do not come by name."""
    fact = fact_of(operation)
    if fact is None or fact.owner is not None or not fact.takes:
        return args, kwargs
    placed, rest = list(args), dict(kwargs)
    for name in fact.names[len(args) :]:
        if name not in rest:
            break
        placed.append(rest.pop(name))
    return tuple(placed), rest


_NONE: dict[str, Fact] = {}
