"""`nn.utils`: what MindSpore programs say around the making of a network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in

__all__ = ["no_init_parameters"]


@contextmanager
def no_init_parameters() -> Iterator[None]:
    """Accepted for MindSpore programs, which save the time of initial values that a checkpoint replaces: parameters made
    in this context have their initial values here, so a network may be used without a checkpoint too.

    Example:
        >>> from anfora.nn.utils import no_init_parameters
        >>> with no_init_parameters():
        ...     net = nn.Dense(3, 4)
        >>> net.weight.shape
        (4, 3)
    """
    yield


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
