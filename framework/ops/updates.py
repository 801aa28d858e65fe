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


def _adagrad_v2(epsilon: float, update_slots: bool = True) -> Callable:
    def call(var: Tensor, accum: Tensor, lr: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        if update_slots:
            ops.assign(accum, accum + grad * grad)
        return ops.assign(var, var - grad * lr / (ops.sqrt(accum) + epsilon)), accum

    return call


def _adadelta() -> Callable:
    """Zeiler, ADADELTA, arXiv:1212.5701 (2012), Algorithm 1."""

    def call(
        var: Tensor, accum: Tensor, accum_update: Tensor, lr: Any, rho: Any, epsilon: Any, grad: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        ops.assign(accum, accum * rho + grad * grad * (1 - rho))
        step = ops.sqrt(accum_update + epsilon) * ops.rsqrt(accum + epsilon) * grad
        ops.assign(accum_update, accum_update * rho + step * step * (1 - rho))
        return ops.assign(var, var - step * lr), accum, accum_update

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


def _centered_rms_prop(use_locking: bool = False) -> Callable:
    """Graves, Generating Sequences with Recurrent Neural Networks, arXiv:1308.0850 (2013), equations 38 to 41."""

    def call(
        var: Tensor, mean_gradient: Tensor, mean_square: Tensor, moment: Tensor, grad: Tensor, learning_rate: Any,
        decay: Any, momentum: Any, epsilon: Any,
    ) -> Tensor:  # fmt: skip
        ops.assign(mean_gradient, mean_gradient * decay + grad * (1 - decay))
        ops.assign(mean_square, mean_square * decay + grad * grad * (1 - decay))
        spread = mean_square - mean_gradient * mean_gradient + epsilon
        ops.assign(moment, moment * momentum + grad * learning_rate * ops.rsqrt(spread))
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


def _adamax() -> Callable:
    """Kingma & Ba, arXiv:1412.6980 (2014), Algorithm 2."""

    def call(
        var: Tensor, m: Tensor, v: Tensor, beta1_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, grad: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        ops.assign(m, m * beta1 + grad * (1 - beta1))
        ops.assign(v, ops.maximum(v * beta2, ops.abs(grad)))
        rate = lr / (1 - beta1_power)
        return ops.assign(var, var - m * rate / (v + epsilon)), m, v

    return call


def _signed(scale: Callable) -> Callable:
    """Bello et al., Neural Optimizer Search with Reinforcement Learning (ICML 2017), section 5.2.

    Args:
        scale: what the gradient is multiplied by, from a hyper-parameter and the decayed agreement of signs.
    """

    def call(
        var: Tensor, m: Tensor, lr: Any, hyper: Any, sign_decay: Any, beta: Any, grad: Tensor
    ) -> tuple[Tensor, Tensor]:
        ops.assign(m, m * beta + grad * (1 - beta))
        agreement = ops.sign(grad) * ops.sign(m) * sign_decay
        return ops.assign(var, var - grad * scale(hyper, agreement) * lr), m

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


def _proximal_descent() -> Callable:
    """Duchi & Singer, as above, with a fixed rate."""

    def call(var: Tensor, alpha: Any, l1: Any, l2: Any, delta: Tensor) -> Tensor:
        moved = var - delta * alpha
        small = ops.sign(moved) * ops.maximum(ops.abs(moved) - l1 * alpha, 0)
        return ops.assign(var, small / (1 + l2 * alpha))

    return call


def _of_rows(step: Callable) -> Callable:
    """A step for those rows of the tensors that indices name; of a row that is named more than once the gradients add up.

    Args:
        step: writes its tensors, which come before the gradient.
    """

    def call(*arguments: Tensor) -> tuple[Tensor, ...]:
        *written, grad, indices = arguments
        sums = ops.index_add(ops.zeros_like(written[0]), indices, grad, 0)
        rows = [ops.gather(tensor, indices, 0) for tensor in written]
        step(*rows, ops.gather(sums, indices, 0))
        for tensor, row in zip(written, rows):
            ops.scatter_update(tensor, indices, row)
        return tuple(written)

    return call


def _sparse_adagrad(lr: float, update_slots: bool = True, use_locking: bool = False) -> Callable:
    dense = _adagrad(update_slots)
    return _of_rows(lambda var, accum, grad: dense(var, accum, lr, grad))


def _sparse_adagrad_v2(lr: float, epsilon: float, use_locking: bool = False, update_slots: bool = True) -> Callable:
    """Unlike in `ApplyAdagradV2`, MindSpore has `epsilon` under the root here."""

    def step(var: Tensor, accum: Tensor, grad: Tensor) -> None:
        if update_slots:
            ops.assign(accum, accum + grad * grad)
        ops.assign(var, var - grad * lr * ops.rsqrt(accum + epsilon))

    return _of_rows(step)


def _sparse_ftrl(lr: float, l1: float, l2: float, lr_power: float, use_locking: bool = False) -> Callable:
    dense = _ftrl()
    return _of_rows(lambda var, accum, linear, grad: dense(var, accum, linear, grad, lr, l1, l2, lr_power))


#: Classes: functions from their arguments to the function of the call.
UPDATES: dict[str, Callable] = {
    "ApplyMomentum": _momentum,
    "ApplyAdagrad": _adagrad,
    "ApplyAdagradV2": _adagrad_v2,
    "ApplyAdadelta": _adadelta,
    "ApplyRMSProp": _rms_prop,
    "ApplyCenteredRMSProp": _centered_rms_prop,
    "Adam": _adam,
    "ApplyAdaMax": _adamax,
    "ApplyAddSign": lambda: _signed(lambda alpha, agreement: alpha + agreement),
    "ApplyPowerSign": lambda: _signed(lambda logbase, agreement: ops.exp(logbase * agreement)),
    "ApplyAdamWithAmsgrad": _amsgrad,
    "ApplyFtrl": _ftrl,
    "ApplyProximalAdagrad": _proximal_adagrad,
    "ApplyGradientDescent": lambda: lambda var, alpha, delta: ops.assign(var, var - delta * alpha),
    "ApplyProximalGradientDescent": _proximal_descent,
    "SparseApplyAdagrad": _sparse_adagrad,
    "SparseApplyAdagradV2": _sparse_adagrad_v2,
    "SparseApplyFtrl": _sparse_ftrl,
}
