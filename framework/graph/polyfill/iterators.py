"""What `itertools` does, in Python, for the machine to run: its iterators are generators of the program, so that it is
known where they are. The forms are those of Python's documentation."""

from __future__ import annotations

import collections
import itertools
import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anfora.core.tensor import Tensor
from anfora.graph.facts import known
from anfora.graph.facts.classes import defines
from anfora.graph.machine.frames import ORIGINALS
from anfora.graph.machine.generators import Original, as_given, for_python
from anfora.graph.source.quiet import quietly

__all__ = [
    "ABSENT", "call", "given_iterators", "gone_into", "go_over", "goes_over_iterators", "iterators", "with_iterators",
]  # fmt: skip


class ABSENT:
    """In the place of a value that is not there, or not yet; a class, since the compiler knows what classes are."""


def with_iterators(function, places, args, kwargs):
    args = list(args)
    for place in places:
        args[place] = iter(args[place])
    return function(*args, **kwargs)


def call(function, /, *args, **kwargs):
    return function(*args, **kwargs)


def given_iterators(function: Any) -> Any:
    """Mark a function that is given iterators."""
    function.is_given_iterators = True
    return function


def goes_over_iterators(machine: Any) -> bool:
    """Whether the function that runs has been given iterators, which are not asked for others: one of this library's that
    stands for an iterator (`go_over`), or is marked so."""
    frame = machine.frames[-1]
    if not frame.code.is_internal:
        return False
    return frame.function in ORIGINALS or hasattr(frame.function, "is_given_iterators")


def accumulate_(items, func=None, *, initial=None):
    add = operator.add if func is None else func
    total = [ABSENT]
    if initial is not None:
        total[0] = initial
        yield initial
    for item in items:
        total[0] = item if total[0] is ABSENT else add(total[0], item)
        yield total[0]


def combinations_(items, r):
    return _combinations(tuple(items), r)


def _combinations(pool, r):
    n = len(pool)
    if r > n:
        return
    places = list(range(r))
    yield tuple([pool[k] for k in places])
    while True:
        i = r - 1
        while i >= 0 and places[i] == i + n - r:
            i -= 1
        if i < 0:
            return
        places[i] += 1
        for j in range(i + 1, r):
            places[j] = places[j - 1] + 1
        yield tuple([pool[k] for k in places])


def combinations_with_replacement_(items, r):
    return _combinations_with_replacement(tuple(items), r)


def _combinations_with_replacement(pool, r):
    n = len(pool)
    if r and not n:
        return
    places = [0] * r
    yield tuple([pool[k] for k in places])
    while True:
        i = r - 1
        while i >= 0 and places[i] == n - 1:
            i -= 1
        if i < 0:
            return
        places[i:] = [places[i] + 1] * (r - i)
        yield tuple([pool[k] for k in places])


def permutations_(items, r=None):
    pool = tuple(items)
    return _permutations(pool, len(pool) if r is None else r)


def _permutations(pool, r):
    n = len(pool)
    if r > n:
        return
    places = list(range(n))
    cycles = list(range(n, n - r, -1))
    yield tuple([pool[k] for k in places[:r]])
    while True:
        i = r - 1
        while i >= 0:
            cycles[i] -= 1
            if cycles[i]:
                j = n - cycles[i]
                places[i], places[j] = places[j], places[i]
                yield tuple([pool[k] for k in places[:r]])
                break
            places[i:] = places[i + 1 :] + places[i : i + 1]
            cycles[i] = n - i
            i -= 1
        if i < 0:
            return


#: What groups share: the iterator, the function of keys, an item and its key that wait to be given, the key of the group,
#: which group has the items now, and Python's own group where the groups have become Python's.
_REST, _KEY, _ITEM, _FOUND, _WANTED, _GROUP, _REAL = range(7)


def groupby_(items, key=None):
    of = [iter(items), key, ABSENT, ABSENT, ABSENT, 0, ABSENT]
    groups = 0
    while True:
        of[_GROUP] = 0
        while of[_FOUND] is ABSENT or (of[_WANTED] is not ABSENT and _is_in_group(of, of[_WANTED])):
            if not _has_next(of):
                raise StopIteration  # and no end: it may be asked again
        groups += 1
        of[_WANTED], of[_GROUP] = of[_FOUND], groups
        yield of[_FOUND], group_(of, groups, of[_FOUND])


