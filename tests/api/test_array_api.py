"""`anfora.numpy` meets the array API standard: each function gives what `array_api_strict`, the standard's own
implementation, gives for the same call."""

from __future__ import annotations

import re

import numpy
import pytest

import anfora
from anfora import Tensor
from anfora import numpy as ours

strict = pytest.importorskip("array_api_strict")

random = numpy.random.default_rng(7)
ARRAYS = {
    "x": random.standard_normal((3, 4)).astype(numpy.float32),
    "y": random.uniform(0.5, 3.0, (3, 4)).astype(numpy.float32),
    "u": random.uniform(-0.9, 0.9, (3, 4)),
    "t": random.standard_normal((2, 3, 4)),
    "q": numpy.array([[numpy.nan, 1.0, -0.0], [numpy.inf, -numpy.inf, 0.0]], numpy.float32),
    "n": numpy.array([[6, -4, 9], [2, 3, -7]], numpy.int32),
    "m": numpy.array([[4, 6, 3], [5, 2, 2]], numpy.int32),
    "l": numpy.array([[5, 2, 5], [2, 1, 5]], numpy.int64),
    "k": numpy.array([[1, 2, 0], [3, 1, 2]], numpy.uint8),
    "h": numpy.array([100, 120, -3], numpy.int8),
    "i": numpy.array([2, 0, 1, 0], numpy.int64),
    "s": numpy.array([0.5, 1.0, 2.5, 4.0], numpy.float32),
    "b": numpy.array([[True, False, True], [False, False, True]]),
    "c": numpy.array([[True, True, False], [False, True, True]]),
    "z": (random.standard_normal((3, 4)) + 1j * random.standard_normal((3, 4))).astype(numpy.complex64),
    "w": random.standard_normal((3, 4)) + 1j * random.standard_normal((3, 4)),
    "e0": numpy.zeros((0, 3), numpy.float32),
}

