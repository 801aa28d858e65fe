"""Functions that are written in operators, and gradient rules, are kept as the operators they came to: what is kept does
what the function would do, and what cannot be kept is not."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import anfora as ms
from anfora import Parameter, Tensor, ops
from anfora.core import advice
from anfora.core.errors import AnforaError, AnforaWarning
from anfora.core.op import Op
from anfora.eager import autocast
from anfora.ops.composite import composite

X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
Y = np.linspace(1, 3, 12, dtype=np.float32).reshape(3, 4)


def counted(function):
    """A composite of the function, and how often its body has run."""
    runs = []

    def body(*args, **kwargs):
        runs.append(args)
        return function(*args, **kwargs)

    return composite(body), runs


def test_a_body_runs_twice_and_results_are_those_of_the_data():
    scaled, runs = counted(lambda x, y, axis, scale=1.0: (x * scale + y).sum(axis))
    for i in range(6):
        x, y = X + i, Y * (i + 1)
        got = scaled(Tensor(x), Tensor(y), 1, scale=0.5).asnumpy()
        np.testing.assert_array_equal(got, (Tensor(x) * 0.5 + Tensor(y)).sum(1).asnumpy())
    assert len(runs) == 2


@pytest.mark.parametrize(
    "values", [(0.0, -0.0), (1, True, 1.0), (float("nan"), 2.0), ("sum", "mean"), (None, 0), ((0,), [0], 0)]
)
def test_other_arguments_are_other_calls(values):
    tell, _ = counted(lambda x, what: x + len(repr(what)))
    for _ in range(4):
        for value in values:
            assert tell(Tensor([1.0]), value).item() == 1.0 + len(repr(value))


def test_layouts_types_and_parameters_are_other_calls():
    told, _ = counted(lambda x: x * (2.0 if isinstance(x, Parameter) else 1.0) + x.ndim + len(x.dtype.name))
    for _ in range(4):
        for x in (Tensor(X), Tensor(X).T, Tensor(X[0]), Tensor(X, ms.float64), Parameter(Tensor(X))):
            factor = 2.0 if isinstance(x, Parameter) else 1.0
            want = x.asnumpy() * factor + x.ndim + len(x.dtype.name)
            np.testing.assert_allclose(told(x).asnumpy(), want, rtol=1e-6)


def test_one_tensor_in_two_places_is_a_call_of_its_own():
    told, runs = counted(lambda x, y: x - y if x is not y else x * 10)
    for _ in range(4):
        x, y = Tensor(X), Tensor(Y)
        np.testing.assert_array_equal(told(x, y).asnumpy(), X - Y)
        np.testing.assert_array_equal(told(x, x).asnumpy(), X * 10)
    assert len(runs) == 4


def test_who_looks_at_data_is_asked_each_time():
    signed, runs = counted(lambda x: x * 2 if x.sum().item() > 0 else -x)
    for i in range(5):
        want = X + 1 if i % 2 else X - 1
        np.testing.assert_array_equal(signed(Tensor(want)).asnumpy(), want * 2 if i % 2 else -want)
    assert len(runs) == 5


def test_a_tensor_that_is_an_attribute_counts_by_what_lies_in_it():
    length, step = Tensor(2), Tensor(1.0)
    for n in (2, 2, 2, 3, 5, 2):
        length.fill_(n)
        step.fill_(n / 2)
        assert ops.arange(length).tolist() == list(range(n))
        assert ops.arange(0.0, 4.0, step).shape == (-(-8 // n),)


def test_what_a_program_puts_into_tensors_is_asked_each_time(monkeypatch):
    made, _ = counted(lambda x: ops.arange(x) + 0)
    with monkeypatch.context() as patch:
        patch.setattr(Tensor, "item", lambda tensor: 2)
        assert [made(Tensor(7)).shape for _ in range(3)] == [(2,)] * 3
    assert [made(Tensor(n)).shape for n in (4, 4, 5)] == [(4,), (4,), (5,)]


def test_what_is_made_of_numbers_stays_and_nobody_gets_it():
    table = np.arange(4, dtype=np.float32)
    weighted, runs = counted(lambda x: x * Tensor(table))
    fresh, _ = counted(lambda x: (x * 1, Tensor(table)))
    view, _ = counted(lambda x: (x * 1, Tensor(table)[1:]))
    into, _ = counted(lambda x: Tensor(table).add_(x))
    for i in range(4):
        np.testing.assert_array_equal(weighted(Tensor(X + i)).asnumpy(), (X + i) * table)
        for function, want in ((fresh, table), (view, table[1:])):
            got = function(Tensor(X))[1]
            np.testing.assert_array_equal(got.asnumpy(), want)
            got[...] = 9.0
        np.testing.assert_array_equal(into(Tensor(table)).asnumpy(), table * 2)
    assert len(runs) == 2


def test_a_view_given_back_shows_the_argument():
    rows, runs = counted(lambda x: x[1:])
    for _ in range(4):
        x = Tensor(X)
        rows(x)[0] = 7.0
        assert x[1].tolist() == [7.0] * 4
    assert len(runs) == 2


def test_writes_in_place_are_kept_with_their_history():
    twice, runs = counted(lambda x, y: x.add_(y * 2))
    for _ in range(5):
        w = Tensor(Y)
        w.requires_grad = True
        x = w * 1
        assert twice(x, Tensor(X)) is x
        (x * x).sum().backward()
        np.testing.assert_array_equal(w.grad.asnumpy(), 2 * (Y + X * 2))
    assert len(runs) == 2
    leaf = Tensor(Y)
    leaf.requires_grad = True
    with pytest.raises(AnforaError, match="leaf"):
        twice(leaf, Tensor(X))
    np.testing.assert_array_equal(leaf.asnumpy(), Y)


def test_draws_go_on_in_the_stream():
    noise, runs = counted(lambda x: x + ops.randn(3, 4) * ops.rand(3, 4))
    own, _ = counted(lambda x: x + ops.uniform((3, 4), Tensor(0.0), Tensor(1.0), seed=5))
    ms.set_seed(3)
    want = [Tensor(X) + ops.randn(3, 4) * ops.rand(3, 4) for _ in range(5)]
    fixed = own(Tensor(X)).asnumpy()
    ms.set_seed(3)
    for each in want:
        np.testing.assert_array_equal(noise(Tensor(X)).asnumpy(), each.asnumpy())
        np.testing.assert_array_equal(own(Tensor(X)).asnumpy(), fixed)
    assert len(runs) == 2


def test_warnings_are_told_each_time():
    def careful(x):
        advice.warn("mind the step")
        return x + 1

    careful, runs = counted(careful)
    for _ in range(4):
        with pytest.warns(AnforaWarning, match="mind the step"):
            careful(Tensor(X))
    assert len(runs) == 4


def test_gradients_and_their_gradients_are_those_of_the_function():
    def plain(x, y):
        return (x * y).sigmoid().sum(0)

    kept, runs = counted(plain)

    def first(f):
        return ms.grad(lambda x: f(x, Tensor(Y)).sum())

    def second(f):
        return ms.grad(ms.grad(lambda x: f(x * x, x).sum()))

    for order in (first, second):
        for i in range(4):
            x = Tensor(X + i)
            np.testing.assert_array_equal(order(kept)(x).asnumpy(), order(plain)(x).asnumpy())
    assert len(runs) <= 4


def test_several_results_have_histories():
    def plain(x):
        values, places = ops.sort(x, 1)
        return values * 2, [places, values], None

    kept, runs = counted(plain)
    for i in range(5):
        leaf = Tensor(X[:, ::-1] * (i + 1))
        leaf.requires_grad = True
        doubled, [places, values], nothing = kept(leaf)
        assert nothing is None and places.tolist() == [[3, 2, 1, 0]] * 3
        (doubled * Tensor(Y) + values).sum().backward()
        np.testing.assert_array_equal(leaf.grad.asnumpy(), (2 * Y + 1)[:, ::-1])
    assert len(runs) == 2


@pytest.mark.parametrize("around", ["vmap", "no_grad", "autocast", "jit"])
def test_what_is_around_a_call_holds(around):
    def plain(x):
        return ops.matmul(x, x.T) * 2

    kept, _ = counted(plain)

    def call(f):
        x = Parameter(Tensor(X))
        if around == "vmap":
            return ms.vmap(f)(Tensor(np.stack([X, Y])))
        if around == "jit":
            return ms.jit(lambda x: f(x) + f(x))(x)
        if around == "no_grad":
            with ms.no_grad():
                return f(x)
        before = autocast.enter(ms.bfloat16)
        try:
            return f(x)
        finally:
            autocast.leave(before)

    for _ in range(4):
        kept(Tensor(X)), kept(Parameter(Tensor(X)))
        got, want = call(kept), call(plain)
        assert got.dtype is want.dtype and got.requires_grad is want.requires_grad
        np.testing.assert_array_equal(got.asnumpy(), want.asnumpy())


def test_bad_data_is_refused_in_the_same_words():
    x, said = Tensor(X), set()
    for index in ([0, 1], [1, 2], [2, 0], [0, 9], [0, 9]):
        try:
            ops.index_select(x, 0, Tensor(index))
        except AnforaError as error:
            said.add(str(error))
    assert len(said) == 1 and "ops.index_select(x, 0, Tensor(index))" in said.pop()


def test_a_view_whose_base_has_moved_is_taken_again():
    shifted, runs = counted(lambda x: x + 1)
    for i in range(4):
        base = Tensor(X)
        view = base[1]
        leaf = Tensor(Y)
        leaf.requires_grad = True
        product = leaf * base  # a tape holds the memory of the base
        base.fill_(float(i))
        assert shifted(view).tolist() == [i + 1.0] * 4
        product.sum().backward()
        np.testing.assert_array_equal(leaf.grad.asnumpy(), X)
    assert len(runs) == 2


def test_threads_keep_their_own_tapes():
    shifted, _ = counted(lambda x: (x * 2).sum())
    wrong = []

    def work(factor):
        for _ in range(50):
            leaf = Tensor(X * factor)
            leaf.requires_grad = True
            shifted(leaf).backward()
            if leaf.grad.tolist() != [[2.0] * 4] * 3:
                wrong.append(factor)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_rules_of_the_users_own_operators_are_called_each_time():
    calls = []

    class Own(Op):
        pass

    def shifted(x: Tensor):
        """x + 1, an operator of the user's."""

    made = Own(shifted)
    made.infer(lambda x: x)
    made.python(lambda x: x + 1)

    @made.vjp("x")
    def _(*, g):
        calls.append(1)
        return g * 3

    for _ in range(5):
        leaf = Tensor(X)
        leaf.requires_grad = True
        made(leaf).sum().backward()
        assert leaf.grad.tolist() == [[3.0] * 4] * 3
    assert len(calls) == 5