def group_(of, group, wanted):
    while of[_GROUP] == group:
        if of[_REAL] is not ABSENT:
            yield from of[_REAL]
            return
        if (of[_ITEM] is ABSENT and not _has_next(of)) or not _is_in_group(of, wanted):
            return
        item, of[_ITEM], of[_FOUND] = of[_ITEM], ABSENT, ABSENT
        yield item


def _has_next(of):
    item = next(of[_REST], ABSENT)
    if item is ABSENT:
        return False
    found = item if of[_KEY] is None else of[_KEY](item)
    of[_ITEM], of[_FOUND] = item, found
    return True


def _is_in_group(of, wanted):
    return wanted is of[_FOUND] or wanted == of[_FOUND]


def starmap_(function, rows):
    for row in rows:
        args = tuple(row)
        yield function(*args)


def takewhile_(predicate, items):
    ended = []
    for item in items:
        if not predicate(item):
            ended.append(True)
            return
        yield item
        if ended:
            return


def dropwhile_(predicate, items):
    started = []
    for item in items:
        if not started:
            if predicate(item):
                continue
            started.append(True)
        yield item


def filterfalse_(predicate, items):
    for item in items:
        if not (item if predicate is None else predicate(item)):
            yield item


def compress_(items, selectors):
    data, marks = iter(items), iter(selectors)
    for item, is_selected in zip(data, marks):
        if is_selected:
            yield item


def zip_longest_(*rows, fillvalue=None):
    of = [*rows]
    left = [len(of)]
    while left[0]:
        items = []
        for place, row in enumerate(of):
            if row is ABSENT:
                items.append(fillvalue)
                continue
            try:
                item = next(row, ABSENT)
            except BaseException:
                left[0] = 0
                raise
            if item is ABSENT:
                left[0] -= 1
                if not left[0]:
                    return
                of[place] = ABSENT
                item = fillvalue
            items.append(item)
        yield tuple(items)


def chain_of_(rows):
    of = [iter(rows), None]
    while of[0] is not None:
        if of[1] is None:
            try:
                row = next(of[0], ABSENT)
                if row is ABSENT:
                    return
                of[1] = call(iter, row)
            except BaseException:
                of[0] = None
                raise
        item = next(of[1], ABSENT)
        if item is ABSENT:
            of[1] = None
        else:
            yield item


def calls_until_(function, sentinel):
    ended = []
    while True:
        try:
            item = function()
        except StopIteration:
            ended.append(True)
            return
        if ended:
            return
        if sentinel is item or sentinel == item:
            ended.append(True)
            return
        yield item


def batched_(items, n):
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == n:
            yield tuple(batch)
            batch = []
    if batch:
        yield tuple(batch)


def pairwise_(items):
    last = []
    for item in items:
        if last:
            pair = (last[0], item)
            last[0] = item
            yield pair
        else:
            last.append(item)


def _gone_by(made: Any, places: Any, reached: Any) -> Any:
    """An iterator that has come as far as the same one over the places of its items has when it gives this."""
    for found in places:
        next(made)
        if found == reached:
            return made
    raise AssertionError("bug in this library: an iterator has come by no such items")


def _accumulated(held: dict[str, Any], loops: list) -> Any:
    rest, [total] = loops[0] if loops else held["items"], for_python(held["total"])
    if total is ABSENT:
        return itertools.accumulate(rest, held["func"])
    made = itertools.accumulate(itertools.chain((total,), rest), held["func"])  # as `initial`, which None is not
    next(made)
    return made


def _chained(held: dict[str, Any], loops: list) -> Any:
    rows, row = as_given(for_python(held["of"]))
    return itertools.chain.from_iterable(itertools.chain(() if row is None else (row,), () if rows is None else rows))


def _zipped(held: dict[str, Any], loops: list) -> Any:
    made: Any = itertools.zip_longest
    if not held["left"][0]:
        return made()
    rows = as_given(for_python(() if row is ABSENT else row for row in held["of"]))
    return made(*rows, fillvalue=held["fillvalue"])


def _combined(original: Callable, held: dict[str, Any], r: int) -> Any:
    over = range(len(held["pool"]))
    return _gone_by(original(held["pool"], r), original(over, r), tuple(held["places"][:r]))


def _grouped(rest: Iterator) -> Any:
    _, group = next(itertools.groupby(itertools.chain((None,), rest), lambda item: None))
    next(group)
    return group


_GROUP_OF_PYTHON: Any = type(next(itertools.groupby((1,)))[1])


