"""Steps of optimizers as classes, as older programs write them in an optimizer of their own: `ApplyMomentum()(w, …)`.

Each writes its tensors in place and gives what MindSpore's gives: the parameter, or the parameter and its moments. The
optimizers of `anfora.optim` do not use them: they step over all parameters in one native call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora import ops
from anfora.core.tensor import Tensor

__all__ = ["UPDATES"]


def _momentum(use_nesterov: bool = False, use_locking: bool = False, gradient_scale: float = 1.0) -> Callable:
    def call(variable: Tensor, accumulation: Tensor, learning_rate: Any, gradient: Tensor, momentum: Any) -> Tensor:
        gradient = gradient * gradient_scale
        speed = ops.assign(accumulation, accumulation * momentum + gradient)
        step = gradient + speed * momentum if use_nesterov else speed
        return ops.assign(variable, variable - step * learning_rate)

    return call


def _adagrad(update_slots: bool = True) -> Callable:
    def call(var: Tensor, accum: Tensor, lr: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        if update_slots:
            ops.assign(accum, accum + grad * grad)
        return ops.assign(var, var - grad * lr * ops.rsqrt(accum)), accum

    return call


def _rms_prop(use_locking: bool = False) -> Callable:
    def call(
        var: Tensor, mean_square: Tensor, moment: Tensor, learning_rate: Any, grad: Tensor, decay: Any, momentum: Any,
        epsilon: Any,
    ) -> Tensor:  # fmt: skip
        ops.assign(mean_square, mean_square * decay + grad * grad * (1 - decay))
        ops.assign(moment, moment * momentum + grad * learning_rate * ops.rsqrt(mean_square + epsilon))
        return ops.assign(var, var - moment)

    return call


def _adam(use_locking: bool = False, use_nesterov: bool = False) -> Callable:
    """Kingma & Ba, arXiv:1412.6980 (2014), section 2, last paragraph; Dozat (2016) for `use_nesterov`."""

    def call(
        var: Tensor, m: Tensor, v: Tensor, beta1_power: Any, beta2_power: Any, lr: Any, beta1: Any, beta2: Any,
        epsilon: Any, gradient: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        rate = lr * (1 - beta2_power) ** 0.5 / (1 - beta1_power)
        ops.assign(m, m * beta1 + gradient * (1 - beta1))
        ops.assign(v, v * beta2 + gradient * gradient * (1 - beta2))
        step = m * beta1 + gradient * (1 - beta1) if use_nesterov else m
        return ops.assign(var, var - step * rate / (ops.sqrt(v) + epsilon)), m, v

    return call


def _amsgrad(beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8, use_locking: bool = False) -> Callable:
    """Reddi, Kale & Kumar, On the Convergence of Adam and Beyond (ICLR 2018), Algorithm 2, with the corrections of Adam."""

    def call(
        var: Tensor, m: Tensor, v: Tensor, vhat: Tensor, beta1_power: Any, beta2_power: Any, lr: Any, grad: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        rate = lr * (1 - beta2_power) ** 0.5 / (1 - beta1_power)
        ops.assign(m, m * beta1 + grad * (1 - beta1))
        ops.assign(v, v * beta2 + grad * grad * (1 - beta2))
        ops.assign(vhat, ops.maximum(vhat, v))
        return ops.assign(var, var - m * rate / (ops.sqrt(vhat) + epsilon)), m, v, vhat

    return call


def _ftrl(use_locking: bool = False) -> Callable:
    """McMahan et al., Ad Click Prediction (KDD 2013), Algorithm 1."""

    def call(
        var: Tensor, accum: Tensor, linear: Tensor, grad: Tensor, lr: Any, l1: Any, l2: Any, lr_power: Any
    ) -> Tensor:
        new = accum + grad * grad
        power = -lr_power
        ops.assign(linear, linear + grad - (new**power - accum**power) / lr * var)
        ops.assign(accum, new)
        pulled = ops.clamp(linear, -l1, l1) - linear
        return ops.assign(var, pulled / (new**power / lr + 2 * l2))

    return call


def _proximal_adagrad(use_locking: bool = False) -> Callable:
    """Duchi & Singer, Efficient Online and Batch Learning using Forward Backward Splitting (JMLR 2009)."""

    def call(var: Tensor, accum: Tensor, lr: Any, l1: Any, l2: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        ops.assign(accum, accum + grad * grad)
        rate = lr * ops.rsqrt(accum)
        moved = var - grad * rate
        small = ops.sign(moved) * ops.maximum(ops.abs(moved) - rate * l1, 0)
        return ops.assign(var, small / (1 + rate * l2)), accum

    return call


#: Classes: functions from their arguments to the function of the call.
UPDATES: dict[str, Callable] = {
    "ApplyMomentum": _momentum,
    "ApplyAdagrad": _adagrad,
    "ApplyRMSProp": _rms_prop,
    "Adam": _adam,
    "ApplyAdamWithAmsgrad": _amsgrad,
    "ApplyFtrl": _ftrl,
    "ApplyProximalAdagrad": _proximal_adagrad,
    "ApplyGradientDescent": lambda: lambda var, alpha, delta: ops.assign(var, var - delta * alpha),
}
