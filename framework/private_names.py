"""Functions that are private in MindSpore and that programs take all the same, under their names there.

`paths.py` leads to them from every path whose own module has no such name.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from anfora import ops
from anfora.core.errors import OpTypeError
from anfora.core.tensor import Tensor
from anfora.nn.conv import _Conv
from anfora.nn.loss import LossBase
from anfora.nn.normalization import _BatchNorm
from anfora.numpy.standard import broadcast_shapes

__all__ = [
    "PIJitCaptureContext", "_BatchNorm", "_Conv", "_Loss", "_get_cache_prim", "_infer_out_shape", "_is_equal_one",
    "get_code_extra",
]  # fmt: skip

_Loss = LossBase  #: what `nn.LossBase` was called


def _infer_out_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that shapes are stretched to.

    Raises:
        ValueError: two lengths differ, and neither is 1.
    Example:
        >>> _infer_out_shape((5,), (6, 1), (7, 1, 5))
        (7, 6, 5)
    """
    return broadcast_shapes(*shapes)


def _is_equal_one(x: Tensor | None) -> Tensor | bool:
    """Whether the mean of all elements is 1; False for None.

    Example:
        >>> bool(_is_equal_one(Tensor([0.5, 1.5])))
        True
    """
    return False if x is None else ops.equal(ops.reduce_mean(x), 1.0)


def _get_cache_prim(cls: Callable) -> Callable:
    """From the arguments of an operator as a class to the operator. It is made anew each time, which costs little here.

    Example:
        >>> _get_cache_prim(ops.ReduceSum)(keep_dims=True)(Tensor([1.0, 2.0])).tolist()
        [3.0]
    """
    return cls


def PIJitCaptureContext(jit_config: Any = None, *, fullgraph: bool = False) -> Callable[[Callable], Callable]:
    """`jit` as a decorator of these options; functions of any source are compiled.

    Example:
        >>> @PIJitCaptureContext()
        ... def double(x):
        ...     return x + x
        >>> double(Tensor([1.0])).tolist()
        [2.0]
    """
    from anfora.modes import jit

    return jit(capture_mode="bytecode", jit_config=jit_config, fullgraph=fullgraph)


def get_code_extra(function: Any) -> dict[str, Any] | None:
    """What the compiler knows of a function that `jit` was given, or of its code.

    Returns:
        None if it was not compiled; otherwise a dict: "stat" is "GRAPH_CALLABLE", or "NEVER_COMPILE" where Python runs the
        function as it is; "compile_count_" says how often it was recorded, "break_count_" at how many places the
        interpreter does something, and "code" has the name of the function ("phase_") once a graph stands for some of it.
    Raises:
        OpTypeError: it is neither a function nor a code object.
    Example:
        >>> from anfora import jit
        >>> @jit
        ... def double(x):
        ...     return x + x
        >>> double(Tensor([1.0])).tolist(), get_code_extra(double)["break_count_"]
        ([2.0], 0)
    """
    from anfora.graph.run.points import Hop
    from anfora.modes import jitted

    code = function if isinstance(function, types.CodeType) else getattr(function, "__code__", None)
    if code is None:
        raise OpTypeError(f"get_code_extra needs a function or its code, but got {type(function).__name__}")
    compiled = jitted.get(code)
    if compiled is None or not compiled.program.recordings:
        return None
    program = compiled.program
    points = {id(point): point for point in [*program.entries.values(), *program.points.values()]}
    ends = [variant.end for point in points.values() for variant in point.variants]
    return {
        "stat": "GRAPH_CALLABLE" if program.native is None else "NEVER_COMPILE",
        "compile_count_": program.recordings,
        "break_count_": len({end.at[:2] for end in ends if isinstance(end, Hop)}),
        "code": {"phase_": program.name} if ends else {},
    }
