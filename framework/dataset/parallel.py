"""Which executor a run gets."""

from __future__ import annotations

from anfora.dataset.executor import Executor
from anfora.dataset.node import Run

__all__ = ["executor_for"]


def executor_for(run: Run) -> Executor:
    return Executor()
