"""Cells that are computed again on the way back: the same bits as without, in both modes, and less memory."""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
import sys
import textwrap
import weakref

import numpy as np
import pytest

import anfora as ms
from anfora import Parameter, Tensor, nn, ops
from anfora.core.errors import OpRuntimeError, OpTypeError

X = np.random.default_rng(1).standard_normal((6, 4)).astype(np.float32)


class Block(nn.Cell):
    """Random numbers, running moments, a branch by `training`, a Parameter that is written to, one that is not used."""

    def __init__(self):
        super().__init__()
        self.up, self.down, self.norm, self.drop = nn.Dense(4, 8), nn.Dense(8, 4), nn.BatchNorm1d(8), nn.Dropout(p=0.3)
        self.calls = Parameter(Tensor([0.0]), name="calls", requires_grad=False)
        self.unused = Parameter(Tensor([1.0]), name="unused")

    def construct(self, x, scale=1.0):
        self.calls += 1
        x = x + self.down(self.drop(ops.gelu(self.norm(self.up(x))))) * scale
        return x * self.calls if self.training else x


class Nested(nn.Cell):
    """Arguments and results in nestings, some by keyword."""

    def __init__(self):
        super().__init__()
        self.block = Block()

    def construct(self, pair, *, more):
        first, (second, number) = pair
        return {"sum": self.block(first + more["x"], number), "rest": (second * 2.0, number)}


def network(how):
    ms.set_seed(1)
    net = nn.SequentialCell([Block() for _ in range(3)]).set_train()
    random = np.random.default_rng(0)
    for parameter in net.trainable_params():
        parameter.set_data(Tensor(random.standard_normal(parameter.shape).astype(np.float32) * 0.3))
    if how == "blocks":
        for block in net:
            block.recompute()
    elif how == "whole":
        net.recompute()
    elif how == "in each other":
        net.recompute()
        net[1].recompute()
    elif how == "half":
        for block in net:
            block.recompute().to_float(ms.float16)
    return net


def state_after(how, mode, call=lambda net, x: net(x), lowered=False):
    with ms.context(mode=mode):
        net = network(how)
        if lowered:
            ms.amp.auto_mixed_precision(net, "auto")
        ms.set_seed(3)
        optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
        step = ms.value_and_grad(lambda x: (call(net, x) ** 2).mean(), 0, optimizer.parameters)
        found = []
        for _ in range(4):
            loss, (by_x, gradients) = step(Tensor(X))
            optimizer(gradients)
            found += [loss.asnumpy(), by_x.asnumpy(), *(g.asnumpy() for g in gradients)]
    return [*found, *(p.asnumpy().copy() for p in net.get_parameters()), ops.rand(3).asnumpy()]


MODES = [ms.PYNATIVE_MODE, ms.GRAPH_MODE]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("lowered", [False, True])
@pytest.mark.parametrize("how", ["blocks", "whole", "in each other"])
def test_it_changes_no_bit(how, lowered, mode):
    expected = state_after("as it is", ms.PYNATIVE_MODE, lowered=lowered)
    found = state_after(how, mode, lowered=lowered)
    assert len(found) == len(expected)
    for one, other in zip(found, expected):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("mode", MODES)
def test_the_function_does_as_the_mark_does(mode):
    def call(net, x):
        for block in net:
            x = ms.recompute(block, x)
        return x

    for one, other in zip(state_after("as it is", mode, call), state_after("blocks", mode)):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("mode", MODES)
