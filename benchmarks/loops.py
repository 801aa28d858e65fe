"""`while` loops on tensors in graph mode, beside jax.

    python benchmarks/loops.py                          without jax
    python benchmarks/loops.py --jax path/to/python     jax.jit and lax.while_loop, in a process of the Python named

Loops of 1,000 iterations: a recurrence on two 0-d tensors, and a power iteration with a 64x64 matrix. Contestants take
turns, batch by batch, so that what else the machine does meets all of them; the figure is the median of the batches. At
the end: how long it takes to record a loop over `range`, which is unrolled.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

STEPS = 1000
BATCH = 20


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--jax", default="", help="a Python that has jax")
    options.add_argument("--rounds", type=int, default=31)
    options.add_argument("--serve-jax", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.serve_jax:
        serve()
        return
    peer = Peer(given.jax) if given.jax else None
    print(f"medians of {given.rounds} batches of {BATCH} calls, in microseconds")
    for name, run in anfora_cases().items():
        for _ in range(3):
            run()
        mine: list[float] = []
        others: list[float] = []
        for _ in range(given.rounds):
            mine.append(batch(run))
            if peer is not None:
                others.append(peer.measure(name))
        line = f"{name:<28} anfora {statistics.median(mine):9.1f}"
        if others:
            line += f"   jax {statistics.median(others):9.1f}"
        print(line)
    if peer is not None:
        peer.close()
    unrolled()


def batch(run: Callable) -> float:
    """Microseconds a call."""
    start = time.perf_counter()
    for _ in range(BATCH):
        run()
    return (time.perf_counter() - start) / BATCH * 1e6


def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.standard_normal((64, 64)).astype(np.float32), rng.standard_normal(64).astype(np.float32)


def anfora_cases() -> dict[str, Callable]:
    from anfora import Tensor, jit, ops

    @jit
    def recurrence(x, n):
        i = Tensor(0)
        while i < n:
            x = x * 1.0001 + 0.5
            i = i + 1
        return x

    @jit
    def power(a, x, n):
        i = Tensor(0)
        while i < n:
            x = a @ x
            x = x / ops.sqrt((x * x).sum())
            i = i + 1
        return x

    matrix, vector = map(Tensor, data())
    start, n = Tensor(1.0), Tensor(STEPS)
    return {
        "recurrence of a scalar": lambda: recurrence(start, n),
        "power iteration, 64x64": lambda: power(matrix, vector, n),
    }


def unrolled() -> None:
    from anfora import Tensor, jit

    for count in (100, 1000, 10_000):

        @jit
        def sum_up(x, count=count):
            for _ in range(count):
                x = x * 1.0001 + 0.5
            return x

        x = Tensor(1.0)
        start = time.perf_counter()
        sum_up(x)
        recorded = time.perf_counter()
        sum_up(x)
        compiled = time.perf_counter()
        sum_up(x)
        print(
            f"range({count}): recorded in {recorded - start:.2f} s, compiled in {compiled - recorded:.2f} s, "
            f"then {(time.perf_counter() - compiled) * 1e6:.0f} µs a call"
        )


# -- jax, in a process of its own -------------------------------------------------------------------------------------


class Peer:
    """A process with jax: gets the name of a case, gives microseconds a call."""

    def __init__(self, python: str) -> None:
        command = [python, __file__, "--serve-jax"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def measure(self, name: str) -> float:
        assert self.process.stdin is not None and self.process.stdout is not None
        print(name, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def serve() -> None:
    cases = jax_cases()
    for run in cases.values():
        for _ in range(3):
            run()
    for line in sys.stdin:
        print(batch(cases[line.strip()]), flush=True)


def jax_cases() -> dict[str, Callable]:
    import jax
    import jax.numpy as jnp
    from jax import lax

    @jax.jit
    def recurrence(x, n):
        def body(state):
            i, x = state
            return i + 1, x * 1.0001 + 0.5

        return lax.while_loop(lambda state: state[0] < n, body, (0, x))[1]

    @jax.jit
    def power(a, x, n):
        def body(state):
            i, x = state
            x = a @ x
            return i + 1, x / jnp.sqrt((x * x).sum())

        return lax.while_loop(lambda state: state[0] < n, body, (0, x))[1]

    matrix, vector = map(jnp.asarray, data())
    start, n = jnp.float32(1.0), jnp.int32(STEPS)
    return {
        "recurrence of a scalar": lambda: recurrence(start, n).block_until_ready(),
        "power iteration, 64x64": lambda: power(matrix, vector, n).block_until_ready(),
    }


if __name__ == "__main__":
    main()
