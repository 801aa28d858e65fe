"""The functions in a pipeline: which of them may run anywhere, how they are called, and what their errors say.

A transform of this package is *pure*: what it gives follows from its arguments and from `draws`, and it may run in several
threads at once. A program's own function may do anything, so it runs in one thread of one process, or in processes of its
own, and before each sample the global generators are seeded. `pure` marks a function of which that is not needed.
"""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from anfora.core.arguments import answers
from anfora.core.errors import AnforaError, OpRuntimeError
from anfora.core.span import internal_files
from anfora.dataset.blocks import each

__all__ = ["SampleError", "Transform", "call", "is_pure", "named", "not_random", "progress", "pure"]

F = TypeVar("F", bound=Callable[..., Any])


class _Progress:
    """Where a worker process notes the sample that it is at: two numbers that the other side sees, epoch and sample."""

    page: np.ndarray | None = None

    def note(self, epoch: int, sample: int) -> None:
        if self.page is not None:
            self.page[0], self.page[1] = epoch, sample

    def at(self) -> tuple[int, int]:
        """What was noted last."""
        return (-1, -1) if self.page is None else (int(self.page[0]), int(self.page[1]))


progress = _Progress()


class SampleError(OpRuntimeError):
    """A function of a pipeline failed at a sample; the message ends in the program's own traceback."""


class Transform:
    """Base of our transforms: called with the fields of a row, it gives new ones.

    `many` does it for all rows of a column, an array with a leading axis or a list of arrays, where that is faster; it
    gives the same bits.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        answers(cls)

    #: Whether it draws from `draws`.
    random = False
    #: Whether it takes and gives one field, so that `many` can be used.
    one_to_one = True

    def __call__(self, *fields: Any) -> Any:
        raise NotImplementedError

    def many(self, column: Any) -> Any:
        return [self(row) for row in each(column)]

    def place_before(self, place: np.ndarray) -> np.ndarray | None:
        """Where rows must stand that this transform, which only looks at them otherwise, finds in `place` afterwards."""
        return None

    def write_into(self, column: Any, place: np.ndarray) -> bool:
        """Write what `many` gives into an array, and say so; False where this cannot be."""
        return False

    @property
    def is_pure(self) -> bool:
        return True


def pure(function: F) -> F:
    """Mark a function as pure: it draws no random numbers, has no effects and may run in several threads at once.

    `map` and `batch` with several workers then run it in threads, without processes.
    Example:
        >>> @pure
        ... def halve(x):
        ...     return x / 2
        >>> is_pure(halve)
        True
    """
    function.__anfora_pure__ = True  # type: ignore[attr-defined]
    return function


def not_random(function: F) -> F:
    """Mark a function as drawing no random numbers, for MindSpore's caches; here it has no effect."""
    function.random = False  # type: ignore[attr-defined]
    return function


def is_pure(function: Any) -> bool:
    if isinstance(function, Transform):
        return function.is_pure
    return bool(getattr(function, "__anfora_pure__", False))


def named(function: Any) -> str:
    """A function in messages: its name, and where it stands."""
    if isinstance(function, Transform):
        return type(function).__name__
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(function, "__code__", None) or getattr(vars(type(function)).get("__call__"), "__code__", None)
    name = getattr(function, "__name__", None) or type(function).__name__
    if code is None:
        return f"`{name}`"
    return f"`{name}` ({code.co_filename.rpartition('/')[2]}:{code.co_firstlineno})"


def _traceback(error: BaseException) -> str:
    """The traceback of an error from the program's own first frame on; empty if it has none."""
    found = error.__traceback__
    while found is not None and internal_files[found.tb_frame.f_code.co_filename]:
        found = found.tb_next
    if found is None:
        return ""
    return "\n" + "".join(traceback.format_exception(type(error), error, found)).rstrip("\n")


def failed(what: str, epoch: int, sample: int, error: BaseException) -> SampleError:
    """The error of a function at a sample."""
    if isinstance(error, SampleError):
        return error
    kind = "" if isinstance(error, AnforaError) else f": {type(error).__name__}"
    return SampleError(f"{what} failed at sample {sample} of epoch {epoch}{kind}: {error}{_traceback(error)}")


def call(function: Callable[..., Any], values: Sequence[Any], what: str, epoch: int, sample: int) -> Any:
    """function(*values); an error tells the sample."""
    progress.note(epoch, sample)
    try:
        return function(*values)
    except Exception as error:
        raise failed(what, epoch, sample, error) from error


def takes_tensors(function: Any) -> bool:
    """Whether a callable is an operator or a Cell, which take tensors where functions of a pipeline take arrays."""
    from anfora.core.cell import Cell
    from anfora.core.op import Op

    return isinstance(function, (Op, Cell)) or type(function).__module__.startswith("anfora.ops")


def plain(value: Any) -> Any:
    """An array of a tensor; anything else as it is."""
    return value.asnumpy() if hasattr(value, "asnumpy") and not isinstance(value, np.ndarray) else value
