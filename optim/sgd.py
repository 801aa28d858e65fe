"""Stochastic gradient descent, with and without momentum."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from anfora.core.dtype import float32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.kernel import bodies
from anfora.kernel.emit import Value
from anfora.optim.checks import flag, number
from anfora.optim.groups import Group, Section, value_of
from anfora.optim.optimizer import Optimizer
from anfora.optim.update import Rule

__all__ = ["SGD", "Momentum"]


class SGD(Optimizer):
    """Gradient descent.

        v ← μ v + (1 - d) g           (v ← g at the first step)
        p ← p - lr v                  (with nesterov: p ← p - lr (g + μ v); without momentum: p ← p - lr g)

    Args:
        params: Parameters, or groups of them; see Optimizer.
        learning_rate: see Optimizer.
        momentum: μ >= 0.
        dampening: d >= 0.
        weight_decay: see Optimizer; a number.
        nesterov: take the step from where the momentum leads; needs μ > 0 and d = 0.
        loss_scale: see Optimizer.

    States: `accum` is v; `stat` is 1 where the first step is still to come, else 0.

    Raises:
        OpTypeError, OpValueError: an argument has another type or is out of range (so for all optimizers).
    Source:
        Robbins & Monro, Ann. Math. Statist. 22 (1951); Sutskever, Martens, Dahl & Hinton, ICML 2013.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> step = optim.SGD([w], learning_rate=0.5)
        >>> _ = step((Tensor([1.0]),)); w.tolist()
        [0.5]
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        loss_scale: float = 1.0,
    ) -> None:
        momentum = number("SGD", "momentum", momentum, least=0.0)
        dampening = number("SGD", "dampening", dampening, least=0.0)
        if flag("SGD", "nesterov", nesterov) and (momentum == 0.0 or dampening != 0.0):
            raise OpValueError(
                f"SGD with nesterov needs momentum > 0 and dampening 0, but got {momentum} and {dampening}",
                arg="nesterov",
            )
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if self.dynamic_weight_decay:
            raise OpTypeError("SGD takes numbers for `weight_decay`, but got a Cell", arg="weight_decay")
        self.dampening, self.nesterov = dampening, nesterov
        self.momentum = Parameter(Tensor(momentum, float32), name="momentum", requires_grad=False)
        self.new_state("accum")
        self.new_state("stat", value=1.0)

    def rule(self, section: Section) -> Rule:
        if value_of(self.momentum) == 0.0:
            return descent()
        return momentum_rule(self.nesterov, self.stat, section.indices)

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        momentum = value_of(self.momentum)
        return [rate, momentum, 1.0 - self.dampening] if momentum else [rate]


class Momentum(Optimizer):
    """Gradient descent with momentum.

        v ← μ v + g
        p ← p - lr v                  (with nesterov: p ← p - lr (g + μ v))

    Args:
        params, learning_rate: see Optimizer.
        momentum: μ >= 0.
        weight_decay, loss_scale: see Optimizer.
        use_nesterov: take the step from where the momentum leads.

    States: `moments` is v.

    Source:
        Polyak, USSR Comp. Math. 4 (1964); Sutskever, Martens, Dahl & Hinton, ICML 2013.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> step = optim.Momentum([w], learning_rate=0.25, momentum=0.5)
        >>> for _ in range(2):
        ...     _ = step((Tensor([1.0]),))
        >>> w.tolist()
        [0.375]
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any,
        momentum: float,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
        use_nesterov: bool = False,
    ) -> None:
        momentum = number("Momentum", "momentum", momentum, least=0.0)
        use_nesterov = flag("Momentum", "use_nesterov", use_nesterov)
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.use_nesterov = use_nesterov
        self.momentum = Parameter(Tensor(momentum, float32), name="momentum", requires_grad=False)
        self.new_state("moments")

    def rule(self, section: Section) -> Rule:
        return heavy_ball(self.use_nesterov)

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        return [rate, value_of(self.momentum)]


# -- rules ------------------------------------------------------------------------------------------------------------


@functools.cache
def descent() -> Rule:
    """p - lr g"""

    def body(p: Value, g: Value, lr: Value) -> Value:
        return p - lr * g

    return Rule(body, (), 0.1)


@functools.cache
def heavy_ball(nesterov: bool) -> Rule:
    """Momentum as `Momentum` has it."""

    def body(p: Value, g: Value, v: Value, lr: Value, mu: Value) -> tuple[Value, Value]:
        v = mu * v + g
        return p - lr * (g + mu * v if nesterov else v), v

    return Rule(body, ("moments",), 0.12)


def momentum_rule(nesterov: bool, stats: Sequence[Parameter], indices: Sequence[int]) -> Rule:
    """Momentum as `SGD` has it. `stat` is read and written only in a first step, which saves two fifths of the memory
    traffic of all others."""
    is_first = any((array := stats[i]._array).size and array.item(0) != 0 for i in indices)
    return (first_momentum if is_first else damped_momentum)(nesterov)


@functools.cache
def damped_momentum(nesterov: bool) -> Rule:
    """Momentum as `SGD` has it, from the second step on."""

    def body(p: Value, g: Value, v: Value, lr: Value, mu: Value, rest: Value) -> tuple[Value, Value]:
        v = mu * v + rest * g
        return p - lr * (g + mu * v if nesterov else v), v

    return Rule(body, ("accum",), 0.12)


@functools.cache
def first_momentum(nesterov: bool) -> Rule:
    """Momentum as `SGD` has it, where `stat` says for which elements this step is the first."""

    def body(
        p: Value, g: Value, v: Value, stat: Value, lr: Value, mu: Value, rest: Value
    ) -> tuple[Value, Value, Value]:
        v = bodies.select(stat > 0.0, g, mu * v + rest * g)
        return p - lr * (g + mu * v if nesterov else v), v, stat * 0.0

    return Rule(body, ("accum", "stat"), 0.15)
