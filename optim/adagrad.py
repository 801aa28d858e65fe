"""Adagrad and what it became: rates that follow the size of past gradients, one for each element."""

from __future__ import annotations

import functools
from typing import Any

from anfora.kernel import bodies
from anfora.kernel.emit import Value
from anfora.optim.checks import flag, number
from anfora.optim.groups import Group, Section
from anfora.optim.optimizer import Optimizer
from anfora.optim.update import Rule

__all__ = ["Adadelta", "Adagrad", "RMSProp"]


class Adagrad(Optimizer):
    """Rates that fall with the sum of squared gradients.

        s ← s + g²                    (unless update_slots is False)
        p ← p - lr g / √s

    Args:
        params: Parameters, or groups of them; see Optimizer.
        accum: what s starts with, >= 0.
        learning_rate: see Optimizer.
        update_slots: whether s is updated.
        loss_scale, weight_decay: see Optimizer.

    States: `accum` is s.

    Source:
        Duchi, Hazan & Singer, JMLR 12 (2011).
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> step = optim.Adagrad([w], accum=0.0, learning_rate=0.5)
        >>> _ = step((Tensor([3.0]),)); w.tolist()
        [0.5]
    """

    def __init__(
        self,
        params: Any,
        accum: float = 0.1,
        learning_rate: Any = 0.001,
        update_slots: bool = True,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        accum = number("Adagrad", "accum", accum, least=0.0)
        update_slots = flag("Adagrad", "update_slots", update_slots)
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.update_slots = update_slots
        self.new_state("accum", value=accum)

    def rule(self, section: Section) -> Rule:
        return adagrad(self.update_slots)

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        return [rate]


class RMSProp(Optimizer):
    """Rates that follow a moving average of squared gradients.

        s ← ρ s + (1 - ρ) g²
        a ← ρ a + (1 - ρ) g           (a = 0 unless centered)
        v ← μ v + lr g / √(s - a² + ε)
        p ← p - v

    Args:
        params, learning_rate: see Optimizer.
        decay: ρ >= 0.
        momentum: μ >= 0.
        epsilon: ε > 0.
        use_locking: accepted for MindSpore programs; no effect here.
        centered: divide by the estimated variance instead of the second moment.
        loss_scale, weight_decay: see Optimizer.

    States: `ms` is s, which starts with 1, `moment` is v, and `mg` (if centered) is a; their Parameters are called
    mean_square.…, moment.…, mean_grad.…

    Source:
        Hinton, Lecture 6e of "Neural networks for machine learning" (2012); centered: Graves, arXiv 1308.0850.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> step = optim.RMSProp([w], learning_rate=0.5, decay=0.0)
        >>> _ = step((Tensor([3.0]),)); w.tolist()
        [0.5]
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.1,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        decay = number("RMSProp", "decay", decay, least=0.0)
        momentum = number("RMSProp", "momentum", momentum, least=0.0)
        epsilon = number("RMSProp", "epsilon", epsilon, above=0.0)
        flag("RMSProp", "use_locking", use_locking)
        centered = flag("RMSProp", "centered", centered)
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.decay, self.momentum, self.epsilon, self.centered = decay, momentum, epsilon, centered
        if centered:
            self.new_state("mg", "mean_grad")
        self.new_state("ms", "mean_square", 1.0)
        self.new_state("moment")

    def rule(self, section: Section) -> Rule:
        return rmsprop(self.centered)

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        return [rate, self.decay, 1.0 - self.decay, self.momentum, self.epsilon]


class Adadelta(Optimizer):
    """Steps in the units of the parameter, without a rate to choose.

        s ← ρ s + (1 - ρ) g²
        d = √(u + ε) / √(s + ε) g
        u ← ρ u + (1 - ρ) d²
        p ← p - lr d

    Args:
        params, learning_rate: see Optimizer.
        rho: ρ in [0, 1].
        epsilon: ε >= 0.
        loss_scale, weight_decay: see Optimizer.

    States: `accum` is s, `accum_update` is u.

    Source:
        Zeiler, arXiv 1212.5701.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> step = optim.Adadelta([w], rho=0.0, epsilon=1.0)
        >>> _ = step((Tensor([0.75]),)); round(w.item(), 6)
        0.4
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1.0,
        rho: float = 0.9,
        epsilon: float = 1e-6,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        rho = number("Adadelta", "rho", rho, least=0.0, most=1.0)
        epsilon = number("Adadelta", "epsilon", epsilon, least=0.0)
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.rho, self.epsilon = rho, epsilon
        self.new_state("accum")
        self.new_state("accum_update")

    def rule(self, section: Section) -> Rule:
        return adadelta()

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        return [rate, self.rho, 1.0 - self.rho, self.epsilon]


# -- rules ------------------------------------------------------------------------------------------------------------


@functools.cache
def adagrad(updates: bool) -> Rule:
    def body(p: Value, g: Value, s: Value, lr: Value) -> tuple[Value, Value]:
        if updates:
            s = s + g * g
        return p - lr * g / bodies.sqrt(s), s

    return Rule(body, ("accum",), 0.25)


@functools.cache
def rmsprop(centered: bool) -> Rule:
    def plain(
        p: Value, g: Value, s: Value, v: Value, lr: Value, rho: Value, rest: Value, mu: Value, eps: Value
    ) -> tuple[Value, ...]:
        s = rho * s + rest * (g * g)
        v = mu * v + lr * g / bodies.sqrt(s + eps)
        return p - v, s, v

    def about_mean(
        p: Value, g: Value, a: Value, s: Value, v: Value, lr: Value, rho: Value, rest: Value, mu: Value, eps: Value
    ) -> tuple[Value, ...]:
        s = rho * s + rest * (g * g)
        a = rho * a + rest * g
        v = mu * v + lr * g / bodies.sqrt(s - a * a + eps)
        return p - v, a, s, v

    return Rule(about_mean, ("mg", "ms", "moment"), 0.3) if centered else Rule(plain, ("ms", "moment"), 0.3)


@functools.cache
def adadelta() -> Rule:
    def body(
        p: Value, g: Value, s: Value, u: Value, lr: Value, rho: Value, rest: Value, eps: Value
    ) -> tuple[Value, Value, Value]:
        s = rho * s + rest * (g * g)
        d = bodies.sqrt(u + eps) / bodies.sqrt(s + eps) * g
        return p - lr * d, s, rho * u + rest * (d * d)

    return Rule(body, ("accum", "accum_update"), 0.4)
