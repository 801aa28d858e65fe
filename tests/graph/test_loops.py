"""Native loops: the bits, the errors and the objects of the loop that Python runs, whichever engine serves it."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest
from outcomes import assert_stops_at_an_interrupt, bits, in_threads, written_by_another_thread

from anfora import (
    Parameter,
    Tensor,
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    get_num_threads,
    int32,
    int64,
    jit,
    nn,
    ops,
    set_num_threads,
    uint8,
    value_and_grad,
)  # fmt: skip
from anfora.core.errors import AnforaError
from anfora.graph.lower import loops
from anfora.kernel import repeat

NEVER = 1 << 60


class Counts:
    """How often each engine was called."""

    programs = scalars = 0


@pytest.fixture
def counts(monkeypatch):
    counts = Counts()
    run, scalar = repeat.repeat, repeat.run_scalar_loop

    def counted_run(*args):
        counts.programs += 1
        return run(*args)

    def counted_scalar(*args):
        counts.scalars += 1
        return scalar(*args)

    monkeypatch.setattr(repeat, "repeat", counted_run)
    monkeypatch.setattr(repeat, "run_scalar_loop", counted_scalar)
    return counts


@pytest.fixture(params=[1, NEVER], ids=["scalar", "program"])
def engine(request, monkeypatch):
    """Scalar loops get their kernel at once, or never."""
    monkeypatch.setattr(loops, "SCALAR_AFTER", request.param)
    return request.param


def same(function, *calls, times=3):
    """Compare a compiled function with itself undecorated, on several argument lists, several times."""
    compiled = jit(function)
    for _ in range(times):
        for args in calls:
            before = [bits(x) for x in args]
            got = compiled(*args)
            assert [bits(x) for x in args] == before, "an argument was written to"
            assert bits(got) == bits(function(*args))
    return compiled


def steps(*numbers, dtype=None):
    return [Tensor(n, dtype) for n in numbers]


# -- scalars ----------------------------------------------------------------------------------------------------------


def count(x, n):
    i = Tensor(0)
    while i < n:
        x = x * 1.0001 + 0.5
        i = i + 1
    return x, i


def test_numbers_of_iterations(engine, counts):
    same(count, *((Tensor(1.5), Tensor(n)) for n in (7, 0, 1, 2, 3, 4, 5, 100, 70_000)))
    assert (counts.scalars if engine == 1 else counts.programs) >= 10


@pytest.mark.parametrize("dtype", [float32, float16, bfloat16, float64])
def test_recurrences(engine, counts, dtype):
    def logistic(x, r, n):
        i = Tensor(0, int32)
        while i < n:
            x = r * x * (1 - x)
            y = ops.tanh(x) + ops.exp(-x)
            i += 1
        return x, y

    same(logistic, *((Tensor(0.3, dtype), Tensor(3.7, dtype), Tensor(n, int32)) for n in (5, 1, 2, 3, 1000)))
    assert counts.programs + counts.scalars > 5


@pytest.mark.parametrize("dtype", [int64, int32, uint8])
def test_integers(engine, counts, dtype):
    def mix(a, b, n):
        while n > 0:
            a = a * 3 + b
            b = (b ^ a) & 127
            n = n - 1
        return a, b, n

    same(mix, *((*steps(3, 5, dtype=dtype), Tensor(n, dtype)) for n in (4, 1, 2, 3, 200)))
    assert counts.programs + counts.scalars > 3


def test_bools(engine, counts):
    def toggle(on, n):
        i = Tensor(0)
        going = n > 0
        while going:
            on = ops.logical_not(on)
            i = i + 1
            going = i < n
        return on, going, i

    same(toggle, *((Tensor(True, bool_), Tensor(n)) for n in (4, 0, 1, 2, 3, 99)))
    assert counts.programs + counts.scalars > 3


@pytest.mark.parametrize("dtype", [float32, float16, bfloat16, float64, int32, uint8])
def test_the_truth_of_a_number(engine, counts, dtype):
    def down(x):
        while x:
            x = x - 1
        return x

    def until(x, low):
        while not (x <= low):
            x = x - 1
        return x

    def to_nan(x):
        while x * 0 == 0:
            x = x * x
        return x

    same(down, *([Tensor(n, dtype)] for n in (5, 0, 1, 2, 3, 60)))
    same(until, *((Tensor(n, dtype), Tensor(3, dtype)) for n in (8, 3, 4, 5, 60)))
    if dtype.is_float:
        same(to_nan, [Tensor(2.0, dtype)], [Tensor(1.5, dtype)])
        same(lambda x: _negative_zero(x), [Tensor(-5.0, dtype)])
    assert counts.programs + counts.scalars > 3


def _negative_zero(x):
    while x:
        x = ops.trunc(x * 0.7)
    return x


def test_a_nan_is_true(engine):
    def go(x, n):
        i = Tensor(0.0)
        while ops.where(i < n, x, x * 0 + i * 0):
            i = i + 1
        return i

    same(go, [Tensor(np.float32(2)), Tensor(50.0)])
    same(go, [Tensor(np.float32(-0.5)), Tensor(50.0)])

    def nan(x, n):
        i = Tensor(0)
        while ops.where(i < n, x, ops.zeros_like(x)):
            i = i + 1
        return i

    same(nan, [Tensor(float("nan")), Tensor(50)], [Tensor(-0.0), Tensor(50)])


def test_a_condition_that_is_a_copy(engine, counts):
    def copied(x, n):
        i = Tensor(0)
        while x.copy():
            x = ops.where(i < n, x, x * -0.0)
            i = i + 1
        return x, i

    same(copied, *([Tensor(2.0, dtype), Tensor(n)] for dtype in (float32, float16) for n in (6, 1, 2, 3)))
    assert counts.programs + counts.scalars > 3


def test_values_that_move_from_name_to_name(engine, counts):
    def fibonacci(a, b, n):
        i = Tensor(0)
        while i < n:
            a, b = b, a + b
            i = i + 1
        return a, b

    def chain(a, b, c, d, n):
        i = Tensor(0)
        while i < n:
            a, b, c, d = b, c, d, a + d
            i = i + 1
        return a, b, c, d

    calls = [(Tensor(0), Tensor(1), Tensor(n)) for n in (30, 0, 1, 2, 3, 4)]
    same(fibonacci, *calls)
    same(chain, *((*steps(1, 2, 3, 4), Tensor(n)) for n in (30, 1, 2, 3, 4, 5, 6)))
    assert counts.programs + counts.scalars > 5


def test_values_that_change_places(engine, counts):
    def swap(a, b, n):
        i = Tensor(0)
        while i < n:
            a, b = b, a
            i = i + 1
        return a * 2 + b

    same(swap, *((Tensor(3), Tensor(4), Tensor(n)) for n in (6, 1, 2, 3)))
    assert not counts.programs + counts.scalars


def test_the_last_value_but_one(engine, counts):
    def converge(x):
        before = x + 1
        while ops.abs(x - before) > 1e-6:
            before = x
            x = ops.cos(x)
        return before, x

    same(converge, [Tensor(0.3)], [Tensor(0.7390851)], [Tensor(10.0)])
    assert counts.programs + counts.scalars > 2


def test_objects_are_the_arguments_where_python_gives_them(engine):
    def last(a, b, n):
        i = Tensor(0)
        while i < n:
            a, b = b, a + b
            i = i + 1
        return a, b

    def keep(x, best, n):
        i = Tensor(0)
        while i < n:
            best = x
            i = i + 1
        return best

    f, g = jit(last), jit(keep)
    for _ in range(5):
        for n in (5, 0, 1, 2):
            a, b, x = Tensor(1.0), Tensor(2.0), Tensor(3.0)
            first, second = f(a, b, Tensor(n))
            want = last(a, b, Tensor(n))
            assert (first is a, first is b, second is b) == (want[0] is a, want[0] is b, want[1] is b)
            assert first._array is not second._array
            assert g(x, a, Tensor(n)) is (x if n else a)


def test_temporaries_and_views(engine, counts):
    def body(x, n):
        i = Tensor(0)
        while i[None][0] < n:
            y = x * 2
            z = ops.sin(y)
            x = z + x
            i = i + 1
        return x, y, z

    same(body, *((Tensor(0.1), Tensor(n)) for n in (9, 1, 2, 3)))
    assert counts.programs + counts.scalars > 2


def test_constants_and_other_elements_of_tensors(engine, counts):
    def walk(limits, x):
        done = Tensor(0)
        while x < limits[1]:
            x = x * limits[0] + Tensor(0.25)
            done = Tensor(7)
        return x, done

    same(walk, [Tensor([1.5, 100.0]), Tensor(1.0)], [Tensor([2.0, 3.0]), Tensor(1.0)])
    assert counts.programs + counts.scalars > 1


def test_a_number_from_outside(engine, counts):
    def scaled(x, n, factor):
        i = Tensor(0)
        while i < n:
            x = x * factor
            i = i + 1
        return x

    compiled = jit(scaled)
    for factor in (1.5, 1.25, 0.5, 2.0):
        for n in (0, 3, 10):
            assert bits(compiled(Tensor(1.0), Tensor(n), factor)) == bits(scaled(Tensor(1.0), Tensor(n), factor))
    assert counts.programs + counts.scalars > 2


def test_nested_loops(engine, counts):
    def table(x, n, m):
        i = Tensor(0)
        while i < n:
            j = Tensor(0)
            while j < m:
                x = x * 1.01 + i
                j = j + 1
            i = i + 1
        return x

    same(table, *((Tensor(1.0), Tensor(n), Tensor(m)) for n, m in ((4, 6), (0, 3), (3, 0), (1, 1), (5, 2))))
    assert counts.programs + counts.scalars > 3


def test_a_break_and_a_branch(engine):
    def search(x, n):
        i = Tensor(0)
        while i < n:
            if x > 50:
                break
            if i % 3 == 1:
                x = x * 2
            else:
                x = x + 1
            i = i + 1
        return x, i

    same(search, *((Tensor(1.0), Tensor(n)) for n in (4, 0, 1, 2, 3, 100)))


def test_another_type_later(engine):
    def grow(x, n):
        i = Tensor(0)
        while i < n:
            x = x * 1.5
            i = i + 1
        return x

    same(grow, *((Tensor(2, dtype), Tensor(n)) for dtype in (float32, int32, float64, float16) for n in (1, 5)))


def test_without_native_glue(engine, counts, monkeypatch):
    plain = repeat._plain_functions()
    monkeypatch.setattr(repeat, "_functions", lambda: plain)
    same(count, *((Tensor(1.5), Tensor(n)) for n in (7, 0, 1, 2, 3, 100)))
    a, x = ops.randn(9, 9), ops.randn(9)
    same(power, *((a, x, Tensor(n)) for n in (4, 0, 1, 2, 3)))
    assert counts.programs + counts.scalars > 6


def test_a_type_that_changes_on_the_way(engine):
    def narrow(a, b, n):
        i = Tensor(0)
        while i < n:
            a, b = b, (b * 1.01).astype(float16)
            i = i + 1
        return a, b

    def alternate(x, n):
        i = Tensor(0)
        while i < n:
            x = x.astype(float16) if x.dtype == float32 else x.astype(float32) * 1.01
            i = i + 1
        return x

    same(narrow, *((Tensor(1.0), Tensor(2.0), Tensor(n)) for n in (6, 1, 2, 3, 4)))
    same(alternate, *((Tensor(1.3), Tensor(n)) for n in (6, 1, 2, 3, 4)))


# -- arrays -----------------------------------------------------------------------------------------------------------


def power(a, x, n):
    i = Tensor(0)
    while i < n:
        x = a @ x
        x = x / ops.sqrt((x * x).sum())
        i = i + 1
    return x


@pytest.mark.parametrize("size", [1, 3, 64, 300])
def test_power_iteration(counts, size):
    a, x = ops.randn(size, size), ops.randn(size)
    same(power, *((a, x, Tensor(n)) for n in (4, 0, 1, 2, 3, 200)))
    assert counts.programs > 5


def test_results_for_any_number_of_threads(counts):
    a, x = ops.randn(400, 400), ops.randn(400, 400)

    def products(a, x, n):
        i = Tensor(0)
        while i < n:
            x = ops.tanh(a @ x)
            i = i + 1
        return x

    compiled, threads, found = jit(products), get_num_threads(), []
    try:
        for number in (1, 2, 4):
            set_num_threads(number)
            found.append(bits(compiled(a, x, Tensor(6))))
    finally:
        set_num_threads(threads)
    assert found == [bits(products(a, x, Tensor(6)))] * 3
    assert counts.programs >= 2


def test_strided_arguments(counts):
    def step(x, w, n):
        i = Tensor(0)
        while i < n:
            x = x * 2 - w
            i = i + 1
        return x

    base = ops.randn(8, 6)
    same(step, *((base.T, base.T * 2, Tensor(n)) for n in (3, 1, 2)))
    same(step, *((base[::2, ::-1], base[1::2], Tensor(n)) for n in (3, 1, 2)))
    same(step, *((base[0], base[1:], Tensor(n)) for n in (3, 1, 2)))


def test_a_condition_of_one_element_in_two_axes(counts):
    def shrink(x):
        while (x * x).sum(axis=(0, 1), keepdims=True) > 1:
            x = x * 0.5
        return x

    same(shrink, [ops.randn(3, 4) * 100], [ops.randn(3, 4) * 0.01], [ops.randn(5, 4) * 7])
    assert counts.programs > 2


def test_writes_to_what_the_loop_makes(counts):
    def fill(x, n):
        i = Tensor(0)
        while i < n:
            x = x * 2
            x[1] = i.astype(float32)
            i = i + 1
        return x

    same(fill, *((ops.randn(4), Tensor(n)) for n in (5, 1, 2, 3)))
    assert counts.programs > 2


def test_writes_to_arguments():
    def fill(x, n):
        i = Tensor(0)
        while i < n:
            x[1] = x[0] + i
            i = i + 1
        return x * 1

    compiled = jit(fill)
    for n in (5, 1, 2, 3, 9):
        x, y = Tensor([1.0, 2.0]), Tensor([1.0, 2.0])
        assert bits(compiled(x, Tensor(n))) == bits(fill(y, Tensor(n)))
        assert bits(x) == bits(y)


def test_parameters(counts):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(ops.randn(8, 8) * 0.3, name="weight")

        def construct(self, x, n):
            i = Tensor(0)
            while i < n:
                weight = self.weight
                x = ops.tanh(weight @ x)
                i = i + 1
            return x

    net = Net()
    net.weight.requires_grad = False
    compiled = jit(net.construct)
    for _ in range(2):
        for n in (6, 0, 1, 2, 3, 40):
            x = ops.randn(8)
            assert bits(compiled(x, Tensor(n))) == bits(net.construct(x, Tensor(n)))
    assert counts.programs > 3


def test_a_parameter_that_is_carried():
    def double(x, n):
        i = Tensor(0)
        while i < n:
            x = x * 2
            i = i + 1
        return x

    parameter = Parameter(Tensor([1.0, 2.0]), name="p", requires_grad=False)
    same(double, [parameter, Tensor(3)], [Tensor([1.0, 2.0]), Tensor(3)], [parameter, Tensor(0)])


def test_random_numbers():
    from anfora import set_seed

    def walk(x, n):
        i = Tensor(0)
        while i < n:
            x = x + ops.randn(3)
            i = i + 1
        return x

    compiled = jit(walk)
    for n in (6, 1, 2, 30):
        set_seed(5)
        got = compiled(ops.zeros((3,)), Tensor(n)), ops.randn(2)
        set_seed(5)
        assert bits(got) == bits((walk(ops.zeros((3,)), Tensor(n)), ops.randn(2)))


# -- gradients --------------------------------------------------------------------------------------------------------


def test_gradients_are_those_of_python(counts):
    def grow(x, n):
        i = Tensor(0)
        while i < n:
            x = ops.sin(x) * 1.3
            i = i + 1
        return x.sum()

    compiled = jit(grow)
    for n in (5, 0, 1, 2, 3):
        x = ops.randn(4)
        assert bits(compiled(x, Tensor(n))) == bits(grow(x, Tensor(n)))
        got = value_and_grad(lambda x, n=n: compiled(x, Tensor(n)), 0)(x)
        assert bits(got) == bits(value_and_grad(lambda x, n=n: grow(x, Tensor(n)), 0)(x))


def test_a_loop_without_gradient_under_a_tape(counts):
    def go(x, n):
        i = Tensor(0)
        while i < n:
            i = i + 1
        return (x * i).sum()

    compiled = jit(go)
    x = ops.randn(4)
    for n in (5, 0, 1, 2, 3, 50):
        got = value_and_grad(lambda x, n=n: compiled(x, Tensor(n)), 0)(x)
        assert bits(got) == bits(value_and_grad(lambda x, n=n: go(x, Tensor(n)), 0)(x))


# -- errors -----------------------------------------------------------------------------------------------------------


def error_of(function, *args):
    with pytest.raises(Exception) as caught:
        function(*args)
    return type(caught.value), str(caught.value)


@pytest.mark.parametrize("length", [1, 2, 3, 7, 40])
def test_an_error_in_an_iteration(counts, length):
    def walk(table, n):
        i = Tensor(0)
        total = Tensor(0.0)
        while i < n:
            total = total + ops.gather(table, i, 0)
            i = i + 1
        return total

    compiled, table = jit(walk), ops.randn(length)
    same(walk, [table, Tensor(length)], [table, Tensor(0)])
    for n in (3, length, length + 1, length + 9):
        if n <= length:
            assert bits(compiled(table, Tensor(n))) == bits(walk(table, Tensor(n)))
        else:
            assert error_of(compiled, table, Tensor(n)) == error_of(walk, table, Tensor(n))
    assert counts.programs


def test_an_integer_division_by_zero(engine):
    def divide(x, n):
        while n >= 0:
            x = x + 100 // n
            n = n - 1
        return x

    compiled = jit(divide)
    for n in (5, 3, 2):
        args = Tensor(1, int32), Tensor(n, int32)
        try:
            want = bits(divide(*args))
        except AnforaError:
            assert error_of(compiled, *args) == error_of(divide, *args)
        else:
            assert bits(compiled(*args)) == want


# -- threads, signals -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [2, 8])
def test_threads(threads):
    compiled = jit(power)
    scalar = jit(count)
    a = ops.randn(20, 20)
    starts = [ops.randn(20) for _ in range(threads)]
    want = [bits((power(a, x, Tensor(50 + i)), *count(x[0], Tensor(900 + i)))) for i, x in enumerate(starts)]
    wrong = []

    def work(i):
        for _ in range(10):
            got = bits((compiled(a, starts[i], Tensor(50 + i)), *scalar(starts[i][0], Tensor(900 + i))))
            if got != want[i]:
                wrong.append(i)

    in_threads(work, threads)
    assert not wrong


@pytest.mark.parametrize("after", [1, NEVER])
def test_other_threads_run_meanwhile_and_are_heard(after, monkeypatch):
    """The loop ends because another thread writes to a tensor that it looks at."""
    monkeypatch.setattr(loops, "SCALAR_AFTER", after)

    @jit
    def wait(flag, most):
        i = Tensor(0)
        while flag * 1 + i * 0 == 0 and i < most:
            i = i + 1
        return i

    for _ in range(2):
        flag = Tensor(0)
        wait(flag, Tensor(1000))  # all is compiled then
        with written_by_another_thread(flag):
            assert wait(flag, Tensor(1 << 60)).item() > 10


@pytest.mark.parametrize("kind", ["scalar", "program", "shared"])
def test_an_interrupt(kind):
    source = """
        import sys, time
        from anfora import Tensor, jit, ops
        @jit
        def forever(x, n):
            i = Tensor(0)
            while i < n:
                x = {body}
                i = i + 1
            return x
        x = {start}
        for _ in range(3):
            forever(x, Tensor(5000 if x.size == 1 else 3))
        print("ready", flush=True)
        try:
            forever(x, Tensor(1 << 60))
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    body, start = {
        "scalar": ("x * 0.5 + 1", "Tensor(1.0)"),
        "program": ("ops.tanh(x @ x)", "ops.randn(8, 8)"),
        "shared": ("ops.tanh(x @ x)", "ops.randn(700, 700)"),
    }[kind]
    program = textwrap.dedent(source.format(body=body, start=start))
    assert_stops_at_an_interrupt(program)
