"""Activation functions.

Each is one kernel, and so is the gradient of those that nets are made of; `x_gradient(gradient, …)` has a gradient of its
own, written in operators. Integers are computed as float32, but for `relu` and `threshold`, which keep them. Numbers such
as `alpha` are operands: another value needs no other kernel.
"""

from __future__ import annotations

import math
from typing import Any

from anfora.core.dtype import float32, float64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import Op, Weak
from anfora.core.tensor import Tensor
from anfora.kernel import activations, bodies, complexes
from anfora.kernel.bodies import absolute, clip, is_nan, select
from anfora.kernel.emit import Value
from anfora.ops.comparison import where
from anfora.ops.composite import composite
from anfora.ops.copying import cast, stop_gradient
from anfora.ops.creation import one_hot
from anfora.ops.families import ByAttributes, elementwise, normalize_axis
from anfora.ops.joining import chunk
from anfora.ops.mathematics import exp, log
from anfora.ops.random import rand_like, uniform
from anfora.ops.reduction import argmax
from anfora.ops.softmaxes import softmax

__all__ = [
    "celu", "elu", "fast_gelu", "gelu", "glu", "gumbel_softmax", "hardshrink", "hardsigmoid", "hardswish", "hardtanh",
    "leaky_relu", "logsigmoid", "mish", "prelu", "relu", "relu6", "rrelu", "selu", "sigmoid", "silu", "softplus",
    "softshrink", "softsign", "tanh", "tanhshrink", "threshold",
]  # fmt: skip


def _numbers_only(made: Op, *names: str) -> None:
    """Refuse tensors for these arguments, to which no gradient flows."""
    infer = made.infer_rule
    assert infer is not None

    @made.infer
    def _(*abstracts: Any, **attributes: Any) -> Any:
        for name, abstract in zip(made.tensors, abstracts):
            if name in names and not isinstance(abstract, Weak):
                raise OpTypeError(
                    f"{made.name} needs a number for `{name}`, but got {abstract!r}",
                    arg=name,
                    help=f"float({name}) makes a number of a tensor of one element.",
                )
        return infer(*abstracts, **attributes)


# -- piecewise linear -------------------------------------------------------------------------------------------------


@elementwise(bodies.relu, takes="iuf")
def relu(input: Tensor):
    """max(input, 0), element by element.

    Args:
        input: number tensor of any shape.
    Returns:
        tensor of the same shape and type; NaN stays.
    Gradient:
        g where input > 0, else 0.
    Example:
        >>> relu(Tensor([-1., 2.])).tolist()
        [0.0, 2.0]
    """


@relu.vjp("input")
def _(out, *, g):
    return relu_gradient(g, out)


@elementwise(lambda g, y: select(y <= 0.0, 0.0, g), takes="f")
def relu_gradient(gradient: Tensor, output: Tensor):
    """The gradient where the output of `relu` is not 0, else 0."""


@relu_gradient.vjp("gradient")
def _(output, *, g):
    return relu_gradient(g, output)


@elementwise(lambda x: clip(x, 0.0, 6.0), takes="f", lift=True)
def relu6(x: Tensor):
    """min(max(x, 0), 6), element by element.

    Args:
        x: tensor of any shape; integers are computed as float32.
    Returns:
        tensor of the same shape; NaN stays.
    Gradient:
        g where 0 < x < 6, else 0.
    Source:
        Howard et al., arXiv:1704.04861 (2017).
    Example:
        >>> relu6(Tensor([-1., 2., 8.])).tolist()
        [0.0, 2.0, 6.0]
    """


@relu6.vjp("x")
def _(out, *, g):
    return hardtanh_gradient(g, out, 0.0, 6.0)


def _between(x: Value, low: Value, high: Value) -> Value:
    x = select(x > high, high, x)
    return select(x < low, low, x)


@elementwise(_between, takes="f", lift=True)
def hardtanh(input: Tensor, min_val: Tensor = -1.0, max_val: Tensor = 1.0):
    """min(max(input, min_val), max_val), element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
        min_val, max_val: numbers; where they are in the wrong order the result is min_val.
    Returns:
        tensor of the same shape; NaN stays.
    Gradient:
        g where min_val < input < max_val, else 0.
    Example:
        >>> hardtanh(Tensor([-2., 0.5, 2.])).tolist()
        [-1.0, 0.5, 1.0]
    """


