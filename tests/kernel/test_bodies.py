"""How exact the scalar bodies are: errors in units of the last place, measured on numbers of every size."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from anfora import Tensor, ops

_random = np.random.default_rng(5)


def everything(count: int = 40_000) -> np.ndarray:
    """float32 of every size: random bits, denormals among them, and the ends of the range; no NaN."""
    bits = _random.integers(0, 2**32, count, dtype=np.uint32).view(np.float32)
    ends = np.float32(
        [0.0, 1.0, 0.5, 2.0, np.inf, 3.4028235e38, 1.1754944e-38, 1e-45, 1e-40, 88.72284, 104.0, 0.99999994]
    )
    numbers = np.concatenate([bits, ends, -ends])
    return numbers[~np.isnan(numbers)]


def between(low: float, high: float, count: int = 40_000) -> np.ndarray:
    return _random.uniform(low, high, count).astype(np.float32)


def ulps(value: np.ndarray, exact: np.ndarray) -> float:
    """The largest distance of a result from the exact one, in units of the last place of the exact one's float32."""
    with np.errstate(over="ignore"):
        nearest = exact.astype(value.dtype)
    same = (value == nearest) | (np.isnan(value) & np.isnan(nearest))
    finite = np.isfinite(value) & np.isfinite(nearest)
    assert np.all(same | finite), "an infinity or NaN is misplaced"
    signs = ~np.isnan(nearest) & (np.signbit(value) != np.signbit(nearest))
    assert not signs.any(), "a sign is wrong"
    with np.errstate(over="ignore"):
        unit = np.spacing(np.abs(nearest[finite]))  # of the largest number it is infinite
    return float((np.abs(value[finite] - exact[finite]) / unit).max())


def exact_sinc(x):
    """sin(pi x) / (pi x) with the angle reduced before it is multiplied by pi; whole numbers give 0."""
    n = np.rint(x)
    sine = np.sin((x - n) * np.pi) * np.where(n % 2 == 0, 1.0, -1.0)
    return np.where(x == 0, 1.0, sine / (np.pi * x) + 0.0)


def infinite_at_ends(x, y):
    """y, but infinite for large |x|, where scipy has NaN."""
    return np.where(np.abs(x) > 700, np.inf, y)


def exact_bessel_i1e(x):
    """scipy's, with signed zeros, also at the infinities."""
    return np.copysign(np.where(np.isinf(x), 0.0, special.i1e(x)), x)


EVERYTHING = everything()
UNARY = {
    "exp": (ops.exp, np.exp, [between(-105, 90)], 1.0),
    "exp2": (ops.exp2, np.exp2, [between(-152, 130)], 0.9),
    "expm1": (ops.expm1, np.expm1, [between(-20, 90), between(-1, 1)], 1.5),
    "log": (ops.log, np.log, [between(0, 3), between(0.9, 1.1)], 0.9),
    "log1p": (ops.log1p, np.log1p, [between(-1, 3), between(-0.1, 0.1)], 1.5),
    "log2": (ops.log2, np.log2, [between(0, 3), between(0.9, 1.1)], 0.51),
    "log10": (ops.log10, np.log10, [between(0, 3), between(0.9, 1.1)], 0.51),
    "tanh": (ops.tanh, np.tanh, [between(-9, 9), between(-1, 1)], 1.4),
    "sigmoid": (ops.sigmoid, special.expit, [between(-105, 30)], 2.5),
    "sin": (ops.sin, np.sin, [between(-100, 100)], 0.51),
    "cos": (ops.cos, np.cos, [between(-100, 100)], 0.51),
    "tan": (ops.tan, np.tan, [between(-100, 100)], 0.51),
    "sinc": (ops.sinc, exact_sinc, [between(-20, 20)], 0.51),
    "asin": (ops.asin, np.arcsin, [between(-1, 1)], 0.51),
    "acos": (ops.acos, np.arccos, [between(-1, 1)], 0.51),
    "atan": (ops.atan, np.arctan, [between(-9, 9)], 0.51),
    "sinh": (ops.sinh, np.sinh, [between(-90, 90), between(-1, 1)], 0.51),
    "cosh": (ops.cosh, np.cosh, [between(-90, 90), between(-1, 1)], 0.51),
    "asinh": (ops.asinh, np.arcsinh, [between(-9, 9), between(-0.01, 0.01)], 0.51),
    "acosh": (ops.acosh, np.arccosh, [between(1, 9), between(1, 1.01)], 0.51),
    "atanh": (ops.atanh, np.arctanh, [between(-1, 1), between(-0.01, 0.01)], 0.51),
    "erf": (ops.erf, special.erf, [between(-5, 5)], 1.1),
    "erfc": (ops.erfc, special.erfc, [between(-5, 11)], 0.51),
    "erfinv": (ops.erfinv, lambda x: np.copysign(special.erfinv(x), x), [between(-1, 1)], 0.51),
    "lgamma": (ops.lgamma, lambda x: np.where(x == -np.inf, np.inf, special.gammaln(x)), [between(-9, 30)], 0.51),
    "digamma": (ops.digamma, special.digamma, [between(-9, 30)], 0.51),
    "bessel_i0": (ops.bessel_i0, lambda x: infinite_at_ends(x, special.iv(0, x)), [between(-25, 25)], 0.51),
    "bessel_i1e": (ops.bessel_i1e, exact_bessel_i1e, [between(-25, 25)], 0.51),
    "rsqrt": (ops.rsqrt, lambda x: 1 / np.sqrt(x), [between(0, 9)], 1.5),
}


