"""Rows as one native program beside PyNative mode and numpy.

    python benchmarks/segments.py                       all cases
    python benchmarks/segments.py --only chain --threads 1 --rounds 30

All contestants of a case are alive at the same time and take turns, so that what else the machine does meets all of them;
the figure is the median of the rounds. Results are compared before anything is measured.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import numpy as np

import anfora
from anfora import Tensor, ir, no_grad, ops
from anfora.models import LeNet5

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "graph"))
from recorder import Recording


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", default="", help="cases whose names hold a word")
    options.add_argument("--threads", type=int, default=anfora.get_num_threads())
    options.add_argument("--rounds", type=int, default=21)
    given = options.parse_args()
    anfora.set_num_threads(given.threads)
    print(f"{given.threads} threads, medians of {given.rounds} rounds, in microseconds (ratio to PyNative mode)")
    for name, case in CASES.items():
        if given.only in name:
            report(name, case(), given.rounds)
    if given.only in "building":
        building(given.rounds)


def report(name: str, contestants: dict[str, Callable], rounds: int) -> None:
    """Measure the contestants in turns."""
    counts = {}
    for label, run in contestants.items():
        start = time.perf_counter()
        run()
        run()
        counts[label] = max(1, int(0.01 / max((time.perf_counter() - start) / 2, 1e-7)))
    times: dict[str, list[float]] = {label: [] for label in contestants}
    for _ in range(rounds):
        for label, run in contestants.items():
            start = time.perf_counter()
            for _ in range(counts[label]):
                run()
            times[label].append((time.perf_counter() - start) / counts[label] * 1e6)
    medians = {label: statistics.median(found) for label, found in times.items()}
    first = next(iter(medians.values()))
    shown = "   ".join(f"{label} {median:.2f} ({median / first:.2f})" for label, median in medians.items())
    print(f"{name:22} {shown}")


def contestants(program: Callable, *tensors: Tensor) -> dict[str, Callable]:
    """PyNative mode, and the segment with and without fusion."""
    recorded = Recording(program, list(tensors))
    arrays = [x.asnumpy() for x in tensors]
    fused = recorded.segment()
    with ir.without_passes("fuse_loops"):
        single = recorded.segment()
    for segment in (fused, single):
        np.testing.assert_array_equal(segment.run(arrays)[0], recorded.results[0].asnumpy())
    switch = no_grad()

    def eager() -> None:
        with switch:
            program(*tensors)

    return {"pynative": eager, "segment": lambda: fused.run(arrays), "unfused": lambda: single.run(arrays)}


def normal(*shape: int) -> Tensor:
    return Tensor(np.random.default_rng(0).standard_normal(shape).astype(np.float32))


def two_operators() -> dict[str, Callable]:
    return contestants(lambda x, y: ops.relu(x + y), normal(8, 8), normal(8, 8))


def two_unlike_operators() -> dict[str, Callable]:
    return contestants(lambda x, y: (x + y).sum(0), normal(8, 8), normal(8, 8))


def lenet(batch: int) -> dict[str, Callable]:
    net = LeNet5()
    return contestants(net, normal(batch, 1, 32, 32))


def chain() -> dict[str, Callable]:
    x, y = normal(4_000_000), normal(4_000_000)
    a, b = x.asnumpy(), y.asnumpy()
    found = contestants(lambda x, y: ops.relu((x * y + x) * 0.5) - y, x, y)
    return {**found, "numpy": lambda: np.maximum((a * b + a) * np.float32(0.5), 0) - b}


CASES: dict[str, Callable[[], dict[str, Callable]]] = {
    "2 operators, fused": two_operators,
    "2 operators": two_unlike_operators,
    "lenet, batch 1": lambda: lenet(1),
    "lenet, batch 64": lambda: lenet(64),
    "chain of 5, 4M floats": chain,
}


def building(rounds: int) -> None:
    """What it costs to make a segment whose kernels are there."""

    def program(x: Tensor, count: int) -> Tensor:
        for _ in range(count // 2):
            x = ops.relu(x * x)
        return x

    for count in (200, 20_000):
        recorded = Recording(lambda x, count=count: program(x, count), [normal(8, 8)])
        recorded.segment()
        for label, block in (("fused", nullcontext()), ("unfused", ir.without_passes("fuse_loops"))):
            times = []
            with block:
                for _ in range(min(rounds, 7)):
                    start = time.perf_counter()
                    recorded.segment()
                    times.append((time.perf_counter() - start) * 1e3)
            print(f"building {count} rows, {label}: {statistics.median(times):.1f} ms")


if __name__ == "__main__":
    main()
