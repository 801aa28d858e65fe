"""`summary`: parameters, multiply-adds and shapes of networks, against closed forms; nothing changes by asking."""

from __future__ import annotations

import random

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, nn, ops
from anfora.core.errors import OpTypeError
from anfora.core.op import registry
from anfora.models import GPT, LeNet5, LSTMClassifier, resnet20
from anfora.ops.costs import MULTIPLY_ADDS


def test_lenet():
    found = ms.summary(LeNet5(), ops.zeros((3, 1, 32, 32)))
    convolutions = 28 * 28 * 6 * 25 + 10 * 10 * 16 * 6 * 25
    dense = 400 * 120 + 120 * 84 + 84 * 10
    assert found.macs == 3 * (convolutions + dense)
    assert found.total == found.trainable == 6 * 25 + 16 * 6 * 25 + dense + 120 + 84 + 10
    assert found.bytes == 4 * found.total
    rows = {row.path: row for row in found.rows}
    assert rows["conv2"].outputs == ((3, 16, 10, 10),) and rows["conv2"].macs == 3 * 10 * 10 * 16 * 6 * 25
    assert rows["relu"].calls == 4 and rows["fc3"].parameters == 84 * 10 + 10 and found.inputs == [(3, 1, 32, 32)]


def test_resnet():
    found = ms.summary(resnet20(), ops.zeros((2, 3, 32, 32)))
    macs = 32 * 32 * 16 * 3 * 9 + 64 * 10
    weights, channels = 16 * 3 * 9 + 64 * 10, 16
    size, width = 32, 16
    for stage in range(3):
        for block in range(3):
            before = width
            if stage and not block:
                size, width = size // 2, width * 2
                macs, weights, channels = (
                    macs + size * size * width * before, weights + width * before, channels + width
                )  # fmt: skip
            macs += size * size * width * 9 * (before + width)
            weights += width * 9 * (before + width)
            channels += 2 * width
    assert found.macs == 2 * macs
    assert found.trainable == weights + 10 + 2 * channels and found.total == found.trainable + 2 * channels


def test_gpt():
    n, length, vocabulary, context, width, layers = 2, 5, 50, 16, 32, 3
    found = ms.summary(GPT(vocabulary, context, width, layers, 4), ops.zeros((n, length), ms.int32))
    attention = 2 * length * length * width  # scores, and averages of values, over all heads
    assert found.macs == n * (layers * (12 * length * width**2 + attention) + length * width * vocabulary)
    block = 12 * width**2 + (3 + 1 + 4 + 1) * width + 4 * width
    assert found.total == (vocabulary + context) * width + layers * block + 2 * width  # one table for both ends


def test_lstm():
    n, length, size, hidden = 2, 3, 8, 6
    net = LSTMClassifier(100, 2, embedding_size=size, hidden_size=hidden)
    found = ms.summary(net, ops.zeros((n, length), ms.int32))
    assert found.macs == n * (2 * length * 4 * hidden * (size + hidden) + 2 * hidden * 2)
    assert found.total == 100 * size + 2 * 4 * hidden * (size + hidden + 2) + 2 * hidden * 2 + 2


def test_other_products():
    """Grouped, transposed and three-dimensional convolutions, attention, einsum, products of stacks."""
    cell = nn.Conv2d(4, 8, 3, stride=2, pad_mode="pad", padding=1, group=2)
    assert ms.summary(cell, ops.zeros((1, 4, 8, 8))).macs == 4 * 4 * 8 * 2 * 9
    assert ms.summary(nn.Conv2dTranspose(4, 8, 3, pad_mode="valid"), ops.zeros((1, 4, 5, 5))).macs == 25 * 4 * 8 * 9
    assert ms.summary(nn.Conv3d(2, 3, 2, pad_mode="valid"), ops.zeros((1, 2, 4, 4, 4))).macs == 27 * 3 * 2 * 8

    class Products(nn.Cell):
        def construct(self, x, y):
            return ops.einsum("bij,bjk->bik", x, y), x @ y, ops.matmul(y, x, transpose_a=True, transpose_b=True)

    assert ms.summary(Products(), ops.zeros((5, 2, 3)), ops.zeros((5, 3, 4))).macs == 3 * 5 * 2 * 3 * 4
    assert MULTIPLY_ADDS.keys() <= registry.keys()


class Unruly(nn.Cell):
    """A network that changes by each call: running averages, random numbers, attributes, a compiled branch by data."""

    def __init__(self) -> None:
        super().__init__()
        self.twice, self.norm = nn.Dense(3, 3), nn.BatchNorm1d(3)
        self.parts = nn.CellList([nn.Dense(3, 2), nn.Dropout(p=0.5)])
        self.tied, self.calls = self.twice.weight, 0

    @ms.jit
    def construct(self, x):
        self.calls += 1
        if x.sum() > 0:
            x = x + random.random() + np.random.rand()
        for part in self.parts:
            y = part(self.norm(self.twice(self.twice(x))) @ self.tied)
        return y


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_nothing_changes_by_asking(mode):
    ms.set_context(mode=mode)
    try:
        net, x = Unruly().set_train(), ops.ones((4, 3)).requires_grad_()
        net(x)

        def state():
            held = {name: p.asnumpy().tobytes() for name, p in net.state_dict().items()}
            random_state = (ms.get_rng_state().tolist(), random.getstate(), np.random.get_state()[1].tolist())
            return held, random_state, net.calls, [cell.training for _, cell in net.cells_and_names()], x.grad

        before = state()
        found = ms.summary(net, x)
        assert state() == before and ms.get_context("mode") == mode
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    rows = {row.path: row for row in found.rows}
    per_norm = 4 * 3 * 3
    assert rows["twice"].macs == 4 * per_norm and rows["twice"].calls == 4
    assert rows["parts"].calls == 0 and rows["parts"].macs == rows["parts.0"].macs == 4 * 3 * 2
    assert found.macs == 4 * per_norm + 2 * per_norm + 24
    assert (found.total, found.trainable) == (9 + 3 + 12 + 6 + 2, 9 + 3 + 6 + 6 + 2)
    assert not any(cell._hooks for _, cell in net.cells_and_names())


def test_while_somebody_measures():
    net, x = nn.Dense(3, 2), ops.ones((4, 3))
    with ms.Profiler(profile_memory=False) as profile:
        assert ms.summary(net, x).macs == 24
        net(x)
    assert [(cost.name, cost.steps) for cost in profile.by("operator") if cost.name == "dense"] == [("dense", 2)]


def test_errors_leave_nothing_behind():
    net = nn.Dense(3, 2)
    with pytest.raises(OpTypeError, match="summary needs a Cell for `net`, but got type"):
        ms.summary(LeNet5, Tensor(1.0))
    with pytest.raises(ms.AnforaError, match="do not fit"):
        ms.summary(net, ops.ones((4, 5)))
    assert ms.summary(net, ops.ones((4, 3))).macs == 24


def test_tables():
    found = ms.summary(nn.SequentialCell(nn.SequentialCell(nn.Dense(4, 8)), nn.ReLU()), ops.ones((1, 4)))
    lines = str(found).splitlines()
    assert [line[:22].rstrip() for line in lines[2:6]] == [
        "SequentialCell", "├─ 0: SequentialCell", "│  └─ 0: Dense", "└─ 1: ReLU",
    ]  # fmt: skip
    assert len(lines[0]) == len(lines[1]) == len(lines[2])
    assert "0: Dense" not in found.table(depth=1) and found.table(0).count("\n") == 4
    assert found._repr_html_().startswith("<pre>Cell ")
