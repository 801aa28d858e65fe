"""Loops that run natively: a variant that leads back to its own point, as long as a tensor is true.

    while x.sum() < limit:      the piece computes the next values of what changes, and the condition;
        x = A @ x               the hop asks for its truth; one answer leads back to the start of the piece

`closed(variant, point, key)` finds out whether such a loop needs nothing but operators from one iteration to the next, and
the variant's runner then runs it to its end in one call. What it gives is what is alive at the end of the last iteration,
so the program goes on as if each iteration had been a call.

**Why the guards need no second look.** Between iterations nothing runs but the operators of the piece, which write no
memory from outside. So a guard that looks only at what does not change holds still. What changes are slots, and of each the
guards ask at most that it is a plain Tensor, of a certain layout, without history, in which no attribute hides a method:
each of its later values is one that the piece makes, a plain tensor of just that layout, which no tape follows; or it comes
from another slot of which the same is known. Anything else that a guard asks of a slot that changes, or of what is reached
through it, and the loop is left to Python. Native loops come back after some milliseconds, and guards are then looked at
again: other threads may have written.

Two engines give the same bits. One runs the native program of the piece again and again, moving the addresses of what
changes; it serves any operators. The other is a kernel of its own, for loops in which all tensors have one element; it is
made once a loop has been at work for a while.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from anfora.core.abstract import Layout, TensorType
from anfora.core.tensor import Tensor, current, view_array
from anfora.eager.entry import tensor_maker
from anfora.graph.facts.origins import Origin
from anfora.graph.ir.nodes import AnfNode
from anfora.graph.lower.ahead import Ahead
from anfora.graph.lower.arena import Kind
from anfora.graph.lower.fusion import scalars
from anfora.graph.lower.lower import Door
from anfora.kernel import repeat
from anfora.kernel.repeat import COLUMN, FIXED, ScalarLoop, Source, Truth

__all__ = ["Closed", "Loop", "asked_of_one", "closed", "truth_asked"]

#: Iterations of the program after which a scalar loop gets its kernel: compiling it takes as long as some ten thousand.
SCALAR_AFTER = 4096
#: Iterations for which numbers are computed ahead at first, where nobody knows how many there will be.
_FEW = 64
_FEWEST = 4  #: and later, where there were no more
#: Of so many runs the average is taken; one of fewer iterations is not worth its start (twice as many where numbers are
#: computed ahead), and the loop is left to Python so many times.
_TRIED, _SHORT, _SKIPPED = 16, 2, 256


@dataclass(frozen=True)
class Closed:
    """A loop of one piece.

    Attributes:
        condition: the origin of the tensor that is asked for its truth; None if guards on numbers end the loop.
        wanted: the loop goes on while it is this.
        sources: for each slot that changes, what it gets at the end of an iteration: a value of the piece, or what a slot
            holds.
        layouts: of the slots that change, and of those that they get.
        same: slots that get what an origin gives: each time the same object, once the slot holds it.
        numbers: for each slot that holds a number and changes, what it gets at the end of an iteration.
        guards: those on numbers that change.
    """

    condition: Origin | None
    wanted: bool
    sources: dict[int, Made | int]
    layouts: dict[int, Layout]
    same: list[tuple[int, Origin]] = field(default_factory=list)
    numbers: dict[int, Origin] = field(default_factory=dict)
    guards: list[tuple] = field(default_factory=list)

    def depends(self, origin: Any) -> bool:
        """Whether what an origin gives may change from one iteration to the next."""
        if not isinstance(origin, Origin):
            return False
        if origin.kind == "slot":
            return origin.key in self.sources or origin.key in self.numbers
        is_found = origin.kind in ("number", "known", "attr", "method", "item")
        return not is_found or any(map(self.depends, origin.parts))

    def is_number(self, origin: Origin) -> bool:
        """Whether it follows from numbers, and from what does not change."""
        if origin.kind == "number":
            return all(not isinstance(part, Origin) or self.is_number(part) for part in origin.base)
        return (origin.kind == "slot" and origin.key in self.numbers) or not self.depends(origin)


class Made(NamedTuple):
    """A value of the piece."""

    value: AnfNode


def closed(variant: Any, point: Any, key: Any) -> Closed | None:
    """The loop that a variant is with the outcome `key` of its hop, or its jump, which leads back to its point; None if it
    is none, or needs Python."""
    piece, end, origins = variant.piece, variant.end, variant.runner.origins
    condition, wanted = _condition(end, origins, key)
    if condition is None and end.call is not None:
        return None
    if piece.is_taped or piece.draws or piece.writes or piece.is_making or piece.leaves:
        return None
    if end.built or end.switch is not point.switch:
        return None
    sources: dict[int, Made | int] = {}
    layouts: dict[int, Layout] = {}
    same: list[tuple[int, Origin]] = []
    numbers: dict[int, Origin] = {}
    are_numbers = {
        origin.key
        for kind, origin, payload in piece.guards
        if (kind, origin.kind) == ("type", "slot") and payload in (int, float)
    }
    for slot, place in enumerate(end.edges[key][1]):
        if type(place) is not int:
            return None
        origin = origins[place]
        if slot in are_numbers:
            if (origin.kind, origin.key) != ("slot", slot):
                numbers[slot] = origin
        elif origin.kind == "slot":
            if origin.key != slot:
                sources[slot] = origin.key
        elif origin.kind == "made" and origin.base is None:
            sources[slot] = Made(origin.key[0])
            layouts[slot] = origin.key[1]
        elif origin.kind in ("known", "attr", "method", "item"):
            same.append((slot, origin))
        else:
            return None
    loop = Closed(condition, wanted, sources, layouts, same, numbers)
    if not _moves_on(loop) or not _guards_hold(loop, piece, origins):
        return None
    return loop


def asked_of_one(call: Any) -> tuple[int, Any] | None:
    """Of the image of a call: the slot of the one value that a function is given, and the function; None for others."""
    match call:
        case ("tuple", (("is", operation), ("tuple", (("slot", slot),)), ("dict", ()), ("is", None))):
            return slot, operation
    return None


def truth_asked(end: Any) -> tuple[int, bool] | None:
    """The slot of a tensor whose truth is all that a hop asks for, and whether it is for `not`."""
    slot, asks = asked_of_one(end.call) or (-1, None)
    return (slot, asks is operator.not_) if asks is bool or asks is operator.not_ else None


def _condition(end: Any, origins: Sequence[Origin], key: Any) -> tuple[Origin | None, bool]:
    """The origin of the tensor of one element that a hop asks for its truth, and the truth behind an outcome."""
    asked = truth_asked(end)
    if asked is not None and key[0] is bool:
        origin = origins[asked[0]]
        if origin.kind == "made" and origin.key[1].size == 1:
            return origin, key[1] is not asked[1]
    return None, False


def _moves_on(loop: Closed) -> bool:
    """Whether each slot that changes gets, in the end, what the piece makes or what never changes: two slots that
    exchange their values have no such end."""
    for slot in loop.sources:
        passed = {slot}
        at: Made | int = slot
        while type(at) is int and at in loop.sources:
            at = loop.sources[at]
            if type(at) is int:
                if at in passed:
                    return False
                passed.add(at)
    return True


def _guards_hold(loop: Closed, piece: Any, origins: Sequence[Origin]) -> bool:
    """Whether the guards that held at the start of the loop hold in each further iteration; see above."""
    told = _told_of_slots(piece.guards)
    if not all(_is_kept(loop, told, slot, source) for slot, source in loop.sources.items()):
        return False
    if not all(_is_kept_asking(loop, *guard) for guard in piece.guards):
        return False
    read = [each.origin for each in piece.inputs.values()]
    if any(loop.depends(origin) for origin in read if origin.kind != "slot"):
        return False
    numbers = [*loop.numbers.values(), *(each.origin for each in piece.numbers.values())]
    if not all(map(loop.is_number, numbers)):
        return False
    if any(loop.depends(origin) for _, origin in loop.same):
        return False
    return all(origin.kind in ("slot", "made") or loop.is_number(origin) for origin in origins)


def _told_of_slots(guards: Iterable[tuple[str, Origin, Any]]) -> dict[tuple[str, int], Any]:
    """What guards ask of slots; of attributes that they must not have, which."""
    told: dict[tuple[str, int], Any] = {}
    for kind, origin, payload in guards:
        if origin.kind == "slot" and kind == "not own":
            told.setdefault((kind, origin.key), set()).add(payload)
        elif origin.kind == "slot":
            told[kind, origin.key] = payload
    return told


def _is_kept(loop: Closed, told: dict[tuple[str, int], Any], slot: int, source: Made | int) -> bool:
    """Whether what a slot gets is as the guards ask of the slot."""
    if type(source) is int and not told.get(("not own", slot), _NONE) <= told.get(("not own", source), _NONE):
        return False
    if told.get(("type", slot)) is not Tensor or ("layout", slot) not in told:
        return False
    layout: Layout = told["layout", slot]
    if type(source) is not int:
        return loop.layouts[slot] is layout and layout.is_contiguous and not told.get(("history", slot), False)
    if told.get(("type", source)) is not Tensor or told.get(("layout", source)) is not layout:
        return False
    if told.get(("history", slot)) != told.get(("history", source)):
        return False
    loop.layouts[slot] = layout
    loop.layouts.setdefault(source, layout)  # of one that changes it is checked in its own turn
    return True


def _is_kept_asking(loop: Closed, kind: str, origin: Origin, payload: Any) -> bool:
    """Whether a guard holds in each iteration, or is one on numbers that each iteration asks: it is noted then."""
    is_no_tensor = kind == "not same" and payload.kind == "known" and not isinstance(payload.key, Tensor)
    if is_no_tensor and origin.kind == "slot":
        return True  # what a slot gets is a tensor
    if loop.depends(payload):
        return False
    if not loop.depends(origin):
        return True
    if loop.is_number(origin):
        loop.guards.append((kind, origin, payload))
        return True
    return origin.kind == "slot" and origin.key in loop.sources and kind in _OF_SLOTS


_OF_SLOTS = ("type", "layout", "history", "not own")
_NONE: frozenset[str] = frozenset()


class _Given(NamedTuple):
    """What stood in another slot when the native loop began."""

    slot: int


class _Ring(NamedTuple):
    """What the piece made in one of its iterations."""

    argument: int  #: of the program
    iteration: int


class Loop:
    """A closed loop on a segment.

    Args:
        loop: what changes.
        door: the segment.
        slots: the slots that its inputs are; -1 for those that are none.
        wanted: for the values that the segment gives, their numbers among its outputs.
        shown: slots that change and are alive at the end, tensors and then numbers.
        ahead: the numbers that change; None if there are none.
    """

    def __init__(
        self, loop: Closed, door: Door, slots: Sequence[int], wanted: dict[AnfNode, int], shown: Sequence[int],
        ahead: Ahead | None,
    ) -> None:  # fmt: skip
        self.loop, self.door, self.ahead = loop, door, ahead
        self.shown = tuple(slot for slot in shown if slot in loop.sources)
        self.shown_numbers = tuple(slot for slot in shown if slot in loop.numbers)
        self.is_possible = False
        self.rounds = 0  #: iterations that were done natively
        self._arguments = {slot: i for i, slot in enumerate(slots) if slot in loop.sources}
        self._made: dict[int, int] = {}  #: slot -> the argument that it gets
        for slot, source in loop.sources.items():
            if type(source) is Made:
                argument, layout, _ = door.handed[wanted[source.value]]
                if layout is not None or argument < door.inputs:  # it shares memory
                    return
                self._made[slot] = argument
        self.is_possible = len(self._arguments) == sum(slot in loop.sources for slot in slots)  # each is one input
        if not self.is_possible:
            return
        self._condition, self._truth = None, Truth(0, 0)
        if loop.condition is not None:
            where, _, at = door.handed[wanted[loop.condition.key[0]]]
            self._condition = where, at
            self._truth = Truth.of(loop.condition.key[1].dtype.code)
        handed = {argument for argument, *_ in door.handed}
        #: slots whose contents are wanted in the end: those shown, and those that outputs share memory with
        self._looked = [*self.shown, *(s for s, i in self._arguments.items() if i in handed and s not in shown)]
        self._arrange()
        self._scalar: Callable | None = None
        self._passed = 0  #: iterations so far
        self._expected = _FEW  #: iterations, from how many there were the last time
        self._runs = self._iterations = 0  #: of the last runs, see `_note`
        self._skipped = 0  #: times that it is not run
        self._may_be_scalar = door.singles is not None and not door.may_fail
        self._make = tensor_maker()

    def _arrange(self) -> None:
        """Number the cells of the table: arguments of the program, then slots that are no inputs of it but pass on what
        they hold, then spare arrays for what is made."""
        door, sources = self.door, self.loop.sources
        count = door.inputs + len(door.fresh)
        cells = dict(self._arguments)
        self._extra: list[int] = []
        moves: list[tuple[int, int]] = []
        pending = list(cells)
        while pending:
            slot = pending.pop()
            source = sources.get(slot)
            if type(source) is int:
                if source not in cells:
                    cells[source] = count + len(self._extra)
                    self._extra.append(source)
                    pending.append(source)
                moves.append((cells[slot], cells[source]))
            elif source is not None:
                moves.append((cells[slot], self._made[slot]))
        # An array lives from the iteration that makes it to the last one in which a slot holds it: so many there are.
        self._lengths = [1] * len(door.fresh)
        for slot in sources:
            depth, at = 1, sources[slot]
            while type(at) is int and at in sources:
                slot, at = at, sources[at]
                depth += 1
            if type(at) is Made:
                number = self._made[slot] - door.inputs
                self._lengths[number] = max(self._lengths[number], depth + 1)
        spare = count + len(self._extra)
        for number, length in enumerate(self._lengths):
            ring = [door.inputs + number, *range(spare, spare + length - 1)]
            spare += length - 1
            if length > 1:
                moves += zip(ring, (*ring[1:], ring[0]))
        columns = self.ahead.columns if self.ahead is not None else ()
        advances = [(column.argument, column.layout.dtype.storage.itemsize) for column in columns]
        self._words = repeat.specification(self._condition, self._truth, self.loop.wanted, moves, advances)

    # -- running ------------------------------------------------------------------------------------------------------

    def run(self, arrays: tuple[np.ndarray, ...], slots: list[Any]) -> tuple[list[np.ndarray], list[Any] | None] | None:
        """Run the loop from what stands in the slots.

        Returns:
            the outputs of the last iteration, and what the slots in `shown` held at its start; None if that is what they
            hold now. None in place of both, and nothing is done, if the guards on numbers do not hold, or if it would not
            go round often enough.
        """
        if self._skipped > 0:
            self._skipped -= 1
            return None
        ahead = self.ahead
        if ahead is None:
            outputs, before, last = self._run(arrays, slots, repeat.MOST_ITERATIONS)
            self._note(last + 1)
            return outputs, before
        most = repeat.MOST_ITERATIONS if self.loop.condition is None else self._expected
        span = ahead.run(slots, most)
        if not span.iterations:
            return None
        if span.columns:
            given = list(arrays)
            for column, values in zip(ahead.columns, span.columns):
                given[column.argument] = values
            arrays = tuple(given)
        outputs, before, last = self._run(arrays, slots, span.iterations)
        self._expected = min(max(_FEWEST, 2 * (last + 1)), repeat.MOST_ITERATIONS)
        self._note(last + 1)
        if not last:
            return outputs, None
        held = span.at(last)
        return outputs, [*(before or ()), *[held[slot] for slot in self.shown_numbers]]

    def _note(self, iterations: int) -> None:
        """Where the loop ends at once again and again, since a condition goes to and fro, it is not worth its start."""
        self._runs += 1
        self._iterations += iterations
        self.rounds += iterations
        if self._runs == _TRIED:
            if self._iterations < (_SHORT if self.ahead is None else 2 * _SHORT) * _TRIED:
                self._skipped = _SKIPPED
            self._runs = self._iterations = 0

    def _run(
        self, arrays: tuple[np.ndarray, ...], slots: list[Any], most: int
    ) -> tuple[list[np.ndarray], list[Tensor] | None, int]:
        """So many iterations at most; gives the number of the last one too."""
        if self._scalar is not None:
            return self._scalar(arrays, slots, most)
        door = self.door
        rings = [
            [np.empty(shape, dtype) for _ in range(length)] for (shape, dtype), length in zip(door.fresh, self._lengths)
        ]
        table = [*arrays, *[ring[0] for ring in rings], *[current(slots[slot])._array for slot in self._extra]]
        for ring in rings:
            table += ring[1:]
        report = np.empty(1, np.int64)
        words = self._words if most >= repeat.MOST_ITERATIONS else repeat.limited(self._words, most)
        code = repeat.repeat(door.program, words, report, table)
        last = report.item()
        self._passed += last + 1
        if self._may_be_scalar and self._passed >= SCALAR_AFTER:
            self._may_be_scalar = False
            self._scalar = self._make_scalar()
        now = [*arrays, *[ring[last % len(ring)] for ring in rings]]
        for column in self.ahead.columns if self.ahead is not None else ():
            now[column.argument] = arrays[column.argument][last : last + 1].reshape(())

        def array_of(slot: int, made: _Ring) -> np.ndarray:
            ring = rings[made.argument - door.inputs]
            return ring[made.iteration % len(ring)]

        if code > 0:
            if last:
                self._before(self._arguments, last, now, slots, array_of)
            raise door.failure(code, now)
        return *self._finished(last, now, slots, array_of), last

    def _finished(
        self, last: int, now: list[Any], slots: list[Any], array_of: Callable[[int, _Ring], np.ndarray]
    ) -> tuple[list[np.ndarray], list[Tensor] | None]:
        """What `run` gives after iteration `last`, from the arguments of the program: inputs as they were in the first
        iteration, what was made as it is now."""
        before = self._before(self._looked, last, now, slots, array_of) if last and self._looked else {}
        outputs = [now[i] if layout is None else view_array(now[i], layout, at) for i, layout, at in self.door.handed]
        return outputs, [before[slot] for slot in self.shown] if before else None

    def _before(
        self, wanted: Iterable[int], last: int, now: list[Any], slots: list[Any],
        array_of: Callable[[int, _Ring], np.ndarray],
    ) -> dict[int, Tensor]:  # fmt: skip
        """What slots held at the start of iteration `last`; puts it among the arguments of the program too."""
        before: dict[int, Tensor] = {}
        for slot in wanted:
            held = self._held(slot, last)
            if isinstance(held, _Given):
                before[slot] = current(slots[held.slot])
            else:
                before[slot] = self._make(array_of(slot, held), self.loop.layouts[slot], None)
            argument = self._arguments.get(slot)
            if argument is not None:
                now[argument] = before[slot]._array
        return before

    def _held(self, slot: int, iteration: int) -> _Given | _Ring:
        """What a slot holds at the start of an iteration."""
        sources = self.loop.sources
        while iteration:
            iteration -= 1
            if slot not in sources:
                break
            source = sources[slot]
            if isinstance(source, Made):
                return _Ring(self._made[slot], iteration)
            slot = source
        return _Given(slot)

    # -- scalar loops -------------------------------------------------------------------------------------------------

    def _make_scalar(self) -> Callable | None:
        """The function that runs the loop as a kernel of its own; None where that cannot be."""
        loop, door = self.loop, self.door
        if not door.singles or not all(layout.size == 1 for layout in loop.layouts.values()):
            return None
        made = sorted(door.made)
        found = scalars(door.singles, [(door.made[number], 0) for number in made])
        if found is None:
            return None
        condition = None
        if self._condition is not None:
            where, at = self._condition
            if where not in made or at:
                return None
            condition = made.index(where), self._truth.mask
        order = [*self._arguments, *(slot for slot in self._looked if slot not in self._arguments)]
        for slot in order:  # grows: slots that pass on what they hold
            source = loop.sources.get(slot)
            if type(source) is int and source not in order:
                order.append(source)
        cells = {slot: i for i, slot in enumerate(order)}
        changing = {argument: cells[slot] for slot, argument in self._arguments.items()}
        changing.update((column.argument, COLUMN) for column in (self.ahead.columns if self.ahead is not None else ()))
        operands = []
        readers: list[tuple[int, Layout, int, np.ndarray | None]] = []
        for place, code, elem in found.given:
            root, layout = place.root, TensorType(place.layout.dtype, ()).contiguous
            if root.kind is Kind.CONSTANT:
                readers.append((-1, layout, 0, view_array(door.kept[root.number], layout, place.offset)))
            elif root.kind is Kind.INPUT:
                readers.append((root.number, layout, place.offset, None))
            else:
                return None
            operands.append((changing.get(readers[-1][0], FIXED), code, elem))
        kept = []
        for slot in order:
            source = loop.sources.get(slot, slot)
            number = cells[source] if type(source) is int else made.index(self._made[slot])
            kept.append((loop.layouts[slot].dtype.code, Source(type(source) is not int, number)))
        looked = tuple(cells[slot] for slot in self._looked)
        whole = ScalarLoop(
            found.body, tuple(operands), tuple(found.stored), tuple(kept), looked, condition, loop.wanted
        )
        return self._scalar_run(repeat.scalar_loop.address(whole), readers, order, made)

    def _scalar_run(self, address: int, readers: list, order: list[int], made: list[int]) -> Callable:
        door, looked = self.door, self._looked
        results_like = [door.fresh[number - door.inputs] for number in made]
        looked_like = [(self.loop.layouts[slot].shape, self.loop.layouts[slot].dtype.storage) for slot in looked]
        is_plain = not looked and door.handed == [(number, None, 0) for number in made]
        nothing = [None] * len(door.fresh)

        def run(
            arrays: tuple[np.ndarray, ...], slots: list[Any], most: int
        ) -> tuple[list[np.ndarray], list[Tensor] | None, int]:
            operands = [
                constant if constant is not None else view_array(arrays[i], layout, at) if at else arrays[i]
                for i, layout, at, constant in readers
            ]
            begin = [current(slots[slot])._array for slot in order]
            results = [np.empty(shape, dtype) for shape, dtype in results_like]
            held = [np.empty(shape, dtype) for shape, dtype in looked_like]
            report = np.empty(1, np.int64)
            repeat.run_scalar_loop(address, report, operands, begin, results, held, most)
            if is_plain:
                return results, None, report.item()
            now: list[Any] = [*arrays, *nothing]
            for number, array in zip(made, results):
                now[number] = array
            finished = self._finished(report.item(), now, slots, lambda slot, _: held[looked.index(slot)])
            return *finished, report.item()

        return run
