"""Tensor expressions beside the C text they print, compiled with `cc -O3 -march=native`, and jax's einsum.

    python benchmarks/tensor_expression.py                       anfora and C
    python benchmarks/tensor_expression.py --jax PYTHON          jax too, with the interpreter named
    python benchmarks/tensor_expression.py --threads 1 --rounds 10

The C text is one loop nest on one thread, as printed; anfora and jax use `--threads` threads. The best time of all rounds
counts, because whatever else runs on the machine only adds. Results are compared before anything is measured.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

#: Name, kernel, whether its gradient is measured too, and the same for jax's einsum where it can say it.
CASES = [
    ("product 512^3", "C<512, 512>[i, j] = A<512, 512>[i, k] * B<512, 512>[k, j];", True, "ik,kj->ij"),
    (
        "conv 3x3",
        "A<8, 32, 30, 30>[n, k, p, q] = B<8, 16, 32, 32>[n, c, p + r, q + s] * C<32, 16, 3, 3>[k, c, r, s];",
        True,
        "",
    ),
    ("broadcast", "Y<1024, 1024>[i, j] = (X<1024, 1024>[i, j] - m<1024>[j]) * w<1024>[i] + 0.5;", False, ""),
    ("row sums", "y<1024>[i] = X<1024, 1024>[i, j] * X<1024, 1024>[i, j];", True, ""),
]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--jax", metavar="PYTHON", help="an interpreter that has jax")
    chosen = options.parse_args()

    import anfora
    from anfora.tensor_expression import kernel
    from anfora.tensor_expression.operator import operator_of

    anfora.set_num_threads(chosen.threads)
    print(f"{'milliseconds':26}{'anfora':>10}{'C':>10}{'C/anfora':>10}{'jax':>10}")
    for name, text, has_gradient, einsum in CASES:
        made = kernel(text)
        runs = [(name, made.forward, made.c_source())]
        if has_gradient:
            runs.append((f"{name}, gradients", made.gradient(), made.grad_c_source()))
        for label, nests, source in runs:
            rng = np.random.default_rng(0)
            arrays = [rng.standard_normal(v.shape).astype(np.float32) for v in nests.inputs]
            operator = operator_of(nests)
            tensors = [anfora.Tensor(array) for array in arrays]
            outs = [np.zeros(v.shape, np.float32) for v in nests.outputs]
            function = _compiled(source, nests.name)
            pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*arrays, *outs)]
            function(*pointers)
            results = operator(*tensors)
            for ours, theirs in zip(results if isinstance(results, tuple) else (results,), outs):
                np.testing.assert_allclose(ours.asnumpy(), theirs, rtol=1e-3, atol=1e-2)
            ours = _best(lambda run=operator, given=tensors: run(*given), chosen.rounds)
            theirs = _best(lambda run=function, given=pointers: run(*given), chosen.rounds)
            peer = ""
            if chosen.jax and einsum and label == name:
                peer = f"{_jax(chosen.jax, einsum, [a.shape for a in arrays], chosen):10.3f}"
            print(f"{label:26}{ours:10.3f}{theirs:10.3f}{theirs / ours:10.1f}{peer:>10}", flush=True)


def _best(run: Callable[[], object], rounds: int) -> float:
    """Milliseconds of the fastest of `rounds` runs, after one to warm up."""
    run()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def _compiled(source: str, name: str) -> Callable:
    with tempfile.TemporaryDirectory() as folder:
        file, library = Path(folder, "kernel.c"), Path(folder, "kernel.so")
        file.write_text(source)
        subprocess.run(
            ["cc", "-std=c99", "-O3", "-march=native", "-shared", "-fPIC", file, "-o", library, "-lm"], check=True
        )
        function = ctypes.CDLL(str(library))[name]
    function.restype = None
    return function


_JAX = """
import json, sys, time
import numpy as np, jax, jax.numpy as jnp
einsum, shapes, rounds = json.loads(sys.argv[1])
arrays = [jnp.asarray(np.random.default_rng(0).standard_normal(s).astype(np.float32)) for s in shapes]
run = jax.jit(lambda *a: jnp.einsum(einsum, *a))
run(*arrays).block_until_ready()
times = []
for _ in range(rounds):
    start = time.perf_counter()
    run(*arrays).block_until_ready()
    times.append(time.perf_counter() - start)
print(min(times) * 1e3)
"""


def _jax(python: str, einsum: str, shapes: list, chosen: argparse.Namespace) -> float:
    environment = {
        **os.environ,
        "XLA_FLAGS": f"--xla_cpu_multi_thread_eigen={'true' if chosen.threads > 1 else 'false'}",
    }
    job = json.dumps([einsum, shapes, chosen.rounds])
    done = subprocess.run([python, "-c", _JAX, job], check=True, capture_output=True, text=True, env=environment)
    return float(done.stdout)


if __name__ == "__main__":
    main()
