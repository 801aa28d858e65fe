"""Matrix products: values, the order of summation, and that nothing but M, N, K and the type has a part in it.

The order is restated here in numpy (`summed`), element for element and bit for bit; every other test of exactness compares
a product that takes another way through the code with one that takes the plain way.

Run as a program, this file prints a digest of a table of products, for comparing machines.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))  # for when it is run as a program

from guarded import guarded

from anfora.core import dtype as dt
from anfora.core.abstract import Layout, TensorType
from anfora.kernel import bodies, gemm, plain
from anfora.kernel.plan import Plan, Planner

# -- running a product ------------------------------------------------------------------------------------------------


def product(
    a: np.ndarray,
    b: np.ndarray,
    out: np.ndarray | None = None,
    *,
    dtype: dt.DType | None = None,
    epilogue: Callable | None = None,
    operands: tuple[tuple[np.ndarray, str], ...] = (),
    deal: Callable[[Plan], Plan] = lambda plan: plan,
    order: Callable = range,
) -> np.ndarray:
    """a @ b by our kernels; bfloat16 comes as the uint16 arrays that hold it."""
    dtype = dtype or dt.as_dtype(a.dtype)
    if out is None:
        out = np.full((*a.shape[:-1], b.shape[-1]), 77, a.dtype)
    inputs = [a, b, *(x for x, _ in operands)]
    layouts = [Layout(TensorType(dtype, x.shape), x.strides) for x in (*inputs, out)]
    planner = Planner(tuple(layouts[:-1]), (layouts[-1],))
    buffers = planner.operands
    gemm.plan_matmul(
        planner, buffers[0], buffers[1], buffers[-1], epilogue=epilogue,
        operands=tuple((buffer, kind) for buffer, (_, kind) in zip(buffers[2:], operands)),
    )  # fmt: skip
    assert plain.run(deal(planner.finish()), [x.ctypes.data for x in (*inputs, out)], order) == 0
    return out


def bits(x: np.ndarray) -> bytes:
    return np.ascontiguousarray(x).tobytes()


NUMBERS = {
    "float32": np.float32, "float64": np.float64, "float16": np.float16, "int8": np.int8, "uint8": np.uint8,
    "int16": np.int16, "uint16": np.uint16, "int32": np.int32, "uint32": np.uint32, "int64": np.int64,
    "uint64": np.uint64,
}  # fmt: skip


def numbers(shape: tuple[int, ...], dtype: str = "float32", seed: int = 0) -> np.ndarray:
    random = np.random.default_rng([seed, *shape])
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return random.standard_normal(shape).astype(kind)
    limits = np.iinfo(kind)
    return random.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)


def to_bfloat16(x: np.ndarray) -> np.ndarray:
    """float32 rounded to nearest even, as the 16 bits that bfloat16 keeps."""
    raw = x.view(np.uint32)
    return ((raw + 0x7FFF + ((raw >> 16) & 1)) >> 16).astype(np.uint16)


def from_bfloat16(x: np.ndarray) -> np.ndarray:
    return (x.astype(np.uint32) << 16).view(np.float32)


# -- how operands may lie ---------------------------------------------------------------------------------------------


def contiguous(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x)


def transposed(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x.swapaxes(-1, -2)).swapaxes(-1, -2)


def stepped(x: np.ndarray) -> np.ndarray:
    """Every second row and every third column of a larger array."""
    wide = np.full((*x.shape[:-2], 2 * x.shape[-2] + 1, 3 * x.shape[-1] + 1), 99, x.dtype)
    view = wide[..., 1 : 1 + 2 * x.shape[-2] : 2, 1 : 1 + 3 * x.shape[-1] : 3]
    view[...] = x
    return view


def gapped(x: np.ndarray) -> np.ndarray:
    """Contiguous rows with gaps between them."""
    wide = np.full((*x.shape[:-1], x.shape[-1] + 5), 99, x.dtype)
    view = wide[..., 2 : 2 + x.shape[-1]]
    view[...] = x
    return view


def gapped_columns(x: np.ndarray) -> np.ndarray:
    return gapped(x.swapaxes(-1, -2)).swapaxes(-1, -2)


def reversed_rows(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x[..., ::-1, :])[..., ::-1, :]


def reversed_columns(x: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(x[..., ::-1])[..., ::-1]


LAYOUTS = (contiguous, transposed, stepped, gapped, gapped_columns, reversed_rows, reversed_columns)

# -- values -----------------------------------------------------------------------------------------------------------

SIZES = (1, 2, 7, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 257)
#: (M, N, K): each size in each place, beside a few others.
SHAPES = sorted(
    {(n, 17, 33) for n in SIZES} | {(15, n, 20) for n in SIZES} | {(9, 33, n) for n in SIZES}
    | {(n, 1, 40) for n in SIZES} | {(1, n, 40) for n in SIZES} | {(1, 5, n) for n in SIZES} | {(5, 1, n) for n in SIZES}
    | {(1, 1, n) for n in SIZES} | {(n, 3, 19) for n in SIZES} | {(3, 3, 5000), (1, 6, 5000), (6, 1, 5000), (2, 2, 1)}
)  # fmt: skip
FORMS = {"NN": (contiguous, contiguous), "NT": (contiguous, transposed), "TN": (transposed, contiguous)}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_of_floats(dtype):
    unit = np.finfo(dtype).eps
    for m, n, k in SHAPES:
        a, b = numbers((m, k), dtype), numbers((k, n), dtype, 1)
        exact = a.astype(np.longdouble) @ b.astype(np.longdouble)
        bound = k * unit * (np.abs(a) @ np.abs(b))
        for name, (turn_a, turn_b) in FORMS.items():
            got = product(turn_a(a), turn_b(b))
            assert (np.abs(got - exact) <= bound).all(), (m, n, k, name)


@pytest.mark.parametrize("dtype", [name for name in NUMBERS if "int" in name])
def test_values_of_integers_wrap(dtype):
    for m, n, k in SHAPES[::3] if dtype != "int32" else SHAPES:
        a, b = numbers((m, k), dtype), numbers((k, n), dtype, 1)
        with np.errstate(over="ignore"):
            exact = np.einsum("mk,kn->mn", a, b)
        for name, (turn_a, turn_b) in FORMS.items():
            assert bits(product(turn_a(a), turn_b(b))) == bits(exact), (m, n, k, name)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_float32_rounded_once(dtype):
    for m, n, k in SHAPES:
        a, b = numbers((m, k)), numbers((k, n), seed=1)
        if dtype == "float16":
            half_a, half_b, kind = a.astype(np.float16), b.astype(np.float16), dt.float16
            expected = product(half_a.astype(np.float32), half_b.astype(np.float32)).astype(np.float16)
        else:
            half_a, half_b, kind = to_bfloat16(a), to_bfloat16(b), dt.bfloat16
            expected = to_bfloat16(product(from_bfloat16(half_a), from_bfloat16(half_b)))
        for name, (turn_a, turn_b) in FORMS.items():
            assert bits(product(turn_a(half_a), turn_b(half_b), dtype=kind)) == bits(expected), (m, n, k, name)


def test_no_terms_give_zeros_and_no_elements_nothing():
    for m, n in ((3, 5), (1, 5), (3, 1), (40, 40)):
        for dtype in ("float32", "float16", "int8"):
            got = product(numbers((m, 0), dtype), numbers((0, n), dtype))
            assert bits(got) == bits(np.zeros((m, n), dtype))
        bias = numbers((n,))
        got = product(numbers((m, 0)), numbers((0, n)), epilogue=add, operands=((bias, "n"),))
        assert bits(got) == bits(np.broadcast_to(0 + bias, (m, n)))
    for batch, m, n in (((), 0, 4), ((), 4, 0), ((0,), 4, 4), ((3, 0), 1, 4)):
        product(numbers((*batch, m, 6)), numbers((*batch, 6, n)))


def test_special_values():
    """0 · inf is NaN, inf - inf is NaN, a chain that starts from +0 does not end in -0 unless the sum is not exact."""
    a = np.array([[0, 1], [np.inf, 1], [np.inf, -np.inf], [-0.0, -0.0], [1, np.nan]], np.float32)
    b = np.array([[np.inf, 1, 0], [1, 1, 0]], np.float32)
    with np.errstate(invalid="ignore"):
        expected = a[:, :1] * b[:1] + a[:, 1:] * b[1:] + 0.0
    for turn_a in LAYOUTS:
        got = product(turn_a(a), b)
        assert np.array_equal(got, expected, equal_nan=True)
        assert not np.signbit(got[3, 1:]).any()


# -- the order of summation -------------------------------------------------------------------------------------------


def fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a · b + c in float32, rounded once. The product is exact in float64; the sum is rounded there to odd, which keeps
    enough of it for the rounding to float32 to be right (Boldo & Melquiond, IEEE TC 57 (2008))."""
    p, c = a.astype(np.float64) * b, c.astype(np.float64)
    s = p + c
    t = s - p
    lost = (p - (s - t)) + (c - t)
    even = (s.view(np.int64) & 1) == 0
    odd = np.nextafter(s, np.where(lost > 0, np.inf, -np.inf))
    return np.where((lost != 0) & even, odd, s).astype(np.float32)


