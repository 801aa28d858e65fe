"""Optimizers with options for each group: gradient descent, and rates that follow the size of gradients."""

from __future__ import annotations

import functools
from typing import Any

from anfora.core import exact
from anfora.core.dtype import float32
from anfora.core.errors import OpValueError
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.kernel import bodies
from anfora.kernel.emit import Value
from anfora.optim import adagrad, asgd, rprop, sgd
from anfora.optim.checks import flag, number
from anfora.optim.groups import Group, Section, value_of
from anfora.optim.options import Optimizer
from anfora.optim.update import Rule

__all__ = ["ASGD", "SGD", "Adadelta", "Adagrad", "RMSprop", "Rprop"]


class SGD(Optimizer):
    """Gradient descent.

        v ← μ v + (1 - d) g           (v ← g at the first step)
        p ← p - lr v                  (with nesterov: p ← p - lr (g + μ v); without momentum: p ← p - lr g)

    Args:
        params: Parameters, or groups of them.
        lr: >= 0.
        momentum, dampening: μ >= 0, d >= 0.
        weight_decay: >= 0.
        nesterov: needs μ > 0 and d = 0.
        maximize: ascend.
    Source:
        Robbins & Monro, Ann. Math. Statist. 22 (1951); Sutskever, Martens, Dahl & Hinton, ICML 2013.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> _ = optim.experimental.SGD([w], lr=0.5)((Tensor([1.0]),)); w.tolist()
        [0.5]
    """

    def __init__(
        self,
        params: Any,
        lr: Any,
        momentum: float = 0.0,
        dampening: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
                "nesterov": nesterov, "maximize": maximize, "grad_centralization": False,
            },
        )  # fmt: skip
        self.new_state("accum")
        self.new_state("stat", value=1.0)

    def check(self, group: Group) -> None:
        momentum = number("SGD", "momentum", group["momentum"], least=0.0)
        dampening = number("SGD", "dampening", group["dampening"], least=0.0)
        if flag("SGD", "nesterov", group["nesterov"]) and (momentum == 0.0 or dampening != 0.0):
            raise OpValueError("SGD with nesterov needs momentum > 0 and dampening 0", arg="nesterov")

    def rule(self, section: Section) -> Rule:
        if not section.group["momentum"]:
            return sgd.descent()
        return sgd.momentum_rule(section.group["nesterov"], self.stat, section.indices)

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        return [rate, group["momentum"], 1.0 - group["dampening"]] if group["momentum"] else [rate]


class Adagrad(Optimizer):
    """Rates that fall with the sum of squared gradients.

        s ← s + g²
        p ← p - lr / (1 + (t - 1) η) g / (√s + ε)      at step t = 1, 2, …

    Args:
        params: Parameters, or groups of them.
        lr: >= 0.
        lr_decay: η >= 0.
        weight_decay: >= 0.
        initial_accumulator_value: what s starts with, >= 0.
        eps: ε >= 0.
        maximize: ascend.
    Source:
        Duchi, Hazan & Singer, JMLR 12 (2011).
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> _ = optim.experimental.Adagrad([w], lr=0.5)((Tensor([3.0]),)); w.tolist()
        [0.5]
    """

    step_name = "step_t"

    def __init__(
        self,
        params: Any,
        lr: Any = 0.01,
        lr_decay: float = 0.0,
        weight_decay: float = 0.0,
        initial_accumulator_value: float = 0.0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
                "initial_accumulator_value": initial_accumulator_value, "maximize": maximize,
            },
        )  # fmt: skip
        self.new_state("accum", value=float(initial_accumulator_value))

    def check(self, group: Group) -> None:
        for name in ("lr_decay", "eps", "initial_accumulator_value"):
            number("Adagrad", name, group[name], least=0.0)

    def rule(self, section: Section) -> Rule:
        return _adagrad()

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        return [rate / (1.0 + (step - 1) * group["lr_decay"]), group["eps"]]


class RMSprop(Optimizer):
    """Rates that follow a moving average of squared gradients.

        s ← α s + (1 - α) g²
        a ← α a + (1 - α) g           (a = 0 unless centered)
        d = g / (√(s - a²) + ε)
        v ← μ v + d,  p ← p - lr v

    Args:
        params: Parameters, or groups of them.
        lr: >= 0.
        alpha: α >= 0.
        eps: ε > 0.
        weight_decay: >= 0.
        momentum: μ >= 0.
        centered: divide by the estimated deviation instead of the root of the second moment.
        maximize: ascend.
    Source:
        Hinton, Lecture 6e of "Neural networks for machine learning" (2012); centered: Graves, arXiv 1308.0850.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> _ = optim.experimental.RMSprop([w], lr=0.5, alpha=0.0)((Tensor([3.0]),)); w.tolist()
        [0.5]
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 0.01,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        momentum: float = 0.0,
        centered: bool = False,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {
                "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
                "weight_decay": weight_decay, "maximize": maximize,
            },
        )  # fmt: skip
        self.new_state("mean_square")
        for group in self.param_groups:
            self.extend(group)

    def check(self, group: Group) -> None:
        number("RMSprop", "alpha", group["alpha"], least=0.0)
        number("RMSprop", "eps", group["eps"], above=0.0)
        number("RMSprop", "momentum", group["momentum"], least=0.0)
        flag("RMSprop", "centered", group["centered"])

    def extend(self, group: Group) -> None:
        if group["centered"]:
            self.need("mean_grad")
        if group["momentum"]:
            self.need("moment")

    def rule(self, section: Section) -> Rule:
        self.extend(section.group)  # its settings may have changed
        return _rmsprop(section.group["centered"], bool(section.group["momentum"]))

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        return [rate, group["alpha"], 1.0 - group["alpha"], group["momentum"], group["eps"]]


class Adadelta(Optimizer):
    """Steps in the units of the parameter, without a rate to choose: `Adadelta` with options for each group.

    Args:
        params: Parameters, or groups of them.
        lr: > 0.
        rho: in [0, 1].
        eps: > 0.
        weight_decay: >= 0.
        maximize: ascend.
    Source:
        Zeiler, arXiv 1212.5701.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> _ = optim.experimental.Adadelta([w], rho=0.0, eps=1.0)((Tensor([0.75]),)); round(w.item(), 6)
        0.4
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize})
        self.new_state("accum")
        self.new_state("accum_update")

    def check(self, group: Group) -> None:
        number("Adadelta", "rho", group["rho"], least=0.0, most=1.0)
        number("Adadelta", "eps", group["eps"], above=0.0)

    def rule(self, section: Section) -> Rule:
        return adagrad.adadelta()

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        return [rate, group["rho"], 1.0 - group["rho"], group["eps"]]


