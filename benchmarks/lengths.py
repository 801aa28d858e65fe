"""A training step on texts of many lengths: each length is another shape.

    python benchmarks/lengths.py                                      anfora alone
    python benchmarks/lengths.py --torch PYTHON --jax PYTHON          with peers, each in a process of the Python named

A text of 1 to 100 words, each word a vector of 64; a layer on each, their mean, ten classes; cross entropy, gradients, and
plain gradient descent. The lengths are drawn evenly. Told is how long the first 100 steps take, compilations included, then
all 3,000, and a step among the last 1,000 (the median). Torch compiles with `dynamic=True`; jax compiles each length when
it comes, and so does anfora for the first ones, and for others when they have come some times
(framework/graph/run/crowds.py).
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

WORDS, WIDTH, CLASSES, LONGEST = 1000, 64, 10, 100
STEPS, FIRST, LAST = 3000, 100, 1000
RATE = 0.1


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--torch", default="", help="a Python that has torch")
    options.add_argument("--jax", default="", help="a Python that has jax")
    options.add_argument("--run", default="", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.run:
        print(json.dumps(measured(CONTESTANTS[given.run]())))
        return
    pythons = {"anfora": sys.executable, "torch": given.torch, "jax": given.jax}
    print(f"{'':<18}{'first 100':>12}{'all 3,000':>12}{'a step':>10}   last loss")
    for name in CONTESTANTS:
        python = pythons[name.split()[0]]
        if python:
            done = subprocess.run([python, __file__, "--run", name], check=True, capture_output=True, text=True)
            first, whole, step, loss = json.loads(done.stdout)
            print(f"{name:<18}{first:>10.2f} s{whole:>10.2f} s{step * 1e6:>7.0f} µs   {loss:.4f}")


def texts() -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Texts and their classes: the class is the remainder of the first word."""
    rng = np.random.default_rng(0)
    for _ in range(STEPS):
        words = rng.integers(0, WORDS, rng.integers(1, LONGEST + 1)).astype(np.int32)
        yield words, words[:1] % CLASSES


def weights() -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    shapes = (WORDS, WIDTH), (WIDTH, WIDTH), (WIDTH,), (WIDTH, CLASSES), (CLASSES,)
    return [rng.standard_normal(shape).astype(np.float32) * 0.1 for shape in shapes]


def measured(step: Callable[[np.ndarray, np.ndarray], float]) -> tuple[float, float, float, float]:
    """Seconds: of the first steps, of all, and of one; and the mean of the last losses.

    Args:
        step: takes words and a class, gives the loss, as a Python number, so that nothing goes on behind it.
    """
    times, losses = [], []
    for words, label in texts():
        began = time.perf_counter()
        losses.append(step(words, label))
        times.append(time.perf_counter() - began)
    return sum(times[:FIRST]), sum(times), statistics.median(times[-LAST:]), statistics.fmean(losses[-LAST:])


def of_anfora(compile: bool) -> Callable:
    from anfora import Parameter, Tensor, jit, ops, value_and_grad

    parameters = [Parameter(Tensor(value)) for value in weights()]
    table, first, bias, last, offset = parameters

    def loss_of(words, label):
        hidden = ops.relu(ops.matmul(ops.gather(table, words, 0), first) + bias).mean(axis=0, keep_dims=True)
        return ops.cross_entropy(ops.matmul(hidden, last) + offset, label)

    gradient = value_and_grad(loss_of, None, parameters)

    def train(words, label):
        loss, gradients = gradient(words, label)
        for parameter, change in zip(parameters, gradients):
            ops.assign_sub(parameter, RATE * change)
        return loss

    run = jit(train) if compile else train
    return lambda words, label: float(run(Tensor(words), Tensor(label)))


def of_torch(compile: bool) -> Callable:
    import torch
    import torch.nn.functional as F

    parameters = [torch.nn.Parameter(torch.from_numpy(value)) for value in weights()]
    table, first, bias, last, offset = parameters

    def loss_of(words, label):
        hidden = F.relu(F.embedding(words, table) @ first + bias).mean(dim=0, keepdim=True)
        return F.cross_entropy(hidden @ last + offset, label)

    loss_of = torch.compile(loss_of, dynamic=True) if compile else loss_of
    optimizer = torch.optim.SGD(parameters, RATE)

    def train(words, label):
        optimizer.zero_grad()
        loss = loss_of(torch.from_numpy(words), torch.from_numpy(label.astype(np.int64)))
        loss.backward()
        optimizer.step()
        return loss.item()

    return train


def of_jax() -> Callable:
    import jax
    import jax.numpy as jnp

    state = [tuple(map(jnp.asarray, weights()))]

    def loss_of(parameters, words, label):
        table, first, bias, last, offset = parameters
        hidden = jax.nn.relu(table[words] @ first + bias).mean(axis=0, keepdims=True)
        return -jax.nn.log_softmax(hidden @ last + offset)[0, label[0]]

    @jax.jit
    def train(parameters, words, label):
        loss, gradients = jax.value_and_grad(loss_of)(parameters, words, label)
        return loss, jax.tree.map(lambda value, change: value - RATE * change, parameters, gradients)

    def step(words, label):
        loss, state[0] = train(state[0], words, label)
        return float(loss)

    return step


CONTESTANTS: dict[str, Callable[[], Callable]] = {
    "anfora PyNative": lambda: of_anfora(False),
    "anfora compiled": lambda: of_anfora(True),
    "torch eager": lambda: of_torch(False),
    "torch compiled": lambda: of_torch(True),
    "jax compiled": of_jax,
}


if __name__ == "__main__":
    main()
