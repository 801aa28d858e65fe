"""Optimizers with options for each group: Adam and its relatives."""

from __future__ import annotations

import functools
import math
from typing import Any

from anfora.core import exact
from anfora.core.dtype import float32
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.kernel import bodies
from anfora.kernel.emit import Value
from anfora.optim.checks import flag, number
from anfora.optim.groups import Group, Section, value_of
from anfora.optim.options import Optimizer, betas_of, check_betas
from anfora.optim.update import Rule

__all__ = ["Adam", "AdamW", "Adamax", "NAdam", "RAdam"]


class Adam(Optimizer):
    """Adaptive moments.

        m ← β1 m + (1 - β1) g
        v ← β2 v + (1 - β2) g²
        p ← p - lr m̂ / (√v̂ + ε)  with  m̂ = m / (1 - β1 ** t),  v̂ = v / (1 - β2 ** t)     at step t = 1, 2, …

    With AMSGrad the largest v so far stands for v.

    Args:
        params: Parameters, or groups of them.
        lr: >= 0.
        betas: (β1, β2), in [0, 1).
        eps: ε >= 0.
        weight_decay: λ >= 0; λ p is added to the gradient.
        amsgrad: never let the rate of an element grow.
        maximize: ascend.
    Source:
        Kingma & Ba, ICLR 2015; Reddi, Kale & Kumar, ICLR 2018.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> _ = optim.experimental.Adam([w], lr=0.5)((Tensor([3.0]),)); round(w.item(), 6)
        0.5
    """

    step_name = "state_step"

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
                "maximize": maximize,
            },
        )  # fmt: skip
        self.new_state("exp_avg")
        self.new_state("exp_avg_sq")
        for group in self.param_groups:
            self.extend(group)

    def check(self, group: Group) -> None:
        label = type(self).__name__
        check_betas(label, group)
        number(label, "eps", group["eps"], least=0.0)
        flag(label, "amsgrad", group["amsgrad"])

    def extend(self, group: Group) -> None:
        if group["amsgrad"]:
            self.need("max_exp_avg_sq")

    def rule(self, section: Section) -> Rule:
        self.extend(section.group)  # its settings may have changed
        return _adam(section.group["amsgrad"], self.decoupled_decay)

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        first, rest1, second, rest2 = betas_of(group)
        size = rate / (1.0 - exact.whole_power(first, step))
        root = 1.0 / math.sqrt(1.0 - exact.whole_power(second, step))
        return [size, root, first, rest1, second, rest2, group["eps"], 1.0 - rate * decay]


class AdamW(Adam):
    """Adam with decoupled weight decay: p ← (1 - lr λ) p, then the step of Adam without decay.

    Args:
        params, lr, betas, eps, amsgrad, maximize: see Adam.
        weight_decay: λ >= 0.
    Source:
        Loshchilov & Hutter, ICLR 2019.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> _ = optim.AdamW([w], lr=0.5, weight_decay=0.5)((Tensor([3.0]),)); round(w.item(), 6)
        0.25
    """

    decoupled_decay = True

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize)


class Adamax(Optimizer):
    """Adam with the largest instead of the mean square.

        m ← β1 m + (1 - β1) g
        u ← max(β2 u, |g| + ε)
        p ← p - lr / (1 - β1 ** t) m / u          at step t = 1, 2, …

    Args:
        params: Parameters, or groups of them.
        lr: >= 0.
        betas: (β1, β2), in [0, 1).
        eps: ε >= 0.
        weight_decay: >= 0.
        maximize: ascend.
    Source:
        Kingma & Ba, ICLR 2015, section 7.1.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> _ = optim.experimental.Adamax([w], lr=0.5)((Tensor([3.0]),)); round(w.item(), 6)
        0.5
    """

    step_name = "step_t"

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        )
        self.new_state("exp_avg")
        self.new_state("exp_inf")

    def check(self, group: Group) -> None:
        check_betas("Adamax", group)
        number("Adamax", "eps", group["eps"], least=0.0)

    def rule(self, section: Section) -> Rule:
        return _adamax()

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        first, rest1, second, _ = betas_of(group)
        return [rate / (1.0 - exact.whole_power(first, step)), first, rest1, second, group["eps"]]