def test_the_restated_fma_is_exact():
    random = np.random.default_rng(5)
    values = (random.standard_normal((3, 4000)) * 2.0 ** random.integers(-30, 30, (3, 4000))).astype(np.float32)
    values[2, ::2] = -(values[0, ::2] * values[1, ::2])  # cancellation
    for a, b, c, got in zip(*values, fma(*values)):
        exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
        below, above = (np.nextafter(got, np.float32(limit)) for limit in (-np.inf, np.inf))
        error = abs(exact - Fraction(float(got)))
        assert all(error <= abs(exact - Fraction(float(x))) for x in (below, above))


def chain(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(a.shape[1]):
        total = fma(*np.broadcast_arrays(a[:, k : k + 1], b[k : k + 1]), total)
    return total


def lanes(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    parts = [chain(a[:, lane::16], b[lane::16]) for lane in range(16)]
    while len(parts) > 1:
        half = len(parts) // 2
        parts = [low + high for low, high in zip(parts[:half], parts[half:])]
    return parts[0]


def summed(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The order of summation, as gemm.py states it, for float32."""
    (m, k), n = a.shape, b.shape[1]
    one = lanes if m == 1 or n == 1 else chain
    if one is lanes:
        block = 4096
    else:
        block = 2048 if k >= 4096 and m * n <= 16384 else k
    total = one(a[:, :block], b[:block])
    for start in range(block, k, block or 1):
        total = total + one(a[:, start : start + block], b[start : start + block])
    return total


@pytest.mark.parametrize(
    "shape",
    [(2, 2, 0), (5, 7, 1), (3, 4, 33), (15, 17, 40), (33, 20, 9), (20, 2, 50), (2, 3, 4095), (3, 5, 4096), (4, 3, 5000),
     (1, 5, 0), (1, 5, 1), (7, 1, 15), (1, 40, 16), (9, 1, 17), (1, 1, 400), (6, 1, 400), (1, 33, 400), (1, 3, 4096),
     (3, 1, 4097), (1, 1, 9000), (1, 20, 9000)],
    ids=str,
)  # fmt: skip
def test_order_of_summation(shape):
    m, n, k = shape
    a, b = numbers((m, k)), numbers((k, n), seed=1)
    expected = summed(a, b)
    for turn_a in (contiguous, transposed, stepped):
        for turn_b in (contiguous, transposed, stepped):
            assert bits(product(turn_a(a), turn_b(b))) == bits(expected), (turn_a.__name__, turn_b.__name__)


@pytest.mark.parametrize("shape", [(3, 1, 17), (1, 3, 17), (2, 2, 5)], ids=str)
def test_sums_that_round_to_minus_zero(shape):
    """Lanes in which nothing is left to add keep the sign of their zero."""
    m, n, k = shape
    a, b = np.full((m, k), -1e-30, np.float32), np.full((k, n), 1e-30, np.float32)
    expected = summed(a, b)
    assert np.signbit(expected).all()
    for turn in (contiguous, transposed):
        assert bits(product(turn(a), turn(b))) == bits(expected)


def test_large_results_are_chains_however_long():
    a, b = numbers((130, 4100)), numbers((4100, 127), seed=1)
    got = product(a, b)
    rows, columns = [0, 64, 129], [0, 31, 126]
    assert bits(got[np.ix_(rows, columns)]) == bits(chain(a[rows], b[:, columns]))


def test_order_of_summation_in_float64():
    """The same order in the other type of which chains can be told apart, with 8 lanes."""
    for m, n, k in ((3, 2, 21), (1, 3, 37)):
        a, b = numbers((m, k), "float64"), numbers((k, n), "float64", 1)
        got = product(a, b)
        for i, j in np.ndindex(m, n):
            parts = [0.0] * (8 if m == 1 else 1)
            for at in range(k):
                lane = at % len(parts)
                parts[lane] = float(Fraction(a[i, at]) * Fraction(b[at, j]) + Fraction(parts[lane]))
            while len(parts) > 1:
                half = len(parts) // 2
                parts = [low + high for low, high in zip(parts[:half], parts[half:])]
            assert got[i, j] == parts[0]


# -- what may not matter ----------------------------------------------------------------------------------------------

#: One shape for each way through the code: small and large chains, edges, few columns, both kinds of lanes, blocks.
WAYS = [
    (33, 70, 40), (14, 64, 32), (64, 9, 84), (300, 3, 24), (130, 140, 300), (1, 100, 300), (100, 1, 300), (1, 1, 5000),
    (6, 20, 4500), (1, 30, 4500), (30, 1, 4500),
]  # fmt: skip


@pytest.mark.parametrize("shape", WAYS, ids=str)
def test_strides_do_not_matter(shape):
    m, n, k = shape
    for dtype in ("float32", "float16", "float64", "int32"):
        a, b = numbers((m, k), dtype), numbers((k, n), dtype, 1)
        expected = bits(product(a, b))
        for i, turn_a in enumerate(LAYOUTS):
            turned_b = LAYOUTS if dtype == "float32" else LAYOUTS[i : i + 1]
            for turn_b in turned_b:
                assert bits(product(turn_a(a), turn_b(b))) == expected, (dtype, turn_a.__name__, turn_b.__name__)
        out = gapped(np.zeros((m, n), dtype))
        around = out.base.copy()
        assert bits(product(a, b, out)) == expected
        around[..., 2 : 2 + n] = out
        assert bits(out.base) == bits(around)


def test_repeated_rows_and_columns():
    row, column = numbers((1, 50)), numbers((50, 1), seed=1)
    for m, n in ((20, 40), (20, 1), (1, 40)):
        a, b = np.broadcast_to(row, (m, 50)), np.broadcast_to(column, (50, n))
        assert bits(product(a, b)) == bits(product(a.copy(), b.copy()))
    a, b = np.broadcast_to(numbers((9, 1)), (9, 50)), np.broadcast_to(numbers((1, 33)), (50, 33))
    assert bits(product(a, b)) == bits(product(a.copy(), b.copy()))


@pytest.mark.parametrize("shape", WAYS, ids=str)
def test_dealing_does_not_matter(shape):
    m, n, k = shape
    shuffled = np.random.default_rng(3).permutation

    def in_grains(grain: int) -> Callable[[Plan], Plan]:
        return lambda plan: replace(plan, steps=tuple(replace(step, grain=grain) for step in plan.steps))

    for turn_a, turn_b in FORMS.values():
        a, b = turn_a(numbers((m, k))), turn_b(numbers((k, n), seed=1))
        expected = bits(product(a, b))
        for grain in (1, 2, 1000):
            for order in (range, lambda chunks: range(chunks)[::-1], shuffled):
                assert bits(product(a, b, deal=in_grains(grain), order=order)) == expected, grain


def test_neighbours_do_not_matter():
    """A row, a column or an item of the batch is the same alone, as long as the order of summation is."""
    a, b = numbers((70, 90)), numbers((90, 110), seed=1)
    whole = product(a, b)
    for rows, columns in ((slice(3, 5), slice(None)), (slice(None), slice(60, 63)), (slice(29, 60), slice(31, 70))):
        assert bits(product(a[rows], b[:, columns])) == bits(whole[rows, columns])
    a, b = numbers((3, 4, 6, 20)), numbers((3, 4, 20, 5), seed=1)
    whole = product(a, b)
    for i, j in np.ndindex(3, 4):
        assert bits(product(a[i, j], b[i, j])) == bits(whole[i, j])


@pytest.mark.parametrize(
    "shape", [(6, 40, 30), (17, 3, 9), (1, 20, 30), (20, 1, 30), (2, 3, 4200), (1, 3, 4200)], ids=str
)
def test_batches(shape):
    m, n, k = shape
    a, b = numbers((2, 3, m, k)), numbers((2, 3, k, n), seed=1)
    cases = {
        "plain": (a, b),
        "one b": (a, np.broadcast_to(b[0, 0], b.shape)),
        "one a": (np.broadcast_to(a[0, 0], a.shape), b),
        "a row of b": (a, np.broadcast_to(b[:1], b.shape)),
        "a column of a": (np.broadcast_to(a[:, :1], a.shape), b),
        "reversed": (a[::-1, :, ::-1], b[:, ::-1]),
        "permuted": (a.transpose(1, 0, 2, 3), b.transpose(1, 0, 2, 3)),
        "rows of one matrix": (np.moveaxis(numbers((m, 2, 3, k)), 0, 2), np.moveaxis(numbers((k, 2, 3, n)), 0, 2)),
        "transposed": (transposed(a), transposed(b)),
    }
    for name, (x, y) in cases.items():
        for dtype in ("float32", "float16") if name in ("plain", "one a", "one b") else ("float32",):
            x, y = x.astype(dtype) if dtype != "float32" else x, y.astype(dtype) if dtype != "float32" else y
            got = product(x, y)
            for item in np.ndindex(x.shape[:2]):
                assert bits(got[item]) == bits(product(x[item].copy(), y[item].copy())), (name, item)
    out = np.moveaxis(np.zeros((m, 2, 3, n), np.float32), 0, 2)
    assert bits(product(a, b, out)) == bits(product(a, b))


# -- epilogues --------------------------------------------------------------------------------------------------------


def add(total, x):
    return total + x


def add_relu(total, x):
    return bodies.relu(total + x)


def add_both(total, x, y):
    return total + x + y


def scale_add_relu(total, scale, bias, residual):
    return bodies.relu(total * scale + bias) + residual


@pytest.mark.parametrize("shape", WAYS, ids=str)
def test_epilogue_is_as_separate_steps(shape):
    m, n, k = shape
    a, b = numbers((m, k)), numbers((k, n), seed=1)
    plain_product = product(a, b)
    bias, scale, residual = numbers((n,), seed=2), numbers((m,), seed=3), numbers((m, n), seed=4)
    biased = np.maximum(plain_product + bias, 0)
    everything = np.maximum(plain_product * scale[:, None] + bias, 0) + residual
    for turn in (contiguous, transposed, gapped, reversed_columns):
        for turn_b in (contiguous, transposed):
            three = ((scale, "m"), (bias, "n"), (turn(residual), "mn"))
            got = product(a, turn_b(b), epilogue=scale_add_relu, operands=three)
            assert bits(got) == bits(everything), (turn.__name__, turn_b.__name__)
    spread = np.repeat(bias, 3)[::3]
    for x in (bias, spread, np.ascontiguousarray(bias[::-1])[::-1]):
        assert bits(product(a, b, epilogue=add_relu, operands=((x, "n"),))) == bits(biased)
    half_a, half_b, half_bias = a.astype(np.float16), b.astype(np.float16), bias.astype(np.float16)
    total = product(half_a.astype(np.float32), half_b.astype(np.float32))
    got = product(half_a, half_b, epilogue=add_relu, operands=((half_bias, "n"),))
    assert bits(got) == bits(np.maximum(total + half_bias.astype(np.float32), 0).astype(np.float16))
    whole_a, whole_b, whole_bias = (numbers(x.shape, "int8", 7) for x in (a, b, bias))
    got = product(whole_a, whole_b, epilogue=add_relu, operands=((whole_bias, "n"),))
    with np.errstate(over="ignore"):
        assert bits(got) == bits(np.maximum(product(whole_a, whole_b) + whole_bias, 0))


def test_epilogue_of_a_batch():
    a, b, residual = numbers((2, 3, 5, 20)), numbers((2, 3, 20, 18), seed=1), numbers((2, 3, 5, 18), seed=2)
    for x in (residual, np.broadcast_to(residual[:, :1], residual.shape), transposed(residual)):
        for y in (b, np.broadcast_to(b[0, 0], b.shape)):
            got = product(a, y, epilogue=add, operands=((x, "mn"),))
            assert bits(got) == bits(product(a, y) + x)


# -- no byte outside --------------------------------------------------------------------------------------------------


GUARDED = [
    (5, 7, 3), (17, 33, 19), (40, 2, 30), (30, 70, 260), (1, 21, 35), (21, 1, 35), (3, 5, 4100), (1, 3, 4100),
]  # fmt: skip


def check_guarded(shape: tuple[int, int, int], dtype: str) -> None:
    m, n, k = shape
    a, b = numbers((m, k), dtype), numbers((k, n), dtype, 1)
    bias, residual = numbers((n,), dtype, 2), numbers((m, n), dtype, 3)
    expected = bits(product(a, b))
    operands = ((bias, "n"), (residual, "mn"))
    expected_end = bits(product(a, b, epilogue=add_both, operands=operands))
    for at_end in (False, True):
        for turn_a in (False, True):
            for turn_b in (False, True):
                safe_a, safe_b = (
                    guarded(x.T, at_end).T if turn else guarded(x, at_end) for x, turn in ((a, turn_a), (b, turn_b))
                )
                out = guarded(np.zeros((m, n), dtype), at_end)
                assert bits(product(safe_a, safe_b, out)) == expected
                safe = ((guarded(bias, at_end), "n"), (guarded(residual, at_end), "mn"))
                product(safe_a, safe_b, out, epilogue=add_both, operands=safe)
                assert bits(out) == expected_end


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int8", "int16"])
def test_no_byte_outside(dtype):
    for shape in (
        (5, 7, 3),
        (17, 33, 19),
        (40, 2, 30),
        (30, 70, 260),
        (1, 21, 35),
        (21, 1, 35),
        (3, 5, 4100),
        (1, 3, 4100),
    ):
        check_guarded(shape, dtype)


# -- other machines ---------------------------------------------------------------------------------------------------


def digest_of_table() -> str:
    """The bits of products of all types and ways, on guarded arrays."""
    digest = hashlib.sha256()
    for dtype in ("float32", "float64", "float16", "int8", "int16", "uint32"):
        for m, n, k in [(15, 37, 20), (3, 3, 40), (20, 3, 17), (1, 37, 40), (37, 1, 40), (2, 5, 4100)]:
            a, b = numbers((m, k), dtype), numbers((k, n), dtype, 1)
            for safe_a, safe_b in ((guarded(a), guarded(b)), (guarded(a.T).T, guarded(b.T).T)):
                out = guarded(np.zeros((m, n), dtype))
                digest.update(bits(product(safe_a, safe_b, out)))
                digest.update(bits(product(safe_a, safe_b, out, epilogue=add, operands=((b[0].copy(), "n"),))))
    return digest.hexdigest()


@pytest.mark.skipif(sys.platform != "linux" or os.uname().machine != "x86_64", reason="names x86 CPUs")
@pytest.mark.parametrize("cpu", ["haswell", "x86-64"])
def test_the_machine_does_not_matter(cpu):
    environment = dict(os.environ, ANFORA_CPU=cpu)
    done = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == digest_of_table()


if __name__ == "__main__":
    print(digest_of_table())
