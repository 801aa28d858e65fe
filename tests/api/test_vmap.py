"""`vmap` against a loop over numpy arrays."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, nn, ops

rng = np.random.default_rng(5)
A, B = rng.standard_normal((4, 3)), rng.standard_normal((3, 4))


@pytest.mark.parametrize(
    "fn, in_axes, out_axes, wanted",
    [
        (lambda x, y: x * y, (0, 1), 0, A * B.T),
        (lambda x, y: x * y, (0, 1), 1, (A * B.T).T),
        (lambda x, y: x * y, (0, 1), -1, (A * B.T).T),
        (lambda x, y: x @ y, (0, None), 0, A @ B),
        (lambda x, y: y.sum(), (None, 1), 0, B.sum(0)),
        (lambda x, y: x.max() if x.sum() > 0 else x.min(), (0, None), 0, np.where(A.sum(1) > 0, A.max(1), A.min(1))),
    ],
)
def test_values(fn, in_axes, out_axes, wanted):
    np.testing.assert_allclose(ms.vmap(fn, in_axes, out_axes)(Tensor(A), Tensor(B)).asnumpy(), wanted, rtol=1e-12)


def test_several_results_and_nested_arguments():
    def f(pair, scale):
        return pair[0] * scale, (pair[0] + pair[1], 7)

    product, (total, sevens) = ops.vmap(f, ((0, 1), None), (0, (1, 0)))((Tensor(A), Tensor(B)), 2.0)
    np.testing.assert_array_equal(product.asnumpy(), A * 2)
    np.testing.assert_array_equal(total.asnumpy(), (A + B.T).T)
    assert sevens.tolist() == [7] * 4


def test_gradients_go_through():
    gradient = ms.grad(lambda x: ms.vmap(lambda row: (row * row).sum() ** 2)(x).sum())(Tensor(A))
    np.testing.assert_allclose(gradient.asnumpy(), 4 * (A**2).sum(1, keepdims=True) * A, rtol=1e-12)
    per_example = ms.vmap(ms.grad(lambda row: (row**3).sum()))(Tensor(A))
    np.testing.assert_allclose(per_example.asnumpy(), 3 * A**2, rtol=1e-12)


def test_nesting():
    outer = ms.vmap(ms.vmap(lambda x, y: x * y, (None, 0)), (0, None))(Tensor(A[:, 0]), Tensor(B[0]))
    np.testing.assert_array_equal(outer.asnumpy(), np.outer(A[:, 0], B[0]))


def test_a_list_of_cells_gets_one_example_each():
    cells = nn.CellList([nn.Dense(3, 2) for _ in range(4)])
    wanted = [cell(Tensor(row, ms.float32)).tolist() for cell, row in zip(cells, A)]
    assert ms.vmap(cells)(Tensor(A, ms.float32)).tolist() == wanted
    shared = Tensor(A[0], ms.float32)
    wanted = [cell(shared).tolist() for cell in cells]
    assert ms.vmap(cells, None, 0)(shared).tolist() == ms.vmap(cells, (None,))(shared).tolist() == wanted


def test_a_result_that_is_shared():
    assert ms.vmap(lambda x: Tensor(3), out_axes=None)(Tensor(A)).item() == 3
    with pytest.raises(ValueError, match="not the same for all"):
        ms.vmap(lambda x: x.sum(), out_axes=None)(Tensor(A))


@pytest.mark.parametrize(
    "in_axes, args, error, match",
    [
        (None, (A,), ValueError, "no argument has an axis"),
        ((0, 0), (A, B), ValueError, "different numbers"),
        ((0,), (A, B), ValueError, "1 entries for 2 arguments"),
        (2, (A,), ValueError, "out of range"),
        ("x", (A,), TypeError, "must be an integer"),
        (0, (A[:0],), ValueError, "at least one example"),
        (0, (np.array(1.0),), ValueError, "out of range"),
    ],
)
def test_bad_axes_are_refused(in_axes, args, error, match):
    with pytest.raises(error, match=match):
        ms.vmap(lambda *xs: xs[0], in_axes)(*map(Tensor, args))


@pytest.mark.parametrize("op, of_numpy", [(ops.mul, np.multiply), (ops.maximum, np.maximum), (ops.greater, np.greater)])
@pytest.mark.parametrize("in_axes", [(0, 1), (1, 0), (-1, 0), (None, 1), (0, None)])
@pytest.mark.parametrize("out_axes", [0, -1])
def test_operators_broadcast_examples(op, of_numpy, in_axes, out_axes):
    """One call for all examples gives what a loop over them gives; shapes of examples are broadcast from the right."""
    x, y = rng.standard_normal((4, 4, 4)), rng.standard_normal((4, 4))
    take = [lambda i, a=a, axis=axis: a if axis is None else a.take(i, axis) for a, axis in zip((x, y), in_axes)]
    count = next(a.shape[axis] for a, axis in zip((x, y), in_axes) if axis is not None)
    wanted = np.stack([of_numpy(take[0](i), take[1](i)) for i in range(count)], out_axes)
    np.testing.assert_array_equal(ms.vmap(op, in_axes, out_axes)(Tensor(x), Tensor(y)).asnumpy(), wanted)


def counted(fn):
    """The function, and the list to which each of its calls adds an element."""
    calls = []

    def counting(*args):
        calls.append(1)
        return fn(*args)

    return counting, calls


def test_a_function_is_called_once():
    net = nn.SequentialCell(nn.Dense(4, 8), nn.LayerNorm((8,)), nn.ReLU(), nn.Dense(8, 2))
    x = Tensor(rng.standard_normal((5, 3, 4)), ms.float32)

    def f(x):
        y = ops.softmax(net(x), 0)
        return y[0], (y.T @ x)[..., -1].max() + x.shape[0], ops.sort(y, 1)[1]

    function, calls = counted(f)
    found = ms.vmap(function, 0, (0, 0, 1))(x)
    assert len(calls) == 1
    for one, other, axis in zip(found, zip(*(f(example) for example in x)), (0, 0, 1)):
        np.testing.assert_allclose(one.asnumpy(), np.stack([o.asnumpy() for o in other], axis), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_indices_may_differ_between_examples(shape):
    x, index = rng.standard_normal((4, 5, 3, 6)), rng.integers(0, 3, (4, *shape))
    for take in (
        lambda x, i: x[:, i],
        lambda x, i: x[1, i, :2],
        lambda x, i: ops.gather(x, i, 1),
        lambda x, i: x[i, i],
    ):
        for in_axes in ((0, 0), (None, 0), (0, None)):
            given = [x if in_axes[0] == 0 else x[0], index if in_axes[1] == 0 else index[0]]
            function, calls = counted(take)
            found = ms.vmap(function, in_axes)(*map(Tensor, given)).asnumpy()
            each = [[a[k] if axis == 0 else a for a, axis in zip(given, in_axes)] for k in range(4)]
            wanted = np.stack([take(*map(Tensor, one)).asnumpy() for one in each])
            np.testing.assert_array_equal(found, wanted)
            assert len(calls) == 1


def test_small_integers_as_points():
    """The number of an example, which becomes a coordinate, may not fit into the type of the indices."""
    x, points = rng.standard_normal((300, 2, 3)), rng.integers(0, 2, (300, 4, 2))
    found = ms.vmap(ops.gather_nd)(Tensor(x), Tensor(points, ms.int8)).asnumpy()
    np.testing.assert_array_equal(found, np.stack([a[i[:, 0], i[:, 1]] for a, i in zip(x, points)]))


def test_nesting_in_one_call_and_in_a_loop():
    def f(x, y):
        return ms.vmap(lambda row, number: row * number + y.sum(), (1, 0), 1)(x, y)

    function, calls = counted(f)
    x, y = rng.standard_normal((5, 2, 3)), rng.standard_normal((5, 3))
    wanted = x * y[:, None] + y.sum(1)[:, None, None]
    np.testing.assert_allclose(ms.vmap(function)(Tensor(x), Tensor(y)).asnumpy(), wanted, rtol=1e-12)
    assert len(calls) == 1

    def with_branches(x, y):
        total = ms.vmap(lambda row: row.sum() if row[0] > 0 else -row.sum())(x).sum()
        return total if y.sum() > 0 else total * 2

    signs = np.where(x[:, :, 0] > 0, 1, -1)
    wanted = (x.sum(2) * signs).sum(1) * np.where(y.sum(1) > 0, 1, 2)
    np.testing.assert_allclose(ms.vmap(with_branches)(Tensor(x), Tensor(y)).asnumpy(), wanted, rtol=1e-12)


@pytest.mark.parametrize(
    "needs_one",
    [
        lambda x: x * (1 if x.sum() > 0 else 2),
        lambda x: x * x[0].item(),
        lambda x: x * float(x[0]),
        lambda x: x * np.float64(x.asnumpy()[0]),
        lambda x: x * len(str(x)),
        lambda x: ms.grad(lambda x: (x**3).sum())(x),
        lambda x: ms.jvp(ops.exp, x, x)[1],
        lambda x: x[x > 0].sum() * x,
    ],
)
def test_what_needs_one_example_gets_it(needs_one):
    function, calls = counted(needs_one)
    found = ms.vmap(function)(Tensor(A)).asnumpy()
    np.testing.assert_allclose(found, np.stack([needs_one(Tensor(row)).asnumpy() for row in A]), rtol=1e-12)
    assert len(calls) == 1 + len(A)


def test_effects_on_tensors_are_those_of_a_loop():
    total = Tensor(np.zeros(3))

    def f(x):
        total.add_(x)
        y = x * 1
        y[0] = 7
        return y + total

    running = A.cumsum(0)
    wanted = A.copy()
    wanted[:, 0] = 7
    np.testing.assert_allclose(ms.vmap(f)(Tensor(A)).asnumpy(), wanted + running, rtol=1e-12)
    np.testing.assert_allclose(total.asnumpy(), running[-1], rtol=1e-12)
    weight = ms.Parameter(Tensor([2.0]))

    def g(x):
        (weight * 3).sum().backward()
        return x * 2

    ms.vmap(g)(Tensor(A))
    assert weight.grad.tolist() == [12.0]
    norm = nn.BatchNorm1d(3)
    norm.set_train()
    batches = Tensor(rng.standard_normal((4, 5, 3)), ms.float32)
    ms.vmap(norm)(batches)
    other = nn.BatchNorm1d(3)
    other.set_train()
    for batch in batches:
        other(batch)
    np.testing.assert_array_equal(norm.moving_mean.asnumpy(), other.moving_mean.asnumpy())


def test_random_numbers_are_those_of_a_loop():
    for draw in (lambda x: x + ops.rand(3), lambda x: ops.dropout(x, 0.5), lambda x: x * 0 + ops.randn(2).sum()):
        ms.set_seed(3)
        wanted = np.stack([draw(Tensor(row)).asnumpy() for row in A])
        after = ops.rand(2).tolist()
        ms.set_seed(3)
        np.testing.assert_array_equal(ms.vmap(draw)(Tensor(A)).asnumpy(), wanted)
        assert ops.rand(2).tolist() == after


def test_a_generator_of_the_functions_own_goes_on_from_example_to_example():
    mine, other = (ms.Generator().manual_seed(4) for _ in range(2))
    found = ms.vmap(lambda x: x * 0 + ops.rand(3, seed=mine))(Tensor(A)).asnumpy()
    np.testing.assert_array_equal(found, np.stack([ops.rand(3, seed=other).asnumpy() for _ in A]))


def test_what_a_function_keeps_has_no_numbers():
    kept = []
    ms.vmap(lambda x: kept.append(x) or x * 2)(Tensor(A))
    assert kept[0].shape == (3,)
    with pytest.raises(RuntimeError, match="stood for all examples of a vmap"):
        kept[0].asnumpy()
    with pytest.raises(RuntimeError, match="stood for all examples of a vmap"):
        print(kept[0] + 1)


def test_threads_do_not_meet():
    """While one thread runs a function on all examples, another writes in place and draws numbers."""
    inside, done = threading.Event(), threading.Event()

    def other():
        inside.wait()
        x = Tensor([1.0])
        x.add_(1)
        found.append((x.item(), ops.rand(2).shape))
        done.set()

    found: list = []
    thread = threading.Thread(target=other)
    thread.start()

    def f(x):
        inside.set()
        assert done.wait(20)
        return x * 2

    function, calls = counted(f)
    np.testing.assert_array_equal(ms.vmap(function)(Tensor(A)).asnumpy(), A * 2)
    thread.join()
    assert found == [(2.0, (2,))] and len(calls) == 1


def test_results_share_no_memory():
    x = Tensor(A.copy())
    same, part, again = ms.vmap(lambda row: (row, row[1:], row))(x)
    same[0] = 9
    part[0] = 8
    np.testing.assert_array_equal(x.asnumpy(), A)
    np.testing.assert_array_equal(again.asnumpy(), A)
    assert ms.vmap(lambda row: row * 2, 0, 1)(x).is_contiguous()


def test_errors_are_those_of_an_example():
    with pytest.raises(ValueError, match=r"input \[3\] and other \[2\]"):
        ms.vmap(lambda x: x + x[:2])(Tensor(A))
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with length 3"):
        ms.vmap(lambda x, i: x[i])(Tensor(A), Tensor([0, 1, 5, 2]))


def test_a_function_may_not_catch_what_stops_it():
    def careful(x):
        try:
            return x * 2 if x[0] > 0 else x
        except Exception:
            return x * 0

    np.testing.assert_array_equal(ms.vmap(careful)(Tensor(A)).asnumpy(), np.where(A[:, :1] > 0, A * 2, A))


def test_gradients_by_what_the_function_captures():
    weight = Tensor(B)

    def loss(w):
        return ms.vmap(lambda row: ops.relu(row @ w).sum() ** 2)(Tensor(A)).sum()

    wanted = ms.grad(lambda w: (ops.relu(Tensor(A) @ w).sum(1) ** 2).sum())(weight)
    np.testing.assert_allclose(ms.grad(loss)(weight).asnumpy(), wanted.asnumpy(), rtol=1e-10)
    tangent = ms.jvp(loss, weight, Tensor(np.ones_like(B)))[1]
    np.testing.assert_allclose(tangent.asnumpy(), wanted.asnumpy().sum(), rtol=1e-10)
    second = ms.grad(lambda w: (ms.grad(loss)(w) ** 2).sum())(weight)
    third = ms.grad(lambda w: (ms.grad(lambda w: (ops.relu(Tensor(A) @ w).sum(1) ** 2).sum())(w) ** 2).sum())(weight)
    np.testing.assert_allclose(second.asnumpy(), third.asnumpy(), rtol=1e-10)


@pytest.mark.parametrize(
    "effect",
    [
        lambda x: x.add_(1),
        lambda x: x.mul_(2),
        lambda x: x.clamp_(0, 3),
        lambda x: x.copy_(x + 1),
        lambda x: x.__setitem__(0, x[1] + 1),
        lambda x: x.mul_(ops.dropout(x + 1, 0.5)),
    ],
)
def test_writes_into_what_the_examples_share_are_done_for_each(effect):
    """Also where calls of this kind, outside of any vmap, have been kept."""

    def f(x, w):
        product = w * x
        effect(x)
        return product

    shared, alone = (Tensor([0.5, 1.0, 2.0]) for _ in range(2))
    for _ in range(4):
        ms.set_seed(3)
        found = ms.vmap(f, (None, 0))(shared, Tensor([[1.0], [2.0]]))
        effect(shared)
        ms.set_seed(3)
        want = [f(alone, Tensor([k])).tolist() for k in (1.0, 2.0)]
        effect(alone)
        assert (found.tolist(), shared.tolist()) == (want, alone.tolist())
