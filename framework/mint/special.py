"""`mint.special`: functions of elements, under the names that they have there."""

from __future__ import annotations

from anfora.mint.nn.functional import log_softmax
from anfora.ops import erfc, exp2, expm1, log1p, round, sinc

__all__ = ["erfc", "exp2", "expm1", "log1p", "log_softmax", "round", "sinc"]
