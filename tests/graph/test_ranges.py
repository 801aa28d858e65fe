"""Loops over ranges beside the same functions run by Python: bits, types, effects, errors, and how they are compiled."""

from __future__ import annotations

import gc
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from graph_difference import difference
from outcomes import bits

from anfora import (
    Tensor,
    bfloat16,
    explain,
    float16,
    float32,
    float64,
    get_rng_state,
    grad,
    int32,
    int64,
    jit,
    manual_seed,
    nn,
    no_grad,
    ops,
    uint8,
    value_and_grad,
)
from anfora.core.errors import AnforaError
from anfora.graph.ir import text
from anfora.graph.ir.evaluate import evaluate
from anfora.graph.ir.reading import read
from anfora.graph.ir.verify import verify
from anfora.graph.lower import ahead, loops, ranges
from anfora.graph.run import control
from anfora.graph.run.compiled import Compiled
from anfora.graph.run.points import Variant
from anfora.graph.tell.typed import typed

NEVER = 1 << 60


@pytest.fixture(autouse=True)
def rolled_from(monkeypatch):
    """Loops of these lengths stay loops."""
    monkeypatch.setattr(ranges, "ROLLED_FROM", 128)


@pytest.fixture(params=[1, NEVER], ids=["scalar", "program"])
def engine(request, monkeypatch):
    """Scalar loops get their kernel at once, or never."""
    monkeypatch.setattr(loops, "SCALAR_AFTER", request.param)
    return request.param


@pytest.fixture
def natively_at_once(monkeypatch):
    """Python needs to come by a point only twice for an engine."""
    monkeypatch.setattr(control, "NATIVE_AFTER", 2)


@pytest.fixture(params=[True, False], ids=["at once", "one by one"])
def way(request, monkeypatch):
    """How numbers are computed ahead."""
    if not request.param:
        monkeypatch.setattr(ahead.Ahead, "_understands", lambda self, guards: False)


def outcome(function: Callable, args: tuple) -> Any:
    """What a call gives, or its error with the line of the program that it comes from."""
    try:
        return bits(function(*args))
    except AnforaError as error:  # it names the line itself
        return type(error), str(error)
    except Exception as error:
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == __file__]
        return type(error), str(error), lines[-1]


def variants(compiled: Compiled) -> list[Variant]:
    points = {id(p): p for p in (*compiled.program.entries.values(), *compiled.program.points.values())}
    return [variant for point in points.values() for variant in point.variants]


def native_loops(compiled: Compiled) -> int:
    return sum(variant.runner._loop is not None for variant in variants(compiled))


def rows(compiled: Compiled) -> int:
    return sum(len(variant.piece.calls) for variant in variants(compiled))


def check(function: Callable, *calls: tuple, times: int = 3) -> Compiled:
    compiled = jit(function)
    for args in calls:
        expected = outcome(function, args)
        for _ in range(times):
            assert outcome(compiled, args) == expected
    return compiled


def x0() -> Tensor:
    return Tensor([1.0, -2.0, 3.5])


# -- programs ---------------------------------------------------------------------------------------------------------
# Each: x, n -> something. `rolled` loops go round natively; the others are unrolled, or go through Python's pieces.


def counter_unused(x, n):
    for _ in range(n):
        x = x * 1.0001 + 0.5
    return x


def counter_times(x, n):
    for i in range(n):
        x = x * 0.5 + i
    return x


def counter_in_arithmetic(x, n):
    for i in range(n):
        x = x * 0.9 + (i * 0.1 - 3) / (n + 1) - (2 - -i) * 2
    return x


def counter_divides(x, n):
    for i in range(n):
        x = x * 0.9 + 1 / (i + 1)
    return x


def counter_in_powers(x, n):
    for i in range(n):
        x = x * 0.5 + 0.99**i + i // 3 + i % 5
    return x


def steps(x, n):
    for i in range(5, 3 * n, 3):
        x = x * 0.5 + i
    return x, i


def steps_back(x, n):
    for i in range(n, -n, -1):
        x = x * 0.5 + i
    return x, i


def backwards(x, n):
    for i in reversed(range(n)):
        x = x * 0.5 + i
    return x, i


