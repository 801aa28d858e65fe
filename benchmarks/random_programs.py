"""Random Python functions, run by Python and compiled, and what differs.

    python benchmarks/random_programs.py                      10,000 programs
    python benchmarks/random_programs.py 200 --start 5000     programs 5000 to 5199
    python benchmarks/random_programs.py 1 --start 17 --show  also print the program
    python benchmarks/random_programs.py --grad               gradients too
    python benchmarks/random_programs.py --of iterators       programs that go over things, see `random_iterators`
    python benchmarks/random_programs.py --signals 0          without a signal in one more run of each

Every mismatch is printed with its seed and with the smallest program that still shows it, and after every 500 programs how
many there have been. The exit code is their number, 99 at most.
"""

from __future__ import annotations

import argparse
import collections
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests" / "gallery"))

from random_grammar import Family
from random_iterators import ITERATORS
from random_python import PYTHON, minimise, mismatch, mismatch_of_signal, text

from anfora.graph.run import ledger

FAMILIES: dict[str, Family] = {"python": PYTHON, "iterators": ITERATORS}
_TOLD = 500  #: after so many programs it is said how far it has come


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("count", type=int, nargs="?", default=10_000)
    options.add_argument("--start", type=int, default=0)
    options.add_argument("--grad", action="store_true")
    options.add_argument("--of", choices=[*FAMILIES], default="python")
    options.add_argument("--signals", type=int, default=1, help="runs of each program with a signal in them")
    options.add_argument("--show", action="store_true")
    chosen = options.parse_args()
    family = FAMILIES[chosen.of]
    ledger._FREE = 1 << 60  # what is recorded is run compiled from the second call on, whether or not it pays
    wrong, start = 0, time.perf_counter()
    signals: collections.Counter[str] = collections.Counter()
    for seed in range(chosen.start, chosen.start + chosen.count):
        if chosen.show:
            print(text(family.source(seed)))
        found = mismatch(seed, grad=chosen.grad, family=family)
        if found:
            wrong += 1
            print(f"--- seed {seed}: {found}\n{text(minimise(seed, grad=chosen.grad, family=family))}", flush=True)
        for turn in range(chosen.signals if family is PYTHON else 0):
            heard = mismatch_of_signal(seed, turn)
            if " " in heard:
                wrong += 1
                print(f"--- seed {seed}, signal {turn}: {heard}", flush=True)
                heard = "mismatches"
            signals[heard] += 1
        done = seed - chosen.start + 1
        if done % _TOLD == 0 and done < chosen.count:
            print(f"{done} programs, {wrong} mismatches, {time.perf_counter() - start:.0f} s", flush=True)
    print(f"{chosen.count} programs, {wrong} mismatches, {time.perf_counter() - start:.0f} s")
    if signals:
        print("signals:", ", ".join(f"{count} {heard}" for heard, count in signals.most_common()))
    sys.exit(min(wrong, 99))


if __name__ == "__main__":
    main()
