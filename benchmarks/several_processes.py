"""A training step of LeNet by micro-batches, alone and in several processes, and what its exchange costs.

    python benchmarks/several_processes.py [--processes 2] [--mode graph]

Medians of 5 rounds of 40 steps with 64 images, four micro-batches, one thread a process. "plain" is the step without
micro-batches, with one sum over all processes; "exchange" is the sum of all gradients (61,706 numbers) alone, "meeting" one
of nothing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time

ROUNDS, STEPS, BATCH = 5, 40, 64


def measure(mode: str) -> None:
    import numpy as np

    import anfora as ms
    from anfora import Tensor, communication, nn, ops
    from anfora.models import LeNet5

    communication.init()
    rank, size = communication.get_rank(), communication.get_group_size()
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    ms.set_seed(1)
    net, loss_fn = LeNet5(num_class=10, num_channel=1).set_train(), nn.CrossEntropyLoss()
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    numbers = np.random.default_rng(0)
    images = Tensor(numbers.standard_normal((BATCH, 1, 32, 32)).astype(np.float32)[rank::size])
    labels = Tensor(numbers.integers(0, 10, BATCH).astype(np.int32)[rank::size])
    grad_fn = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
    divided = nn.DistributedGradReducer(optimizer.parameters, micro_batches=4).distribute(grad_fn)
    reducer = nn.DistributedGradReducer(optimizer.parameters, mean=True)

    def plain() -> None:
        optimizer(reducer(grad_fn(images, labels)[1]))

    def by_micro_batches() -> None:
        optimizer(divided(images, labels)[1])

    gradients = grad_fn(images, labels)[1]
    for name, step in (
        ("plain", plain),
        ("by micro-batches", by_micro_batches),
        ("exchange", lambda: reducer(gradients)),
        ("meeting", ops.Barrier()),
    ):
        for _ in range(10):
            step()
        rounds = []
        for _ in range(ROUNDS):
            ops.Barrier()()
            start = time.perf_counter()
            for _ in range(STEPS):
                step()
            rounds.append((time.perf_counter() - start) / STEPS)
        if rank == 0:
            print(f"{size} processes  {name:18}{1e6 * statistics.median(rounds):9.0f} µs", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--mode", choices=["pynative", "graph"], default="pynative")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.mode)
        return
    mpiexec = shutil.which("mpiexec", path=os.path.dirname(sys.executable)) or "mpiexec"
    this = [sys.executable, __file__, "--measure", "--mode", options.mode]
    env = {**os.environ, "ANFORA_NUM_THREADS": "1"}
    for command in (this, [mpiexec, "-n", str(options.processes), *this]):
        subprocess.run(command, env=env, check=True)


if __name__ == "__main__":
    main()
