"""`jit(check=True)`: each call is also done by Python, on copies, and the two are compared.

Python goes first, on deep copies of the arguments (the Cell of a method among them), its output swallowed and the streams
of random numbers put back; then the compiled program runs for real. Compared are results, exceptions and what became of the
arguments, to the last bit. What a program does elsewhere (globals, files) is done twice: check programs that have no such
effects. Arguments that cannot be copied are not checked; the log says so.
"""

from __future__ import annotations

import contextlib
import copy
import io
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anfora.core.cell import Cell
from anfora.core.dtype import bfloat16
from anfora.core.errors import AnforaError
from anfora.core.random import get_rng_state, set_rng_state
from anfora.core.settings import log
from anfora.core.tensor import Tensor, bfloat16_to_numpy
from anfora.graph.machine.running import running
from anfora.graph.tell.explain import Watched

__all__ = ["CheckError", "Checked", "first_difference"]


class CheckError(AnforaError, AssertionError):
    """A compiled call gave something else than Python did."""


class Checked(Watched):
    """A program whose calls are compared with Python's."""

    def call(self, args: tuple, kwargs: dict) -> Any:
        if running.depth:  # inside of a call that is compared as a whole
            return super().call(args, kwargs)
        try:
            twins = copy.deepcopy((args, kwargs))
        except Exception as error:
            log.warning("%s is not checked: its arguments cannot be copied: %s", self.name, error)
            return super().call(args, kwargs)
        with _undisturbed():
            running.depth += 1
            try:
                expected = _outcome(lambda: self.function(*twins[0], **twins[1]))
            finally:
                running.depth -= 1
        call = super().call
        found = _outcome(lambda: call(args, kwargs))
        self._compare("what it raises", expected[1], found[1])
        self._compare("its result", expected[0], found[0])
        self._compare("its arguments", twins, (args, kwargs))
        if found[1] is not None:
            raise found[1]
        return found[0]

    def _compare(self, what: str, expected: Any, found: Any) -> None:
        different = first_difference(expected, found)
        if different is not None:
            raise CheckError(
                f"{self.name}: {what} differs{different}",
                help="this is a bug of graph mode: please report the program.",
            )


def _outcome(run: Callable) -> tuple[Any, Exception | None]:
    try:
        return run(), None
    except Exception as error:  # what a program raises is a part of what is compared
        return None, error


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Swallow what is printed, and put the streams of random numbers back."""
    state, numpys, pythons = get_rng_state(), np.random.get_state(), random.getstate()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        set_rng_state(state)
        np.random.set_state(numpys)
        random.setstate(pythons)


def first_difference(expected: Any, found: Any, path: str = "", depth: int = 0) -> str | None:
    """Where two values differ first, in words; None when they are equal."""
    if expected is found or depth > 20:
        return None
    where = f" at {path}" if path else ""
    if type(expected) is not type(found):
        return f"{where}: Python gives a {type(expected).__name__}, compiled it is a {type(found).__name__}"
    if isinstance(expected, Tensor):
        if expected._layout.type is not found._layout.type:
            return f"{where}: Python gives {expected._layout.type!r}, compiled it is {found._layout.type!r}"
        one, other = np.ascontiguousarray(expected._array), np.ascontiguousarray(found._array)
        if one.tobytes() == other.tobytes():
            return None
        size = one.dtype.itemsize
        bits, others = (np.frombuffer(array.tobytes(), np.uint8).reshape(-1, size) for array in (one, other))
        [[first], *_] = np.argwhere((bits != others).any(1))
        index = [int(i) for i in np.unravel_index(first, one.shape)]
        if expected.dtype is bfloat16:
            one, other = bfloat16_to_numpy(one), bfloat16_to_numpy(other)
        value, compiled = one.flat[first].item(), other.flat[first].item()
        return f"{where}, element {index}: Python gives {value!r}, compiled it is {compiled!r}"
    if isinstance(expected, (list, tuple)):
        if len(expected) != len(found):
            return f"{where}: Python gives {len(expected)} items, compiled there are {len(found)}"
        return _first(((f"{path}[{i}]", a, b) for i, (a, b) in enumerate(zip(expected, found))), depth)
    if isinstance(expected, dict):
        if list(expected) != list(found):
            return f"{where}: Python gives the keys {list(expected)}, compiled they are {list(found)}"
        return _first(((f"{path}[{key!r}]", expected[key], found[key]) for key in expected), depth)
    if isinstance(expected, Cell):
        pairs = zip(expected.parameters_and_names(), found.parameters_and_names())
        return _first(((f"{path}.{name}", a, b) for (name, a), (_, b) in pairs), depth)
    if isinstance(expected, np.ndarray):
        same = expected.dtype == found.dtype and expected.shape == found.shape and expected.tobytes() == found.tobytes()
        return None if same else f"{where}: the arrays differ"
    if isinstance(expected, BaseException):
        return None if str(expected) == str(found) else f"{where}: Python says {expected}, compiled it is {found}"
    if isinstance(expected, (bool, int, float, complex, str, bytes)) and repr(expected) != repr(found):
        return f"{where}: Python gives {expected!r}, compiled it is {found!r}"
    return None  # objects of other classes are not looked into


def _first(pairs: Any, depth: int) -> str | None:
    return next((d for path, a, b in pairs if (d := first_difference(a, b, path, depth + 1)) is not None), None)
