"""`mint.linalg`: matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in
from anfora.mint.signatures import LINALG, made

_MADE = made(LINALG, __name__)
__all__ = sorted(_MADE)
globals().update({name: make() for name, make in _MADE.items()})


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