class Rprop(Optimizer):
    """Steps that look at the signs of gradients only: `Rprop` with options for each group.

    Args:
        params: Parameters, or groups of them.
        lr: the first step size, >= 0.
        etas: (η⁻, η⁺) with 0 < η⁻ < 1 < η⁺.
        step_sizes: (smallest, largest).
        maximize: ascend.
    Source:
        Riedmiller & Braun, ICNN 1993.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> _ = optim.experimental.Rprop([w], lr=0.25)((Tensor([3.0]),)); w.tolist()
        [0.75]
    """

    step_name = "step_t"

    def __init__(
        self,
        params: Any,
        lr: Any = 0.01,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize})
        self.new_state("prev")
        self.new_state("step_size")

    def check(self, group: Group) -> None:
        rprop.read_etas("Rprop", group["etas"])
        rprop.read_step_sizes("Rprop", group["step_sizes"])

    def rule(self, section: Section) -> Rule:
        return rprop.rprop()

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        return [rate, *group["etas"], *group["step_sizes"]]


class ASGD(Optimizer):
    """Gradient descent that also keeps the average of the parameters: `ASGD` with options for each group.

    Args:
        params: Parameters, or groups of them.
        lr: >= 0.
        lambd, alpha, t0: λ, α, t0.
        weight_decay: >= 0.
        maximize: ascend.
    Source:
        Polyak & Juditsky, SIAM J. Control Optim. 30 (1992); Bottou, COMPSTAT 2010.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> step = optim.experimental.ASGD([w], lr=0.5, lambd=0.0)
        >>> _ = step((Tensor([1.0]),)); w.tolist(), step.ax[0].tolist()
        ([0.5], [0.5])
    """

    step_name = "step_t"

    def __init__(
        self,
        params: Any,
        lr: Any = 0.01,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0.0,
        maximize: bool = False,
    ) -> None:
        super().__init__(
            params,
            {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "maximize": maximize},
        )
        self.new_state("ax")
        for group in self.param_groups:
            self.extend(group)

    def check(self, group: Group) -> None:
        for name in ("lambd", "alpha", "t0"):
            number("ASGD", name, group[name])

    def extend(self, group: Group) -> None:
        for kind, value in (("eta", 0.0), ("mu", 1.0)):
            name = f"{kind}_group_{self._index(group)}"
            setattr(self, name, Parameter(Tensor(value, float32), name=name, requires_grad=False))

    def _scalar(self, kind: str, group: Group) -> float:
        return value_of(getattr(self, f"{kind}_group_{self._index(group)}"))

    def rule(self, section: Section) -> Rule:
        return asgd.averaged()

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        eta = self._scalar("eta", group) or rate
        return [1.0 - group["lambd"] * eta, eta, self._scalar("mu", group)]

    def counters(self, step: int) -> dict[str, float]:
        made = {}
        for index, group in enumerate(self.param_groups):
            rate = self._rate(group)
            made[f"eta_group_{index}"] = rate / exact.power(1.0 + group["lambd"] * rate * step, group["alpha"])
            made[f"mu_group_{index}"] = 1.0 / max(1.0, step - group["t0"])
        return made


# -- rules ------------------------------------------------------------------------------------------------------------


@functools.cache
def _adagrad() -> Rule:
    def body(p: Value, g: Value, s: Value, lr: Value, eps: Value) -> tuple[Value, Value]:
        s = s + g * g
        return p - lr * g / (bodies.sqrt(s) + eps), s

    return Rule(body, ("accum",), 0.25)


@functools.cache
def _rmsprop(centered: bool, moves: bool) -> Rule:
    def body(p: Value, g: Value, s: Value, *rest: Value) -> tuple[Value, ...]:
        *states, lr, alpha, other, mu, eps = rest
        s = alpha * s + other * (g * g)
        spread, new = s, []
        if centered:
            mean = alpha * states.pop(0) + other * g
            new.append(mean)
            spread = s - mean * mean
        d = g / (bodies.sqrt(spread) + eps)
        if moves:
            d = mu * states.pop(0) + d
            new.append(d)
        return p - lr * d, s, *new

    names = ("mean_square", *(("mean_grad",) if centered else ()), *(("moment",) if moves else ()))
    return Rule(body, names, 0.3)
