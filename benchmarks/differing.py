"""Programs of a file, each run by Python and compiled, in processes of their own, and what differs.

    python benchmarks/differing.py programs.py                     all programs of the file, 4 calls each
    python benchmarks/differing.py programs.py --calls 20 --only counts --jobs 2

A program is a function of one argument at the top of the file, whose name does not start with `_`. It is given `jit`, or
something that leaves functions as they are, and gives a function, which is called with 0, 1, 2, …:

    def counts(jit):
        seen = []

        @jit
        def f(x, n):
            seen.append(n)
            return x * len(seen)

        return lambda n: f(Tensor([1.0]), n)

`ms`, `np`, `ops`, `nn`, `jit` and `Tensor` need not be imported. After each call it is listed what the call gave or raised,
what it wrote, and everything that can be reached from the function (`anfora.graph.tell.digest`). A process that crashes, or
does not end within `--seconds`, differs too. Beside `ANFORA_CHECK=1`, which compares within one process, this sees what is
freed when, crashes, and programs that cannot be done twice. The exit code is the number of programs that differ, 99 at
most.
"""

from __future__ import annotations

import argparse
import ast
import concurrent.futures
import json
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile
from typing import Any


def programs_of(file: pathlib.Path) -> list[str]:
    """The names of the programs of a file, which is not run."""
    tree = ast.parse(file.read_text(encoding="utf-8"), str(file))
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
    return [node.name for node in functions if len(node.args.args) == 1]


def run(file: str, name: str, way: str, calls: int, out: str) -> None:
    """Run a program in this process, and write a line for each call."""
    import numpy as np

    import anfora as ms
    from anfora import Tensor, nn, ops
    from anfora.graph.tell.digest import Walk
    from anfora.graph.tell.tokens import Word, shown_path
    from anfora.graph.tell.twins import Caught

    ms.set_seed(1)
    names = runpy.run_path(file, {"ms": ms, "np": np, "ops": ops, "nn": nn, "Tensor": Tensor, "jit": ms.jit})
    function = names[name](ms.jit if way == "compiled" else lambda function=None, **_: function or (lambda f: f))
    with open(out, "w", encoding="utf-8") as lines:
        for number in range(calls):
            caught = Caught()
            caught.start()
            result: Any = None
            error: BaseException | None = None
            try:
                result = function(number)
            except BaseException as raised:
                error = raised
            finally:
                caught.stop(False)
            written = {
                f"/output to {stream}": text.decode("utf-8", "replace") for stream, text in caught.texts().items()
            }
            caught.close()
            ending = Word("a result" if error is None else f"an error, {type(error).__name__}")
            roots = {"/what it does": ending, "/result": result, "/error": error, **written, "/function": function}
            walk = Walk()
            tokens = [
                (shown_path(token.path), token.text, _values(token.blob))
                for token in walk.tokens([((None, path), value) for path, value in roots.items()])
            ]
            lines.write(json.dumps(tokens) + "\n")
            lines.flush()
            result = error = walk = None  # type: ignore[assignment]  # what a call gave is not kept over the next one


def _values(blob: Any) -> str:
    if blob is None:
        return ""
    import numpy as np

    if isinstance(blob.form, tuple) and len(blob.data) <= 256 and not isinstance(blob.form[0], str):
        return str(np.frombuffer(blob.data, blob.form[0]).tolist())
    return blob.data.hex() if len(blob.data) <= 256 else blob.stamp.hex()


def lists(file: pathlib.Path, name: str, way: str, calls: int, seconds: float) -> tuple[list, str]:
    """What the calls of a program have left, in a process of its own; and how that ended, if not well."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        pathlib.Path(out).touch()
        command = [sys.executable, "-X", "faulthandler", __file__, str(file), "--run", name, way, str(calls), out]
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, check=False, timeout=seconds, cwd=folder, env=environment
            )
            end = "" if done.returncode == 0 else f"ends with {done.returncode}: {done.stderr.strip()[-300:]}"
        except subprocess.TimeoutExpired:
            end = f"does not end within {seconds:g} s"
        return [json.loads(line) for line in pathlib.Path(out).read_text(encoding="utf-8").splitlines()], end


def difference(file: pathlib.Path, name: str, calls: int, seconds: float) -> str | None:
    """What differs between a program that Python runs and the compiled one, in words."""
    (rights, right_end), (founds, found_end) = (
        lists(file, name, way, calls, seconds) for way in ("python", "compiled")
    )
    for call, (right, found) in enumerate(zip(rights, founds)):
        for one, other in zip([*map(tuple, right), ("the end", "", "")], [*map(tuple, found), ("the end", "", "")]):
            if one != other:
                words = [" ".join(filter(None, side[1:])).replace("\0", "the same as number ") for side in (one, other)]
                return f"call {call}: {other[0]}: Python gives {words[0]}, compiled it is {words[1]}"
    if right_end != found_end:
        return f"call {len(founds)}: Python {right_end or 'ends'}, compiled it {found_end or 'ends'}"
    return f"call {len(founds)}: Python itself {right_end}" if right_end else None


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("file", type=pathlib.Path)
    options.add_argument("--calls", type=int, default=4)
    options.add_argument("--only", nargs="*", help="names of programs, or parts of them")
    options.add_argument("--seconds", type=float, default=60.0, help="for a program")
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--run", nargs=4, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    file = chosen.file.resolve()
    if chosen.run:
        name, way, calls, out = chosen.run
        return run(str(file), name, way, int(calls), out)
    names = [name for name in programs_of(file) if not chosen.only or any(part in name for part in chosen.only)]
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        found = pool.map(lambda name: difference(file, name, chosen.calls, chosen.seconds), names)
        for name, differing in zip(names, found):
            wrong += differing is not None
            print(f"{'DIFFERS' if differing else 'ok     '} {name}{f': {differing}' if differing else ''}", flush=True)
    print(f"{len(names)} programs, {wrong} differ")
    sys.exit(min(wrong, 99))


if __name__ == "__main__":
    main()