def test_nestings_and_keywords_come_through(mode):
    results = []
    for mark in (False, True):
        with ms.context(mode=mode):
            net = Nested().set_train()
            random = np.random.default_rng(0)
            for parameter in net.trainable_params():
                parameter.set_data(Tensor(random.standard_normal(parameter.shape).astype(np.float32)))
            ms.set_seed(5)
            if mark:
                net.recompute(use_reentrant=False, output_recompute=True)

            def loss(a, b, c, net=net):
                out = net((a, (b, 0.5)), more={"x": c})
                assert out["rest"][1] == 0.5
                return out["sum"].sum() + (out["rest"][0] * a).sum()

            for _ in range(3):
                found = ms.grad(loss, (0, 1, 2), net.trainable_params())(Tensor(X), Tensor(X + 1), Tensor(X * 2))
                results.append([g.asnumpy() for part in found for g in part])
    for one, other in zip(results[:3], results[3:]):
        for a, b in zip(one, other):
            np.testing.assert_array_equal(a, b)


def test_second_order_is_that_of_the_cell():
    results = []
    for mark in (False, True):
        net = nn.SequentialCell(nn.Dense(4, 3, weight_init="ones", bias_init="zeros"), nn.Tanh())
        if mark:
            net.recompute()
        inner = ms.grad(lambda x, net=net: (net(x) ** 3).sum())
        results.append(ms.grad(lambda x, inner=inner: (inner(x) ** 2).sum(), 0, net.trainable_params())(Tensor(X)))
    (by_x, by_w), (again_x, again_w) = results
    np.testing.assert_allclose(again_x.asnumpy(), by_x.asnumpy(), rtol=1e-6)
    for one, other in zip(by_w, again_w):
        np.testing.assert_allclose(other.asnumpy(), one.asnumpy(), rtol=1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_the_gradient_is_that_of_the_values_at_the_time_of_the_call(mode):
    """Weights, moments, mode of training and random numbers may have changed before the way back, and stay as they are."""
    results = []
    for mark in (False, True):
        with ms.context(mode=mode):
            net = network("blocks" if mark else "as it is")
            ms.set_seed(3)
            x = Tensor(X).requires_grad_()
            loss = (net(x) ** 2).sum()
            for parameter in net.get_parameters():
                parameter.set_data(parameter * 2 + 1)
            net.set_train(False)
            ms.set_seed(99)
            loss.backward()
            assert net.training is False and net[0].norm.training is False
            state = [p.asnumpy().copy() for p in net.get_parameters()]
            gradients = [p.grad for p in net.trainable_params()]
            assert [g is None for g in gradients].count(True) == 3  # what is not used has none
            results.append(
                [x.grad.asnumpy(), *(g.asnumpy() for g in gradients if g is not None), *state, ops.rand(2).asnumpy()]
            )
    for one, other in zip(*results):
        np.testing.assert_array_equal(one, other)


def test_it_is_run_twice_where_a_gradient_is_taken_and_once_otherwise():
    seen = []

    class Counted(nn.Cell):
        def construct(self, x):
            seen.append(x.shape)
            return x * x

    net = Counted().recompute()
    net(Tensor(X))
    assert len(seen) == 1
    ms.grad(lambda x: net(x).sum())(Tensor(X))
    assert len(seen) == 3
    net.recompute(mode=False)
    ms.grad(lambda x: net(x).sum())(Tensor(X))
    assert len(seen) == 4


class Using(nn.Cell):
    """Does with a layer and its argument what a function says."""

    def __init__(self, function):
        super().__init__()
        self.dense, self.drop, self.function, self.kept = nn.Dense(4, 4), nn.Dropout(p=0.4), function, None

    def construct(self, x):
        return self.function(self, x)


OUTER = Parameter(Tensor(np.random.default_rng(5).standard_normal((4, 4)).astype(np.float32)), name="outer")


def gives_an_attribute(net, x):
    net.kept = ops.exp(net.dense(x))
    return ops.tanh(net.kept * x)


def writes_in_place(net, x):
    y = net.dense(x)
    y[0] = y[1] * 2
    y[:, 1] += 1
    part = y[2:]
    part *= 3
    return ops.sort(y * x)[0]


def without_a_tape(net, x):
    with ms.no_grad():
        z = ops.exp(net.dense(x))
    return ops.tanh(net.dense(x)) * z + ops.stop_gradient(x) * x


def puts_a_hook(net, x):
    y = net.dense(x)
    y.register_hook(lambda gradient: gradient * 2)
    return ops.tanh(y)


class Doubling(nn.Cell):
    def construct(self, x):
        return ops.exp(x)

    def bprop(self, x, out, dout):
        return (dout * out * 2,)


double = Doubling()


def forgets(net, x):
    y = x * 1
    z = net(y)
    y *= 2
    return z * y


#: What a Cell does, and what is done with it.
USES = {
    "a Parameter of others": (lambda net, x: ops.tanh(net.dense(x) @ OUTER), lambda net, x: net(x)),
    "an attribute that it sets": (gives_an_attribute, lambda net, x: net(x) * net.kept),
    "writes in place": (writes_in_place, lambda net, x: net(x)),
    "an argument that is written to later": (lambda net, x: ops.exp(x).sum() * x, forgets),
    "a list that is cleared later": (
        lambda net, xs: ops.tanh(net.dense(xs[0] * xs[1])), lambda net, x: (xs := [x, x + 1], net(xs), xs.clear())[1],
    ),
    "one of two results": (lambda net, x: (ops.relu(net.dense(x)), net.drop(x) * x), lambda net, x: net(x)[1]),
    "twice": (lambda net, x: net.drop(ops.tanh(net.dense(x))), lambda net, x: net(net(x))),
    "no_grad": (without_a_tape, lambda net, x: net(x)),
    "a gradient": (lambda net, x: ms.grad(lambda y: ops.tanh(net.dense(y)).sum())(x) * x, lambda net, x: net(x)),
    "a hook": (puts_a_hook, lambda net, x: net(x)),
    "a bprop": (lambda net, x: ops.tanh(net.dense(double(net.dense(x)))), lambda net, x: net(x)),
    "a compiled function": (lambda net, x: ms.jit(lambda y: ops.tanh(y) * ops.exp(y))(net.dense(x)), lambda net, x: net(x)),
    "a second order": (
        lambda net, x: ops.tanh(net.dense(x)), lambda net, x: ms.grad(lambda y: (net(y) ** 2).sum())(x) ** 2,
    ),
    "forward mode": (lambda net, x: ops.tanh(net.dense(x)), lambda net, x: ms.jvp(net, (x,), (x,))[1]),
    "vmap": (lambda net, x: ops.tanh(net.dense(x)), lambda net, x: ms.vmap(lambda row: net(row[None]))(x)),
}  # fmt: skip


def gradients_of(use, mark, mode):
    inside, outside = USES[use]
    with ms.context(mode=mode):
        ms.set_seed(2)
        net = Using(inside).set_train()
        if mark:
            net.recompute()
        found = []
        for i in range(3):
            step = ms.value_and_grad(lambda x: (outside(net, x) ** 2).sum(), 0, [*net.trainable_params(), OUTER])
            value, (by_x, by_weights) = step(Tensor(X * (i + 1)))
            found += [value, by_x, *by_weights]
    return [each.asnumpy() for each in found]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("use", USES)
def test_gradients_go_wherever_they_go_without_it(use, mode):
    for one, other in zip(gradients_of(use, False, ms.PYNATIVE_MODE), gradients_of(use, True, mode), strict=True):
        np.testing.assert_array_equal(one, other)


def counts(net, x):
    net.kept = (net.kept or 0) + 1
    return ops.exp(x * net.kept)


def carries(net, x):
    net.kept = ops.tanh(net.dense(x if net.kept is None else x + net.kept))
    return net.kept


def takes_another_way(net, x):
    net.kept = not net.kept
    return ops.exp(x) if net.kept else x * x


def takes_weights_in_turn(net, x):
    net.kept = not net.kept
    return ops.tanh(x @ (net.dense.weight if net.kept else OUTER))


def adds_an_attribute(net, x):
    net.seen = getattr(net, "seen", 0) + 1
    return ops.exp(x * net.seen)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("inside", [counts, takes_weights_in_turn, carries, takes_another_way, adds_an_attribute])
def test_attributes_are_those_of_the_call_and_stay_as_they_are(inside, mode):
    """The second run finds what the first has found, and leaves nothing."""
    with ms.context(mode=mode):
        found = []
        for again in (False, True):
            ms.set_seed(3)
            net = Using(inside)
            if again:
                net.recompute()
            left = []

            def loss(x, net=net, left=left):
                total = net(x).sum()
                left.append(dict(vars(net)))
                total = total + net(x).sum()
                left.append(dict(vars(net)))
                return total

            given = ms.grad(loss, 0, net.trainable_params())(Tensor(X))
            now = vars(net)
            assert list(now) == list(left[-1]) and all(now[name] is value for name, value in left[-1].items())
            found.append([given[0].asnumpy(), *(each.asnumpy() for each in given[1])])
            found[-1].append(str(net.kept) + str(getattr(net, "seen", None)))
        assert found[0].pop() == found[1].pop()
        for one, other in zip(*found, strict=True):
            np.testing.assert_array_equal(one, other)


HELD = []


def appends(net, x):
    HELD.append(len(HELD) + 1.0)
    return ops.exp(x * HELD[-1])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "inside",
    [appends, lambda net, x: ops.exp(x * Tensor(np.random.rand(4).astype(np.float32)))],
    ids=["a list", "random numbers of numpy"],
)
def test_what_does_not_do_the_same_again_is_refused(inside, mode):
    with ms.context(mode=mode):
        net = Using(inside).recompute()
        with pytest.raises(OpRuntimeError, match=r"Using was computed again .* did not compute what it had computed"):
            ms.grad(lambda x: net(x).sum() + net(x).sum(), 0, net.trainable_params())(Tensor(X))


