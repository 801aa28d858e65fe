"""`itertools` inside of compiled functions: the same items, in the same order, from the same calls, as in Python."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from outcomes import bits, outcome

import anfora as ms
from anfora import Tensor, ops

LISTS: tuple[Any, ...] = ([], [3], [1, 1, 2, 3, 3, 1], "aabca", (0.5, 1.5, -2.0), range(5), {"x": 1, "y": 2})

#: Functions of something to walk over.
FORMS: dict[str, Callable] = {
    "accumulate": lambda a: itertools.accumulate(a),
    "accumulate with a function": lambda a: itertools.accumulate(a, lambda x, y: y + x * 2 if y != "b" else x),
    "accumulate with max": lambda a: itertools.accumulate(a, max),
    "accumulate with an initial value": lambda a: itertools.accumulate(a, func=lambda x, y: (x, y), initial=10),
    "combinations": lambda a: itertools.combinations(a, 2),
    "combinations of all": lambda a: itertools.combinations(a, len(a)),
    "combinations of none": lambda a: itertools.combinations(a, 0),
    "combinations with replacement": lambda a: itertools.combinations_with_replacement(a, 2),
    "combinations of none with replacement": lambda a: itertools.combinations_with_replacement(a, 0),
    "permutations": lambda a: itertools.permutations(a[:3] if not isinstance(a, dict) else a),
    "permutations of two": lambda a: itertools.permutations(a, 2),
    "permutations of none": lambda a: itertools.permutations(a, 0),
    "groupby": lambda a: [(k, list(g)) for k, g in itertools.groupby(a)],
    "groupby with a key": lambda a: [(k, list(g)) for k, g in itertools.groupby(a, key=lambda v: str(v) > "1")],
    "groups that are not looked at": lambda a: [k for k, _ in itertools.groupby(a)],
    "groups that are looked at in part": lambda a: [(k, next(g)) for k, g in itertools.groupby(a)],
    "groups that are looked at too late": lambda a: [list(g) for _, g in list(itertools.groupby(a))],
    "starmap": lambda a: itertools.starmap(lambda x, y: (y, x), zip(a, a)),  # noqa: RUF058
    "takewhile": lambda a: itertools.takewhile(lambda v: v != 2 and v != "b", a),
    "dropwhile": lambda a: itertools.dropwhile(lambda v: v == 1 or v == "a", a),
    "filterfalse": lambda a: itertools.filterfalse(lambda v: v == 1, a),
    "filterfalse without a function": lambda a: itertools.filterfalse(None, a),
    "compress": lambda a: itertools.compress(a, [1, 0, True, False, "yes"]),
    "chain of rows": lambda a: itertools.chain.from_iterable([a, a, "xy"]),
    "one in the other": lambda a: itertools.accumulate(itertools.takewhile(lambda v: v != 3, iter(list(a)))),
    "what is taken before it changes": lambda a: (lambda b: (itertools.combinations(b, 2), b.append(9))[0])(list(a)),
    "what is taken while it changes": lambda a: (lambda b: (itertools.accumulate(b), b.append(9))[0])([]),
}
if hasattr(itertools, "batched"):
    FORMS["batched"] = lambda a: itertools.batched(a, 2)

ERRORS: dict[str, Callable] = {
    "a number to walk over": lambda a: itertools.accumulate(3),
    "a negative length": lambda a: itertools.combinations(a, -1),
    "a length that is none": lambda a: itertools.permutations(a, "2"),
    "too many arguments": lambda a: itertools.groupby(a, None, 3),
    "an unknown keyword": lambda a: itertools.accumulate(a, what=3),
    "a function that fails": lambda a: list(itertools.accumulate([1, "a"])),
    "rows that are none": lambda a: list(itertools.starmap(max, [1])),
}


@pytest.mark.parametrize("form", list(FORMS))
def test_items(form: str) -> None:
    make = FORMS[form]

    def run(items: Any, x: Tensor) -> Any:
        found = [x]
        for item in make(items):
            found.append(item)
            if len(found) > 40:
                break
        return found

    compiled = ms.jit(run)
    for items in LISTS:
        for _ in range(2):
            x = Tensor([1.0, 2.0])
            assert outcome(compiled, items, x) == outcome(run, items, x)
    assert compiled.program.native is None
    assert not ms.explain(compiled)([1, 2, 2], x).hops


@pytest.mark.parametrize("form", list(ERRORS))
def test_error(form: str) -> None:
    function = ERRORS[form]
    for _ in range(2):
        assert outcome(lambda: list(ms.jit(function)([1, 2]))) == outcome(lambda: list(function([1, 2])))


def test_tensors_and_hops_between_items(capsys: pytest.CaptureFixture) -> None:
    def run(x: Tensor) -> Any:
        found = []
        for total in itertools.accumulate([x, x * 2, x * 3], lambda a, b: a * 0.5 + b):
            print("step")
            found.append(total)
        for a, b in itertools.combinations(x, 2):
            if (a * b).sum() > 2:
                found.append(ops.stack([a, b]))
        groups = {key: [v * 2 for v in group] for key, group in itertools.groupby(x, lambda v: v.ndim)}
        return found, groups

    compiled = ms.jit(run)
    for k in range(4):
        x = Tensor([1.0, 2.0, 3.0 - k])
        assert bits(compiled(x)) == bits(run(x))
    assert compiled.program.native is None
    assert {hop.text for hop in ms.explain(compiled)(x).hops} == {'print("step")'}
    capsys.readouterr()


# -- what is no generator ----------------------------------------------------------------------------------------------

ITEMS = [5, 6, 7, 8, 9, 10, 11, 12]

#: Iterators that call a function on their way.
CALLING: dict[str, Callable] = {
    "map": lambda f: map(f, ITEMS),
    "map of two": lambda f: map(f, ITEMS, range(20)),
    "filter": lambda f: filter(f, ITEMS),
    "zip": lambda f: zip(map(f, ITEMS), range(9)),
    "enumerate": lambda f: enumerate(map(f, ITEMS), 3),
    "calls": lambda f: iter(f, 4),
    "accumulate": lambda f: itertools.accumulate(ITEMS, lambda a, b: a + b + f(a, b)),
    "accumulate what is mapped": lambda f: itertools.accumulate(map(f, ITEMS)),
    "starmap": lambda f: itertools.starmap(f, [(a,) for a in ITEMS]),
    "takewhile": lambda f: itertools.takewhile(lambda v: f(v) < 7, ITEMS),
    "takewhile that ends inside": lambda f: itertools.takewhile(lambda v: f(v) < 2, ITEMS),
    "dropwhile": lambda f: itertools.dropwhile(lambda v: f(v) < 3, ITEMS),
    "filterfalse": lambda f: itertools.filterfalse(lambda v: f(v) % 2, ITEMS),
    "compress": lambda f: itertools.compress(map(f, ITEMS), [1, 0, 1, 1, 0, 1, 1, 1]),
    "chain": lambda f: itertools.chain.from_iterable(map(lambda v: [f(v)] * 2, ITEMS)),  # noqa: C417
    "groups": lambda f: map(operator.itemgetter(0), itertools.groupby(ITEMS, lambda v: f(v) // 2)),
    "group": lambda f: next(itertools.groupby(ITEMS, lambda v: f(v) < 7))[1],
}


def driven(make: Callable, function: Callable, x: Tensor) -> tuple:
    """What an iterator gives, and its function is given; the function may ask the iterator for more."""
    held, inner, items, calls = [], [], [], []

    def step(*given):
        calls.append(given)
        return function(held, inner, len(calls))

    held.append(make(step))
    for _ in range(7):
        try:
            items.append(next(held[0]))
        except StopIteration:
            items.append("the end")
        except ValueError as error:
            items.append(str(error))
    return x * 2, items, inner, calls


def fails(held: list, inner: list, count: int) -> int:
    if count in (2, 5):
        raise ValueError(count)
    return count


def stops(held: list, inner: list, count: int) -> int:
    if count in (2, 5):
        raise StopIteration
    return count


def asks(held: list, inner: list, count: int) -> int:
    if count in (2, 5) and held:
        inner.append(next(held[0], "the end"))
    return count


#: What asks another iterator is not to be asked again, once that has had no more items.
ASKING = {"zip", "enumerate", "accumulate what is mapped", "compress", "groups"}


@pytest.mark.parametrize(
    "form, function",
    [
        (form, function)
        for function in (fails, stops, asks)
        for form in CALLING
        if not (function is stops and form in ASKING) and (function is asks or form != "group")
    ],
)
def test_what_is_written_in_c_is_no_generator(form: str, function: Callable) -> None:
    """An error does not end it, and it may be asked by what it calls."""

    def run(x: Tensor) -> tuple:
        return driven(CALLING[form], function, x)

    compiled = ms.jit(run)
    for _ in range(3):
        assert outcome(compiled, Tensor([1.0, 2.0])) == outcome(run, Tensor([1.0, 2.0]))
    assert compiled.program.native is None


@pytest.mark.parametrize("form", list(CALLING))
def test_what_leaves_is_what_it_seems(form: str) -> None:
    """Taken in part inside, and gone through outside."""

    def run(taken: int) -> tuple:
        found = CALLING[form](lambda *given: len(given) + given[0] % 3 if given else 1)
        return [next(found, None) for _ in range(taken)], found

    compiled = ms.jit(run)
    for taken in (0, 1, 2, 0, 2):
        told = []
        for each in (run, compiled):
            items, rest = each(taken)
            told.append((items, type(rest), list(itertools.islice(rest, 5))))
        assert told[1] == told[0]


ASKED: list[str] = []  #: what the program has been asked for


class Walked:
    """Is its own iterator, and says how long it may be."""

    def __init__(self) -> None:
        self.left = [3, 1, 2]

    def __iter__(self) -> Any:
        ASKED.append("iter")
        return self

    def __next__(self) -> Any:
        ASKED.append("next")
        if not self.left:
            raise StopIteration
        return self.left.pop()

    def __length_hint__(self) -> Any:
        ASKED.append("hint")
        return 2


class Long(Walked):
    """Has a length, which it may not tell."""

    def __len__(self) -> int:
        ASKED.append("len")
        raise TypeError("nobody knows")


class Unsure(Walked):
    def __length_hint__(self) -> Any:
        ASKED.append("hint")
        return NotImplemented


class Wrong(Walked):
    def __length_hint__(self) -> Any:
        return -1


class Worse(Walked):
    def __length_hint__(self) -> Any:
        return "2"


class Listed:
    """Is walked over by its items."""

    def __getitem__(self, index: int) -> int:
        ASKED.append("item")
        return (3, 1, 2)[index]

    def __len__(self) -> int:
        ASKED.append("len")
        return 3


def with_a_star(items: Any) -> Any:
    first, *rest, last = items
    return first, rest, last


def with_a_star_and_too_few(items: Any) -> Any:
    a, b, *rest, d, e = items
    return a, b, rest, d, e


def unpacked(items: Any) -> Any:
    a, b, c = items
    return a, b, c


def extended(items: Any) -> Any:
    found = [0]
    found.extend(items)
    found += [4]
    return found


def added(items: Any) -> Any:
    found = [0]
    found += items
    return found


def put_in_place(items: Any) -> Any:
    found = [0, 7, 8]
    found[1:2] = items
    return found


#: Functions of something to walk over, which ask it for an iterator, and some for its length.
WALKS: dict[str, Callable] = {
    "list": lambda a: list(a),
    "tuple": lambda a: tuple(a),
    "display": lambda a: [0, *a, 4],
    "tuple display": lambda a: (*a, 4),
    "two displays": lambda a: [*a, *a],
    "set": lambda a: (set(a), {*a}),
    "sorted": lambda a: sorted(a),
    "sorted by a key": lambda a: sorted(a, key=lambda v: -v),
    "sum": lambda a: sum(a),
    "max": lambda a: max(a, default=0),
    "any": lambda a: (any(a), all(a)),
    "zip": lambda a: list(zip(a, "abcd")),
    "zip second": lambda a: list(zip("ab", a)),
    "dict of zip": lambda a: dict(zip("abc", a)),
    "enumerate": lambda a: list(enumerate(a, 1)),
    "map": lambda a: list(map(str, a)),
    "map of two": lambda a: list(map(lambda x, y: (x, y), a, "abc")),
    "filter": lambda a: list(filter(None, a)),
    "join": lambda a: ",".join(map(str, a)),
    "reduce": lambda a: functools.reduce(operator.add, a),
    "reduce from": lambda a: functools.reduce(operator.add, a, 5),
    "arguments": lambda a: (lambda *args: args)(*a),
    "more arguments": lambda a: max(*a, 9),
    "comprehension": lambda a: [v * 2 for v in a],
    "generator": lambda a: sum(v for v in a),
    "in": lambda a: 2 in a,
    "next": lambda a: next(iter(a)),
    "bytes": lambda a: bytes(a),
    "from keys": lambda a: dict.fromkeys(a),
    "with a star": with_a_star,
    "with a star, too few": with_a_star_and_too_few,
    "unpacked": unpacked,
    "extended": extended,
    "added": added,
    "put in place": put_in_place,
    "accumulate": lambda a: list(itertools.accumulate(a)),
    "chain": lambda a: list(itertools.chain(a, [4])),
    "chain of rows": lambda a: list(itertools.chain.from_iterable([a, [4]])),
    "combinations": lambda a: list(itertools.combinations(a, 2)),
    "permutations": lambda a: list(itertools.permutations(a, 2)),
    "product": lambda a: list(itertools.product(a, [4])),
    "starmap": lambda a: list(itertools.starmap(max, zip(a, (2, 2, 2)))),  # noqa: RUF058
    "takewhile": lambda a: list(itertools.takewhile(lambda v: v < 3, a)),
    "dropwhile": lambda a: list(itertools.dropwhile(lambda v: v > 1, a)),
    "filterfalse": lambda a: list(itertools.filterfalse(lambda v: v > 1, a)),
    "compress": lambda a: list(itertools.compress(a, [1, 0, 1])),
    "compressed by": lambda a: list(itertools.compress("abc", a)),
    "groupby": lambda a: [(k, list(g)) for k, g in itertools.groupby(a)],
    "zip longest": lambda a: list(itertools.zip_longest(a, [4])),
}


@pytest.mark.parametrize("kind", [Walked, Long, Unsure, Wrong, Worse, Listed])
@pytest.mark.parametrize("walk", list(WALKS))
def test_iterables_are_asked_what_python_asks_them(walk: str, kind: Callable) -> None:
    """For an iterator once, and for their length where Python makes room for the items."""
    function = WALKS[walk]

    def run(items: Any, x: Tensor) -> Any:
        return x * 2, function(items)

    compiled, x = ms.jit(run), Tensor([1.0, 2.0])
    for _ in range(3):
        seen = []
        for program in (run, compiled):
            ASKED.clear()
            seen.append((outcome(program, kind(), x), list(ASKED)))
        assert seen[0] == seen[1]


#: Numbers whose sum shows how it is taken.
SUMMED: list[list] = [
    [0.1] * 10, [1e100, 1.0, -1e100], [1, 2, 3], [0.1, Fraction(1, 3), 0.2], [], [-0.0], [0.1, 2, True, 0.2] * 4,
    [1e308, 1e308, -1e308], [0.3, 2**70, 0.1, -(2.0**70)], [0.1, float("nan")], [2**53 + 1, 1.0, -(2.0**53)],
]  # fmt: skip


@pytest.mark.parametrize("start", [0, 0.5, -0.0, True])
def test_sums_of_floats_that_come_one_by_one(start: Any) -> None:
    """Since Python 3.12 what additions round away is not lost."""

    def program(items: Any, k: Any) -> Any:
        return sum((item for item in items), start), sum(item * k for item in items), sum(v + k for v in items)

    compiled = ms.jit(program)
    for k in (1, 0.1, 0.3, 2.5, -1):
        for items in SUMMED:
            assert outcome(compiled, items, k) == outcome(program, items, k)
