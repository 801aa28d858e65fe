"""Pooling against plain loops, and the laws of its bits."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import NamedTuple

import numpy as np
import planes
import pytest
from guarded import guarded
from planes import run, same_bits, stored, value

from anfora.core.dtype import as_dtype, float32
from anfora.kernel import pooling


class Case(NamedTuple):
    """x (n, c, h, w) and the attributes of a pooling; `ceil` lets windows hang over the end."""

    n: int
    c: int
    h: int
    w: int
    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int, int, int] = (0, 0, 0, 0)
    dilation: tuple[int, int] = (1, 1)
    ceil: bool = False

    @property
    def x(self):
        return self.n, self.c, self.h, self.w

    @property
    def out(self):
        lengths = []
        for i, size in enumerate((self.h, self.w)):
            before, after = self.padding[2 * i : 2 * i + 2]
            room = size + before + after - (self.kernel[i] - 1) * self.dilation[i] - 1
            count = (-(-room // self.stride[i]) if self.ceil else room // self.stride[i]) + 1
            if self.ceil and (count - 1) * self.stride[i] >= size + before:
                count -= 1  # the last window would hold padding only
            lengths.append(count)
        return self.n, self.c, *lengths

    @property
    def average(self):
        return {"kernel": self.kernel, "stride": self.stride, "padding": self.padding}

    @property
    def maximum(self):
        return {**self.average, "dilation": self.dilation}


CASES = [
    Case(3, 2, 8, 56, (2, 2), (2, 2)),
    Case(2, 3, 28, 28, (2, 2), (2, 2)),
    Case(2, 5, 10, 10, (2, 2), (2, 2)),
    Case(2, 2, 7, 35, (2, 2), (2, 2)),  # odd: the last row and column belong to no window
    Case(1, 2, 7, 35, (2, 2), (2, 2), ceil=True),
    Case(1, 3, 20, 37, (3, 3), (2, 2), (1, 1, 1, 1)),
    Case(1, 3, 20, 37, (3, 3), (1, 1), (1, 1, 1, 1)),
    Case(2, 2, 13, 17, (3, 2), (1, 3), (1, 0, 0, 1)),
    Case(2, 2, 15, 19, (5, 4), (3, 2), (2, 2, 2, 1), ceil=True),
    Case(1, 2, 12, 40, (2, 3), (2, 4), (0, 0, 1, 1)),  # gaps between windows
    Case(2, 3, 6, 5, (6, 5), (1, 1)),  # the whole plane
    Case(1, 2, 1, 50, (1, 3), (1, 2), (0, 0, 1, 1)),
    Case(1, 1, 300, 140, (3, 3), (2, 2), (1, 1, 1, 1)),  # more than a band
]
DILATED = [
    Case(1, 2, 14, 23, (3, 2), (2, 1), (1, 1, 1, 1), (2, 3)),
    Case(1, 2, 9, 40, (2, 3), (3, 3), (1, 0, 1, 1), (3, 5), True),
]
GRIDS = [
    (2, 3, 7, 7, 1, 1), (2, 2, 8, 9, 2, 3), (1, 2, 10, 7, 4, 5), (2, 1, 5, 6, 7, 8), (1, 3, 4, 20, 3, 1),
    (1, 1, 6, 40, 1, 2),
    (2, 2, 5, 5, 5, 5),
]  # fmt: skip
FLOATS = ["float32", "float64", "float16", "bfloat16"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def boxes(case):
    """For each window its place in the output, and the rows and columns in the plane (clipped, as lists)."""
    for p, q in np.ndindex(case.out[2:]):
        rows = [p * case.stride[0] - case.padding[0] + r * case.dilation[0] for r in range(case.kernel[0])]
        columns = [q * case.stride[1] - case.padding[2] + s * case.dilation[1] for s in range(case.kernel[1])]
        yield p, q, [h for h in rows if 0 <= h < case.h], [w for w in columns if 0 <= w < case.w]


def grid(shape):
    """The windows of adaptive pooling, in the same form."""
    *_, h, w, rows, columns = shape
    for p, q in np.ndindex(rows, columns):
        yield (
            p, q, list(range(p * h // rows, -(-(p + 1) * h // rows))),
            list(range(q * w // columns, -(-(q + 1) * w // columns))),
        )  # fmt: skip


def maxima(x, out_shape, windows):
    """Values and places of the first maxima."""
    best, place = np.zeros(out_shape, x.dtype), np.zeros(out_shape, np.int64)
    for p, q, rows, columns in windows:
        part = x[:, :, rows][..., columns].reshape(*x.shape[:2], -1)
        at = part.argmax(-1)  # the first; NaN wins
        best[:, :, p, q] = np.take_along_axis(part, at[..., None], -1)[..., 0]
        place[:, :, p, q] = np.array(rows)[at // len(columns)] * x.shape[3] + np.array(columns)[at % len(columns)]
    return best, place


def spread(shape, place, g):
    """The gradient of maxima."""
    dx = np.zeros((*shape[:2], shape[2] * shape[3]), g.dtype)
    for p, q in np.ndindex(g.shape[2:]):
        at = place[:, :, p, q][..., None]
        np.put_along_axis(dx, at, np.take_along_axis(dx, at, -1) + g[:, :, p, q][..., None], -1)
    return dx.reshape(shape)


def counts(case, include_pad, divisor):
    """What the windows are divided by."""
    result = np.zeros(case.out[2:])
    top, bottom, left, right = case.padding
    for p, q, rows, columns in boxes(case):
        h, w = p * case.stride[0] - top, q * case.stride[1] - left
        padded = (min(h + case.kernel[0], case.h + bottom) - h) * (min(w + case.kernel[1], case.w + right) - w)
        result[p, q] = divisor or (padded if include_pad else len(rows) * len(columns))
    return result


def data(shape, kind, seed=0):
    """Numbers with many ties."""
    rng = np.random.default_rng(seed)
    low = 0 if kind.kind == "u" else -4
    return stored(rng.integers(low, 5, shape).astype(np.float64), kind)


def normal(shape, kind, seed=0):
    return stored(np.random.default_rng(seed).standard_normal(shape), kind)


def blank(shape, kind):
    return np.full(shape, 77, kind.storage)


# -- maximum ---------------------------------------------------------------------------------------------------------


def max_pool(x, case, kind, indices=None, rule=pooling.plan_max_pool2d, attributes=None):
    """The values, and the indices into `indices`."""
    out = blank(case.out, kind)
    outputs = [out] if indices is None else [out, indices]

    def plan(p, x, out, indices=None, **rest):
        rule(p, x, out, indices=indices, **rest)

    made, addresses = planes.planned(plan, [x], outputs, dtype=kind, **case.maximum)
    assert planes.plain.run(made, addresses) == 0
    return out


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
@pytest.mark.parametrize("case", CASES + DILATED, ids=str)
def test_maximum(dtype, case):
    kind = as_dtype(dtype)
    x = data(case.x, kind)
    readable = value(x, kind) if kind.is_float else x
    best, place = maxima(readable, case.out, boxes(case))
    indices = np.full(case.out, -7)
    got = max_pool(x, case, kind, indices)
    assert np.array_equal(value(got, kind) if kind.is_float else got, best)
    assert np.array_equal(indices, place)
    assert same_bits(got, max_pool(x, case, kind))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("case", CASES + DILATED, ids=str)
def test_maximum_gradient(dtype, case):
    kind = as_dtype(dtype)
    x, g = data(case.x, kind), data(case.out, kind, 1)
    _, place = maxima(value(x, kind), case.out, boxes(case))
    got = run(pooling.plan_max_pool2d_gradient, [x, g], blank(case.x, kind), dtype=kind, **case.maximum)
    assert np.array_equal(value(got, kind), spread(case.x, place, value(g, kind)))


@pytest.mark.parametrize("case", CASES + DILATED, ids=str)
def test_special_values(case):
    """NaN is larger than any number, the first one counts; -inf is larger than padding; -0 and +0 are equal."""
    rng = np.random.default_rng(0)
    x = rng.choice([-np.inf, -0.0, 0.0, np.nan, np.inf, 1.0], case.x, p=[0.5, 0.1, 0.1, 0.1, 0.1, 0.1]).astype(
        np.float32
    )
    x[0, 0] = -np.inf
    best, place = maxima(x, case.out, boxes(case))
    indices = np.zeros(case.out, np.int64)
    got = max_pool(x, case, float32, indices)
    assert np.array_equal(got, best, equal_nan=True)
    assert np.array_equal(np.signbit(got[~np.isnan(got)]), np.signbit(best[~np.isnan(best)]))
    assert np.array_equal(indices, place)
    g = normal(case.out, float32)
    dx = run(pooling.plan_max_pool2d_gradient, [x, g], blank(case.x, float32), **case.maximum)
    assert same_bits(dx, spread(case.x, place, g))


def test_a_window_of_padding_only_has_no_maximum():
    case = Case(1, 1, 2, 2, (2, 2), (1, 1), (3, 3, 3, 3))
    x, indices = np.ones(case.x, np.float32), np.zeros(case.out, np.int64)
    got = max_pool(x, case, float32, indices)
    assert np.all(np.isneginf(got[0, 0, 0])) and np.all(indices[0, 0, 0] == -1)
    assert got[0, 0, 3, 3] == 1 and indices[0, 0, 3, 3] == 0
    g = np.ones(case.out, np.float32)
    dx = run(pooling.plan_max_pool2d_gradient, [x, g], blank(case.x, float32), **case.maximum)
    assert dx.sum() == (indices >= 0).sum()


# -- average ---------------------------------------------------------------------------------------------------------

WAYS = [(True, None), (False, None), (True, 3)]


@pytest.mark.parametrize("include_pad, divisor", WAYS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_average(dtype, case, include_pad, divisor):
    kind = as_dtype(dtype)
    tolerance = {"float32": 1e-6, "float64": 1e-14, "float16": 2e-3, "bfloat16": 1e-2}[dtype]
    attributes = {**case.average, "count_include_pad": include_pad, "divisor": divisor}
    x, g, size = normal(case.x, kind), normal(case.out, kind, 1), counts(case, include_pad, divisor)
    y, dx = np.zeros(case.out), np.zeros(case.x)
    for p, q, rows, columns in boxes(case):
        y[:, :, p, q] = value(x, kind)[:, :, rows][..., columns].sum((2, 3)) / size[p, q]
        share = value(g, kind)[:, :, p, q] / size[p, q]
        dx[np.ix_(range(case.n), range(case.c), rows, columns)] += share[..., None, None]
    got = run(pooling.plan_avg_pool2d, [x], blank(case.out, kind), dtype=kind, **attributes)
    assert np.allclose(value(got, kind), y, tolerance, tolerance)
    got = run(pooling.plan_avg_pool2d_gradient, [g], blank(case.x, kind), dtype=kind, **attributes)
    assert np.allclose(value(got, kind), dx, tolerance, tolerance)


def test_averages_add_in_scan_order():
    """Bit for bit, padding as zeros, windows of the gradient in scan order."""
    case = CASES[8]
    x, g, size = normal(case.x, float32), normal(case.out, float32, 1), counts(case, True, None).astype(np.float32)
    padded = np.pad(x, ((0, 0), (0, 0), (2, 9), (2, 9)))
    y, dx = np.zeros(case.out, np.float32), np.zeros(padded.shape, np.float32)
    for p, q in np.ndindex(case.out[2:]):
        for r, s in np.ndindex(case.kernel):
            y[:, :, p, q] += padded[:, :, p * 3 + r, q * 2 + s]
            dx[:, :, p * 3 + r, q * 2 + s] += g[:, :, p, q] / size[p, q]
    attributes = {**case.average, "count_include_pad": True}
    assert same_bits(run(pooling.plan_avg_pool2d, [x], blank(case.out, float32), **attributes), y / size)
    got = run(pooling.plan_avg_pool2d_gradient, [g], blank(case.x, float32), **attributes)
    assert same_bits(got, np.ascontiguousarray(dx[:, :, 2 : 2 + case.h, 2 : 2 + case.w]))


# -- adaptive --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", GRIDS, ids=str)
def test_adaptive_average(dtype, shape):
    kind = as_dtype(dtype)
    tolerance = {"float32": 1e-6, "float64": 1e-14, "float16": 2e-3, "bfloat16": 1e-2}[dtype]
    n, c, h, w, rows, columns = shape
    x, g = normal((n, c, h, w), kind), normal((n, c, rows, columns), kind, 1)
    y, dx = np.zeros(g.shape), np.zeros(x.shape)
    for p, q, lines, places in grid(shape):
        part = np.ix_(range(n), range(c), lines, places)
        y[:, :, p, q] = value(x, kind)[part].mean((2, 3))
        dx[part] += (value(g, kind)[:, :, p, q] / (len(lines) * len(places)))[..., None, None]
    got = run(pooling.plan_adaptive_avg_pool2d, [x], blank(g.shape, kind), dtype=kind)
    assert np.allclose(value(got, kind), y, tolerance, tolerance)
    got = run(pooling.plan_adaptive_avg_pool2d_gradient, [g], blank(x.shape, kind), dtype=kind)
    assert np.allclose(value(got, kind), dx, tolerance, tolerance)


@pytest.mark.parametrize("dtype", [*FLOATS, "int32", "uint8"])
@pytest.mark.parametrize("shape", GRIDS, ids=str)
def test_adaptive_maximum(dtype, shape):
    kind = as_dtype(dtype)
    n, c, h, w, rows, columns = shape
    x, g = data((n, c, h, w), kind), data((n, c, rows, columns), kind, 1)
    readable = value(x, kind) if kind.is_float else x
    best, place = maxima(readable, g.shape, grid(shape))
    indices, out = np.zeros(g.shape, np.int64), blank(g.shape, kind)

    def plan(p, x, out, indices):
        pooling.plan_adaptive_max_pool2d(p, x, out, indices=indices)

    made, addresses = planes.planned(plan, [x], [out, indices], dtype=kind)
    planes.plain.run(made, addresses)
    assert np.array_equal(value(out, kind) if kind.is_float else out, best) and np.array_equal(indices, place)
    assert same_bits(out, run(pooling.plan_adaptive_max_pool2d, [x], blank(g.shape, kind), dtype=kind))
    if kind.is_float:
        got = run(pooling.plan_adaptive_max_pool2d_gradient, [x, g], blank(x.shape, kind), dtype=kind)
        assert np.array_equal(value(got, kind), spread(x.shape, place, value(g, kind)))


# -- bits and memory -------------------------------------------------------------------------------------------------


def rules(case):
    """Every rule as (rule, inputs, shape of the output, attributes); windows of the case, and a grid."""
    x, g = normal(case.x, float32), normal(case.out, float32, 1)
    average = {**case.average, "count_include_pad": False}
    yield pooling.plan_max_pool2d, [x], case.out, case.maximum
    yield pooling.plan_max_pool2d_gradient, [x, g], case.x, case.maximum
    if case.dilation == (1, 1):
        yield pooling.plan_avg_pool2d, [x], case.out, average
        yield pooling.plan_avg_pool2d_gradient, [g], case.x, average
    for windows in ((3, 2), (2, 1)):
        share = normal((*case.x[:2], *windows), float32, 2)
        yield pooling.plan_adaptive_avg_pool2d, [x], share.shape, {}
        yield pooling.plan_adaptive_avg_pool2d_gradient, [share], case.x, {}
        yield pooling.plan_adaptive_max_pool2d, [x], share.shape, {}
        yield pooling.plan_adaptive_max_pool2d_gradient, [x, share], case.x, {}


every_case = pytest.mark.parametrize("case", CASES[:12] + DILATED, ids=str)


@every_case
def test_strides_and_dealing_do_not_matter(case):
    for rule, inputs, shape, attributes in rules(case):
        want = run(rule, inputs, blank(shape, float32), **attributes)
        for changed in zip(*(planes.views(a) for a in inputs)):
            assert same_bits(want, run(rule, changed, blank(shape, float32), **attributes))
        for seed, grain in enumerate((None, 1, 10**6)):
            out = blank(shape, float32)
            plan, addresses = planes.planned(rule, inputs, [out], **attributes)
            planes.shuffled(plan, addresses, seed, grain)
            assert same_bits(want, out)


@pytest.mark.parametrize("at_end", [True, False], ids=["end", "begin"])
@every_case
def test_nothing_outside_is_touched(case, at_end):
    for rule, inputs, shape, attributes in rules(case):
        for kind in (float32, as_dtype("float16")):
            arrays = [a.astype(kind.storage) for a in inputs]
            want = run(rule, arrays, blank(shape, kind), **attributes)
            out = guarded(blank(shape, kind), at_end)
            assert same_bits(want, run(rule, [guarded(a, at_end) for a in arrays], out, **attributes))
    indices = guarded(np.zeros(case.out, np.int64), at_end)
    max_pool(guarded(normal(case.x, float32), at_end), case, float32, indices)


@every_case
def test_nothing_is_left_of_what_scratch_held(case, monkeypatch):
    """Scratch comes as it is; full of NaN here."""
    original = planes.plain.ctypes.create_string_buffer
    for rule, inputs, shape, attributes in rules(case):
        want = run(rule, inputs, blank(shape, float32), **attributes)
        with monkeypatch.context() as patch:
            patch.setattr(planes.plain.ctypes, "create_string_buffer", lambda size: original(b"\xff" * size, size))
            assert same_bits(want, run(rule, inputs, blank(shape, float32), **attributes))


@pytest.mark.parametrize("cpu", ["haswell", "x86-64"])
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="names of x86 CPUs")
def test_lesser_cpus_give_the_same_bits(cpu, tmp_path):
    program = """
        import sys
        import numpy as np
        sys.path[:0] = {paths!r}
        from test_pooling import CASES, DILATED, blank, float32, rules, run
        found = []
        for case in (CASES[1], CASES[8], DILATED[0]):
            for rule, inputs, shape, attributes in rules(case):
                found.append(run(rule, inputs, blank(shape, float32), **attributes))
        np.savez({file!r}, *found)
    """
    here = os.path.dirname(__file__)
    file = str(tmp_path / "bits.npz")
    program = textwrap.dedent(program).format(paths=[here, os.path.dirname(here)], file=file)
    environment = {**os.environ, "ANFORA_CPU": cpu}
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr
    there = list(np.load(file).values())
    here_bits = [
        run(rule, inputs, blank(shape, float32), **attributes)
        for case in (CASES[1], CASES[8], DILATED[0])
        for rule, inputs, shape, attributes in rules(case)
    ]
    assert len(there) == len(here_bits)
    assert all(same_bits(a, b) for a, b in zip(here_bits, there))


def test_empty_batches_and_integers():
    case = Case(0, 3, 8, 8, (2, 2), (2, 2))
    for rule, inputs, shape, attributes in rules(case):
        run(rule, inputs, blank(shape, float32), **attributes)
    whole = as_dtype("int32")
    with pytest.raises(NotImplementedError):
        run(
            pooling.plan_avg_pool2d, [data((1, 1, 4, 4), whole)], blank((1, 1, 2, 2), whole), kernel=(2, 2), stride=(2, 2),
            padding=(0,) * 4, count_include_pad=True,
        )  # fmt: skip