def backwards_by_steps(x, n):
    for i in reversed(range(3, n * 2, 2)):
        x = x * 0.5 + i
    return x, i


def value_behind(x, n):
    for i in range(n):  # noqa: B007
        x = x * 0.5
    return x + i, i, i * 2


def earlier_values(x, n):
    before = last = 0
    for i in range(n):
        x = x * 0.5 + before
        before = last
        last = i
    return x, before, last


def with_else(x, n):
    for _ in range(n):
        x = x * 0.5 + 1
    else:
        x = x + 100
    return x


def two_states(x, n):
    y = x + 1
    for i in range(n):
        x, y = y * 0.5 + i, x
    return x, y


def sum_of_floats(x, n):
    s = 0.0
    for i in range(n):
        s = s + i * 0.25
        x = x * 0.5 + s
    return x, s


def sum_of_ints(x, n):
    s = 0
    for i in range(n):
        x = x * 0.5 + s
        s += i
    return x, s


def nested(x, n):
    for i in range(n):
        x = x * 0.5
        for j in range(n + 7):
            x = x * 0.9 + i + j * 0.5
    return x, i, j


def nested_short(x, n):
    for i in range(n):
        for _ in range(3):
            x = x * 0.9 + i
    return x


def one_behind_the_other(x, n):
    for i in range(n):
        x = x * 0.5 + i
    for i in range(2 * n):
        x = x * 0.25 - i
    return x


def in_a_function(x, n):
    def go(x, a):
        for i in range(n):
            x = x * a + i
        return x

    return go(go(x, 0.5), 0.25)


def matrix(x, n):
    m = ops.ones((3, 3)) * 0.25
    for i in range(n):
        x = m @ x + i
    return x


def no_tensor(x, n):
    s = 0
    for i in range(n):
        s = s + i
    return x, s


def index(x, n):
    w = ops.arange(float(n))
    s = x
    for i in range(n):
        s = s * 0.5 + w[i]
    return s, i


def index_of_rest(x, n):
    s = x
    for i in range(n):
        if i >= n - 2:
            s = s + x[i - n + 2]
        s = s * 0.5
    return s


def parity(x, n):
    for i in range(n):
        x = x * 0.5 if i % 2 else x + i
    return x


def list_of_tensors(x, n):
    found = []
    for i in range(n):
        x = x * 0.5 + i
        found.append(x)
    return found[-1], found[3], len(found)


def list_of_counters(x, n):
    found = []
    for i in range(n):
        x = x * 0.5
        found.append(i)
    return x, found


def float_state(x, n):
    a = 1.0
    for _ in range(n):
        a *= 0.99
        x = x + a
    return x, a


def int_state(x, n):
    k = 0
    for _ in range(n):
        k += 2
        x = x * 0.5 + k
    return x, k


def shape(x, n):
    for i in range(n):
        x = x * 0.5 + ops.ones((1 + i % 3, 1)).sum()
    return x


def texts(x, n):
    found = ""
    for i in range(n):
        x = x * 0.5
        found = f"{i}"
    return x, found


def iterator_in_hand(x, n):
    it = iter(range(n))
    for i in it:
        x = x * 0.5 + i
        if i % 4 == 0:
            next(it, None)
    return x, list(it)


def iterator_back_in_hand(x, n):
    it = reversed(range(n))
    for i in it:
        x = x * 0.5 + i
        if i % 3 == 0:
            next(it, None)
    return x


def zipped(x, n):
    for i, j in zip(range(n), range(n, 2 * n)):
        x = x * 0.5 + i - j
    return x


def enumerated(x, n):
    for k, i in enumerate(range(n)):
        x = x * 0.5 + i - k
    return x


def generated(x, n):
    def items():
        for i in range(n):
            yield i * 0.5

    for a in items():
        x = x * 0.5 + a
    return x


def generated_and_left(x, n):
    def items(x):
        for i in range(n):
            x = x * 0.5 + i
            yield x

    rest = items(x)
    return next(rest), next(rest), list(rest)[-1]


def comprehension(x, n):
    return sum([x * i for i in range(n)])


