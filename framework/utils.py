"""MindSpore's `utils`: the order in which processes exchange, looked at."""

from __future__ import annotations

from anfora.communication.orders import comm_exec_order_check, runtime_execution_order_check

__all__ = ["comm_exec_order_check", "runtime_execution_order_check"]
