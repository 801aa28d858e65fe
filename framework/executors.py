"""What older programs call to compile a Cell without running it: `_cell_graph_executor.compile(net, x)`."""

from __future__ import annotations

from typing import Any

from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError
from anfora.modes import lower

__all__: list[str] = []


class _CellExecutor:
    """Checks and runs of a Cell as a whole."""

    def compile(self, obj: Cell, *args: Any, phase: str = "predict", **kwargs: Any) -> tuple[str, bool]:
        """Refuse inputs that a Cell refuses, and have it compiled for them, without changing anything: see `ir.lower`.

        Args:
            obj: the Cell.
            args, kwargs: what `construct` takes.
            phase: its name is given back.
        Returns:
            the name of the phase, and True.
        Raises:
            OpTypeError: what is to be compiled is no Cell. And whatever `construct` raises.
        """
        if not isinstance(obj, Cell):
            raise OpTypeError(f"compile needs a Cell, but got {type(obj).__name__}", arg="obj")
        error = lower(obj, *args, **kwargs).error
        if error is not None:
            raise error
        return f"{phase}.{type(obj).__name__}", True

    def __call__(self, obj: Cell, *args: Any, phase: str = "predict", **kwargs: Any) -> Any:
        """Run a Cell."""
        return obj(*args, **kwargs)


_cell_graph_executor = _CellExecutor()
