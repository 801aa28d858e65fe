"""A small training with fixed numbers, for the tests of this folder; it runs under MindSpore too."""

from __future__ import annotations

from typing import Any

import numpy as np

import anfora as ms
import anfora.dataset as ds
from anfora import nn, train

X = np.arange(24, dtype=np.float32).reshape(12, 2) / 16
Y = (np.arange(12) % 2).astype(np.int32)


def data(n: int = 12, batch: int = 4) -> Any:
    return ds.NumpySlicesDataset({"x": X[:n], "y": Y[:n]}, shuffle=False).batch(batch)


def net() -> nn.Cell:
    weight = ms.Tensor(np.array([[0.5, -0.25], [0.125, 1.0]], np.float32))
    return nn.SequentialCell(nn.Dense(2, 2, weight_init=weight, bias_init="zeros"))


def loss() -> nn.Cell:
    return nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")


def model(**options: Any) -> train.Model:
    made = net()
    optimizer = nn.Momentum(made.trainable_params(), 0.125, 0.5)
    metrics = {"acc": train.Accuracy(), "loss": train.Loss()}
    return train.Model(made, loss(), optimizer, **{"metrics": metrics, **options})


class Events(train.Callback):
    """Writes down each moment with the numbers of epoch and step."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    def __enter__(self) -> Events:
        self.seen.append("enter")
        return self

    def __exit__(self, *err: object) -> None:
        self.seen.append("exit" if err[0] is None else f"exit {err[0].__name__}")


def _noted(name: str) -> Any:
    def moment(self: Events, context: train.RunContext) -> None:
        now = context.original_args()
        self.seen.append(f"{name} {now.get('cur_epoch_num', '-')}/{now.cur_step_num} of {now.batch_num}")

    return moment


for _prefix in ("train", "eval"):
    for _what in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end"):
        setattr(Events, f"on_{_prefix}_{_what}", _noted(f"{_prefix} {_what}"))


class Stop(train.Callback):
    """Asks for the end at one step."""

    def __init__(self, step: int, error: BaseException | None = None) -> None:
        self.step, self.error = step, error

    def on_train_step_end(self, run_context: train.RunContext) -> None:
        if run_context.original_args().cur_step_num == self.step:
            if self.error is not None:
                raise self.error
            run_context.request_stop()
