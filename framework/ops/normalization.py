"""Normalisation: along the last axes (layer norm, RMS norm), and of channels (batch, group and instance norm).

All of them compute, with the moments of some set of elements,

    x̂ = (x - mean) r        r = 1 / sqrt(variance + eps)        y = x̂ w + b

(RMS norm without the mean). With q = g w and the projection P(v) = v - mean(v) - x̂ mean(v x̂), the gradient is

    dx = r P(q)             dw = sum(g x̂)                       db = sum(g)

which the fused kernels compute. P is symmetric, and the derivative of dx in a direction h needs nothing else; see
`_second`, which is written in operators and serves them all.
"""

from __future__ import annotations

import math
from typing import Any

from anfora.core.abstract import TensorType
from anfora.core.dtype import DType, float32, float64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import op
from anfora.core.tensor import Tensor
from anfora.kernel import bodies
from anfora.kernel.emit import Value
from anfora.kernel.loops import contiguous, plan_elementwise, plan_fill
from anfora.kernel.memory import compute_elem
from anfora.kernel.norm import plan_norm, plan_norm_apply, plan_norm_gradient
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.reduce import plan_reduce
from anfora.kernel.rows import At, Row, plan_rows
from anfora.ops.arithmetic import maximum
from anfora.ops.composite import composite
from anfora.ops.copying import cast
from anfora.ops.families import folded, leading
from anfora.ops.pooling import avg_pool2d
from anfora.ops.reduction import reduce_mean, reduce_sum
from anfora.ops.shape import broadcast_to, integers, reshape
from anfora.ops.windows import check_images, each_axis

__all__ = ["batch_norm", "group_norm", "instance_norm", "l2_normalize", "layer_norm", "lrn", "rms_norm"]


def _floating(name: str, **tensors: Any) -> None:
    for arg, x in tensors.items():
        if x is not None and not x.dtype.is_float:
            raise OpTypeError(
                f"{name} needs a floating-point tensor for `{arg}`, but got {TensorType(x.dtype, x.shape)!r}",
                arg=arg,
                help="convert it first, e.g. x.astype(float32).",
            )


def _of_shape(name: str, shape: tuple[int, ...], **tensors: Any) -> None:
    for arg, x in tensors.items():
        if x is not None and x.shape != shape:
            raise OpValueError(f"{name} needs `{arg}` of shape {list(shape)}, but got {list(x.shape)}", arg=arg)


def _wide(dtype: DType) -> DType:
    """The type in which moments are kept."""
    return float64 if dtype is float64 else float32


