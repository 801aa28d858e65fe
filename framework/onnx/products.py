"""Products of matrices, convolutions, pooling."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from anfora import ops
from anfora.core import dtype as dt
from anfora.core.errors import OpValueError
from anfora.core.op import registry
from anfora.core.tensor import Tensor
from anfora.onnx.table import reads, writes
from anfora.onnx.windows import padded, pads_of
from anfora.onnx.writer import Value, Writer

# -- to ONNX ----------------------------------------------------------------------------------------------------------


def _turned(w: Writer, x: Value, is_turned: bool) -> Value:
    if not is_turned or x.ndim < 2:
        return x
    return w.transpose(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])


@writes("matmul")
def _(w: Writer, input, other, transpose_a, transpose_b):
    x, y = w.cast(input, w.dtype), w.cast(other, w.dtype)
    return w.node("MatMul", _turned(w, x, transpose_a), _turned(w, y, transpose_b))


@writes("dense")
def _(w: Writer, input, weight, bias):
    x, y = w.cast(input, w.dtype), w.cast(weight, w.dtype)
    b = None if bias is None else w.cast(bias, w.dtype)
    if input.ndim == 2 and weight.ndim == 2 and (bias is None or bias.ndim <= 1):
        return w.node("Gemm", x, y, b, transB=1)
    made = w.node("MatMul", x, _turned(w, y, True))
    return made if b is None else w.node("Add", made, b)


@writes("conv2d")
def _(w: Writer, input, weight, bias, stride, pad_mode, padding, dilation, groups):
    top, bottom, left, right = padding
    x, k, b = (None if v is None else w.cast(v, w.dtype) for v in (input, weight, bias))
    return w.node(
        "Conv", x, k, b, strides=list(stride), pads=[top, left, bottom, right], dilations=list(dilation), group=groups,
        kernel_shape=list(weight.shape[2:]),
    )  # fmt: skip


@writes("conv2d_input_gradient")
def _(w: Writer, gradient, weight, bias, size, stride, padding, dilation, groups):
    top, bottom, left, right = padding
    x, k, b = (None if v is None else w.cast(v, w.dtype) for v in (gradient, weight, bias))
    rest = []
    for n, m, step, kernel, spread, ends in zip(
        size, gradient.shape[2:], stride, weight.shape[2:], dilation, ((top, bottom), (left, right))
    ):
        rest.append(n - ((m - 1) * step + spread * (kernel - 1) + 1 - sum(ends)))
    return w.node(
        "ConvTranspose", x, k, b, strides=list(stride), pads=[top, left, bottom, right], dilations=list(dilation),
        group=groups, output_padding=rest, kernel_shape=list(weight.shape[2:]),
    )  # fmt: skip


@writes("max_pool2d")
def _(w: Writer, x, kernel_size, stride, padding, dilation, return_indices, ceil_mode):
    top, bottom, left, right = padding
    area = x.shape[-1] * x.shape[-2]
    x, flat = _images(w, x)
    kinds = (x.dtype, dt.int64)[: 1 + return_indices]
    made = w.node(
        "MaxPool", x, count=len(kinds), dtypes=kinds, kernel_shape=list(kernel_size), strides=list(stride),
        pads=[top, left, bottom, right], dilations=list(dilation), ceil_mode=int(ceil_mode),
    )  # fmt: skip
    if return_indices:  # ONNX counts through the whole tensor
        made = made[0], w.node("Mod", made[1], w.value(area, dt.int64))
    found = [w.squeeze(part, (0,)) if flat else part for part in made]
    return tuple(found) if return_indices else found[0]


def _images(w: Writer, x: Value) -> tuple[Value, bool]:
    """Images (N, C, H, W), and whether there was one without an axis for it."""
    return (w.unsqueeze(x, (0,)), True) if x.ndim == 3 else (x, False)


@writes("avg_pool2d")
def _(w: Writer, input_x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    top, bottom, left, right = padding
    x, flat = _images(w, input_x)
    made = w.node(
        "AveragePool", x, kernel_shape=list(kernel_size), strides=list(stride), pads=[top, left, bottom, right],
        ceil_mode=int(ceil_mode), count_include_pad=int(count_include_pad or bool(divisor_override)),
    )  # fmt: skip
    if divisor_override:
        if ceil_mode:
            w.refuse("a mean with a divisor of its own, and windows that reach out of the image")
        area = kernel_size[0] * kernel_size[1]
        made = w.node("Mul", made, w.constant(area / divisor_override, w.dtype))
    return w.squeeze(made, (0,)) if flat else made


def _windows(n: int, m: int) -> list[tuple[int, int]]:
    """From where to where the windows reach that m results take the mean of, or the largest, of n elements."""
    return [(i * n // m, -(-(i + 1) * n // m)) for i in range(m)]


@writes("adaptive_avg_pool2d")
def _(w: Writer, input, output_size):
    x, flat = _images(w, input)
    if tuple(output_size) == (1, 1):
        made = w.node("GlobalAveragePool", x)
        return w.squeeze(made, (0,)) if flat else made
    x = input  # a mean over windows of each axis is a product with a matrix
    for axis, (n, m) in enumerate(zip(input.shape[-2:], output_size)):
        if not isinstance(n, int):
            w.refuse("the mean over windows of a free length")
        shares = np.zeros((m, n))
        for i, (start, end) in enumerate(_windows(n, m)):
            shares[i, start:end] = 1 / (end - start)
        x = (
            w.node("MatMul", x, w.constant(shares.T, w.dtype))
            if axis
            else w.node("MatMul", w.constant(shares, w.dtype), x)
        )
    return x


@writes("adaptive_max_pool2d")
def _(w: Writer, input, output_size, return_indices):
    if return_indices:
        w.refuse("the places of maxima, which ONNX counts through the whole tensor")
    x, rank = input, input.ndim
    for axis, (n, m) in enumerate(zip(input.shape[-2:], output_size), rank - 2):
        if not isinstance(n, int):
            w.refuse("the largest of windows of a free length")
        parts = [
            w.reduce("ReduceMax", w.slice(x, {axis: (start, end, 1)}), (axis,), True) for start, end in _windows(n, m)
        ]
        x = w.node("Concat", *parts, axis=axis)
    return x


@writes("cross_product")
def _(w: Writer, input, other, axis):
    one, two = (
        [w.node("Gather", x, w.ints(order), axis=axis) for order in ((1, 2, 0), (2, 0, 1))] for x in (input, other)
    )
    return w.node("Sub", w.node("Mul", one[0], two[1]), w.node("Mul", one[1], two[0]))


@writes("det")
def _(w: Writer, input):
    return w.node("Det", input)


# -- from ONNX --------------------------------------------------------------------------------------------------------


@reads("MatMul")
def matmul(A, B):
    if A.dtype.is_float:
        return ops.matmul(A, B)
    return _whole_product(A, B, A.dtype)


def _whole_product(A, B, dtype):
    """A product of integers, which float64 holds exactly up to 2 ** 53."""
    return ops.cast(ops.matmul(ops.cast(A, dt.float64), ops.cast(B, dt.float64)), dtype)


@reads("Gemm")
def gemm(A, B, C=None, *, alpha=1.0, beta=1.0, transA=0, transB=0, broadcast=0):
    x = ops.transpose(A, (1, 0)) if transA else A
    if alpha == 1.0 and transB and A.dtype.is_float and (C is None or (C.ndim == 1 and beta == 1.0)):
        return ops.dense(x, B, C)
    made = matmul(x, ops.transpose(B, (1, 0)) if transB else B)
    if alpha != 1.0:
        made = ops.cast(made * alpha, A.dtype)
    if C is None:
        return made
    return made + (C if beta == 1.0 else ops.cast(C * beta, A.dtype))


@reads("Einsum")
def einsum(*inputs, equation):
    return ops.einsum(equation, *inputs)


@reads("Det")
def det(X):
    return ops.det(X)


def _dilated(kernel, dilations):
    return [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]


@reads("Conv")
def conv(
    X, W, B=None, *, auto_pad="NOTSET", dilations=None, group=1, kernel_shape=None, pads=None, strides=None
):  # fmt: skip
    rank = X.ndim - 2
    kernel = W.shape[2:]
    dilations, strides = dilations or (1,) * rank, strides or (1,) * rank
    reach = _dilated(kernel, dilations)
    before, after = pads_of(X.shape[2:], reach, strides, auto_pad, pads)
    if rank == 2:
        ends = (before[0], after[0], before[1], after[1])
        return ops.conv2d(X, W, B, tuple(strides), "pad", ends, tuple(dilations), group)
    x = padded(X, before, after, 0)
    if rank == 1:
        made = ops.conv2d(
            ops.expand_dims(x, 2), ops.expand_dims(W, 2), B, (1, strides[0]), "valid", 0, (1, dilations[0]), group
        )
        return ops.squeeze(made, 2)
    if rank == 3:
        return ops.conv3d(x, W, B, tuple(strides), "valid", 0, tuple(dilations), group)
    raise OpValueError(f"Conv over {rank} axes")


def _cut_off(full: list[int], wanted: Sequence[int], auto_pad: str) -> tuple[list[int], list[int]]:
    """How much of each axis a transposed convolution leaves out in front, and behind, so that the result has a shape."""
    total = [max(f - n, 0) for f, n in zip(full, wanted)]
    small = [t // 2 for t in total]
    large = [t - s for t, s in zip(total, small)]
    return (small, large) if auto_pad == "SAME_UPPER" else (large, small)


def _spread(x: Tensor, strides: Sequence[int]) -> Tensor:
    """Zeros between the elements, along the axes behind the channels."""
    for axis, step in enumerate(strides, 2):
        if step > 1:
            n = x.shape[axis]
            x = ops.expand_dims(x, axis + 1)
            width = [0] * x.ndim
            width[axis + 1] = step - 1
            x = registry["pad_constant"](x, Tensor(0, x.dtype), before=(0,) * x.ndim, after=tuple(width))
            x = ops.reshape(x, (*x.shape[:axis], n * step, *x.shape[axis + 2 :]))
            x = ops.narrow(x, axis, 0, (n - 1) * step + 1)
    return x


@reads("ConvTranspose")
def conv_transpose(
    X, W, B=None, *, auto_pad="NOTSET", dilations=None, group=1, kernel_shape=None, output_padding=None,
    output_shape=None, pads=None, strides=None,
):  # fmt: skip
    rank = X.ndim - 2
    kernel, sizes = W.shape[2:], X.shape[2:]
    dilations, strides = dilations or (1,) * rank, strides or (1,) * rank
    rest = output_padding or (0,) * rank
    reach = _dilated(kernel, dilations)
    full = [s * (n - 1) + r + o for n, s, r, o in zip(sizes, strides, reach, rest)]
    if output_shape is None and auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        output_shape = tuple([n * s for n, s in zip(sizes, strides)])
    if output_shape is not None:
        output_shape = output_shape[-rank:]
        before, after = _cut_off(full, output_shape, auto_pad)
    else:
        given = pads if pads is not None and auto_pad == "NOTSET" else (0,) * (2 * rank)
        before, after = list(given[:rank]), list(given[rank:])
    out = tuple([f - b - a for f, b, a in zip(full, before, after)]) if output_shape is None else output_shape
    if rank <= 2:
        flat = rank == 1
        x, w = (ops.expand_dims(v, 2) for v in (X, W)) if flat else (X, W)
        one = (1,) if flat else ()
        ends = (0, 0, before[0], after[0]) if flat else (before[0], after[0], before[1], after[1])
        made = registry["conv2d_input_gradient"](
            x, w, B, size=(*one, *out), stride=(*one, *strides), padding=ends, dilation=(*one, *dilations), groups=group
        )
        return ops.squeeze(made, 2) if flat else made
    x = _spread(X, strides)
    x = padded(x, [r - 1 - b for r, b in zip(reach, before)], [r - 1 - a + o for r, a, o in zip(reach, after, rest)], 0)
    w = ops.flip(W, tuple(range(2, 2 + rank)))
    w = ops.reshape(w, (group, W.shape[0] // group, W.shape[1], *kernel))
    w = ops.reshape(ops.swapaxes(w, 1, 2), (group * W.shape[1], W.shape[0] // group, *kernel))
    made = ops.conv3d(x, w, B, 1, "valid", 0, tuple(dilations), group)
    for axis, n in enumerate(out, 2):
        made = ops.narrow(made, axis, 0, n)
    return made


@reads("CausalConvWithState")
def causal_conv(input, weight, bias=None, past_state=None, *, activation="none"):
    """A convolution of each channel with what came before; and the end of the input, for what comes next."""
    n, channels, _ = input.shape
    k = weight.shape[-1]
    before = ops.zeros((n, channels, k - 1), input.dtype) if past_state is None else past_state
    x = ops.concat((before, input), 2)
    made = conv(x, weight, bias, group=channels)
    if activation in ("silu", "swish"):
        made = made * ops.sigmoid(made)
    return made, ops.narrow(x, 2, x.shape[2] - (k - 1), k - 1)


@reads("DeformConv")
def deform_conv(
    X, W, offset, B=None, mask=None, *, dilations=None, group=1, kernel_shape=None, offset_group=1, pads=None, strides=None
):  # fmt: skip
    """Each window takes its elements from places that are moved by `offset`, between which it interpolates."""
    n, c, height, width = X.shape
    kernel = W.shape[2:]
    rank = 2
    dilations, strides = dilations or (1,) * rank, strides or (1,) * rank
    before, _ = pads_of(X.shape[2:], _dilated(kernel, dilations), strides, "NOTSET", pads)
    rows, columns = offset.shape[2:]
    moves = ops.reshape(offset, (n, offset_group, kernel[0] * kernel[1], 2, rows, columns))
    weights = None if mask is None else ops.reshape(mask, (n, offset_group, kernel[0] * kernel[1], rows, columns))
    x = ops.reshape(X, (n, offset_group, c // offset_group, height * width))
    taken = []
    for tap, (i, j) in enumerate(itertools.product(*map(range, kernel))):
        at_row = np.arange(rows)[:, None] * strides[0] - before[0] + i * dilations[0]
        at_column = np.arange(columns)[None, :] * strides[1] - before[1] + j * dilations[1]
        value = _between(
            x, moves[:, :, tap, 0] + Tensor(at_row.astype(np.float32)),
            moves[:, :, tap, 1] + Tensor(at_column.astype(np.float32)), height, width,
        )  # fmt: skip
        taken.append(value if weights is None else value * ops.expand_dims(weights[:, :, tap], 2))
    columns_of = ops.reshape(ops.stack(taken, 3), (n, group, c // group * len(taken), rows * columns))
    w = ops.reshape(W, (group, W.shape[0] // group, -1))
    made = ops.reshape(ops.matmul(w, columns_of), (n, W.shape[0], rows, columns))
    return made if B is None else made + ops.reshape(B, (-1, 1, 1))


def _between(x, rows, columns, height, width):
    """What lies at places between the elements of planes (N, G, C, H·W), zero outside: (N, G, C, *places)."""
    n, groups, channels, _ = x.shape
    top, left = ops.floor(rows), ops.floor(columns)
    total = None
    for i, j in itertools.product((0, 1), repeat=2):
        r, c = top + i, left + j
        share = (1 - ops.abs(rows - r)) * (1 - ops.abs(columns - c))
        inside = ops.logical_and(ops.logical_and(r >= 0, r <= height - 1), ops.logical_and(c >= 0, c <= width - 1))
        share = ops.where(inside, share, ops.zeros_like(share))
        place = ops.cast(ops.clamp(r, 0, height - 1) * width + ops.clamp(c, 0, width - 1), dt.int64)
        flat = ops.reshape(place, (n, groups, 1, -1))
        flat = ops.broadcast_to(flat, (n, groups, channels, flat.shape[-1]))
        part = ops.reshape(ops.gather_elements(x, 3, flat), (n, groups, channels, *rows.shape[2:]))
        part = part * ops.expand_dims(share, 2)
        total = part if total is None else total + part
    return total
