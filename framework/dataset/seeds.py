"""Where a pipeline's random choices come from: numbers that follow from (seed, epoch, node, sample), and from nothing else.

`words` gives the numbers of a key by hashing a counter (splitmix64: Steele, Lea & Flood, OOPSLA 2014), so that orders are
the same for any number of workers, on any machine and with any version of numpy.

    transforms of ours     draw from `draws`, whose stream is begun anew for each sample and each transform
    functions of users     find the global generators of Python, numpy, anfora, and torch if the program uses it, seeded for
                           their sample (`seed_globals`); what they were before is put back when control goes back to the
                           program (`Guard`)
"""

from __future__ import annotations

import os
import random
import sys
import threading
from typing import Any

import numpy as np

from anfora.core.random import default_generator
from anfora.dataset import config

__all__ = ["Guard", "draws", "keys_of", "mix", "permutation", "seed_globals", "uniforms", "words"]

_MASK = 2**64 - 1
_GOLDEN = 0x9E3779B97F4A7C15


def _scramble(word: int) -> int:
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & _MASK
    return word ^ (word >> 31)


def mix(*parts: int) -> int:
    """One key of 64 bits from integers, whose order counts."""
    word = 0
    for part in parts:
        word = _scramble((word + _GOLDEN + (part & _MASK)) & _MASK)
    return word


def _scramble_all(found: np.ndarray) -> np.ndarray:
    found ^= found >> np.uint64(30)
    found *= np.uint64(0xBF58476D1CE4E5B9)
    found ^= found >> np.uint64(27)
    found *= np.uint64(0x94D049BB133111EB)
    found ^= found >> np.uint64(31)
    return found


def words(key: int, count: int) -> np.ndarray:
    """The first `count` numbers of a key, 64 bits each."""
    counters = np.arange(1, count + 1, dtype=np.uint64)
    counters *= np.uint64(_GOLDEN)
    counters += np.uint64(key)
    return _scramble_all(counters)


def keys_of(base: int, epochs: Any, indices: np.ndarray) -> np.ndarray:
    """mix(base, epoch, index) for each of many samples."""
    with np.errstate(over="ignore"):
        found = np.asarray(epochs).astype(np.uint64) + np.uint64((base + _GOLDEN) & _MASK)
        found = _scramble_all(found) + np.uint64(_GOLDEN) + indices.astype(np.uint64)
    return _scramble_all(found)


def permutation(key: int, count: int) -> np.ndarray:
    """The numbers 0 … count − 1 in an order that follows from the key."""
    return np.argsort(words(key, count), kind="stable")


def uniforms(key: int, count: int) -> np.ndarray:
    """Numbers in [0, 1), multiples of 2⁻⁵³."""
    return (words(key, count) >> np.uint64(11)).astype(np.float64) * 2.0**-53


class _Draws(threading.local):
    """The stream that our random transforms draw from; each thread has its own.

    Inside of a pipeline it is begun for each sample; it is seeded only if somebody draws. Outside, where a program calls
    a transform itself, one stream goes on, from the seed that is set when it is first used.
    """

    def __init__(self) -> None:
        self._key: int | None = None
        self._stream = random.Random(0)
        self._begun = False
        self._outside: tuple[int | None, random.Random] | None = None

    def begin(self, key: int | None) -> None:
        """The draws that follow are those of this key; None: those of nobody's sample."""
        self._key, self._begun = key, False

    @property
    def stream(self) -> random.Random:
        if self._key is None:
            seed = config.effective_seed()
            if self._outside is None or self._outside[0] != seed:
                self._outside = (seed, random.Random(os.urandom(8) if seed is None else seed))
            return self._outside[1]
        if not self._begun:
            self._stream.seed(self._key)
            self._begun = True
        return self._stream


draws = _Draws()


def seed_globals(key: int) -> None:
    """Seed the generators that a user's function may draw from: `random`'s, `numpy.random`'s, anfora's, and torch's if the
    program has imported it."""
    random.seed(key)
    np.random.seed(key >> 32)
    default_generator.manual_seed(key)
    theirs = _torch_generator()
    if theirs is not None:
        theirs.manual_seed(key & (2**63 - 1))


def _torch_generator() -> Any:
    return getattr(sys.modules.get("torch"), "default_generator", None)


class Guard:
    """Puts the global generators back to what they were."""

    def __enter__(self) -> None:
        theirs = _torch_generator()
        state = None if theirs is None else theirs.get_state()
        self._kept = random.getstate(), np.random.get_state(), default_generator.__getstate__(), theirs, state

    def __exit__(self, *_: object) -> None:
        python, arrays, ours, theirs, state = self._kept
        if theirs is not None:
            theirs.set_state(state)
        random.setstate(python)
        np.random.set_state(arrays)
        default_generator.manual_seed(ours["_seed"])
        default_generator._offset = ours["_offset"]
