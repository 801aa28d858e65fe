"""Convolution, transposed convolution, and what they are made of.

The three operators `conv2d`, `conv2d_input_gradient` and `conv2d_weight_gradient` are the gradients of each other, so they
can be differentiated as often as one likes. The kernels and the order of their sums are in `kernel/conv.py`.
"""

from __future__ import annotations

from typing import Any

from anfora.core.abstract import TensorType
from anfora.core.dtype import DType, promote
from anfora.core.errors import OpValueError
from anfora.core.op import op
from anfora.core.tensor import Tensor
from anfora.kernel.conv import plan_conv2d, plan_conv2d_input_gradient, plan_conv2d_weight_gradient
from anfora.kernel.ends import End, epilogue
from anfora.kernel.loops import of_type
from anfora.kernel.plan import Buffer, Planner
from anfora.ops.composite import composite
from anfora.ops.families import affine, folded, linear
from anfora.ops.joining import stack
from anfora.ops.padding import pad
from anfora.ops.reduction import reduce_sum
from anfora.ops.shape import expand_dims, index_view, reshape, squeeze, transpose, whole
from anfora.ops.windows import check_images, each_axis, length, padding_of, same_padding

__all__ = ["conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d"]

_MODES = ("valid", "same", "pad")


def _padding(
    name: str, mode: Any, given: Any, sizes: tuple[int, ...], windows: tuple[int, ...], strides: tuple[int, ...],
    dilations: tuple[int, ...],
) -> tuple[int, ...]:  # fmt: skip
    """Padding in front of and behind each axis, from MindSpore's `pad_mode` and `padding`."""
    if mode not in _MODES:
        raise OpValueError(
            f"{name}: `pad_mode` must be one of {', '.join(map(repr, _MODES))}, but got {mode!r}", arg="pad_mode"
        )
    padding = padding_of(name, given, len(sizes))
    if mode == "pad":
        return padding
    if any(padding):
        raise OpValueError(
            f"{name}: `padding` must be 0 when `pad_mode` is {mode!r}, but got {given!r}",
            arg="padding",
            help="pad_mode='pad' pads by a given number.",
        )
    if mode == "valid":
        return padding
    return tuple(n for each in zip(sizes, windows, strides, dilations) for n in same_padding(*each))


def _result_type(x: Any, w: Any) -> DType:
    return promote(x.dtype, w.dtype)


def _check_groups(name: str, groups: Any, **channels: int) -> None:
    [groups] = each_axis(name, "groups", groups, 1)
    for what, count in channels.items():
        if count % groups:
            raise OpValueError(f"{name}: `groups` must divide the {count} {what}s, but got {groups}", arg="groups")


def _check_bias(name: str, bias: Any, channels: int) -> None:
    if bias is not None and bias.shape != (channels,):
        raise OpValueError(f"{name} needs `bias` of shape {[channels]}, but got {bias!r}", arg="bias")


def _epilogue(out: Buffer, bias: Buffer | None, end: End | None) -> dict[str, Any]:
    body, operands = epilogue(out, bias, end, 1, ("k", "full"))
    return {"epilogue": body, "operands": operands}


# -- two dimensions ---------------------------------------------------------------------------------------------------


@op
def conv2d(
    input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1
):  # fmt: skip
    """Correlate images with windows: y[n, k, p, q] = b[k] + sum over c, r, s of w[k, c, r, s] x[n, c, p·stride + r·dilation
    - top, q·stride + s·dilation - left].

    Args:
        input: float tensor x (N, C, H, W).
        weight: float tensor w (K, C / groups, R, S).
        bias: float tensor b (K,).
        stride, dilation: an int, or one for each of H and W.
        pad_mode: "valid": none; "same": zeros so that P = ceil(H / stride), the larger half behind; "pad": `padding`.
        padding: zeros around the image: an int, (vertical, horizontal), or (top, bottom, left, right).
        groups: the channels are cut into so many parts, each of which sees its own part of the input.
    Returns:
        float tensor (N, K, P, Q) of the common type, P = floor((H + top + bottom - dilation (R - 1) - 1) / stride) + 1.
    Raises:
        OpTypeError: a tensor is not floating point.
        OpValueError: shapes or attributes do not fit, or the window is larger than the padded image.
    Gradient:
        A transposed convolution to x, a correlation of x with g to w, the sum over n, p, q to b.
    Example:
        >>> conv2d(Tensor([[[[1., 2., 3.]]]]), Tensor([[[[1., 10.]]]]), pad_mode="same").tolist()
        [[[[21.0, 32.0, 3.0]]]]
    """


conv2d.mixed = "half"


