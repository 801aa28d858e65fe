"""Convolution against plain numpy, and the laws of its bits."""

from __future__ import annotations

import ctypes
import itertools
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

from anfora.core.dtype import as_dtype, float32, int32
from anfora.kernel import conv
from anfora.kernel.conv import plan_conv2d, plan_conv2d_input_gradient, plan_conv2d_weight_gradient


class Case(NamedTuple):
    """A layer: x (n, c, h, w), weights (k, c / groups, r, s)."""

    n: int
    c: int
    h: int
    w: int
    k: int
    r: int
    s: int
    stride: tuple[int, int] = (1, 1)
    padding: tuple[int, int, int, int] = (0, 0, 0, 0)
    dilation: tuple[int, int] = (1, 1)
    groups: int = 1

    @property
    def x(self):
        return self.n, self.c, self.h, self.w

    @property
    def weights(self):
        return self.k, self.c // self.groups, self.r, self.s

    @property
    def out(self):
        top, bottom, left, right = self.padding
        p = (self.h + top + bottom - (self.r - 1) * self.dilation[0] - 1) // self.stride[0] + 1
        q = (self.w + left + right - (self.s - 1) * self.dilation[1] - 1) // self.stride[1] + 1
        return self.n, self.k, p, q

    @property
    def attributes(self):
        return {name: getattr(self, name) for name in ("stride", "padding", "dilation", "groups")}


CASES = [
    Case(3, 1, 32, 32, 6, 5, 5),  # the layers of LeNet
    Case(3, 6, 14, 14, 16, 5, 5),
    Case(2, 3, 20, 33, 32, 3, 3, padding=(1, 1, 1, 1)),
    Case(2, 16, 16, 16, 32, 3, 3, (2, 2), (1, 1, 1, 1)),
    Case(1, 64, 14, 14, 48, 3, 3, padding=(1, 1, 1, 1)),
    Case(5, 40, 7, 7, 33, 3, 3, padding=(1, 1, 1, 1)),
    Case(1, 3, 40, 37, 64, 7, 7, (2, 2), (3, 3, 3, 3)),
    Case(2, 4, 9, 11, 5, 3, 2, (3, 2), (2, 0, 1, 3)),  # asymmetric
    Case(2, 20, 13, 12, 24, 3, 5, (1, 3), (2, 1, 0, 3), (2, 1)),
    Case(1, 18, 12, 12, 20, 3, 3, (3, 3), (3, 3, 3, 3), (2, 2)),
    Case(2, 17, 10, 19, 13, 1, 1),
    Case(2, 16, 9, 9, 32, 1, 1, (2, 2)),  # most of the input is never read
    Case(3, 2, 3, 2, 4, 5, 5, padding=(2, 2, 2, 2)),  # the window is larger than the image
    Case(2, 12, 20, 21, 12, 3, 3, padding=(1, 1, 1, 1), groups=12),  # depthwise
    Case(2, 8, 17, 40, 16, 3, 3, (2, 2), (1, 1, 1, 1), groups=8),
    Case(2, 6, 20, 70, 9, 3, 3, (3, 3), (1, 1, 1, 1), groups=3),
    Case(2, 32, 8, 8, 64, 3, 3, padding=(1, 1, 1, 1), groups=2),
    Case(7, 24, 5, 5, 40, 5, 5),  # one output a plane
    Case(70, 2, 6, 6, 3, 3, 3),
    Case(2, 5, 1, 50, 7, 1, 5, padding=(0, 0, 2, 2)),  # one dimension
    Case(2, 14, 1, 64, 16, 1, 7, (1, 2), (0, 0, 3, 3)),
    Case(2, 3, 30, 4, 18, 5, 1, padding=(2, 2, 0, 0)),
    Case(1, 2, 9, 40, 20, 3, 17, padding=(1, 1, 8, 8)),  # a row of taps longer than the registers hold
    Case(2, 3, 6, 6, 4, 3, 3, padding=(4, 4, 4, 4)),  # outputs that see padding only
    Case(2, 5, 17, 41, 5, 3, 3, (2, 2), (1, 1, 1, 1), groups=5),  # depthwise: planes of their own
    Case(2, 6, 9, 13, 6, 5, 5, (2, 2), (2, 2, 2, 2), groups=6),
    Case(2, 3, 30, 34, 3, 3, 3, groups=3),
    Case(1, 4, 20, 40, 4, 3, 2, (3, 2), (1, 1, 2, 0), (2, 3), 4),
    Case(2, 4, 8, 40, 4, 1, 1, (2, 2), groups=4),
    Case(1, 2, 151, 300, 2, 3, 3, (2, 1), (1, 1, 1, 1), groups=2),
    Case(3, 4, 5, 3, 4, 7, 7, padding=(3, 3, 3, 3), groups=4),
]
TOLERANCE = {"float32": 2e-6, "float64": 1e-14, "float16": 1e-3, "bfloat16": 8e-3}


