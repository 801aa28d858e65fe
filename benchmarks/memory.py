"""How much memory a step takes at most: each workload in a process of its own, anfora's two modes and torch.

    python benchmarks/memory.py [--torch PYTHON] [--only WORD ...] [--steps N]

The figure is the peak of what the process had in memory while it made the network and took some steps, less what it held
after the libraries were imported; so weights, the optimizer's state, compiled code and arenas count. Beside it, the
processor time a step spent in the kernel, which is where pages are cleared, and in the program.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
WORDS = ["resnet20", "gpt", "resnet50_train", "vit", "bert", "lstm", "language"]

PROGRAM = """
import gc, importlib, json, os, resource, sys
sys.path.insert(0, sys.argv[1])

def status(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name)) / 1024

def times():
    spent = resource.getrusage(resource.RUSAGE_SELF)
    return spent.ru_utime, spent.ru_stime

module = importlib.import_module(sys.argv[2])
if sys.argv[2].startswith("anfora"):
    import anfora
    (anfora.Tensor([1.0]) * 2).asnumpy()
gc.collect()
open("/proc/self/clear_refs", "w").write("5")
before, count = status("VmRSS"), int(sys.argv[4])
step = module.WORKLOADS[sys.argv[3]]()
step()
step()
start = times()
for _ in range(count):
    step()
user, system = (1e3 * (b - a) / count for a, b in zip(start, times()))
print(json.dumps([status("VmHWM") - before, status("VmRSS") - before, user, system]))
"""


def measure(python: str, module: str, workload: str, steps: int) -> list[float] | None:
    """Peak and present megabytes, milliseconds of user and system time a step."""
    found = subprocess.run(
        [python, "-c", PROGRAM, str(HERE / "contestants"), module, workload, str(steps)],
        stdout=subprocess.PIPE, text=True, env=os.environ,
    )  # fmt: skip
    return None if found.returncode else json.loads(found.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch", metavar="PYTHON", help="a Python that has torch")
    parser.add_argument(
        "--only", nargs="*", default=WORDS, metavar="WORD", help="workloads whose names hold one of these"
    )
    parser.add_argument("--steps", type=int, default=3)
    options = parser.parse_args()
    sys.path.insert(0, str(HERE / "contestants"))
    from large_anfora import workloads

    contestants = {"anfora_eager": sys.executable, "anfora_graph": sys.executable}
    if options.torch:
        contestants |= {"torch_eager": options.torch}
    print(f"{'peak MB, kernel ms/all ms':26}" + "".join(f"{name:>28}" for name in contestants))
    for name in workloads(None):
        if not any(word in name for word in options.only):
            continue
        row = f"{name:26}"
        for module, python in contestants.items():
            found = measure(python, module, name, options.steps)
            row += " " * 27 + "–" if found is None else f"{found[0]:12,.0f} {found[3]:6.0f}/{found[2] + found[3]:7.0f}"
        print(row, flush=True)


if __name__ == "__main__":
    main()
