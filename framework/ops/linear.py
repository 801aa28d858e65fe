"""Matrix products, and what is made of them.

All are one kernel: how its sums are ordered, and why that is the same everywhere, stands in `kernel/gemm.py`. float16 and
bfloat16 are summed in float32 and rounded once; integers wrap around.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from anfora.core.abstract import TensorType, contiguous_strides
from anfora.core.dtype import DType
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import common_dtype, op, pass_gradient
from anfora.core.tensor import Tensor
from anfora.kernel import memory
from anfora.kernel.emit import Value
from anfora.kernel.ends import End, epilogue
from anfora.kernel.gemm import plan_matmul
from anfora.kernel.loops import of_type, plan_copy, plan_elementwise
from anfora.kernel.plan import Buffer, Planner
from anfora.ops import layouts
from anfora.ops.complexes import conj
from anfora.ops.composite import composite
from anfora.ops.copying import cast
from anfora.ops.families import affine, aligned, linear, normalize_axis, type_of
from anfora.ops.joining import roll
from anfora.ops.reduction import reduce_sum
from anfora.ops.shape import broadcast_to, diagonal, expand_dims, reshape, squeeze, transpose

__all__ = [
    "addbmm", "addmm", "addmv", "addr", "baddbmm", "batch_dot", "bias_add", "bidense", "bmm", "cross", "dense", "dot",
    "einsum", "ger", "inner", "kron", "matmul", "mm", "mv", "outer", "tensor_dot", "trace", "vecdot",
]  # fmt: skip


# -- the product ------------------------------------------------------------------------------------------------------


def _product_dtype(name: str, **operands: Any) -> DType:
    """The element type in which the operands meet; bools are refused."""
    given = [x for x in operands.values() if x is not None]
    for arg, x in operands.items():
        if x is not None and x.dtype.is_bool:
            raise OpTypeError(
                f"{name} needs numbers for `{arg}`, but got {type_of(x)!r}",
                arg=arg,
                help="convert it first, e.g. x.int().",
            )
    return common_dtype(*given)


def _inserted(x: Buffer, axis: int) -> Buffer:
    """A buffer with one more axis, of length 1."""
    axis %= x.ndim + 1
    return replace(x, shape=(*x.shape[:axis], 1, *x.shape[axis:]), strides=(*x.strides[:axis], 0, *x.strides[axis:]))


def _dropped(x: Buffer, axis: int) -> Buffer:
    """A buffer without an axis of length 1."""
    axis %= x.ndim
    return replace(x, shape=x.shape[:axis] + x.shape[axis + 1 :], strides=x.strides[:axis] + x.strides[axis + 1 :])


def _turned(x: Buffer) -> Buffer:
    return x.permuted((*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))


@op
def matmul(input: Tensor, other: Tensor, *, transpose_a=False, transpose_b=False):
    """The matrix product: y[…, m, n] = sum over k of input[…, m, k] other[…, k, n].

    Args:
        input: tensor (…, M, K), or (K,), which counts as a row.
        other: tensor (…, K, N), or (K,), which counts as a column. Leading axes broadcast.
        transpose_a: the matrices of `input` are given transposed, (…, K, M); no matter for a vector.
        transpose_b: those of `other` are, (…, N, K).
    Returns:
        tensor (…, M, N) of the promoted type; without the axis of what was a vector.
    Raises:
        OpTypeError: a tensor holds bools.
        OpValueError: a tensor has no axis, or lengths do not fit.
    Gradient:
        g otherᵀ and inputᵀ g.
    Example:
        >>> matmul(Tensor([[1, 2], [3, 4]]), Tensor([10, 1])).tolist()
        [12, 34]
    """


matmul.mixed = "half"


@matmul.normalize
def _(input, other, *, transpose_a, transpose_b):
    return {"transpose_a": bool(transpose_a) and input.ndim > 1, "transpose_b": bool(transpose_b) and other.ndim > 1}


@matmul.infer
def _(input, other, *, transpose_a, transpose_b):
    return _product_type("matmul", input, other, transpose_a, transpose_b)


def _product_type(
    name: str, input: Any, other: Any, transpose_a: bool, transpose_b: bool, args: tuple[str, str] = ("input", "other")
) -> TensorType:
    for arg, x in zip(args, (input, other)):
        if x.ndim == 0:
            raise OpValueError(
                f"{name} needs a tensor of at least one axis for `{arg}`, but got {type_of(x)!r}",
                arg=arg,
                help="numbers are multiplied with *.",
            )
    dtype = _product_dtype(name, **dict(zip(args, (input, other))))
    *left, m, k = (1, *input.shape) if input.ndim == 1 else input.shape
    *right, depth, n = (*other.shape, 1) if other.ndim == 1 else other.shape
    if transpose_a:
        m, k = k, m
    if transpose_b:
        depth, n = n, depth
    if k != depth:
        axis = -2 if transpose_a else -1
        other_axis = -1 if transpose_b or other.ndim == 1 else -2
        raise OpValueError(
            f"{name}: the shapes {list(input.shape)} and {list(other.shape)} do not fit: axis {axis} of `{args[0]}` has "
            f"length {k}, but axis {other_axis} of `{args[1]}` has length {depth}",
            arg=args[1],
        )
    batch = broadcast_batch(tuple(left), tuple(right))
    if batch is None:
        raise OpValueError(
            f"{name}: the leading axes of the shapes {list(input.shape)} and {list(other.shape)} cannot be broadcast",
            arg=args[1],
        )
    rows = () if input.ndim == 1 else (m,)
    columns = () if other.ndim == 1 else (n,)
    return TensorType(dtype, (*batch, *rows, *columns))


def broadcast_batch(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape to which two shapes are stretched; None if they do not fit."""
    rank = max(len(left), len(right))
    pairs = list(zip((1,) * (rank - len(left)) + left, (1,) * (rank - len(right)) + right))
    if any(one != two and 1 not in (one, two) for one, two in pairs):
        return None
    return tuple(two if one == 1 else one for one, two in pairs)