#: Calls by two blanks or line; with ~ the element type is what numbers of Python become here: int32, uint32, float32.
CALLS = """
    ~xp.arange(5)  ~xp.arange(1, 9, 2)  ~xp.arange(0.0, 1.0, 0.25)  xp.arange(3, dtype=xp.int8)
    ~xp.asarray([[1, 2], [3, 4]])  ~xp.asarray(1.5)  xp.asarray([1, 2], dtype=xp.float64)  xp.asarray(x, copy=True)
    xp.asarray(True)  xp.empty((2, 3), dtype=xp.int16).shape  xp.empty_like(x).shape  ~xp.eye(3)  ~xp.eye(2, 4, k=1)
    xp.eye(3, dtype=xp.int8)  xp.from_dlpack(x)  ~xp.full((2, 2), 7)  xp.full((2,), 1.5, dtype=xp.float64)
    xp.full(3, True)  xp.full_like(n, 4)  xp.full_like(x, 2, dtype=xp.int64)  ~xp.linspace(0, 1, 5)
    ~xp.linspace(0.0, 1.0, num=4, endpoint=False)  xp.linspace(-1, 1, 3, dtype=xp.float64)
    list(xp.meshgrid(s, x[0, :]))  list(xp.meshgrid(i, i, indexing="ij"))  ~xp.ones((2, 1))  xp.ones(2, dtype=xp.uint16)
    xp.ones(2, dtype=xp.uint32)  xp.ones_like(n)  xp.ones_like(n, dtype=xp.float32)  xp.tril(x)  xp.tril(t, k=1)
    xp.triu(x, k=-1)  xp.triu(t)  ~xp.zeros(3)  xp.zeros((), dtype=xp.bool)  xp.zeros_like(b)

    xp.astype(x, xp.int32)  xp.astype(n, xp.float64)  xp.astype(n, xp.bool)  xp.astype(x, xp.float32, copy=False)
    list(xp.broadcast_arrays(x, s))  xp.broadcast_to(s, (2, 4))  xp.broadcast_shapes((2, 1), (3,), (1, 1))
    xp.can_cast(xp.int8, xp.int16)  xp.can_cast(xp.int16, xp.uint16)  xp.can_cast(x, xp.float64)
    xp.can_cast(xp.float64, xp.float32)  xp.can_cast(xp.uint8, xp.int16)  xp.can_cast(xp.uint64, xp.int64)
    xp.finfo(xp.float32).eps  xp.finfo(xp.float64).max  xp.finfo(x).smallest_normal  xp.finfo(xp.float32).min
    xp.finfo(t).bits  xp.iinfo(xp.int8).min  xp.iinfo(xp.uint64).max  xp.iinfo(n).bits
    xp.finfo(xp.float32).dtype == xp.float32  xp.isdtype(xp.int8, "integral")  xp.isdtype(xp.bool, "numeric")
    xp.isdtype(xp.float32, ("bool", xp.float32))  xp.isdtype(xp.float64, "real floating")
    xp.isdtype(xp.float64, "complex floating")  xp.isdtype(xp.complex64, "numeric")
    xp.isdtype(xp.complex128, "complex floating")  xp.isdtype(xp.uint8, "signed integer")
    xp.isdtype(xp.uint8, "unsigned integer")  xp.result_type(xp.int8, xp.uint8) == xp.int16
    xp.result_type(xp.float32, xp.float64) == xp.float64  xp.result_type(h, 1) == xp.int8
    xp.result_type(x, 1.5) == xp.float32  xp.result_type(k, n) == xp.int32

    xp.abs(x)  xp.abs(n)  xp.abs(k)  xp.acos(u)  xp.acosh(y + 1)  xp.add(x, y)  xp.add(n, 2)  xp.add(1.5, t)  xp.asin(u)
    xp.asinh(x)  xp.atan(x)  xp.atan2(x, y)  xp.atanh(u)  xp.bitwise_and(n, m)  xp.bitwise_and(b, c)
    xp.bitwise_left_shift(n, 2)  xp.bitwise_left_shift(k, k)  xp.bitwise_invert(n)  xp.bitwise_invert(b)
    xp.bitwise_or(n, m)  xp.bitwise_or(b, c)  xp.bitwise_right_shift(n, 1)  xp.bitwise_xor(n, m)  xp.bitwise_xor(b, c)
    xp.ceil(x)  xp.ceil(n)  xp.clip(x, -0.5, 0.5)  xp.clip(n, min=-1)  xp.clip(n, max=3)  xp.clip(x, min=-y, max=y)
    xp.copysign(x, -y)  xp.cos(x)  xp.cosh(t)  xp.divide(x, y)  xp.divide(x, 2)  xp.equal(n, m)  xp.equal(b, c)
    xp.equal(n, 3)  xp.exp(x)  xp.expm1(t)  xp.floor(x)  xp.floor(n)  xp.floor_divide(n, m)  xp.floor_divide(x, y)
    xp.floor_divide(k, 2)  xp.greater(x, y)  xp.greater(2, n)  xp.greater_equal(n, m)  xp.hypot(x, y)  xp.isfinite(q)
    xp.isfinite(n)  xp.isinf(q)  xp.isinf(n)  xp.isnan(q)  xp.isnan(n)  xp.less(x, y)  xp.less_equal(n, 3)  xp.log(y)
    xp.log1p(y)  xp.log2(y)  xp.log10(t * t)  xp.logaddexp(x, y)  xp.logical_and(b, c)  xp.logical_not(b)
    xp.logical_or(b, c)  xp.logical_xor(b, c)  xp.maximum(x, y)  xp.maximum(n, 0)  xp.minimum(n, m)  xp.minimum(x, 0.25)
    xp.multiply(x, y)  xp.multiply(h, h)  xp.negative(n)  xp.negative(x)  xp.nextafter(x, y)  xp.nextafter(q, x[:2, :3])
    xp.not_equal(n, m)  xp.not_equal(b, True)  xp.positive(x)  xp.pow(y, x)  xp.pow(y, 2)  xp.pow(m, 2)  xp.pow(2.0, x)
    xp.reciprocal(y)  xp.remainder(n, m)  xp.remainder(x, y)  xp.remainder(n, -4)  xp.round(x * 3)  xp.round(n)
    xp.sign(x)  xp.sign(n)  xp.sign(q)  xp.signbit(q)  xp.sin(x)  xp.sinh(x)  xp.square(x)  xp.square(n)  xp.sqrt(y)
    xp.subtract(n, m)  xp.subtract(x, 1)  xp.tan(x)  xp.tanh(t)  xp.trunc(x * 3)  xp.trunc(n)

    xp.take(x, i[:3], axis=0)  xp.take(s, i)  xp.take(t, i[:2], axis=-1)  xp.take(s, xp.asarray([-1, -4]))
    xp.take_along_axis(l, xp.asarray([[2, 0, 1], [1, 1, 0]]), axis=1)
    xp.take_along_axis(l, xp.asarray([[1, 0, 1]]), axis=0)  xp.take_along_axis(l, xp.asarray([[0], [2]]))
    xp.matmul(t, xp.matrix_transpose(t))  xp.matmul(n, xp.matrix_transpose(m))  xp.matmul(s, s)  xp.matmul(x, s)
    xp.matrix_transpose(t)  xp.tensordot(x, y, axes=((0, 1), (0, 1)))  xp.tensordot(t, xp.permute_dims(t, (1, 2, 0)))
    xp.tensordot(n, m, axes=0)  xp.vecdot(x, y)  xp.vecdot(x, y, axis=-2)  xp.vecdot(n, m)  xp.vecdot(x, s)

    xp.concat([x, y])  xp.concat((n, l), axis=1)  xp.concat([x, y], axis=None)  xp.concat([k, h[None, :]])
    xp.expand_dims(x, axis=0)  xp.expand_dims(x, axis=-1)  xp.flip(x)  xp.flip(t, axis=(0, 2))  xp.flip(s, axis=-1)
    xp.moveaxis(t, 0, -1)  xp.moveaxis(t, (0, 1), (1, 2))  xp.permute_dims(t, (2, 0, 1))  xp.repeat(x, 2)
    xp.repeat(x, 3, axis=1)  xp.repeat(n, xp.asarray([1, 2]), axis=0)  xp.reshape(x, (2, 6))  xp.reshape(t, shape=(-1,))
    xp.reshape(x, (4, 3), copy=True)  xp.roll(x, 2)  xp.roll(x, 1, axis=0)  xp.roll(t, (1, -1), axis=(0, 2))
    xp.squeeze(x[None, ...], axis=0)  xp.squeeze(x[None, :, None, :], axis=(0, 2))  xp.stack([x, y])
    xp.stack((n, m), axis=-1)  xp.tile(x, (2, 1))  xp.tile(s, (2, 2))  xp.tile(t, (2,))  list(xp.unstack(x))
    list(xp.unstack(t, axis=1))

    xp.argmax(x)  xp.argmax(n, axis=1)  xp.argmax(x, axis=0, keepdims=True)  xp.argmax(x, keepdims=True)  xp.argmin(x)
    xp.argmin(k, axis=0)  xp.argmin(x, axis=-1, keepdims=True)  xp.count_nonzero(n)  xp.count_nonzero(b, axis=1)
    xp.count_nonzero(k, axis=(0, 1), keepdims=True)  list(xp.nonzero(k))  list(xp.nonzero(s))  list(xp.nonzero(b))
    xp.searchsorted(s, y)  xp.searchsorted(s, s, side="right")
    xp.searchsorted(s[xp.asarray([1, 0, 2, 3])], y, sorter=xp.asarray([1, 0, 2, 3]))  xp.where(b, n, m)
    xp.where(b, n, 0)  xp.where(b, 1.5, q)  xp.where(b, n, l)  list(xp.unique_all(n))  list(xp.unique_all(l))
    list(xp.unique_counts(k))  list(xp.unique_inverse(l))  xp.unique_values(l)  list(xp.unique_all(q))
    xp.unique_values(b)  xp.unique_all(l).inverse_indices  xp.unique_counts(l).counts  xp.argsort(x)
    xp.argsort(l, axis=0)  xp.argsort(l, descending=True)  xp.argsort(l, axis=1, stable=True)  xp.sort(x)
    xp.sort(n, axis=0)  xp.sort(t, axis=1, descending=True)  xp.sort(k, stable=False)

    xp.cumulative_sum(s)  xp.cumulative_sum(x, axis=1)  ~xp.cumulative_sum(k, axis=0)
    ~xp.cumulative_sum(h, include_initial=True)  xp.cumulative_sum(l, axis=-1, dtype=xp.float64)  xp.cumulative_prod(s)
    xp.cumulative_prod(x, axis=0, include_initial=True)  ~xp.cumulative_prod(n, axis=1)  xp.max(x)  xp.max(n, axis=0)
    xp.max(t, axis=(0, 2), keepdims=True)  xp.mean(x)  xp.mean(t, axis=1)  xp.mean(x, axis=(0, 1), keepdims=True)
    xp.min(x)  xp.min(k, axis=1)  xp.prod(x)  ~xp.prod(n, axis=1)  ~xp.prod(k)  xp.prod(l)
    xp.prod(x, axis=0, keepdims=True)  xp.prod(k, dtype=xp.float64)  xp.std(x)  xp.std(t, axis=1)
    xp.std(x, correction=1, keepdims=True)  xp.std(x, axis=0, correction=0.5)  xp.sum(x)  ~xp.sum(h)  ~xp.sum(k, axis=0)
    ~xp.sum(n)  xp.sum(l)  xp.sum(t, axis=(0, 1))  xp.sum(x, axis=1, keepdims=True)  xp.sum(n, dtype=xp.float32)
    xp.sum(e0)  xp.sum(e0, axis=0)  xp.prod(e0, axis=0)  xp.var(x)  xp.var(t, axis=(0, 2))
    xp.var(x, axis=1, correction=1.0)

    xp.all(b)  xp.all(c, axis=0)  xp.all(n, axis=1, keepdims=True)  xp.any(b)  xp.any(b, axis=1)  xp.any(k, axis=(0, 1))
    xp.all(e0)  xp.any(e0, axis=0)  xp.diff(x)  xp.diff(n, axis=0)  xp.diff(t, n=2, axis=1)
    xp.diff(s, prepend=s[:1], append=s[:2])  xp.e  xp.inf  xp.nan  xp.pi  xp.newaxis

    ~xp.asarray(1j)  ~xp.asarray([1j, 2.0])  xp.asarray([1, 2], dtype=xp.complex64)  xp.astype(x, xp.complex128)
    xp.ones(2, dtype=xp.complex64)  xp.zeros_like(w)  xp.full((2,), 2j, dtype=xp.complex128)  xp.real(z)  xp.imag(w)
    xp.conj(z)  xp.abs(w)  xp.add(z, w)  xp.multiply(x, z)  xp.divide(w, z)  xp.subtract(w, 2)  xp.pow(w, 2.0)  xp.exp(w)
    xp.log(w)  xp.sqrt(w)  xp.square(z)  xp.sin(w)  xp.tanh(w)  xp.asinh(w)  xp.atanh(w)  xp.isfinite(z)  xp.isnan(z)
    xp.equal(z, z)  xp.not_equal(z, w)  xp.negative(z)  xp.positive(z)  xp.sign(w)  xp.reciprocal(w)  xp.expm1(w)
    xp.log1p(w)  xp.matmul(w, xp.matrix_transpose(w))  xp.vecdot(w, w)  xp.tensordot(w, w, axes=((0, 1), (0, 1)))
    xp.concat([w, w])
    xp.sum(w)  xp.sum(w, axis=1)  xp.prod(w, axis=0)  xp.mean(w, axis=0)  xp.cumulative_sum(w, axis=1)
    xp.where(x > 0, z, z)
    xp.cumulative_prod(w, axis=1)  xp.all(z)  xp.take(z, i[:2], axis=0)  xp.flip(w)
    xp.isdtype(xp.complex64, "real floating")
    xp.result_type(xp.complex64, xp.float64) == xp.complex128  xp.result_type(x, 1j) == xp.complex64
    xp.can_cast(xp.float32, xp.complex64)  xp.can_cast(xp.complex128, xp.complex64)  xp.finfo(xp.complex64).eps
    z + 1j  2 * w  1 / w  w ** 2  -z  z == z  w @ xp.matrix_transpose(w)  complex(z[0, 0])  z[1, ::2]  z[x > 0]

    x[1, ...]  x[:, ::2]  x[x > 0]  x[..., None]  t[1, :, xp.newaxis, -2:]  n[1, 2]  x.T  t.mT  x.shape  x.ndim  x.size
    x.dtype == xp.float32  x.to_device(x.device)  x.__array_namespace__() is xp  -x  +n  abs(n)  ~n  x + y  x - 1  2 * x
    x / y  n // m  n % m  y ** 2  x @ s  n & m  b | c  n ^ m  n << 1  n >> 1  x < y  x <= 0  x == x  n != m  x > y
    x >= y  3 - n  2 / y  7 // m  9 % m  2.0 ** x  1 << k  int(n[0, 0])  float(s[1])  bool(b[0, 0])
"""

