"""What `assign_add`, `scatter_update` and their kin give has two gradients: to the Parameter, a leaf that stands for what
it holds, and to the values that were written. Each function, in each way to a gradient, twice in one program; expected is
what numpy computes from the slope of each change."""

from __future__ import annotations

import numpy as np
import pytest

import anfora as ms
from anfora import Parameter, Tensor, nn, ops

T = np.array([1.5, -2.0, 3.0, 0.75], np.float32)
V = np.array([4.0, 0.5, -1.5, 2.0], np.float32)
C = np.array([1.0, -1.0, 2.0, 0.5], np.float32)

ORDER = np.array([2, 0, 3, 1], np.int32)


def rows(name):
    return lambda t, v: getattr(ops, name)(t, Tensor(ORDER), v[Tensor(ORDER)])


def points(name):
    return lambda t, v: getattr(ops, name)(t, Tensor(ORDER[:, None]), v[Tensor(ORDER)])


#: What each puts in the place of a value, and the slope of that by what is given.
MEANINGS = {
    "update": (lambda t, v: v, lambda t, v: np.ones_like(v)),
    "add": (lambda t, v: t + v, lambda t, v: np.ones_like(v)),
    "sub": (lambda t, v: t - v, lambda t, v: -np.ones_like(v)),
    "mul": (lambda t, v: t * v, lambda t, v: t),
    "div": (lambda t, v: t / v, lambda t, v: -t / v**2),
    "max": (np.maximum, lambda t, v: (v > t).astype(v.dtype)),
    "min": (np.minimum, lambda t, v: (v < t).astype(v.dtype)),
}
CHANGES = {
    "assign": (ops.assign, lambda t, v: v, lambda t, v: np.zeros_like(v)),
    "Assign": (ops.Assign(), lambda t, v: v, lambda t, v: np.zeros_like(v)),
    "assign_add": (ops.assign_add, *MEANINGS["add"]),
    "AssignAdd": (ops.AssignAdd(), *MEANINGS["add"]),
    "assign_sub": (ops.assign_sub, *MEANINGS["sub"]),
    "AssignSub": (ops.AssignSub(), *MEANINGS["sub"]),
    **{f"scatter_{how}": (rows(f"scatter_{how}"), *MEANINGS[how]) for how in MEANINGS},
    **{f"scatter_nd_{how}": (points(f"scatter_nd_{how}"), *MEANINGS[how]) for how in MEANINGS},
    "ScatterUpdate": (lambda t, v: ops.ScatterUpdate()(t, Tensor(ORDER), v[Tensor(ORDER)]), *MEANINGS["update"]),
}


class Net(nn.Cell):
    def __init__(self, change, is_trained, hop):
        super().__init__()
        self.t = Parameter(T, name="t", requires_grad=is_trained)
        self.change, self.hop = change, hop

    def construct(self, v):
        before = (self.t * self.t * v).sum()
        first = self.change(self.t, v)
        self.hop(first)
        second = self.change(self.t, v * 0.5)
        return before + (first * first * Tensor(C)).sum() + (second * self.t * v).sum()


def by_transform(compile):
    def run(net):
        step = compile(ms.value_and_grad(net, 0, net.trainable_params() or None))

        def gradients(v):
            found = step(v)[1]
            return (found[0], *found[1]) if net.trainable_params() else (found,)

        return gradients

    return run


def by_backward(compile):
    def run(net):
        called = compile(net)

        def gradients(v):
            v = (v * 1.0).requires_grad_()
            net.t.grad = None
            called(v).backward()
            return (v.grad, net.t.grad) if net.trainable_params() else (v.grad,)

        return gradients

    return run


def in_graph_mode(function):
    def call(*args):
        ms.set_context(mode=ms.GRAPH_MODE)
        try:
            return function(*args)
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)

    return call


WAYS = {
    "value_and_grad": by_transform(lambda f: f),
    "compiled value_and_grad": by_transform(ms.jit),
    "value_and_grad in GRAPH_MODE": by_transform(in_graph_mode),
    "backward": by_backward(lambda f: f),
    "backward of a compiled function": by_backward(lambda net: ms.jit(lambda v: net(v))),
}


@pytest.mark.parametrize("hops", [False, True])
@pytest.mark.parametrize("is_trained", [True, False])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CHANGES)
def test_what_was_written_has_a_gradient(name, way, is_trained, hops):
    change, value, slope = CHANGES[name]
    seen: list = []
    net = Net(change, is_trained, (lambda y: exec("seen.append(type(y))", {"seen": seen, "y": y})) if hops else len)
    gradients = WAYS[way](net)
    once, twice = value(T, V), value(value(T, V), V * 0.5)
    expected = [
        T * T + 2 * twice * C * slope(T, V) + twice * V * slope(once, V * 0.5) * 0.5 + twice * twice,
        2 * T * V + 2 * twice * C + 2 * twice * V,
    ]
    for call in range(6):
        net.t.set_data(Tensor(T))
        found = gradients(Tensor(V))
        assert len(found) == 1 + is_trained
        for number, (each, wanted) in enumerate(zip(found, expected)):
            np.testing.assert_allclose(each.asnumpy(), wanted, rtol=1e-5, atol=1e-6, err_msg=f"call {call}, {number}")
        np.testing.assert_allclose(net.t.asnumpy(), twice, rtol=1e-6)
        assert net.t.requires_grad is is_trained and (net.t.is_leaf or not is_trained)
    assert all(issubclass(kind, Tensor) for kind in seen)


