"""`vmap` inside of compiled functions: it gives what it gives in PyNative mode, to the last bit, with all effects, and has
the hops that are said here and no others."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from outcomes import bits, gradients_of_all, outcome
from test_transforms_inside import PRINT, check, data, hops, t

import anfora as ms
from anfora import Parameter, Tensor, jit, nn, ops
from anfora.graph.tell.watched import FallbackError

MATRICES = [(data(1, 3, 2), data(2, 2)), (data(3, 3, 2), data(4, 2)), (data(5, 4, 2), data(6, 2))]

W = Parameter(data(7, 2), name="w")
NET = nn.SequentialCell(nn.Dense(2, 3), nn.Tanh(), nn.Dense(3, 2))
CELLS = nn.CellList([nn.Dense(2, 2) for _ in range(3)])
TABLE = data(8, 5, 2)


def weighted(row, w):
    return (row * w).sum()


def two_axes(x, v):
    return ms.vmap(weighted, (0, None))(x, v), ms.vmap(weighted, in_axes=(1, None))(x.T, v)


def negative_axes(x, v):
    return ms.vmap(lambda a: a * 2, -1, -1)(x), ms.vmap(lambda a: a * 2, 1, 0)(x)


def axes_as_a_list(x, v):
    return ms.vmap(weighted, [0, None])(x, v), ms.vmap(lambda a, b: a - b, [0, 1])(x, x.T)


def axes_of_a_nesting(x, v):
    return ms.vmap(lambda pair, n: (pair[0] * pair[1] * n, [pair[0]]), in_axes=((0, None), None))((x, v), 3)


def several_results(x, v):
    return ms.vmap(lambda a: (a + 1, a.sum(), 2.0), out_axes=(1, 0, 0))(x)


def one_result_for_all(x, v):
    return ms.vmap(lambda a: (a * 2, v * 3), out_axes=(0, None))(x)


def result_is_an_argument(x, v):
    return ms.vmap(lambda a: a)(x), ms.vmap(lambda a: (a, a), out_axes=(0, 1))(x), ms.vmap(lambda a: v)(x)


def keywords(x, v):
    return ms.vmap(lambda a, *, scale=1: a * scale)(x, scale=v), ms.vmap(weighted, (0, None), chunk_size=2)(x, v)


def one_in_another(x, v):
    outer = ms.vmap(ms.vmap(lambda a, b: a * b + 1, in_axes=(0, 0)), in_axes=(0, None))(x, v)
    return outer, ms.vmap(lambda row: ms.vmap(lambda a: a * row)(v))(x)


def one_in_another_by_example(x, v):
    return ms.vmap(lambda row: ms.vmap(ms.grad(lambda a: a**3))(row))(x)


def of_a_gradient(x, v):
    return ms.vmap(ms.grad(lambda row: (row**3).sum()))(x), ms.vmap(ms.value_and_grad(weighted, 1), (0, None))(x, v)


def under_a_gradient(x, v):
    def f(a, w):
        return ms.vmap(lambda row: ops.sin(row * w).sum())(a).sum()

    return ms.grad(f, (0, 1))(x, v), ms.grad(ms.grad(lambda w: f(x, w)))(v)


def gradient_in_it_under_a_gradient(x, v):
    return ms.grad(lambda w: ms.vmap(ms.grad(lambda row: (row**3 * w).sum()))(x).sum())(v)


def gradient_of_a_captured_parameter(x, v):
    return ms.value_and_grad(lambda: ms.vmap(lambda row: row * W)(x).sum(), None, W)()


def of_other_transforms(x, v):
    directional = ms.vmap(lambda a: ms.jvp(ops.sin, a, v))(x)
    pulled = ms.vmap(lambda a: ms.vjp(ops.sin, a)[1](v)[0])(x)
    return directional, pulled, ms.vmap(ms.jacrev(ops.sin))(x)


def in_other_transforms(x, v):
    f = ms.vmap(lambda row: row * row.sum())
    return ms.jvp(f, x, x * 2), ms.vjp(f, x)[1](x), ms.jacfwd(lambda w: ms.vmap(lambda row: row * w)(x))(v)


def of_a_net(x, v):
    return ms.vmap(NET)(x)


def of_several_cells(x, v):
    return ms.vmap(CELLS)(x[:3]), ms.vmap(CELLS, None)(v)


def of_per_example_gradients_of_a_net(x, v):
    step = ms.grad(lambda row: (NET(row) ** 2).sum(), None, NET.trainable_params())
    return ms.vmap(step)(x)


COMPILED = jit(lambda row: ops.exp(row).sum())
MAPPED = ms.vmap(weighted, in_axes=(0, None))


def of_a_compiled_function(x, v):
    return ms.vmap(COMPILED)(x)


def made_outside(x, v):
    return MAPPED(x, v) * 2


def of_a_partial_function(x, v):
    return ms.vmap(functools.partial(weighted, w=v))(x)


def branch_on_data(x, v):
    return ms.vmap(lambda row: row if row.sum() > 0 else row * 2)(x)


def written_in_place(x, v):
    def f(row):
        row = row * 1
        row[0] = 5.0
        return row

    return ms.vmap(f)(x)


def random_numbers(x, v):
    ms.set_seed(3)
    return ms.vmap(lambda row: row + ops.randn(2))(x)


def without_a_rule(x, v):
    return ms.vmap(lambda row: ops.sort(row)[0] + ops.cumsum(row, 0))(x), ms.vmap(ops.trace)(ops.stack((x, x + 1)))


def exception_that_is_caught_inside(x, v):
    def f(row):
        try:
            return row.reshape((7,))
        except ValueError:
            return row * 3

    return ms.vmap(f)(x)


def exception_that_is_caught_outside(x, v):
    try:
        return ms.vmap(lambda row: row.reshape((7,)))(x)
    except ValueError as error:
        return str(error), x * 2


def in_a_loop(x, v):
    for scale in (1, 2, 3):
        x = ms.vmap(lambda row, k: row * k + v, (0, None))(x, scale)
    return x


def with_a_number_that_varies(x, v):
    rate = float(x.shape[0]) / 7
    return ms.vmap(lambda row: row * rate)(x)


def many_examples(x, v):
    wide = ops.concat([x] * 30)
    return ms.vmap(weighted, (0, None))(wide, v), ms.vmap(lambda row: ops.softmax(row, 0))(wide)


PROGRAMS = [
    two_axes, negative_axes, axes_as_a_list, axes_of_a_nesting, several_results, one_result_for_all,
    result_is_an_argument, keywords, one_in_another, one_in_another_by_example, of_a_gradient, under_a_gradient,
    gradient_in_it_under_a_gradient, gradient_of_a_captured_parameter, of_other_transforms, in_other_transforms, of_a_net,
    of_several_cells, of_per_example_gradients_of_a_net, of_a_compiled_function, made_outside, of_a_partial_function,
    branch_on_data, written_in_place, without_a_rule, exception_that_is_caught_inside, exception_that_is_caught_outside,
    in_a_loop, with_a_number_that_varies, many_examples,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_a_mapped_function_has_no_hop(function):
    check(function, MATRICES)


# -- errors -----------------------------------------------------------------------------------------------------------


def axes_of_another_number(x, v):
    return ms.vmap(weighted, (0,))(x, v)


def axis_that_is_not_there(x, v):
    return ms.vmap(weighted, (2, None))(x, v)


def axis_that_is_no_number(x, v):
    return ms.vmap(weighted, ("a", None))(x, v)


def axis_of_a_number(x, v):
    return ms.vmap(weighted, (0, 0))(x, 3)


def other_numbers_of_examples(x, v):
    return ms.vmap(weighted)(x, ops.ones((9, 2)))


def no_axis(x, v):
    return ms.vmap(weighted, None)(x, v)


def no_example(x, v):
    return ms.vmap(lambda a: a)(x[:0])


def results_of_another_number(x, v):
    return ms.vmap(lambda a: (a, a), out_axes=(0, 0, 0))(x)


def no_function(x, v):
    return ms.vmap(3)(x)


def no_chunk(x, v):
    return ms.vmap(weighted, (0, None), chunk_size=0)(x, v)


def other_number_of_cells(x, v):
    return ms.vmap(CELLS)(x[:2])


def operator_that_fails(x, v):
    return ms.vmap(lambda row: row @ ops.ones((7, 7)))(x)


@pytest.mark.parametrize(
    "function",
    [
        axes_of_another_number, axis_that_is_not_there, axis_that_is_no_number, axis_of_a_number,
        other_numbers_of_examples, no_axis, no_example, results_of_another_number, no_function, no_chunk,
        other_number_of_cells, operator_that_fails,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_errors_are_the_same(function):
    check(function, MATRICES)


# -- where the interpreter takes part ---------------------------------------------------------------------------------

WHOLE = "a vmap of what the interpreter does"


def print_in_it(x, v):
    def f(row):
        print("called")
        return row * 2

    return ms.vmap(f)(x)


def print_for_each(x, v):
    def f(row):
        print("called with", row.shape)
        return row * float(row.sum())

    return ms.vmap(f)(x)


def print_of_a_tensor(x, v):
    def f(row):
        print(row)
        return row * 2

    return ms.vmap(f)(x)


def indices_that_may_be_wrong(x, v):
    def f(row):
        return ops.gather(TABLE, (row * 0 + 1).astype(ms.int32), 0).sum()

    return ms.vmap(f)(x)


def inverses(x, v):
    return ms.vmap(lambda m: ops.inverse(ops.diag(m)))(x)


SEEN = []


def list_outside(x, v):
    def f(row):
        SEEN.append(row.shape)
        return row * 2

    return ms.vmap(f)(x), ms.vmap(ms.grad(lambda row: f(row).sum()))(x), len(SEEN)


def different_results_for_none(x, v):
    return ms.vmap(lambda row: row * 0, out_axes=None)(x)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (print_in_it, {WHOLE}),
        (print_for_each, {WHOLE, PRINT}),
        (print_of_a_tensor, {WHOLE, PRINT}),
        (indices_that_may_be_wrong, set()),
        (list_outside, set()),
        (random_numbers, {"a call of anfora.core.random.set_seed, which the compiler cannot look into"}),
        (different_results_for_none, {WHOLE, "the data of a tensor"}),
        (inverses, set()),
    ],
)
def test_hops_inside(function, expected, capsys):
    compiled = jit(function)
    seen = []
    for arguments in [*MATRICES, *MATRICES]:
        for each in (compiled, function):
            SEEN.clear()
            ms.set_seed(1)
            seen.append((outcome(each, *arguments), capsys.readouterr().out, list(SEEN)))
        assert seen[-1] == seen[-2]
    assert compiled.program.native is None
    assert set(hops(compiled)) == expected


def test_a_wrong_index_in_a_later_call():
    """What fails for all examples at once is done over for each."""

    @jit
    def f(x, table):
        return ms.vmap(lambda row: ops.gather(table, row, 0))(x)

    for rows in ([[0, 1], [2, 0]], [[0, 1], [2, 9]], [[1, 1], [2, 2]]):
        x = Tensor(np.array(rows, np.int32))
        assert outcome(f, x, TABLE) == outcome(f.__wrapped__, x, TABLE)


def test_many_examples_one_by_one_are_not_unrolled():
    @jit
    def f(x):
        return ms.vmap(ms.grad(lambda row: (row**3).sum()))(x)

    for k in range(3):
        x = data(k, 200, 3)
        assert outcome(f, x) == outcome(f.__wrapped__, x)
    assert hops(f) == ["a vmap over many examples, one by one"]


def test_an_operator_without_a_rule_is_not_unrolled_for_many_examples():
    @jit
    def f(x):
        return ms.vmap(lambda m: ops.inverse(ops.diag(m)))(x)

    for k in range(3):
        x = data(k, 100, 2)
        assert outcome(f, x) == outcome(f.__wrapped__, x)
    assert set(hops(f)) <= {WHOLE}


def test_a_tensor_of_all_examples_that_is_kept():
    kept = []

    def f(x):
        mine = []

        def keep(row):
            kept.append(row)
            mine.append(row)
            return row * 2

        return ms.vmap(keep)(x), len(mine)

    compiled = jit(f)
    for _ in range(3):
        for each in (compiled, f):
            assert bits(each(t([[1, 2], [3, 4]]))) == bits((t([[2, 4], [6, 8]]), 1))
    assert len(kept) == 6
    for row in kept:
        with pytest.raises(RuntimeError, match="was used after it"):
            row.asnumpy()


def test_a_compiled_function_under_a_vmap_of_pynative_mode():
    """It is called with all examples at once, as if it were not compiled: with the same effects, and random numbers."""
    calls = []

    def noisy(row):
        calls.append(row.shape)
        return row * 2

    def drawn(row):
        return row + ops.randn(2)

    for function in (noisy, drawn):
        compiled, seen = jit(function), []
        for _ in range(2):
            for each in (compiled, function):
                calls.clear()
                ms.set_seed(1)
                seen.append((outcome(ms.vmap(each), data(1, 3, 2)), list(calls)))
        assert seen[0] == seen[1] == seen[2] == seen[3]


def test_a_draw_without_examples_in_a_compiled_function_under_a_vmap():
    noise = jit(lambda: ops.randn(2))
    noise()
    for each in (noise, noise.__wrapped__):
        ms.set_seed(1)
        first, second = ms.vmap(lambda row: row * 0 + each())(t([[1, 2], [3, 4]])).tolist()  # noqa: B023
        assert first != second


@pytest.mark.parametrize("function", [two_axes, of_a_gradient, of_a_net, of_several_cells, one_in_another])
def test_a_tape_outside_follows(function):
    compiled = jit(function)
    for x, v in MATRICES[:2] * 2:
        assert outcome(gradients_of_all(compiled), x, v) == outcome(gradients_of_all(function), x, v)
        assert outcome(jit(gradients_of_all(function)), x, v) == outcome(gradients_of_all(function), x, v)
        leaf, other = x.copy().requires_grad_(), x.copy().requires_grad_()
        results = [function(other, v), compiled(leaf, v)]
        assert bits(results[0]) == bits(results[1])
        for value in results:
            first = value
            while not isinstance(first, Tensor):
                first = first[0]
            if first.requires_grad:
                (first * first).sum().backward()
        assert outcome(lambda: leaf.grad) == outcome(lambda: other.grad)  # noqa: B023


def test_a_layer_of_several_cells_is_switched():
    """Each of the Cells is looked at in each call, not only the list."""
    cells = nn.CellList([nn.Dropout(p=0.5) for _ in range(3)])

    def f(x):
        return ms.vmap(cells)(x)

    compiled = jit(f)
    for training in (False, True, False, True):
        cells[1].set_train(training)
        ms.set_seed(1)
        found = outcome(compiled, data(1, 3, 8))
        ms.set_seed(1)
        assert found == outcome(f, data(1, 3, 8))


def test_what_is_refused_in_a_mapped_function_is_not_taken_for_its_failure():
    tried = []

    @jit(fullgraph=True)
    def f(x):
        def g(row):
            tried.append(None)
            print("mapped")
            return row * 2

        return ms.vmap(g)(x)

    for _ in range(2):
        tried.clear()
        with pytest.raises(FallbackError, match="one thing needs"):
            f(t([[1, 2], [3, 4]]))
        assert len(tried) <= 1


def test_numbers_among_the_arguments_may_vary():
    """They are operands, and the program is compiled once."""

    def f(x, rate):
        mapped = ms.vmap(lambda row, k: row * k + 1, (0, None))(x, rate)
        by_example = ms.vmap(ms.grad(lambda row, k: (row * row * k).sum()), (0, None))(x, rate)
        value, pull = ms.vjp(lambda a, k: a * k, x, rate)
        return mapped, by_example, value, pull(x), ms.jacfwd(lambda a, k: a[0] * k)(x, rate)

    compiled = jit(f)
    for k in range(20):
        assert outcome(compiled, data(k, 3, 2), 0.1 * k) == outcome(f, data(k, 3, 2), 0.1 * k)
    assert compiled.program.recordings == 1 and not hops(compiled)

    def wrong(x, rate):
        return ms.vmap(lambda row, k: row * k)(x, rate)

    compiled = jit(wrong)
    for rate in (0.5, 0.25, True):
        assert outcome(compiled, data(1, 3, 2), rate) == outcome(wrong, data(1, 3, 2), rate)


def test_numbers_in_what_the_interpreter_maps(capsys):
    def f(x, rate):
        def g(row, k):
            print("mapped", k)
            return row * k

        _, pull = ms.vjp(g, x, rate)
        return ms.vmap(g, (0, None))(x, rate), ms.vmap(ms.grad(g), (0, None))(ops.concat([x] * 40)[:, 0], rate), pull(x)

    compiled = jit(f)
    for k in range(4):
        found = []
        for each in (compiled, f):
            found.append((outcome(each, data(k, 3, 2), 0.1 * k), capsys.readouterr().out))
        assert found[0] == found[1]
    assert compiled.program.native is None


def test_an_array_among_the_arguments():
    def f(x, v):
        return ms.vmap(lambda row, b: row * float(b[0]) * v, (0, None))(x, np.array([2.0]))

    compiled = jit(f)
    for arguments in MATRICES * 2:
        assert outcome(compiled, *arguments) == outcome(f, *arguments)
    assert compiled.program.native is None


def test_hooks_and_gradients_of_the_program_in_a_mapped_function():
    class Own(nn.Cell):
        def construct(self, x):
            return x * x

        def bprop(self, x, out, dout):
            return (dout * x * 7,)

    own = Own()

    def hooked(a):
        b = a * 2
        b.register_hook(lambda g: g * 10)
        return b * b

    def f(x, v):
        value, pull = ms.vjp(hooked, v)
        return (
            value,
            pull(v),
            pull(v),
            ms.vjp(own, v)[1](v),
            ms.jvp(own, v, v),
            ms.vmap(own)(x),
            ms.vmap(ms.grad(own))(x),
        )

    check(f, MATRICES)