#: What the standard names.
NAMES = """
    e inf nan newaxis pi arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like
    tril triu zeros zeros_like astype broadcast_arrays broadcast_to can_cast finfo iinfo isdtype result_type bool int8
    int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128 abs acos acosh add asin asinh atan
    atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil clip conj
    copysign cos cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf isnan
    less less_equal log log1p log2 log10 logaddexp logical_and logical_not logical_or logical_xor maximum minimum
    multiply negative nextafter not_equal positive pow real reciprocal remainder round sign signbit sin sinh square sqrt
    subtract tan tanh trunc take take_along_axis __array_namespace_info__ matmul matrix_transpose tensordot vecdot
    concat expand_dims flip moveaxis permute_dims repeat reshape roll squeeze stack tile unstack argmax argmin
    count_nonzero nonzero searchsorted where unique_all unique_counts unique_inverse unique_values argsort sort
    cumulative_prod cumulative_sum max mean min prod std sum var all any diff __array_api_version__
"""

#: Without a call above: the namespace about itself.
APART = {"__array_namespace_info__", "__array_api_version__"}

DEFAULTS = {"int64": "int32", "uint64": "uint32", "float64": "float32", "complex128": "complex64"}


def calls():
    for line in CALLS.splitlines():
        yield from (part.strip() for part in line.split("  ") if part.strip())


