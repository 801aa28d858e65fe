"""Calculations by numpy's names: along axes, with vectors and polynomials, counts and sets."""

from __future__ import annotations

import builtins
import functools
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from anfora import ops
from anfora.core.dtype import DType, as_dtype, bool_, float32, int32, int64, uint8, uint32
from anfora.core.errors import OpTypeError, OpValueError, no_complex
from anfora.core.tensor import Tensor
from anfora.numpy.arrays import (
    arange,
    asarray,
    concatenate,
    flip,
    full_like,
    of_type,
    result_type,
    stack,
    tensors,
    zeros_like,
)
from anfora.ops.composite import with_doors

__all__ = [
    "amax", "amin", "apply_along_axis", "apply_over_axes", "around", "array_equal", "array_equiv", "average", "cbrt",
    "convolve", "corrcoef", "correlate", "count_nonzero", "cov", "cross", "cumprod", "cumsum", "divmod", "ediff1d",
    "gradient", "histogram", "histogram2d", "histogram_bin_edges", "histogramdd", "in1d", "interp", "intersect1d",
    "isin", "max", "mean", "min", "multi_dot", "nancumsum", "nanmax", "nanmean", "nanmin", "nanstd", "nansum",
    "nanvar", "outer", "polyadd", "polyder", "polyint", "polymul", "polysub", "polyval", "ptp", "round", "setdiff1d",
    "sometrue", "sum", "tensordot", "unique", "unwrap", "vander",
]  # fmt: skip

inf, nan, pi = math.inf, math.nan, math.pi


# -- along axes -------------------------------------------------------------------------------------------------------


def sum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None) -> Tensor:
    """The sum along axes, of all elements without any; without `dtype`, of integers narrower than int32 as int32 (uint32).

    Example:
        >>> sum([100, 100], dtype=None).dtype
        anfora.int32
    """
    a = asarray(a)
    total = ops.sum(a, axis, keepdims, dtype=summed_type(a.dtype) if dtype is None else as_dtype(dtype))
    return total if initial is None else total + initial


def _lifted(x: Any) -> Tensor:
    """A tensor of floating-point or complex numbers; integers become float32."""
    x = asarray(x)
    return x.astype(x.dtype.lifted)


def _of_type(x: Any, dtype: Any) -> Tensor:
    """A tensor of the type that is asked for; else of float32, or of the complex type that it has."""
    x = asarray(x)
    return x.astype(dtype or (x.dtype if x.dtype.is_complex else float32))


def summed_type(dtype: DType) -> DType:
    """The type of sums and products: narrow integers, and bools, are counted as what Python's integers become."""
    if dtype.is_float or dtype.bits >= 32:
        return dtype
    return uint32 if dtype.kind == "u" else int32


