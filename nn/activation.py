"""Activations as layers: each is one operator, whose documentation gives the formula.

`get_activation("relu")` makes one by name; layers with an `activation` argument take such names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anfora import ops
from anfora.core.cell import Cell
from anfora.core.dtype import float32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.nearest import nearest
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.nn.checks import flag, integer, number, positive_int
from anfora.ops.bound import Bound
from anfora.ops.initializer import initializer

__all__ = [
    "CELU", "ELU", "FastGelu", "GELU", "GLU", "HShrink", "HSigmoid", "HSwish", "Hardtanh", "LeakyReLU", "LogSigmoid",
    "LogSoftmax", "Mish", "PReLU", "RReLU", "ReLU", "ReLU6", "SeLU", "SiLU", "Sigmoid", "SoftShrink", "Softmax",
    "Softmax2d", "Softmin", "Softplus", "Softsign", "Tanh", "Tanhshrink", "Threshold", "get_activation",
]  # fmt: skip


class Activation(Cell):
    """Base of activations without parameters: an operator and its hyperparameters."""

    def __init__(self, op: Callable, **attributes: Any) -> None:
        super().__init__()
        self._op = Bound(op, **attributes)

    def construct(self, x: Tensor) -> Tensor:
        return self._op(x)

    def extend_repr(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self._op.attributes.items())


class ReLU(Activation):
    """max(x, 0).

    Example:
        >>> ReLU()(Tensor([-1., 2.])).tolist()
        [0.0, 2.0]
    """

    def __init__(self) -> None:
        super().__init__(ops.relu)


class ReLU6(Activation):
    """min(max(x, 0), 6).

    Example:
        >>> ReLU6()(Tensor([-1., 2., 9.])).tolist()
        [0.0, 2.0, 6.0]
    """

    def __init__(self) -> None:
        super().__init__(ops.relu6)


class LeakyReLU(Activation):
    """max(x, 0) + alpha · min(x, 0).

    Args:
        alpha: number, the slope of negative numbers.

    Example:
        >>> LeakyReLU(0.5)(Tensor([-1., 2.])).tolist()
        [-0.5, 2.0]
    """

    def __init__(self, alpha: float = 0.2) -> None:
        super().__init__(ops.leaky_relu, alpha=number("LeakyReLU", "alpha", alpha))


class ELU(Activation):
    """x where it is positive, else alpha · (exp(x) - 1).

    Args:
        alpha: number.

    Example:
        >>> ELU()(Tensor([-1., 2.]))
        Tensor(shape=[2], dtype=Float32, value= [-6.32120550e-01,  2.00000000e+00])
    """

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__(ops.elu, alpha=number("ELU", "alpha", alpha))


class CELU(Activation):
    """max(x, 0) + min(alpha · (exp(x / alpha) - 1), 0).

    Args:
        alpha: number, not 0.

    Example:
        >>> CELU()(Tensor([-1., 2.]))
        Tensor(shape=[2], dtype=Float32, value= [-6.32120550e-01,  2.00000000e+00])
    """

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__(ops.celu, alpha=number("CELU", "alpha", alpha))


class SeLU(Activation):
    """A scaled ELU whose constants keep mean 0 and variance 1.

    Example:
        >>> SeLU()(Tensor([-1., 2.]))
        Tensor(shape=[2], dtype=Float32, value= [-1.11133075e+00,  2.10140204e+00])
    """

    def __init__(self) -> None:
        super().__init__(ops.selu)


class GELU(Activation):
    """x Φ(x), with Φ the distribution function of the normal distribution.

    Args:
        approximate: whether tanh replaces Φ: 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))).

    Example:
        >>> GELU(False)(Tensor([0., 1.])).tolist()
        [0.0, 0.8413447141647339]
    """

    def __init__(self, approximate: bool = True) -> None:
        self_form = "tanh" if flag("GELU", "approximate", approximate) else "none"
        super().__init__(ops.gelu, approximate=self_form)


class FastGelu(Activation):
    """x / (1 + exp(-1.702 |x|)) · exp(0.851 (x - |x|)): GELU with a logistic function for Φ.

    Example:
        >>> FastGelu()(Tensor([-1., 2.]))
        Tensor(shape=[2], dtype=Float32, value= [-1.54204249e-01,  1.93565845e+00])
    """

    def __init__(self) -> None:
        super().__init__(ops.fast_gelu)


class SiLU(Activation):
    """x · sigmoid(x).

    Example:
        >>> SiLU()(Tensor([0., 2.]))
        Tensor(shape=[2], dtype=Float32, value= [ 0.00000000e+00,  1.76159406e+00])
    """

    def __init__(self) -> None:
        super().__init__(ops.silu)


class Mish(Activation):
    """x · tanh(softplus(x)).

    Example:
        >>> Mish()(Tensor([0., 1.]))
        Tensor(shape=[2], dtype=Float32, value= [ 0.00000000e+00,  8.65098417e-01])
    """

    def __init__(self) -> None:
        super().__init__(ops.mish)


class Sigmoid(Activation):
    """1 / (1 + exp(-x)).

    Example:
        >>> Sigmoid()(Tensor([0., -1e4])).tolist()
        [0.5, 0.0]
    """

    def __init__(self) -> None:
        super().__init__(ops.sigmoid)


class LogSigmoid(Activation):
    """log(1 / (1 + exp(-x))).

    Example:
        >>> LogSigmoid()(Tensor(0.0))
        Tensor(shape=[], dtype=Float32, value= -0.693147)
    """

    def __init__(self) -> None:
        super().__init__(ops.logsigmoid)


class Tanh(Activation):
    """The hyperbolic tangent.

    Example:
        >>> Tanh()(Tensor([0., 1.]))
        Tensor(shape=[2], dtype=Float32, value= [ 0.00000000e+00,  7.61594176e-01])
    """

    def __init__(self) -> None:
        super().__init__(ops.tanh)


class Tanhshrink(Activation):
    """x - tanh(x).

    Example:
        >>> Tanhshrink()(Tensor([0., 1.]))
        Tensor(shape=[2], dtype=Float32, value= [ 0.00000000e+00,  2.38405824e-01])
    """

    def __init__(self) -> None:
        super().__init__(ops.tanhshrink)


class Softplus(Activation):
    """log(1 + exp(beta · x)) / beta, and x where beta · x > threshold.

    Args:
        beta: number, not 0.
        threshold: number.

    Example:
        >>> Softplus()(Tensor([0., 30.]))
        Tensor(shape=[2], dtype=Float32, value= [ 6.93147182e-01,  3.00000000e+01])
    """

    def __init__(self, beta: float = 1, threshold: float = 20) -> None:
        super().__init__(
            ops.softplus, beta=number("Softplus", "beta", beta), threshold=number("Softplus", "threshold", threshold)
        )


class Softsign(Activation):
    """x / (1 + |x|).

    Example:
        >>> Softsign()(Tensor([-1., 3.])).tolist()
        [-0.5, 0.75]
    """

    def __init__(self) -> None:
        super().__init__(ops.softsign)


class Hardtanh(Activation):
    """x, cut off at min_val and max_val.

    Args:
        min_val, max_val: numbers.

    Example:
        >>> Hardtanh()(Tensor([-3., 0.5, 3.])).tolist()
        [-1.0, 0.5, 1.0]
    """

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0) -> None:
        super().__init__(
            ops.hardtanh, min_val=number("Hardtanh", "min_val", min_val), max_val=number("Hardtanh", "max_val", max_val)
        )


class HSigmoid(Activation):
    """min(max(x / 6 + 1/2, 0), 1).

    Example:
        >>> HSigmoid()(Tensor([-3., 0., 3.])).tolist()
        [0.0, 0.5, 1.0]
    """

    def __init__(self) -> None:
        super().__init__(ops.hardsigmoid)


class HSwish(Activation):
    """x · min(max(x / 6 + 1/2, 0), 1).

    Example:
        >>> HSwish()(Tensor([-3., 0., 3.])).tolist()
        [0.0, 0.0, 3.0]
    """

    def __init__(self) -> None:
        super().__init__(ops.hardswish)


class HShrink(Activation):
    """x where |x| > lambd, else 0.

    Args:
        lambd: number.

    Example:
        >>> HShrink()(Tensor([-1., 0.5, 2.])).tolist()
        [-1.0, 0.0, 2.0]
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__(ops.hardshrink, lambd=number("HShrink", "lambd", lambd))


