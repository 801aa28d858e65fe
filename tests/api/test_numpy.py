"""`anfora.numpy`: the same expressions, evaluated with numpy and with ours, have the same values."""

from __future__ import annotations

import numpy
import pytest

import anfora
from anfora import Tensor
from anfora import numpy as ours
from anfora.core.errors import OpValueError

random = numpy.random.default_rng(4)
ARRAYS = {
    "x": random.standard_normal((3, 4)).astype(numpy.float32),
    "y": random.uniform(0.5, 3.0, (3, 4)).astype(numpy.float32),
    "v": random.standard_normal(5).astype(numpy.float32),
    "w": random.uniform(0.1, 1.0, 5).astype(numpy.float32),
    "s": numpy.array([0.5, 1.0, 2.5, 4.0], numpy.float32),
    "n": numpy.array([[6, -4, 9], [2, 3, -7]], numpy.int32),
    "m": numpy.array([[4, 6, 3], [5, 2, 2]], numpy.int32),
    "i": numpy.array([2, 0, 1], numpy.int32),
    "q": numpy.array([[numpy.nan, 1.0, 2.0], [4.0, numpy.nan, -3.0]], numpy.float32),
    "t": random.standard_normal((2, 3, 4)).astype(numpy.float32),
    "a": random.standard_normal((3, 3)).astype(numpy.float32),
    "b": numpy.array([[True, False, True], [False, False, True]]),
}

