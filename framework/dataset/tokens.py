"""Transforms of rows of tokens: their neighbours together, longer and shorter rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.dataset import checks
from anfora.dataset.functions import Transform

__all__ = ["AddToken", "Ngram", "SlidingWindow", "Truncate", "TruncateSequencePair"]


def _words(array: Any, who: str) -> np.ndarray:
    found = np.asarray(array)
    if found.dtype.kind != "U":
        raise OpRuntimeError(f"{who}: the tokens should be words, but are {found.dtype}")
    return found


class AddToken(Transform):
    """A token more in each row.

    Args:
        token: the word.
        begin: whether it stands in front, or at the end.
    Example:
        >>> AddToken("[CLS]")(np.array(["a", "b"])).tolist()
        ['[CLS]', 'a', 'b']
    """

    def __init__(self, token: str, begin: bool = True) -> None:
        if not isinstance(token, str):
            raise checks.wrong_type("token", token, str)
        self.token, self.begin = token, checks.boolean("begin", begin)

    def __call__(self, *fields: Any) -> Any:
        words = _words(fields[0], "AddToken")
        if words.ndim not in (1, 2):
            raise OpRuntimeError(f"AddToken: the tokens should have one or two axes, but have {words.ndim}")
        more = np.full((*words.shape[:-1], 1), self.token)
        return np.concatenate([more, words] if self.begin else [words, more], -1)


class Ngram(Transform):
    """Tokens that follow each other, joined.

    Args:
        n: how many, or a list of such numbers, for which the results follow each other.
        left_pad, right_pad: (token, count): tokens that are put in front and at the end, at most n − 1 of them.
        separator: what stands between joined tokens.
    Example:
        >>> Ngram(2)(np.array(["a", "b", "c"])).tolist()
        ['a b', 'b c']
    """

    def __init__(
        self, n: Any, left_pad: tuple[str, int] = ("", 0), right_pad: tuple[str, int] = ("", 0), separator: str = " "
    ) -> None:
        counts = [n] if checks.is_integer(n) else n
        if not isinstance(counts, list) or not counts or not all(map(checks.is_integer, counts)):
            raise OpValueError("n needs to be a non-empty list of positive integers.", arg="n")
        for place, count in enumerate(counts):
            if count <= 0:
                raise OpValueError(f"Input gram_{place} must be greater than 0.", arg="n")
        for name, pad in (("left_pad", left_pad), ("right_pad", right_pad)):
            if not (isinstance(pad, tuple) and len(pad) == 2 and isinstance(pad[0], str) and checks.is_integer(pad[1])):
                raise OpValueError(f"{name} needs to be a tuple of (str, int).", arg=name)
            if pad[1] < 0:
                raise OpValueError("padding width need to be positive numbers.", arg=name)
        if not isinstance(separator, str):
            raise checks.wrong_type("separator", separator, str)
        self.counts, self.left, self.right, self.separator = counts, left_pad, right_pad, separator

    def __call__(self, *fields: Any) -> Any:
        words = _words(fields[0], "Ngram")
        if words.ndim != 1:
            raise OpRuntimeError(f"Ngram: the tokens should have one axis, but have {words.ndim}")
        made = []
        for n in self.counts:
            (before, some), (behind, more) = self.left, self.right
            row = [before] * min(some, n - 1) + words.tolist() + [behind] * min(more, n - 1)
            made += [self.separator.join(row[start : start + n]) for start in range(len(row) - n + 1)] or [""]
        return np.array(made)


class SlidingWindow(Transform):
    """All runs of so many neighbours, one below the other.

    Args:
        width: how many.
        axis: of a row, which has one: 0 or −1.
    Example:
        >>> SlidingWindow(2)(np.array([1, 2, 3])).tolist()
        [[1, 2], [2, 3]]
    """

    def __init__(self, width: int, axis: int = 0) -> None:
        self.width = checks.integer_in("width", width, 1)
        if not checks.is_integer(axis):
            raise OpTypeError(f"axis should be an integer, but got {axis!r}", arg="axis")
        self.axis = axis

    def __call__(self, *fields: Any) -> Any:
        row = np.asarray(fields[0])
        if row.ndim != 1 or self.axis not in (0, -1):
            raise OpRuntimeError(
                f"SlidingWindow: axis {self.axis} of rows with {row.ndim} axes; it takes rows with one"
            )
        if len(row) < self.width:
            return np.empty(0, row.dtype)
        return np.lib.stride_tricks.sliding_window_view(row, self.width).copy()


class Truncate(Transform):
    """At most so many tokens, from the front.

    Args:
        max_seq_len: how many.
    """

    def __init__(self, max_seq_len: int) -> None:
        self.longest = checks.integer_in("max_seq_len", max_seq_len, 1)

    def __call__(self, *fields: Any) -> Any:
        return np.asarray(fields[0])[..., : self.longest]


class TruncateSequencePair(Transform):
    """Two rows of tokens, of which the longer one loses its last token until both together are short enough.

    Args:
        max_length: of both together.
    """

    one_to_one = False

    def __init__(self, max_length: int) -> None:
        self.longest = checks.integer_in("max_length", max_length, 1)

    def __call__(self, *fields: Any) -> Any:
        first, second = map(np.asarray, fields)
        m, n = len(first), len(second)
        while m + n > self.longest:
            m, n = (m - 1, n) if m > n else (m, n - 1)
        return first[:m], second[:n]
