"""The gradient of a program in which something computes that is no operator of known types: only a run can tell what that
does, so the program runs with the tape on, and the tape goes back over it.

    differentiated(f, positions, x, …)      (value, gradients): what `f(x, …)` gives, and one gradient for each position

It is a call in the graph like any other: what it is of is an argument, so its own gradient is one more of these calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora.eager.transform import linearize, released
from anfora.graph.ir.primitives import PRIMITIVES, Primitive

__all__ = ["DIFFERENTIATED"]


def _differentiated(function: Callable, positions: tuple[int, ...], *arguments: Any) -> tuple[Any, tuple]:
    run = linearize(function, arguments, {}, positions, ())
    gradients, _ = run.gradients()
    return released(run.output), tuple(gradients)


DIFFERENTIATED = Primitive("differentiated", _differentiated, 3, None)
PRIMITIVES[DIFFERENTIATED.name] = DIFFERENTIATED
