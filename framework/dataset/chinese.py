"""Words in texts that have no spaces between them, by the dictionary and the model in cppjieba's files.

Between separators (white space, "，", "。") a text is cut in one of three ways.

*By the dictionary*: into the words whose frequencies have the largest product. A sign that is no word counts as the rarest
one; of equal products the shorter first word wins.

*By the model*: each sign begins a word, is in one, ends one, or is one: a hidden Markov model, whose likeliest states are
found by Viterbi's algorithm. Letters with the digits behind them, and numbers, are words.

*Mixed*: by the dictionary, and where that gives several single signs in a row, these by the model.

Source: the algorithms of jieba (Sun Junyi) in their form of cppjieba; the files' formats are its own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

from anfora.core import exact
from anfora.core.errors import OpRuntimeError

__all__ = ["Dictionary", "Model", "mixed", "parts"]

_Span = tuple[int, int]  # from a sign to behind another

_ENDS, _ALONE = 1, 3  #: states of a sign; 0 begins a word, 2 is inside of one
_NEVER = -3.14e100  #: the logarithm of what does not occur, in cppjieba's files and in its sums
_PARTS = re.compile("[ \t\n，。]|[^ \t\n，。]+")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9]*|[0-9][0-9.]*|[\0-\x7f]")


def parts(text: str) -> Iterator[_Span]:
    """Separators, and what is between them."""
    return (found.span() for found in _PARTS.finditer(text))


class Dictionary:
    """Words and how often they occur, from a file with a line "word frequency tag" for each."""

    def __init__(self, path: str) -> None:
        self.frequencies: dict[str, float] = {}
        all_frequencies = []
        for number, line in enumerate(_lines(path), 1):
            try:
                word, frequency, _ = line.split(" ")
                self.frequencies[word] = float(frequency)
                all_frequencies.append(self.frequencies[word])
            except ValueError:
                raise _unreadable(path, number, "a word, its frequency and its tag") from None
        if not all_frequencies or not all(0 < frequency < math.inf for frequency in all_frequencies):
            raise OpRuntimeError(
                f"JiebaTokenizer: {path} holds no words, or some whose frequency is not positive and finite"
            )
        all_frequencies.sort()
        self.total = sum(all_frequencies)
        self.least = self._logarithm(all_frequencies[0])
        self.usual = all_frequencies[len(all_frequencies) // 2]
        self.longest = max(map(len, self.frequencies))
        self._weights: dict[str, float] = {}

    def add(self, word: str, frequency: int) -> None:
        """A word more, or with another frequency; 0 for that in the middle of all."""
        self.frequencies[word] = frequency or self.usual
        self.longest = max(self.longest, len(word))
        self._weights.pop(word, None)

    def _logarithm(self, frequency: float) -> float:
        return exact.log(frequency / self.total)

    def _weight(self, word: str) -> float:
        """The logarithm of how likely a word is, worked out when it is first met."""
        weight = self._weights.get(word)
        if weight is None:
            frequency = self.frequencies.get(word)
            weight = self._weights[word] = self.least if frequency is None else self._logarithm(frequency)
        return weight

    def cut(self, text: str, begin: int, end: int) -> Iterator[_Span]:
        best = [0.0] * (end - begin + 1)
        chosen = [0] * (end - begin)
        for at in reversed(range(end - begin)):
            best[at] = _NEVER
            for length in range(1, min(self.longest, end - begin - at) + 1):
                word = text[begin + at : begin + at + length]
                if length > 1 and word not in self.frequencies:
                    continue
                weight = best[at + length] + self._weight(word)
                if weight > best[at]:
                    best[at], chosen[at] = weight, length
        at = 0
        while at < end - begin:
            yield begin + at, begin + at + chosen[at]
            at += chosen[at]


class Model:
    """A hidden Markov model: lines of logarithms for the first state, for the next one, and for the signs of each."""

    def __init__(self, path: str) -> None:
        lines = [(number, line) for number, line in enumerate(_lines(path), 1) if line and not line.startswith("#")]
        if len(lines) != 9:
            raise OpRuntimeError(f"JiebaTokenizer: {path} needs 9 lines with numbers, but has {len(lines)}")
        rows = []
        for number, line in lines[:5]:
            try:
                rows.append([float(field) for field in line.split()])
            except ValueError:
                rows.append([])
            if len(rows[-1]) != 4:
                raise _unreadable(path, number, "4 logarithms")
        self.first, *self.steps = rows
        self.signs: list[dict[str, float]] = []
        for number, line in lines[5:]:
            try:
                self.signs.append({sign: float(value) for sign, value in re.findall("(.):([^,]*),?", line)})
            except ValueError:
                raise _unreadable(path, number, "signs with logarithms") from None

    def cut(self, text: str, begin: int, end: int) -> Iterator[_Span]:
        at = begin
        while at < end:
            found = _LATIN.match(text, at, end)
            if found:
                yield found.span()
                at = found.end()
                continue
            start = at
            while at < end and text[at] > "\x7f":
                at += 1
            yield from self._words(text, start, at)

    def _words(self, text: str, begin: int, end: int) -> Iterator[_Span]:
        likely = [first + signs.get(text[begin], _NEVER) for first, signs in zip(self.first, self.signs)]
        came: list[list[int]] = []
        for sign in text[begin + 1 : end]:
            before, likely = likely, []
            came.append([])
            for state in range(4):
                here = self.signs[state].get(sign, _NEVER)
                best, from_state = _NEVER, _ENDS
                for earlier in range(4):
                    value = before[earlier] + self.steps[earlier][state] + here
                    if value > best:
                        best, from_state = value, earlier
                likely.append(best)
                came[-1].append(from_state)
        state = _ENDS if likely[_ENDS] >= likely[_ALONE] else _ALONE
        states = [state]
        for row in reversed(came):
            states.append(row[states[-1]])
        start = begin
        for place, state in enumerate(reversed(states), begin + 1):
            if state in (_ENDS, _ALONE):
                yield start, place
                start = place


def mixed(dictionary: Dictionary, model: Model, text: str, begin: int, end: int) -> Iterator[_Span]:
    """By the dictionary; single signs in a row by the model."""
    start = begin
    for left, right in dictionary.cut(text, begin, end):
        if right - left > 1:
            yield from model.cut(text, start, left)
            yield left, right
            start = right
    yield from model.cut(text, start, end)


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise OpRuntimeError(f"JiebaTokenizer: {path} cannot be read as text in UTF-8 ({error})") from error


def _unreadable(path: str, number: int, expected: str) -> OpRuntimeError:
    return OpRuntimeError(f"JiebaTokenizer: line {number} of {path} should hold {expected}")
