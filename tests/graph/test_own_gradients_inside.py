"""Gradients of the program's own and backward hooks of Cells, in compiled functions under a tape outside: what comes of the
walk back, what hooks see, and errors are those of PyNative mode, and forward the interpreter has no part in it."""

from __future__ import annotations

import numpy as np
import pytest
from outcomes import bits, hops, outcome

import anfora as ms
from anfora import Parameter, Tensor, jit, nn, ops
from anfora.eager.tape import Block
from anfora.nn import Cell


def t(*numbers):
    return Tensor(np.array(numbers, np.float32))


def values(*shape, seed=0):
    return Tensor(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


def dense(seed):
    return nn.Dense(3, 3, weight_init=values(3, 3, seed=seed), bias_init=values(3, seed=seed + 1))


class Reverse(Cell):
    """The identity, through which gradients come back with the other sign."""

    def construct(self, x):
        return x

    def bprop(self, x, out, dout):
        return (-dout,)


class Scaled(Cell):
    """x * y, with gradients of its own."""

    def construct(self, x, y):
        return x * y, x + y

    def bprop(self, x, y, out, dout):
        return dout[0] * y * 2 + out[1], dout[1] - x


class Short(Cell):
    """Its gradient has a wrong shape."""

    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return (dout[:1],)


@ms.custom_vjp
def double(x):
    return x * 2


double.defbwd(lambda x, out, dout: (dout * 10 + out,))


class Parts:
    """What the programs below are made of."""

    def __init__(self):
        self.log = []
        self.first, self.second = dense(1), dense(5)
        self.watched, self.replaced = dense(7), dense(9)
        self.reverse, self.scaled, self.short = Reverse(), Scaled(), Short()
        self.watched.register_backward_hook(lambda cell, given, taken: self.log.append((given, taken)))
        self.watched.register_backward_pre_hook(lambda cell, taken: self.log.append(taken))
        self.replaced.register_backward_hook(lambda cell, given, taken: (given[0] * 3,))

    def parameters(self):
        cells = (self.first, self.second, self.watched, self.replaced)
        return [p for cell in cells for p in cell.get_parameters()]


def alone(m, x):
    return m.reverse(x)


def between(m, x):
    return m.second(m.reverse(ops.relu(m.first(x))))


def around_it(m, x):
    h = m.first(x)
    return m.second(m.reverse(ops.relu(h)) * h) + h


def twice(m, x):
    h = m.reverse(m.first(x))
    return h * m.reverse(h * 2)


def several_results(m, x):
    a, b = m.scaled(m.first(x), x)
    return a * 2 + b, a


def function_of_its_own(m, x):
    return double(m.first(x)) * double(x)


def watched(m, x):
    return m.second(m.watched(m.first(x)))


def replaced(m, x):
    return m.replaced(m.watched(x)) + x


def watched_and_reversed(m, x):
    return m.watched(m.reverse(m.replaced(x)))


def reshaped(m, x):
    rows = m.first(x).reshape(3, 2)
    return m.reverse(rows)[1:].T.sum(0)


def with_random_numbers(m, x):
    return m.reverse(ops.dropout(m.first(x), p=0.5)) * ops.dropout(x, p=0.25)


def with_labels(m, x):
    return ops.cross_entropy(m.reverse(m.first(x)), Tensor([0, 2]))


def with_something_written(m, x):
    m.log.append(1)
    h = m.reverse(m.first(x))
    m.log.append(h)
    return m.second(h)


def without_tape_in_between(m, x):
    h = m.reverse(m.first(x))
    with ms.no_grad():
        scale = m.reverse(h).mean()
    return m.second(h) * scale


def wrong_shape(m, x):
    return m.short(m.first(x)).sum()


PROGRAMS = [
    alone, between, around_it, twice, several_results, function_of_its_own, watched, replaced, watched_and_reversed,
    reshaped, with_random_numbers, with_labels, with_something_written, without_tape_in_between, wrong_shape,
]  # fmt: skip


def walked(function, parts, x):
    """What a call gives, and all that a walk back over it leaves."""
    ms.set_seed(4)
    for p in parts.parameters():
        p.grad = None
    parts.log.clear()
    x.grad = None
    result = function(parts, x)
    loss = sum((r * r).sum() for r in (result if isinstance(result, tuple) else (result,)))
    try:
        loss.backward()
    except Exception as error:
        return bits(result), type(error), str(error)
    return bits((result, loss, x.grad, [p.grad for p in parts.parameters()], parts.log))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_walk_from_outside_gives_what_it_gives_in_pynative_mode(program):
    parts, own = Parts(), Parts()
    compiled = jit(program)
    for seed in range(4):
        x = values(2, 3, seed=seed).requires_grad_()
        assert walked(compiled, own, x) == walked(program, parts, x), seed
    assert compiled.program.native is None and not hops(compiled)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_gradients_of_a_compiled_function(program):
    """The tape belongs to `grad` outside; so do second derivatives."""
    parts, own = Parts(), Parts()
    compiled = jit(program)

    def loss(function, parts):
        def run(x):
            result = function(parts, x)
            return sum((r * r).sum() for r in (result if isinstance(result, tuple) else (result,)))

        return run

    for seed in range(3):
        x = values(2, 3, seed=seed)
        for transform in (
            lambda f, p: ms.value_and_grad(f, 0, p.parameters()),
            lambda f, p: ms.grad(lambda v: (ms.grad(f)(v) ** 2).sum()),
        ):
            found = []
            for function, held in ((program, parts), (compiled, own)):
                ms.set_seed(4)
                held.log.clear()
                found.append((outcome(transform(loss(function, held), held), x), bits(held.log)))
            assert found[1] == found[0]


def test_between_such_nodes_stand_blocks():
    parts = Parts()
    compiled = jit(around_it)
    x = values(2, 3).requires_grad_()
    for _ in range(3):
        result = compiled(parts, x)
    block = result._node.node
    assert type(block) is Block and len(block.program.nodes) == 3
    [node] = [p.node for p in block.parents if hasattr(p, "node") and type(p.node) is not Block]
    assert node.recipe.entry.op.name == "Reverse.bprop()"
    [before] = [p.node for p in node.parents]
    assert type(before) is Block and before.tick < node.tick < block.tick
    assert {row.place[0].co_name for row in block.program.piece.calls} == {"around_it"}


def test_a_result_is_the_tensor_that_its_gradient_is_told_of():
    seen = []

    class Told(Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            seen.append((x, out))
            return (dout,)

    told = Told()
    compiled = jit(lambda x: (told(x), x * 1))
    for _ in range(3):
        x = t(1, 2).requires_grad_()
        result, _ = compiled(x)
        result.sum().backward()
        assert seen[0][0] is x and seen.pop()[1] is result
    assert not hops(compiled)


def test_memory_that_is_seen_outside():
    def run(m, x):
        return m.reverse(x) * m.first(x)

    parts, own = Parts(), Parts()
    compiled = jit(run)
    for k in range(3):
        x, y = values(2, 3, seed=k).requires_grad_(), values(2, 3, seed=k).requires_grad_()
        seen = x.asnumpy(), y.asnumpy()
        results = []
        for function, held, given, array in ((run, parts, x, seen[0]), (compiled, own, y, seen[1])):
            result = function(held, given)
            array[:] = 0
            result.sum().backward()
            results.append(bits((result, given.grad, held.first.weight.grad)))
            for p in held.parameters():
                p.grad = None
        assert results[1] == results[0]


def test_what_is_changed_in_place_behind_it_begins_a_piece():
    def run(m, x):
        h = m.reverse(m.first(x))
        h.add_(1)
        return h * h

    parts, own = Parts(), Parts()
    compiled = jit(run)
    for seed in range(4):
        x = values(2, 3, seed=seed).requires_grad_()
        assert walked(compiled, own, x) == walked(run, parts, x), seed
    assert not hops(compiled) and compiled.program.native is None


def test_a_hop_in_the_middle(capsys):
    class Talks(Cell):
        def __init__(self):
            super().__init__()
            self.inner = dense(1)

        def construct(self, x):
            h = self.inner(x)
            print("here")
            return ops.relu(h)

    def make():
        net, log = Talks(), []
        net.register_backward_hook(lambda cell, given, taken: log.append((given, taken)))

        def run(x):
            return net(x) * 2

        return net, log, run

    (net, log, run), (other, seen, function) = make(), make()
    compiled = jit(function)
    for seed in range(3):
        x, y = values(2, 3, seed=seed).requires_grad_(), values(2, 3, seed=seed).requires_grad_()
        run(x).sum().backward()
        compiled(y).sum().backward()
        assert bits((x.grad, net.inner.weight.grad, log)) == bits((y.grad, other.inner.weight.grad, seen))
    assert set(hops(compiled)) == {"a call of print, which the compiler cannot look into"}


def test_hooks_come_and_go():
    parts, own = Parts(), Parts()
    compiled = jit(between)
    for seed in range(2):
        for has_hook in (False, True, False):
            x = values(2, 3, seed=seed).requires_grad_()
            handles = [
                m.second.register_backward_hook(lambda c, g, o, m=m: m.log.append(o)) if has_hook else None
                for m in (parts, own)
            ]
            assert walked(compiled, own, x) == walked(between, parts, x)
            assert len(own.log) == has_hook
            for handle in handles:
                if handle is not None:
                    handle.remove()
    assert not hops(compiled)


def test_a_step_of_training_with_both():
    def make():
        net, reverse, log = nn.SequentialCell(dense(1), nn.ReLU(), dense(5)), Reverse(), []
        net[0].register_backward_hook(lambda cell, given, taken: log.append(taken[0].sum()))
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)

        def step(x, y):
            optimizer.zero_grad()
            loss = ops.cross_entropy(reverse(net(x)), y)
            loss.backward()
            optimizer.step()
            return loss

        return step, [*net.get_parameters(), *optimizer.get_parameters()], log

    (plain, held, log), (function, own, seen) = make(), make()
    compiled = jit(function)
    for seed in range(4):
        x, y = values(4, 3, seed=seed), Tensor(np.arange(4) % 3, ms.int32)
        losses = plain(x, y), compiled(x, y)
        assert bits(losses[0]) == bits(losses[1])
        assert bits([(p, p.grad) for p in held] + log) == bits([(p, p.grad) for p in own] + seen)
        assert [outcome(loss.backward) for loss in losses[:1]] == [outcome(loss.backward) for loss in losses[1:]]
    assert not hops(compiled)


def test_a_parameter_with_another_gradient():
    w = Parameter(t(1, 2, 3), name="w")

    def run(x):
        return double(w * x).sum()

    compiled = jit(run)
    for function in (run, compiled, compiled):
        w.grad = None
        function(t(1, 1, 1)).backward()
        assert w.grad.tolist() == [12, 14, 16]
    assert not hops(compiled)


# -- rules of operators that are the program's own ---------------------------------------------------------------------

called = []


@ms.custom_op
def cubed(x, y):
    return x * x * x * y


@cubed.vjp("x")
def _(x, y, *, g):
    called.append(None if isinstance(y, Tensor) else y > 2)
    return g * 3 * x * x * y


@ms.custom_op
def squared(x):
    return x * x


@squared.vjp("x")
def _(x, *, g):
    called.append(g.sum().item())
    return g * 2 * x


def doubled(a):
    c = output_tensor(a.shape, a.dtype)  # noqa: F821  (see `ops.Custom`)
    for i in range(a.shape[0]):
        c[i] = a[i] * 2
    return c


def slope(x, out, g):
    called.append("bprop")
    return (g * 2 * x,)


hybrid = ops.Custom(doubled, bprop=slope)
in_python = ops.Custom(lambda x: x * 2, lambda shape: shape, lambda dtype: dtype, "pyfunc", slope)


def by_backward(x, n):
    x.requires_grad = True
    cubed(x, n).sum().backward()
    return x.grad


RULES = {
    "gradient inside": lambda x, n: ms.grad(lambda x: cubed(x, n).sum())(x),
    "data inside": lambda x, n: ms.grad(lambda x: squared(x).sum() * n)(x),
    "second order inside": lambda x, n: ms.grad(lambda x: ms.grad(lambda x: cubed(x, n).sum())(x).sum())(x),
    "backward inside": by_backward,
    "tangent inside": lambda x, n: ms.jvp(lambda x: cubed(x, n), x, x)[1],
    "examples inside": lambda x, n: ms.vmap(ms.grad(lambda x: cubed(x, n)))(x),
    "hybrid inside": lambda x, n: ms.grad(lambda x: (hybrid(x) * n).sum())(x),
    "in Python inside": lambda x, n: ms.grad(lambda x: (in_python(x) * n).sum())(x),
}


@pytest.mark.parametrize("function", RULES.values(), ids=RULES)
def test_rules_of_own_operators_are_called_each_time(function):
    compiled = jit(function)
    for n in (1.5, 2.5, 4.5, 1.0, 3.5):
        ends = []
        for f in (function, compiled):
            called.clear()
            ends.append((bits(f(t(0.5, 1.5, 2.0), n)), list(called)))
        assert ends[0] == ends[1] and called, n


OUTSIDE = {
    "plain": lambda x, n: cubed(x, n) + x,
    "data": lambda x, n: squared(x * n),
    "hybrid": lambda x, n: hybrid(x) * n,
    "in Python": lambda x, n: in_python(x) * n,
}


@pytest.mark.parametrize("op", OUTSIDE.values(), ids=OUTSIDE)
def test_rules_of_own_operators_are_called_by_a_tape_outside(op):
    compiled = jit(op)
    for n in (1.5, 2.5, 4.5, 1.0, 3.5):
        ends = []
        for f in (op, compiled):
            called.clear()
            x = t(0.5, 1.5, 2.0)
            x.requires_grad = True
            f(x, n).sum().backward()
            ends.append((bits(x.grad), list(called)))
        assert ends[0] == ends[1] and called, n
