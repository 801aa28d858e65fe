"""What compiling costs, in first calls, guards, and the way into a compiled function; and what it gains in training.

    python benchmarks/compiling.py                      all
    python benchmarks/compiling.py --only lenet         figures whose names hold a word
    python benchmarks/compiling.py --torch PYTHON --jax PYTHON     the same call beside peers

Times of first calls are those of processes of their own, once with an empty cache of kernels and then with a full one:
medians of `--rounds`. What is called often is measured in turns, in this process.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

import anfora as ms
from anfora import Parameter, Tensor, jit, nn, ops
from anfora.models import LeNet5

ROUNDS = 5

#: A process that says how many seconds the first call took: LeNet's loss and gradients.
GRADIENT = """
import time
import numpy as np
import anfora as ms
from anfora import Tensor, nn
from anfora.models import LeNet5
net, loss = LeNet5(10, 1), nn.CrossEntropyLoss()
gradient = COMPILE(ms.value_and_grad(lambda x, y: loss(net(x), y), None, net.trainable_params()))
x, y = Tensor(np.ones((32, 1, 32, 32), np.float32)), Tensor(np.zeros(32, np.int32))
start = time.perf_counter()
gradient(x, y)[0].item()
first = time.perf_counter() - start
gradient(x, y)[0].item()
print(first, time.perf_counter() - start)
"""

FIRST_GRADIENT, PYNATIVE_GRADIENT = GRADIENT.replace("COMPILE", "ms.jit"), GRADIENT.replace("COMPILE", "")

FIRST_LOOP = """
import time
import anfora as ms
from anfora import Tensor
@ms.jit
def f(x):
    for i in range(10_000):
        x = x * 0.999 + 0.001
    return x
x = Tensor([1.0])
start = time.perf_counter()
f(x).tolist()
print(time.perf_counter() - start, 0)
"""

#: The call of two operators on small arrays, as peers write it; prints microseconds.
PEERS = {
    "torch": """
import time, statistics, torch
torch.set_num_threads(2)
f = torch.compile(lambda x, y: torch.tanh(x + y))
x = y = torch.ones(8, 8)
with torch.inference_mode():
    for _ in range(100): f(x, y)
    times = []
    for _ in range(200):
        start = time.perf_counter()
        for _ in range(100): f(x, y)
        times.append((time.perf_counter() - start) / 100)
print(statistics.median(times) * 1e6)
""",
    "jax": """
import time, statistics, jax, jax.numpy as jnp
f = jax.jit(lambda x, y: jnp.tanh(x + y))
x = y = jnp.ones((8, 8))
for _ in range(100): f(x, y).block_until_ready()
times = []
for _ in range(200):
    start = time.perf_counter()
    for _ in range(100): f(x, y).block_until_ready()
    times.append((time.perf_counter() - start) / 100)