@conv2d.normalize
def _(input, weight, bias, *, stride, pad_mode, padding, dilation, groups):
    for arg, x in (("input", input), ("weight", weight)):
        check_images("conv2d", arg, x)
    stride, dilation = each_axis("conv2d", "stride", stride), each_axis("conv2d", "dilation", dilation)
    sizes, windows = input.shape[2:], weight.shape[2:]
    padding = _padding("conv2d", pad_mode, padding, sizes, windows, stride, dilation)
    _check_groups("conv2d", groups, **{"input channel": input.shape[1], "output channel": weight.shape[0]})
    return {"stride": stride, "pad_mode": "pad", "padding": padding, "dilation": dilation, "groups": int(groups)}


@conv2d.infer
def _(input, weight, bias, *, stride, pad_mode, padding, dilation, groups):
    if weight.shape[1] * groups != input.shape[1]:
        of_groups = f", in each of {groups} groups," if groups > 1 else ""
        raise OpValueError(
            f"conv2d: `weight` is made for {weight.shape[1]} channels{of_groups} but `input` has {input.shape[1]}: "
            f"{weight!r} and {input!r}",
            arg="weight",
        )
    _check_bias("conv2d", bias, weight.shape[0])
    sizes = tuple(
        length(input.shape[i], weight.shape[i], stride[i - 2], dilation[i - 2], *padding[2 * i - 4 : 2 * i - 2])
        for i in (2, 3)
    )
    if min(sizes) < 1:
        raise OpValueError(
            f"conv2d: a window of {list(weight.shape[2:])}"
            + (f" with dilation {list(dilation)}" if max(dilation) > 1 else "")
            + f" is larger than the image of {list(input.shape[2:])} with padding {list(padding)}",
            arg="weight",
        )
    return TensorType(_result_type(input, weight), (input.shape[0], weight.shape[0], *sizes))


@conv2d.kernel
def _(
    p: Planner, input: Buffer, weight: Buffer, bias: Buffer | None, out: Buffer,
    *, stride, pad_mode, padding, dilation, groups, end: End | None = None,
):  # fmt: skip
    x, w = (of_type(p, b, out.dtype) for b in (input, weight))
    further = _epilogue(out, bias, end)
    plan_conv2d(p, x, w, out, stride=stride, padding=padding, dilation=dilation, groups=groups, **further)


conv2d.ends(lambda *_, **__: 1)


@conv2d.vjp("input")
def _(input_type, weight, *, stride, padding, dilation, groups, g):
    return conv2d_input_gradient(g, weight, None, input_type.shape[2:], stride, padding, dilation, groups)


@conv2d.vjp("weight")
def _(input, weight_type, *, stride, padding, dilation, groups, g):
    return conv2d_weight_gradient(input, g, weight_type.shape[2:], stride, padding, dilation, groups)


@conv2d.vjp("bias")
def _(*, g):
    return reduce_sum(g, (0, 2, 3))


affine(conv2d, "input", trailing=2)
folded(conv2d, 4)


@op
def conv2d_input_gradient(
    gradient: Tensor, weight: Tensor, bias: Tensor | None, size, stride, padding, dilation, groups
):  # fmt: skip
    """The gradient of `conv2d` to its input, of which `size` is (H, W); also its transpose, to which a bias is added."""


conv2d_input_gradient.mixed = "half"


@conv2d_input_gradient.infer
def _(gradient, weight, bias, *, size, stride, padding, dilation, groups):
    return TensorType(_result_type(gradient, weight), (gradient.shape[0], weight.shape[1] * groups, *size))


@conv2d_input_gradient.kernel
def _(
    p: Planner, gradient: Buffer, weight: Buffer, bias: Buffer | None, out: Buffer,
    *, size, stride, padding, dilation, groups, end: End | None = None,
):  # fmt: skip
    g, w = (of_type(p, b, out.dtype) for b in (gradient, weight))
    further = _epilogue(out, bias, end)
    plan_conv2d_input_gradient(
        p, g, w, out, stride=stride, padding=padding, dilation=dilation, groups=groups, **further
    )


conv2d_input_gradient.ends(lambda *_, **__: 1)


@conv2d_input_gradient.vjp("gradient")
def _(weight, *, stride, padding, dilation, groups, g):
    return conv2d(g, weight, None, stride, "pad", padding, dilation, groups)


@conv2d_input_gradient.vjp("weight")
def _(gradient, weight_type, *, stride, padding, dilation, groups, g):
    return conv2d_weight_gradient(g, gradient, weight_type.shape[2:], stride, padding, dilation, groups)