def windows(x, case):
    """For each tap the part of the padded input that it multiplies: (r, s, view (n, c, p, q))."""
    top, bottom, left, right = case.padding
    padded = np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)))
    (p, q), (a, b), (e, f) = case.out[2:], case.stride, case.dilation
    for r, s in itertools.product(range(case.r), range(case.s)):
        yield r, s, padded, np.s_[:, :, r * e : r * e + (p - 1) * a + 1 : a, s * f : s * f + (q - 1) * b + 1 : b]


def grouped(case):
    """The slices of input and output channels of each group."""
    c, k = case.c // case.groups, case.k // case.groups
    return [(slice(g * c, (g + 1) * c), slice(g * k, (g + 1) * k)) for g in range(case.groups)]


def forward(x, w, case):
    y = np.zeros(case.out)
    for (inputs, outputs), (r, s, padded, view) in itertools.product(grouped(case), list(windows(x, case))):
        y[:, outputs] += np.einsum("ncpq,kc->nkpq", padded[view][:, inputs], w[outputs, :, r, s])
    return y


def input_gradient(g, w, case):
    top, _, left, _ = case.padding
    taps = list(windows(np.zeros(case.x), case))
    dx = np.zeros_like(taps[0][2])
    for (inputs, outputs), (r, s, _, view) in itertools.product(grouped(case), taps):
        dx[:, inputs][view] += np.einsum("nkpq,kc->ncpq", g[:, outputs], w[outputs, :, r, s])
    return dx[:, :, top : top + case.h, left : left + case.w]


def weight_gradient(x, g, case):
    dw = np.zeros(case.weights)
    for (inputs, outputs), (r, s, padded, view) in itertools.product(grouped(case), list(windows(x, case))):
        dw[outputs, :, r, s] = np.einsum("ncpq,nkpq->kc", padded[view][:, inputs], g[:, outputs])
    return dw


#: rule, reference, and which of (x, weights, out) it takes and gives
RULES = [
    (plan_conv2d, forward, ("x", "weights"), "out"),
    (plan_conv2d_input_gradient, input_gradient, ("out", "weights"), "x"),
    (plan_conv2d_weight_gradient, weight_gradient, ("x", "out"), "weights"),
]
each_rule = pytest.mark.parametrize("rule, reference, takes, gives", RULES, ids=["forward", "input", "weight"])
#: without the largest, one of each way of all rules
FEW = [CASES[i] for i in (0, 1, 3, 5, 7, 8, 11, 12, 13, 14, 15, 17, 18, 20, 22, 24, 25, 27, 28, 30)]


def arrays(case, takes, dtype, seed=0):
    rng = np.random.default_rng(seed)
    return [stored(rng.standard_normal(getattr(case, name)), dtype) for name in takes]


def empty(case, gives, dtype):
    return np.full(getattr(case, gives), 77, dtype.storage)


@each_rule
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_values(rule, reference, takes, gives, dtype, case):
    if dtype != "float32" and case not in FEW:
        pytest.skip("the other types share the code of the large cases")
    kind = as_dtype(dtype)
    inputs = arrays(case, takes, kind)
    got = value(run(rule, inputs, empty(case, gives, kind), dtype=kind, **case.attributes), kind)
    want = reference(*(value(a, kind) for a in inputs), case)
    scale = reference(*(np.abs(value(a, kind)) for a in inputs), case)
    smallest = 2.0**-24 if dtype == "float16" else 1e-30
    assert np.all(np.abs(got - want) <= TOLERANCE[dtype] * scale + smallest)


@pytest.mark.parametrize("seed", range(12))
def test_random_layers(seed):
    rng = np.random.default_rng(seed)
    pick = lambda *values: int(rng.choice(values))  # noqa: E731
    groups = pick(1, 1, 2, 3)
    case = Case(
        pick(1, 2, 9), groups * pick(1, 2, 5, 16), pick(4, 8, 15, 31), pick(3, 8, 16, 37), groups * pick(1, 3, 12, 17, 32),
        pick(1, 2, 3, 5), pick(1, 2, 3, 4), (pick(1, 2, 3), pick(1, 2, 3)),
        (pick(0, 1, 3), pick(1, 2), pick(0, 1, 2), pick(1, 3)), (pick(1, 1, 2), pick(1, 1, 3)), groups,
    )  # fmt: skip
    if min(case.out[2:]) < 1:
        case = case._replace(dilation=(1, 1), h=9, w=9)
    for rule, reference, takes, gives in RULES:
        inputs = arrays(case, takes, float32, seed)
        got = run(rule, inputs, empty(case, gives, float32), **case.attributes)
        scale = reference(*(np.abs(a.astype(np.float64)) for a in inputs), case)
        want = reference(*(a.astype(np.float64) for a in inputs), case)
        assert np.all(np.abs(got - want) <= 2e-6 * scale + 1e-30), case


