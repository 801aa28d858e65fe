"""Adam and its relatives: moving averages of the gradient and of its square."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from anfora.core import exact
from anfora.core.errors import OpValueError
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.kernel import bodies
from anfora.kernel.emit import Value
from anfora.optim.checks import flag, number
from anfora.optim.groups import Group, Section
from anfora.optim.optimizer import Optimizer
from anfora.optim.update import Rule

__all__ = ["AdaMax", "Adam", "AdamOffload", "AdamWeightDecay", "LazyAdam"]


class _Betas(Optimizer):
    """What the optimizers of this file have in common: β1, β2 and ε, and the powers of β in Parameters.

    The betas are rounded to float32, in which averages are computed, so that m / (1 - β1 ** t) is free of bias.
    """

    powers: tuple[str, ...] = ("beta1_power", "beta2_power")
    power_shape: tuple[int, ...] = ()

    def __init__(
        self,
        params: Any,
        learning_rate: Any,
        beta1: float,
        beta2: float,
        eps: float,
        weight_decay: Any,
        loss_scale: float = 1.0,
    ) -> None:
        label = type(self).__name__
        beta1, beta2 = _beta(label, "beta1", beta1), _beta(label, "beta2", beta2)
        eps = number(label, "eps", eps, above=0.0)
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta1, self.beta2, self.eps = beta1, beta2, eps
        for name in self.powers:
            one = Tensor(np.ones(self.power_shape, np.float32))
            setattr(self, name, Parameter(one, name=name, requires_grad=False))

    def counters(self, step: int) -> dict[str, float]:
        return {name: exact.whole_power(getattr(self, name.removesuffix("_power")), step) for name in self.powers}


class Adam(_Betas):
    """Adaptive moments.

        m ← β1 m + (1 - β1) g
        v ← β2 v + (1 - β2) g²
        r = lr √(1 - β2 ** t) / (1 - β1 ** t)       at step t = 1, 2, …
        p ← p - r m / (√v + ε)                      (with nesterov β1 m + (1 - β1) g for m)

    With AMSGrad the largest v so far stands below the root.

    Args:
        params, learning_rate: see Optimizer.
        beta1, beta2: β1 and β2, between 0 and 1.
        eps: ε > 0.
        use_locking: accepted for MindSpore programs; no effect here.
        use_nesterov: use the momentum of the step to come.
        weight_decay, loss_scale: see Optimizer.
        use_amsgrad: never let the rate of an element grow.
        use_lazy, use_offload: accepted for MindSpore programs; they concern sparse gradients and other devices.

    States: `moment1` is m, `moment2` is v, `vhat` the largest v; `beta1_power` is β1 ** t, `beta2_power` β2 ** t.

    Source:
        Kingma & Ba, ICLR 2015 (r, ε as before its section 2.1); Dozat, ICLR workshop 2016; Reddi, Kale & Kumar, ICLR 2018.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> step = optim.Adam([w], learning_rate=0.5)
        >>> _ = step((Tensor([3.0]),)); round(w.item(), 6)
        0.5
    """

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
        use_amsgrad: bool = False,
        *,
        use_lazy: bool = False,
        use_offload: bool = False,
    ) -> None:
        label = type(self).__name__
        flag(label, "use_locking", use_locking)
        use_nesterov = flag(label, "use_nesterov", use_nesterov)
        use_amsgrad = flag(label, "use_amsgrad", use_amsgrad)
        if flag(label, "use_lazy", use_lazy) and flag(label, "use_offload", use_offload):
            raise OpValueError(f"{label}: 'use_lazy' and 'use_offload' exclude each other", arg="use_lazy")
        if use_amsgrad and (use_lazy or use_offload):
            raise OpValueError(
                "For lazy Adam and Adam with offload, there is no parameter named 'use_amsgrad'.", arg="use_amsgrad"
            )
        super().__init__(params, learning_rate, beta1, beta2, eps, weight_decay, loss_scale)
        self.use_nesterov, self.use_amsgrad = use_nesterov, use_amsgrad
        self.new_state("moment1")
        self.new_state("moment2")
        if use_amsgrad:
            self.new_state("vhat")

    def rule(self, section: Section) -> Rule:
        return adam(self.use_nesterov, self.use_amsgrad)

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        beta1, beta2 = self.beta1, self.beta2
        size = rate * math.sqrt(1.0 - exact.whole_power(beta2, step)) / (1.0 - exact.whole_power(beta1, step))
        return [size, beta1, 1.0 - beta1, beta2, 1.0 - beta2, self.eps]


class LazyAdam(Adam):
    """Adam. (For sparse gradients MindSpore's LazyAdam leaves rows without gradient alone; gradients are dense here.)

    Args:
        params, learning_rate, beta1, beta2, eps, use_locking, use_nesterov, weight_decay, loss_scale: see Adam.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> _ = optim.LazyAdam([w], learning_rate=0.5)((Tensor([3.0]),)); round(w.item(), 6)
        0.5
    """

    power_shape = (1,)

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        use_locking: bool = False,
        use_nesterov: bool = False,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(params, learning_rate, beta1, beta2, eps, use_locking, use_nesterov, weight_decay, loss_scale)


class AdamOffload(LazyAdam):
    """Adam. (MindSpore's AdamOffload computes on the CPU, whatever the device; here all do.)

    Args:
        params, learning_rate, beta1, beta2, eps, use_locking, use_nesterov, weight_decay, loss_scale: see Adam.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> _ = optim.AdamOffload([w], learning_rate=0.5)((Tensor([3.0]),)); round(w.item(), 6)
        0.5
    """


class AdaMax(_Betas):
    """Adam with the largest instead of the mean square.

        m ← β1 m + (1 - β1) g
        v ← max(β2 v, |g|)
        p ← p - lr / (1 - β1 ** t) m / (v + ε)

    Args:
        params, learning_rate: see Optimizer.
        beta1, beta2: β1 and β2, between 0 and 1.
        eps: ε > 0.
        weight_decay, loss_scale: see Optimizer.

    States: `moment1` is m, `moment2` is v; `beta1_power` is β1 ** t.

    Source:
        Kingma & Ba, ICLR 2015, section 7.1.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> step = optim.AdaMax([w], learning_rate=0.5)
        >>> _ = step((Tensor([3.0]),)); round(w.item(), 6)
        0.5
    """

    powers = ("beta1_power",)
    power_shape = (1,)

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-8,
        weight_decay: Any = 0.0,
        loss_scale: float = 1.0,
    ) -> None:
        super().__init__(params, learning_rate, beta1, beta2, eps, weight_decay, loss_scale)
        self.new_state("moment1")
        self.new_state("moment2")

    def rule(self, section: Section) -> Rule:
        return adamax()

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        size = rate / (1.0 - exact.whole_power(self.beta1, step))
        return [size, self.beta1, 1.0 - self.beta1, self.beta2, self.eps]


class AdamWeightDecay(_Betas):
    """Adam with decoupled weight decay and without bias correction, as BERT was trained.

        m ← β1 m + (1 - β1) g
        v ← β2 v + (1 - β2) g²
        p ← p - lr (m / (√v + ε) + λ p)

    Args:
        params, learning_rate: see Optimizer.
        beta1, beta2: β1 and β2, between 0 and 1.
        eps: ε > 0.
        weight_decay: λ; which parameters have it is said in Optimizer.

    States: `moments1` is m, `moments2` is v; their Parameters are called adam_m.…, adam_v.… `AdamW` corrects the bias.

    Source:
        Devlin, Chang, Lee & Toutanova, NAACL 2019; Loshchilov & Hutter, ICLR 2019.
    Example:
        >>> w = Parameter([1.0], name="w")
        >>> step = optim.AdamWeightDecay([w], learning_rate=0.5, beta1=0.75, beta2=0.75, weight_decay=0.5)
        >>> _ = step((Tensor([3.0]),)); round(w.item(), 5)
        0.5
    """

    powers = ()
    decoupled_decay = True

    def __init__(
        self,
        params: Any,
        learning_rate: Any = 1e-3,
        beta1: float = 0.9,
        beta2: float = 0.999,
        eps: float = 1e-6,
        weight_decay: Any = 0.0,
    ) -> None:
        super().__init__(params, learning_rate, beta1, beta2, eps, weight_decay)
        self.new_state("moments1", "adam_m")
        self.new_state("moments2", "adam_v")

    def rule(self, section: Section) -> Rule:
        return adam_with_decay()

    def hyperparameters(self, group: Group, rate: float, decay: float, step: int) -> list[float]:
        return [rate, self.beta1, 1.0 - self.beta1, self.beta2, 1.0 - self.beta2, self.eps, decay]


def _beta(label: str, name: str, value: float) -> float:
    """A number between 0 and 1, rounded to float32; what would be 0 or 1 then is refused."""
    single = float(np.float32(number(label, name, value, above=0.0, below=1.0)))
    return number(label, name, single, above=0.0, below=1.0)


# -- rules ------------------------------------------------------------------------------------------------------------


@functools.cache
def adam(nesterov: bool, amsgrad: bool) -> Rule:
    def body(p: Value, g: Value, m: Value, v: Value, *rest: Value) -> tuple[Value, ...]:
        lr, beta1, rest1, beta2, rest2, eps = rest[-6:]
        m = beta1 * m + rest1 * g
        v = beta2 * v + rest2 * (g * g)
        largest = [bodies.maximum(rest[0], v)] if amsgrad else []
        ahead = beta1 * m + rest1 * g if nesterov else m
        p = p - lr * ahead / (bodies.sqrt(largest[0] if amsgrad else v) + eps)
        return p, m, v, *largest

    return Rule(body, ("moment1", "moment2", "vhat") if amsgrad else ("moment1", "moment2"), 0.3)


@functools.cache
def adamax() -> Rule:
    def body(
        p: Value, g: Value, m: Value, v: Value, lr: Value, beta1: Value, rest1: Value, beta2: Value, eps: Value
    ) -> tuple[Value, Value, Value]:
        m = beta1 * m + rest1 * g
        v = bodies.maximum(beta2 * v, bodies.absolute(g))
        return p - lr * m / (v + eps), m, v

    return Rule(body, ("moment1", "moment2"), 0.25)


@functools.cache
def adam_with_decay() -> Rule:
    def body(
        p: Value, g: Value, m: Value, v: Value,
        lr: Value, beta1: Value, rest1: Value, beta2: Value, rest2: Value, eps: Value, decay: Value,
    ) -> tuple[Value, Value, Value]:  # fmt: skip
        m = beta1 * m + rest1 * g
        v = beta2 * v + rest2 * (g * g)
        return p - lr * (m / (bodies.sqrt(v) + eps) + decay * p), m, v

    return Rule(body, ("moments1", "moments2"), 0.3)