_numbers_only(hardtanh, "min_val", "max_val")


@hardtanh.vjp("input")
def _(input, min_val, max_val, *, g):
    return hardtanh_gradient(g, input, min_val, max_val)


@elementwise(lambda g, x, low, high: select((x <= low) | (x >= high), 0.0, g), takes="f")
def hardtanh_gradient(gradient: Tensor, input: Tensor, min_val: Tensor = -1.0, max_val: Tensor = 1.0):
    """The gradient where min_val < input < max_val, else 0."""


@hardtanh_gradient.vjp("gradient")
def _(input, min_val, max_val, *, g):
    return hardtanh_gradient(g, input, min_val, max_val)


@elementwise(activations.hardsigmoid, takes="f", lift=True)
def hardsigmoid(input: Tensor):
    """min(max(input / 6 + 1/2, 0), 1), element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        tensor of the same shape; NaN stays.
    Gradient:
        g / 6 where -3 < input < 3, else 0.
    Example:
        >>> hardsigmoid(Tensor([-4., 0., 1.5])).tolist()
        [0.0, 0.5, 0.75]
    """


@hardsigmoid.vjp("input")
def _(input, *, g):
    return hardtanh_gradient(g, input, -3.0, 3.0) / 6.0


@elementwise(activations.hardswish, takes="f", lift=True)
def hardswish(input: Tensor):
    """input · hardsigmoid(input), element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        tensor of the same shape; NaN stays.
    Gradient:
        g (input / 3 + 1/2) where -3 < input < 3, else that of max(input, 0).
    Source:
        Howard et al., Searching for MobileNetV3, arXiv:1905.02244 (2019).
    Example:
        >>> hardswish(Tensor([-4., 1.5, 4.])).tolist()
        [0.0, 1.125, 4.0]
    """


@hardswish.vjp("input")
def _(input, *, g):
    return hardswish_gradient(g, input)


@elementwise(activations.hardswish_gradient, takes="f")
def hardswish_gradient(gradient: Tensor, input: Tensor):
    """The gradient of `hardswish`, fused."""


@hardswish_gradient.vjp("gradient", "input")
def _(gradient, input, *, g):
    return hardswish_gradient(g, input), hardtanh_gradient(g * gradient, input, -3.0, 3.0) / 3.0


@elementwise(lambda x, slope: select(x > 0.0, x, x * slope), takes="f", lift=True)
def leaky_relu(input: Tensor, alpha: Tensor = 0.2):
    """max(input, 0) + alpha · min(input, 0), element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
        alpha: the slope of negative numbers; a number, or a tensor that broadcasts.
    Returns:
        tensor of the broadcast shape.
    Gradient:
        g where input > 0, else alpha · g; to alpha, g · min(input, 0).
    Source:
        Maas, Hannun & Ng, ICML 2013.
    Example:
        >>> leaky_relu(Tensor([-1., 2.]), 0.5).tolist()
        [-0.5, 2.0]
    """


@leaky_relu.vjp("input")
def _(input, alpha, *, g):
    return leaky_relu_gradient(g, input, alpha)


@leaky_relu.vjp("alpha")
def _(input, *, g):
    return -(g * relu(-input))


@elementwise(lambda g, x, slope: select(x > 0.0, g, g * slope), takes="f")
def leaky_relu_gradient(gradient: Tensor, input: Tensor, alpha: Tensor = 0.2):
    """The gradient where the input is positive, else alpha times that."""


@leaky_relu_gradient.vjp("gradient")
def _(input, alpha, *, g):
    return leaky_relu_gradient(g, input, alpha)


@leaky_relu_gradient.vjp("alpha")
def _(gradient, input, *, g):
    return leaky_relu_gradient(g * gradient, -input, 0.0)


@composite
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """max(input, 0) + weight · min(input, 0), with a slope for each channel.

    Args:
        input: tensor (N, C, *), or of fewer axes with a single slope.
        weight: float tensor (C,) or (1,), the slopes of negative numbers.
    Returns:
        tensor of the shape of `input`.
    Raises:
        OpValueError: `weight` has neither as many elements as there are channels nor one.
    Gradient:
        g where input > 0, else weight · g; to weight, g · min(input, 0), summed over all other axes.
    Source:
        He, Zhang, Ren & Sun, ICCV 2015.
    Example:
        >>> prelu(Tensor([[-1., -1.]]), Tensor([0.25, 0.5])).tolist()
        [[-0.25, -0.5]]
    """
    channels = input.shape[1] if input.ndim > 1 else 1
    if weight.ndim > 1 or weight.size not in (1, channels):
        raise OpValueError(
            f"prelu needs a `weight` of shape [{channels}] or [1] for an input of shape {list(input.shape)}, but got one "
            f"of shape {list(weight.shape)}",
            arg="weight",
        )
    shape = (weight.size,) + (1,) * (input.ndim - 2) if input.ndim > 1 else ()
    return leaky_relu(input, weight.reshape(shape))