@matmul.kernel
def _(
    p: Planner, input: Buffer, other: Buffer, out: Buffer, *, transpose_a, transpose_b, end: End | None = None
):  # fmt: skip
    a, b = of_type(p, input, out.dtype), of_type(p, other, out.dtype)
    a = _inserted(a, 0) if a.ndim == 1 else _turned(a) if transpose_a else a
    b = _inserted(b, 1) if b.ndim == 1 else _turned(b) if transpose_b else b
    if a.ndim == 2 and b.ndim > 2 and b.shape[-1] == 1:  # many columns that meet one matrix are a matrix, transposed
        a, b = _dropped(b, -1), _turned(a)
    while a.ndim > 2 and b.ndim == 2 and a.shape[-2] == 1:  # and so are many rows
        a = _dropped(a, -2)
    batch = broadcast_batch(a.shape[:-2], b.shape[:-2])
    assert batch is not None
    m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
    product = out.reshaped(*batch, m, n)
    body, operands = epilogue(product, None, end, -1, ("n", "mn"))
    plan_matmul(p, a.broadcast((*batch, m, k)), b.broadcast((*batch, k, n)), product, epilogue=body, operands=operands)


@matmul.ends
def _(input, other, *, transpose_a, transpose_b):
    columns = other.shape[-2 if transpose_b else -1] if other.ndim > 1 else 1
    return -1 if input.ndim > 1 and columns > 1 else None


@matmul.vjp("input")
def _(input_type, other, other_type, *, transpose_a, transpose_b, g):
    g = _as_matrices(g, input_type, other_type)
    b = expand_dims(other, 1) if other_type.ndim == 1 else other
    if transpose_a:
        return matmul(b, g, transpose_a=transpose_b, transpose_b=True)
    return matmul(g, b, transpose_b=not transpose_b)


@matmul.vjp("other")
def _(input, input_type, other_type, *, transpose_a, transpose_b, g):
    g = _as_matrices(g, input_type, other_type)
    a = expand_dims(input, 0) if input_type.ndim == 1 else input
    if a.ndim > 2 and other_type.ndim <= 2 and not transpose_a:  # one product over all rows, not a sum of products
        rows = math.prod(a.shape[:-1])
        a, g = reshape(a, (rows, a.shape[-1])), reshape(g, (rows, g.shape[-1]))
    found = (
        matmul(g, a, transpose_a=True, transpose_b=transpose_a)
        if transpose_b
        else (matmul(a, g, transpose_a=not transpose_a))
    )
    return squeeze(found, -1) if other_type.ndim == 1 else found


linear(matmul, "input", "other")


@matmul.batch
def _(batched, input, other, *, transpose_a, transpose_b):
    ranks = input.ndim - batched[0], other.ndim - batched[1]
    if not batched[1] and ranks[0] == 1 and ranks[1] <= 2:  # the examples are the rows of one matrix
        return matmul(input, other, transpose_b=transpose_b)
    if ranks[0] == 1:
        input = expand_dims(input, -2)
    if ranks[1] == 1:
        other = expand_dims(other, -1)
    input, other = aligned(batched, (input, other))
    return matmul(input, other, transpose_a=transpose_a, transpose_b=transpose_b)


def _as_matrices(g: Tensor, input_type: TensorType, other_type: TensorType) -> Tensor:
    """The gradient of a product with the axes that vectors left out."""
    g = expand_dims(g, -1) if other_type.ndim == 1 else g
    return expand_dims(g, -2) if input_type.ndim == 1 else g


# -- dense layers -----------------------------------------------------------------------------------------------------


@op
def dense(input: Tensor, weight: Tensor, bias: Tensor | None = None):
    """A dense layer: y = x wᵀ + b, the bias added before the sum is rounded.

    Args:
        input: tensor x (…, K).
        weight: tensor w (N, K), or (K,), which gives one feature without an axis for it.
        bias: tensor b (N,), or () for one feature.
    Returns:
        tensor (…, N) of the promoted type.
    Raises:
        OpTypeError: a tensor holds bools.
        OpValueError: lengths do not fit.
    Gradient:
        g w to x, gᵀ x over all rows to w, the sum of g over all rows to b.
    Example:
        >>> dense(Tensor([[1., 2.]]), Tensor([[1., 1.], [3., 0.]]), Tensor([0., 10.])).tolist()
        [[3.0, 13.0]]
    """


dense.mixed = "half"


@dense.infer
def _(input, weight, bias):
    if weight.ndim not in (1, 2):
        raise OpValueError(f"dense needs a weight of one or two axes, but got {type_of(weight)!r}", arg="weight")
    shape = _product_type("dense", input, weight, False, weight.ndim == 2, ("input", "weight")).shape
    features = weight.shape[:-1]
    if bias is not None and bias.shape != features:
        raise OpValueError(f"dense needs `bias` of shape {list(features)}, but got {type_of(bias)!r}", arg="bias")
    return TensorType(_product_dtype("dense", input=input, weight=weight, bias=bias), shape)


