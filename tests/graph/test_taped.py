"""Compiled functions under the tape: one node, natively back, the bits and errors of PyNative mode in every situation.

A situation is a program that calls `f`, with gradients around it; it is run with the plain function and with the compiled
one, several times: the first call is recorded, the second leaves a block, whose first walk back is recorded too.
"""

from __future__ import annotations

import gc

import numpy as np
import pytest
from outcomes import bits, outcome

import anfora as ms
from anfora import Parameter, Tensor, grad, jit, nn, no_grad, ops, value_and_grad
from anfora.eager.tape import Block, Output

ROUNDS = 5


def data(round_, *shape, special=True):
    values = np.random.default_rng(round_ * 100 + len(shape)).standard_normal(shape).astype(np.float32)
    if special and round_ % 2 and values.size > 3:  # where an absent gradient and one of zeros differ
        values.flat[0], values.flat[1], values.flat[2] = -0.0, np.inf, 0.0
    return values


def leaf(values):
    x = Tensor(values)
    x.requires_grad = True
    return x


def weight(values, name="w"):
    return Parameter(Tensor(values), name=name)


# -- what is compiled -------------------------------------------------------------------------------------------------


def product(x, w):
    return ops.tanh(ops.matmul(ops.relu(ops.matmul(x, w)), w)) + x


def several(x, w):
    y = x * w
    return {"a": (y, y.sum()), "b": [ops.exp(w * 0.5)]}, x


def views(x, w):
    y = x * w
    return y, y.T, y[0], x.T


def passing(x, w):
    return x + w, x


SITUATIONS = []


def situation(f):
    def add(function):
        SITUATIONS.append(pytest.param(function, f, id=function.__name__))
        return function

    return add


@situation(product)
def weight_before_twice_inside_and_after(f, k):
    w, x = weight(data(k, 3, 3)), leaf(data(k + 50, 3, 3))
    y = f(ops.matmul(x, w), w)
    ((y * w).sum() + (x - w).sum()).backward()
    return x.grad, w.grad


@situation(product)
def called_twice_before_the_walk(f, k):
    w, x = weight(data(k, 3, 3)), leaf(data(k + 50, 3, 3))
    one, other = f(x, w), f(x * 2, w)
    (one * other).sum().backward()
    return one, other, x.grad, w.grad


@situation(product)
def one_behind_the_other(f, k):
    w, x = weight(data(k, 3, 3, special=False)), leaf(data(k + 50, 3, 3))
    y = f(f(f(x, w), w), w)
    y.backward(Tensor(data(k + 1, 3, 3)))
    return y, x.grad, w.grad


@situation(several)
def some_results_count(f, k):
    w, x = weight(data(k, 2, 2)), leaf(data(k + 50, 2, 2))
    found, same = f(x, w)
    chosen = [found["a"][0].sum(), found["a"][1], found["b"][0].sum(), same.sum()]
    (chosen[k % 4] + chosen[(k + 1) % 4]).backward()
    return x.grad, w.grad, same is x


@situation(several)
def gradient_by_some_arguments(f, k):
    w, x = weight(data(k, 2, 2)), leaf(data(k + 50, 2, 2))

    def loss(x, w):
        found, same = f(x, w)
        return found["a"][1] + found["b"][0].sum() * same.sum()

    return [value_and_grad(loss, place)(x, w) for place in (0, 1, (0, 1))], grad(lambda x: loss(x, w), None, w)(x)


@situation(views)
def results_that_are_views(f, k):
    w, x = weight(data(k, 2, 2)), leaf(data(k + 50, 2, 2))
    y, turned, row, other = f(x, w)
    (turned * 2 + y).sum().backward(retain_graph=True)
    (row.sum() + (other * y).sum()).backward()
    return x.grad, w.grad


@situation(views)
def view_of_a_result_that_is_written(f, k):
    w, x = weight(data(k, 2, 2)), leaf(data(k + 50, 2, 2))
    y, turned, row, _ = f(x, w)
    y[0] = 3.0
    (turned * turned).sum().backward()
    return y, turned, row, x.grad, w.grad


@situation(passing)
def sums_pass_their_gradient_on(f, k):
    w, x = weight(data(k, 2, 2)), leaf(data(k + 50, 2, 2))
    total, _ = f(x, w)
    total.backward(Tensor(data(k, 2, 2)))
    total, same = f(x * 1, w)
    (total * same).sum().backward()
    return x.grad, w.grad


@situation(product)
def second_order(f, k):
    w, x = weight(data(k, 3, 3, special=False)), leaf(data(k + 50, 3, 3, special=False))

    def slope(x):
        return (grad(lambda x: (f(x, w) * x).sum())(x) ** 2).sum() + f(x, w).sum()

    first = grad(slope)(x)
    y = f(x, w).sum()
    y.backward(create_graph=True)
    penalty = (x.grad * x.grad).sum() + y
    x.grad = None
    penalty.backward()
    return first, x.grad, w.grad


