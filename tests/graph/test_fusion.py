"""Fused loops: the bits of the single ones, and what may not be fused stays apart."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorder import Recording, bits, check
from row import MARKS

import anfora
from anfora import Tensor, bfloat16, bool_, float16, float32, float64, int8, int32, ops, uint8
from anfora.core.abstract import TensorType
from anfora.core.errors import AnforaError
from anfora.core.op import registry
from anfora.eager.entry import entry_for
from anfora.graph.lower.fusion import fuse
from anfora.graph.lower.lower import Lowering
from anfora.graph.passes.pipeline import without_passes

pytestmark = MARKS

TYPES = (float32, float16, bfloat16, float64, int32, int8, uint8, bool_)


def normal(*shape, dtype=float32, seed=0):
    return Tensor(np.random.default_rng(seed).normal(0, 3, shape).astype(np.float32)).astype(dtype)


def steps(function, *tensors):
    """How many tasks are left of a function, before and after fusion."""
    segment = Recording(function, list(tensors)).segment()
    tasks = Lowering(segment.inputs, segment.calls, segment.outputs).tasks
    return len(tasks), len(fuse(tasks))


def checked(function, *tensors, expect):
    """Compare fused, single and PyNative mode's results; `expect` says how many tasks are left."""
    check(function, *tensors)
    with without_passes("fuse_loops"):
        check(function, *tensors)
    assert steps(function, *tensors)[1] == expect


# -- what is fused ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TYPES[:4])
@pytest.mark.parametrize("shape", [(), (1,), (5, 7), (1000, 70), (3, 5, 257)])
def test_a_chain_is_one_loop(dtype, shape):
    x, y = normal(*shape, dtype=dtype), normal(*shape, dtype=dtype, seed=1)
    checked(lambda x, y: ops.tanh(ops.exp(x * y) + x) * 0.3 - y, x, y, expect=1)


def test_a_value_is_rounded_between_members():
    x = Tensor(np.float32([1 + 2**-9, 3.3333, 65504.0, 1e-7])).astype(float16)
    checked(lambda x: x * x * x / 3 + x, x, expect=1)
    checked(lambda x: (x.astype(float32) * x.astype(float32)).astype(bfloat16).astype(float64) * 1.1, x, expect=1)


def test_types_of_different_width():
    x = normal(7, 300)
    checked(lambda x: ((x > 0).astype(float64) * x.astype(float64) + 0.5).astype(int8) + 1, x, expect=1)
    checked(lambda x: ops.where(x > 1, ops.exp(x), x.astype(float16)) * (x != 0), x, expect=1)
    checked(lambda x: ~(x > 0) & (x.astype(int32) < 3) | (x.astype(bool_) ^ True), x, expect=1)


def test_a_graph_with_several_users_and_results():
    def program(x, y):
        a = x * y
        b, c = ops.sin(a), a + 1
        return a, b * c, c - b

    checked(program, normal(40, 30), normal(40, 30, seed=1), expect=1)


def test_independent_branches_that_meet():
    def program(x, y):
        a, b = ops.exp(x) + 1, ops.tanh(y) * 2
        return a / b

    checked(program, normal(40, 30), normal(40, 30, seed=1), expect=1)


def test_broadcast_operands():
    row, column, one = normal(128, seed=1), normal(70, 1, seed=2), normal(seed=3)
    checked(lambda x, r, c, o: ops.relu((x + r) * c - o) * 2 + r, normal(70, 128), row, column, one, expect=1)


def test_intermediates_that_nobody_needs_are_not_stored():
    x = normal(1000)
    segment = Recording(lambda x: ops.exp(x * 2 + 1) - x, [x]).segment()
    assert len(segment._fresh) == 1  # the output, and no arena


def test_a_write_in_place_joins_the_loop():
    def program(w, m, g):
        ops.copy_to(m, m * 0.9 + g)
        ops.copy_to(w, w - m * 0.1)
        return ops.exp(w)

    w, m, g = (normal(50, 40, seed=i) for i in range(3))
    checked(program, w, m, g, expect=1)