def _groups(held: dict[str, Any], loops: list) -> Any:
    """Python's iterator over the groups, which has come as far. The group that has the items now goes on with it."""
    of = held["of"]
    if not hasattr(itertools.groupby, "__setstate__"):  # of later versions of Python
        return None
    [rest] = as_given(for_python(of[_REST : _REST + 1]))
    made: Any = itertools.groupby(rest, of[_KEY])
    if of[_WANTED] is ABSENT:
        return made
    waits = of[_ITEM] is not ABSENT
    quietly(made.__setstate__, (of[_FOUND], of[_ITEM], of[_WANTED]) if waits else (of[_WANTED], None, of[_WANTED]))
    group: Any = _GROUP_OF_PYTHON(made, of[_WANTED])
    if not waits:
        next(group)
    if of[_GROUP]:
        of[_REAL] = group
    return made


def _group(held: dict[str, Any], loops: list) -> Any:
    real = held["of"][_REAL]
    if real is ABSENT:
        return None
    return real if held["of"][_GROUP] == held["group"] else _grouped(iter(()))


def _never(item: Any) -> bool:
    return False


def _asking(kind: Any, function: Callable[[dict[str, Any]], Any]) -> Original:
    """What asks a function about each item; `function` finds that among the variables."""
    return Original(kind, kind, lambda held, loops: kind(function(held), loops[0]), lambda: kind(abs, ()))


def _combining(kind: Any) -> Original:
    return Original(kind, kind, lambda held, loops: _combined(kind, held, held["r"]), lambda: kind((), 1))


#: What these stand for, where Python runs them itself.
ORIGINALS.update({
    accumulate_: Original(itertools.accumulate, itertools.accumulate, _accumulated, lambda: itertools.accumulate(())),
    groupby_: Original(itertools.groupby, itertools.groupby, _groups, lambda: itertools.groupby(())),
    group_: Original(None, _GROUP_OF_PYTHON, _group, None, _grouped, restarts=True),
    starmap_: _asking(itertools.starmap, lambda held: held["function"]),
    takewhile_: _asking(itertools.takewhile, lambda held: held["predicate"]),
    dropwhile_: _asking(itertools.dropwhile, lambda held: _never if held["started"] else held["predicate"]),
    filterfalse_: _asking(itertools.filterfalse, lambda held: held["predicate"]),
    compress_: Original(
        itertools.compress, itertools.compress,
        lambda held, loops: itertools.compress(held["data"], held["marks"]), lambda: itertools.compress((), ()),
    ),
    pairwise_: Original(
        itertools.pairwise, itertools.pairwise,
        lambda held, loops: itertools.pairwise(itertools.chain(held["last"], loops[0])), lambda: itertools.pairwise(()),
        least=2, asks_again=False,
    ),
    zip_longest_: Original(
        itertools.zip_longest, itertools.zip_longest, _zipped, lambda: itertools.zip_longest(())
    ),
    chain_of_: Original(itertools.chain.from_iterable, itertools.chain, _chained, itertools.chain),
    calls_until_: Original(
        iter, type(iter(int, 1)), lambda held, loops: iter(held["function"], held["sentinel"]), lambda: iter(int, 0)
    ),
    _combinations: _combining(itertools.combinations),
    _combinations_with_replacement: _combining(itertools.combinations_with_replacement),
    _permutations: _combining(itertools.permutations),
})  # fmt: skip
if hasattr(itertools, "batched"):
    _batched: Any = itertools.batched
    ORIGINALS[batched_] = Original(
        _batched,
        _batched,
        lambda held, loops: _batched(loops[0] if loops else (), held["n"]),
        lambda: _batched((), 1),
        least=2,
        asks_again=False,
    )


def gone_into(replacement: Callable, fits: Callable[[Any, tuple, dict], bool]) -> Callable:
    """What goes into a replacement where the arguments fit: `fits(recorder, args, kwargs)`."""

    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        if not fits(recorder, args, kwargs):
            return False
        recorder.enter(machine, replacement, args, kwargs)
        return True

    return special


def _iterator(
    replacement: Callable,
    places: tuple[int, ...],
    counts: range,
    names: tuple[str, ...] = (),
    asks_length: bool = False,
) -> Callable:
    """Use the replacement where what is walked over is of a known kind, so that there is no error to be raised at once.

    Args:
        places: of the arguments that are walked over.
        counts: how many positional arguments there may be.
        names: of those that may be given by keyword.
        asks_length: whether it takes all items at once, and makes room for them.
    """

    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        if len(args) not in counts or not set(kwargs) <= set(names):
            return False
        if not all(_is_iterable(recorder, args[place]) for place in places):
            return False
        go_over(recorder, machine, replacement, () if asks_length else places, args, kwargs)
        return True

    return special