def evaluated(text, xp):
    return eval(text, {"xp": xp, **{name: xp.asarray(numpy.array(x)) for name, x in ARRAYS.items()}})


def leaves(tree):
    return [x for item in tree for x in leaves(item)] if isinstance(tree, (tuple, list)) else [tree]


@pytest.mark.parametrize("text", list(calls()))
def test_value_is_the_standards(text):
    by_default = text.startswith("~xp")
    text = text[1:] if by_default else text
    with numpy.errstate(all="ignore"):
        wanted = leaves(evaluated(text, strict))
    found = leaves(evaluated(text, ours))
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted):
        if not isinstance(other, strict._array_object.Array):
            assert not isinstance(one, Tensor) and (one == other or (one != one and other != other))
            continue
        value = numpy.asarray(other)
        kind = DEFAULTS.get(value.dtype.name, value.dtype.name) if by_default else value.dtype.name
        assert one.asnumpy().dtype.name == kind and one.shape == value.shape
        tight = {"float32": 2e-6, "float64": 1e-13, "complex64": 4e-6, "complex128": 1e-13}.get(kind, 0)
        numpy.testing.assert_allclose(one.asnumpy(), value, rtol=tight, atol=tight)


def test_every_name_is_there_and_compared():
    assert not [name for name in NAMES.split() if not hasattr(ours, name)]
    compared = set(re.findall(r"xp\.(\w+)", CALLS))
    assert set(NAMES.split()) - compared <= APART
    assert {name for name in strict.__all__ if not name.startswith("__")} - set(dir(ours)) <= {
        "Device", "ArrayAPIStrictFlags", "get_array_api_strict_flags", "reset_array_api_strict_flags",
        "set_array_api_strict_flags", "linalg", "fft",
    }  # fmt: skip