@composite
def rrelu(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3) -> Tensor:
    """max(input, 0) + a · min(input, 0) with a slope a drawn for each element from [lower, upper).

    Args:
        input: float tensor of any shape.
        lower, upper: numbers, lower <= upper; the slope itself where they are equal.
    Returns:
        tensor of the same shape and type.
    Raises:
        OpTypeError: `input` is not floating point.
        OpValueError: `lower` is greater than `upper`.
    Gradient:
        g where input > 0, else a · g.
    Source:
        Xu, Wang, Chen & Li, arXiv:1505.00853 (2015).
    Example:
        >>> rrelu(Tensor([-1., 2.]), 0.5, 0.5).tolist()
        [-0.5, 2.0]
    """
    _check_float("rrelu", "input", input)
    if not lower <= upper:
        raise OpValueError(f"rrelu: `lower` must not exceed `upper`, but got {lower} and {upper}", arg="lower")
    if lower == upper:
        return leaky_relu(input, float(lower))
    return leaky_relu(input, uniform(input.shape, lower, upper, dtype=input.dtype))


def _check_float(name: str, arg: str, x: Any) -> None:
    if not isinstance(x, Tensor) or not x.dtype.is_float:
        raise OpTypeError(
            f"{name} needs a floating-point tensor for `{arg}`, but got {getattr(x, 'dtype', type(x).__name__)}",
            arg=arg,
        )


@elementwise(lambda x, size: select((x >= -size) & (x <= size), 0.0, x), takes="f", lift=True)
def hardshrink(input: Tensor, lambd: Tensor = 0.5):
    """The input where |input| > lambd, else 0, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
        lambd: number.
    Returns:
        tensor of the same shape; NaN stays.
    Gradient:
        g where |input| > lambd, else 0.
    Example:
        >>> hardshrink(Tensor([-1., 0.25, 2.])).tolist()
        [-1.0, 0.0, 2.0]
    """


def _soft_shrink(x: Value, size: Value) -> Value:
    return select(x > size, x - size, select(x < -size, x + size, select(is_nan(x), x, 0.0)))


@elementwise(_soft_shrink, takes="f", lift=True)
def softshrink(input: Tensor, lambd: Tensor = 0.5):
    """The input moved towards 0 by lambd, and 0 where |input| <= lambd, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
        lambd: number >= 0.
    Returns:
        tensor of the same shape; NaN stays.
    Gradient:
        g where |input| > lambd, else 0.
    Example:
        >>> softshrink(Tensor([-1., 0.25, 2.])).tolist()
        [-0.5, 0.0, 1.5]
    """


@elementwise(lambda g, x, size: select((x >= -size) & (x <= size), 0.0, g), takes="f")
def shrink_gradient(gradient: Tensor, input: Tensor, lambd: Tensor = 0.5):
    """The gradient where |input| > lambd, else 0."""


for _made in (hardshrink, softshrink):
    _numbers_only(_made, "lambd")
    _made.vjp("input")(lambda input, lambd, *, g: shrink_gradient(g, input, lambd))


@shrink_gradient.vjp("gradient")
def _(input, lambd, *, g):
    return shrink_gradient(g, input, lambd)


@elementwise(lambda x, low, value: select(x <= low, value, x), takes="iuf")
def threshold(input: Tensor, thr: Tensor, value: Tensor):
    """The input where it is greater than thr, else value, element by element.

    Args:
        input: number tensor of any shape.
        thr, value: numbers.
    Returns:
        tensor of the same shape; NaN stays.
    Gradient:
        g where input > thr, else 0.
    Example:
        >>> threshold(Tensor([0., 1., 2.]), 1, 20).tolist()
        [20.0, 20.0, 2.0]
    """


_numbers_only(threshold, "thr", "value")