class Counting(nn.Cell):
    """A buffer that is another tensor after each call, a view of a weight, and a weight."""

    def __init__(self):
        super().__init__()
        self.register_buffer("calls", Tensor([0.0]))
        self.weight = Parameter(Tensor([2.0, 3.0]), name="weight")
        self.first = self.weight[:1]

    def construct(self, x):
        self.calls += 1
        return ops.tanh(x * self.weight * self.calls) * self.first


def test_the_cell_stays_as_it_is_now():
    cell = Counting().recompute()
    seen = cell.weight.asnumpy()  # which looks on
    x = Tensor([0.1, 0.2]).requires_grad_()
    loss = cell(x).sum()
    cell.weight.set_data(Tensor([10.0, 20.0]))
    loss.backward()
    weights = np.float64([2.0, 3.0])
    slopes = 2.0 * weights * (1 - np.tanh(np.float64([0.1, 0.2]) * weights) ** 2)
    np.testing.assert_allclose(x.grad.asnumpy(), slopes, rtol=1e-6)
    assert seen.tolist() == [10.0, 20.0]
    assert cell.calls.tolist() == [1.0] and cell.weight.tolist() == [10.0, 20.0] and cell.first.tolist() == [10.0]
    cell.first.add_(1.0)
    assert cell.weight.tolist() == [11.0, 20.0]


