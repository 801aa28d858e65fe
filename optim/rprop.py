"""Rprop: steps that look at the signs of gradients only."""

from __future__ import annotations

import functools
from typing import Any

from anfora.core.errors import OpTypeError, OpValueError
from anfora.kernel import bodies
from anfora.kernel.emit import Value
from anfora.optim.checks import number
from anfora.optim.groups import Group, Section
from anfora.optim.optimizer import Optimizer
from anfora.optim.update import Rule

__all__ = ["Rprop"]


class Rprop(Optimizer):
    """Resilient backpropagation: each element has a step size, which grows while its gradient keeps its sign.

        s ← s η⁺ where g g' > 0, s η⁻ where g g' < 0, within [smallest, largest]     (g' is the gradient before)
        g ← 0 where g g' < 0
        p ← p - sign(g) s

    Args:
        params: Parameters, or groups of them; see Optimizer.
        learning_rate: the first step size; see Optimizer.
        etas: (η⁻, η⁺) with 0 < η⁻ < 1 < η⁺.
        step_sizes: (smallest, largest).
        weight_decay: see Optimizer.

    States: `prev` is g', `step_size` is s, 0 before the first step.

    Source:
        Riedmiller & Braun, ICNN 1993.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> step = optim.Rprop([w], learning_rate=0.25, etas=(0.5, 2.0))
        >>> for _ in range(2):
        ...     _ = step((Tensor([3.0]),))
        >>> w.tolist()
        [0.25]
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50.0),
        weight_decay: Any = 0.0,
    ) -> None:
        minus, plus = read_etas("Rprop", etas)
        low, high = read_step_sizes("Rprop", step_sizes)
        super().__init__(learning_rate, params, weight_decay)
        self.etaminus, self.etaplus, self.step_size_min, self.step_size_max = minus, plus, low, high
        self.new_state("prev")
        self.new_state("step_size")

    def rule(self, section: Section) -> Rule:
        return rprop()

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        return [rate, self.etaminus, self.etaplus, self.step_size_min, self.step_size_max]


def read_etas(label: str, etas: Any) -> tuple[float, float]:
    """(η⁻, η⁺), checked."""
    minus, plus = _pair(label, "etas", etas)
    return number(label, "etas[0]", minus, above=0.0, below=1.0), number(label, "etas[1]", plus, above=1.0)


def read_step_sizes(label: str, sizes: Any) -> tuple[float, float]:
    """(smallest, largest), checked."""
    low, high = (number(label, "step_sizes", size, least=0.0) for size in _pair(label, "step_sizes", sizes))
    if low > high:
        raise OpValueError(f"{label} needs step_sizes (smallest, largest), but got {sizes}", arg="step_sizes")
    return low, high


def _pair(label: str, name: str, value: Any) -> tuple[Any, Any]:
    if not isinstance(value, tuple):
        raise OpTypeError(f"{label} needs a tuple of two numbers for `{name}`, but got {value!r}", arg=name)
    if len(value) != 2:
        raise OpValueError(f"{label} needs two numbers for `{name}`, but got {len(value)}", arg=name)
    return value


@functools.cache
def rprop() -> Rule:
    def body(
        p: Value, g: Value, before: Value, size: Value, first: Value, minus: Value, plus: Value, low: Value, high: Value
    ) -> tuple[Value, Value, Value]:
        size = bodies.select(size == 0.0, first, size)
        product = g * before
        size = size * bodies.select(product > 0.0, plus, bodies.select(product < 0.0, minus, 1.0))
        size = bodies.minimum(bodies.maximum(size, low), high)
        g = bodies.select(product < 0.0, 0.0, g)
        sign = bodies.select(g > 0.0, 1.0, bodies.select(g < 0.0, -1.0, g))  # NaN stays
        return p - sign * size, g, size

    return Rule(body, ("prev", "step_size"), 0.4)
