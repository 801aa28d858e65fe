"""Tokens a second that a GPT writes at batch 1, keys and values kept; beside torch, which takes turns.

    python benchmarks/generation.py [--torch PYTHON] [--tokens N] [--rounds N]

Both write greedily after a beginning of 16 tokens; torch's model is the same one (`contestants/large_torch.py`), its
cache is allocated before, and its steps are those of one token. The figures are wall-clock time and the processor time of
all threads, the best of the rounds: where the machine is busy, read the latter.
"""

from __future__ import annotations

import argparse
import functools
import json
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
#: vocabulary, context, width, layers, heads
SIZES = {"small": (1000, 256, 256, 4, 4), "medium": (8000, 256, 768, 6, 12)}
BEGINNING = 16


def of_anfora(size: tuple, count: int):
    from anfora import Tensor
    from anfora.models.gpt import GPT

    net = GPT(*size)
    net.set_train(False)
    start = Tensor([list(range(1, 1 + BEGINNING))])
    return lambda: net.generate(start, count)


def of_torch(size: tuple, count: int, threads: int = 2):
    import torch

    sys.path.insert(0, str(HERE / "contestants"))
    from large_torch import SmallGPT

    torch.set_num_threads(threads)
    net = SmallGPT(*size).eval()
    _, context, width, layers, heads = size
    start = torch.arange(1, 1 + BEGINNING)[None]

    def generate():
        with torch.inference_mode():
            cache = [[torch.empty(1, heads, context, width // heads) for _ in range(2)] for _ in range(layers)]
            token, at = net(start, cache)[:, -1:].argmax(-1), BEGINNING
            for _ in range(count - 1):
                token, at = net(token, cache, at)[:, -1:].argmax(-1), at + 1
            return token.item()

    return generate


#: torch with one thread, too: a token is little work, and its threads wait for each other.
CONTESTANTS = {"anfora": of_anfora, "torch": of_torch, "torch_1": functools.partial(of_torch, threads=1)}


def serve(make) -> None:
    """Answer each line with the times of a run."""
    runs: dict = {}
    for line in sys.stdin:
        name, count = json.loads(line)
        if name not in runs:
            runs[name] = make(SIZES[name], count)
            for _ in range(2):
                runs[name]()
        wall, cpu = time.perf_counter(), time.process_time()
        runs[name]()
        print(json.dumps([time.perf_counter() - wall, time.process_time() - cpu]), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--torch", metavar="PYTHON", help="a Python that has torch")
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(CONTESTANTS[options.serve])
    pythons = {name: options.torch if name.startswith("torch") else sys.executable for name in CONTESTANTS}
    servers = {
        name: subprocess.Popen(
            [python, __file__, "--serve", name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for name, python in pythons.items()
        if python
    }
    for size in SIZES:
        best = {name: [float("inf")] * 2 for name in servers}
        for _ in range(options.rounds):
            for name, server in servers.items():
                print(json.dumps([size, options.tokens]), file=server.stdin, flush=True)
                best[name] = [min(pair) for pair in zip(best[name], json.loads(server.stdout.readline()))]
        for name, (wall, cpu) in best.items():
            spent = 1e3 * cpu / options.tokens
            print(f"{size:8} {name:8} {options.tokens / wall:8.0f} tokens/s, processor time {spent:.3f} ms a token")
    for server in servers.values():
        server.kill()
    return None


if __name__ == "__main__":
    main()
