"""`mint.linalg`: matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anfora import ops
from anfora.core.nearest import missing_in
from anfora.ops.forms import spelled

__all__ = ["inv", "matrix_norm", "norm", "qr", "vector_norm"]

inv = spelled(ops.inverse, A="input")
matrix_norm = spelled(ops.matrix_norm)
norm = spelled(ops.norm)
qr = spelled(ops.qr, A="input")
vector_norm = spelled(ops.vector_norm)


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