def changed_counter(x, n):
    for i in range(n):
        i = i * 2
        x = x * 0.5 + i
    return x, i


def deleted_counter(x, n):
    for i in range(n):
        x = x * 0.5 + i
        del i
    return x


def closure_over_counter(x, n):
    for i in range(n):
        x = (lambda y: y * 0.5 + i)(x)
    return x


def list_in_hand(x, n):
    state = [x, 0]
    for i in range(n):
        state[0] = state[0] * 0.5 + i
    return state


def dict_in_hand(x, n):
    state = {"x": x}
    for i in range(n):
        state["x"] = state["x"] * 0.5 + i
    return state["x"]


def early_return(x, n):
    for i in range(n):
        x = x * 0.5 + 1
        if x.sum() < 6.001:
            return x, i
    return x


def broken(x, n):
    for i in range(n):  # noqa: B007
        x = x * 0.5 + 1
        if x.sum() < 6.001:
            break
    else:
        x = x + 100
    return x, i


def continued(x, n):
    for i in range(n):
        x = x * 0.5 + i
        if x.sum() > 20:
            continue
        x = x + 1
    return x, i


def broken_by_counter(x, n):
    for i in range(n):
        x = x * 0.5 + i
        if i == 77:
            break
    return x, i


def types_change(x, n):
    s = 0
    for i in range(n):
        s = s + x * 0.5 + i
    return s


def first_is_special(x, n):
    y = None
    for i in range(n):
        y = x if y is None else y * 0.5 + i
    return y


def in_place(x, n):
    y = x + 0
    for i in range(n):
        y += i
        y[1] = i
    return y


def in_a_try(x, n):
    try:
        for i in range(n):
            x = x * 0.5 + i
        raise ValueError("end")
    except ValueError:
        return x, i


class Case(NamedTuple):
    program: Callable
    loops: int  #: native loops


CASES = [
    Case(counter_unused, 1), Case(counter_times, 1), Case(counter_in_arithmetic, 1), Case(counter_divides, 1),
    Case(counter_in_powers, 1), Case(steps, 1), Case(steps_back, 1), Case(backwards, 1), Case(backwards_by_steps, 1),
    Case(value_behind, 1), Case(earlier_values, 1), Case(with_else, 1), Case(two_states, 1), Case(sum_of_floats, 1),
    Case(sum_of_ints, 1), Case(nested, 1), Case(nested_short, 1), Case(one_behind_the_other, 2), Case(in_a_function, 2),
    Case(matrix, 1), Case(no_tensor, 0), Case(index, 0), Case(index_of_rest, 1), Case(parity, 0),
    Case(list_of_tensors, 0), Case(list_of_counters, 0), Case(float_state, 0), Case(int_state, 0), Case(shape, 0),
    Case(texts, 0), Case(iterator_in_hand, 0), Case(iterator_back_in_hand, 0), Case(zipped, 0), Case(enumerated, 0),
    Case(generated, 0), Case(generated_and_left, 0), Case(comprehension, 0), Case(changed_counter, 1),
    Case(deleted_counter, 1), Case(closure_over_counter, 1), Case(list_in_hand, 1), Case(dict_in_hand, 1),
    Case(early_return, 0), Case(broken, 0), Case(continued, 1), Case(broken_by_counter, 1), Case(types_change, 1),
    Case(first_is_special, 1), Case(in_place, 1), Case(in_a_try, 1),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.program.__name__)
def test_the_bits_are_those_of_python(case):
    compiled = check(case.program, (x0(), 150))
    assert compiled.program.native is None
    assert native_loops(compiled) == case.loops
    assert len(compiled.program.points) < 12


@pytest.mark.parametrize(
    "program", [counter_times, value_behind, nested_short, sum_of_floats, broken], ids=lambda p: p.__name__
)
def test_the_graph_means_the_program(program):
    compiled = check(program, (x0(), 150), times=2)
    for fused in (False, True):
        for made in typed(compiled.program, fused=fused):
            verify(made.graph)
            objects: dict = {}
            exact = text.complete(made.graph, objects)
            assert difference(made.graph, read(exact, objects), complete=True) is None
            assert bits(evaluate(made.graph, x0(), 150)) == outcome(program, (x0(), 150))