@threshold.vjp("input")
def _(input, thr, *, g):
    return threshold_gradient(g, input, thr)


@elementwise(lambda g, x, low: select(x <= low, 0.0, g), takes="f")
def threshold_gradient(gradient: Tensor, input: Tensor, thr: Tensor):
    """The gradient where input > thr, else 0."""


@threshold_gradient.vjp("gradient")
def _(input, thr, *, g):
    return threshold_gradient(g, input, thr)


# -- logistic and hyperbolic ------------------------------------------------------------------------------------------


@elementwise(bodies.sigmoid, takes="f", lift=True, cost=0.25, complex=complexes.sigmoid)
def sigmoid(input: Tensor):
    """1 / (1 + e^-input), element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        tensor of the same shape, with values in [0, 1].
    Gradient:
        g y (1 - y). Needs y but not the input.
    Example:
        >>> sigmoid(Tensor([0., -1e4])).tolist()
        [0.5, 0.0]
    """


@sigmoid.vjp("input")
def _(out, *, g):
    return sigmoid_gradient(g, out)


@elementwise(activations.sigmoid_gradient, takes="f", complex=lambda g, y: g * (y * (1.0 - y)))
def sigmoid_gradient(gradient: Tensor, output: Tensor):
    """g y (1 - y): the gradient of `sigmoid`, fused."""


@sigmoid_gradient.vjp("gradient", "output")
def _(gradient, output, *, g):
    return sigmoid_gradient(g, output), g * gradient * (1.0 - output * 2.0)


@elementwise(bodies.tanh, takes="f", lift=True, cost=0.3, complex=complexes.tanh)
def tanh(input: Tensor):
    """Hyperbolic tangent, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        tensor of the same shape, with values in [-1, 1].
    Gradient:
        g (1 - y²). Needs y but not the input.
    Example:
        >>> tanh(Tensor([0., -1e4])).tolist()
        [0.0, -1.0]
    """


@tanh.vjp("input")
def _(out, *, g):
    return tanh_gradient(g, out)


@elementwise(activations.tanh_gradient, takes="f", complex=lambda g, y: g * (1.0 - y * y))
def tanh_gradient(gradient: Tensor, output: Tensor):
    """g (1 - y²): the gradient of `tanh`, fused."""


@tanh_gradient.vjp("gradient", "output")
def _(gradient, output, *, g):
    return tanh_gradient(g, output), g * gradient * output * -2.0


@elementwise(activations.logsigmoid, takes="f", lift=True, cost=0.4)
def logsigmoid(x: Tensor):
    """log(1 / (1 + e^-x)), element by element.

    Args:
        x: tensor of any shape; integers are computed as float32.
    Returns:
        tensor of the same shape.
    Gradient:
        g · sigmoid(-x).
    Example:
        >>> logsigmoid(Tensor(0.0))
        Tensor(shape=[], dtype=Float32, value= -0.693147)
    """


@logsigmoid.vjp("x")
def _(x, *, g):
    return g * sigmoid(-x)


@elementwise(activations.softplus, takes="f", lift=True, cost=0.5)
def softplus(input: Tensor, beta: Tensor = 1, threshold: Tensor = 20):
    """log(1 + e^(beta · input)) / beta, and the input itself where beta · input > threshold, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
        beta, threshold: numbers; beta is not 0.
    Returns:
        tensor of the same shape.
    Gradient:
        g · sigmoid(beta · input), and g where beta · input > threshold.
    Example:
        >>> softplus(Tensor([0., 30.])).tolist()
        [0.6931471824645996, 30.0]
    """


softplus.mixed = "single"


_numbers_only(softplus, "beta", "threshold")


@softplus.vjp("input")
def _(input, beta, threshold, *, g):
    return softplus_gradient(g, input, beta, threshold)


@elementwise(activations.softplus_gradient, takes="f")
def softplus_gradient(gradient: Tensor, input: Tensor, beta: Tensor = 1, threshold: Tensor = 20):
    """The gradient of `softplus`, fused."""


@softplus_gradient.vjp("gradient", "input")
def _(gradient, input, beta, threshold, *, g):
    scaled = input * beta
    bend = sigmoid_gradient(g * gradient, sigmoid(scaled)) * beta
    return softplus_gradient(g, input, beta, threshold), where(scaled > threshold, 0.0, bend)