@situation(product)
def forward_mode(f, k):
    w, x = weight(data(k, 3, 3, special=False)), Tensor(data(k + 50, 3, 3, special=False))
    return ms.jvp(lambda x: f(x, w), x, Tensor(data(k, 3, 3, special=False)))


@situation(product)
def hooks_on_a_result(f, k):
    w, x = weight(data(k, 3, 3, special=False)), leaf(data(k + 50, 3, 3, special=False))
    seen = []
    y = f(x, w)
    y.register_hook(lambda g: seen.append(g) or g * 3)
    (y * y).sum().backward()
    return seen, x.grad, w.grad


@situation(product)
def hook_on_an_argument(f, k):
    w, x = weight(data(k, 3, 3, special=False)), leaf(data(k + 50, 3, 3, special=False))
    seen = []
    z = x * 2
    z.register_hook(lambda g: seen.append(g) or -g)
    f(z, w).sum().backward()
    return seen, x.grad, w.grad


@situation(product)
def gradient_of_something_between(f, k):
    w, x = weight(data(k, 3, 3, special=False)), leaf(data(k + 50, 3, 3, special=False))
    kept = []

    def outer(x):
        kept.append(f(x, w))
        return (kept[-1] * x).sum()

    return grad(outer)(x), ms.vjp(outer, x)[1](Tensor(np.float32(2.0)))


@situation(product)
def walked_twice(f, k):
    w, x = weight(data(k, 3, 3)), leaf(data(k + 50, 3, 3))
    y = f(x, w).sum()
    y.backward(retain_graph=True)
    y.backward(retain_graph=True)
    y.backward()
    return x.grad, w.grad


@situation(product)
def used_up(f, k):
    w, x = weight(data(k, 3, 3)), leaf(data(k + 50, 3, 3))
    y = f(x, w)
    y.sum().backward()
    return outcome(lambda: y.sum().backward()), x.grad, w.grad


@situation(several)
def used_up_in_part(f, k):
    w, x = weight(data(k, 2, 2)), leaf(data(k + 50, 2, 2))
    found, _ = f(x, w)
    found["b"][0].sum().backward()
    found["a"][1].backward(retain_graph=True)
    found["a"][1].backward()
    return outcome(lambda: found["b"][0].sum().backward()), outcome(lambda: found["a"][1].backward()), x.grad, w.grad


@situation(product)
def saved_value_is_changed_in_place(f, k):
    w, x = weight(data(k, 3, 3)), leaf(data(k + 50, 3, 3))
    z = x * 2
    y = f(z, w)
    if k in (3, 4):  # the way back is known by then
        z.add_(1)
    return outcome(lambda: y.sum().backward()), x.grad, w.grad


@situation(product)
def another_value_is_changed_in_place(f, k):
    w, x = weight(data(k, 3, 3)), leaf(data(k + 50, 3, 3))
    other = x * 3
    other.add_(1)
    y = f(x * 2, w)
    other.add_(1)
    (y.sum() + other.sum()).backward()
    return x.grad, w.grad


@situation(product)
def data_is_handed_out_and_changed(f, k):
    w, x = weight(data(k, 3, 3)), leaf(data(k + 50, 3, 3))
    z = x * 2
    before = z.asnumpy()
    y = f(z, w)
    after = y.asnumpy()
    before[:] = 7
    after[:] = 7
    y.sum().backward()
    return x.grad, w.grad, z, y


@situation(product)
def history_or_none(f, k):
    w, x = weight(data(k, 3, 3)), Tensor(data(k + 50, 3, 3))
    plain = f(x, Tensor(w.asnumpy()))
    with no_grad():
        silent = f(x, w)
    loud = f(x, w)
    loud.sum().backward()
    return plain.requires_grad, silent.requires_grad, loud.requires_grad, w.grad


@situation(product)
def only_the_weight_is_followed(f, k):
    w, x = weight(data(k, 3, 3)), Tensor(data(k + 50, 3, 3))
    (f(x, w) + f(x, Tensor(data(k, 3, 3)))).sum().backward()
    return w.grad, x.grad


@situation(product)
def one_example_at_a_time(f, k):
    w, x = weight(data(k, 3, 3, special=False)), Tensor(data(k + 50, 2, 3, 3, special=False))
    return ms.vmap(grad(lambda x: f(x, w).sum()))(x)


@situation(product)
def graph_outlives_its_arguments(f, k):
    def made():
        w, x = weight(data(k, 3, 3)), leaf(data(k + 50, 3, 3))
        return f(x * 1, w), x

    y, x = made()
    y.sum().backward()
    return x.grad


