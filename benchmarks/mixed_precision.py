"""A small network at each level of mixed precision, in both modes.

    python benchmarks/mixed_precision.py

Two hidden layers of 64 units and a LayerNorm, on 32 examples: the forward pass without a tape, and loss and gradients. The
modes take turns, batch by batch, so that what else the machine does meets both; the figure is the median of the batches.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np

import anfora as ms
from anfora import Tensor, nn, ops
from anfora.amp import auto_mixed_precision

LEVELS = ("O0", "O1", "O2", "O3", "auto")
WIDTH, EXAMPLES, CLASSES = 64, 32, 10


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=31)
    options.add_argument("--calls", type=int, default=50, help="in a batch")
    given = options.parse_args()
    print(f"medians of {given.rounds} batches of {given.calls} calls, in microseconds")
    for level in LEVELS:
        forward, step = cases(level)
        for name, run, jit in (("forward", forward, ms.jit(forward)), ("gradients", step, ms.jit(step))):
            for _ in range(5):
                run(), jit()
            plain, compiled = [], []
            for _ in range(given.rounds):
                plain.append(batch(run, given.calls))
                compiled.append(batch(jit, given.calls))
            print(f"{level:<5} {name:<10} PyNative {statistics.median(plain):7.1f}   "
                  f"graph {statistics.median(compiled):7.1f}")  # fmt: skip


def cases(level: str) -> tuple[Callable, Callable]:
    """The forward pass of a network at a level, and a step's gradients."""
    ms.set_seed(1)
    net = auto_mixed_precision(
        nn.SequentialCell(
            nn.Dense(WIDTH, WIDTH), nn.ReLU(), nn.LayerNorm((WIDTH,)), nn.Dense(WIDTH, WIDTH), nn.ReLU(),
            nn.Dense(WIDTH, CLASSES),
        ),
        level,
    )  # fmt: skip
    loss_of = nn.CrossEntropyLoss()
    x, y = ops.randn(EXAMPLES, WIDTH), Tensor(np.arange(EXAMPLES) % CLASSES, ms.int32)
    gradients = ms.value_and_grad(lambda: loss_of(net(x).astype(ms.float32), y), None, net.trainable_params())

    def forward() -> Tensor:
        with ms.no_grad():
            return net(x)

    return forward, lambda: gradients()


def batch(run: Callable, calls: int) -> float:
    """Microseconds a call."""
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls * 1e6


if __name__ == "__main__":
    main()