def mean(a: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Tensor:
    """The mean along axes, of all elements without any."""
    a = asarray(a)
    return of_type(ops.mean(a.astype(a.dtype.lifted), axis, keepdims), dtype)


def average(x: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """The mean along axes, with weights; if `returned`, their sum too."""
    x = _lifted(x)
    if weights is None:
        result = mean(x, axis)
        total = full_like(result, x.size / builtins.max(result.size, 1))
    else:
        weights = asarray(weights).astype(x.dtype)
        if weights.shape != x.shape:
            if not isinstance(axis, int) or weights.ndim != 1:
                raise OpValueError("average: weights of another shape are those of one axis", arg="weights")
            weights = weights.reshape(*(-1 if i == axis % x.ndim else 1 for i in range(x.ndim)))
        total = sum(ops.broadcast_to(weights, x.shape), axis)
        result = sum(x * weights, axis) / total
    return (result, total) if returned else result


def _extreme(name: str, alone: str) -> Callable:
    find = getattr(ops, f"a{name}")

    def function(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True) -> Tensor:
        return find(asarray(a), axis, keepdims, initial=initial, where=None if where is True else where)

    function.__doc__ = f"The {alone} elements along axes, of all without any."
    return function


max = amax = _extreme("max", "largest")
min = amin = _extreme("min", "smallest")


def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The largest less the smallest element along axes."""
    return amax(x, axis, keepdims) - amin(x, axis, keepdims)


def count_nonzero(x: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """How many elements are not zero, along axes, int64."""
    return ops.count_nonzero(asarray(x), () if axis is None else axis, keepdims, int64)


def sometrue(a: Any, axis: Any = None, keepdims: bool = False) -> Tensor:
    """Whether any element along axes is not zero."""
    return ops.any(asarray(a) != 0, axis, keepdims)


def _running(name: str) -> Callable:
    scan = getattr(ops, name)

    def function(a: Any, axis: int | None = None, dtype: Any = None) -> Tensor:
        a = asarray(a)
        a = a.astype(int32) if a.dtype is bool_ else a
        return of_type(scan(a.reshape(-1), 0) if axis is None else scan(a, axis), dtype)

    function.__doc__ = f"numpy's `{name}`, which is `ops.{name}`; of the flat tensor without an axis."
    return function


cumsum, cumprod = _running("cumsum"), _running("cumprod")


def nancumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Tensor:
    """`cumsum` in which NaN counts as zero."""
    return cumsum(_filled(a, 0), axis, dtype)


def _filled(a: Any, value: Any) -> Tensor:
    """A tensor with a value in the place of NaN."""
    a = asarray(a)
    return ops.where(ops.isnan(a), value, a) if a.dtype.is_inexact else a


def nansum(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """`sum` in which NaN counts as zero."""
    return sum(_filled(a, 0), axis, dtype, keepdims)


def nanmax(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The largest element along axes that is not NaN; NaN where all are."""
    return of_type(_without_nan(a, amax(_filled(a, -inf), axis, keepdims), axis, keepdims), dtype)


def nanmin(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The smallest element along axes that is not NaN; NaN where all are."""
    return of_type(_without_nan(a, amin(_filled(a, inf), axis, keepdims), axis, keepdims), dtype)


def _without_nan(a: Any, result: Tensor, axis: Any, keepdims: bool) -> Tensor:
    a = asarray(a)
    return ops.where(ops.all(ops.isnan(a), axis, keepdims), nan, result) if a.dtype.is_inexact else result


def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    """The mean along axes of what is not NaN."""
    return of_type(ops.nanmean(asarray(a), axis, keepdims), dtype)


def nanvar(a: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The variance along axes of what is not NaN."""
    a = _lifted(a)
    gaps = _filled(a - ops.nanmean(a, axis, True), 0)
    count = sum(ops.logical_not(ops.isnan(a)).astype(a.dtype), axis, keepdims=keepdims)
    return of_type(sum(gaps * gaps, axis, keepdims=keepdims) / (count - ddof), dtype)


def nanstd(a: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
    """The standard deviation along axes of what is not NaN."""
    return ops.sqrt(nanvar(a, axis, dtype, ddof, keepdims))


def unique(x: Any, return_inverse: bool = False) -> Any:
    """The different elements in order; if asked for, also which of them each element is.

    Example:
        >>> unique([3, 1, 3]).tolist()
        [1, 3]
    """
    values, order = ops.sort(asarray(x).reshape(-1))
    different, numbers = ops.unique_consecutive(values, True)
    if not return_inverse:
        return different
    return different, ops.tensor_scatter_elements(ops.zeros_like(numbers), order, numbers)


def apply_along_axis(func1d: Callable, axis: int, arr: Any, *args: Any, **kwargs: Any) -> Tensor:
    """A function of vectors, for each that lies along an axis."""
    arr = asarray(arr)
    moved = ops.moveaxis(arr, axis, -1)
    rows = [asarray(func1d(row, *args, **kwargs)) for row in moved.reshape(-1, moved.shape[-1])]
    made = stack(rows).reshape(*moved.shape[:-1], *rows[0].shape)
    at = axis % arr.ndim
    order = [*range(at), *range(arr.ndim - 1, made.ndim), *range(at, arr.ndim - 1)]
    return ops.transpose(made, tuple(order)) if made.ndim else made


def apply_over_axes(func: Callable, a: Any, axes: Any) -> Tensor:
    """A function of a tensor and an axis, for each axis in turn; lost axes come back with length 1."""
    a = asarray(a)
    for axis in (axes,) if isinstance(axes, int) else axes:
        made = func(a, axis)
        a = made if made.ndim == a.ndim else ops.expand_dims(made, axis % a.ndim)
    return a


# -- arithmetic -------------------------------------------------------------------------------------------------------


def around(a: Any, decimals: int = 0) -> Tensor:
    """Numbers rounded to decimals, halves to the even one; of complex ones both parts."""
    a = asarray(a)
    if a.dtype.is_complex:
        return ops.complex(around(a.real(), decimals), around(a.imag(), decimals))
    return a if a.dtype.is_bool else ops.round(a, decimals)


round = around


def divmod(x1: Any, x2: Any, dtype: Any = None) -> tuple[Tensor, Tensor]:
    """Quotient, rounded down, and remainder."""
    one, other = tensors(x1), tensors(x2)
    return of_type(ops.floor_divide(one, other), dtype), of_type(ops.remainder(one, other), dtype)


def cbrt(x: Any, dtype: Any = None) -> Tensor:
    """The cube root of real numbers."""
    x = _lifted(x)
    if x.dtype.is_complex:
        raise no_complex("cbrt", x.dtype, "x")
    return of_type(ops.sign(x) * ops.abs(x) ** (1 / 3), dtype)


def outer(a: Any, b: Any) -> Tensor:
    """The products of all elements of one tensor with all of another."""
    a, b = asarray(a), asarray(b)
    return a.reshape(-1, 1) * b.reshape(1, -1)


def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Tensor:
    """Vector products; of vectors of length 2, the third number alone."""
    axisa, axisb, axisc = (axis,) * 3 if axis is not None else (axisa, axisb, axisc)
    a, b = ops.moveaxis(asarray(a), axisa, -1), ops.moveaxis(asarray(b), axisb, -1)
    parts = [[x[..., i] if i < x.shape[-1] else zeros_like(x[..., 0]) for i in range(3)] for x in (a, b)]
    (ax, ay, az), (bx, by, bz) = parts
    if a.shape[-1] == b.shape[-1] == 2:
        return ax * by - ay * bx
    return ops.moveaxis(stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], -1), -1, axisc)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Tensor:
    """The sum of products over some axes of both; see `ops.tensor_dot`."""
    return ops.tensor_dot(asarray(a), asarray(b), axes)


def multi_dot(arrays: Sequence[Any]) -> Tensor:
    """The product of matrices, from the first to the last."""
    return functools.reduce(ops.matmul, map(asarray, arrays))


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of the elements, in columns; falling ones unless `increasing`."""
    made = ops.vander(asarray(x), N)
    return flip(made, 1) if increasing else made


def cov(
    m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: int | None = None,
    fweights: Any = None, aweights: Any = None, dtype: Any = None,
) -> Tensor:  # fmt: skip
    """The covariances of variables, which are rows."""
    m = _of_type(m, dtype)
    m = m if rowvar or m.ndim < 2 else m.swapaxes(0, 1)
    if y is not None:
        y = _of_type(y, dtype)
        y = y if rowvar or y.ndim < 2 else y.swapaxes(0, 1)
        m = concatenate((m.reshape(-1, m.shape[-1]), y.reshape(-1, y.shape[-1])))
    correction = ddof if ddof is not None else 0 if bias else 1
    weights = {k: asarray(v) for k, v in (("fweights", fweights), ("aweights", aweights)) if v is not None}
    return ops.cov(m, correction=correction, **weights)


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, dtype: Any = None) -> Tensor:
    """The correlations of variables, which are rows."""
    c = cov(x, y, rowvar, dtype=dtype)
    if not c.ndim:
        return c / c
    deviations = ops.sqrt(ops.real(ops.diagonal(c)))
    return c / outer(deviations, deviations)


def correlate(a: Any, v: Any, mode: str = "valid") -> Tensor:
    """The sums of products of two vectors, one moved along the other."""
    a, v = asarray(a), asarray(v)
    if a.ndim != 1 or v.ndim != 1 or not a.size or not v.size:
        raise OpValueError(f"correlate needs vectors that are not empty, but got {a.shape} and {v.shape}", arg="a")
    if mode not in ("valid", "same", "full"):
        raise OpValueError(f'correlate: `mode` must be "valid", "same" or "full", but got {mode!r}', arg="mode")
    kind = result_type(a, v, float32)
    turned = a.size < v.size
    a, v = (v, a) if turned else (a, v)
    before = {"valid": 0, "same": v.size // 2, "full": v.size - 1}[mode]
    after = {"valid": 0, "same": v.size - 1 - v.size // 2, "full": v.size - 1}[mode]
    if turned:
        before, after = after, before
    wide = ops.pad(a.astype(kind).reshape(1, 1, -1), (before, after))
    found = ops.conv1d(wide, v.astype(kind).reshape(1, 1, -1)).reshape(-1)
    return flip(found) if turned else found


def convolve(a: Any, v: Any, mode: str = "full") -> Tensor:
    """The coefficients of the product of two polynomials."""
    a, v = asarray(a), asarray(v)
    a, v = (v, a) if a.size < v.size else (a, v)
    return correlate(a, flip(v), mode)


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Tensor:
    """The differences of neighbours in the flat tensor, between what is given."""
    flat = asarray(ary).reshape(-1)
    ends = [asarray(x).reshape(-1) for x in (to_begin, to_end) if x is not None]
    if not flat.dtype.is_complex and builtins.any(x.dtype.is_complex for x in ends):
        raise OpTypeError(f"ediff1d: complex ends do not fit differences of {flat.dtype}", arg="to_end")
    ends = [x.astype(flat.dtype) for x in ends]
    parts = [flat[1:] - flat[:-1]]
    parts = [*ends[:1], *parts] if to_begin is not None else parts
    return concatenate([*parts, ends[-1]] if to_end is not None else parts)


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Slopes along axes: half the difference of both neighbours, at the ends the difference to one.

    Args:
        varargs: the distance of neighbours, for all axes or one an axis.
        edge_order: only 1.
    """
    f = _lifted(f)
    if edge_order != 1:
        raise NotImplementedError("gradient with edge_order=2")
    axes = range(f.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    steps = list(varargs) * len(list(axes)) if len(varargs) == 1 else list(varargs) or [1] * len(list(axes))
    found = []
    for at, step in zip(axes, steps):
        x = ops.moveaxis(f, at, 0)
        inner = (x[2:] - x[:-2]) / (2 * step)
        slopes = ops.concat([(x[1:2] - x[:1]) / step, inner, (x[-1:] - x[-2:-1]) / step], 0)
        found.append(ops.moveaxis(slopes, 0, at))
    return found[0] if len(found) == 1 else found


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> Tensor:
    """The value at x of the line through points."""
    x, xp, fp = (_of_type(v, None) for v in (x, xp, fp))
    at = ops.searchsorted(xp, x, right=True).clip(1, builtins.max(xp.size - 1, 1))
    low, high = ops.gather(xp, at - 1, 0), ops.gather(xp, at, 0)
    one, other = ops.gather(fp, at - 1, 0), ops.gather(fp, at, 0)
    value = one + (other - one) * ((x - low) / (high - low)).clip(0, 1)
    value = value if left is None else ops.where(x < xp[0], left, value)
    return value if right is None else ops.where(x > xp[-1], right, value)


def unwrap(p: Any, discont: float = pi, axis: int = -1) -> Tensor:
    """Angles without jumps of more than `discont`, by whole turns."""
    p = ops.moveaxis(_lifted(p), axis, -1)
    steps = p[..., 1:] - p[..., :-1]
    short = ops.remainder(steps + pi, 2 * pi) - pi
    short = ops.where(ops.logical_and(short == -pi, steps > 0), pi, short)
    turns = ops.where(ops.abs(steps) < discont, 0.0, short - steps)
    return ops.moveaxis(ops.concat([p[..., :1], p[..., 1:] + ops.cumsum(turns, -1)], -1), -1, axis)


# -- polynomials ------------------------------------------------------------------------------------------------------


def _as_long(a1: Any, a2: Any) -> tuple[Tensor, Tensor]:
    """Two polynomials with as many coefficients."""
    a1, a2 = asarray(a1), asarray(a2)
    n = builtins.max(a1.size, a2.size)
    return ops.pad(a1, (n - a1.size, 0)), ops.pad(a2, (n - a2.size, 0))


def polyadd(a1: Any, a2: Any) -> Tensor:
    """The sum of polynomials, whose coefficients begin with the highest power."""
    one, other = _as_long(a1, a2)
    return one + other


def polysub(a1: Any, a2: Any) -> Tensor:
    """The difference of polynomials."""
    one, other = _as_long(a1, a2)
    return one - other


def polymul(a1: Any, a2: Any) -> Tensor:
    """The product of polynomials."""
    return convolve(a1, a2)


def polyval(p: Any, x: Any) -> Tensor:
    """The value of a polynomial."""
    p, x = asarray(p), asarray(x)
    value = zeros_like(x)
    for i in range(p.size):
        value = value * x + p[i]
    return value


def polyder(p: Any, m: int = 1) -> Tensor:
    """The derivative of a polynomial, m times."""
    p = asarray(p)
    for _ in range(builtins.min(m, p.size)):  # then nothing is left
        p = p[:-1] * arange(p.size - 1, 0, -1)
    return p


def polyint(p: Any, m: int = 1, k: Any = None) -> Tensor:
    """The integral of a polynomial, m times, at most 1,000, with the constants k."""
    if m > 1000:  # numpy's own ends in a RecursionError then
        raise OpValueError(f"polyint integrates at most 1,000 times, but `m` is {m}", arg="m")
    p = asarray(p)
    constants = asarray(0 if k is None else k).reshape(-1)
    for i in range(m):
        constant = constants[i : i + 1] if constants.size > 1 else constants
        p = concatenate((p / arange(p.size, 0, -1), _of_type(constant, None)))
    return p


# -- histograms and sets ----------------------------------------------------------------------------------------------


def _counted(name: str) -> Callable:
    there = inspect.signature(getattr(numpy, name))
    order = list(there.parameters)
    if "density" in order:  # MindSpore has weights before it
        order = [*(key for key in order if key not in ("weights", "density")), "weights", "density"]

    def function(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = told.bind(*args, **kwargs)
        except TypeError as error:
            raise OpTypeError(f"{name}: {error}") from None
        args, kwargs = (), dict(bound.arguments)

        def plain(x: Any) -> Any:
            if isinstance(x, (tuple, list)):
                return type(x)(map(plain, x))
            if isinstance(x, Tensor) and x.dtype.is_complex:
                raise no_complex(name, x.dtype, order[0])
            if isinstance(x, Tensor):
                return (x.astype(uint8) if x.dtype is bool_ else x).asnumpy()
            return x

        made = getattr(numpy, name)(*map(plain, args), **{key: plain(value) for key, value in kwargs.items()})
        return _float_tensors(made)

    told = inspect.Signature(
        [there.parameters[key].replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD) for key in order]
    )
    function.__doc__ = f"numpy's `{name}`, float32; there is no gradient. After `range` come `weights`, then `density`."
    function.__signature__ = told  # type: ignore[attr-defined]
    return function


def _float_tensors(made: Any) -> Any:
    if isinstance(made, (tuple, list)):
        return type(made)(map(_float_tensors, made))
    return asarray(made, float32)


histogram, histogram2d, histogramdd, histogram_bin_edges = map(
    _counted, ("histogram", "histogram2d", "histogramdd", "histogram_bin_edges")
)


def isin(element: Any, test_elements: Any, invert: bool = False) -> Tensor:
    """Whether elements are among others."""
    return ops.isin(asarray(element), asarray(test_elements), invert=invert)


def in1d(ar1: Any, ar2: Any, invert: bool = False) -> Tensor:
    """Whether the elements of the flat tensor are among others."""
    return isin(asarray(ar1).reshape(-1), ar2, invert)


def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False, return_indices: bool = False) -> Any:
    """What two tensors have in common, in order; if asked for, where it stands first in both."""
    intersect: Any = numpy.intersect1d
    found = intersect(asarray(ar1).asnumpy(), asarray(ar2).asnumpy(), assume_unique, return_indices)
    return tuple(map(asarray, found)) if return_indices else asarray(found)


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Tensor:
    """The elements that another tensor has not, in order."""
    ar1 = asarray(ar1).reshape(-1)
    ar1 = ar1 if assume_unique else unique(ar1)
    return ar1[in1d(ar1, ar2, True)]


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Tensor:
    """Whether shapes and all elements are equal, a bool tensor ()."""
    return asarray(numpy.array_equal(asarray(a1).asnumpy(), asarray(a2).asnumpy(), equal_nan=equal_nan))


def array_equiv(a1: Any, a2: Any) -> Tensor:
    """Whether all elements are equal after broadcasting, a bool tensor ()."""
    return asarray(bool(numpy.array_equiv(asarray(a1).asnumpy(), asarray(a2).asnumpy())))


globals().update(with_doors(globals(), __all__))