def _second(
    x: Tensor,
    w: Tensor | None,
    g: Tensor,
    h: Tensor | None,
    h_w: Tensor | None,
    h_b: Tensor | None,
    axes: tuple[int, ...],
    eps: float,
    centred: bool = True,
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
    """The gradients, to x, w and g, of <h, dx> + <h_w, dw> + <h_b, db>; see the head of this file for dx, dw, db.

    With a = mean(q x̂) and b = mean(h x̂), <h, dx> = r <h, P(q)>, and r and x̂ depend on x by dr = -r² mean(x̂ dx) and
    <v, dx̂> = <r P(v), dx>, so that

        d<h, dx> / dx = -r² (mean(h P(q)) x̂ + a P(h) + b P(q))

    `w`, `h_w` and `h_b` have as many axes as x; `axes` are those that the moments are taken over. The gradient to w is
    not yet summed over the axes that w does not have.
    """

    def mean(v: Tensor) -> Tensor:
        return reduce_mean(v, axes, True)

    def project(v: Tensor) -> Tensor:
        rest = v - normal * mean(v * normal)
        return rest - mean(v) if centred else rest

    deviation = x - mean(x) if centred else x
    r = (mean(deviation * deviation) + eps) ** -0.5
    normal = deviation * r
    q = g if w is None else g * w
    dx = dw = dg = None
    if h is not None:
        of_q, of_h = project(q), project(h)
        dx = (mean(h * of_q) * normal + mean(q * normal) * of_h + mean(h * normal) * of_q) * (-r * r)
        dw = g * of_h * r
        dg = of_h * r if w is None else of_h * r * w
    if h_w is not None:
        dx = _plus(dx, project(g * h_w) * r)
        dg = _plus(dg, normal * h_w)
    if h_b is not None:
        dg = _plus(dg, broadcast_to(h_b, x.shape))
    return dx, dw, dg


def _plus(a: Tensor | None, b: Tensor) -> Tensor:
    return b if a is None else a + b


# -- layer norm -------------------------------------------------------------------------------------------------------


@op
def layer_norm(input: Tensor, normalized_shape, weight: Tensor | None = None, bias: Tensor | None = None, eps=1e-5):
    """Normalise over the last axes: y = (x - mean) / sqrt(variance + eps) · weight + bias.

    Args:
        input: float tensor (*rows, *normalized_shape).
        normalized_shape: the lengths of the axes to normalise over, an int or a tuple.
        weight, bias: float tensors of shape `normalized_shape`; ones and zeros when not given.
        eps: is added to the variance.
    Returns:
        float tensor of the type of `input`.
    Raises:
        OpTypeError: a tensor is not floating point.
        OpValueError: the last axes of `input`, or `weight` or `bias`, do not have the shape `normalized_shape`.
    Gradient:
        See the head of this module; the moments are computed again, nothing but the arguments is kept.
    Source:
        Ba, Kiros & Hinton, arXiv:1607.06450 (2016). The variance is the mean of (x - mean)².
    Example:
        >>> layer_norm(Tensor([[1., 3.], [-5., 5.]]), (2,), eps=0.0)
        Tensor(shape=[2, 2], dtype=Float32, value=
        [[-1.00000000e+00,  1.00000000e+00],
         [-1.00000000e+00,  1.00000000e+00]])
    """


layer_norm.mixed = "single"


@layer_norm.normalize
def _(input, weight, bias, *, normalized_shape, eps):
    shape = integers("layer_norm", normalized_shape, "normalized_shape")
    if not shape or input.shape[-len(shape) :] != shape:
        raise OpValueError(
            f"layer_norm: the last axes of {input!r} do not have the lengths {list(shape)}", arg="normalized_shape"
        )
    return {"normalized_shape": shape, "eps": float(eps)}


@layer_norm.infer
def _(input, weight, bias, *, normalized_shape, eps):
    _floating("layer_norm", input=input, weight=weight, bias=bias)
    _of_shape("layer_norm", normalized_shape, weight=weight, bias=bias)
    return input


def _layer_norm(has_weight: bool, has_bias: bool):
    """The row body of layer norm: inputs x [weight] [bias], output y, number eps."""

    def body(row: Row) -> None:
        x, out = row.input(0), row.output(0)
        mean, rstd = _row_moments(row)

        def value(at: At) -> Value:
            y = (x[at] - mean) * rstd
            if has_weight and has_bias:
                return bodies.fma(y, row.input(1)[at], row.input(2)[at])
            return y * row.input(1)[at] if has_weight else y + row.input(1)[at] if has_bias else y

        row.each(lambda at: out.put(at, value(at)))

    return body


def _row_moments(row: Row, number: int = 0) -> tuple[Value, Value]:
    """Mean, and 1 / sqrt(variance + eps), of a row."""
    x = row.input(number)
    count = row.count
    mean = (row.sum(lambda at: x[at]) / count).to(row.elem)
    variance = row.sum(lambda at: _squared(x[at] - mean)) / count
    return mean, (1.0 / bodies.sqrt(variance + row.parameter(0))).to(row.elem)


def _squared(v: Value) -> Value:
    return v * v


_LAYER_NORM = {(w, b): _layer_norm(w, b) for w in (False, True) for b in (False, True)}


def _as_rows(p: Planner, x: Buffer, trailing: int) -> Buffer:
    """A contiguous buffer whose last axes are seen as one row."""
    x = contiguous(p, x)
    return x.reshaped(math.prod(x.shape[: x.ndim - trailing]), math.prod(x.shape[x.ndim - trailing :]))


def _as_row(p: Planner, x: Buffer) -> Buffer:
    x = contiguous(p, x)
    return x.reshaped(x.size)


@layer_norm.kernel
def _(p: Planner, input: Buffer, weight: Buffer | None, bias: Buffer | None, out: Buffer, *, normalized_shape, eps):
    trailing = len(normalized_shape)
    inputs = [(_as_rows(p, input, trailing), "row")]
    inputs += [(_as_row(p, x), "shared") for x in (weight, bias) if x is not None]
    body = _LAYER_NORM[weight is not None, bias is not None]
    plan_rows(p, body, inputs, [(_as_rows(p, out, trailing), "row")], 1, 0.25, numbers=(eps,))


@layer_norm.vjp("input", "weight", "bias")
def _(input, weight, bias_type, *, normalized_shape, eps, g):
    if weight is None and bias_type is None:
        return layer_norm_gradient(input, None, g, len(normalized_shape), eps, False), None, None
    return layer_norm_gradient(input, weight, g, len(normalized_shape), eps, True)


leading(layer_norm)


@op
def layer_norm_gradient(input: Tensor, weight: Tensor | None, gradient: Tensor, trailing, eps, affine):
    """The gradient of `layer_norm`, fused: to the input, and if `affine` to weight and bias too."""


@layer_norm_gradient.infer
def _(input, weight, gradient, *, trailing, eps, affine):
    if not affine:
        return input
    shape = input.shape[input.ndim - trailing :]
    of_weight = TensorType(_wide(input.dtype) if weight is None else weight.dtype, shape)
    return input, of_weight, of_weight


def _layer_norm_gradient(has_weight: bool, affine: bool):
    def body(row: Row) -> None:
        x, g, out = row.input(0), row.input(1), row.output(0)
        mean, rstd = _row_moments(row)

        def incoming(at: At) -> Value:
            return g[at] * row.input(2)[at] if has_weight else g[at]

        def terms(at: At) -> tuple[Value, ...]:
            q = incoming(at)
            return q, q * (x[at] - mean)

        count = row.count
        first, second = row.sums(2, terms)
        r = rstd.to("f64")
        flat, tilt = (first / count * r).to(row.elem), (second / count * r * r * r).to(row.elem)

        def act(at: At) -> None:
            d = x[at] - mean
            out.put(at, incoming(at) * rstd - flat - d * tilt)
            if affine:
                row.output(1).add(at, g[at] * (d * rstd))
                row.output(2).add(at, g[at])

        row.each(act)

    return body


_LAYER_NORM_GRADIENT = {(w, a): _layer_norm_gradient(w, a) for w in (False, True) for a in (False, True)}


@layer_norm_gradient.kernel
def _(p: Planner, input: Buffer, weight: Buffer | None, gradient: Buffer, *outputs: Buffer, trailing, eps, affine):
    inputs = [(_as_rows(p, x, trailing), "row") for x in (input, gradient)]
    if weight is not None:
        inputs.append((_as_row(p, weight), "shared"))
    targets = [(_as_rows(p, outputs[0], trailing), "row"), *((_as_row(p, x), "total") for x in outputs[1:])]
    body = _LAYER_NORM_GRADIENT[weight is not None, affine]
    plan_rows(p, body, inputs, targets, 1, 0.6, numbers=(eps,))


@layer_norm_gradient.vjp("input", "weight", "gradient")
def _(input, weight, gradient, *, trailing, eps, affine, g):
    h, h_w, h_b = g if affine else (g, None, None)
    axes = tuple(range(input.ndim - trailing, input.ndim))
    dx, dw, dg = _second(input, weight, gradient, h, h_w, h_b, axes, eps)
    return dx, dw, dg  # summed to the shape of the weight by the tape


# -- RMS norm ---------------------------------------------------------------------------------------------------------


@op
def rms_norm(x: Tensor, gamma: Tensor, epsilon=1e-6) -> tuple[Tensor, Tensor]:
    """Divide by the root of the mean square over the last axes: y = x r · gamma, r = 1 / sqrt(mean(x²) + epsilon).

    Args:
        x: float tensor (*rows, *shape).
        gamma: float tensor of shape `shape`; tells which axes are meant.
        epsilon: is added to the mean square.
    Returns:
        (y, r): y of the type of `x`; r of shape (*rows, 1 …), float32 (float64 for float64).
    Raises:
        OpTypeError: a tensor is not floating point.
        OpValueError: the last axes of `x` do not have the shape of `gamma`.
    Source:
        Zhang & Sennrich, arXiv:1910.07467 (2019).
    Example:
        >>> rms_norm(Tensor([[3., 4.]]), Tensor([1., 2.]), 0.0)[0]
        Tensor(shape=[1, 2], dtype=Float32, value=
        [[ 8.48528147e-01,  2.26274180e+00]])
    """


rms_norm.mixed = "single"


@rms_norm.infer
def _(x, gamma, *, epsilon):
    _floating("rms_norm", x=x, gamma=gamma)
    rows = x.ndim - gamma.ndim
    if gamma.ndim == 0 or rows < 0 or x.shape[rows:] != gamma.shape:
        raise OpValueError(f"rms_norm: the last axes of {x!r} do not have the shape of `gamma`, {gamma!r}", arg="gamma")
    return x, TensorType(_wide(x.dtype), x.shape[:rows] + (1,) * gamma.ndim)


def _rms_norm(row: Row) -> None:
    x, gamma, out = row.input(0), row.input(1), row.output(0)
    rstd = _row_rms(row)
    row.output(1).set(rstd)
    row.each(lambda at: out.put(at, x[at] * rstd * gamma[at]))


def _row_rms(row: Row) -> Value:
    x = row.input(0)
    square = row.sum(lambda at: _squared(x[at])) / row.count
    return (1.0 / bodies.sqrt(square + row.parameter(0))).to(row.elem)


@rms_norm.kernel
def _(p: Planner, x: Buffer, gamma: Buffer, out: Buffer, rstd: Buffer, *, epsilon):
    trailing = gamma.ndim
    inputs = [(_as_rows(p, x, trailing), "row"), (_as_row(p, gamma), "shared")]
    outputs = [(_as_rows(p, out, trailing), "row"), (_as_row(p, rstd), "one")]
    plan_rows(p, _rms_norm, inputs, outputs, 1, 0.2, numbers=(float(epsilon),))


@rms_norm.vjp("x", "gamma")
def _(x, gamma, out1, *, epsilon, g):
    of_y, of_r = g
    dx = dgamma = None
    if of_y is not None:
        dx, dgamma = rms_norm_gradient(x, gamma, of_y, float(epsilon))
    if of_r is not None:
        count = gamma.size
        extra = x * (of_r * out1 * out1 * out1 * (-1.0 / count))
        dx = _plus(dx, extra)
    return dx, dgamma


leading(rms_norm)


@op
def rms_norm_gradient(input: Tensor, weight: Tensor, gradient: Tensor, eps):
    """The gradient of `rms_norm`, fused: to the input and to the weight."""


@rms_norm_gradient.infer
def _(input, weight, gradient, *, eps):
    return input, weight


def _rms_norm_gradient(row: Row) -> None:
    x, g, weight, out = row.input(0), row.input(1), row.input(2), row.output(0)
    rstd = _row_rms(row)
    r = rstd.to("f64")
    total = row.sum(lambda at: g[at] * weight[at] * x[at])
    tilt = (total / row.count * r * r * r).to(row.elem)

    def act(at: At) -> None:
        out.put(at, g[at] * weight[at] * rstd - x[at] * tilt)
        row.output(1).add(at, g[at] * (x[at] * rstd))

    row.each(act)


@rms_norm_gradient.kernel
def _(p: Planner, input: Buffer, weight: Buffer, gradient: Buffer, out: Buffer, of_weight: Buffer, *, eps):
    trailing = weight.ndim
    inputs = [(_as_rows(p, x, trailing), "row") for x in (input, gradient)]
    outputs = [(_as_rows(p, out, trailing), "row"), (_as_row(p, of_weight), "total")]
    inputs.append((_as_row(p, weight), "shared"))
    plan_rows(p, _rms_norm_gradient, inputs, outputs, 1, 0.4, numbers=(eps,))


@rms_norm_gradient.vjp("input", "weight", "gradient")
def _(input, weight, gradient, *, eps, g):
    axes = tuple(range(input.ndim - weight.ndim, input.ndim))
    return _second(input, weight, gradient, g[0], g[1], None, axes, eps, centred=False)


# -- channels ---------------------------------------------------------------------------------------------------------


@op
def channel_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, groups, eps):
    """Normalise channels with their own moments: y = (x - mean) / sqrt(variance + eps) · weight[c] + bias[c].

    Args:
        input: float tensor (N, C, *).
        weight, bias: float tensors (C,), or None for ones and zeros.
        groups: 0 takes the moments of each channel over all images (batch norm); else those of each of so many groups
            of neighbouring channels in each image.
        eps: is added to the variance.
    Raises:
        OpValueError: the channels do not divide into so many groups.
    Returns:
        (y, mean, variance): y of the type of `input`; the moments (C,) or (N, groups), float32 (float64 for float64).
        The variance is the mean of (x - mean)².
    """


