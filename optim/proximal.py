"""Adagrad with penalties that make elements exactly zero: proximal steps, and following the regularised leader."""

from __future__ import annotations

import functools
from typing import Any

from anfora.core.errors import OpValueError
from anfora.kernel import bodies
from anfora.kernel.emit import Value
from anfora.optim.checks import flag, number
from anfora.optim.groups import Group, Section
from anfora.optim.optimizer import Optimizer
from anfora.optim.update import Rule

__all__ = ["FTRL", "ProximalAdagrad"]


class ProximalAdagrad(Optimizer):
    """Adagrad, then the nearest point under penalties l1 |p| + l2 p² / 2.

        s ← s + g²
        r = lr / √s,  q = p - r g
        p ← sign(q) max(|q| - r l1, 0) / (1 + r l2)

    Args:
        params: Parameters, or groups of them; see Optimizer.
        accum: what s starts with, >= 0.
        learning_rate: see Optimizer.
        l1, l2: strengths of the penalties, >= 0.
        use_locking: accepted for MindSpore programs; no effect here.
        loss_scale, weight_decay: see Optimizer.

    States: `accum` is s.

    Source:
        Duchi & Singer, NIPS 2009.
    Example:
        >>> w = Parameter([1.0, 0.25], name="w")
        >>> step = optim.ProximalAdagrad([w], accum=1.0, learning_rate=0.5, l1=1.0)
        >>> _ = step((Tensor([0.0, 0.0]),)); w.tolist()
        [0.5, 0.0]
    """

    def __init__(
        self,
        params: Any,
        accum: float = 0.1,
        learning_rate: Any = 0.001,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        accum = number("ProximalAdagrad", "accum", accum, least=0.0)
        l1 = number("ProximalAdagrad", "l1", l1, least=0.0)
        l2 = number("ProximalAdagrad", "l2", l2, least=0.0)
        flag("ProximalAdagrad", "use_locking", use_locking)
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.l1, self.l2 = l1, l2
        self.new_state("accum", value=accum)

    def rule(self, section: Section) -> Rule:
        return proximal_adagrad()

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        return [rate, self.l1, self.l2]


class FTRL(Optimizer):
    """Follow the regularised leader, with the rates of Adagrad.

        n' = n + g²,  σ = (n' ** k - n ** k) / lr  with  k = -lr_power
        z ← z + g - σ p
        p ← (sign(z) l1 - z) / (n' ** k / lr + 2 l2)  where |z| > l1, else 0
        n ← n'

    Args:
        params: Parameters, or groups of them without rates of their own; see Optimizer.
        initial_accum: what n starts with, >= 0.
        learning_rate: lr > 0, a number.
        lr_power: <= 0; with 0 the rate stays.
        l1, l2: strengths of the penalties, >= 0.
        use_locking: accepted for MindSpore programs; no effect here.
        loss_scale: see Optimizer.
        weight_decay: see Optimizer; here it goes for all parameters, whatever their names.

    States: `moments` is n, `linear` is z.

    Source:
        McMahan et al., KDD 2013.
    Example:
        >>> w = Parameter([0.0], name="w")
        >>> step = optim.FTRL([w], initial_accum=0.0, learning_rate=0.5, l1=1.0)
        >>> _ = step((Tensor([4.0]),)); w.tolist()
        [-0.375]
    """

    def __init__(
        self,
        params: Any,
        initial_accum: float = 0.1,
        learning_rate: float = 0.001,
        lr_power: float = -0.5,
        l1: float = 0.0,
        l2: float = 0.0,
        use_locking: bool = False,
        loss_scale: float = 1.0,
        weight_decay: Any = 0.0,
    ) -> None:
        initial_accum = number("FTRL", "initial_accum", initial_accum, least=0.0)
        lr_power = number("FTRL", "lr_power", lr_power, most=0.0)
        l1, l2 = number("FTRL", "l1", l1, least=0.0), number("FTRL", "l2", l2, least=0.0)
        flag("FTRL", "use_locking", use_locking)
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        if self.dynamic_lr or self.is_group_lr:
            raise OpValueError("FTRL takes one number as learning rate, for all groups", arg="learning_rate")
        number("FTRL", "learning_rate", learning_rate, above=0.0)
        self.lr_power, self.l1, self.l2 = lr_power, l1, l2
        self.new_state("moments", value=initial_accum)
        self.new_state("linear")

    def _decays(self, name: str) -> bool:
        return True

    def rule(self, section: Section) -> Rule:
        return ftrl(self.lr_power == -0.5)

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        return [rate, -self.lr_power, self.l1, 2.0 * self.l2]


# -- rules ------------------------------------------------------------------------------------------------------------


@functools.cache
def proximal_adagrad() -> Rule:
    def body(p: Value, g: Value, s: Value, lr: Value, l1: Value, l2: Value) -> tuple[Value, Value]:
        s = s + g * g
        r = lr / bodies.sqrt(s)
        q = p - r * g
        size = bodies.maximum(bodies.absolute(q) - r * l1, 0.0)
        return bodies.copysign(size, q) / (r * l2 + 1.0), s

    return Rule(body, ("accum",), 0.35)


@functools.cache
def ftrl(root: bool) -> Rule:
    """`root`: the power is one half."""

    def body(
        p: Value, g: Value, n: Value, z: Value, lr: Value, k: Value, l1: Value, twice_l2: Value
    ) -> tuple[Value, Value, Value]:
        total = n + g * g
        now, then = (bodies.sqrt(x) if root else bodies.pow(x, k) for x in (total, n))
        z = z + g - (now - then) / lr * p
        moved = (bodies.copysign(l1, z) - z) / (now / lr + twice_l2)
        return bodies.select(bodies.absolute(z) > l1, moved, 0.0), total, z

    return Rule(body, ("moments", "linear"), 0.5 if root else 4.0)