@dense.kernel
def _(p: Planner, input: Buffer, weight: Buffer, bias: Buffer | None, out: Buffer, *, end: End | None = None):
    if out.size == 0:
        return
    x, w = of_type(p, input, out.dtype), of_type(p, weight, out.dtype)
    k = x.shape[-1]
    n = w.shape[0] if w.ndim == 2 else 1
    m = out.size // n
    w = _turned(w) if w.ndim == 2 else _inserted(w, 1)
    rows = out.reshaped(m, n)
    body, operands = epilogue(rows, None if bias is None else of_type(p, bias, out.dtype), end, -1, ("n", "mn"))
    plan_matmul(p, _as_rows(p, x, m, k), w, rows, epilogue=body, operands=operands)


@dense.ends
def _(input, weight, bias):
    return -1 if weight.ndim == 2 else None


def _as_rows(p: Planner, x: Buffer, rows: int, length: int) -> Buffer:
    """A buffer as a matrix of its last axis; where strides cannot say that, a copy."""
    layout = layouts.reshape(x.layout, (rows, length)) if x.size else None
    if layout is None:
        copy = p.workspace(x.dtype, rows, length)
        if x.size:
            plan_copy(p, x, replace(copy, shape=x.shape, strides=contiguous_strides(x.shape, x.dtype.itemsize)))
        return copy
    return replace(x, shape=layout.shape, strides=layout.strides)


@dense.vjp("input")
def _(input_type, weight, weight_type, *, g):
    if weight_type.ndim == 1:
        return expand_dims(g, -1) * weight
    return matmul(g, weight)


@dense.vjp("weight")
def _(input, input_type, weight_type, *, g):
    rows = math.prod(input_type.shape[:-1])
    flat = reshape(input, (rows, input_type.shape[-1]))
    if weight_type.ndim == 1:
        return matmul(reshape(g, (rows,)), flat)
    return matmul(reshape(g, (rows, weight_type.shape[0])), flat, transpose_a=True)


dense.vjp("bias")(pass_gradient)


affine(dense, "input", trailing=0)


@dense.batch
def _(batched, input, weight, bias):
    if not batched[1] and not batched[2]:
        return dense(input, weight, bias)
    if weight.ndim - batched[1] != 2:
        return NotImplemented
    examples = input.shape[batched[0] :]
    rows = (*input.shape[: batched[0]], math.prod(examples[:-1]), examples[-1])
    product = matmul(reshape(input, rows), weight, transpose_b=True)
    if batched[2]:
        bias = expand_dims(bias, 1)
    return product if bias is None else product + bias