channel_norm.mixed = "single"


@channel_norm.infer
def _(input, weight, bias, *, groups, eps):
    if groups < 0 or (groups and input.shape[1] % groups):
        raise OpValueError(f"channel_norm: {input.shape[1]} channels do not divide into {groups} groups", arg="groups")
    for name, value in (("weight", weight), ("bias", bias)):
        if value is not None and value.shape != (input.shape[1],):
            raise OpValueError(f"channel_norm needs shape [{input.shape[1]}], but got {value!r}", arg=name)
    shape = (input.shape[1],) if groups == 0 else (input.shape[0], groups)
    moments = TensorType(_wide(input.dtype), shape)
    return input, moments, moments


def _as_runs(p: Planner, x: Buffer) -> Buffer:
    """(N, C, *) as a contiguous (N, C, S)."""
    x = contiguous(p, x)
    return x.reshaped(*x.shape[:2], math.prod(x.shape[2:]))


#: Runs shorter than this are copied together for each channel.
_SHORT = 16


def _is_column(x: Buffer, groups: int) -> bool:
    """Whether channels are columns of a matrix."""
    return groups == 0 and x.shape[2] == 1


def _is_short(x: Buffer, groups: int) -> bool:
    return groups == 0 and 1 < x.shape[2] < _SHORT and x.shape[0] > 1