NATIVE = [case.program for case in CASES if case.loops]


@pytest.mark.parametrize("program", NATIVE, ids=lambda program: program.__name__)
def test_lengths(program, engine, way):
    lengths = (140, 200, 1, 2, 3, 0, 333, 150) if program not in VALUE_BEHIND else (140, 200, 1, 2, 3, 333, 150)
    compiled = check(program, *((x0(), n) for n in lengths))
    assert compiled.program.native is None
    if program in SHARED:
        recordings = compiled.program.recordings
        last = x0(), 999
        assert outcome(compiled, last) == outcome(program, last)
        assert compiled.program.recordings == recordings


#: Here no number goes into a container or a cell, where its value is guarded.
SHARED = [
    counter_unused, counter_times, counter_in_arithmetic, counter_divides, counter_in_powers, with_else, two_states,
    nested_short, one_behind_the_other, matrix,
]  # fmt: skip
#: These have no value behind a loop without iterations, and Python says so.
VALUE_BEHIND = [steps, steps_back, backwards, backwards_by_steps, value_behind, nested, changed_counter, in_a_try]


@pytest.mark.parametrize("program", VALUE_BEHIND, ids=lambda program: program.__name__)
def test_no_iteration_leaves_no_value(program):
    check(program, (x0(), 150), (x0(), 170), (x0(), 0))


@pytest.mark.parametrize("dtype", [float16, bfloat16, float32, float64, int32, int64], ids=str)
@pytest.mark.parametrize("shape", [(), (5,)], ids=str)
def test_numbers_are_taken_as_dispatch_takes_them(dtype, shape, engine, way):
    def floats(x, n):
        for i in range(n):
            x = x * 0.5 + i * 1e-3 - (i * 70001 + 0.1) + 1e38 * i
        return x

    def ints(x, n):
        for i in range(-n, 3 * n, 2):
            x = x * 3 + i * 16777213 - (5 - i)
        return x

    x = ops.ones(shape, dtype)
    check(floats if dtype not in (int32, int64) else ints, (x, 130), (x, 1300))


def test_exponents():
    def powers(x, n):
        s = x
        for i in range(n):
            s = s * 0.5 + x**i + x ** (i * 0.5)
        return s

    check(powers, (Tensor([0.5, 0.9, 1.1]), 150), (Tensor([0.5, 0.9, 1.1]), 160))


def test_integers_that_do_not_fit(engine, way):
    def bytes_(x, n):
        y = x
        for i in range(n):
            y = x + i
        return y

    compiled = check(bytes_, (Tensor([1, 2], uint8), 200), (Tensor([1, 2], uint8), 256), (Tensor([1, 2], uint8), 300))
    assert compiled.program.native is None


def test_an_error_in_the_middle(engine):
    def look_up(w, x, n):
        k = Tensor(0)
        for _ in range(n):
            x = x * 0.5 + ops.gather(w, k, 0)
            k = k + 1
        return x

    w = ops.arange(300.0)
    check(look_up, (w, Tensor(1.0), 200), (w, Tensor(1.0), 250), (w, Tensor(1.0), 400))


def test_a_division_by_the_counter():
    def reciprocals(x, n):
        for i in range(n, -1, -1):
            x = x * 0.5 + 1 / i
        return x

    check(reciprocals, (x0(), 150), (x0(), 160))


def test_a_division_that_nobody_looks_at():
    def unused(x, n):
        for i in range(n, -1, -1):
            1 / i
            x = x * 0.5
        return x

    def unused_argument(x, a):
        1 / a
        return x * 2

    check(unused, (x0(), 150), (x0(), 160))
    check(unused_argument, (x0(), 2.0), (x0(), 3.0), (x0(), 0.0))


def test_the_counter_goes_to_the_interpreter(capsys):
    def told(x, n):
        for i in range(n):
            x = x * 0.5 + i
            if i % 50 == 0:
                print(i, x.shape)
        return x

    def all_told(x, n):
        for i in range(n):
            x = x * 0.5 + i
            print(i)
        return x

    for program in (told, all_told):
        compiled = jit(program)
        for n in (2000, 2000, 1500):
            want = bits(program(x0(), n))
            printed = capsys.readouterr().out
            assert bits(compiled(x0(), n)) == want
            assert capsys.readouterr().out == printed
        assert compiled.program.native is None
        assert len(compiled.program.points) < 20