@composite
def bidense(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Linear in each of two inputs: y[…, n] = input1[…] weight[n] input2[…]ᵀ + bias[n].

    Args:
        input1: tensor (…, K).
        input2: tensor (…, L), with the same leading axes.
        weight: tensor (N, K, L).
        bias: tensor (N,).
    Returns:
        tensor (…, N).
    Raises:
        OpValueError: shapes do not fit.
    Example:
        >>> bidense(Tensor([[1., 2.]]), Tensor([[3.]]), Tensor([[[1.], [10.]]])).tolist()
        [[63.0]]
    """
    for arg, x in (("input1", input1), ("input2", input2)):
        _check("bidense", arg, x)
    _check("bidense", "weight", weight, 3)
    shape, features = input1.shape[:-1], weight.shape[0]
    expected = (*shape, weight.shape[1]), (*shape, weight.shape[2])
    if (input1.shape, input2.shape) != expected or input1.ndim == 0:
        raise OpValueError(
            f"bidense: inputs of shape {list(input1.shape)} and {list(input2.shape)} do not fit the weight "
            f"{list(weight.shape)}",
            arg="input2" if input1.shape == expected[0] else "input1",
            help="their last axes must be as long as the last two of the weight, and all other axes equal.",
        )
    if bias is not None and bias.shape != (features,):
        raise OpValueError(f"bidense needs `bias` of shape {[features]}, but got {list(bias.shape)}", arg="bias")
    rows = math.prod(shape)
    x1, x2 = reshape(input1, (rows, input1.shape[-1])), reshape(input2, (rows, input2.shape[-1]))
    y = transpose(reduce_sum(matmul(x1, weight) * x2, 2), (1, 0))
    return reshape(y if bias is None else y + bias, (*shape, features))


@composite
def bias_add(input_x: Tensor, bias: Tensor, data_format="NCHW") -> Tensor:
    """Add to each channel its own number.

    Args:
        input_x: tensor (N, C, …), or (N, …, C) where `data_format` ends with C.
        bias: tensor (C,).
        data_format: "NCHW" or "NHWC" (or "NCDHW").
    Returns:
        tensor of the shape of `input_x`.
    Raises:
        OpValueError: shapes do not fit, or `data_format` is something else.
    Example:
        >>> bias_add(Tensor([[1., 2.]]), Tensor([10., 20.])).tolist()
        [[11.0, 22.0]]
    """
    formats = ("NCHW", "NHWC", "NCDHW")
    if data_format not in formats:
        raise OpValueError(
            f"bias_add: `data_format` must be one of {', '.join(formats)}, but got {data_format!r}", arg="data_format"
        )
    _check("bias_add", "input_x", input_x)
    _check("bias_add", "bias", bias, 1)
    axis = input_x.ndim - 1 if data_format == "NHWC" else 1
    if input_x.ndim < 2 or input_x.shape[axis] != bias.shape[0]:
        raise OpValueError(
            f"bias_add: a bias of shape {list(bias.shape)} does not fit axis {axis} of {list(input_x.shape)}",
            arg="bias",
        )
    return input_x + reshape(bias, (bias.shape[0], *(1,) * (input_x.ndim - 1 - axis)))


# -- products of given ranks ------------------------------------------------------------------------------------------


def _check(name: str, arg: str, x: Any, ndim: int | None = None) -> None:
    """Refuse what is no tensor, or has not so many axes."""
    if not isinstance(x, Tensor):
        raise OpTypeError(f"{name} needs a tensor for `{arg}`, but got {x!r}", arg=arg)
    if ndim is not None and x.ndim != ndim:
        raise OpValueError(
            f"{name} needs a tensor of {ndim} {'axis' if ndim == 1 else 'axes'} for `{arg}`, but got one of shape "
            f"{list(x.shape)}",
            arg=arg,
        )


def _check_last(name: str, one: str, x: Tensor, other: str, y: Tensor, axis: int) -> None:
    """Refuse a product of lengths that differ: the last of x and one of y."""
    if x.shape[-1] != y.shape[axis]:
        raise OpValueError(
            f"{name}: the shapes {list(x.shape)} and {list(y.shape)} do not fit: axis -1 of `{one}` has length "
            f"{x.shape[-1]}, but axis {axis} of `{other}` has length {y.shape[axis]}",
            arg=other,
        )


@composite
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices (M, K) and (K, N); see `matmul`.

    Raises:
        OpValueError: an argument is no matrix, or lengths do not fit.
    Example:
        >>> mm(Tensor([[1, 2]]), Tensor([[3], [4]])).tolist()
        [[11]]
    """
    _check("mm", "input", input, 2)
    _check("mm", "mat2", mat2, 2)
    _check_last("mm", "input", input, "mat2", mat2, -2)
    return matmul(input, mat2)


@composite
def bmm(input_x: Tensor, mat2: Tensor) -> Tensor:
    """The products of matrices (…, M, K) and (…, K, N), item by item of equal leading axes; see `matmul`.

    Raises:
        OpValueError: lengths or leading axes do not fit.
    Example:
        >>> bmm(Tensor([[[1, 2]], [[3, 4]]]), Tensor([[[1], [1]], [[2], [2]]])).tolist()
        [[[3]], [[14]]]
    """
    _check("bmm", "input_x", input_x)
    _check("bmm", "mat2", mat2)
    if input_x.ndim < 3 or input_x.ndim != mat2.ndim or input_x.shape[:-2] != mat2.shape[:-2]:
        raise OpValueError(
            f"bmm needs tensors with the same leading axes, at least one, in front of the matrices, but got "
            f"{list(input_x.shape)} and {list(mat2.shape)}",
            arg="mat2",
            help="matmul broadcasts.",
        )
    _check_last("bmm", "input_x", input_x, "mat2", mat2, -2)
    return matmul(input_x, mat2)


@composite
def mv(mat: Tensor, vec: Tensor) -> Tensor:
    """The product of a matrix (M, K) and a vector (K,); see `matmul`.

    Raises:
        OpValueError: the ranks or lengths do not fit.
    Example:
        >>> mv(Tensor([[1, 2], [3, 4]]), Tensor([10, 1])).tolist()
        [12, 34]
    """
    _check("mv", "mat", mat, 2)
    _check("mv", "vec", vec, 1)
    _check_last("mv", "mat", mat, "vec", vec, 0)
    return matmul(mat, vec)


@composite
def dot(input: Tensor, other: Tensor) -> Tensor:
    """The sum of products over the last axis of `input` and the last but one (the only one) of `other`, as `numpy.dot`.

    Args:
        input: tensor (*a, K).
        other: tensor (*b, K, N) or (K,).
    Returns:
        tensor (*a, *b, N) or (*a,).
    Raises:
        OpValueError: a tensor has no axis, or lengths do not fit.
    Example:
        >>> dot(Tensor([1., 2., 3.]), Tensor([1., 0., 2.])).item()
        7.0
    """
    for arg, x in (("input", input), ("other", other)):
        _check("dot", arg, x)
        if x.ndim == 0:
            raise OpValueError(f"dot needs a tensor of at least one axis for `{arg}`, but got a number", arg=arg)
    axis = -2 if other.ndim > 1 else -1
    _check_last("dot", "input", input, "other", other, axis)
    if input.ndim == other.ndim == 1:
        return matmul(input, other)
    return _contracted(input, other, (input.ndim - 1,), (other.ndim + axis,))


@composite
def vecdot(x: Tensor, y: Tensor, *, axis=-1) -> Tensor:
    """The sum of products along an axis of two tensors that broadcast; of complex numbers `x` is conjugated.

    Raises:
        OpValueError: shapes do not fit, or `axis` is out of range.
    Example:
        >>> vecdot(Tensor([[1., 2.], [3., 4.]]), Tensor([10., 1.])).tolist()
        [12.0, 34.0]
    """
    for arg, tensor in (("x", x), ("y", y)):
        _check("vecdot", arg, tensor)
    return reduce_sum(conj(x) * y, axis)


@composite
def inner(input: Tensor, other: Tensor) -> Tensor:
    """The sum of products over the last axes of both: y[*a, *b] = sum over k of input[*a, k] other[*b, k]. Where one
    is 0-d, their product.

    Raises:
        OpValueError: the last axes differ in length.
    Example:
        >>> inner(Tensor([1., 2.]), Tensor([[10., 1.], [0., 1.]])).tolist()
        [12.0, 2.0]
    """
    for arg, x in (("input", input), ("other", other)):
        _check("inner", arg, x)
    if input.ndim == 0 or other.ndim == 0:
        return input * other
    _check_last("inner", "input", input, "other", other, -1)
    return _contracted(input, other, (input.ndim - 1,), (other.ndim - 1,))


@composite
def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """All products of the elements of two vectors: y[i, j] = input[i] vec2[j].

    Raises:
        OpValueError: an argument is no vector.
    Example:
        >>> outer(Tensor([1, 2]), Tensor([3, 4])).tolist()
        [[3, 4], [6, 8]]
    """
    _check("outer", "input", input, 1)
    _check("outer", "vec2", vec2, 1)
    return expand_dims(input, 1) * vec2


def ger(input: Tensor, vec2: Tensor) -> Tensor:
    """All products of the elements of two vectors; see `outer`.

    Example:
        >>> ger(Tensor([1, 2]), Tensor([3, 4])).tolist()
        [[3, 4], [6, 8]]
    """
    return outer(input, vec2)


# -- a tensor and a product -------------------------------------------------------------------------------------------


def _blend(name: str, input: Tensor, product: Tensor, beta: Any, alpha: Any) -> Tensor:
    """beta · input + alpha · product, where `input` must broadcast to the product."""
    if broadcast_batch(input.shape, product.shape) != product.shape:
        raise OpValueError(
            f"{name}: a tensor of shape {list(input.shape)} cannot be added to the product, of shape "
            f"{list(product.shape)}",
            arg="x" if name == "addr" else "input",
        )
    if not product.dtype.is_inexact and not input.dtype.is_inexact:
        for arg, factor in (("beta", beta), ("alpha", alpha)):
            if isinstance(factor, float):
                raise OpTypeError(f"{name} of integers needs an integer for `{arg}`, but got {factor!r}", arg=arg)
    product = product if _is_one(alpha) else product * alpha
    return product + (input if _is_one(beta) else input * beta)


def _is_one(factor: Any) -> bool:
    return isinstance(factor, (int, float)) and factor == 1


@composite
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta=1, alpha=1) -> Tensor:
    """beta · input + alpha · (mat1 @ mat2).

    Args:
        input: tensor that broadcasts to (M, N).
        mat1: tensor (M, K).
        mat2: tensor (K, N).
        beta, alpha: numbers; integers where the tensors hold integers.
    Returns:
        tensor (M, N).
    Raises:
        OpValueError: shapes do not fit.
        OpTypeError: a factor of integers is none.
    Example:
        >>> addmm(Tensor([[1.]]), Tensor([[1., 2.]]), Tensor([[3.], [4.]]), alpha=2).tolist()
        [[23.0]]
    """
    _check("addmm", "input", input)
    _check("addmm", "mat1", mat1, 2)
    _check("addmm", "mat2", mat2, 2)
    _check_last("addmm", "mat1", mat1, "mat2", mat2, 0)
    return _blend("addmm", input, matmul(mat1, mat2), beta, alpha)


