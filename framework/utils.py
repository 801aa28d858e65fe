"""MindSpore's `utils`: the order in which processes exchange, looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anfora.communication.orders import comm_exec_order_check, runtime_execution_order_check
from anfora.core.nearest import missing_in

__all__ = ["comm_exec_order_check", "runtime_execution_order_check"]


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