@conv2d_input_gradient.vjp("bias")
def _(*, g):
    return reduce_sum(g, (0, 2, 3))


affine(conv2d_input_gradient, "gradient", trailing=2)
folded(conv2d_input_gradient, 4)


@op
def conv2d_weight_gradient(input: Tensor, gradient: Tensor, window, stride, padding, dilation, groups):
    """The gradient of `conv2d` to its weight, whose windows have the lengths `window`."""


conv2d_weight_gradient.mixed = "half"


@conv2d_weight_gradient.infer
def _(input, gradient, *, window, stride, padding, dilation, groups):
    return TensorType(_result_type(input, gradient), (gradient.shape[1], input.shape[1] // groups, *window))


@conv2d_weight_gradient.kernel
def _(p: Planner, input: Buffer, gradient: Buffer, out: Buffer, *, window, stride, padding, dilation, groups):
    x, g = (of_type(p, b, out.dtype) for b in (input, gradient))
    plan_conv2d_weight_gradient(p, x, g, out, stride=stride, padding=padding, dilation=dilation, groups=groups)


@conv2d_weight_gradient.vjp("input")
def _(input_type, gradient, *, stride, padding, dilation, groups, g):
    return conv2d_input_gradient(gradient, g, None, input_type.shape[2:], stride, padding, dilation, groups)


@conv2d_weight_gradient.vjp("gradient")
def _(input, *, stride, padding, dilation, groups, g):
    return conv2d(input, g, None, stride, "pad", padding, dilation, groups)


linear(conv2d_weight_gradient, "input", "gradient")


@composite
def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """Transposed convolution: the gradient of `conv2d` to its input, applied to `input`.

    Args:
        input: float tensor (N, K, P, Q), or a single example (K, P, Q).
        weight: float tensor (K, C / groups, R, S).
        bias: float tensor (C,).
        stride, dilation: an int, or one for each of H and W.
        padding: what the convolution that is transposed pads, and so what is cut off here: an int, (vertical,
            horizontal), or (top, bottom, left, right).
        output_padding: rows and columns that are added at the end, fewer than `stride`.
        groups: as in `conv2d`.
    Returns:
        float tensor (N, C, H, W), H = (P - 1) stride - top - bottom + dilation (R - 1) + 1 + output_padding; (C, H, W) of a
        single example.
    Raises:
        OpTypeError: a tensor is not floating point.
        OpValueError: shapes or attributes do not fit.
    Example:
        >>> conv_transpose2d(Tensor([[[[1., 2.]]]]), Tensor([[[[1., 10.]]]]), stride=(1, 2)).tolist()
        [[[[1.0, 10.0, 2.0, 20.0]]]]
    """
    name = "conv_transpose2d"
    if input.ndim == 3:
        one = expand_dims(input, 0)
        return squeeze(conv_transpose2d(one, weight, bias, stride, padding, output_padding, groups, dilation), 0)
    for arg, x in (("input", input), ("weight", weight)):
        check_images(name, arg, x._layout.type)
    stride, dilation = each_axis(name, "stride", stride), each_axis(name, "dilation", dilation)
    extra = each_axis(name, "output_padding", output_padding, 2, 0)
    padding = padding_of(name, padding)
    _check_groups(name, groups, **{"input channel": input.shape[1]})
    if input.shape[1] != weight.shape[0]:
        raise OpValueError(
            f"{name}: `weight` is made for {weight.shape[0]} channels, but `input` has {input.shape[1]}", arg="weight"
        )
    if bias is not None:
        _check_bias(name, bias._layout.type, weight.shape[1] * groups)
    if any(e >= s for e, s in zip(extra, stride)):
        raise OpValueError(
            f"{name}: `output_padding` must be less than `stride`, but got {extra}", arg="output_padding"
        )
    size = tuple(
        (input.shape[i] - 1) * stride[i - 2] - padding[2 * i - 4] - padding[2 * i - 3]
        + dilation[i - 2] * (weight.shape[i] - 1) + 1 + extra[i - 2]
        for i in (2, 3)
    )  # fmt: skip
    if min(size) < 1:
        raise OpValueError(f"{name}: the result would have the size {list(size)}", arg="padding")
    return conv2d_input_gradient(input, weight, bias, size, stride, padding, dilation, int(groups))


# -- one and three dimensions -----------------------------------------------------------------------------------------


def _check_sequences(name: str, **tensors: Tensor) -> None:
    for arg, x in tensors.items():
        if x.ndim != 3:
            raise OpValueError(f"{name} needs 3 axes for `{arg}`, but got {x._layout.type!r}", arg=arg)


@composite
def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Correlate sequences with windows: `conv2d` of images that are one row high.

    Args:
        input: float tensor (N, C, L).
        weight: float tensor (K, C / groups, S).
        bias: float tensor (K,).
        stride, dilation, padding: an int, or a tuple of one; padding may be (before, behind).
        pad_mode, groups: as in `conv2d`.
    Returns:
        float tensor (N, K, Q).
    Example:
        >>> conv1d(Tensor([[[1., 2., 3.]]]), Tensor([[[1., 10.]]])).tolist()
        [[[21.0, 32.0]]]
    """
    _check_sequences("conv1d", input=input, weight=weight)
    [step], [spread] = each_axis("conv1d", "stride", stride, 1), each_axis("conv1d", "dilation", dilation, 1)
    ends = tuple(padding) if isinstance(padding, (tuple, list)) and len(padding) == 2 else (padding, padding)
    ends = tuple(each_axis("conv1d", "padding", end, 1, 0)[0] for end in ends)
    x, w = expand_dims(input, 2), expand_dims(weight, 2)
    return squeeze(conv2d(x, w, bias, (1, step), pad_mode, (0, 0, *ends), (1, spread), groups), 2)


@composite
def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """Transposed convolution of sequences (N, K, Q) with `weight` (K, C / groups, S): see `conv_transpose2d`.

    Example:
        >>> conv_transpose1d(Tensor([[[1., 2.]]]), Tensor([[[1., 1., 1.]]])).tolist()
        [[[1.0, 3.0, 3.0, 2.0]]]
    """
    name = "conv_transpose1d"
    _check_sequences(name, input=input, weight=weight)
    [step], [spread] = each_axis(name, "stride", stride, 1), each_axis(name, "dilation", dilation, 1)
    [extra] = each_axis(name, "output_padding", output_padding, 1, 0)
    ends = tuple(padding) if isinstance(padding, (tuple, list)) and len(padding) == 2 else (padding, padding)
    ends = tuple(each_axis(name, "padding", end, 1, 0)[0] for end in ends)
    x, w = expand_dims(input, 2), expand_dims(weight, 2)
    return squeeze(conv_transpose2d(x, w, bias, (1, step), (0, 0, *ends), (0, extra), groups, (1, spread)), 2)


@composite
def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Correlate volumes with windows: `conv2d` of images whose channels are the slices that a window spans.

    Args:
        input: float tensor (N, C, D, H, W).
        weight: float tensor (K, C / groups, T, R, S).
        bias: float tensor (K,).
        stride, dilation: an int, or one for each of D, H and W.
        padding: an int, one for each of D, H and W, or (head, tail, top, bottom, left, right).
        pad_mode, groups: as in `conv2d`.
    Returns:
        float tensor (N, K, E, P, Q).
    Raises:
        OpTypeError: a tensor is not floating point.
        OpValueError: shapes or attributes do not fit.
    Example:
        >>> conv3d(Tensor([[[[[1.]], [[2.]], [[3.]]]]]), Tensor([[[[[1.]], [[10.]]]]])).tolist()
        [[[[[21.0]], [[32.0]]]]]
    """
    for arg, x in (("input", input), ("weight", weight)):
        if x.ndim != 5:
            raise OpValueError(f"conv3d needs 5 axes for `{arg}`, but got {x._layout.type!r}", arg=arg)
    steps, spreads = each_axis("conv3d", "stride", stride, 3), each_axis("conv3d", "dilation", dilation, 3)
    n, c, *sizes = input.shape
    k, of_group, slices, *window = weight.shape
    ends = _padding("conv3d", pad_mode, padding, tuple(sizes), (slices, *window), steps, spreads)
    depth = length(sizes[0], slices, steps[0], spreads[0], ends[0], ends[1])
    if depth < 1:
        raise OpValueError(
            f"conv3d: a window of {[slices, *window]} is larger than the volume of {sizes} with padding {list(ends)}",
            arg="weight",
        )
    if any(ends[:2]):
        input = pad(input, (0, 0, 0, 0, *ends[:2]))
    x = transpose(input, (0, 2, 1, 3, 4))
    parts = [
        index_view(x, (whole(n), (tap * spreads[0], depth, steps[0]), *map(whole, (c, *sizes[1:]))))
        for tap in range(slices)
    ]
    images = reshape(stack(parts, 3), (n * depth, c * slices, *sizes[1:]))
    windows = reshape(weight, (k, of_group * slices, *window))
    y = conv2d(images, windows, bias, steps[1:], "pad", ends[2:], spreads[1:], groups)
    return transpose(reshape(y, (n, depth, *y.shape[1:])), (0, 2, 1, 3, 4))