def test_long_loops_are_compiled_fast_and_short_ones_are_unrolled():
    long, short = check(counter_times, (x0(), 10_000)), check(counter_times, (x0(), 100))
    assert native_loops(long) == 1 and rows(long) < 10
    assert native_loops(short) == 0 and rows(short) == 200


# -- conditions on the counter ----------------------------------------------------------------------------------------


def every_third(x, n):
    for i in range(n):
        if i % 3 == 0:
            x = x * 0.5
        elif i % 3 == 1:
            x = x + i
    return x


def rows_in_turn(x, n):
    rows = [x * 0.5, x + 1, x - 1]
    for i in range(n):
        x = x * 0.5 + rows[i % 3]
    return x


def words_in_turn(x, n):
    weights = {"even": 0.5, "odd": 0.25}
    for i in range(n):
        x = x * weights[("even", "odd")[i % 2]] + i
    return x


def bits_of_counter(x, n):
    for i in range(n, 0, -1):
        if i // 2 % 2 and not i % 5:
            continue
        x = x * 0.5 + i
    return x, i


def within_another(x, n):
    for i in range(n):
        for k in range(130):
            if (i + k) % 2:
                x = x * 0.5 + k
        if i % 2:
            x = x + 1
    return x


def given_period(x, n, k=3):
    for i in range(n):
        x = x * 0.5 + (1 if i % k else -1)
    return x


def left_in_the_middle(x, n):
    for i in range(n):
        if i % 2:
            x = x * 0.5 + 1
        elif x.sum() > 1000:
            break
        else:
            x = x + i
    return x, i


def known_text(x, n):
    found = []
    for i in range(n):
        x = x * 0.5 + (i % 4 > 1)
        if i % 50 == 49:
            found.append(x)
    return found


@pytest.mark.parametrize(
    "program",
    [parity, every_third, rows_in_turn, words_in_turn, bits_of_counter, given_period, left_in_the_middle],
    ids=lambda program: program.__name__,
)
def test_conditions_on_the_counter_are_native_branches(program, natively_at_once):
    compiled = check(program, (x0(), 150), (x0(), 10_000), (x0(), 131))
    assert not compiled.program.unrolled and compiled.program.native is None
    assert rows(compiled) < 30
    assert any(engine.repeated for point in compiled.program.points.values() for engine in point.engines)


@pytest.mark.parametrize("program", [parity, bits_of_counter, within_another, known_text], ids=lambda p: p.__name__)
def test_where_they_are_not_native_they_are_right_too(program):
    check(program, (x0(), 150), (x0(), 200), (x0(), 131))


def test_a_loop_within_one_that_goes_to_and_fro_is_native_by_itself():
    def program(x, n):
        for i in range(n):
            for k in range(200):
                x = x * 0.5 + (k if i % 2 else -k)
        return x

    compiled = check(program, (x0(), 150), (x0(), 131))
    assert native_loops(compiled) >= 2 and not compiled.program.unrolled


def test_a_period_that_is_an_argument():
    check(given_period, *[(x0(), 150, k) for k in (2, 3, 5, 140, 2.5, -2, True)])
    compiled = jit(given_period)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError, match="modulo"):
            compiled(x0(), 150, 0)


