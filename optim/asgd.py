"""Averaged stochastic gradient descent."""

from __future__ import annotations

import functools
from typing import Any

from anfora.core import exact
from anfora.core.dtype import float32
from anfora.core.parameter import Parameter, ParameterTuple
from anfora.core.tensor import Tensor
from anfora.kernel import bodies
from anfora.kernel.emit import Value
from anfora.optim.checks import real
from anfora.optim.groups import Group, Section, value_of
from anfora.optim.optimizer import Optimizer
from anfora.optim.update import Rule

__all__ = ["ASGD"]


class ASGD(Optimizer):
    """Gradient descent that also keeps the average of the parameters over the steps after t0.

        p ← p (1 - λ η) - η g
        a ← a + μ (p - a)
        η ← lr / (1 + λ lr t) ** α,  μ ← 1 / max(1, t - t0)     at step t = 1, 2, …; η is lr at the first, μ is 1

    Args:
        params, learning_rate: see Optimizer.
        lambd: λ, a float: how much parameters decay.
        alpha: α, a float.
        t0: steps before averaging begins, a float.
        weight_decay: see Optimizer.

    States: `ax` is a; `eta` and `mu` hold η and μ for each parameter. The Parameters are called ax_.…, eta_…, mu_…

    Source:
        Polyak & Juditsky, SIAM J. Control Optim. 30 (1992); Bottou, COMPSTAT 2010.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> step = optim.ASGD([w], learning_rate=0.5, lambd=0.0, t0=0.0)
        >>> for _ in range(2):
        ...     _ = step((Tensor([1.0]),))
        >>> w.tolist(), step.ax[0].tolist()
        ([0.0], [0.0])
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: Any = 0.0,
    ) -> None:
        lambd, alpha, t0 = real("ASGD", "lambd", lambd), real("ASGD", "alpha", alpha), real("ASGD", "t0", t0)
        super().__init__(learning_rate, params, weight_decay)
        self.lambd, self.alpha, self.t0 = lambd, alpha, t0
        self.mu = self._scalars("mu_", 1.0)
        self.eta = self._scalars("eta_", 0.0)
        self.new_state("ax", "ax_")

    def _scalars(self, prefix: str, value: float) -> ParameterTuple:
        return ParameterTuple(
            Parameter(Tensor(value, float32), name=prefix + parameter.name, requires_grad=False)
            for parameter in self.parameters
        )

    def rule(self, section: Section) -> Rule:
        return averaged()

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        first = group.indices[0]
        eta = value_of(self.eta[first]) or rate
        return [1.0 - self.lambd * eta, eta, value_of(self.mu[first])]

    def counters(self, step: int) -> dict[str, list[float]]:
        etas = [0.0] * len(self.parameters)
        for group in self.param_groups:
            rate = self._rate(group)
            eta = rate / exact.power(1.0 + self.lambd * rate * step, self.alpha)
            for i in group.indices:
                etas[i] = eta
        return {"eta": etas, "mu": [1.0 / max(1.0, step - self.t0)] * len(etas)}


@functools.cache
def averaged() -> Rule:
    def body(p: Value, g: Value, a: Value, keep: Value, eta: Value, mu: Value) -> tuple[Value, Value]:
        p = p * keep - eta * g
        return p, bodies.select(mu == 1.0, p, a + mu * (p - a))

    return Rule(body, ("ax",), 0.15)