@pytest.mark.parametrize("case", FEW, ids=str)
def test_gradients_are_adjoint(case):
    """<conv(x, w), g> = <x, dx> = <w, dw>."""
    double = as_dtype("float64")
    x, w, g = arrays(case, ("x", "weights", "out"), double)
    y = run(plan_conv2d, [x, w], empty(case, "out", double), **case.attributes)
    dx = run(plan_conv2d_input_gradient, [g, w], empty(case, "x", double), **case.attributes)
    dw = run(plan_conv2d_weight_gradient, [x, g], empty(case, "weights", double), **case.attributes)
    scale = np.abs(y * g).sum()
    assert abs((y * g).sum() - (x * dx).sum()) < 1e-13 * scale
    assert abs((y * g).sum() - (w * dw).sum()) < 1e-13 * scale


# -- bits ------------------------------------------------------------------------------------------------------------


@each_rule
@pytest.mark.parametrize("case", FEW, ids=str)
def test_strides_do_not_matter(rule, reference, takes, gives, case):
    inputs = arrays(case, takes, float32)
    want = run(rule, inputs, empty(case, gives, float32), **case.attributes)
    for changed in zip(*(planes.views(a) for a in inputs)):
        assert same_bits(want, run(rule, changed, empty(case, gives, float32), **case.attributes))


@each_rule
@pytest.mark.parametrize("case", FEW, ids=str)
def test_dealing_does_not_matter(rule, reference, takes, gives, case):
    inputs = arrays(case, takes, float32)
    want = run(rule, inputs, empty(case, gives, float32), **case.attributes)
    for seed, grain in enumerate((None, 1, 3, 10**6)):
        out = empty(case, gives, float32)
        plan, addresses = planes.planned(rule, inputs, [out], **case.attributes)
        planes.shuffled(plan, addresses, seed, grain)
        assert same_bits(want, out)