EXPRESSIONS = """
    np.add(x, y)  np.subtract(x, 2)  np.multiply(2, x)  np.divide(n, m)  np.true_divide(x, y)  np.power(y, 2)
    np.floor_divide(n, m)  np.mod(n, m)  np.remainder(x, y)  np.fmod(n, m)  np.float_power(y, 2)  np.gcd(n, m)  np.lcm(n, m)
    np.maximum(x, y)  np.minimum(x, 0)  np.hypot(x, y)  np.arctan2(x, y)  np.copysign(x, y)  np.logaddexp(x, y)
    np.heaviside(x, 0.5)  np.abs(x)  np.fabs(x)  np.negative(n)  np.positive(n)  np.sign(n)  np.square(x)  np.sqrt(y)
    np.cbrt(x)  np.exp(x)  np.exp2(x)  np.expm1(x)  np.log(y)  np.log2(y)  np.log10(y)  np.log1p(y)  np.sin(x)  np.tanh(x)
    np.deg2rad(x)  np.radians(x)  np.rad2deg(x)  np.ceil(x)  np.floor(x)  np.trunc(x)  np.rint(x)
    np.around(x, 1)  np.round(x)  np.reciprocal(y)  np.divmod(n, m)  np.clip(x, -0.5, 0.5)  np.clip(n, None, 3)
    np.equal(n, m)  np.less(x, y)  np.greater_equal(n, 3)  np.isnan(q)  np.isfinite(q)  np.signbit(x)  np.logical_not(b)
    np.logical_and(b, True)  np.isclose(x, x)  np.bitwise_and(n, m)  np.invert(n)

    np.linspace(-1, 1, 4, dtype=np.int32)  np.geomspace(1, np.nan, 3)
    np.arange(5)  np.arange(1, 9, 2)  np.linspace(0, 1, 5)  np.linspace(0, 1, 4, endpoint=False)  np.logspace(0, 2, 3)
    np.geomspace(1, 8, 4)  np.geomspace(-8, -1, 4)  np.geomspace([1, 2], 9, 3, axis=1)  np.logspace(0, 3, 4, base=2)
    np.logspace(0, 2, 3, base=np.array([2, 3]), axis=-1)  np.around(n * 100, -2)  np.linspace(0, 2, 3, retstep=True)
    np.full((2, 2), [1, 2])  np.full_like(n, 7)  np.ones_like(n)
    np.eye(3, 4, 1)  np.identity(2)  np.tri(3, 3, -1)  np.diag(v, 1)  np.diag(x, -1)  np.diagflat(v[:2], 1)
    np.tril_indices(3)  np.triu_indices(3, 1)  np.tril_indices_from(a)  np.triu_indices_from(a, 1)  np.diag_indices(3)
    list(np.indices((2, 3)))  np.ix_(i, i)  np.meshgrid(v, i)  np.meshgrid(v, i, indexing="ij")
    np.meshgrid(v, i, sparse=True)
    np.mgrid[0:3, 0:2]  np.ogrid[0:3, 0:2]  np.hanning(5)  np.hamming(4)  np.bartlett(5)  np.blackman(4)
    np.hanning(1)  np.bartlett(0)  np.copy(x)
    np.copy([1, 2])  np.zeros_like(x)
    np.vander(v, 3)  np.vander(v, 3, increasing=True)  np.array([[1, 2], [3, 4]])  np.asarray([1.5, 2])

    np.transpose(t)  np.transpose(t, (1, 0, 2))  np.swapaxes(t, 0, 2)  np.moveaxis(t, 0, -1)  np.rollaxis(t, 2)
    np.rollaxis(t, 0, 3)  np.reshape(t, (6, 4))  np.ravel(t)  np.expand_dims(x, 1)  np.squeeze(x[None], 0)  np.flip(t)
    np.flip(t, 1)  np.fliplr(x)  np.flipud(x)  np.rot90(x)  np.roll(x, 2)  np.roll(x, 1, 0)  np.tile(x, (2, 1))
    np.repeat(x, 2)  np.repeat(x, 2, 1)  np.repeat(x, [1, 2, 0], 0)  np.concatenate((x, y))  np.concatenate((n, x), None)
    np.stack((x, y), 1)  np.vstack((x, y))  np.hstack((x, y))  np.dstack((x, y))  np.column_stack((v, v))
    np.append(x, y)  np.append(x, y, 1)  np.split(x, 2, 1)  np.array_split(v, 2)  np.array_split(v, [1, 3])
    np.hsplit(x, 2)  np.vsplit(x, 3)  np.broadcast_to(i, (2, 3))  np.broadcast_arrays(x, v[:4])  np.atleast_2d(v)
    np.atleast_3d(x, v)  np.pad(x, 1)  np.pad(x, ((1, 0), (0, 2)), constant_values=3)  np.pad(x, 1, mode="edge")
    np.pad(x, ((0, 2), (1, 1)), mode="reflect")  np.pad(x, 1, mode="wrap")  np.size(x)  np.size(x, 1)

    np.take(x, i, 0)  np.take_along_axis(n, numpy_like(i, (1, 3)), 1)  np.where(b, n, m)  np.where(b)
    np.choose(i, [i, i + 5, i * 9])
    np.select([x > 1, x > 0], [x, y], -1)  np.piecewise(x, [x > 0], [lambda z: z * 2, lambda z: z - 1])
    np.searchsorted(s, v)  np.digitize(v, s)  np.digitize(v, s[::-1])  np.ravel_multi_index((i, i), (3, 4))
    np.unravel_index(i, (2, 2))  np.diagonal(a, 1)  np.argwhere(b)  np.tril(x)  np.triu(x, 1)

    np.sum(x)  np.sum(n, axis=1)  np.sum(x, 0, keepdims=True)  np.mean(n)  np.mean(x, 1)  np.std(x)  np.var(x, 0, ddof=1)
    np.average(x)  np.average(x, 1)  np.average(v, weights=w)  np.average(x, 1, weights=s, returned=True)  np.amax(x, 1)
    np.max(n)  np.min(x, 0, keepdims=True)  np.ptp(x)  np.ptp(x, 1)  np.argmax(x)  np.argmax(x, 1)  np.argmin(x, 0)
    np.count_nonzero(n)  np.count_nonzero(b, 1)  np.cumsum(x)  np.cumsum(n, 1)  np.cumprod(x, 0)  np.nancumsum(q, 1)
    np.nansum(q)  np.nanmax(q)  np.nanmin(q, 1)  np.nanmean(q, 0)  np.nanvar(q)  np.nanstd(q, 1)  np.diff(x)
    np.diff(n, 2, 1)
    np.ediff1d(x)  np.ediff1d(v, to_end=9, to_begin=[1, 2])  np.gradient(v)  np.gradient(x, 2.0)  np.gradient(x, axis=1)
    np.trapz(x)  np.trapz(x, dx=0.5, axis=0)  np.trace(a)  np.trace(a, 1)  np.unique(n)  np.unique(m, return_inverse=True)
    np.apply_along_axis(lambda z: z * 2 + z[0], 0, x)  np.apply_along_axis(lambda z: z.sum(), 1, t)
    np.apply_over_axes(np.sum, t, [0, 2])

    np.dot(x, s)  np.inner(x, y)  np.outer(v, s)  np.matmul(a, x)  np.kron(a, x)  np.cross(a, a + 1)  np.cross(a[0], a)
    np.tensordot(t, t, ([0, 1], [0, 1]))  np.correlate(v, s)  np.correlate(s, v, "full")  np.correlate(v, s, "same")
    np.convolve(v, s)  np.convolve(s, v, "valid")  np.convolve(v, s, "same")  np.cov(x)  np.cov(x, bias=True)
    np.cov(x, rowvar=False)  np.corrcoef(x)  np.interp(v, s, s * s)  np.interp(v, s, s * s, left=-1, right=9)
    np.unwrap(np.cumsum(v * 4))  np.polyadd(v, s)  np.polysub(s, v)  np.polymul(v, s)  np.polyval(v, s)  np.polyder(v)
    np.polyder(v, 2)  np.polyint(v)  np.polyint(v, 2, [1, 2])  np.histogram(x, 4)  np.histogram_bin_edges(x, 3)
    np.bincount(i)  np.isin(n, m)  np.in1d(n, m)  np.intersect1d(n, m)  np.setdiff1d(n, m)  np.array_equal(x, x)
    np.array_equiv(x, x[0])  np.isscalar(3)
"""