@pytest.mark.parametrize("name", UNARY)
def test_float32_is_as_exact_as_it_says(name):
    function, exact, ranges, limit = UNARY[name]
    for x in (EVERYTHING, *ranges):
        with np.errstate(all="ignore"):
            expected = exact(x.astype(np.float64))
        error = ulps(function(Tensor(x)).asnumpy(), expected)
        assert error <= limit


def pairs(count: int = 40_000) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays of numbers of every size, then of like size, then all pairs of special ones."""
    numbers, near = everything(count), between(-9, 9, count)
    special_numbers = np.float32([0.0, -0.0, 1.0, -1.0, 2.0, -3.0, 0.5, -2.5, np.inf, -np.inf, np.nan, 1e-40, 3e38])
    a, b = (m.ravel() for m in np.meshgrid(special_numbers, special_numbers))
    shuffled = _random.permutation(numbers), _random.permutation(near)
    return np.concatenate([numbers, near, a]), np.concatenate([*shuffled, b])


PAIRS = pairs()
BINARY = {
    "pow": (ops.pow, np.float_power, 0.51),
    "atan2": (ops.atan2, np.arctan2, 0.51),
    "hypot": (ops.hypot, np.hypot, 0.51),
    "fmod": (ops.fmod, np.fmod, 0.0),
    "remainder": (ops.remainder, np.remainder, 0.5),
    "floor_div": (ops.floor_div, np.floor_divide, 0.51),
}


@pytest.mark.parametrize("name", BINARY)
def test_two_arguments_of_float32(name):
    function, exact, limit = BINARY[name]
    x, y = PAIRS
    with np.errstate(all="ignore"):
        expected = exact(x.astype(np.float64), y.astype(np.float64))
    error = ulps(function(Tensor(x), Tensor(y)).asnumpy(), expected)
    assert error <= limit


def test_float64_is_as_exact_as_the_c_library():
    x = np.concatenate(
        [_random.uniform(-700, 700, 20_000), _random.uniform(-1, 1, 20_000), np.exp(_random.uniform(-700, 700, 9_000))]
    )
    for function, exact in [
        (ops.exp, np.exp),
        (ops.expm1, np.expm1),
        (ops.log, np.log),
        (ops.log1p, np.log1p),
        (ops.tanh, np.tanh),
    ]:
        with np.errstate(all="ignore"):
            expected = exact(x.astype(np.longdouble))
            np.testing.assert_allclose(function(Tensor(x)).asnumpy(), expected.astype(np.float64), rtol=5e-16)


def test_functions_of_their_own_in_float64():
    x = np.concatenate([_random.uniform(-9, 30, 5_000), [1e10, 1e300]])
    np.testing.assert_allclose(ops.digamma(Tensor(x)).asnumpy(), special.digamma(x), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(ops.polygamma(2, Tensor(x)).asnumpy(), special.polygamma(2, x), rtol=1e-11)
    y = _random.uniform(-1, 1, 5_000)
    np.testing.assert_allclose(ops.erfinv(Tensor(y)).asnumpy(), special.erfinv(y), rtol=2e-15)


def test_nextafter_is_the_neighbour():
    x, y = PAIRS
    np.testing.assert_array_equal(ops.nextafter(Tensor(x), Tensor(y)).asnumpy(), np.nextafter(x, y))
    x, y = x.astype(np.float64), y.astype(np.float64)
    np.testing.assert_array_equal(ops.nextafter(Tensor(x), Tensor(y)).asnumpy(), np.nextafter(x, y))


@pytest.mark.parametrize("start", [1.0, 2.0])
def test_a_power_of_a_half_is_the_square_root(start):
    """For each float32 of two neighbouring powers of two, and float64 of all sizes, as the hardware's exact root has it."""
    first = int(np.float32(start).view(np.int32))
    single = np.arange(first, first + (1 << 23), dtype=np.int32).view(np.float32)
    double = np.exp(np.random.default_rng(0).uniform(-740, 700, 1 << 18))
    for x in (single, double):
        assert np.array_equal(ops.pow(Tensor(x), 0.5).asnumpy(), np.sqrt(x))
    for kind in (np.float32, np.float64):  # C99: zeros and infinities lose their sign
        found = ops.pow(Tensor(np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1.0], kind)), 0.5).asnumpy()
        assert np.array_equal(found, [0, 0, np.inf, np.inf, np.nan, np.nan], equal_nan=True)
        assert not np.signbit(found[:4]).any()