class SoftShrink(Activation):
    """x moved towards 0 by lambd, and 0 where |x| <= lambd.

    Args:
        lambd: number >= 0.

    Example:
        >>> SoftShrink()(Tensor([-1., 0.25, 2.])).tolist()
        [-0.5, 0.0, 1.5]
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__(ops.softshrink, lambd=number("SoftShrink", "lambd", lambd, least=0.0))


class Threshold(Activation):
    """x where x > threshold, else value.

    Args:
        threshold, value: numbers.

    Example:
        >>> Threshold(1.0, 20.0)(Tensor([0.5, 2.])).tolist()
        [20.0, 2.0]
    """

    def __init__(self, threshold: float, value: float) -> None:
        super().__init__(
            ops.threshold, thr=number("Threshold", "threshold", threshold), value=number("Threshold", "value", value)
        )


class Softmax(Activation):
    """exp(x) / sum(exp(x)) along an axis.

    Args:
        axis: integer; negative counts from the end.

    Example:
        >>> Softmax()(Tensor([[0., 0.], [1e4, 0.]])).tolist()
        [[0.5, 0.5], [1.0, 0.0]]
    """

    def __init__(self, axis: int = -1) -> None:
        super().__init__(ops.softmax, axis=integer("Softmax", "axis", axis))


class LogSoftmax(Activation):
    """The logarithm of the softmax along an axis.

    Args:
        axis: integer; negative counts from the end.

    Example:
        >>> LogSoftmax()(Tensor([1., 1.]))
        Tensor(shape=[2], dtype=Float32, value= [-6.93147182e-01, -6.93147182e-01])
    """

    def __init__(self, axis: int = -1) -> None:
        super().__init__(ops.log_softmax, axis=integer("LogSoftmax", "axis", axis))


class Softmin(Activation):
    """The softmax of -x along an axis.

    Args:
        axis: integer; negative counts from the end.

    Example:
        >>> Softmin()(Tensor([1., 1.])).tolist()
        [0.5, 0.5]
    """

    def __init__(self, axis: int = -1) -> None:
        super().__init__(ops.softmin, axis=integer("Softmin", "axis", axis))


class Softmax2d(Activation):
    """The softmax over the channels of images (N, C, H, W) or (C, H, W).

    Example:
        >>> Softmax2d()(ones((1, 4, 1, 2))).tolist()
        [[[[0.25, 0.25]], [[0.25, 0.25]], [[0.25, 0.25]], [[0.25, 0.25]]]]
    """

    def __init__(self) -> None:
        super().__init__(ops.softmax, axis=-3)


class GLU(Activation):
    """a · sigmoid(b), where a and b are the halves of x along an axis.

    Args:
        axis: integer; the length of x there is even.

    Example:
        >>> GLU()(Tensor([2., 4., 0., 0.])).tolist()
        [1.0, 2.0]
    """

    def __init__(self, axis: int = -1) -> None:
        super().__init__(ops.glu, axis=integer("GLU", "axis", axis))


class RReLU(Activation):
    """max(x, 0) + a · min(x, 0) with a drawn for each element from [lower, upper).

    Args:
        lower, upper: numbers, lower <= upper.

    Example:
        >>> RReLU(0.5, 0.5)(Tensor([-2., 2.])).tolist()
        [-1.0, 2.0]
    """

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3) -> None:
        super().__init__(
            ops.rrelu, lower=number("RReLU", "lower", lower), upper=number("RReLU", "upper", upper, least=lower)
        )


class PReLU(Cell):
    """max(x, 0) + a · min(x, 0) with a learned slope, one for all channels or one for each.

    Args:
        channel: 1, or the number of channels, which are axis 1.
        w: the slope to begin with: a number, or a tensor or list of so many.

    Example:
        >>> PReLU()(Tensor([-2., 2.])).tolist()
        [-0.5, 2.0]
    """

    def __init__(self, channel: int = 1, w: Any = 0.25) -> None:
        super().__init__()
        positive_int("PReLU", "channel", channel)
        w = Tensor(w) if isinstance(w, (list, np.ndarray)) else w
        if isinstance(w, bool) or not isinstance(w, (int, float, Tensor)):
            raise OpTypeError(f"PReLU needs numbers or a tensor for `w`, but got {w!r}", arg="w")
        self.a = Parameter(initializer(w, (channel,), float32))
        self._op = Bound(ops.prelu)

    def construct(self, x: Tensor) -> Tensor:
        return self._op(x, self.a)

    def extend_repr(self) -> str:
        return f"channel={self.a.size}"


# -- by name ----------------------------------------------------------------------------------------------------------


class ActivationNameError(OpValueError, KeyError):
    """There is no activation of that name."""


_BY_NAME = {
    kind.__name__.lower(): kind
    for kind in (
        CELU, ELU, GELU, GLU, HShrink, HSigmoid, HSwish, Hardtanh, LeakyReLU, LogSigmoid, LogSoftmax, Mish, PReLU,
        RReLU, ReLU, ReLU6, SeLU, SiLU, Sigmoid, SoftShrink, Softmax, Softmax2d, Softmin, Softplus, Softsign, Tanh,
        Tanhshrink,
    )
} | {"fast_gelu": FastGelu}  # fmt: skip


def get_activation(name: str | None, prim_name: str | None = None) -> Cell | None:
    """The activation of a name: that of the class in lower case ("relu", "leakyrelu", "fast_gelu", …).

    Args:
        name: None gives None.
        prim_name: who asks, for the message.
    Raises:
        KeyError: there is none of that name.
    Example:
        >>> get_activation("sigmoid")
        Sigmoid()
    """
    if name is None:
        return None
    if name not in _BY_NAME:
        near = nearest(str(name), _BY_NAME)
        start = f"For '{prim_name}', there" if prim_name else "there"
        raise ActivationNameError(
            f"{start} is no activation {name!r}; known are {', '.join(sorted(_BY_NAME))}",
            help=f"did you mean {near!r}?" if near else None,
        )
    return _BY_NAME[name]()


def activation_of(owner: str, activation: Any) -> Callable | None:
    """What an `activation` argument means: None, a name, a Cell or another function."""
    if activation is None or callable(activation):
        return activation
    if isinstance(activation, str):
        return get_activation(activation, owner)
    raise OpTypeError(
        f"{owner} needs a name, a Cell or a function for `activation`, but got {type(activation).__name__}",
        arg="activation",
    )