def test_a_weight_of_another_shape_is_refused():
    cell = Counting().recompute()
    loss = cell(Tensor([0.1, 0.2])).sum()
    cell.weight.set_data(Tensor(np.ones(50_000_000, np.float32)), slice_shape=True)
    with pytest.raises(OpRuntimeError, match="did not compute what it had computed"):
        loss.backward()


def test_a_graph_is_walked_again():
    grads = []
    for mark in (False, True):
        ms.set_seed(2)
        net = nn.SequentialCell(nn.Dense(4, 4), nn.Dropout(p=0.5), nn.Tanh()).set_train()
        if mark:
            net.recompute()
        x = Tensor(X).requires_grad_()
        loss = (net(x) ** 2).sum()
        loss.backward(retain_graph=True)
        loss.backward()
        grads.append(x.grad.asnumpy())
        with pytest.raises(OpRuntimeError, match="retain_graph=True"):
            loss.backward()
    np.testing.assert_array_equal(*grads)


def test_nothing_is_left_behind_without_a_walk_back():
    net = nn.SequentialCell(nn.Dense(4, 4), nn.Tanh()).recompute()
    x = Tensor(X) * 1.0
    seen = weakref.ref(x)
    gc.disable()
    try:
        y = net(x)
        del x
        assert seen() is not None
        del y
        assert seen() is None
    finally:
        gc.enable()