def _channels_first(p: Planner, x: Buffer) -> Buffer:
    """(N, C, S) as (1, C, N S), a copy."""
    x = contiguous(p, x.permuted((1, 0, 2)))
    return x.reshaped(1, x.shape[0], x.shape[1] * x.shape[2])


@channel_norm.kernel
def _(
    p: Planner, input: Buffer, weight: Buffer | None, bias: Buffer | None, out: Buffer, mean: Buffer, variance: Buffer,
    *, groups, eps,
):  # fmt: skip
    if input.size == 0:
        for moments in (mean, variance):
            plan_fill(p, moments, math.nan)
        return
    x, y = _as_runs(p, input), _as_runs(p, out)
    weight, bias = (None if b is None else contiguous(p, b) for b in (weight, bias))
    if _is_column(x, groups):
        given = [(b, "one") for b in (weight, bias) if b is not None]
        body = _COLUMN_NORM[weight is not None, bias is not None]
        plan_rows(p, body, [(x, "row"), *given], [(y, "row"), (mean, "one"), (variance, "one")], 0, 0.4, numbers=(eps,))
    elif _is_short(x, groups):
        turned = p.workspace(out.dtype, 1, x.shape[1], x.shape[0] * x.shape[2])
        plan_norm(p, _channels_first(p, x), weight, bias, turned, mean, variance, 0, eps)
        _copy_back(p, turned, y)
    else:
        plan_norm(p, x, weight, bias, y, mean, variance, groups, eps)


