"""What the machine does to programs: killed while they write, interrupted, and without memory.

    python benchmarks/faults.py saves           300 times `kill -9` while checkpoints are saved: files are whole
    python benchmarks/faults.py compiles        300 times while kernels are compiled: the cache stays of use
    python benchmarks/faults.py interrupts      300 times Ctrl-C, in both modes: what runs next gives the same bits
    python benchmarks/faults.py memory          with 1, 2 … 64 MiB left, or 8, 16 … 512 before anything has been compiled:
                                                an error or the result, never a crash

`--count` says how often (of `memory`: up to how many MiB), `--seed` which chances. Every failure is printed; the exit code
is their number, 99 at most.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator

SAVING = """
    import sys
    import numpy as np
    from anfora import Tensor, save_checkpoint
    folder = sys.argv[1]
    print("ready", flush=True)
    for turn in range(1, 1_000_000):
        tensors = {"w": Tensor(np.full(50_000, turn, np.float32)), "v": Tensor(np.full(50_000, turn, np.float32))}
        save_checkpoint(tensors, f"{folder}/w.ckpt", append_dict={"turn": turn})
        save_checkpoint(tensors, f"{folder}/w.safetensors", append_dict={"turn": turn})
"""


def saves(count: int, chance: random.Random) -> Iterator[str]:
    from anfora import Tensor, load_checkpoint, save_checkpoint

    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            with _started(SAVING, folder, chance.uniform(0.0, 0.06)):
                pass
            for ending in ("ckpt", "safetensors"):
                file = pathlib.Path(folder, f"w.{ending}")
                if not file.exists():  # killed before the first was written
                    continue
                found = load_checkpoint(file)
                values = {*found["w"].tolist(), *found["v"].tolist(), int(found["turn"])}
                if len(values) != 1:
                    yield f"kill {number}: {file.name} holds parts of several"
            save_checkpoint({"w": Tensor([1.0])}, f"{folder}/other.ckpt")
            left = [name for name in os.listdir(folder) if name.startswith(".")]
            if left:
                yield f"kill {number}: the next save leaves {left}"


COMPUTING = """
    import anfora
    from anfora import Tensor, ops
    print("ready", flush=True)
    x = Tensor([[1.0, -2.0], [3.0, 4.0]])
    y = ops.softmax(x @ x * 2.0 + 1.0, -1)
    print(y.sum().item(), ops.cumsum(x, 0).tolist(), anfora.jit(lambda x: (ops.tanh(x) + x).sum(0))(x).shape)