def test_rules_see_gradients_of_other_layouts():
    for i in range(6):
        leaf = Tensor(X)
        leaf.requires_grad = True
        y = leaf.tanh()
        g = Tensor(np.asfortranarray(Y)) if i % 2 else Tensor(Y)
        y.backward(Tensor(np.ascontiguousarray(Y.T)).T if i % 3 == 2 else g)
        np.testing.assert_allclose(leaf.grad.asnumpy(), Y * (1 - np.tanh(X) ** 2), rtol=1e-6)


def test_operators_that_give_tuples_serve_other_data_natively():
    for i in range(6):
        x = X[:, [2, 0, 3, 1]] * (i + 1) + i
        values, places = ops.sort(Tensor(x), 1)
        np.testing.assert_array_equal(values.asnumpy(), np.sort(x, 1))
        np.testing.assert_array_equal(places.asnumpy(), np.argsort(x, 1))
        first, second = ops.meshgrid(Tensor(x[0]), Tensor(x[1]), indexing="ij")
        np.testing.assert_array_equal(first.asnumpy() + second.asnumpy(), np.add.outer(x[0], x[1]))


@pytest.mark.parametrize("axis", [0, 1])
def test_many_views_at_once_are_views_like_few(axis):
    data = np.arange(200 * 140, dtype=np.float32).reshape(200, 140)
    base = Tensor(data)
    for parts, want in (
        (ops.split(base, 2, axis), np.split(data, data.shape[axis] // 2, axis)),
        (ops.split(base[3:], 2, axis)[:60], np.split(data[3:], range(2, 140, 2), axis)[:60]),
        (ops.unbind(base, axis), list(np.moveaxis(data, axis, 0))),
    ):
        for part, expected in zip(parts, want):
            np.testing.assert_array_equal(part.asnumpy(), expected)
    parts = ops.split(base, 2, axis)
    parts[40].fill_(-1.0)  # through the view, and through the base
    assert (ops.unbind(base, axis)[81] == -1.0).all()
    leaf = Tensor(data)
    leaf.requires_grad = True
    product = leaf * base  # a tape holds the memory, so that a write moves it
    before = base.asnumpy().copy()
    base.fill_(5.0)
    assert (parts[3] == 5.0).all() and (parts[60] == 5.0).all()
    product.sum().backward()
    np.testing.assert_array_equal(leaf.grad.asnumpy(), before)
    followed = ops.split(leaf * 1, 2, axis)
    leaf.grad = None
    (followed[0].sum() + followed[-1].sum() * 2).backward()
    assert leaf.grad.sum().item() == 3 * 2 * data.size / data.shape[axis]


def test_small_and_large_masks_select_alike():
    for n in (3, 200):
        data = np.arange(n * 30, dtype=np.float32).reshape(n, 30) % 7
        x, mask = Tensor(data).T, Tensor(data % 2 == 0).T
        for got, want in ((x[mask], data.T[data.T % 2 == 0]), (ops.masked_select(x, mask), data.T[data.T % 2 == 0])):
            np.testing.assert_array_equal(got.asnumpy(), want)
            got.fill_(9.0)
            assert x.max().item() == 6.0
        np.testing.assert_array_equal(x[mask[:, 0]].asnumpy(), data.T[(data.T % 2 == 0)[:, 0]])
        with pytest.raises(AnforaError):
            x[mask.T]
    half = Tensor([1.5, 2.5, 3.5], ms.bfloat16)
    assert half[Tensor([True, False, True])].tolist() == [1.5, 3.5]
    followed = Tensor([1.0, 2.0, 3.0])
    followed.requires_grad = True
    followed[Tensor([True, False, True])].sum().backward()
    assert followed.grad.tolist() == [1.0, 0.0, 1.0]
