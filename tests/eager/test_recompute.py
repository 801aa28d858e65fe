"""Cells that are computed again on the way back: the same bits as without, in both modes, and less memory."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import anfora as ms
from anfora import Parameter, Tensor, nn, ops
from anfora.core.errors import OpTypeError

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

    class Fails(nn.Cell):
        def __init__(self):
            super().__init__()
            self.calls = 0

        def construct(self, x):
            self.calls += 1
            if self.calls == 2:
                raise ValueError("the second time")
            return x * 2

    net = nn.SequentialCell(nn.BatchNorm1d(4), Fails()).set_train().recompute()
    before = ms.get_rng_state().tolist()
    with pytest.raises(ValueError, match="the second time"):
        ms.grad(lambda x: net(x).sum())(Tensor(X))
    assert ms.get_rng_state().tolist() == before


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_it_takes_less_memory(mode):
    """The peak of a process: 8 blocks keep 7 arrays of 4 MB each, or recompute them one block after the other."""
    program = """
        import sys, resource
        import numpy as np
        import anfora as ms
        from anfora import Tensor, nn, ops

        class Block(nn.Cell):
            def __init__(self):
                super().__init__()
                self.up, self.norm, self.down = nn.Dense(32, 128), nn.LayerNorm((128,)), nn.Dense(128, 32)

            def construct(self, x):
                return x + self.down(ops.gelu(self.norm(self.up(x))))

        ms.set_context(mode=int(sys.argv[1]))
        net = nn.SequentialCell([Block() for _ in range(8)])
        if sys.argv[2] == "1":
            for block in net:
                block.recompute()
        step = ms.value_and_grad(lambda x: (net(x) ** 2).mean(), None, net.trainable_params())
        small, large = (Tensor(np.ones((n, 32), np.float32)) for n in (64, 8192))
        step(small)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(4):
            step(large)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """

    def grown(mark):
        command = [sys.executable, "-c", textwrap.dedent(program), str(mode), mark]
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    kept, again = grown("0"), grown("1")
    assert again < kept * 0.6
