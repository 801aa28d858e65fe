"""`mint.special`: functions of elements, under the names that they have there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in
from anfora.mint.nn.functional import log_softmax as log_softmax
from anfora.mint.signatures import SPECIAL, made

_MADE = made(SPECIAL, __name__)
__all__ = sorted([*_MADE, "log_softmax"])
globals().update({name: make() for name, make in _MADE.items()})


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