def _softsign(x: Value) -> Value:
    most = 1e300 if x.type.elem == "f64" else 1e30
    near = clip(x, -most, most)
    return near / (absolute(near) + 1.0)


@elementwise(_softsign, takes="f", lift=True)
def softsign(x: Tensor):
    """x / (1 + |x|), element by element.

    Args:
        x: tensor of any shape; integers are computed as float32.
    Returns:
        tensor of the same shape, with values in [-1, 1].
    Gradient:
        g / (1 + |x|)².
    Example:
        >>> softsign(Tensor([-1., 3.])).tolist()
        [-0.5, 0.75]
    """


@softsign.vjp("x")
def _(x, *, g):
    below = x.abs() + 1.0
    return g / (below * below)


@elementwise(activations.tanhshrink, takes="f", lift=True, cost=0.3)
def tanhshrink(input: Tensor):
    """input - tanh(input), element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        tensor of the same shape.
    Gradient:
        g · tanh(input)².
    Example:
        >>> tanhshrink(Tensor([0., 20.])).tolist()
        [0.0, 19.0]
    """


@tanhshrink.vjp("input")
def _(input, *, g):
    y = tanh(input)
    return g * (y * y)


# -- the input times a number in [0, 1] -------------------------------------------------------------------------------


@elementwise(activations.silu, takes="f", lift=True, cost=0.3)
def silu(input: Tensor):
    """input · sigmoid(input), element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        tensor of the same shape.
    Gradient:
        g s (1 + input (1 - s)), with s = sigmoid(input).
    Source:
        Elfwing, Uchibe & Doya, arXiv:1702.03118 (2017).
    Example:
        >>> silu(Tensor([0., 1.])).tolist()
        [0.0, 0.7310585975646973]
    """


@silu.vjp("input")
def _(input, *, g):
    return silu_gradient(g, input)


@elementwise(activations.silu_gradient, takes="f", cost=0.3)
def silu_gradient(gradient: Tensor, input: Tensor):
    """The gradient of `silu`, fused."""


@silu_gradient.vjp("gradient", "input")
def _(gradient, input, *, g):
    s, near = sigmoid(input), hardtanh(input, -1e3, 1e3)
    return silu_gradient(g, input), sigmoid_gradient(g * gradient, s) * (near * (1.0 - s * 2.0) + 2.0)


_GELU = {"none": activations.gelu, "tanh": activations.gelu_tanh}
_GELU_GRADIENT = {"none": activations.gelu_gradient, "tanh": activations.gelu_tanh_gradient}


@elementwise(ByAttributes(lambda kind, approximate: _GELU[approximate]), takes="f", lift=True, cost=0.5, pairs=True)
def gelu(input: Tensor, approximate="none"):
    """input · Φ(input), element by element, with the distribution function Φ of the standard normal distribution.

    Args:
        input: tensor of any shape; integers are computed as float32.
        approximate: "none", or "tanh" for input / 2 · (1 + tanh(√(2/π) (input + 0.044715 input³))).
    Returns:
        tensor of the same shape.
    Raises:
        OpValueError: `approximate` is something else.
    Gradient:
        g (Φ(input) + input φ(input)), with the density φ; for "tanh" the derivative of that formula.
    Source:
        Hendrycks & Gimpel, arXiv:1606.08415 (2016).
    Example:
        >>> gelu(Tensor([0., 1.])).tolist()
        [0.0, 0.8413447141647339]
    """


@gelu.normalize
def _(input, *, approximate):
    if approximate not in ("none", "tanh"):
        raise OpValueError(f"gelu: `approximate` must be 'none' or 'tanh', but got {approximate!r}", arg="approximate")
    return {"approximate": approximate}


@gelu.vjp("input")
def _(input, *, approximate, g):
    return gelu_gradient(g, input, approximate)


@elementwise(ByAttributes(lambda kind, approximate: _GELU_GRADIENT[approximate]), takes="f", cost=0.5, pairs=True)
def gelu_gradient(gradient: Tensor, input: Tensor, approximate):
    """The gradient of `gelu`, fused."""


@gelu_gradient.vjp("gradient", "input")
def _(gradient, input, *, approximate, g):
    bend = _gelu_tanh_bend(input) if approximate == "tanh" else _gelu_bend(input)
    return gelu_gradient(g, input, approximate), g * gradient * bend