def expressions():
    """The calls of the text above, which two blanks or the end of a line separate."""
    for line in EXPRESSIONS.splitlines():
        yield from (part.strip() for part in line.split("  ") if part.strip())


OLDER = {"trapz": "trapezoid", "in1d": "isin"}  #: names that numpy 2 has under another one, and warns of until they go


def evaluated(text, module, arrays):
    for old, new in OLDER.items():
        if module is numpy and hasattr(numpy, new):
            text = text.replace(f"np.{old}(", f"np.{new}(")
    return eval(text, {"np": module, "numpy_like": lambda x, shape: x.reshape(shape), **arrays})


def leaves(tree):
    return [x for item in tree for x in leaves(item)] if isinstance(tree, (tuple, list)) else [tree]


@pytest.mark.parametrize("text", list(expressions()))
def test_value_is_numpys(text):
    wanted = leaves(evaluated(text, numpy, ARRAYS))
    found = leaves(evaluated(text, ours, {name: Tensor(x) for name, x in ARRAYS.items()}))
    if "in1d" in text:
        wanted = [x.reshape(-1) for x in wanted]
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted):
        if not isinstance(one, Tensor):
            assert one == other
            continue
        assert one.shape == numpy.shape(other) or "inverse" in text
        kinds = ["i" if kind == "u" else kind for kind in (one.asnumpy().dtype.kind, numpy.asarray(other).dtype.kind)]
        assert kinds[0] == kinds[1] or (kinds[0] == "f" and "histogram" in text)
        np_value = numpy.reshape(other, one.shape)
        numpy.testing.assert_allclose(one.asnumpy(), np_value, rtol=2e-5, atol=2e-5)


def test_numbers_become_int32_and_float32():
    assert ours.array([1, 2]).dtype is anfora.int32 and ours.asarray([1, 2.5]).dtype is anfora.float32
    assert ours.arange(3).dtype is anfora.int32 and ours.ones(2).dtype is anfora.float32
    assert ours.asarray(numpy.ones(2)).dtype is anfora.float64 and ours.add(1, 2).dtype is anfora.int32
    assert ours.result_type(ours.ones(2), anfora.float64, 1) is anfora.float64


