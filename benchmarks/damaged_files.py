"""Damaged files for every reader: each must give a value, or its one kind of error, soon and in little memory.

    python benchmarks/damaged_files.py                        20,000 files for each reader
    python benchmarks/damaged_files.py 500 --only MindIR      of one reader
    python benchmarks/damaged_files.py 1 --seed 17 --show     also print the file

Every file that a reader does not deal with is printed with its number. The exit code is how many there are, 99 at most.
"""

from __future__ import annotations

import argparse
import pathlib
import resource
import sys
import tempfile
import time
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests" / "interop"))

from mutations import READERS, wrong

MEMORY = 1 << 30  #: bytes that a reader may take beyond what the process has at its start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("count", type=int, nargs="?", default=20_000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--only", choices=READERS)
    options.add_argument("--show", action="store_true")
    chosen = options.parse_args()
    warnings.simplefilter("ignore")
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY,) * 2)
    total = 0
    for name in [chosen.only] if chosen.only else READERS:
        start, bad = time.perf_counter(), 0
        with tempfile.TemporaryDirectory() as folder:
            for number, data, what in wrong(name, pathlib.Path(folder), chosen.count, chosen.seed):
                bad += 1
                print(f"--- {name} {number}: {what}", flush=True)
                if chosen.show:
                    print(data)
        print(f"{name}: {chosen.count} files, {bad} not dealt with, {time.perf_counter() - start:.0f} s", flush=True)
        total += bad
    sys.exit(min(total, 99))


if __name__ == "__main__":
    main()
