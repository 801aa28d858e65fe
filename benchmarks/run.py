"""How fast anfora is, beside its peers.

    ./dev bench                       anfora alone
    ./dev bench --peers               beside PyTorch, jax and MindSpore, each in an environment of its own (made if need be)
    ./dev bench --peers torch_eager   beside some of them
    ./dev bench --only lenet          workloads whose names hold a word

All contestants stay alive during the run and take turns on each workload, several rounds; the figure of a contestant is
the best of its rounds' medians, the ratio is the time of anfora's better mode to that of
the fastest peer (below 1: anfora is faster). Then
come the times of whole processes: import, and from the start of a process to LeNet's first loss.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from peak import gigaflops

from anfora.kernel.executor import available_threads

HERE = Path(__file__).parent
PEERS = {
    "torch": (["torch==2.13.0", "numpy"], ["torch_eager", "torch_channels_last", "torch_compiled"]),
    "jax": (["jax", "jaxlib"], ["jax_jit"]),
    "mindspore": (["mindspore==2.10.0", "numpy<2"], ["mindspore_best"]),
}
OWN = ["anfora_eager", "anfora_graph"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    peers = [module for _, modules in PEERS.values() for module in modules]
    parser.add_argument("--peers", nargs="*", choices=peers, help="measure the peers too, or some of them")
    parser.add_argument("--only", nargs="*", default=[], metavar="WORD", help="workloads whose names hold one of these")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.5, help="of each measurement (%(default)s)")
    parser.add_argument(
        "--environments", type=Path, default=HERE.parent / ".venv-peers", help="where peers are installed"
    )
    parser.add_argument("--no-processes", action="store_true", help="leave out the times of whole processes")
    options = parser.parse_args()
    pythons = dict.fromkeys(OWN, sys.executable)
    if options.peers is not None:
        for peer, (packages, modules) in PEERS.items():
            wanted = [module for module in modules if module in (options.peers or peers)]
            if wanted:
                pythons |= dict.fromkeys(wanted, environment(options.environments / peer, packages))
    contestants = {name: Contestant(name, python) for name, python in pythons.items()}
    try:
        names = contestants[OWN[0]].workloads
        if options.only:
            names = [name for name in names if any(word in name for word in options.only)]
        figures = compare(names, contestants, options)
    finally:
        for contestant in contestants.values():
            contestant.stop()
    if "matmul_1024" in figures:
        limit, reached = gigaflops(available_threads()), 2 * 1024**3 / figures["matmul_1024"] / 1e6
        print(f"\nmatmul_1024: {reached:.0f} of the machine's {limit:.0f} GFLOP/s ({reached / limit:.0%})")
    if not options.no_processes:
        processes(pythons)


def environment(folder: Path, packages: list[str]) -> str:
    """The Python of an environment with the packages."""
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        print(f"installing {' '.join(packages)} …", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        (folder / "complete").touch()
    return str(python)


class Contestant:
    """A process that runs workloads of one framework."""

    def __init__(self, module: str, python: str) -> None:
        settings = {"ONEDNN_MAX_CPU_ISA": "AVX2", "GLOG_v": "3"} if module.startswith("mindspore") else {}
        self.process = subprocess.Popen(
            [python, str(HERE / "contestants" / "server.py"), module],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, **settings},
        )  # fmt: skip
        self.workloads = self._answer().get("workloads", [])

    def _answer(self) -> dict:
        line = self.process.stdout.readline()
        return json.loads(line) if line else {}

    def run(self, workload: str, seconds: float) -> dict:
        if workload not in self.workloads or self.process.poll() is not None:
            return {}
        print(json.dumps({"workload": workload, "seconds": seconds}), file=self.process.stdin, flush=True)
        return self._answer()

    def stop(self) -> None:
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.kill()


def compare(names: list[str], contestants: dict[str, Contestant], options: argparse.Namespace) -> dict[str, float]:
    """Print a row for each workload; anfora's times, in milliseconds."""
    figures = {}
    width = max(len(name) for name in contestants) + 2
    peers = [name for name in contestants if name not in OWN]
    print(f"{'milliseconds':20}" + "".join(f"{name:>{width}}" for name in contestants) + ("   ratio" if peers else ""))
    for workload in names:
        best: dict[str, float] = {}
        for _ in range(options.rounds):
            for name, contestant in contestants.items():
                answer = contestant.run(workload, options.seconds)
                if "median" in answer:
                    best[name] = min(best.get(name, float("inf")), 1e3 * answer["median"])
                elif "error" in answer:
                    print(f"  {name}, {workload}: {answer['error']}", file=sys.stderr)
        row = f"{workload:20}" + "".join(f"{best[n]:>{width}.3f}" if n in best else " " * width for n in contestants)
        rivals = [best[name] for name in peers if name in best]
        own = min((best[name] for name in OWN if name in best), default=None)
        if rivals and own is not None:
            row += f"{own / min(rivals):8.2f}"
        print(row, flush=True)
        if own is not None:
            figures[workload] = own
    return figures


# -- whole processes --------------------------------------------------------------------------------------------------

FIRST_LOSS = """
import numpy as np, anfora as ms
from anfora import Tensor, nn
from anfora.models import LeNet5
net = LeNet5(); loss_fn = nn.CrossEntropyLoss(); optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
step = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
loss, gradients = step(Tensor(np.zeros((32, 1, 32, 32), np.float32)), Tensor(np.zeros(32, np.int32)))
optimizer(gradients)
print(loss.item())
"""


def processes(pythons: dict[str, str]) -> None:
    own = sys.executable
    programs = ("import numpy", "import numpy; from anfora import Tensor, nn, ops, optim")
    turns = [[wall(own, program, 1) for program in programs] for _ in range(12)][1:]
    numpy, package = (statistics.median(column) for column in zip(*turns))
    print(f"\nimport numpy {numpy:.3f} s; Tensor, nn, ops and optim of anfora {package - numpy:+.3f} s on top")
    for name, module in (("torch_eager", "torch"), ("jax_jit", "jax"), ("mindspore_best", "mindspore")):
        if name in pythons:
            print(f"import {module} {wall(pythons[name], f'import {module}', 3):.3f} s")
    with tempfile.TemporaryDirectory() as cold:
        print(f"process to first LeNet step, empty cache {wall(own, FIRST_LOSS, 1, ANFORA_CACHE=cold):.2f} s")
        print(f"process to first LeNet step, warm cache  {wall(own, FIRST_LOSS, 5, ANFORA_CACHE=cold):.2f} s")


def wall(python: str, program: str, times: int = 7, **env: str) -> float:
    """The median time of a whole process, with compiled Python kept as it is on users' machines."""
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    settings.setdefault("PYTHONPYCACHEPREFIX", str(HERE.parent / "build" / "pycache"))
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run([python, "-c", program], check=True, stdout=subprocess.DEVNULL, env={**settings, **env})
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


if __name__ == "__main__":
    main()
