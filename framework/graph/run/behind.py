"""From one piece to the next: what is alive behind a hop, and what makes two moments one point."""

from __future__ import annotations

from typing import Any

from anfora.graph.facts import known
from anfora.graph.facts.origins import Number, Origin
from anfora.graph.lower.ranges import Jump
from anfora.graph.machine.switches import Switches
from anfora.graph.record.recorder import Recorder
from anfora.graph.run.points import EdgeArgument, Hop, Variant
from anfora.graph.state.images import Image, signature
from anfora.graph.state.moments import VARYING, Live, Outcome, leaves_of

__all__ = ["Behind", "key_of", "lead_past"]


class Behind:
    """What is alive behind a hop, and from where it comes: a slot of what was alive before, or a path in the outcome.

    Attributes:
        live: what is alive.
        places: of each of it the place where it comes from.
        same: pairs of places where one object stands, in this call.
    """

    def __init__(self, recorder: Recorder, before: Live, outcome: Outcome) -> None:
        self._recorder, self._outcome = recorder, outcome
        self.live = Live(recorder)
        self.places: list[EdgeArgument] = []
        self.same: list[tuple[EdgeArgument, EdgeArgument]] = []
        self._found: dict[int, list[EdgeArgument]] = {}  #: where an object stands: two places may hold one
        for path, value in leaves_of(outcome):
            self._found.setdefault(id(value), []).append(path)
        for number, value in enumerate(before.values):
            self._found.setdefault(id(value), []).append(number)

    def note_outcome(self, hop: Hop, stack: list[Any]) -> Any:
        """The key of the outcome. Numbers in what stands on the stack of it are ones that vary from here on."""
        outcome = self._outcome
        hop.note(outcome)
        value = outcome.value
        is_there = outcome.error is None and not hop.is_step and bool(stack) and stack[-1] is value
        hop.items_vary = hop.items_vary or (is_there and type(value) is tuple)
        key = hop.key_of(outcome)
        kinds = VARYING if hop.is_outlined else (float,)
        if is_there and (type(value) is tuple or key in kinds or key in hop.varying):
            numbers: list[tuple[Number, tuple]] = []
            stack[-1] = _with_numbers(outcome, value, (), numbers, kinds)
            self._found.update((id(number), [path]) for number, path in numbers)
            self._recorder.holds = self._recorder.holds or bool(numbers)
        return key

    def slot(self, value: Any) -> int | None:
        """The slot of a value, a new one if it needs one; None if it comes from neither."""
        known = self.live.index.get(id(value))
        if known is not None:
            return known
        found = self._found.get(id(value))
        if found is None:
            return None
        place, *others = found
        self.same.extend((place, other) for other in others)
        self.places.append(place)
        return self.live.add(value, Origin("slot", len(self.live.values)))


def _with_numbers(
    outcome: Outcome, value: Any, path: tuple, numbers: list[tuple[Number, tuple]], kinds: tuple[type, ...]
) -> Any:
    """What a hop gave, with numbers that vary in the places of numbers (not of how a loop has ended), which are noted, each
    with the path to it."""
    if type(value) is tuple:
        if not outcome.takes_apart(value, len(path)):
            return value
        items = [
            _with_numbers(outcome, x, (*path, i), numbers, kinds)
            if type(x) is tuple or (type(x) in kinds and (i or path or type(x) is not str))
            else x
            for i, x in enumerate(value)
        ]
        return value if all(new is old for new, old in zip(items, value)) else tuple(items)
    numbers.append((Number(Origin("result", path), value), path))
    return numbers[-1][0]


def key_of(image: Image, live: Live, switch: Switches) -> tuple:
    """What moments have in common that are one point."""
    return signature(image), tuple(type(value) for value in live.values), switch


def lead_past(hop: Hop, name: Any, variant: Variant) -> None:
    """Let an outcome of a hop lead to behind the piece that comes next, if that hands on what is alive, and no more."""
    end, origins, piece = variant.end, variant.runner.origins, variant.piece
    if (
        isinstance(end, Jump)
        and not (piece.calls or piece.draws or piece.writes or piece.numbers or piece.is_making or piece.leaves)
        and all(origin.kind == "slot" for origin in origins)
        and all(_is_asked_again(kind, origin) for kind, origin, _ in piece.guards)
    ):
        _, places = hop.edges[name]
        hop.edges[name] = end.point, [places[origin.key] for origin in origins[: end.count]]


def _is_asked_again(kind: str, origin: Origin) -> bool:
    """Whether a guard says what stands in a slot, whatever is done with it: each piece that takes it asks that."""
    if origin.kind == "number":
        return origin.key is known.overrides
    return origin.kind == "slot" and kind in ("type", "layout", "history")