@composite
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta=1, alpha=1) -> Tensor:
    """beta · input + alpha · (mat @ vec), with `mat` (M, K), `vec` (K,) and `input` that broadcasts to (M,); see `addmm`.

    Example:
        >>> addmv(Tensor([1.]), Tensor([[1., 2.]]), Tensor([3., 4.]), beta=10).tolist()
        [21.0]
    """
    _check("addmv", "input", input)
    _check("addmv", "mat", mat, 2)
    _check("addmv", "vec", vec, 1)
    _check_last("addmv", "mat", mat, "vec", vec, 0)
    return _blend("addmv", input, matmul(mat, vec), beta, alpha)


@composite
def addbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta=1, alpha=1) -> Tensor:
    """beta · input + alpha · (the sum of the products of matrices (B, M, K) and (B, K, N)); see `addmm`.

    Example:
        >>> addbmm(Tensor([[1.]]), Tensor([[[1.]], [[2.]]]), Tensor([[[3.]], [[4.]]])).tolist()
        [[12.0]]
    """
    _check("addbmm", "input", input)
    _check_batches("addbmm", batch1, batch2)
    return _blend("addbmm", input, _contracted(batch1, batch2, (0, 2), (0, 1)), beta, alpha)


@composite
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, beta=1, alpha=1) -> Tensor:
    """beta · input + alpha · (the products of matrices (B, M, K) and (B, K, N)); see `addmm`.

    Example:
        >>> baddbmm(Tensor([[[1.]]]), Tensor([[[1.]], [[2.]]]), Tensor([[[3.]], [[4.]]])).tolist()
        [[[4.0]], [[9.0]]]
    """
    _check("baddbmm", "input", input)
    _check_batches("baddbmm", batch1, batch2)
    return _blend("baddbmm", input, matmul(batch1, batch2), beta, alpha)


def _check_batches(name: str, batch1: Tensor, batch2: Tensor) -> None:
    _check(name, "batch1", batch1, 3)
    _check(name, "batch2", batch2, 3)
    _check_last(name, "batch1", batch1, "batch2", batch2, 1)
    if batch1.shape[0] != batch2.shape[0]:
        raise OpValueError(f"{name}: there are {batch1.shape[0]} matrices and {batch2.shape[0]}", arg="batch2")


@composite
def addr(x: Tensor, vec1: Tensor, vec2: Tensor, *, beta=1, alpha=1) -> Tensor:
    """beta · x + alpha · outer(vec1, vec2), with `x` that broadcasts to (M, N); see `addmm`.

    Example:
        >>> addr(Tensor([[1., 1.]]), Tensor([2.]), Tensor([3., 4.])).tolist()
        [[7.0, 9.0]]
    """
    _check("addr", "x", x)
    _check("addr", "vec1", vec1, 1)
    _check("addr", "vec2", vec2, 1)
    return _blend("addr", x, outer(vec1, vec2), beta, alpha)


# -- products over chosen axes ----------------------------------------------------------------------------------------