"""
ANSWER = "ready\n2.0 [[1.0, -2.0], [4.0, 2.0]] (2,)\n"


def compiles(count: int, chance: random.Random) -> Iterator[str]:
    from anfora.kernel.cache import Cache

    for number in range(count):
        with tempfile.TemporaryDirectory() as above:
            folder = pathlib.Path(above, "objects")
            with _started(COMPUTING, "", chance.uniform(0.0, 2.0), ANFORA_CACHE=str(folder)):
                pass
            if not folder.exists():
                continue
            cache = Cache(folder)
            bad = [name for name in os.listdir(folder) if not name.startswith(".") and cache.read(name) is None]
            if bad:
                yield f"kill {number}: damaged files {bad}"
            if number % 10 == 0:
                command = [sys.executable, "-c", textwrap.dedent(COMPUTING)]
                environment = {**os.environ, "ANFORA_CACHE": str(folder)}
                after = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
                if after.stdout != ANSWER:
                    yield f"kill {number}: the next process gives {after.stdout!r} {after.stderr[-300:]}"
                if any(name.startswith(".") for name in os.listdir(folder)):
                    yield f"kill {number}: the next process leaves {os.listdir(folder)}"


class _started:
    """A process that runs for some seconds after it has said that it is ready, and is killed then."""

    def __init__(self, program: str, argument: str, seconds: float, **environment: str) -> None:
        command = [sys.executable, "-c", textwrap.dedent(program), argument]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **environment})
        self.seconds = seconds

    def __enter__(self) -> None:
        assert self.process.stdout is not None
        self.process.stdout.readline()
        time.sleep(self.seconds)
        self.process.send_signal(signal.SIGKILL)

    def __exit__(self, *exc: object) -> None:
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


def interrupts(count: int, chance: random.Random) -> Iterator[str]:
    """A signal comes while the program trains and computes; what is asked afterwards must be what it was before."""
    import numpy as np

    import anfora as ms
    from anfora import Tensor, nn, ops

    def network() -> nn.Cell:
        ms.set_seed(0)
        return nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 4))

    x, y = Tensor(np.linspace(-1, 1, 64, dtype=np.float32).reshape(8, 8)), Tensor(np.arange(8, dtype=np.int32) % 4)
    loss_of = nn.CrossEntropyLoss()

    def trained(compiled: bool, steps: int) -> list:
        net = network()
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        step = ms.value_and_grad(lambda x, y: loss_of(net(x), y), None, optimizer.parameters)
        run = ms.jit(lambda x, y: step(x, y)) if compiled else step
        for _ in range(steps):
            loss, gradients = run(x, y)
            optimizer(gradients)
        large = ops.tanh(ops.ones((300, 300)) @ ops.ones((300, 300))).sum()
        return [loss.item(), large.item(), *(p.asnumpy().tobytes() for p in optimizer.parameters)]

    expected = {compiled: trained(compiled, 3) for compiled in (False, True)}
    armed = False

    def interrupt(*_: object) -> None:
        if armed:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    came = number = 0
    while came < count and number < 20 * count:
        number += 1
        compiled = bool(number % 2)
        try:
            armed = True
            signal.setitimer(signal.ITIMER_REAL, chance.uniform(0.0002, 0.05 if compiled else 0.004))
            trained(compiled, 3 if compiled else 30)
            armed = False
        except KeyboardInterrupt:
            armed = False
            came += 1
        except BaseException as error:
            armed = False
            yield f"interrupt {number}: came out as {type(error).__name__}: {error}"
        finally:
            armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
        found = trained(compiled, 3)
        if found != expected[compiled]:
            yield f"interrupt {number} (compiled: {compiled}): other results afterwards"
    signal.signal(signal.SIGALRM, before)
    print(f"{came} of {number} runs were interrupted")


HUNGRY = """
    import resource, sys
    import numpy as np
    import anfora as ms
    from anfora import Tensor, ops

    def eager(n):
        x = Tensor(np.ones((n, 64), np.float32))
        transposed = ops.transpose(x, (1, 0))
        image = ops.conv2d(x.reshape(1, 1, n, 64), Tensor(np.ones((8, 1, 3, 3), np.float32)))
        slope = ms.grad(lambda x: (ops.tanh(x) @ ops.transpose(x, (1, 0))).sum())(x)
        return ops.softmax(x, -1), x.sum(0), ops.sort(x, 0)[0], ops.cumsum(x, 0), x @ transposed, image, slope

    compiled = ms.jit(lambda x: (ops.tanh(x * 2) + x).sum(0) @ ops.ones((64, 3)))
    is_cold = sys.argv[2] == "cold"
    if not is_cold:
        eager(64), compiled(ops.ones((64, 64)))
    size = int(next(line for line in open("/proc/self/status") if line.startswith("VmSize")).split()[1]) << 10
    resource.setrlimit(resource.RLIMIT_AS, (size + (int(sys.argv[1]) << 20), resource.RLIM_INFINITY))
    found = []
    for n in (256, 1024, 4096, 8192, 20000):
        for run in (eager, lambda n: compiled(Tensor(np.ones((n, 64), np.float32)))):
            try:
                run(n)
                found.append("ok")
            except MemoryError:
                found.append("MemoryError")
    if is_cold:  # modules of others that were half imported stay so
        sys.exit(print(*found))
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)
    assert float(eager(256)[1][0]) == 256.0 and compiled(ops.ones((256, 64))).shape == (3,)  # all is well again
    print(*found)
"""


def memory(count: int, chance: random.Random) -> Iterator[str]:
    for left, start in ((n * times, start) for n in range(1, count + 1) for start, times in (("warm", 1), ("cold", 8))):
        command = [sys.executable, "-c", textwrap.dedent(HUNGRY), str(left), start]
        environment = {**os.environ, "ANFORA_CACHE": ""} if start == "cold" else None
        result = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
        if result.returncode:
            last = result.stderr.strip().rpartition("\n")[2]
            yield f"{left} MiB, {start}: exit status {result.returncode}, {last}"


KINDS = {"saves": saves, "compiles": compiles, "interrupts": interrupts, "memory": memory}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("kind", choices=KINDS)
    options.add_argument("--count", type=int)
    options.add_argument("--seed", type=int, default=0)
    chosen = options.parse_args()
    count = chosen.count or (64 if chosen.kind == "memory" else 300)
    failures = 0
    for failure in KINDS[chosen.kind](count, random.Random(chosen.seed)):
        failures += 1
        print(failure, flush=True)
    print(f"{chosen.kind}: {count}, {failures} failures")
    sys.exit(min(failures, 99))


if __name__ == "__main__":
    main()
