"""Functions of scipy on tensors, as `mindspore.scipy` has them.

linalg.py     equations and factors of matrices
fft.py        cosine transforms
optimize.py   minimization, line search, assignment
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from anfora.core.nearest import MissingName

if TYPE_CHECKING:
    from anfora.scipy import fft, linalg, optimize

__all__ = ["fft", "linalg", "optimize"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise MissingName(__name__, name)
    return importlib.import_module(f"anfora.scipy.{name}")


def __dir__() -> list[str]:
    return __all__