def _gelu_bend(x: Tensor) -> Tensor:
    """The second derivative, φ(x) (2 - x²)."""
    x = hardtanh(x, -40.0, 40.0)
    square = x * x
    return exp(square * -0.5) * (2.0 - square) / math.sqrt(2 * math.pi)


def _gelu_tanh_bend(x: Tensor) -> Tensor:
    """The second derivative of x s(a), s = sigmoid, a = c (x + k x³): s' (2 a' + x a'') + x s'' a'²."""
    c, k = 2 * math.sqrt(2 / math.pi), 0.044715
    x = hardtanh(x, -23.0, 23.0)
    square = x * x
    s = sigmoid(x * (square * (c * k) + c))
    slope = square * (3 * c * k) + c
    return s * (1.0 - s) * (slope * 2.0 + square * (6 * c * k) + x * (slope * slope) * (1.0 - s * 2.0))


@elementwise(activations.fast_gelu, takes="f", lift=True, cost=0.3)
def fast_gelu(x: Tensor):
    """x · sigmoid(1.702 x), element by element: `gelu` with a logistic function for Φ.

    Args:
        x: tensor of any shape; integers are computed as float32.
    Returns:
        tensor of the same shape.
    Gradient:
        g s (1 + 1.702 x (1 - s)), with s = sigmoid(1.702 x).
    Source:
        Hendrycks & Gimpel, arXiv:1606.08415 (2016).
    Example:
        >>> fast_gelu(Tensor([0., 1.])).tolist()
        [0.0, 0.8457958698272705]
    """


@fast_gelu.vjp("x")
def _(x, *, g):
    return silu_gradient(g, x * 1.702)


@elementwise(activations.mish, takes="f", lift=True, cost=0.3)
def mish(x: Tensor):
    """x · tanh(softplus(x)), element by element.

    Args:
        x: tensor of any shape; integers are computed as float32.
    Returns:
        tensor of the same shape.
    Gradient:
        g (t + x (1 - t²) sigmoid(x)), with t = tanh(softplus(x)).
    Source:
        Misra, arXiv:1908.08681 (2019).
    Example:
        >>> mish(Tensor([0., 1.])).tolist()
        [0.0, 0.8650984168052673]
    """


@mish.vjp("x")
def _(x, *, g):
    return mish_gradient(g, x)


@elementwise(activations.mish_gradient, takes="f", cost=0.3)
def mish_gradient(gradient: Tensor, input: Tensor):
    """The gradient of `mish`, fused."""


@mish_gradient.vjp("gradient", "input")
def _(gradient, input, *, g):
    s, t, near = sigmoid(input), tanh(softplus(input)), hardtanh(input, -1e3, 1e3)
    bend = tanh_gradient(s, t) * (near * (1.0 - s - t * s * 2.0) + 2.0)
    return mish_gradient(g, input), g * gradient * bend


# -- exponential on the left ------------------------------------------------------------------------------------------


@elementwise(lambda x, alpha: activations.elu(x, alpha, 1.0), takes="f", lift=True, cost=0.3)
def elu(input_x: Tensor, alpha: Tensor = 1.0):
    """The input where it is positive, else alpha (e^input - 1), element by element.

    Args:
        input_x: tensor of any shape; integers are computed as float32.
        alpha: number.
    Returns:
        tensor of the same shape.
    Gradient:
        g where the input is positive, else g alpha e^input.
    Source:
        Clevert, Unterthiner & Hochreiter, arXiv:1511.07289 (2015).
    Example:
        >>> elu(Tensor([-1e3, 2.])).tolist()
        [-1.0, 2.0]
    """


_numbers_only(elu, "alpha")


@elu.vjp("input_x")
def _(input_x, alpha, *, g):
    return elu_gradient(g, input_x, alpha, 1.0)


@elementwise(activations.elu_gradient, takes="f", cost=0.3)
def elu_gradient(gradient: Tensor, input: Tensor, alpha: Tensor = 1.0, rate: Tensor = 1.0):
    """g where the input is positive, else g alpha rate e^(rate input): the gradient of `elu` and its kin, fused."""


@elu_gradient.vjp("gradient", "input")
def _(gradient, input, alpha, rate, *, g):
    bend = elu_gradient(g * gradient, input, alpha, rate) * rate
    return elu_gradient(g, input, alpha, rate), where(input > 0.0, 0.0, bend)


