"""`mint.optim`: optimizers."""

from __future__ import annotations

from anfora.optim.experimental import SGD, Adam, AdamW

__all__ = ["SGD", "Adam", "AdamW"]
