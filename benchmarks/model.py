"""LeNet through `Model.train` beside the plain loop over the same data, in both modes: milliseconds a step.

    ./dev python benchmarks/model.py [--rounds 7] [--steps 60]

The two take turns, epoch by epoch, so that what else the machine does meets both. `ratio` is the median over the rounds of
Model.train's time to that of the loop right beside it.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

import anfora as ms
import anfora.dataset as ds
from anfora import nn, train
from anfora.models import LeNet5


def made(steps: int, batch: int) -> tuple[LeNet5, nn.Cell, nn.Momentum, ds.NumpySlicesDataset]:
    generator = np.random.default_rng(1)
    images = generator.random((steps * batch, 1, 32, 32), np.float32)
    labels = generator.integers(0, 10, steps * batch).astype(np.int32)
    data = ds.NumpySlicesDataset({"image": images, "label": labels}, shuffle=False).batch(batch)
    net = LeNet5(num_class=10, num_channel=1)
    net.set_train()
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return net, loss, nn.Momentum(net.trainable_params(), 0.01, 0.9), data


def by_loop(steps: int, batch: int) -> Callable[[], None]:
    net, loss, optimizer, data = made(steps, batch)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss), optimizer).set_train()

    def epoch() -> None:
        for image, label in data.create_tuple_iterator(num_epochs=1):
            step(image, label)

    return epoch


def by_model(steps: int, batch: int, callbacks: list[train.Callback]) -> Callable[[], None]:
    net, loss, optimizer, data = made(steps, batch)
    model = train.Model(net, loss, optimizer)
    return lambda: model.train(1, data, callbacks=callbacks)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--batch", type=int, default=32)
    options = parser.parse_args()
    quiet = train.LossMonitor(10**9)
    for mode, name in ((ms.PYNATIVE_MODE, "pynative"), (ms.GRAPH_MODE, "graph")):
        ms.set_context(mode=mode)
        size = options.steps, options.batch
        contestants = {
            "plain loop": by_loop(*size),
            "Model.train": by_model(*size, []),
            "with LossMonitor": by_model(*size, [quiet]),
        }
        times: dict[str, list[float]] = {label: [] for label in contestants}
        for number in range(options.rounds + 1):
            for label, epoch in contestants.items():
                began = time.perf_counter()
                epoch()
                if number:  # the first round compiles
                    times[label].append((time.perf_counter() - began) / options.steps * 1000)
        for label, found in times.items():
            ratio = statistics.median(own / beside for own, beside in zip(found, times["plain loop"]))
            print(f"{name:>9}  {label:<17} {statistics.median(found):7.3f} ms a step   ratio {ratio:.3f}", flush=True)


if __name__ == "__main__":
    main()