@pytest.mark.parametrize("compile", [lambda f: f, ms.jit])
@pytest.mark.parametrize("name", CHANGES)
def test_it_lies_in_the_parameter(name, compile):
    change, value, _ = CHANGES[name]
    t = Parameter(T, name="t")

    def f(v):
        y = change(t, v)
        z = y[1:] * 1.0
        t[0] = 7.0
        return y, z, y + 0.0

    call = compile(f)
    for v in (Tensor(V), (Tensor(V) * 1.0).requires_grad_()) * 3:
        t.set_data(Tensor(T))
        y, z, again = call(v)
        assert t.is_leaf
        expected = value(T, V)
        np.testing.assert_allclose(z.asnumpy(), expected[1:], rtol=1e-6)
        expected[0] = 7.0
        for each in (y, again, t):
            np.testing.assert_allclose(each.asnumpy(), expected, rtol=1e-6)
        t[1] = -7.0
        assert y[1].item() == -7.0


def sets_first(y):
    y[0] = 7.0


def sets_some(y):
    y[Tensor(ORDER[:2])] = 7.0


#: What is written to a tensor, what that makes of a value, and of its slope.
WRITES = {
    "mul_": (lambda y: y.mul_(2.0), lambda v: 2 * v, 2.0),
    "add_": (lambda y: y.add_(2.0), lambda v: v + 2, 1.0),
    "copy_": (lambda y: y.copy_(Tensor(C)), lambda v: C, 0.0),
    "an item": (sets_first, lambda v: np.where(np.arange(4) == 0, 7, v), np.array([0, 1, 1, 1.0])),
    "items": (sets_some, lambda v: np.where(np.isin(np.arange(4), ORDER[:2]), 7, v), np.array([0, 1, 0, 1.0])),
    "a part of it": (lambda y: y[1:].mul_(2.0), lambda v: v * [1, 2, 2, 2], np.array([1, 2, 2, 2.0])),
}


@pytest.mark.parametrize("is_trained", [True, False])
@pytest.mark.parametrize("compile", [lambda f: f, ms.jit])
@pytest.mark.parametrize("name", WRITES)
def test_what_is_written_to_the_result_has_its_gradient(name, compile, is_trained):
    """The Parameter holds it, and stays a leaf if it is trained."""
    write, value, slope = WRITES[name]
    t = Parameter(Tensor(T), name="t", requires_grad=is_trained)

    def f(v):
        y = ops.assign_add(t, v)
        write(y)
        return (y * y * v).sum()

    step = compile(ms.grad(f))
    for v in (V, 2 * V, C, V):
        t.set_data(Tensor(T))
        y = value(T + v)
        np.testing.assert_allclose(step(Tensor(v)).asnumpy(), y * y + 2 * y * slope * v, rtol=1e-5)
        np.testing.assert_allclose(t.asnumpy(), y, rtol=1e-6)
        assert t.is_leaf and t.requires_grad is is_trained


@pytest.mark.parametrize("is_trained", [True, False])
@pytest.mark.parametrize("compile", [lambda f: f, ms.jit])
@pytest.mark.parametrize("name", WRITES)
def test_a_parameter_that_is_an_argument_is_followed(name, compile, is_trained):
    """A transform follows its arguments by themselves: what is written to one has its gradient, also in a Parameter."""
    write, value, slope = WRITES[name]
    t = Parameter(Tensor(T), name="t", requires_grad=is_trained)

    def f(x):
        write(x)
        return (x * x).sum()

    step = compile(ms.grad(f))
    for _ in range(4):
        t.set_data(Tensor(T))
        np.testing.assert_allclose(step(t).asnumpy(), 2 * value(T) * slope, rtol=1e-6)
        np.testing.assert_allclose(t.asnumpy(), value(T), rtol=1e-6)
        assert t.is_leaf and t.requires_grad is is_trained


def test_other_types_are_converted():
    t, v = Parameter(Tensor(T), name="t"), Tensor(V, ms.float64).requires_grad_()
    y = ops.assign_add(t, v)
    (y * y).sum().backward()
    assert y.dtype == ms.float32 and v.grad.dtype == ms.float64 and t.grad.dtype == ms.float32
    np.testing.assert_allclose(v.grad.asnumpy(), 2 * (T + V), rtol=1e-6)
    np.testing.assert_allclose(t.grad.asnumpy(), 2 * (T + V), rtol=1e-6)


def test_forward_mode_follows_what_was_written():
    t = Parameter(Tensor(T), name="t", requires_grad=False)

    def f(v):
        t.set_data(Tensor(T))
        y = ops.assign_sub(t, v * v)
        return y * y

    _, tangent = ms.jvp(f, Tensor(V), Tensor(C))
    np.testing.assert_allclose(tangent.asnumpy(), 2 * (T - V * V) * (-2 * V * C), rtol=1e-5)