def test_groups_are_limited():
    def program(x):
        for _ in range(30):
            x = ops.relu(x * 0.9 + 0.1)
        return x

    check(program, normal(300))
    before, after = steps(program, normal(300))
    assert before == 90 and 4 <= after <= 6
    many = [normal(300, seed=i) for i in range(30)]
    check(lambda *xs: sum(xs), *many)
    assert steps(lambda *xs: sum(xs), *many)[1] >= 3


def elementwise_operators():
    """All operators of one or two floating-point tensors that are one elementwise step."""
    found = []
    layout = TensorType(float16, (3,)).contiguous  # what takes it takes float32
    for name, op in sorted(registry.items()):
        count = len(op.tensors)
        if count in (1, 2) and not op.attributes and op.kernel_rule and not op.is_random and op.writes is None:
            try:
                entry = entry_for(op, (layout,) * count, ())
            except (AnforaError, IndexError, AttributeError):  # it needs other tensors, so it is not elementwise
                continue
            if entry.program is not None and [step.elements is not None for step in entry.program.plan.steps] == [True]:
                found.append((name, count))
    return found


@pytest.mark.parametrize("dtype", [float32, float16])
@pytest.mark.parametrize("name, count", elementwise_operators())
def test_any_operator_in_the_company_of_wider_and_narrower_ones(name, count, dtype):
    random = np.random.default_rng(0)
    special = np.float32([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-38, 1.0, -1.0, 88.8, -103.9, 127.5, 3.4e38])
    tensors = []
    for _ in range(count):
        values = random.integers(0, 2**32, 2000, np.uint32).view(np.float32)
        values = np.concatenate([values, random.normal(0, 20, 2000).astype(np.float32), np.tile(special, 13)])
        tensors.append(Tensor(random.permutation(values)).astype(dtype))
    op = registry[name]
    check(lambda *xs: op(*xs).astype(float64) + 0.0, *tensors, any_nan=True)
    check(lambda *xs: op(op(*xs).astype(dtype), *xs[1:]).astype(bool_), *tensors, any_nan=True)


def test_nan_keeps_its_sign():
    x = Tensor(np.random.default_rng(0).integers(0, 2**32, 5000, np.uint32).view(np.float32))
    for op in (ops.neg, ops.abs, ops.exp, ops.relu, ops.logsigmoid, lambda x: x * 2, lambda x: 1 - x):
        check(lambda x, op=op: (0.0 + op(x), op(-op(x)) * 3, op(x).astype(float64) - 0.0), x)


# -- what stays apart -------------------------------------------------------------------------------------------------


def test_what_others_need_in_between():
    def program(x):
        a = x * 2
        total = a.sum()
        return (a + 1) * total

    checked(program, normal(40, 30), expect=3)


def test_a_write_between_members():
    def program(x, y):
        a = x * y
        y[:, 1:] = 3
        return a + y, y * 2 + x

    checked(program, normal(40, 70), normal(40, 70, seed=1), expect=4)


def test_a_part_that_is_written():
    def program(x):
        a = x * 2
        a[1:] = a[:-1] + 1
        a[:, ::2] = 0
        return ops.exp(a) + a

    check(program, normal(40, 70))

    def shifted(x):
        ops.copy_to(x, x[::-1] * 2)
        return x + x[::-1]

    check(shifted, normal(40, 70))


def test_rows_that_can_fail():
    def program(x, i):
        ops.copy_to(x, x * 2 + 1)
        j = (i + 1) // i
        ops.copy_to(x, x * 3)
        return x + j

    x = normal(3)
    check(program, x, Tensor([1, 2, 3]))
    check(program, x, Tensor([1, 0, 3]), fails=True)


def test_short_rows_and_strided_operands():
    checked(lambda x, r: ops.exp(x * 2 + 1) + r, normal(200, 10), normal(10), expect=2)
    checked(lambda x, y: ops.exp(x * 2 + 1) + y.T, normal(30, 30), normal(30, 30), expect=2)