def drop(x, w):
    return ops.dropout(x * w, p=0.5) + ops.dropout(x, p=0.25)


@situation(drop)
def random_numbers_are_drawn_again(f, k):
    ms.set_seed(k)
    w, x = weight(data(k, 8, 8, special=False)), leaf(data(k + 50, 8, 8, special=False))
    one, other = f(x, w), f(x, w)
    (one * other).sum().backward()
    return x.grad, w.grad, ops.rand(3)


def scaled(x, w, factor=1.0):
    return ops.exp(x * factor) * w * factor


@situation(scaled)
def numbers_that_vary(f, k):
    w, x = weight(data(k, 3, special=False)), leaf(data(k + 50, 3, special=False))
    for i in range(25):
        f(x, w, 0.1 * i + k).sum().backward()
    return x.grad, w.grad


@situation(lambda x, w: [x, x * w] if bool(x.sum() > 0) else [w, w + x])
def branches(f, k):
    total = []
    for sign in (1.0, -1.0):
        w, x = weight(data(k, 3, special=False)), leaf(np.full(3, sign * (k + 1), np.float32))
        one, other = f(x, w)
        (one * other).sum().backward()
        total += [x.grad, w.grad]
    return total


def hopping(x, w):
    y = ops.tanh(x * w)
    scale = float(y.sum())
    return ops.relu(y * w) * (scale > 0) + y


@situation(hopping)
def hops_between(f, k):
    w, x = weight(data(k, 4, special=False)), leaf(data(k + 50, 4, special=False))
    (f(x * w, w) * w).sum().backward()
    return x.grad, w.grad


def written(x, w):
    y = x * w
    y[0] = w[1] * 2
    y += x
    return y


@situation(written)
def followed_values_are_written(f, k):
    w, x = weight(data(k, 3)), leaf(data(k + 50, 3))
    f(x, w).sum().backward()
    return x.grad, w.grad


@pytest.mark.parametrize("function, f", SITUATIONS)
def test_situation(function, f):
    compiled = jit(f)
    for k in range(ROUNDS):
        assert bits(function(compiled, k)) == bits(function(f, k)), f"round {k}"


# -- gradients inside of compiled functions, of what the interpreter takes part in ------------------------------------

GRADIENTS = []


def gradient(function):
    GRADIENTS.append(function)
    return function


@gradient
def data_decides(x, w, log):
    def loss(x, w):
        y = ops.tanh(x * w)
        if float(y.sum()) > 0:
            y = y * 2
        return (y * w).sum()

    return value_and_grad(loss, (0, 1))(x, w)


@gradient
def weights_of_a_closure(x, w, log):
    def loss(x):
        y = x * w
        log.append(y.sum())
        return (ops.tanh(y) * w).sum()

    return grad(loss, None, w)(x), grad(loss)(x)


@gradient
def second_order_over_a_hop(x, w, log):
    def loss(x):
        y = x * x * w
        log.append(float(y.sum()))
        return ops.tanh(y).sum()

    return grad(lambda x: (grad(loss)(x) * x).sum())(x)


@gradient
def numpy_between(x, w, log):
    def loss(x):
        scale = Tensor(np.tanh(x.asnumpy()))
        return (x * w * scale).sum()

    return grad(loss)(x)


@gradient
def hook_between(x, w, log):
    def loss(x):
        y = x * w
        y.register_hook(lambda g: log.append(g) or g * 3)
        return (y * y).sum()

    return value_and_grad(loss)(x)


@gradient
def raised_between(x, w, log):
    def loss(x):
        y = (x * w).sum()
        log.append(float(y))
        if float(y) < 0.5:
            raise KeyError("too small")
        return y

    try:
        return grad(loss)(x)
    except KeyError as error:
        return str(error), (x * w).requires_grad


@gradient
def a_loop_of_gradients(x, w, log):
    def loss(x, k):
        y = ops.tanh(x * w) * k
        log.append(float(y.sum()))
        return y.sum()

    for k in range(4):
        x = x - 0.1 * grad(loss)(x, k)
    return x


@pytest.mark.parametrize("function", GRADIENTS, ids=lambda function: function.__name__)
def test_gradient_inside(function):
    compiled = jit(function)
    for k in range(ROUNDS):
        ends = []
        for f in (function, compiled):
            w, x, log = weight(data(k, 4, special=False)), Tensor(data(k + 50, 4, special=False)), []
            ends.append((bits(f(x, w, log)), bits(log), bits(w), w._node.is_leaf))
        assert ends[0] == ends[1], f"round {k}"
    assert compiled.program.native is None


# -- state ------------------------------------------------------------------------------------------------------------