def _copy_back(p: Planner, turned: Buffer, out: Buffer) -> None:
    """Undo `_channels_first`."""
    images, channels, length = out.shape
    plan_elementwise(
        p, _identity, [(turned.reshaped(channels, images, length), compute_elem(out.code))],
        [(out.permuted((1, 0, 2)), compute_elem(out.code))],
    )  # fmt: skip


def _identity(x: Value) -> Value:
    return x


def _column_norm(has_weight: bool, has_bias: bool):
    """The body for channels that are columns: `_layer_norm` with a weight and a bias for each row."""

    def body(row: Row) -> None:
        x, out = row.input(0), row.output(0)
        count = row.count
        mean = (row.sum(lambda at: x[at]) / count).to(row.elem)
        variance = row.sum(lambda at: _squared(x[at] - mean)) / count
        row.output(1).set(mean)
        row.output(2).set(variance.to(row.elem))
        rstd = 1.0 / bodies.sqrt(variance + row.parameter(0))
        scale = rstd * row.input(1).value.to("f64") if has_weight else rstd
        scale = scale.to(row.elem)
        if has_bias:
            shift = row.input(1 + has_weight).value
            row.each(lambda at: out.put(at, (x[at] - mean) * scale + shift))
        else:
            row.each(lambda at: out.put(at, (x[at] - mean) * scale))

    return body


_COLUMN_NORM = {(w, b): _column_norm(w, b) for w in (False, True) for b in (False, True)}


@channel_norm.vjp("input", "weight", "bias")
def _(input, weight, out1, out2, *, groups, eps, g):
    of_y, of_mean, of_variance = g
    dx = dw = db = None
    if of_y is not None:
        dx, dw, db = channel_norm_gradient(input, out1, out2, weight, of_y, groups, eps)
    if of_mean is not None or of_variance is not None:
        extra = _moments_gradient(input, of_mean, of_variance, groups)
        dx = _plus(dx, extra)
    return dx, dw, db


@channel_norm.batch
def _(batched, input, weight, bias, *, groups, eps):
    if groups == 0 or batched[1] or batched[2]:  # statistics over the images of an example
        return NotImplemented
    count, images = input.shape[:2]
    return channel_norm(reshape(input, (count * images, *input.shape[2:])), weight, bias, groups, eps)


def _moments_gradient(x: Tensor, of_mean: Tensor | None, of_variance: Tensor | None, groups: int) -> Tensor:
    """The gradient to x of its moments."""
    cells, axes = _cells(x, groups)
    count = math.prod(cells.shape[i] for i in axes)
    kept = tuple(1 if i in axes else n for i, n in enumerate(cells.shape))
    dx = None
    if of_mean is not None:
        dx = broadcast_to(reshape(of_mean, kept) * (1.0 / count), cells.shape)
    if of_variance is not None:
        dx = _plus(dx, (cells - reduce_mean(cells, axes, True)) * (reshape(of_variance, kept) * (2.0 / count)))
    return reshape(dx, x.shape)