def test_other_shapes():
    checked(lambda x, y: (x * 2 + 1) * (y * 2 + 1), normal(70, 128), normal(128), expect=2)


# -- kernels ----------------------------------------------------------------------------------------------------------


def test_equal_groups_share_a_kernel_and_other_shapes_compile_nothing():
    from anfora.kernel.loops import elementwise

    def program(x):
        return ops.exp(x * 2) + ops.sin(x) * 3

    check(program, normal(300))
    made = len(elementwise._made)
    for shape in ((301,), (7, 80), (2, 3, 4)):
        check(program, normal(*shape))
    check(lambda x: ops.exp(x * 5) + ops.sin(x) * 7, normal(90))
    assert len(elementwise._made) == made


def test_kernels_are_found_again_by_another_process():
    program = textwrap.dedent("""
        import hashlib
        from anfora import ops
        from anfora.kernel import bodies
        from anfora.kernel.build import code_key
        from anfora.kernel.compose import Composed, Given, Made, Member
        first, second = Given(0), Made(0, 0, "f16", "f16", "f32")
        body = Composed((Member(bodies.exp, (first,)), Member(bodies.tanh, (second,))), ((1, 0),))
        hash(body)
        print(hashlib.sha256(code_key((body, "f32")).encode()).hexdigest())
    """)
    keys = {subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout for _ in range(2)}
    assert len(keys) == 1 and len(keys.pop()) == 65


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_change_no_bit(threads):
    before = anfora.get_num_threads()
    anfora.set_num_threads(threads)
    try:
        check(lambda x, y: ops.tanh(x * y + 1) / (ops.exp(y) + x), normal(700, 701), normal(701, seed=1))
    finally:
        anfora.set_num_threads(before)


# -- at random --------------------------------------------------------------------------------------------------------

UNARY = ("relu", "exp", "tanh", "neg", "abs", "sin", "sqrt", "square", "sign", "floor")
BINARY = ("add", "mul", "sub", "maximum", "minimum", "less", "equal", "atan2")


@settings(max_examples=100)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([*UNARY, *BINARY, "cast", "cast", "write", "write", "part", "sum", "turn", "select"]),
            st.integers(0, 30),
            st.integers(0, 30),
        ),
        min_size=2,
        max_size=40,
    ),
    st.sampled_from([(66, 66), (3, 3), (70, 70)]),
    st.sampled_from(TYPES[:4]),
)
def test_random_programs(drawn, shape, dtype):
    def program(x, y, row):
        values = [x, y, row * ops.ones(shape, float32), x.astype(float16)]
        for name, i, j in drawn:
            a, b = values[-1 - i % len(values)], values[-1 - j % len(values)]
            if name in UNARY:
                a = a if a.dtype.is_float else a.astype(float32)
                values.append(getattr(ops, name)(a))
            elif name in BINARY:
                a, b = (v.astype(int32) if v.dtype is bool_ else v for v in (a, b))
                values.append(getattr(ops, name)(a, b))
            elif name == "cast":
                values.append(a.astype(TYPES[j % len(TYPES)]))
            elif name == "write":
                ops.copy_to(a, b)
            elif name == "part":
                a[i % shape[0] // 2 :] = b[: shape[0] - i % shape[0] // 2]
            elif name == "sum":
                values.append(a.astype(float32).sum(0) + b.astype(float32))
            elif name == "turn":
                values.append(a.T if j % 2 else a[::-1])
            else:
                values.append(ops.where(a.astype(bool_), b, row))
        return values[4::3] or [x]

    tensors = normal(*shape, dtype=dtype), normal(*shape, seed=1), normal(shape[1], seed=2)
    check(program, *tensors, any_nan=True)
    with without_passes("fuse_loops"):
        check(program, *tensors, any_nan=True)


def test_bits_tells_nan_and_signed_zeros_apart():
    assert not np.array_equal(bits(np.float32([0.0])), bits(np.float32([-0.0])))
    assert np.array_equal(bits(np.float32([np.nan])), bits(np.float32([np.nan])))