class RAdam(Optimizer):
    """Adam that waits with dividing until the variance of the second moment is bounded.

        m ← β1 m + (1 - β1) g,  v ← β2 v + (1 - β2) g²
        ρ∞ = 2 / (1 - β2) - 1,  ρ = ρ∞ - 2 t β2 ** t / (1 - β2 ** t)
        p ← p - lr m̂ r √(1 - β2 ** t) / (√v + ε)  with  r² = (ρ - 4) (ρ - 2) ρ∞ / ((ρ∞ - 4) (ρ∞ - 2) ρ)  where ρ > 5
        p ← p - lr m̂  elsewhere;  m̂ = m / (1 - β1 ** t)     at step t = 1, 2, …

    Args:
        params: Parameters, or groups of them.
        lr: >= 0.
        betas: (β1, β2), in [0, 1).
        eps: ε > 0.
        weight_decay: >= 0.
    Source:
        Liu et al., ICLR 2020.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> _ = optim.experimental.RAdam([w], lr=0.25)((Tensor([3.0]),)); round(w.item(), 6)
        0.25
    """

    step_name = "step_t"

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})
        self.new_state("exp_avg")
        self.new_state("exp_avg_sq")

    def check(self, group: Group) -> None:
        check_betas("RAdam", group)
        number("RAdam", "eps", group["eps"], above=0.0)

    def _length(self, group: Group, step: int) -> tuple[float, float]:
        """ρ and ρ∞."""
        beta2 = group["betas"][1]
        limit = 2.0 / (1.0 - beta2) - 1.0
        left = exact.whole_power(beta2, step)
        return limit - 2.0 * step * left / (1.0 - left), limit

    def rule(self, section: Section) -> Rule:
        length, _ = self._length(section.group, value_of(self.global_step) + 1)
        return _radam(length > 5.0)

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        first, rest1, second, rest2 = betas_of(group)
        length, limit = self._length(group, step)
        size = rate / (1.0 - exact.whole_power(first, step))
        if length > 5.0:
            r = (length - 4.0) * (length - 2.0) * limit / ((limit - 4.0) * (limit - 2.0) * length)
            size *= math.sqrt(r * (1.0 - exact.whole_power(second, step)))
        return [size, first, rest1, second, rest2, group["eps"]]