@pytest.mark.parametrize("rule, reference, takes, gives", RULES[:2], ids=["forward", "input"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_both_ways_form_the_same_chains(rule, reference, takes, gives, case, monkeypatch):
    inputs = arrays(case, takes, float32)
    found = []
    for cost in (-1.0, 1e99):
        monkeypatch.setattr(conv.conv_channels, "cycles", lambda s, cost=cost: cost)
        found.append(run(rule, inputs, empty(case, gives, float32), **case.attributes))
    assert same_bits(*found)


def test_a_sum_is_one_chain_in_order():
    """Against the C library's fused multiply-add, product by product."""
    fmaf = ctypes.CDLL("libm.so.6").fmaf
    fmaf.restype, fmaf.argtypes = ctypes.c_float, [ctypes.c_float] * 3
    case = Case(1, 3, 4, 5, 2, 3, 2, (1, 2), (1, 1, 1, 0))
    x, w = arrays(case, ("x", "weights"), float32)
    got = run(plan_conv2d, [x, w], empty(case, "out", float32), **case.attributes)
    want = np.zeros(case.out, np.float32)
    for c in range(case.c):
        for r, s, padded, view in windows(x, case):
            for place in np.ndindex(case.out):
                n, k, p, q = place
                want[place] = fmaf(padded[view][n, c, p, q], w[k, c, r, s], want[place])
    assert same_bits(got, want)

    g = arrays(case, ("out",), float32)[0]
    got = run(plan_conv2d_input_gradient, [g, w], empty(case, "x", float32), **case.attributes)
    want = np.zeros(case.x, np.float32)
    for k in range(case.k):
        for r, s in itertools.product(reversed(range(case.r)), reversed(range(case.s))):
            for place in np.ndindex(case.x):
                n, c, h, j = place
                p, row_rest = divmod(h + case.padding[0] - r, case.stride[0])
                q, column_rest = divmod(j + case.padding[2] - s, case.stride[1])
                if row_rest or column_rest or not (0 <= p < case.out[2] and 0 <= q < case.out[3]):
                    continue
                want[place] = fmaf(g[n, k, p, q], w[k, c, r, s], want[place])
    assert same_bits(got, want)


@pytest.mark.parametrize("cpu", ["haswell", "x86-64"])
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="names of x86 CPUs")
def test_lesser_cpus_give_the_same_bits(cpu, tmp_path):
    program = """
        import sys
        import numpy as np
        sys.path[:0] = {paths!r}
        from test_conv import CASES, RULES, arrays, empty, float32, run
        found = {{}}
        for number in (0, 1, 3, 7, 13, 14, 17):
            for rule, _, takes, gives in RULES:
                case = CASES[number]
                out = run(rule, arrays(case, takes, float32), empty(case, gives, float32), **case.attributes)
                found[f"{{number}} {{rule.__name__}}"] = out
        np.savez({file!r}, **found)
    """
    here = os.path.dirname(__file__)
    file = str(tmp_path / "bits.npz")
    program = textwrap.dedent(program).format(paths=[here, os.path.dirname(here)], file=file)
    environment = {**os.environ, "ANFORA_CPU": cpu}
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr
    for name, there in np.load(file).items():
        number, rule_name = name.split()
        [(rule, _, takes, gives)] = [row for row in RULES if row[0].__name__ == rule_name]
        case = CASES[int(number)]
        here_bits = run(rule, arrays(case, takes, float32), empty(case, gives, float32), **case.attributes)
        assert same_bits(here_bits, there), name


# -- memory ----------------------------------------------------------------------------------------------------------


@each_rule
@pytest.mark.parametrize("at_end", [True, False], ids=["end", "begin"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_nothing_outside_is_touched(rule, reference, takes, gives, at_end, case):
    """Half precision widens while it copies, float32 is read in place: both must stay inside."""
    for dtype in ("float32", "float16") if case in FEW else ("float32",):
        kind = as_dtype(dtype)
        inputs = arrays(case, takes, kind)
        want = run(rule, inputs, empty(case, gives, kind), **case.attributes)
        out = guarded(empty(case, gives, kind), at_end)
        assert same_bits(want, run(rule, [guarded(a, at_end) for a in inputs], out, **case.attributes))


@each_rule
def test_nothing_is_left_of_what_scratch_held(rule, reference, takes, gives, monkeypatch):
    """Scratch comes as it is; full of NaN here."""
    plain = planes.plain
    original = plain.ctypes.create_string_buffer

    def dirty(size):
        return original(b"\xff" * size, size)

    for case in FEW:
        inputs = arrays(case, takes, float32)
        want = run(rule, inputs, empty(case, gives, float32), **case.attributes)
        with monkeypatch.context() as patch:
            patch.setattr(plain.ctypes, "create_string_buffer", dirty)
            assert same_bits(want, run(rule, inputs, empty(case, gives, float32), **case.attributes))


# -- epilogue --------------------------------------------------------------------------------------------------------


def bias_and_more(total, bias, full):
    """An epilogue with both kinds of operands: max(total + bias, 0) * full."""
    fn = total.fn
    s = total + bias
    return fn.select(s > 0, s, 0.0) * full


@pytest.mark.parametrize("rule, reference, takes, gives", RULES[:2], ids=["forward", "input"])
@pytest.mark.parametrize("case", FEW, ids=str)
def test_an_epilogue_equals_steps_of_their_own(rule, reference, takes, gives, case):
    inputs = arrays(case, takes, float32)
    rng = np.random.default_rng(1)
    shape = getattr(case, gives)
    bias, full = rng.standard_normal(shape[1]).astype(np.float32), rng.standard_normal(shape).astype(np.float32)
    plain_sum = run(rule, inputs, empty(case, gives, float32), **case.attributes)
    want = np.maximum(plain_sum + bias[:, None, None], np.float32(0)) * full
    for operand in (full, planes.views(full)[1]):
        operands = [(bias, "k"), (operand, "full")]
        out = empty(case, gives, float32)
        got = run(rule, inputs, out, operands=operands, epilogue=bias_and_more, **case.attributes)
        assert same_bits(want, got)
    guarded_operands = [(guarded(bias), "k"), (guarded(full), "full")]
    out = guarded(empty(case, gives, float32))
    assert same_bits(want, run(rule, inputs, out, operands=guarded_operands, epilogue=bias_and_more, **case.attributes))


def test_half_precision_is_rounded_once():
    half = as_dtype("float16")
    case = CASES[1]
    x, w = arrays(case, ("x", "weights"), half)
    wide = run(
        plan_conv2d, [x.astype(np.float32), w.astype(np.float32)], empty(case, "out", float32), **case.attributes
    )
    got = run(plan_conv2d, [x, w], empty(case, "out", half), epilogue=lambda total: total * 3.0, **case.attributes)
    assert same_bits(got, (wide * np.float32(3)).astype(np.float16))


# -- special values --------------------------------------------------------------------------------------------------


@each_rule
@pytest.mark.parametrize("special", [np.inf, np.nan])
@pytest.mark.parametrize("case", FEW, ids=str)
def test_special_values_reach_what_sees_them_and_nothing_else(rule, reference, takes, gives, special, case):
    """One element of each operand in turn: exactly the outputs that depend on it change."""
    clean = [np.abs(a) + np.float32(0.5) for a in arrays(case, takes, float32)]
    for number in range(2):
        for place in (0, clean[number].size // 2, clean[number].size - 1):
            inputs = [a.copy() for a in clean]
            inputs[number].flat[place] = special
            with np.errstate(invalid="ignore"):
                want = reference(*(a.astype(np.float64) for a in inputs), case)
            got = run(rule, inputs, empty(case, gives, float32), **case.attributes)
            if reference is input_gradient and number == 1:
                # The chain of the input gradient multiplies the zeros around g; the reference leaves them out.
                assert np.all(np.isfinite(got[:, ~_sees(case, want, place)]))
                assert np.all(~np.isfinite(got) | np.isfinite(want))
            else:
                assert np.array_equal(np.isfinite(got), np.isfinite(want))


def _sees(case, want, place):
    """Which input channels a weight belongs to."""
    k, c, _, _ = np.unravel_index(place, case.weights)
    seen = np.zeros(case.c, bool)
    seen[k // (case.k // case.groups) * (case.c // case.groups) + c] = True
    return seen


def test_padding_is_an_explicit_zero():
    case = Case(1, 1, 4, 20, 16, 3, 3, padding=(1, 1, 1, 1))
    x, w = arrays(case, ("x", "weights"), float32)
    w[:, :, 0, 0] = np.inf
    got = run(plan_conv2d, [x, w], empty(case, "out", float32), **case.attributes)
    assert np.all(np.isnan(got[:, :, 0])) and np.all(np.isnan(got[:, :, :, 0]))
    assert np.all(np.isinf(got[:, :, 1:, 1:]))


def test_a_zero_sum_is_positive():
    case = CASES[2]
    x, w = (np.full(getattr(case, name), -0.0, np.float32) for name in ("x", "weights"))
    tiny = np.full(case.x, -1e-30, np.float32)
    for left, right in ((x, w), (tiny, np.full(case.weights, 1e-30, np.float32))):
        got = run(plan_conv2d, [left, right], empty(case, "out", float32), **case.attributes)
        assert not np.signbit(got).any() and not got.any()


# -- edges -----------------------------------------------------------------------------------------------------------


@each_rule
def test_an_empty_batch(rule, reference, takes, gives):
    case = Case(0, 3, 8, 8, 16, 3, 3)
    out = run(rule, arrays(case, takes, float32), empty(case, gives, float32), **case.attributes)
    assert out.size == 0 or not out.any()


@each_rule
def test_integers_are_refused(rule, reference, takes, gives):
    case = Case(1, 3, 8, 8, 16, 3, 3)
    with pytest.raises(NotImplementedError):
        run(rule, arrays(case, takes, int32), empty(case, gives, int32), **case.attributes)


def test_long_weight_sums_stay_accurate():
    """100,000 products of like sign a weight: pieces keep the error far below that of one chain."""
    for k in (4, 16):
        case = Case(32, 1, 58, 58, k, 3, 3)
        rng = np.random.default_rng(0)
        x, g = (rng.random(shape).astype(np.float32) for shape in (case.x, case.out))
        got = run(plan_conv2d_weight_gradient, [x, g], empty(case, "weights", float32), **case.attributes)
        want = weight_gradient(x.astype(np.float64), g.astype(np.float64), case)
        assert np.max(np.abs(got / want - 1)) < 3e-6


def test_chunks_are_neither_tiny_nor_many():
    for case in (CASES[0]._replace(n=64), CASES[1]._replace(n=64), Case(32, 64, 56, 56, 64, 3, 3, padding=(1,) * 4)):
        for rule, _, takes, gives in RULES:
            inputs = [np.zeros(getattr(case, name), np.float32) for name in takes]
            plan, _ = planes.planned(rule, inputs, [empty(case, gives, float32)], **case.attributes)
            largest = max(plan.steps, key=lambda step: step.chunks)
            assert 8 <= largest.chunks <= 64