def _contracted(
    x: Tensor, y: Tensor, x_axes: tuple[int, ...], y_axes: tuple[int, ...], batch: tuple[tuple[int, int], ...] = ()
) -> Tensor:
    """The sum of products over axes of x and of y that belong together, in order. The result has the axes of `batch`, one
    of x and one of y for each, then the other axes of x, then those of y."""
    x_batch, y_batch = tuple(i for i, _ in batch), tuple(j for _, j in batch)
    x_free = tuple(i for i in range(x.ndim) if i not in x_axes and i not in x_batch)
    y_free = tuple(j for j in range(y.ndim) if j not in y_axes and j not in y_batch)
    items = tuple(x.shape[i] for i in x_batch)
    depth = math.prod(x.shape[i] for i in x_axes)
    rows, columns = tuple(x.shape[i] for i in x_free), tuple(y.shape[j] for j in y_free)
    a = reshape(transpose(x, (*x_batch, *x_free, *x_axes)), (*items, math.prod(rows), depth))
    b = reshape(transpose(y, (*y_batch, *y_axes, *y_free)), (*items, depth, math.prod(columns)))
    return reshape(matmul(a, b), (*items, *rows, *columns))


@composite
def tensor_dot(x1: Tensor, x2: Tensor, axes) -> Tensor:
    """The sum of products over several axes of both tensors.

    Args:
        x1, x2: tensors.
        axes: how many: the last ones of `x1` and the first ones of `x2`; or two lists, of axes of `x1` and of `x2`, that
            belong together in order (an integer is a list of one).
    Returns:
        tensor of the other axes of `x1` and then those of `x2`.
    Raises:
        OpTypeError: `axes` is something else.
        OpValueError: an axis is out of range or named twice, or lengths do not fit.
    Example:
        >>> tensor_dot(Tensor([[1., 2.], [3., 4.]]), Tensor([[1., 0.], [0., 1.]]), 2).item()
        5.0
    """
    _check("tensor_dot", "x1", x1)
    _check("tensor_dot", "x2", x2)
    if hasattr(axes, "__index__") and not isinstance(axes, bool):
        count = axes.__index__()
        if not 0 <= count <= min(x1.ndim, x2.ndim):
            raise OpValueError(
                f"tensor_dot: `axes` must be in [0, {min(x1.ndim, x2.ndim)}] for tensors of {x1.ndim} and {x2.ndim} axes, "
                f"but got {count}",
                arg="axes",
            )
        pairs: tuple = tuple(range(x1.ndim - count, x1.ndim)), tuple(range(count))
    elif isinstance(axes, (tuple, list)) and len(axes) == 2:
        pairs = tuple(
            tuple(normalize_axis("tensor_dot", i, x.ndim, "axes") for i in (a if isinstance(a, (tuple, list)) else [a]))
            for a, x in zip(axes, (x1, x2))
        )
    else:
        raise OpTypeError(f"tensor_dot needs an integer or two lists for `axes`, but got {axes!r}", arg="axes")
    if len(pairs[0]) != len(pairs[1]) or any(len(set(p)) != len(p) for p in pairs):
        raise OpValueError(
            f"tensor_dot: `axes` must name equally many axes of both tensors, each once, but got {axes!r}", arg="axes"
        )
    for i, j in zip(*pairs):
        if x1.shape[i] != x2.shape[j]:
            raise OpValueError(
                f"tensor_dot: axis {i} of `x1` has length {x1.shape[i]}, but axis {j} of `x2` has length {x2.shape[j]}",
                arg="x2",
            )
    return _contracted(x1, x2, *pairs)


@composite
def batch_dot(x1: Tensor, x2: Tensor, axes=None) -> Tensor:
    """The sum of products over one axis of each item of two batches.

    Args:
        x1: tensor (B, …), of at least two axes.
        x2: tensor (B, …), of at least two axes.
        axes: one axis of each, not the first; an integer means it of both; when not given the last of `x1` and the last but
            one of `x2` (the last where it has two axes).
    Returns:
        tensor (B, other axes of `x1`, other axes of `x2`); (B, 1) where there are no others.
    Raises:
        OpValueError: the batches or lengths differ, or an axis is out of range or the first.
    Example:
        >>> batch_dot(Tensor([[1., 2.], [3., 4.]]), Tensor([[1., 1.], [0., 2.]])).tolist()
        [[3.0], [8.0]]
    """
    for arg, x in (("x1", x1), ("x2", x2)):
        _check("batch_dot", arg, x)
        if x.ndim < 2:
            raise OpValueError(f"batch_dot needs at least two axes for `{arg}`, but got {list(x.shape)}", arg=arg)
    if x1.shape[0] != x2.shape[0]:
        raise OpValueError(f"batch_dot: the batches have {x1.shape[0]} and {x2.shape[0]} items", arg="x2")
    if axes is None:
        axes = (x1.ndim - 1, x2.ndim - 1 if x2.ndim == 2 else x2.ndim - 2)
    both = tuple(axes) if isinstance(axes, (tuple, list)) else (axes, axes)
    if len(both) != 2:
        raise OpValueError(f"batch_dot needs one axis of each tensor for `axes`, but got {axes!r}", arg="axes")
    i, j = (normalize_axis("batch_dot", axis, x.ndim, "axes") for axis, x in zip(both, (x1, x2)))
    if not i or not j:
        raise OpValueError(f"batch_dot: axis 0 is that of the batch, but `axes` is {axes!r}", arg="axes")
    if x1.shape[i] != x2.shape[j]:
        raise OpValueError(
            f"batch_dot: axis {i} of `x1` has length {x1.shape[i]}, but axis {j} of `x2` has length {x2.shape[j]}",
            arg="x2",
        )
    out = _contracted(x1, x2, (i,), (j,), ((0, 0),))
    return expand_dims(out, 1) if out.ndim == 1 else out


