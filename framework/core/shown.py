"""How tensors look in `repr`, as in MindSpore: numbers in columns, long axes cut in the middle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["shown"]

_EDGE = 3  #: how many entries stand at both ends of an axis that is cut
_LONGEST = 1000  #: entries of a single axis before it is cut; several axes are cut behind twice the edge
_WHOLE, _OTHERS = 24, 12  #: entries of a single axis in a line: of integers, of others


def shown(array: np.ndarray, digits: int | None = 8) -> str:
    """The entries of an array, of numbers or truths.

    Args:
        digits: behind the point of floating-point numbers; None for as few as tell them (of six).
    """
    is_float = array.dtype.kind == "f"
    is_complex = array.dtype.kind == "c"
    if array.ndim == 0:
        return f"{array.item():g}" if is_float or is_complex else str(array.item())
    if not array.size:
        return ""
    longest = _LONGEST if array.ndim == 1 else 2 * _EDGE
    cut = [length > longest for length in array.shape]
    for axis, length in enumerate(array.shape):
        if cut[axis]:
            array = np.take(array, [*range(_EDGE), *range(length - _EDGE, length)], axis)
    write: Callable[[Any], str] = (
        str
        if not (is_float or is_complex)
        else "{:g}".format
        if digits is None or is_complex
        else f"{{:.{digits}e}}".format
    )
    words = [write(value) for value in array.ravel().tolist()]
    width = digits + 7 if is_float and digits is not None else 0 if is_complex else max(map(len, words))
    entries = np.array([f"{word:>{width}}" for word in words], object).reshape(array.shape)
    if array.ndim == 1 and not cut[0]:
        return _lines(entries.tolist(), _WHOLE if array.dtype.kind in "iu" or digits is None else _OTHERS)
    return _nested(entries, cut, 1)


def _lines(words: list[str], count: int) -> str:
    lines = [", ".join(words[start : start + count]) for start in range(0, len(words), count)]
    return "[" + ", \n ".join(lines) + ("\n ]" if len(words) % count == 0 else "]")


def _nested(entries: np.ndarray, cut: list[bool], depth: int) -> str:
    if entries.ndim == 1:
        first, last = ", ".join(entries[:_EDGE]), ", ".join(entries[_EDGE:])
        return f"[{first} ... {last}]" if cut[0] else "[" + ", ".join(entries) + "]"
    rows, line = [_nested(part, cut[1:], depth + 1) for part in entries], "\n" + " " * depth
    if cut[0]:
        return "[" + f",{line}".join([*rows[:_EDGE], "..."]) + line + f",{line}".join(rows[_EDGE:]) + "]"
    return "[" + f",{line}".join(rows) + "]"