def _cells(x: Tensor, groups: int) -> tuple[Tensor, tuple[int, ...]]:
    """(N, C, *) as (N, groups, channels of a group, S), and the axes of the moments."""
    n, c = x.shape[:2]
    s = math.prod(x.shape[2:])
    return (reshape(x, (n, c, 1, s)), (0, 3)) if groups == 0 else (reshape(x, (n, groups, c // groups, s)), (2, 3))


@op
def channel_norm_gradient(
    input: Tensor, mean: Tensor, variance: Tensor, weight: Tensor | None, gradient: Tensor, groups, eps
):
    """The gradient of `channel_norm`, fused: to the input, weight and bias. `mean` and `variance` are its results; what
    depends on them is counted as depending on `input`."""


@channel_norm_gradient.infer
def _(input, mean, variance, weight, gradient, *, groups, eps):
    dtype = _wide(input.dtype) if weight is None else weight.dtype
    of_weight = TensorType(dtype, (input.shape[1],))
    return input, of_weight, of_weight


@channel_norm_gradient.kernel
def _(
    p: Planner, input: Buffer, mean: Buffer, variance: Buffer, weight: Buffer | None, gradient: Buffer, out: Buffer,
    of_weight: Buffer, of_bias: Buffer, *, groups, eps,
):  # fmt: skip
    if input.size == 0:
        plan_fill(p, of_weight, 0)
        plan_fill(p, of_bias, 0)
        return
    x, g, y = _as_runs(p, input), _as_runs(p, gradient), _as_runs(p, out)
    mean, variance = contiguous(p, mean), contiguous(p, variance)
    weight = None if weight is None else contiguous(p, weight)
    if _is_column(x, groups):
        given = [(b, "one") for b in (mean, variance, weight) if b is not None]
        outputs = [(y, "row"), (of_weight, "one"), (of_bias, "one")]
        body = _COLUMN_GRADIENT[weight is not None]
        plan_rows(p, body, [(x, "row"), (g, "row"), *given], outputs, 0, 0.6, numbers=(eps,))
        return
    shape = (x.shape[1],) if groups == 0 else x.shape[:2]
    sums = [p.workspace(mean.dtype, *shape) for _ in range(2)]
    if _is_short(x, groups):
        turned = p.workspace(out.dtype, 1, x.shape[1], x.shape[0] * x.shape[2])
        x, g = _channels_first(p, x), _channels_first(p, g)
        plan_norm_gradient(p, x, mean, variance, weight, g, turned, sums[0], sums[1], 0, eps)
        _copy_back(p, turned, y)
    else:
        plan_norm_gradient(p, x, mean, variance, weight, g, y, sums[0], sums[1], groups, eps)
    for source, target in zip(sums, (of_weight, of_bias)):
        plan_reduce(p, "sum", source, target, () if groups == 0 else (0,))


def _column_gradient(has_weight: bool):
    def body(row: Row) -> None:
        x, g, out = row.input(0), row.input(1), row.output(0)
        mean = row.input(2).value
        rstd = 1.0 / bodies.sqrt(row.input(3).value.to("f64") + row.parameter(0))
        count = row.count
        first, second = row.sums(2, lambda at: (g[at], g[at] * (x[at] - mean)))
        row.output(1).set((second * rstd).to(row.elem))
        row.output(2).set(first.to(row.elem))
        scale = rstd * row.input(4).value.to("f64") if has_weight else rstd
        flat, tilt = (first / count * scale).to(row.elem), (second / count * rstd * rstd * scale).to(row.elem)
        scale = scale.to(row.elem)
        row.each(lambda at: out.put(at, g[at] * scale - flat - (x[at] - mean) * tilt))

    return body


_COLUMN_GRADIENT = {w: _column_gradient(w) for w in (False, True)}


@channel_norm_gradient.vjp("input", "weight", "gradient")
def _(input, weight, gradient, *, groups, eps, g):
    x, axes = _cells(input, groups)
    kept = (1, *x.shape[1:3], 1)

    def by_channel(v: Tensor | None) -> Tensor | None:
        return None if v is None else reshape(v, kept)

    h = None if g[0] is None else reshape(g[0], x.shape)
    w, h_w, h_b = by_channel(weight), by_channel(g[1]), by_channel(g[2])
    dx, dw, dg = _second(x, w, reshape(gradient, x.shape), h, h_w, h_b, axes, eps)
    if dw is not None:
        dw = None if weight is None else reshape(reduce_sum(dw, (0, 3)), weight.shape)
    return None if dx is None else reshape(dx, input.shape), dw, None if dg is None else reshape(dg, input.shape)


@op
def norm_with(input: Tensor, mean: Tensor, variance: Tensor, weight: Tensor | None, bias: Tensor | None, eps):
    """Normalise the channels of (N, C, *) with given moments (C,): batch norm in inference."""


norm_with.mixed = "single"


@norm_with.infer
def _(input, mean, variance, weight, bias, *, eps):
    return input


@norm_with.kernel
def _(
    p: Planner, input: Buffer, mean: Buffer, variance: Buffer, weight: Buffer | None, bias: Buffer | None, out: Buffer,
    *, eps,
):  # fmt: skip
    if input.size == 0:
        return
    weight, bias = (None if b is None else contiguous(p, b) for b in (weight, bias))
    mean, variance = contiguous(p, mean), contiguous(p, variance)
    plan_norm_apply(p, _as_runs(p, input), weight, bias, _as_runs(p, out), mean, variance, 0, eps)


@norm_with.vjp("input", "weight", "bias")
def _(input, mean, variance, weight, bias_type, *, eps, g):
    kept = (mean.shape[0], *(1 for _ in input.shape[2:]))
    r = (variance + eps) ** -0.5
    scale = r if weight is None else r * weight
    axes = (0, *range(2, input.ndim))
    of_weight = None if weight is None else reduce_sum(g * (input - reshape(mean, kept)), axes) * r
    return g * reshape(scale, kept), of_weight, None if bias_type is None else reduce_sum(g, axes)


folded(norm_with, 2)


@op
def move_average(average: Tensor, value: Tensor, keep: Tensor, take: Tensor):
    """Write keep · average + take · value into `average`: a running statistic of batch norm, which has no gradient."""


move_average.writes = "average"
move_average.is_untaped = True  # also where a program lets all parameters of a network require gradients


@move_average.infer
def _(average, value, keep, take):
    return average


def _move(average: Value, value: Value, keep: Value, take: Value) -> Value:
    return average * keep + value * take


@move_average.kernel
def _(p: Planner, average: Buffer, value: Buffer, keep: Buffer, take: Buffer, out: Buffer):
    elem = compute_elem(average.code)
    plan_elementwise(p, _move, [(b, elem) for b in (average, value, keep, take)], [(out, elem)])


def _check_channels(name: str, x: Any, **tensors: Any) -> None:
    _floating(name, input=x, **tensors)
    if x.ndim < 2:
        raise OpValueError(f"{name} needs an input of at least 2 axes, (N, C, …), but got {x!r}", arg="input")
    _of_shape(name, (x.shape[1],), **tensors)


@composite
def batch_norm(
    input_x: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise each channel over all images: y = (x - mean) / sqrt(variance + eps) · weight + bias.

    In training the moments are those of the batch, and the running ones are moved towards them in place:
    running = (1 - momentum) · running + momentum · batch, with the unbiased variance (divided by the count less one).
    Else the running moments are used.

    Args:
        input_x: float tensor (N, C, *).
        running_mean, running_var: float tensors (C,); in training they may be None.
        weight, bias: float tensors (C,), or None for ones and zeros.
        training: whether to use the moments of the batch.
        momentum: how far the running moments move, in [0, 1].
        eps: is added to the variance.
    Returns:
        float tensor of the type of `input_x`.
    Raises:
        OpTypeError: a tensor is not floating point.
        OpValueError: shapes do not fit, or there are no running moments where they are needed, or a single value for each
        channel in training, whose variance is zero whatever it is.
    Gradient:
        to `input_x`, `weight` and `bias`; the running moments are counted, not learned, and get none.
    Source:
        Ioffe & Szegedy, arXiv:1502.03167 (2015).
    Example:
        >>> batch_norm(Tensor([[1.], [3.]]), None, None, None, None, training=True, eps=0.0)
        Tensor(shape=[2, 1], dtype=Float32, value=
        [[-1.00000000e+00],
         [ 1.00000000e+00]])
    """
    _check_channels("batch_norm", input_x, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    if not training:
        if running_mean is None or running_var is None:
            raise OpValueError("batch_norm needs `running_mean` and `running_var` unless it is training")
        return norm_with(input_x, running_mean, running_var, weight, bias, float(eps))
    count = input_x.size // max(input_x.shape[1], 1)
    if count == 1:
        raise OpValueError(
            f"batch_norm needs more than one value for each channel to train, but got the shape {input_x.shape}",
            arg="input_x",
            help="give larger batches, or call set_train(False) to evaluate.",
        )
    out, mean, variance = channel_norm(input_x, weight, bias, 0, float(eps))
    if running_mean is not None:
        move_average(running_mean, mean, 1.0 - momentum, momentum)
    if running_var is not None:
        move_average(running_var, variance, 1.0 - momentum, momentum * count / max(count - 1, 1))
    return out


@composite
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """Normalise groups of neighbouring channels in each image: y = (x - mean) / sqrt(variance + eps) · weight + bias.

    Args:
        input: float tensor (N, C, *).
        num_groups: of channels; divides C.
        weight, bias: float tensors (C,), or None for ones and zeros.
        eps: is added to the variance.
    Returns:
        float tensor of the type of `input`.
    Raises:
        OpTypeError: a tensor is not floating point.
        OpValueError: shapes do not fit, or `num_groups` does not divide C.
    Source:
        Wu & He, arXiv:1803.08494 (2018).
    Example:
        >>> group_norm(Tensor([[1., 3., 5., 7.]]), 2, eps=0.0)
        Tensor(shape=[1, 4], dtype=Float32, value=
        [[-1.00000000e+00,  1.00000000e+00, -1.00000000e+00,  1.00000000e+00]])
    """
    _check_channels("group_norm", input, weight=weight, bias=bias)
    if num_groups < 1 or input.shape[1] % num_groups:
        raise OpValueError(
            f"group_norm: `num_groups` must divide the {input.shape[1]} channels, but got {num_groups}",
            arg="num_groups",
        )
    return channel_norm(input, weight, bias, int(num_groups), float(eps))[0]


@composite
def instance_norm(input: Tensor, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:
    """Normalise each channel of each image on its own: `group_norm` with as many groups as channels.

    Source:
        Ulyanov, Vedaldi & Lempitsky, arXiv:1607.08022 (2016).
    Example:
        >>> instance_norm(Tensor([[[1., 3.], [5., 9.]]]), eps=0.0).tolist()
        [[[-1.0, 1.0], [-1.0, 1.0]]]
    """
    _check_channels("instance_norm", input, weight=weight, bias=bias)
    return channel_norm(input, weight, bias, input.shape[1], float(eps))[0]


# -- lengths and neighbours -------------------------------------------------------------------------------------------


def _squares(x: Tensor) -> Tensor:
    """x², in float32 for half precision."""
    wide = cast(x, _wide(x.dtype))
    return wide * wide


@composite
def l2_normalize(input_x: Tensor, axis: Any = 0, epsilon: float = 1e-4) -> Tensor:
    """Divide by the length along axes: y = x / sqrt(max(sum(x²), epsilon)).

    Args:
        input_x: float tensor.
        axis: an int or a tuple.
        epsilon: the least square of a length, above 0.
    Returns:
        float tensor of the shape and type of `input_x`.
    Raises:
        OpTypeError: `input_x` is not floating point.
        OpValueError: an axis is out of range.
    Example:
        >>> l2_normalize(Tensor([[3., 4.], [0., 0.]]), 1).tolist()
        [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    _floating("l2_normalize", input_x=input_x)
    square = reduce_sum(_squares(input_x), axis, True)
    return cast(cast(input_x, square.dtype) / maximum(square, float(epsilon)) ** 0.5, input_x.dtype)


@composite
def lrn(
    x: Tensor,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
    norm_region: str = "ACROSS_CHANNELS",
) -> Tensor:
    """Local response normalisation: y[c] = x[c] / (bias + alpha · sum of x[i]² over |i - c| <= depth_radius) ^ beta.

    Args:
        x: float tensor (N, C, H, W).
        depth_radius: how many channels to each side count.
        bias, alpha, beta: numbers.
        norm_region: "ACROSS_CHANNELS", there is no other.
    Returns:
        float tensor of the shape and type of `x`.
    Raises:
        OpTypeError: `x` is not floating point.
        OpValueError: `x` does not have 4 axes, or `norm_region` is something else.
    Source:
        Krizhevsky, Sutskever & Hinton, "ImageNet classification with deep convolutional neural networks" (2012).
    Example:
        >>> lrn(Tensor([[[[3.]], [[4.]]]]), 1, bias=0.0).tolist()
        [[[[0.6000000238418579]], [[0.800000011920929]]]]
    """
    check_images("lrn", "x", x._layout.type)
    if norm_region != "ACROSS_CHANNELS":
        raise OpValueError(f"lrn: `norm_region` must be 'ACROSS_CHANNELS', but got {norm_region!r}", arg="norm_region")
    [radius] = each_axis("lrn", "depth_radius", depth_radius, 1, 0)
    n, c, h, w = x.shape
    radius = min(radius, c)  # there are no more channels to either side
    squares = reshape(_squares(x), (1, n, c, h * w))
    sums = avg_pool2d(squares, (2 * radius + 1, 1), 1, (radius, 0), divisor_override=1)
    root = (reshape(sums, x.shape) * float(alpha) + float(bias)) ** float(beta)
    return cast(cast(x, root.dtype) / root, x.dtype)