def test_it_is_compiled_and_written_where_no_tape_follows(tmp_path):
    net = nn.SequentialCell(nn.Dense(4, 4), nn.Tanh()).recompute()
    plain = net(Tensor(X)).asnumpy()

    @ms.jit(fullgraph=True)
    def silent(x):
        with ms.no_grad():
            return net(x) + ms.recompute(net, x)

    for _ in range(2):
        np.testing.assert_array_equal(silent(Tensor(X)).asnumpy(), plain + plain)
    ms.export(net, Tensor(X), file_name=str(tmp_path / "net"), file_format="MINDIR")
    loaded = nn.GraphCell(ms.load(str(tmp_path / "net.mindir")))
    np.testing.assert_array_equal(loaded(Tensor(X)).asnumpy(), plain)


def test_contexts_and_refusals():
    said = []

    @contextlib.contextmanager
    def saying(word):
        said.append(word)
        yield
        said.append(f"/{word}")

    net = nn.Dense(4, 2)
    loss = ms.grad(lambda x: ms.recompute(net, x, context_fn=lambda: (saying("call"), saying("back"))).sum())
    loss(Tensor(X))
    assert said == ["call", "/call", "back", "/back"]
    with pytest.raises(OpTypeError, match="needs a Cell"):
        ms.recompute(ops.relu, Tensor(X))
    with pytest.raises(OpTypeError, match="two context managers"):
        ms.grad(lambda x: ms.recompute(net, x, context_fn=lambda: None).sum())(Tensor(X))

    calls = []

    class Fails(nn.Cell):
        def construct(self, x):
            calls.append(x)
            if len(calls) == 2:
                raise ValueError("the second time")
            return x * 2

    net = nn.SequentialCell(nn.BatchNorm1d(4), Fails()).set_train().recompute()
    before = ms.get_rng_state().tolist()
    with pytest.raises(ValueError, match="the second time"):
        ms.grad(lambda x: net(x).sum())(Tensor(X))
    assert ms.get_rng_state().tolist() == before


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the peak of a process is asked of Linux")
@pytest.mark.parametrize("mode", MODES)
def test_it_takes_less_memory(mode):
    """The peak of a process: 8 blocks keep 7 arrays of 4 MB each, or recompute them one block after the other."""
    program = """
        import sys
        import numpy as np
        import anfora as ms
        from anfora import Tensor, nn, ops

        class Block(nn.Cell):
            def __init__(self):
                super().__init__()
                self.up, self.norm, self.down = nn.Dense(32, 128), nn.LayerNorm((128,)), nn.Dense(128, 32)

            def construct(self, x):
                return x + self.down(ops.gelu(self.norm(self.up(x))))

        def peak():  # `ru_maxrss` would know of the parent's
            return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))

        ms.set_context(mode=int(sys.argv[1]))
        net = nn.SequentialCell([Block() for _ in range(8)])
        if sys.argv[2] == "1":
            for block in net:
                block.recompute()
        step = ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, net.trainable_params())
        small, large = (Tensor(np.ones((n, 32), np.float32)) for n in (64, 8192))
        step(small)
        before = peak()
        for _ in range(4):
            step(large)
        print(peak() - before)
    """

    def grown(mark):
        command = [sys.executable, "-c", textwrap.dedent(program), str(mode), mark]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    kept, again = grown("0"), grown("1")
    assert again < kept * 0.6