def test_what_a_library_may_choose():
    info = ours.__array_namespace_info__()
    x = Tensor([1.0])
    assert info.default_device() == x.device == "CPU" and info.devices() == [x.device]
    assert info.default_dtypes() == {
        "real floating": ours.float32, "complex floating": ours.complex64, "integral": ours.int32, "indexing": ours.int64,
    }  # fmt: skip
    assert ours.asarray(1).dtype is ours.int32 and ours.argmax(x).dtype is ours.int64
    assert info.capabilities()["boolean indexing"] and info.capabilities()["data-dependent shapes"]
    for kind in (None, "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating",
                 "numeric", ("bool", "integral")):  # fmt: skip
        assert set(info.dtypes(kind=kind)) == set(strict.__array_namespace_info__().dtypes(kind=kind))
    assert ours.__array_api_version__ == "2024.12" and x.__array_namespace__(api_version="2023.12") is ours


def test_real_numbers_are_complex_ones():
    x = Tensor([1.0, -2.0])
    assert ours.real(x).tolist() == ours.conj(x).tolist() == [1, -2] and ours.imag(x).tolist() == [0, 0]


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda x: ours.ones(2, device="GPU"), ValueError, "CPU"),
        (lambda x: x.to_device("GPU:0"), ValueError, "CPU"),
        (lambda x: x.__array_namespace__(api_version="1999.1"), ValueError, "2024.12"),
        (lambda x: ours.isdtype(x.dtype, "wide"), ValueError, "real floating"),
        (lambda x: ours.finfo(anfora.int8), TypeError, "Int8"),
        (lambda x: ours.iinfo(x), TypeError, "Float32"),
        (lambda x: ours.cumulative_sum(x), ValueError, "axis"),
        (lambda x: ours.nonzero(x[0, 0]), ValueError, "axis"),
        (lambda x: ours.vecdot(x, x[:, :1]), ValueError, "2 elements"),
        (lambda x: ours.asarray([1], copy=False), ValueError, "copy"),
        (lambda x: ours.asarray(x, dtype=anfora.int8, copy=False), ValueError, "copy"),
    ],
)
def test_what_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(Tensor([[1.0, 2.0], [3.0, 4.0]]))


