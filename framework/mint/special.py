"""`mint.special`: functions of elements, under the names that they have there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in
from anfora.mint.nn.functional import log_softmax
from anfora.ops import erfc, exp2, expm1, log1p, round, sinc

__all__ = ["erfc", "exp2", "expm1", "log1p", "log_softmax", "round", "sinc"]


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
