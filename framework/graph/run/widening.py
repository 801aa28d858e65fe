"""Numbers in variables that are others each time that a program comes by a moment.

    i = 0                         at the `while` all is the same but for i: 0, 1, 2 are moments of their own,
    while x.sum() > limit:        then i is taken as a number that varies, and all further iterations meet in one point
        x, i = x - 0.1, i + 1

Where the program turns out to depend on such a number (an index, a shape), the variable is exact from then on, as if
nothing had been: each value is a moment of its own.
"""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

from anfora.graph.facts.origins import Number, Origin, starts_of
from anfora.graph.lower.ranges import MOST_HEADS
from anfora.graph.state.images import Image, signature

__all__ = ["Widening"]

Variable = tuple[types.CodeType, str]


class Widening:
    """What is known of the variables of a program."""

    def __init__(self) -> None:
        self._seen: dict[Any, list[dict[tuple[int, str], Any]]] = {}  #: by moment, its numbers: (frame, name) -> value
        self._wide: set[Variable] = set()
        self._exact: set[Variable] = set()

    def widen(self, image: Image, frames: Sequence[Any]) -> list[tuple[dict[str, Any], str, Any]]:
        """Told of a moment that is new. Where it differs from others only in numbers, they are made numbers that vary.

        Returns:
            the variables that are changed: the table in which they stand, the name, the value before.
        """
        numbers: dict[tuple[int, str], Any] = {}
        moment = signature(self._without_numbers(image, numbers))
        if not numbers:
            return []
        seen = self._seen.setdefault(moment, [])
        seen.append(numbers)
        if len(seen) <= MOST_HEADS:
            return []
        last = seen[-2]
        changed = []
        for (place, name), value in numbers.items():
            before = last[place, name]
            if repr(before) != repr(value):
                frame = frames[place]
                self._wide.add((frame.code.python, name))
                frame.locals[name] = Number(Origin("known", value), value)
                changed.append((frame.locals, name, value))
        return changed

    def narrow(self, origin: Origin, frames: Sequence[Any]) -> list[Number]:
        """The program depends on a number: the variables that it may follow from are exact from now on. Gives what they
        were."""
        if not self._wide:
            return []
        leaves = {id(leaf) for leaf in starts_of(origin)}
        found = []
        for frame in frames:
            for name, value in frame.locals.items():
                variable = frame.code.python, name
                if type(value) is not Number or variable not in self._wide:
                    continue
                if any(id(leaf) in leaves for leaf in starts_of(value.origin)):
                    self._exact.add(variable)
                    found.append(value)
                    frame.locals[name] = value.value
        return found

    def _without_numbers(self, image: Image, numbers: dict[tuple[int, str], Any]) -> Image:
        """The image of frames, with types in place of the numbers in their variables, which are noted."""
        if image[0] != "tuple":
            return image
        frames = []
        for place, frame in enumerate(image[1]):
            if frame[0] == "frame" and frame[5][2][0] == "dict":
                table = []
                for key, value in frame[5][2][1]:
                    is_number = value[0] == "is" and type(value[1]) in (int, float)
                    if is_number and (frame[4].python, key[1]) not in self._exact:
                        numbers[place, key[1]] = value[1]
                        value = ("is", type(value[1]))
                    table.append((key, value))
                parts = (*frame[5][:2], ("dict", tuple(table)), *frame[5][3:])
                frame = (*frame[:5], parts)
            frames.append(frame)
        return "tuple", tuple(frames)