def go_over(
    recorder: Any, machine: Any, replacement: Callable, places: tuple[int, ...], args: tuple, kwargs: dict
) -> None:
    """Go into what makes an iterator over the arguments at some places. Of those iterators are made first that can tell
    when this is done: objects of the program, tensors that have none, and what must not change from then on."""
    has_asked = goes_over_iterators(machine)
    asked = tuple([place for place in places if _tells_when_asked(args[place]) and not has_asked])
    if asked:
        recorder.enter(machine, with_iterators, (replacement, asked, args, kwargs), {})
    else:
        recorder.enter(machine, replacement, args, kwargs)


def _tells_when_asked(value: Any) -> bool:
    """Whether code of the program gives the iterator, or there may be none, or it ends where the value has changed."""
    if isinstance(value, _UNCHANGED):
        return True
    if isinstance(value, (Tensor, np.ndarray)) and not value.shape:
        return True
    return known.has_methods(value) or not defines(type(value), "__iter__")


#: What an iterator goes over only as long as nothing has come or gone.
_UNCHANGED = (dict, set, collections.deque, *known.VIEWS)


def _is_iterable(recorder: Any, value: Any) -> bool:
    is_plain = type(value) in known.ITERABLES
    is_iterator = defines(type(value), "__next__")
    return not recorder.opaque(value) and (is_plain or is_iterator or recorder.is_walked(value))


def _of_length(replacement: Callable, is_optional: bool) -> Callable:
    """The same for those that take a length behind what they walk over."""
    plain = _iterator(replacement, (0,), range(1 if is_optional else 2, 3), asks_length=True)

    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        args = args[0], *map(recorder.force, args[1:])
        fits = all((type(r) is int and r >= 0) or (r is None and is_optional) for r in args[1:])
        return fits and plain(recorder, machine, args, kwargs)

    return special


def iterators() -> dict[Any, Callable]:
    """What to do instead, by function: (recorder, machine, args, kwargs) -> whether it was done."""
    table = {
        itertools.accumulate: _iterator(accumulate_, (0,), range(1, 3), ("func", "initial")),
        itertools.combinations: _of_length(combinations_, False),
        itertools.combinations_with_replacement: _of_length(combinations_with_replacement_, False),
        itertools.permutations: _of_length(permutations_, True),
        itertools.groupby: _iterator(groupby_, (0,), range(1, 3), ("key",)),
        itertools.starmap: _iterator(starmap_, (1,), range(2, 3)),
        itertools.takewhile: _iterator(takewhile_, (1,), range(2, 3)),
        itertools.dropwhile: _iterator(dropwhile_, (1,), range(2, 3)),
        itertools.filterfalse: _iterator(filterfalse_, (1,), range(2, 3)),
        itertools.compress: _iterator(compress_, (0, 1), range(2, 3)),
        itertools.pairwise: _iterator(pairwise_, (0,), range(1, 2)),
        itertools.zip_longest: _side_by_side(zip_longest_, "fillvalue"),
        itertools.chain.from_iterable: _iterator(chain_of_, (0,), range(1, 2)),
        iter: gone_into(calls_until_, _is_of_calls),
    }
    if hasattr(itertools, "batched"):
        table[itertools.batched] = _of_batches
    return table


def _side_by_side(replacement: Callable, name: str) -> Callable:
    """The same for what goes over any number of things, for each of which it makes an iterator at once."""

    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        if not set(kwargs) <= {name} or not all(_is_iterable(recorder, arg) for arg in args):
            return False
        places = () if goes_over_iterators(machine) else tuple(range(len(args)))
        recorder.enter(machine, with_iterators, (replacement, places, args, kwargs), {})
        return True

    return special


def _is_of_calls(recorder: Any, args: tuple, kwargs: dict) -> bool:
    return not kwargs and len(args) == 2 and callable(recorder.force(args[0]))


def _of_batches(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    args = tuple(map(recorder.force, args))
    fits = len(args) == 2 and type(args[1]) is int and args[1] > 0
    return fits and _iterator(batched_, (0,), range(2, 3))(recorder, machine, args, kwargs)