print(statistics.median(times) * 1e6)
""",
}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--only", default="", help="figures whose names hold a word")
    options.add_argument("--rounds", type=int, default=ROUNDS)
    for peer in PEERS:
        options.add_argument(f"--{peer}", metavar="PYTHON", help=f"an interpreter that has {peer}")
    given = options.parse_args()
    for name, measure in FIGURES.items():
        if given.only in name:
            print(f"{name:54} {measure(given.rounds)}", flush=True)
    for peer, program in PEERS.items():
        python = getattr(given, peer)
        if python and given.only in "two operators":
            print(
                f"{f'two operators on 8×8, one call, {peer}':54} {float(_output(python, program)):.2f} µs", flush=True
            )


# -- processes --------------------------------------------------------------------------------------------------------


def _output(python: str, program: str, **environment: str) -> str:
    done = subprocess.run(
        [python, "-c", program], env={**os.environ, **environment}, check=True, capture_output=True, text=True
    )
    return done.stdout


def _first_calls(program: str, rounds: int) -> str:
    cold, warm = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(float(_output(sys.executable, program, ANFORA_CACHE=cache).split()[0]))
            warm.append(float(_output(sys.executable, program, ANFORA_CACHE=cache).split()[0]))
    return f"{statistics.median(cold):.3f} s with no kernels in the cache, {statistics.median(warm):.3f} s with all"


def _first_call_after(before: str, program: str, rounds: int) -> str:
    """With the kernels of another program in the cache."""
    times = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            _output(sys.executable, before, ANFORA_CACHE=cache)
            times.append(float(_output(sys.executable, program, ANFORA_CACHE=cache).split()[0]))
    return f"{statistics.median(times):.3f} s"


# -- in this process --------------------------------------------------------------------------------------------------


def _microseconds(run: Callable, rounds: int) -> float:
    """The median time of a call."""
    run()
    run()
    times = []
    for _ in range(20 * rounds):
        start = time.perf_counter()
        for _ in range(200):
            run()
        times.append((time.perf_counter() - start) / 200)
    return statistics.median(times) * 1e6


def two_operators(rounds: int) -> str:
    x = y = Tensor(np.ones((8, 8), np.float32))

    def plain(x: Tensor, y: Tensor) -> Tensor:
        return ops.tanh(x + y)

    compiled = jit(plain)
    alone = _microseconds(lambda: compiled(x, y), rounds)
    return f"{alone:.2f} µs, in PyNative mode {_microseconds(lambda: plain(x, y), rounds):.2f} µs"


class Guarded(nn.Cell):
    """A Cell whose `construct` reads twenty things from outside."""

    def __init__(self) -> None:
        super().__init__()
        self.weights = [Parameter(Tensor(float(k)), name=f"w{k}") for k in range(4)]
        for k in range(16):
            setattr(self, f"flag{k}", k)

    def construct(self, x: Tensor) -> Tensor:
        total = 0
        for k in range(16):
            total = total + getattr(self, f"flag{k}")
        return x if total else -x


def guards(rounds: int) -> str:
    net = Guarded()
    compiled, empty = jit(lambda x: net.construct(x)), jit(lambda x: x)
    x = Tensor(np.ones((8, 8), np.float32))
    count = len(ms.explain(compiled)(x).guards) - len(ms.explain(empty)(x).guards)
    took = _microseconds(lambda: compiled(x), rounds) - _microseconds(lambda: empty(x), rounds)
    return f"{took:.2f} µs for {count} guards"


def learning_rates(rounds: int) -> str:
    w = Parameter(Tensor(np.ones((8, 8), np.float32)), name="w")
    optimizer = nn.Momentum([w], 0.1, 0.9)
    gradient = ms.value_and_grad(lambda x: ops.tanh(x * w).sum(), None, w)

    def step(x: Tensor, rate: float) -> Tensor:
        loss, found = gradient(x)
        optimizer((found * rate,))
        return loss * rate

    compiled = jit(step)
    x = Tensor(np.ones((8, 8), np.float32))
    for rate in (0.1, 0.05, 0.02, 0.01, 0.005, 0.001):
        optimizer.learning_rate = rate
        compiled(x, rate)
    return f"compiled {compiled.program.recordings} time(s)"


def training(rounds: int) -> str:
    """LeNet's step: all in PyNative mode, with the network compiled and the rest not, and as one program."""
    rng = np.random.default_rng(0)
    x, y = (
        Tensor(rng.standard_normal((64, 1, 32, 32)).astype(np.float32)),
        Tensor(rng.integers(0, 10, 64).astype(np.int32)),
    )

    def step_of(mode: str) -> Callable:
        net, loss = LeNet5(10, 1), nn.CrossEntropyLoss()
        net.set_train()
        if mode == "mixed":
            net.construct = jit(net.construct)
        optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
        gradient = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)

        def step() -> None:
            _, found = gradient(x, y)
            optimizer(found)

        return jit(step) if mode == "graph" else step

    steps = {mode: step_of(mode) for mode in ("PyNative", "mixed", "graph")}
    times: dict[str, list[float]] = {mode: [] for mode in steps}
    for turn in range(10 * rounds + 5):
        for mode, step in steps.items():
            start = time.perf_counter()
            for _ in range(5):
                step()
            if turn >= 5:
                times[mode].append((time.perf_counter() - start) / 5 * 1e3)
    return ", ".join(f"{mode} {statistics.median(found):.2f} ms" for mode, found in times.items())


FIGURES: dict[str, Callable[[int], str]] = {
    "lenet: loss and gradients, first call": lambda rounds: _first_calls(FIRST_GRADIENT, rounds),
    "lenet: the same after PyNative mode's": lambda rounds: _first_call_after(
        PYNATIVE_GRADIENT, FIRST_GRADIENT, rounds
    ),
    "a loop of 10,000 iterations, first call": lambda rounds: _first_calls(FIRST_LOOP, rounds),
    "two operators on 8×8, one call": two_operators,
    "guards": guards,
    "six learning rates": learning_rates,
    "lenet: a step at batch 64": training,
}


if __name__ == "__main__":
    main()