def test_gradients_pass():
    x = Tensor([1.0, 2.0, 4.0])
    slopes = anfora.grad(lambda x: ours.average(ours.convolve(x, x)))(x)
    numpy.testing.assert_allclose(slopes.asnumpy(), [14 / 5 * 1.0] * 3, rtol=1e-6)


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: ours.randint(1.5), TypeError),
        (lambda: ours.randint(0), ValueError),
        (lambda: ours.randint(1, dtype="float32"), ValueError),
        (lambda: ours.rand(2, dtype=anfora.int32), ValueError),
        (lambda: ours.split(ours.ones(5), 2), ValueError),
        (lambda: ours.correlate(ours.ones((2, 2)), ours.ones(2)), ValueError),
        (lambda: ours.clip(ours.ones(2), lowest=3), TypeError),
        (lambda: ours.average(ours.ones((2, 2)), weights=ours.ones(2)), ValueError),
        (lambda: ours.no_such_name, AttributeError),
        (lambda: ours.polyint([1.0], 1 << 70), ValueError),
        (lambda: ours.indices((1 << 40, 1 << 20), 0.5), TypeError),  # before anything is made
    ],
)
def test_bad_calls(call, error):
    with pytest.raises(error):
        call()


def test_every_name_is_there():
    assert not [name for name in ours.__all__ if not hasattr(ours, name)]


def test_fix_rounds_towards_zero():  # numpy 2.5 warns of its own
    assert ours.fix(Tensor([-1.5, 1.5])).tolist() == [-1.0, 1.0]


@pytest.mark.parametrize("name", ["dot", "inner", "kron", "matmul", "isclose"])
def test_an_operand_that_is_missing_is_named(name):
    with pytest.raises(TypeError, match="other"):
        getattr(ours, name)([1.0, 2.0])


def test_derivatives_of_any_order_end():
    assert ours.polyder([1.0, 2.0, 3.0], 1 << 70).tolist() == []


def test_names_and_places_of_mindspores_numpy():
    x = Tensor([1.0, 2.0, 3.0])
    counts, edges = ours.histogram(x, 3, None, Tensor([1.0, 2.0, 3.0]), True)
    wanted, limits = numpy.histogram(x.asnumpy(), 3, None, density=True, weights=[1.0, 2.0, 3.0])
    numpy.testing.assert_allclose(counts.asnumpy(), wanted, rtol=1e-6)
    numpy.testing.assert_allclose(edges.asnumpy(), limits, rtol=1e-6)
    assert ours.clip(x, 1, 2, anfora.float64).dtype is anfora.float64 is ours.matmul(x, x, anfora.float64).dtype
    assert ours.vstack(tup=(x, x)).shape == (2, 3) and ours.hstack(tup=([1.0], x)).tolist() == [1.0, 1.0, 2.0, 3.0]
    assert ours.rot90(a=Tensor([[1, 2], [3, 4]])).tolist() == [[2, 4], [1, 3]]
    assert ours.pad(x, 1, "constant", None, 5).tolist() == [5.0, 1.0, 2.0, 3.0, 5.0]
    assert ours.array_equal(x, x).shape == () and bool(ours.array_equiv(x, [[1, 2, 3], [1, 2, 3]]))
    with pytest.raises(OpValueError, match="length 3"):
        ours.squeeze(x, 0)
    with pytest.raises(NotImplementedError, match="stat_length"):
        ours.pad(x, 1, "constant", 2)


@pytest.mark.parametrize("name", ours.fft.__all__)
def test_fourier_transforms(name):
    random = numpy.random.default_rng(1)
    x = random.standard_normal((4, 6))
    given = {
        "fftfreq": [((6, 0.5), {})], "rfftfreq": [((6, 0.5), {})], "fftshift": [((x,), {}), ((x,), {"axes": (1,)})],
    }  # fmt: skip
    given["ifftshift"] = given["fftshift"]
    one, several = (
        [((x,), {}), ((x, 5), {"axis": 0, "norm": "ortho"})],
        [((x,), {}), ((x,), {"s": (3, 4), "axes": (0, 1)})],
    )
    for args, kwargs in given.get(name, several if name[-1] in "2n" else one):
        if name.startswith(("hfft", "ihfft")) and name[-1] in "2n":
            continue  # which numpy lacks; tests of `ops` compare them with scipy
        expected = getattr(numpy.fft, name)(*args, **kwargs)
        numpy.testing.assert_allclose(
            getattr(ours.fft, name)(*args, **kwargs).asnumpy(), expected, rtol=1e-5, atol=1e-6
        )