def test_limits_of_bfloat16():
    limits = ours.finfo(anfora.bfloat16)
    assert Tensor(limits.max, anfora.bfloat16).item() == limits.max and limits.bits == 16
    assert Tensor(1 + limits.eps, anfora.bfloat16).item() == 1 + limits.eps
    assert Tensor(1 + limits.eps / 4, anfora.bfloat16).item() == 1


def standardised(x):
    """A function that is written for any library of the standard."""
    xp = x.__array_namespace__()
    y = (x - xp.mean(x, axis=0)) / (xp.std(x, axis=0, correction=1) + 1e-3)
    return xp.sum(xp.where(y > 0, y, xp.exp(y) - 1) * xp.cumulative_sum(y, axis=1))


def test_a_function_for_all_libraries_has_gradients_in_both_modes():
    x = ARRAYS["x"]
    value, gradient = anfora.value_and_grad(standardised)(Tensor(x))
    numpy.testing.assert_allclose(value.item(), float(standardised(strict.asarray(x))), rtol=1e-5)
    wide, step = x.astype(numpy.float64), 1e-5
    for at in numpy.ndindex(x.shape):
        ends = []
        for sign in (1, -1):
            moved = wide.copy()
            moved[at] += sign * step
            ends.append(float(standardised(strict.asarray(moved))))
        assert gradient[at].item() == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=1e-3, abs=1e-4)
    compiled = anfora.jit(anfora.value_and_grad(standardised))
    for _ in range(3):
        again = compiled(Tensor(x))
        assert again[0].tolist() == value.tolist() and again[1].tolist() == gradient.tolist()
