"""The version of a class: a number that becomes another one whenever something is set or deleted in it, or in a base.

CPython gives a class a tag, a number that no class had before, when something is looked up in it, and takes it away when an
attribute of the class, or of one of its bases, is set or deleted. Where the tag lies in a class is found by trying.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
from typing import Any

__all__ = ["NEVER", "tag_of", "version_of"]

NEVER = -1  #: a version that no class has


def version_of(kind: type) -> int:
    """The tag of a class; NEVER where it has none, since there have been too many, or that is not to be found out."""
    hasattr(kind, "_")  # which gives it one
    return tag_of(kind).value or NEVER


def tag_of(kind: type) -> Any:
    """What has the tag of a class, made in Python, as its `value`; that is 0 where there is none."""
    place = _place_of_tag()
    return _NoTag if place is None else ctypes.c_uint.from_address(id(kind) + place)


class _NoTag:
    value = 0


@functools.cache
def _place_of_tag() -> int | None:
    """How many bytes behind the start of a class its tag lies."""

    class Tried:
        pass

    class Other:
        pass

    size = int(vars(type)["__basicsize__"].__get__(type))  # of a class, which is an object of `type`
    found: list[list[tuple[list[int], list[int]]]] = []
    for kind in (Tried, Other):
        words = (ctypes.c_uint * (size // ctypes.sizeof(ctypes.c_uint))).from_address(id(kind))
        rounds = []
        for turn in range(4):
            setattr(kind, f"name{turn % 2}", turn)
            hasattr(kind, "_")
            first = list(words)
            hasattr(kind, "_")
            rounds.append((first, list(words)))
        found.append(rounds)
    rounds, others = found
    places = [
        place
        for place in range(len(words))
        if all(first[place] == again[place] > 0 for first, again in rounds)
        and all(later[place] > earlier[place] for (earlier, _), (later, _) in itertools.pairwise(rounds))
        # Python 3.13 also counts how many tags a class has had: as many as another of the same history.
        and others[0][0][place] > rounds[-1][0][place]
    ]
    return places[0] * ctypes.sizeof(ctypes.c_uint) if len(places) == 1 else None
