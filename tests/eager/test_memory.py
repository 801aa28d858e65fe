"""Training for long leaves nothing behind. `python tests/eager/test_memory.py 100000` takes that many steps."""

from __future__ import annotations

import gc
import pathlib
import sys

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, nn, ops

STATM = pathlib.Path("/proc/self/statm")


def resident() -> int:
    """Bytes of this process that are in memory."""
    gc.collect()
    return int(STATM.read_text().split()[1]) * 4096


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, pad_mode="pad", padding=1)
        self.norm = nn.BatchNorm2d(4)
        self.fc = nn.Dense(4 * 16, 10)
        self.dropout = nn.Dropout(p=0.1)

    def construct(self, x):
        x = ops.relu(self.norm(self.conv(x)))
        return self.fc(self.dropout(x).reshape(x.shape[0], -1))


def growth(steps: int) -> int:
    """Bytes that `steps` steps add: with views, in-place writes, a hook, and gradients by both doors."""
    random = np.random.default_rng(0)
    net = Net().set_train()
    loss = nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), 1e-3)
    gradients = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
    running = ops.zeros(4, ms.float32)

    def step() -> None:
        x = Tensor(random.standard_normal((4, 1, 4, 4)), ms.float32)
        y = Tensor(random.integers(0, 10, 4))
        _, found = gradients(x, y)
        optimizer(found)
        running[0] = running[1] + found[0].sum()
        weights = Tensor(np.ones(3, np.float32))
        weights.requires_grad_()
        (weights[1:] * weights[:-1]).sum().backward()

    for _ in range(200):
        step()
    before = resident()
    for _ in range(steps):
        step()
    return resident() - before


@pytest.mark.skipif(not STATM.exists(), reason="needs /proc")
def test_memory_stays_flat():
    assert growth(1500) < 1 << 20


def test_layers_that_come_and_go_leave_no_builtins_behind():
    def objects():
        gc.collect()
        return sum(type(each).__name__ == "_MethodDef" for each in gc.get_objects())

    def use():
        nn.SequentialCell(nn.Dense(3, 2), nn.ReLU())(ops.ones((2, 3)))

    use()
    use()  # what comes a second time is kept as a native function
    before = objects()
    for _ in range(5):
        use()
    assert objects() == before


if __name__ == "__main__":
    print(f"{growth(int(sys.argv[1])) / 1024:.0f} KiB")
