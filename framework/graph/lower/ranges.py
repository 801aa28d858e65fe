"""Loops over ranges: long ones stay loops.

    for i in range(10_000):     the first iteration is recorded as it comes;
        x = x * a + i           each further one starts at a point of its own, and what follows leads back to it

In place of Python's iterator the recorder puts a `Counter` on the stack, whose next item and end are numbers that vary. So
all iterations meet in one point, loops of any length share it, and `loops.py` runs them natively. The pieces on both sides
are joined by a `Jump`, an end of a piece at which nothing is asked of the interpreter.

A condition on the counter (`if i % 2`) makes two variants of a piece, each with a guard on numbers, and so does a number
that follows from it and has few values (`rows[i % 3]`): control.py makes native branches of them.

A loop whose body depends on the value of the counter in another way (an index, a shape, an item of a list) is unrolled: the
iterator takes the counter's place, and its value is guarded. So is one whose state is another after each iteration, as that
of a list which grows; one that leaves nodes on a tape, and one in which conditions change often, where it turns out not to
go natively (large tensors): both unless they are very long.
"""

from __future__ import annotations

import itertools
import operator
import types
from collections.abc import Iterable, Iterator
from typing import Any

from anfora.graph.facts.origins import Number, Origin, starts_of

__all__ = [
    "Counter", "Jump", "MOST_ALTERNATING_HEADS", "MOST_HEADS", "MOST_CALLS", "MOST_TAPED", "MOST_UNROLLED", "ROLLED_FROM",
    "constant", "depends_on_counter", "images_in", "is_in_front_of_loop", "iterator_of", "places_in", "site_of", "sites_in",
]  # fmt: skip

#: The number of items from which a loop stays one. Of two operators on single elements, 256 iterations are recorded and
#: lowered in 28 ms, and then run in 2.5 µs, since many share a native loop; as a loop it is 3 ms, and then 8 µs.
ROLLED_FROM = 256
#: A condition that goes the same way that often in a row, on average, is left to Python where it is not native. One that
#: changes more often has the loop unrolled then, unless that takes seconds: of so many iterations, or of so many operators.
RUN = 16
MOST_UNROLLED = 20_000
MOST_CALLS = 40_000
#: A loop that leaves nodes on a tape does not go natively, so that each iteration costs as much as a call; up to so many
#: operators in all it is unrolled at once. 1,000 small operators take a hundredth of PyNative mode's time then, not thrice
#: its.
MOST_TAPED = 4_000
#: So many values of a number that follows from the counter are told apart by variants.
FEW_VALUES = 4
#: So many points that start an iteration are made in a row: one more, and the state does not settle.
MOST_HEADS = 3
#: And so many in all, where a condition on the counter changes often.
MOST_ALTERNATING_HEADS = 8


class Counter:
    """An iterator over a range in a `for` loop of the recorder's, which only the loop itself sees.

    Args:
        item: the next item.
        stop: where the range ends.
        step: how far it is from one item to the next.
        site: the code and the number of the instruction that asks for items.
    """

    __slots__ = ("calls", "given", "is_rolled", "item", "site", "step", "stop")

    def __init__(self, item: Number, stop: Number, step: int, site: tuple[types.CodeType, int]) -> None:
        self.item, self.stop, self.step, self.site = item, stop, step, site
        self.given: Number | None = None  #: the last item
        self.calls = 0  #: of operators in its piece, in front of the loop
        self.is_rolled = False  #: whether an iteration has started at a point

    @classmethod
    def of(cls, items: range, site: tuple[types.CodeType, int]) -> Counter:
        """Over a range that is known."""
        return cls(constant(items.start), constant(items.stop), items.step, site)

    @property
    def rest(self) -> range:
        """The items that are still to come."""
        return range(int(self.item.value), int(self.stop.value), self.step)

    def has_more(self) -> tuple[Origin, bool]:
        """Whether there is another item: how to find out, and now."""
        before = operator.lt if self.step > 0 else operator.gt
        return Origin("number", before, (self.item.origin, self.stop.origin)), bool(self.rest)

    def take(self) -> Number:
        """The next item."""
        self.given = item = self.item
        self.item = Number(Origin("number", operator.add, (item.origin, self.step)), item.value + self.step)
        return item

    def __repr__(self) -> str:
        return f"<counter over {self.rest}>"


class Jump:
    """An end of a piece that leads to a point, with all that is alive."""

    call = None  #: nothing is asked of the interpreter

    def __init__(self, point: Any, count: int, at: tuple) -> None:
        self.point, self.count, self.at = point, count, at
        self.switch = point.switch
        self.frames = point.frames
        self.built: dict[int, int] = {}
        self.edges: dict[Any, tuple[Any, list[int]]] = {None: (point, list(range(count)))}


