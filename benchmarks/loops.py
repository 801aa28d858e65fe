"""Loops in graph mode, `while` on tensors and `for` on ranges, beside jax.

    python benchmarks/loops.py                          without jax
    python benchmarks/loops.py --jax path/to/python     jax.jit and lax.while_loop, in a process of the Python named

Loops of 1,000 iterations: a recurrence on two 0-d tensors, and a power iteration with a 64x64 matrix. The steps that the
numbers up to 100 take in Collatz' game: a loop with a branch within a loop. Contestants are warm, and take turns, batch by
batch, so that what else the machine does meets all of them; the figure is the median of the batches. Then loops over
range(10_000), and one with a counter in a variable, beside lax.fori_loop and lax.while_loop: how long the first call takes,
which records and compiles, and later ones. At the end Fibonacci's numbers by recursion, of a function that is compiled and
of an inner function of one, beside the same function without `jit`.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

STEPS = 1000
MOST = 101
BATCH = 20
RANGE = 10_000
WARM = 3000  #: calls before the first that counts: kernels are made for what is called a thousand times
JAX_RANGES = ["range, counter unused", "range, counter as operand", "range, break", "while, counter a number"]


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
        for _ in range(WARM):
            run()
        mine: list[float] = []
        others: list[float] = []
        for _ in range(given.rounds):
            mine.append(batch(run))
            if peer is not None:
                others.append(peer.measure(name))
        line = f"{name:<28} anfora {statistics.median(mine):9.2f}"
        if others:
            line += f"   jax {statistics.median(others):9.1f}"
        print(line)
    ranges(peer, given.rounds)
    if peer is not None:
        peer.close()
    recursion(given.rounds)


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

    @jit
    def collatz(most):
        total, i = Tensor(0), Tensor(1)
        while i < most:
            n = i
            while n > 1:
                if n % 2 == 0:
                    n = n // 2
                else:
                    n = 3 * n + 1
                total = total + 1
            i = i + 1
        return total

    matrix, vector = map(Tensor, data())
    start, n, most = Tensor(1.0), Tensor(STEPS), Tensor(MOST)
    return {
        "Collatz up to 100": lambda: collatz(most),
        "recurrence of a scalar": lambda: recurrence(start, n),
        "power iteration, 64x64": lambda: power(matrix, vector, n),
    }


def recursion(rounds: int) -> None:
    from anfora import Tensor, jit

    def plain(n):
        return n if n < 2 else plain(n - 1) + plain(n - 2)

    @jit
    def fibonacci(n):
        return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

    @jit
    def of_an_inner_function(n):
        def fibonacci(n):
            return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

        return fibonacci(n)

    n = Tensor(20)
    for name, run in (("recursive", fibonacci), ("an inner function", of_an_inner_function)):
        start = time.perf_counter()
        run(n)
        first = time.perf_counter() - start
        mine, others = [], []
        for _ in range(rounds):
            mine.append(batch(functools.partial(run, n)))
            start = time.perf_counter()
            plain(n)
            others.append((time.perf_counter() - start) * 1e6)
        print(
            f"{'fibonacci(20), ' + name:<33} anfora {statistics.median(mine):9.2f}   without jit "
            f"{statistics.median(others):9.1f}   (the first call: {first:.4f} s)"
        )


def range_cases() -> dict[str, tuple[Callable, Callable]]:
    """Loops over range(10_000), compiled and as they stand, on a 0-d tensor."""
    from anfora import Tensor, jit

    x = Tensor(1.0)

    def counter_unused(x):
        for _ in range(RANGE):
            x = x * 1.0001 + 0.5
        return x

    def counter_used(x):
        for i in range(RANGE):
            x = x * 0.9999 + i * 0.001
        return x

    def counter_looked_at(x):
        for i in range(RANGE):
            x = x * 0.9999 + (0.5 if i % 2 else -0.25)
        return x

    def with_break(x):
        for _ in range(RANGE):
            x = x * 1.0001 + 0.5
            if x > 1e6:
                break
        return x

    def unrolled(x):
        for _ in range(100):
            x = x * 1.0001 + 0.5
        return x

    def number_counts(x):
        i = 0
        while i < RANGE and x < 1e6:
            x = x * 1.0001 + 0.5
            i += 1
        return x, i

    functions = [counter_unused, counter_used, counter_looked_at, with_break, number_counts, unrolled]
    names = [
        "range, counter unused",
        "range, counter as operand",
        "range, counter looked at",
        "range, break",
        "while, counter a number",
        "range(100)",
    ]
    made = {}
    for name, function in zip(names, functions):
        compiled = jit(function)
        made[name] = (functools.partial(compiled, x), functools.partial(function, x))
    return made


def ranges(peer: Peer | None, rounds: int) -> None:
    """For each loop over a range: the first call, which records, the second, and the median of later ones."""
    print(f"range({RANGE}), in milliseconds: first call, second, then; PyNative mode")
    for name, (compiled, plain) in range_cases().items():
        first, second = timed(compiled), timed(compiled)
        for _ in range(WARM):
            compiled()
        mine: list[float] = []
        others: list[float] = []
        for _ in range(rounds):
            mine.append(batch(compiled) / 1e3)
            if peer is not None and name in JAX_RANGES:
                others.append(peer.measure(name) / 1e3)
        eager = min(timed(plain) for _ in range(3))
        line = f"{name:<28} anfora {first:7.2f} {second:7.2f} {statistics.median(mine):8.4f}   PyNative {eager:8.2f}"
        if others:
            line += f"   jax {statistics.median(others):8.3f}"
        print(line)


def timed(run: Callable) -> float:
    """Milliseconds of one call."""
    start = time.perf_counter()
    run()
    return (time.perf_counter() - start) * 1e3


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
        for _ in range(WARM):
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

    @jax.jit
    def counter_unused(x):
        return lax.fori_loop(0, RANGE, lambda i, x: x * 1.0001 + 0.5, x)

    @jax.jit
    def counter_used(x):
        return lax.fori_loop(0, RANGE, lambda i, x: x * 0.9999 + i * 0.001, x)

    @jax.jit
    def broken(x):
        def body(state):
            i, x = state
            return i + 1, x * 1.0001 + 0.5

        return lax.while_loop(lambda state: (state[0] < RANGE) & (state[1] <= 1e6), body, (0, x))[1]

    @jax.jit
    def number_counts(x):
        def body(state):
            i, x = state
            return i + 1, x * 1.0001 + 0.5

        return lax.while_loop(lambda state: (state[0] < RANGE) & (state[1] < 1e6), body, (0, x))[1]

    @jax.jit
    def collatz(most):
        def step(state):
            n, total = state
            return lax.cond(n % 2 == 0, lambda n: n // 2, lambda n: 3 * n + 1, n), total + 1

        def body(state):
            i, total = state
            return i + 1, lax.while_loop(lambda state: state[0] > 1, step, (i, total))[1]

        return lax.while_loop(lambda state: state[0] < most, body, (jnp.int32(1), jnp.int32(0)))[1]

    matrix, vector = map(jnp.asarray, data())
    start, n, most = jnp.float32(1.0), jnp.int32(STEPS), jnp.int32(MOST)
    return {
        JAX_RANGES[0]: lambda: counter_unused(start).block_until_ready(),
        JAX_RANGES[1]: lambda: counter_used(start).block_until_ready(),
        JAX_RANGES[2]: lambda: broken(start).block_until_ready(),
        JAX_RANGES[3]: lambda: number_counts(start).block_until_ready(),
        "Collatz up to 100": lambda: collatz(most).block_until_ready(),
        "recurrence of a scalar": lambda: recurrence(start, n).block_until_ready(),
        "power iteration, 64x64": lambda: power(matrix, vector, n).block_until_ready(),
    }


if __name__ == "__main__":
    main()
