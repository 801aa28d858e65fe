"""Where random numbers come from: a seed, and how far its stream has been used.

The numbers themselves are a function of both (`kernel/philox.py`): number i of a draw at `offset` depends on the seed and
on offset + i's counter, and on nothing else, so results are the same for any number of threads and in both modes. What is
kept here is two integers. A random operator takes them as arguments, and moves the offset by what it uses up.

    seed, offset = draw(generator, counters)

The default generator starts with a seed from the system, until `set_seed` or `manual_seed` gives one.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from anfora.core import slots
from anfora.core.arguments import answers
from anfora.core.errors import OpTypeError, OpValueError

__all__ = [
    "Generator", "default_generator", "draw", "fill", "get_rng_state", "get_seed", "initial_seed", "manual_seed", "seed",
    "set_rng_state", "set_seed", "signed",
]  # fmt: skip

_SEEDS = 2**64


_generators: weakref.WeakSet[Generator] = weakref.WeakSet()


@answers
class Generator:
    """A stream of random numbers: a seed and an offset in the stream.

    It can be pickled and copied; the copy continues where the original stands.

    Example:
        >>> generator = Generator()
        >>> generator.manual_seed(7).initial_seed()
        7
        >>> state = generator.get_state()
        >>> first = generator.draw(4)
        >>> generator.set_state(state)
        >>> generator.draw(4) == first
        True
    """

    def __init__(self) -> None:
        self._seed, self._offset = 0, 0
        self._lock = threading.Lock()
        _generators.add(self)

    def manual_seed(self, seed: int) -> Generator:
        """Start the stream of a seed, an integer in [0, 2 ** 64); gives the generator."""
        self._seed, self._offset = _checked(seed), 0
        return self

    def seed(self) -> int:
        """Start the stream of a seed that the system chooses; gives the seed."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little") >> 1)
        return self._seed

    def initial_seed(self) -> int:
        """The seed."""
        return self._seed

    def draw(self, counters: int = 1) -> tuple[int, int]:
        """Use up counters of the stream: the seed and the offset of the first of them.

        A counter stands for 128 random bits. What a random operator uses is written with it.
        """
        with self._lock:
            offset = self._offset
            self._offset = (offset + counters) % _SEEDS
        if slots.watcher.recorder is not None:
            slots.watcher.recorder.note_draw(self, counters, self._seed, offset)
        return self._seed, offset

    def get_state(self) -> Any:
        """Seed and offset, as a tensor of 16 uint8."""
        from anfora.core.tensor import Tensor

        return Tensor(np.array([self._seed, self._offset], "<u8").view(np.uint8))

    def set_state(self, state: Any) -> None:
        """Take over what `get_state` gave."""
        data = np.ascontiguousarray(state.asnumpy() if hasattr(state, "asnumpy") else state)
        if data.dtype != np.uint8 or data.shape != (16,):
            raise OpValueError(
                f"the state of a generator is 16 numbers of type uint8, but got {data.dtype}{list(data.shape)}",
                arg="state",
            )
        self._seed, self._offset = (int(word) for word in data.view("<u8"))

    def __getstate__(self) -> dict:
        return {"_seed": self._seed, "_offset": self._offset}

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state, _lock=threading.Lock())
        _generators.add(self)

    def __repr__(self) -> str:
        return f"Generator(seed={self._seed}, offset={self._offset})"


def generators() -> list[Generator]:
    """All generators that there are: who puts the program into another stream for a while has to know them."""
    return list(_generators)


def _checked(seed: Any) -> int:
    if isinstance(seed, bool) or not hasattr(seed, "__index__"):
        raise OpTypeError(f"a seed must be an integer, but got {seed!r}", arg="seed")
    value = seed.__index__()
    if not 0 <= value < _SEEDS:
        raise OpValueError(f"a seed must be in [0, 2 ** 64), but got {value}", arg="seed")
    return value


default_generator = Generator()
default_generator.seed()
_global_seed: int | None = None
_times = 0


def set_seed(seed: int) -> None:
    """Seed the default generator, and numpy's global one, as MindSpore does.

    Args:
        seed: an integer that is not negative.
    Raises:
        OpTypeError: it is no integer.
        OpValueError: it is negative, or does not fit into 64 bits.
    Example:
        >>> set_seed(1)
        >>> first = ops.rand(2).tolist()
        >>> set_seed(1)
        >>> ops.rand(2).tolist() == first
        True
    """
    global _global_seed, _times
    default_generator.manual_seed(seed)
    _times += 1
    _global_seed = default_generator.initial_seed()
    np.random.seed(_global_seed % 2**32)


def get_seed() -> int | None:
    """The seed that `set_seed` was given, or None.

    Example:
        >>> set_seed(5)
        >>> get_seed()
        5
    """
    return _global_seed


def times_seeded() -> int:
    """How often `set_seed` has been called: who has a seed of its own tells by it which is the later one."""
    return _times


def manual_seed(seed: int) -> Generator:
    """Seed the default generator; gives it.

    Example:
        >>> manual_seed(5).initial_seed()
        5
    """
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Seed the default generator with a number that the system chooses; gives the number.

    Example:
        >>> seed() == initial_seed()
        True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the default generator.

    Example:
        >>> _ = manual_seed(5)
        >>> initial_seed()
        5
    """
    return default_generator.initial_seed()


def get_rng_state() -> Any:
    """The state of the default generator, as a tensor.

    Example:
        >>> state = get_rng_state()
        >>> x = randn(3)
        >>> set_rng_state(state)
        >>> (randn(3) == x).tolist()
        [True, True, True]
    """
    return default_generator.get_state()


def set_rng_state(state: Any) -> None:
    """Put the default generator into a state that `get_rng_state` gave.

    Example:
        >>> state = get_rng_state()
        >>> x = rand(2)
        >>> set_rng_state(state)
        >>> (rand(2) == x).tolist()
        [True, True]
    """
    default_generator.set_state(state)


def draw_signed(counters: int, generator: Generator | None = None) -> tuple[int, int]:
    """As `draw`, as operators take the numbers."""
    seed, offset = (generator or default_generator).draw(counters)
    return seed - (seed >> 63 << 64), offset - (offset >> 63 << 64)


def signed(word: int) -> int:
    """64 bits as a signed integer, as operators take them."""
    return (word + 2**63) % 2**64 - 2**63


def draw(counters: int = 1, generator: Generator | None = None) -> tuple[int, int]:
    """Use up counters of a generator, the default one if none is given: its seed and the offset of the first."""
    return (generator or default_generator).draw(counters)


#: Fills a numpy array; put here by `anfora.ops.random`, which knows the kernels.
_filler: Callable[..., None] | None = None


def fill(array: np.ndarray, kind: str, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> None:
    """Fill a numpy array of floating point with random numbers.

    Args:
        array: any shape and strides; float16, float32 or float64.
        kind: "uniform" in [a, b); "normal" with mean a and standard deviation b; "truncated", normal with mean a and
            standard deviation b, without what is more than two of them away from the mean.
        a, b: see above.
        generator: the default one if none is given.
    """
    if _filler is None:
        import anfora.ops  # noqa: F401  (puts its filler here)
    assert _filler is not None
    _filler(array, kind, a, b, generator)
