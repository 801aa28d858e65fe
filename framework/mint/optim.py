"""`mint.optim`: optimizers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in
from anfora.optim.experimental import SGD, Adam, AdamW

__all__ = ["SGD", "Adam", "AdamW", "FusedAdamW"]

FusedAdamW = AdamW  # the step of an optimizer is one operator here, whatever its name


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