class NAdam(Optimizer):
    """Adam with Nesterov's momentum, which grows with the steps.

        m ← β1 m + (1 - β1) g,  v ← β2 v + (1 - β2) g²
        μ(t) = β1 (1 - 0.96 ** (t ψ) / 2),  M = μ(1) … μ(t)
        p ← p - lr ((1 - μ(t)) / (1 - M) g + μ(t + 1) / (1 - M μ(t + 1)) m) / (√(v / (1 - β2 ** t)) + ε)

    Args:
        params: Parameters, or groups of them.
        lr: >= 0.
        betas: (β1, β2), in [0, 1).
        eps: ε > 0.
        weight_decay: >= 0.
        momentum_decay: ψ >= 0.
    Source:
        Dozat, ICLR workshop 2016.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> _ = optim.experimental.NAdam([w], lr=0.5, betas=(0.0, 0.999))((Tensor([3.0]),)); round(w.item(), 6)
        0.5
    """

    step_name = "step_t"

    def __init__(
        self,
        params: Any,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum_decay: float = 4e-3,
    ) -> None:
        super().__init__(
            params,
            {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay},
        )
        self.new_state("exp_avg")
        self.new_state("exp_avg_sq")
        for group in self.param_groups:
            self.extend(group)

    def check(self, group: Group) -> None:
        check_betas("NAdam", group)
        number("NAdam", "eps", group["eps"], above=0.0)
        number("NAdam", "momentum_decay", group["momentum_decay"], least=0.0)

    def extend(self, group: Group) -> None:
        name = f"mu_product_group_{self._index(group)}"
        setattr(self, name, Parameter(Tensor(1.0, float32), name=name, requires_grad=False))

    def _momentum(self, group: Group, step: int) -> tuple[float, float, float]:
        """μ(t), μ(t + 1) and M."""
        decay = group["momentum_decay"]
        now, then = (group["betas"][0] * (1.0 - 0.5 * exact.power(0.96, t * decay)) for t in (step, step + 1))
        return now, then, value_of(getattr(self, f"mu_product_group_{self._index(group)}")) * now

    def rule(self, section: Section) -> Rule:
        return _nadam()

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        first, rest1, second, rest2 = betas_of(group)
        now, then, product = self._momentum(group, step)
        shares = [rate * (1.0 - now) / (1.0 - product), rate * then / (1.0 - product * then)]
        return [*shares, first, rest1, second, rest2, 1.0 / (1.0 - exact.whole_power(second, step)), group["eps"]]

    def counters(self, step: int) -> dict[str, float]:
        groups = enumerate(self.param_groups)
        return {f"mu_product_group_{index}": self._momentum(group, step)[2] for index, group in groups}


# -- rules ------------------------------------------------------------------------------------------------------------


@functools.cache
def _adam(amsgrad: bool, decoupled: bool) -> Rule:
    def body(p: Value, g: Value, m: Value, v: Value, *rest: Value) -> tuple[Value, ...]:
        size, root, beta1, rest1, beta2, rest2, eps, keep = rest[-8:]
        m = beta1 * m + rest1 * g
        v = beta2 * v + rest2 * (g * g)
        largest = [bodies.maximum(rest[0], v)] if amsgrad else []
        if decoupled:
            p = p * keep
        return p - size * m / (bodies.sqrt(largest[0] if amsgrad else v) * root + eps), m, v, *largest

    return Rule(body, ("exp_avg", "exp_avg_sq", "max_exp_avg_sq") if amsgrad else ("exp_avg", "exp_avg_sq"), 0.3)


@functools.cache
def _adamax() -> Rule:
    def body(
        p: Value, g: Value, m: Value, u: Value, size: Value, beta1: Value, rest1: Value, beta2: Value, eps: Value
    ) -> tuple[Value, Value, Value]:
        m = beta1 * m + rest1 * g
        u = bodies.maximum(beta2 * u, bodies.absolute(g) + eps)
        return p - size * m / u, m, u

    return Rule(body, ("exp_avg", "exp_inf"), 0.25)


@functools.cache
def _radam(divides: bool) -> Rule:
    def body(
        p: Value, g: Value, m: Value, v: Value,
        size: Value, beta1: Value, rest1: Value, beta2: Value, rest2: Value, eps: Value,
    ) -> tuple[Value, Value, Value]:  # fmt: skip
        m = beta1 * m + rest1 * g
        v = beta2 * v + rest2 * (g * g)
        return p - (size * m / (bodies.sqrt(v) + eps) if divides else size * m), m, v

    return Rule(body, ("exp_avg", "exp_avg_sq"), 0.3)


@functools.cache
def _nadam() -> Rule:
    def body(
        p: Value, g: Value, m: Value, v: Value, of_g: Value, of_m: Value,
        beta1: Value, rest1: Value, beta2: Value, rest2: Value, second: Value, eps: Value,
    ) -> tuple[Value, Value, Value]:  # fmt: skip
        m = beta1 * m + rest1 * g
        v = beta2 * v + rest2 * (g * g)
        return p - (of_g * g + of_m * m) / (bodies.sqrt(v * second) + eps), m, v

    return Rule(body, ("exp_avg", "exp_avg_sq"), 0.3)