def constant(value: int) -> Number:
    """A number of which the program behaves as if it varied."""
    return Number(Origin("known", value), value)


def iterator_of(counter: Counter) -> Iterator[int]:
    """The iterator that Python has in the place of a counter."""
    return iter(counter.rest)


def is_in_front_of_loop(frame: Any) -> bool:
    """Whether what the present instruction gives is what a `for` statement goes over, and is seen by nobody else."""
    opcodes = frame.code.opcodes
    return opcodes[frame.pc] == "ITER" and opcodes[frame.pc + 1] == "NEXT"


def depends_on_counter(origin: Origin, counter: Counter) -> bool:
    """Whether a number may follow from a counter. In an iteration that started at a point this may be any number that was
    alive there."""
    leaves = list(starts_of(origin))
    if counter.is_rolled:
        return any(leaf.kind == "slot" for leaf in leaves)
    own = [id(leaf) for number in (counter.given, counter.item) if number for leaf in starts_of(number.origin)]
    return any(id(leaf) in own for leaf in leaves)


def length(items: range) -> int:
    """The number of items; `len` refuses where it is larger than an address."""
    return max(0, -(-(items.stop - items.start) // items.step))


def goes_to_and_fro(origin: Origin, counter: Counter) -> bool:
    """Whether a truth that follows from a counter changes often while it counts."""
    if length(counter.rest) > MOST_UNROLLED:
        return False
    truths = [bool(value) for value in _values(origin, counter, counter.rest[: 64 * RUN])]
    changes = sum(one is not other for one, other in itertools.pairwise(truths))
    return changes * RUN > len(truths)


def has_few_values(origin: Origin, counter: Counter) -> bool:
    """Whether a number that follows from a counter is one of a few: now, in the next iterations, and in some of all."""
    items = counter.rest
    near, far = items[: 32 * RUN], items[32 * RUN :: max(1, length(items) // (32 * RUN))]
    found = _values(origin, counter, (*near, *far))
    return bool(found) and len({(type(value), value) for value in found}) <= FEW_VALUES


def _values(origin: Origin, counter: Counter, items: Iterable[int]) -> list[Any]:
    """What follows from a counter, for the present item and some others, up to the first for which it is an error."""
    given = counter.given
    found: list[Any] = []
    if given is None:
        return found
    for item in (given.value, *items):
        try:
            found.append(_value(origin, {id(given.origin): item, id(counter.item.origin): item + counter.step}))
        except Exception:
            break
    return found


def _value(part: Any, values: dict[int, Any]) -> Any:
    if not isinstance(part, Origin):
        return part
    if id(part) in values:
        return values[id(part)]
    if part.kind == "number":
        return part.key(*[_value(each, values) for each in part.base])
    if part.kind == "known":
        return part.key
    raise LookupError(part)


def images_in(image: Any) -> list[tuple]:
    """All that an image is made of; it begins with a word each. A constant of the program's may look like that, so what is
    in one is not looked at."""
    found: list[tuple] = []
    pending = [image]
    while pending:
        part = pending.pop()
        if type(part) is not tuple or not part:
            continue
        if type(part[0]) is str:
            found.append(part)
            if part[0] == "is":
                continue
        pending += part
    return found


def sites_in(image: Any) -> set[tuple[types.CodeType, int]]:
    """The sites of all counters in an image."""
    return {part[4] for part in images_in(image) if part[0] == "counter" and len(part) == 5}


def site_of(image: Any) -> tuple[types.CodeType, int] | None:
    """The loop of which an iteration starts at a moment, given its image; None if none does."""
    match image:
        case ("tuple", (*_, ("frame", at, _, _, _, (_, ("tuple", (*_, ("counter", _, _, _, site))), *_)))):
            return site if site[1] == at else None
    return None


def places_in(image: Any) -> list[tuple[Any, int]]:
    """The code of each frame in the image of a moment, the outermost first, and where it stands there; none in that of a
    call's beginning. Where a variable further out holds a generator that runs, its frame comes a second time, as what has
    been met before."""
    if image[0] != "tuple":
        return []
    return [(frame[4], frame[1]) if frame[0] == "frame" else (frame[3], frame[2]) for frame in image[1]]


def starts_at(image: Any, frames: list) -> bool:
    """Whether the image of a moment is one of the present instruction."""
    places = places_in(image)
    return len(places) == len(frames) and bool(places) and places[-1][1] == frames[-1].pc - 1