def test_an_error_in_a_condition(natively_at_once):
    def program(x, n):
        for i in range(n):
            x = x * 0.5 + (1 if 100 // (i - 140) % 2 else 2)
        return x

    check(program, (x0(), 139), (x0(), 200), (x0(), 130))


def test_more_ways_than_a_point_has_variants():
    def program(x, n):
        for i in range(n):
            for k in (2, 3, 5, 7, 11):
                x = x * 0.5 + k if i % k else x + 1
        return x

    compiled = check(program, (x0(), 150), (x0(), 160))
    assert compiled.program.native is None and compiled.program.unrolled


def on_large_tensors(x, n):
    return parity(ops.ones((200, 200)) + x.sum(), n)


def with_random_numbers(x, n):
    for i in range(n):
        x = x * 0.5 + (ops.rand(3) if i % 2 else i)
    return x


def grows_now_and_then(x, n):
    log = []
    for i in range(n):
        x = x * 0.5 + i
        if not i % 2:
            log.append(x)
    return log


def grows_between_hops(x, n):
    log = []
    for i in range(n):
        x = x * 0.5 + i
        if i % 5 == 4:
            log.append(x.sum().item())
    return log


@pytest.mark.parametrize("program", [grows_now_and_then, grows_between_hops], ids=lambda p: p.__name__)
def test_a_state_that_grows_has_the_loop_unrolled(program):
    compiled = check(program, (x0(), 150), (x0(), 160))
    assert compiled.program.unrolled and len(compiled.program.points) < 100
    assert compiled.program.native is None


@pytest.mark.parametrize("program", [on_large_tensors, with_random_numbers], ids=lambda p: p.__name__)
def test_what_is_not_native_is_unrolled(program, natively_at_once):
    compiled = jit(program)
    for n in (150, 150, 150, 160):
        manual_seed(3)
        want = outcome(program, (x0(), n)), get_rng_state().tolist()
        manual_seed(3)
        assert (outcome(compiled, (x0(), n)), get_rng_state().tolist()) == want
    assert compiled.program.unrolled


def test_gradients_of_conditions_on_the_counter():
    def value(x, n):
        return parity(x, n).sum()

    compiled = jit(value)
    for n in (150,) * 10 + (160,):
        assert bits(grad(compiled)(x0(), n)) == bits(grad(value)(x0(), n))
    assert compiled.program.unrolled  # no piece under a tape is a part of a native branch


def test_a_loop_that_leaves_nodes_is_unrolled():
    def program(x, y, n):
        for _ in range(n):
            x = x * 0.75 + y
        return x

    for is_followed, n, pieces in ((True, 300, 1), (False, 300, 3), (True, 3_000, 3)):  # the last has too many rows
        compiled = jit(program)
        results = []
        for function in (program, compiled, compiled, compiled):
            x, y = x0(), x0()
            x.requires_grad = is_followed
            out = function(x, y, n)
            if is_followed:
                out.sum().backward()
            results.append((bits(out), bits(x.grad) if is_followed else None))
        assert all(result == results[0] for result in results)
        assert bool(compiled.program.unrolled) is (pieces == 1)
        points = [*compiled.program.entries.values(), *compiled.program.points.values()]
        assert sum(len(point.variants) for point in points) == pieces


def test_effects_between_conditions_on_the_counter(capsys, natively_at_once):
    def program(x, n):
        for i in range(n):
            x = x * 0.5 + i
            if i % 10 == 9:
                print(i, x.sum().item())
        return x

    compiled = jit(program)
    for n in (1000, 1000, 3000):
        want = bits(program(x0(), n)), capsys.readouterr().out
        assert (bits(compiled(x0(), n)), capsys.readouterr().out) == want
    assert compiled.program.native is None and len(compiled.program.points) < 20


def test_a_loop_with_a_break_is_native_by_itself():
    """Nothing is between the branch and the next iteration, so no point is."""

    def program(x, n):
        for _ in range(n):
            x = x * 0.5 + 1
            if x.sum() > 100:
                break
        return x

    compiled = check(program, (x0(), 150), (x0(), 160))
    assert native_loops(compiled) > 0


def test_a_loop_that_ends_at_once_is_left_to_python_for_a_while(monkeypatch):
    monkeypatch.setattr(control, "NATIVE_AFTER", NEVER)
    calls = []
    run = loops.Loop._run
    monkeypatch.setattr(loops.Loop, "_run", lambda self, *args: calls.append(1) or run(self, *args))

    def program(x, n):
        for i in range(n):
            x = x + i * 0.0001 + 1
            if x > 1:
                x = x - 2
        return x

    check(program, (Tensor(0.0), 4000), times=1)
    assert 0 < len(calls) < 400
    calls.clear()
    check(counter_times, (Tensor(0.0), 4000), times=40)
    assert len(calls) >= 40


def test_iterations_end_within_the_native_loop(engine, way):
    """More than one native call is needed."""
    check(counter_times, (Tensor(1.0), 70_003))
    check(counter_unused, (Tensor(1.0), 70_003))


def test_nested_loops_share_points():
    compiled = check(nested, (x0(), 140), (x0(), 150))
    assert len(compiled.program.points) < 8


@pytest.mark.parametrize("program", [counter_times, matrix, value_behind, broken, two_states], ids=lambda p: p.__name__)
def test_gradients(program):
    def value(x, n):
        out = program(x, n)
        return (out[0] if isinstance(out, tuple) else out).sum()

    def inside(x, n):
        return value_and_grad(value, 0)(x, n)

    def each_iteration(x, n):
        for i in range(n):
            x = x - grad(lambda y, i=i: (y * y * i).sum())(x) * 0.0001
        return x

    def with_tape(function):
        def run(x, n):
            loss = function(x, n)
            loss.backward()
            return loss, x.grad

        return run

    check(inside, (x0(), 130), (x0(), 140))
    check(each_iteration, (x0(), 130), (x0(), 140))
    compiled = jit(value)
    for n in (130, 130, 140, 150):
        results = []
        for function in (value, compiled):
            x = x0()
            x.requires_grad = True
            results.append(bits(with_tape(function)(x, n)))
        assert results[0] == results[1]
        assert bits(grad(compiled)(x0(), n)) == bits(grad(value)(x0(), n))


def test_random_numbers_in_a_loop():
    def noise(x, n):
        for i in range(n):
            x = x * 0.5 + ops.rand(3) * i
        return x

    compiled = jit(noise)
    for n in (150, 150, 160):
        manual_seed(3)
        want = bits(noise(x0(), n)), get_rng_state().tolist()
        manual_seed(3)
        assert (bits(compiled(x0(), n)), get_rng_state().tolist()) == want


def test_a_cell_in_a_loop():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(3, 3)

        def construct(self, x, n):
            for i in range(n):
                x = ops.tanh(self.dense(x)) + i * 0.001
            return x

    net = Net()
    x = ops.ones((2, 3))

    def run(x, n):
        return net(x, n)

    check(run, (x, 150), (x, 160), (x, 170))
    with no_grad():
        assert native_loops(check(run, (x, 150), (x, 160), (x, 170)))


def test_ranges_without_end():
    def until(x, n):
        for i in range(n, 1 << 90, 1 << 30):
            x = x * 0.5 + i
            if x.sum() > 3e12:
                break
        for j in range(n, 1 << 90):
            if j > n + 300:
                break
            x = x * 0.5 - j
        return x, i, j

    check(until, (x0(), 150), (x0(), 160), (x0(), 1 << 60))


def test_the_counter_is_stored_elsewhere():
    class Box:
        i = 0

    def in_attribute(x, box, n):
        for box.i in range(n):
            x = x * 0.5 + box.i
        return x, box.i

    def in_list(x, n):
        held = [0, 0]
        for held[1] in range(n):
            x = x * 0.5 + held[1]
        return x, held

    compiled = jit(in_attribute)
    for n in (150, 150, 160, 170):
        assert bits(compiled(x0(), Box(), n)) == bits(in_attribute(x0(), Box(), n))
    check(in_list, (x0(), 150), (x0(), 160))


def test_collections_go_on_behind_a_long_recording():
    def unrolled(x, n):
        for k, i in enumerate(range(n)):
            x = x * 0.5 + i - k
        found.append(gc.isenabled())
        return x + ops.ones(n // 300)  # the shapes may not fit: an error

    found: list[bool] = []
    check(unrolled, (x0(), 900), (x0(), 1200))
    assert gc.isenabled() and all(found)
    gc.disable()
    try:
        check(unrolled, (x0(), 901), times=1)
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_explain_names_the_loop():
    compiled = jit(counter_times)
    compiled(x0(), 200)
    report = explain(compiled)(x0(), 200)
    line = counter_times.__code__.co_firstlineno + 1
    assert [place.rsplit(":")[-1] for place in report.loops] == [str(line)]
    assert not report.hops
    assert "range.next < range.stop is True" in str(report.guards)
