"""What operators that know real numbers do with complex ones; see `complexes.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from anfora.core.advice import losing_parts
from anfora.core.dtype import as_dtype
from anfora.core.errors import OpTypeError, no_complex
from anfora.core.op import Op
from anfora.core.tensor import Tensor
from anfora.ops.arithmetic import abs, sign
from anfora.ops.comparison import (
    equal,
    isclose,
    isfinite,
    less_equal,
    logical_and,
    logical_or,
    masked_fill,
    not_equal,
    where,
)
from anfora.ops.complexes import conjugate, direction, has_parts, imaginary_part, joined, real_part
from anfora.ops.copying import assemble, cast, copy, copy_to, place, write_back
from anfora.ops.creation import arange, eye, full, ones, zeros_like
from anfora.ops.diagonals import tril, triu
from anfora.ops.families import normalize_axes, normalize_axis
from anfora.ops.indexing import (
    count_set,
    drop_where,
    keep_where,
    positions_set,
    put_where,
    take_where,
    write_where,
)  # fmt: skip
from anfora.ops.joining import concat, flip, stack
from anfora.ops.linear import dense, matmul
from anfora.ops.mathematics import sqrt
from anfora.ops.padding import pad_constant
from anfora.ops.places import add_at, add_at_, last_at, pick, set_at, set_at_, sub_at, sub_at_, sum_at, take_at
from anfora.ops.reduction import all, any, count_nonzero, euclidean_norm, mean, moments, prod, reduce_sum
from anfora.ops.scan import cumprod, cumsum, shift
from anfora.ops.shape import moveaxis, reshape, squeeze, transpose

__all__: list[str] = []


# -- what moves elements ----------------------------------------------------------------------------------------------

for _made in (
    copy, copy_to, place, assemble, write_back, full,
    tril, triu, concat, stack, pad_constant, take_at, pick,
    last_at, set_at, set_at_, write_where, shift, put_where, take_where,
):  # fmt: skip
    _made.complex_rule = _made.keeps_parts = True
cast.complex_rule = True


@cast.advice
def _(input, *, dtype):
    return (
        losing_parts(input.dtype, dtype) if input.dtype.is_complex and not (dtype.is_complex or dtype.is_bool) else None
    )


def _without_imaginary(x: Tensor, dtype: Any) -> Tensor:
    """Complex numbers of which somebody wants a result of a real type: what `cast` says of it is said."""
    return cast(x, dtype if dtype.is_bool else x.dtype.part)


# -- sentences --------------------------------------------------------------------------------------------------------


def _by_parts(made: Op, *names: str) -> None:
    """What is linear with real coefficients in some arguments together: it is done to the parts."""

    @made.complex
    def rule(*arguments: Any, **attributes: Any) -> Tensor:
        given = dict(zip(made.tensors, arguments))
        _refuse_others(made, given, names)

        def of(take: Callable) -> Tensor:
            return made.call([take(x) if name in names else x for name, x in given.items()], attributes)

        return joined(of(_real_of), of(_imag_of))


def _refuse_others(made: Op, given: dict[str, Any], names: tuple[str, ...]) -> None:
    """Refuse complex numbers in arguments that have no parts: indices."""
    for name, value in given.items():
        for x in value if isinstance(value, (list, tuple)) else (value,):
            if name not in names and has_parts(x):
                raise no_complex(made.name, x.dtype, name)


def _real_of(x: Any) -> Any:
    return real_part(x) if has_parts(x) else x


def _imag_of(x: Any) -> Any:
    return imaginary_part(x) if has_parts(x) else zeros_like(x) if isinstance(x, Tensor) else 0.0


for _made, *_names in (
    (sum_at, "values"), (add_at, "input", "values"), (sub_at, "input", "values"),
    (mean, "x"),
):  # fmt: skip
    _by_parts(_made, *_names)


def _added_in_place(made: Op) -> None:
    """A sum that is written into the parts of its first argument, which are views."""

    @made.complex
    def rule(input: Tensor, indices: Any, values: Any, **attributes: Any) -> Tensor:
        _refuse_others(made, {"indices": indices}, ())
        if not input.dtype.is_complex:
            raise OpTypeError(
                f"{made.name} cannot write {values.dtype} into a tensor of {input.dtype}",
                arg="values",
                help=f"convert the tensor first, e.g. x = x.astype({values.dtype.name}).",
            )
        made(real_part(input), indices, _real_of(values), **attributes)
        if has_parts(values):
            made(imaginary_part(input), indices, imaginary_part(values), **attributes)
        return input


_added_in_place(add_at_)
_added_in_place(sub_at_)


def _summed(made: Op) -> None:
    """A sum that may be asked for in another type."""

    @made.complex
    def rule(x: Tensor, *arguments: Any, dtype: Any = None, **attributes: Any) -> Tensor:
        kind = None if dtype is None else as_dtype(dtype)
        if kind is not None and not kind.is_complex:
            return made(_without_imaginary(x, kind) if has_parts(x) else x, *arguments, dtype=kind, **attributes)
        if kind is not None and x.dtype is not kind:
            x = cast(x, kind)
        return joined(made(real_part(x), *arguments, **attributes), made(imaginary_part(x), *arguments, **attributes))


_summed(reduce_sum)
_summed(cumsum)


@prod.complex
def _(input, axis=None, keep_dims=False, dtype=None):
    """The halves of what is left are multiplied until one element is left."""
    x = input if dtype is None else cast(input, dtype)
    if not x.dtype.is_complex:
        return prod(x, axis, keep_dims)
    axes = normalize_axes("prod", axis, x.ndim)
    kept = tuple(n for i, n in enumerate(x.shape) if i not in axes)
    count = math.prod(x.shape[i] for i in axes)
    x = reshape(transpose(x, (*(i for i in range(x.ndim) if i not in axes), *axes)), (*kept, count))
    while count > 1:
        half = count // 2
        product = x[..., :half] * x[..., half : 2 * half]
        x = concat((product, x[..., 2 * half :]), -1) if count % 2 else product
        count = half + count % 2
    x = x if count else ones((*kept, 1), x.dtype)
    return reshape(x, tuple(1 if i in axes else n for i, n in enumerate(input.shape)) if keep_dims else kept)


@cumprod.complex
def _(input, dim, dtype=None, *, exclusive=False, reverse=False):
    """Products of runs of 1, 2, 4, … elements."""
    x = input if dtype is None else cast(input, dtype)
    axis = normalize_axis("cumprod", dim, x.ndim)
    if not x.dtype.is_complex or not x.ndim:
        return x if x.dtype.is_complex else cumprod(x, axis, exclusive=exclusive, reverse=reverse)
    x = moveaxis(x, axis, -1)
    x = flip(x, (-1,)) if reverse else x
    count = x.shape[-1]
    if exclusive and count:
        x = concat((ones((*x.shape[:-1], 1), x.dtype), x[..., :-1]), -1)
    step = 1
    while step < count:
        x = concat((x[..., :step], x[..., step:] * x[..., :-step]), -1)
        step *= 2
    return moveaxis(flip(x, (-1,)) if reverse else x, -1, axis)


def _product(made: Op) -> None:
    """A product of matrices: the four, or two, products of the parts."""

    @made.complex
    def rule(input: Tensor, other: Tensor, bias: Any = None, **attributes: Any) -> Tensor:
        a, b = ((_real_of(x), imaginary_part(x) if has_parts(x) else None) for x in (input, other))
        first = () if bias is None else (_real_of(bias),)
        second = () if bias is None or not has_parts(bias) else (imaginary_part(bias),)
        re = made(a[0], b[0], *first, **attributes)
        if a[1] is not None and b[1] is not None:
            re = re - made(a[1], b[1], **attributes)
        if a[1] is None and b[1] is None:
            im = zeros_like(re) if not second else zeros_like(re) + second[0]
        elif b[1] is None:
            im = made(a[1], b[0], *second, **attributes)
        else:
            im = made(a[0], b[1], *second, **attributes)
            im = im if a[1] is None else im + made(a[1], b[0], **attributes)
        return joined(re, im)


_product(matmul)
_product(dense)


@euclidean_norm.complex
def _(x, axis=(), keep_dims=False):
    return euclidean_norm(abs(x), axis, keep_dims)


@moments.complex
def _(input, axis, ddof, keep_dims, root):
    axes = normalize_axes("std" if root else "var", axis, input.ndim)
    center = mean(input, axes, True)
    gaps = input - center
    squares = real_part(gaps * conjugate(gaps))
    count = max(math.prod(input.shape[i] for i in axes) - ddof, 0)
    var = reduce_sum(squares, axes, keep_dims) / count
    kept = center if keep_dims else squeeze(center, axes) if axes else center
    return (sqrt(var) if root else var), kept


@eye.complex
def _(n, m=None, dtype=None):
    return cast(eye(n, m), dtype)


@arange.complex
def _(start=0, end=None, step=1, *, dtype):
    return cast(arange(start, end, step), dtype)


@sign.complex
def _(input):
    return direction(input)


@masked_fill.complex
def _(input_x, mask, value):
    return where(mask, value, input_x)


@isclose.complex
def _(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    size = abs(other)
    near = logical_and(less_equal(abs(input - other), size * rtol + atol), isfinite(size))
    near = logical_or(near, equal(input, other))
    return logical_or(near, logical_and(input != input, other != other)) if equal_nan else near


def _of_truths(made: Op) -> None:
    """What asks only whether elements are zero."""

    @made.complex
    def rule(x: Any, *arguments: Any, **attributes: Any) -> Tensor:
        return made(not_equal(x, 0), *arguments, **attributes)


for _made in (all, any, count_nonzero, count_set, positions_set):
    _of_truths(_made)


@keep_where.complex
def _(input, mask):
    return where(mask, input, zeros_like(input))


@drop_where.complex
def _(input, mask):
    return where(mask, zeros_like(input), input)
