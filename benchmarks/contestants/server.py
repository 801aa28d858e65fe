"""Runs the workloads of one framework on request, so that several frameworks can take turns in one run.

python server.py MODULE      reads lines of JSON {"workload": id, "seconds": s}, answers {"median": s, "best": s}
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import statistics
import sys
import time
from pathlib import Path


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parent))
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what frameworks print is no answer
    module = importlib.import_module(sys.argv[1])
    print(json.dumps({"workloads": sorted(module.WORKLOADS)}), file=answers)
    steps: dict[str, object] = {}
    for line in sys.stdin:
        request = json.loads(line)
        name = request["workload"]
        try:
            if name not in steps:
                steps.clear()
                gc.collect()
                steps[name] = module.WORKLOADS[name]()
                for _ in range(3):
                    steps[name]()
            print(json.dumps(measure(steps[name], request["seconds"])), file=answers)
        except Exception as error:  # a workload that a framework cannot do is a gap in the table, not the end of it
            with contextlib.suppress(KeyError):
                del steps[name]
            print(json.dumps({"error": f"{type(error).__name__}: {error}"[:200]}), file=answers)


def measure(step, seconds: float) -> dict[str, float]:
    """Times of single steps until `seconds` and five of them have passed."""
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 5 or time.perf_counter() < end:
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return {"median": statistics.median(times), "best": min(times)}


if __name__ == "__main__":
    main()