class Normed(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.last = nn.Dense(4, 8), nn.BatchNorm1d(8), nn.Dense(8, 2)

    def construct(self, x):
        return self.last(ops.relu(self.norm(self.first(x))))


def test_running_statistics_are_updated_once_and_training_is_the_same():
    ends = []
    for compiles in (False, True):
        ms.set_seed(3)
        net = Normed()
        net.set_train()
        if compiles:
            net.construct = jit(net.construct)
        optimizer = nn.Adam(net.trainable_params(), 0.01)
        losses = []
        for k in range(6):
            loss = (net(Tensor(data(k, 5, 4, special=False))) ** 2).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss)
        ends.append(bits([*net.get_parameters(), *losses]))
    assert ends[0] == ends[1]


def test_a_compiled_call_is_one_node():
    f = jit(product)
    w, x = weight(data(0, 3, 3)), leaf(data(1, 3, 3))
    f(x, w)
    y = f(x, w)
    assert type(y._node) is Output and type(y._node.node) is Block
    assert {p.tensor() is x for p in y._node.node.parents} == {True, False}


def test_the_way_back_is_recorded_once():
    f = jit(product)
    for k in range(6):
        w, x = weight(data(0, 3, 3)), leaf(data(k, 3, 3))
        y = f(x, w)
        y.sum().backward()
        if k:
            program = y._node.node.program
            assert [len(ways) for ways in program._ways.values()] == [1], k


def test_gradients_in_the_memory_of_what_is_saved():
    """Nothing has to be told apart by where it lies: `exp` saves its result."""
    f = jit(lambda x, w: (ops.exp(x * w), ops.exp(w)))
    for k in range(4):
        ends = []
        for function in (f.__wrapped__, f):
            w, x = weight(data(0, 3, 3)), leaf(data(k, 3, 3))
            one, other = function(x, w)
            seed = one.detach()
            ms.ops.stack([one, other]).sum().backward(retain_graph=True)
            one.backward(seed, retain_graph=True)
            other.backward(seed)
            ends.append(bits([x.grad, w.grad]))
        assert ends[0] == ends[1], f"round {k}"
    assert one._node.node.nodes is None


def test_memory_is_freed_with_the_walk():
    f = jit(product)
    for _ in range(2):
        w, x = weight(data(0, 3, 3)), leaf(data(1, 3, 3))
        y = f(x, w)
    block = y._node.node
    y.sum().backward()
    assert block.saved is None


def test_gradients_inside_and_a_tape_outside_keep_apart():
    """The loss of a gradient that the program takes has no history, though its memory has one in there."""

    def step(x, w):
        loss, found = value_and_grad(lambda w: ops.tanh(x * w).sum())(w)
        return loss * w, found * w, (loss + x).sum()

    compiled = jit(step)
    for k in range(ROUNDS):
        ends = []
        for f in (step, compiled):
            w, x = weight(data(k, 3, special=False)), leaf(data(k + 50, 3, special=False))
            one, other, third = f(x, w.detach() if k % 2 else w)
            (one.sum() + other.sum() + third).backward()
            ends.append(bits([one, other, third, x.grad, w.grad]))
        assert ends[0] == ends[1], f"round {k}"


def test_history_of_a_gradient_that_is_kept():
    """A tensor that the function has put aside is followed in there, by what the tape outside follows too."""

    def step(x, w):
        kept = []

        def loss(x):
            kept.append(x * w)
            return ops.tanh(kept[-1]).sum()

        return grad(loss)(x), kept[0] * w

    compiled = jit(step)
    for k in range(ROUNDS):
        ends = []
        for f in (step, compiled):
            w, x = weight(data(k, 3, special=False)), Tensor(data(k + 50, 3, special=False))
            found, product = f(x, w)
            product.sum().backward()
            ends.append(bits([found, product, w.grad]))
        assert ends[0] == ends[1], f"round {k}"


def test_what_is_differentiated_by_is_kept_outside():
    """It has a history as long as it lives."""

    def step(x, kept):
        def loss(a):
            kept.append(a)
            return (a * a).sum()

        return grad(loss)(ops.where(x > 0, x, 2.0))

    compiled = jit(step)
    for k in range(ROUNDS):
        ends = []
        for f in (step, compiled):
            kept = []
            ends.append((bits(f(Tensor(data(k, 3)), kept)), bits(kept), [a.requires_grad for a in kept]))
        assert ends[0] == ends[1], f"round {k}"


def test_collections_go_on_behind_a_long_way_back():
    """They were put off while it was recorded, and for good."""

    @ms.jit
    def long(x):
        for k in tuple(range(1200)):  # no loop over a range, so it is unrolled
            x = x * 1.001 + (k % 7) * x
        return x * 1e-30

    assert gc.isenabled()
    for _ in range(3):
        ms.grad(lambda x: long(x).sum())(Tensor([1e-20, 2e-20]))
        assert gc.isenabled()
