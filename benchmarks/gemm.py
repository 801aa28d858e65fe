"""Matrix products beside numpy, torch and jax.

    python benchmarks/gemm.py                                  anfora and numpy, on 2 threads
    python benchmarks/gemm.py --peer torch=PYTHON --peer jax=PYTHON
    python benchmarks/gemm.py --threads 1 --shapes "(64, 400, 120) (512, 512, 512)" --dtype float64

Every contestant runs in a process of its own, one at a time, with the interpreter that is named for it; rounds are
repeated, and the best time of all counts, because whatever else runs on the machine only adds. Forms: the first letter
is for A, the second for B; T is a transposed view, as in Dense (x @ w.T, NT) and in the gradient of its weight (x.T @ g,
TN). Outputs are preallocated where the peer can. `call` is the time of a 1 x 1 product, the price of a call from Python.

numpy is measured with the OPENBLAS_CORETYPE of the environment, SkylakeX if there is none: left alone, OpenBLAS takes
its AVX2 kernels on some AVX-512 machines.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import time

SHAPES = [
    "64,400,120", "64,120,84", "64,84,10", "256,400,120", "256,120,84", "256,84,10", "1,400,120", "1,120,84", "64,64,1",
    "32,256,1024", "1024,256,768", "1024,1024,256", "32x128,64,128", "512,512,512", "1024,1024,1024", "2000,2000,2000",
    "10,50000,20", "128,10000,128", "1,4096,4096", "4096,4096,1", "1,1000000,1", "8,256,1024", "4096,256,4",
]  # fmt: skip
FORMS = ["NN", "NT", "TN"]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--dtype", default="float32")
    options.add_argument("--peer", action="append", default=[], metavar="NAME=PYTHON", help="torch, jax or numpy")
    options.add_argument("--shapes", default="", help='"M,K,N" or "BATCHxM,K,N", several separated by spaces')
    options.add_argument("--measure", default="", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    shapes = re.sub(r"[()]", "", chosen.shapes).replace(", ", ",").split() or SHAPES
    if chosen.measure:
        measure = Measure(_RUNNERS[chosen.measure](chosen.threads), chosen.dtype)
        print(json.dumps([[measure(shape, form) for form in FORMS] for shape in ["1,1,1", *shapes]]))
        return
    contestants = {"anfora": sys.executable, "numpy": sys.executable}
    contestants |= dict(peer.split("=", 1) for peer in chosen.peer)
    best: dict[str, list[list[float]]] = {}
    for _ in range(chosen.rounds):
        for name, python in contestants.items():
            times = _in_process(python, name, chosen.threads, chosen.dtype, shapes)
            known = best.get(name, times)
            best[name] = [[min(a, b) for a, b in zip(x, y)] for x, y in zip(known, times)]
    _print_table(["call", *shapes], best)


def _in_process(python: str, name: str, threads: int, dtype: str, shapes: list[str]) -> list[list[float]]:
    environment = dict(os.environ, ANFORA_NUM_THREADS=str(threads))
    environment |= {f"{library}_NUM_THREADS": str(threads) for library in ("OPENBLAS", "OMP", "MKL")}
    environment.setdefault("OPENBLAS_CORETYPE", "SkylakeX")
    if threads == 1:
        environment["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    command = [python, __file__, "--measure", name, "--threads", str(threads), "--dtype", dtype]
    done = subprocess.run([*command, "--shapes", " ".join(shapes)], env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{name}: {done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def _print_table(shapes: list[str], best: dict[str, list[list[float]]]) -> None:
    names = list(best)
    print(f"{'M,K,N':>16} form" + "".join(f"{name + ' us':>12}" for name in names) + "   GF/s   best peer / anfora")
    for i, shape in enumerate(shapes):
        for j, form in enumerate(FORMS):
            times = [best[name][i][j] for name in names]
            ratio = min(times[1:]) / times[0]
            speed = "" if shape == "call" else f"{_flops(shape) / times[0] / 1e9:7.1f}"
            print(f"{shape:>16} {form:>4}" + "".join(f"{t * 1e6:12.2f}" for t in times) + f"{speed:>7}   {ratio:.2f}")


def _sizes(shape: str) -> tuple[list[int], int, int, int]:
    *batch, rest = shape.split("x")
    return [int(n) for n in batch], *ast.literal_eval(rest)


def _flops(shape: str) -> float:
    batch, m, k, n = _sizes(shape)
    for length in batch:
        m *= length
    return 2.0 * m * k * n


class Measure:
    """Seconds that one product takes: the best of many samples of many calls."""

    def __init__(self, make, dtype: str) -> None:
        self._make, self._dtype = make, dtype

    def __call__(self, shape: str, form: str) -> float:
        import numpy as np

        batch, m, k, n = _sizes(shape)
        random = np.random.default_rng(0)
        stored = [
            (*batch, k, m) if form[0] == "T" else (*batch, m, k),
            (*batch, n, k) if form[1] == "T" else (*batch, k, n),
        ]
        arrays = [random.standard_normal(size).astype(self._dtype) for size in stored]
        call = self._make(*arrays, form[0] == "T", form[1] == "T")
        started = time.perf_counter()
        call()
        call()
        calls = max(1, int(0.005 / max((time.perf_counter() - started) / 2, 1e-7)))
        best = float("inf")
        for _ in range(5):
            _wait_until_idle()
            until = time.perf_counter() + 0.05
            while time.perf_counter() < until:
                started = time.perf_counter()
                for _ in range(calls):
                    call()
                best = min(best, (time.perf_counter() - started) / calls)
        return best


def _wait_until_idle(patience: float = 1.0) -> None:
    """Wait until other processes leave the cores alone, if it does not take too long (where /proc tells)."""
    until = time.perf_counter() + patience
    try:
        while time.perf_counter() < until:
            before = _busy_seconds()
            time.sleep(0.05)
            if _busy_seconds() - before < 0.02:
                return
    except OSError:
        pass


def _busy_seconds() -> float:
    with open("/proc/stat") as file:
        user, nice, system, _, _, *interrupts = (int(n) for n in file.readline().split()[1:])
    return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")


def _anfora(threads: int):
    import numpy as np

    from anfora.core.abstract import Layout, TensorType
    from anfora.core.dtype import as_dtype
    from anfora.kernel import executor
    from anfora.kernel.gemm import plan_matmul
    from anfora.kernel.plan import Planner

    executor.set_num_threads(threads)

    def layout(array: np.ndarray) -> Layout:
        return Layout(TensorType(as_dtype(array.dtype), array.shape), array.strides)

    def make(a, b, turn_a, turn_b):
        a, b = (x.swapaxes(-1, -2) if turn else x for x, turn in ((a, turn_a), (b, turn_b)))
        out = np.empty((*a.shape[:-1], b.shape[-1]), a.dtype)
        planner = Planner((layout(a), layout(b)), (layout(out),))
        plan_matmul(planner, *planner.operands)
        program = executor.Program(planner.finish())
        addresses = [x.ctypes.data for x in (a, b, out)]

        def call(keep=(a, b, out)):
            executor.run(program, addresses)

        return call

    return make


def _numpy(threads: int):
    import numpy as np

    def make(a, b, turn_a, turn_b):
        a, b = (x.swapaxes(-1, -2) if turn else x for x, turn in ((a, turn_a), (b, turn_b)))
        out = np.empty((*a.shape[:-1], b.shape[-1]), a.dtype)
        return lambda: np.matmul(a, b, out=out)

    return make


def _torch(threads: int):
    import torch

    torch.set_num_threads(threads)

    def make(a, b, turn_a, turn_b):
        a, b = (torch.from_numpy(x).mT if turn else torch.from_numpy(x) for x, turn in ((a, turn_a), (b, turn_b)))
        out = torch.empty((*a.shape[:-1], b.shape[-1]), dtype=a.dtype)
        return lambda: torch.matmul(a, b, out=out)

    return make


def _jax(threads: int):
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)

    def make(a, b, turn_a, turn_b):
        a, b = jnp.asarray(a), jnp.asarray(b)

        @jax.jit
        def product(a, b):  # the transposed view is part of the program, as it is in a model
            return (a.mT if turn_a else a) @ (b.mT if turn_b else b)

        return lambda: product(a, b).block_until_ready()

    return make


_RUNNERS = {"anfora": _anfora, "numpy": _numpy, "torch": _torch, "jax": _jax}

if __name__ == "__main__":
    main()