@composite
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: each element of `input` times all of `other`, laid out as blocks.

    Args:
        input, other: tensors; the one of fewer axes gets more in front.
    Returns:
        tensor whose axes are as long as the product of both.
    Example:
        >>> kron(Tensor([1, 10]), Tensor([[1, 2]])).tolist()
        [[1, 2, 10, 20]]
    """
    _check("kron", "input", input)
    _check("kron", "other", other)
    rank = max(input.ndim, other.ndim)
    left = (1,) * (rank - input.ndim) + input.shape
    right = (1,) * (rank - other.ndim) + other.shape
    blocks = reshape(input, tuple(n for length in left for n in (length, 1)))
    inside = reshape(other, tuple(n for length in right for n in (1, length)))
    return reshape(blocks * inside, tuple(m * n for m, n in zip(left, right)))


@composite
def trace(input: Tensor, offset=0, axis1=0, axis2=1, dtype=None) -> Tensor:
    """The sum of a diagonal.

    Args:
        input: tensor of at least two axes.
        offset: which diagonal: above zero those above the main one.
        axis1, axis2: the rows and the columns.
        dtype: element type of the sum; see `reduce_sum`.
    Returns:
        tensor of the other axes.
    Raises:
        OpValueError: there are fewer than two axes.
    Gradient:
        g on the diagonal.
    Example:
        >>> trace(Tensor([[1, 2], [3, 4]]))
        Tensor(shape=[], dtype=Int64, value= 5)
    """
    _check("trace", "input", input)
    if input.ndim < 2:
        raise OpValueError(f"trace needs at least two axes for `input`, but got {list(input.shape)}", arg="input")
    return reduce_sum(diagonal(input, offset, axis1, axis2), -1, False, dtype)


# -- Einstein's sums --------------------------------------------------------------------------------------------------


@composite
def einsum(equation: str, *operands: Tensor) -> Tensor:
    """Sums of products in Einstein's notation: a letter for each axis, "ij,jk->ik" is the product of two matrices.

    Operands are taken in from left to right; for each pair one matrix product over the letters that nobody needs any more.

    Args:
        equation: the letters of each operand, with commas between, and after "->" those of the result; without it, all
            that occur once, in alphabetical order. A letter twice in an operand means the diagonal. "..." stands for
            further axes, which broadcast. Spaces do not matter.
        operands: tensors; axes of one letter are equally long, or 1.
    Returns:
        tensor of the axes of the result.
    Raises:
        OpTypeError: `equation` is no string or an operand no tensor.
        OpValueError: the equation cannot be read, or does not fit the operands.
    Gradient:
        that of the products, sums and views it is made of.
    Example:
        >>> einsum("ij,j->i", Tensor([[1., 2.], [3., 4.]]), Tensor([10., 1.])).tolist()
        [12.0, 34.0]
    """
    if not isinstance(equation, str):
        raise OpTypeError(f"einsum needs a string for `equation`, but got {equation!r}", arg="equation")
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = tuple(operands[0])
    for x in operands:
        _check("einsum", "operands", x)
    terms, result = _parsed(equation, [x.ndim for x in operands])
    lengths: dict = {}
    for term, x in zip(terms, operands):
        for letter, n in zip(term, x.shape):
            known = lengths.setdefault(letter, n)
            if known == 1:
                lengths[letter] = n
            elif n not in (1, known):
                what = f"the letter {letter!r}" if isinstance(letter, str) else "an axis of '...'"
                raise OpValueError(f"einsum: {what} of {equation!r} has the lengths {known} and {n}", arg="operands")
    factors = [_with_distinct(list(term), x, lengths) for term, x in zip(terms, operands)]
    total = factors[0]
    for position, factor in enumerate(factors[1:], 1):
        needed = set(result).union(*(letters for letters, _ in factors[position + 1 :]))
        total = _joined(*_summed(*total, needed.union(factor[0])), *_summed(*factor, needed.union(total[0])), needed)
    letters, value = _summed(*total, set(result))
    missing = [letter for letter in result if letter not in letters]  # these are 1 in every operand
    value = reshape(value, (*value.shape, *(1,) * len(missing))) if missing else value
    letters = [*letters, *missing]
    return transpose(value, tuple(letters.index(letter) for letter in result)) if letters != list(result) else value


def _parsed(equation: str, ranks: list[int]) -> tuple[list[list], list]:
    """The letters of the operands and of the result; axes of "..." are numbers, counted from the last as -1, -2, …"""

    def refuse(why: str) -> OpValueError:
        return OpValueError(f"einsum: {equation!r} {why}", arg="equation")

    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    if len(parts) != len(ranks):
        raise refuse(f"speaks of {len(parts)} operands, but there are {len(ranks)}")
    terms: list[list] = []
    most = 0
    for part, rank in zip(parts, ranks):
        before, dots, after = part.partition("...")
        if not (before + after).isalpha() and before + after:
            raise refuse("may hold letters, commas, '->', and '...' once in each part")
        further = rank - len(before) - len(after)
        if further < 0 or (further and not dots):
            raise refuse(f"names {len(before + after)} axes for an operand that has {rank}")
        most = max(most, further)
        terms.append([*before, *range(-further, 0), *after])
    everything = [letter for term in terms for letter in term]
    if not arrow:
        once = sorted(letter for letter in set("".join(parts)) - {"."} if everything.count(letter) == 1)
        return terms, [*range(-most, 0), *once]
    before, dots, after = right.partition("...")
    if not (before + after).isalpha() and before + after:
        raise refuse("may hold letters and '...' once behind '->'")
    if len(set(before + after)) != len(before + after):
        raise refuse("names a letter twice behind '->'")
    unknown = [letter for letter in before + after if letter not in everything]
    if unknown:
        raise refuse(f"has {unknown[0]!r} behind '->', which no operand has")
    return terms, [*before, *(range(-most, 0) if dots else ()), *after]


def _with_distinct(letters: list, x: Tensor, lengths: dict) -> tuple[list, Tensor]:
    """An operand with each letter once: diagonals for those that stand twice, and no axes that are only stretched."""
    for axis in reversed(range(len(letters))):
        if x.shape[axis] == 1 and lengths[letters[axis]] != 1:
            x = squeeze(x, axis)
            del letters[axis]
    for letter in dict.fromkeys(letters):
        while letters.count(letter) > 1:
            first = letters.index(letter)
            second = letters.index(letter, first + 1)
            x = diagonal(x, 0, first, second)
            del letters[second], letters[first]
            letters.append(letter)
    return letters, x


def _summed(letters: list, x: Tensor, needed: set) -> tuple[list, Tensor]:
    """An operand without the letters that nobody needs."""
    axes = tuple(axis for axis, letter in enumerate(letters) if letter not in needed)
    if not axes:
        return letters, x
    return [letter for letter in letters if letter in needed], reduce_sum(x, axes)


def _joined(x_letters: list, x: Tensor, y_letters: list, y: Tensor, needed: set) -> tuple[list, Tensor]:
    """The product of two operands, summed over the letters that both have and nobody needs."""
    shared = [letter for letter in x_letters if letter in y_letters]
    batch = [letter for letter in shared if letter in needed]
    over = [letter for letter in shared if letter not in needed]
    x_free = [letter for letter in x_letters if letter not in shared]
    y_free = [letter for letter in y_letters if letter not in shared]
    letters = [*batch, *x_free, *y_free]
    if over:
        pairs = tuple((x_letters.index(letter), y_letters.index(letter)) for letter in batch)
        x_axes, y_axes = (tuple(names.index(letter) for letter in over) for names in (x_letters, y_letters))
        return letters, _contracted(x, y, x_axes, y_axes, pairs)
    x = transpose(x, tuple(x_letters.index(letter) for letter in (*batch, *x_free)))
    y = transpose(y, tuple(y_letters.index(letter) for letter in (*batch, *y_free)))
    return letters, reshape(x, (*x.shape, *(1,) * len(y_free))) * reshape(
        y, (*y.shape[: len(batch)], *(1,) * len(x_free), *y.shape[len(batch) :])
    )


@op
def cross_product(input: Tensor, other: Tensor, axis):
    """The cross products of vectors along an axis of two tensors of one shape and type; see `cross`."""


@cross_product.infer
def _(input, other, *, axis):
    kind = type_of(input)
    if type_of(other) != kind or kind.shape[axis] != 3:
        raise OpValueError(
            f"cross_product needs two tensors of one type, of length 3 along axis {axis}, but got {input!r} and {other!r}",
            arg="other",
        )
    return kind


@cross_product.kernel
def _(p: Planner, input: Buffer, other: Buffer, out: Buffer, *, axis):
    def part(x: Buffer, number: int) -> Buffer:
        one = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
        return replace(x, shape=one, offset=x.offset + number % 3 * x.strides[axis])

    elem = memory.compute_elem(out.code)
    for i in range(3):
        factors = part(input, i + 1), part(other, i + 2), part(input, i + 2), part(other, i + 1)
        plan_elementwise(p, _cross_part, [(x, elem) for x in factors], [(part(out, i), elem)], 0.8)


def _cross_part(a: Value, b: Value, c: Value, d: Value) -> Value:
    return a * b - c * d


@cross_product.vjp("input")
def _(other, *, axis, g):
    return cross_product(other, g, axis)


@cross_product.vjp("other")
def _(input, *, axis, g):
    return cross_product(g, input, axis)


@cross_product.complex
def _(input, other, *, axis):
    return roll(input, -1, axis) * roll(other, -2, axis) - roll(input, -2, axis) * roll(other, -1, axis)


@composite
def cross(input: Tensor, other: Tensor, dim=None) -> Tensor:
    """The cross products of vectors of length 3.

    Args:
        input, other: tensors that broadcast.
        dim: the axis of the vectors; the first of length 3 when not given.
    Returns:
        tensor of the broadcast shape.
    Raises:
        OpValueError: the axis does not have length 3, or shapes do not fit.
    Example:
        >>> cross(Tensor([1., 0., 0.]), Tensor([0., 1., 0.])).tolist()
        [0.0, 0.0, 1.0]
    """
    _check("cross", "input", input)
    _check("cross", "other", other)
    shape = broadcast_batch(input.shape, other.shape)
    if shape is None:
        raise OpValueError(
            f"cross: the shapes {list(input.shape)} and {list(other.shape)} cannot be broadcast", arg="other"
        )
    if dim is None and 3 not in shape:
        raise OpValueError(
            f"cross needs an axis of length 3, but the tensors have the shape {list(shape)}", arg="input"
        )
    axis = shape.index(3) if dim is None else normalize_axis("cross", dim, len(shape), "dim")
    input, other = broadcast_to(input, shape), broadcast_to(other, shape)
    if not shape or shape[axis] != 3:
        raise OpValueError(f"cross: axis {axis} of the shape {list(shape)} does not have length 3", arg="dim")
    dtype = common_dtype(input, other)
    return cross_product(cast(input, dtype), cast(other, dtype), axis)
