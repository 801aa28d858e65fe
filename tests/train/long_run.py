"""A training in which everything that a checkpoint must hold matters, in lives that are cut off: run by test_resume.

python long_run.py MODE FOLDER LIVES    prints whether it ends in the bits of one that was not cut off, and how many
                                        checkpoints were seen on the way
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import random
import signal
import sys
import time
from typing import Any

import numpy as np

import anfora as ms
import anfora.dataset as ds
from anfora import nn, ops, optim, train

EPOCHS = 20


class Net(nn.Cell):
    """A network with random zeros, running means, and a generator of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.norm, self.drop = nn.Dense(3, 8), nn.BatchNorm1d(8), nn.Dropout(p=0.25)
        self.last = nn.Dense(8, 2)
        self.own = np.random.default_rng(5)

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        if self.training:
            x = x * float(self.own.uniform(0.5, 1.5))
        return self.last(self.drop(ops.relu(self.norm(self.first(x)))))


def noisy(x: np.ndarray) -> np.ndarray:
    return (x + random.random() + np.random.rand(*x.shape)).astype(np.float32)


class Halving(train.Callback):
    """A scheduler of the program, and draws from the global generators between steps."""

    def __init__(self, optimizer: Any) -> None:
        self.scheduler = optim.lr_scheduler.StepLR(optimizer, 5, gamma=0.75)

    def on_train_step_end(self, run_context: train.RunContext) -> None:
        self.scheduler.step()

    def on_train_epoch_begin(self, run_context: train.RunContext) -> None:
        network = run_context.original_args().network
        network.last.bias.set_data(network.last.bias + float(ops.rand(1)) + random.random() + np.random.rand())


def prepared() -> tuple[train.Model, Any, Any, list[train.Callback]]:
    ms.set_seed(11)
    random.seed(12)
    ds.config.set_seed(13)
    generator = np.random.default_rng(7)
    x, y = generator.random((40, 3), np.float32), generator.integers(0, 2, 40).astype(np.int32)
    rows = ds.NumpySlicesDataset({"x": x, "y": y}, shuffle=True).map(noisy, "x").batch(8)
    net = Net()
    optimizer = optim.Adam(net.trainable_params(), 0.05)
    scale = train.DynamicLossScaleManager(2.0**10, 2, 3)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = train.Model(net, loss, optimizer, metrics={"acc"}, loss_scale_manager=scale)
    plateau = train.ReduceLROnPlateau(patience=1, factor=0.5, min_delta=0.05)
    early = train.EarlyStopping("acc", patience=99, restore_best_weights=True)
    valid = ds.NumpySlicesDataset({"x": x, "y": y}, shuffle=False).batch(40)
    return model, rows, valid, [Halving(optimizer), plateau, early]


def digest(model: train.Model) -> str:
    found = hashlib.sha256()
    for parameter in model.train_network.get_parameters():
        found.update(parameter.name.encode() + np.ascontiguousarray(parameter.asnumpy()).tobytes())
    found.update(repr([random.random(), np.random.rand(), float(ops.rand(1))]).encode())
    return found.hexdigest()


def run(folder: str, more: list[train.Callback]) -> str:
    model, rows, valid, callbacks = prepared()
    config = train.CheckpointConfig(save_checkpoint_steps=1, keep_checkpoint_max=2)
    saving = train.ModelCheckpoint("net", folder, config)
    # Some callbacks come before the one that saves, and some behind.
    callbacks = [*callbacks[1:2], saving, callbacks[0], *callbacks[2:], *more]
    model.fit(EPOCHS, rows, valid, callbacks=callbacks, resume=folder)
    return digest(model)


class Fuse(train.Callback):
    """Lets the system cut this life off: after some steps, and a part of the time that a few more would take."""

    def __init__(self, steps: int, part: float) -> None:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        self.left, self.part, self.began = steps + 1, part, 0.0

    def on_train_step_begin(self, run_context: train.RunContext) -> None:
        now = time.monotonic()
        if self.left == 0:  # later steps take a fraction of the first; no life must come to the end
            signal.setitimer(signal.ITIMER_REAL, max(self.part * 2 * min(now - self.began, 0.005), 1e-6))
        self.left, self.began = self.left - 1, now


def life(folder: str, fuse: tuple[int, float] | None) -> str | None:
    """A life in a process of its own: the digest if it came to the end."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        with contextlib.redirect_stdout(io.StringIO()):
            found = run(folder, [] if fuse is None else [Fuse(*fuse)])
        os.write(writing, found.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        found = file.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGALRM
        return None
    assert status == 0
    return found


def main(mode: str, folder: str, lives: int) -> None:
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    expected = life(os.path.join(folder, "whole"), None)
    chance, places = random.Random(mode), set()
    place = os.path.join(folder, "cut")
    for number in range(lives):
        assert life(place, (number % 3, chance.random())) is None, "a life was too long"
        places |= set(os.listdir(place)) if os.path.exists(place) else set()
    print(life(place, None) == expected, len(places))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