@elementwise(lambda x, alpha: activations.elu(x, alpha, 1.0 / alpha), takes="f", lift=True, cost=0.3)
def celu(x: Tensor, alpha: Tensor = 1.0):
    """x where it is positive, else alpha (e^(x / alpha) - 1), element by element.

    Args:
        x: tensor of any shape; integers are computed as float32.
        alpha: number, not 0.
    Returns:
        tensor of the same shape.
    Gradient:
        g where x is positive, else g e^(x / alpha).
    Source:
        Barron, arXiv:1704.07483 (2017).
    Example:
        >>> celu(Tensor([-1e3, 2.]), 0.5).tolist()
        [-0.5, 2.0]
    """


_numbers_only(celu, "alpha")


@celu.vjp("x")
def _(x, alpha, *, g):
    return elu_gradient(g, x, alpha, 1.0 / alpha)


_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


@elementwise(lambda x: activations.elu(x, _SELU_ALPHA, 1.0) * _SELU_SCALE, takes="f", lift=True, cost=0.3)
def selu(input_x: Tensor):
    """1.0507 · elu(input, 1.6733), element by element: keeps mean 0 and variance 1 from layer to layer.

    Args:
        input_x: tensor of any shape; integers are computed as float32.
    Returns:
        tensor of the same shape.
    Gradient:
        1.0507 times that of `elu`.
    Source:
        Klambauer, Unterthiner, Mayr & Hochreiter, arXiv:1706.02515 (2017), with the constants to all digits.
    Example:
        >>> selu(Tensor([-1e3, 1.])).tolist()
        [-1.7580993175506592, 1.0507010221481323]
    """


@selu.vjp("input_x")
def _(input_x, *, g):
    return elu_gradient(g * _SELU_SCALE, input_x, _SELU_ALPHA, 1.0)


# -- of several elements ----------------------------------------------------------------------------------------------


@composite
def glu(x: Tensor, axis: int = -1) -> Tensor:
    """a · sigmoid(b), where a and b are the halves of x along an axis.

    Args:
        x: tensor of any shape, of even length along the axis.
        axis: negative counts from the end.
    Returns:
        tensor of half that length.
    Raises:
        OpValueError: the length is odd, or `axis` is out of range.
    Source:
        Dauphin, Fan, Auli & Grangier, arXiv:1612.08083 (2016).
    Example:
        >>> glu(Tensor([1., 2., 0., 0.])).tolist()
        [0.5, 1.0]
    """
    place = normalize_axis("glu", axis, x.ndim)
    if not x.ndim or x.shape[place] % 2:
        raise OpValueError(
            f"glu needs an even length along axis {axis}, but got a tensor of shape {list(x.shape)}", arg="x"
        )
    if not x.shape[place]:
        return x
    a, b = chunk(x, 2, place)
    return a * sigmoid(b)


@composite
def gumbel_softmax(logits: Tensor, tau: float = 1.0, hard: bool = False, dim: int = -1) -> Tensor:
    """Samples from the Gumbel-softmax distribution: softmax((logits + n) / tau), with noise n from Gumbel's distribution.

    Args:
        logits: float tensor; unnormalised log-probabilities, in nats.
        tau: number > 0, the temperature.
        hard: whether the result is the one-hot vector of the largest element, with the gradient of the softmax.
        dim: the axis of the classes.
    Returns:
        tensor of the shape and type of `logits`, whose sums along the axis are 1.
    Raises:
        OpTypeError: `logits` is not floating point.
        OpValueError: `tau` is not positive, or `dim` out of range.
    Source:
        Jang, Gu & Poole, arXiv:1611.01144 (2016).
    Example:
        >>> gumbel_softmax(Tensor([0., 1e4]), hard=True).tolist()
        [0.0, 1.0]
    """
    _check_float("gumbel_softmax", "logits", logits)
    if not tau > 0:
        raise OpValueError(f"gumbel_softmax needs a number > 0 for `tau`, but got {tau}", arg="tau")
    axis = normalize_axis("gumbel_softmax", dim, logits.ndim, "dim")
    units = rand_like(logits, dtype=float64 if logits.dtype is float64 else float32)
    noise = -log(-log(hardtanh(units, 2.0**-26, 1.0)))
    y = cast(softmax((logits + noise) / tau, axis), logits.dtype)
    if not hard or not y.ndim:
        return y
    chosen = one_hot(argmax(y, axis), y.shape[axis], axis=axis)
    return cast(chosen, y.dtype) + (y - stop_gradient(y))
