"""How graph/ is built, in numbers: `python benchmarks/structure.py [TREE]` for a checkout, this one if none is named.

Files and lines, the longest function, functions whose cyclomatic complexity is over 25 (McCabe, 1976; each `and` and `or`
is a decision), imports inside of functions, `Any` among annotated arguments, how deep the packages stand on each other, and
how often a first and a later compiled call of a gradient go from one package to another (calls of Python functions, counted
by `sys.setprofile`).
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

BRANCHES = (
    ast.If,
    ast.For,
    ast.While,
    ast.AsyncFor,
    ast.ExceptHandler,
    ast.IfExp,
    ast.Assert,
    ast.comprehension,
    ast.match_case,
)

CALLS = """
import sys, numpy as np
import anfora as ms
from anfora import Tensor, nn, jit, value_and_grad
def package(frame):
    parts = frame.f_code.co_filename.split("/framework/graph/")
    return parts[1].rpartition("/")[0] or parts[1] if len(parts) == 2 else None
count = 0
def watch(frame, event, arg):
    global count
    if event == "call" and frame.f_back is not None:
        here, there = package(frame), package(frame.f_back)
        count += here is not None and there is not None and here != there
net = nn.SequentialCell(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.Flatten(), nn.Dense(4704, 10))
loss = nn.CrossEntropyLoss()
step = jit(value_and_grad(lambda x, y: loss(net(x), y), None, net.trainable_params()))
x, y = Tensor(np.zeros((4, 1, 28, 28), np.float32)), Tensor(np.zeros(4, np.int32))
found = []
for _ in range(4):
    count = 0
    sys.setprofile(watch)
    step(x, y)
    sys.setprofile(None)
    found.append(count)
print(found[0], found[-1])
"""


def complexity(function: ast.AST) -> int:
    """One more than the decisions of a function, without those of functions inside of it."""
    count, waiting = 1, list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        count += isinstance(node, BRANCHES) + (len(node.values) - 1 if isinstance(node, ast.BoolOp) else 0)
        waiting += ast.iter_child_nodes(node)
    return count


def depth(folder: Path, trees: dict[Path, ast.Module]) -> int:
    """How many packages stand on each other at most."""
    below: dict[str, set[str]] = {}
    for file, tree in trees.items():
        here = file.relative_to(folder).with_suffix("").parts[0]
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("anfora.graph."):
                below.setdefault(here, set()).add(node.module.split(".")[2])

    def level(name: str, above: tuple[str, ...] = ()) -> int:
        return 1 + max(
            (level(each, (*above, name)) for each in below.get(name, ()) if each not in (*above, name)), default=0
        )

    return max(map(level, below))


def main() -> None:
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1]).resolve()
    folder = root / "framework" / "graph"
    trees = {file: ast.parse(file.read_text(encoding="utf-8")) for file in sorted(folder.rglob("*.py"))}
    functions = [
        (node, file) for file, tree in trees.items() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
    ]
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in trees)
    longest, where = max(functions, key=lambda each: each[0].end_lineno - each[0].lineno)
    entangled = sorted(((complexity(node), node.name) for node, _ in functions if complexity(node) > 25), reverse=True)
    late = sum(isinstance(n, (ast.Import, ast.ImportFrom)) for node, _ in functions for n in ast.walk(node))
    told = [
        ast.unparse(argument.annotation)
        for node, _ in functions
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        if argument.annotation is not None
    ]
    calls = subprocess.run(
        [root / ".venv" / "bin" / "python", "-c", CALLS], capture_output=True, text=True, check=True, cwd=root
    ).stdout.split()
    words = root / "docs" / "glossary.md"
    packages = {file.relative_to(folder).parts[0] for file in trees if file.parent != folder}
    rows = {
        "files, in packages": f"{len(trees)}, in {len(packages) or 1}",
        "lines": f"{lines:,}",
        "words of the glossary": sum(each.startswith("| ") for each in words.read_text().splitlines()) - 2
        if words.exists()
        else "none",
        "longest function": f"{longest.end_lineno - longest.lineno + 1} lines, {where.stem}.{longest.name}",
        "functions over 25 (McCabe)": ", ".join(f"{name} {count}" for count, name in entangled) or "none",
        "packages that stand on each other": depth(folder, trees),
        "calls between packages, first call / later one": " / ".join(calls),
        "late imports": late,
        "`Any` among annotated arguments": f"{sum(each == 'Any' for each in told)} of {len(told)}",
    }
    for name, value in rows.items():
        print(f"{name:48} {value}")


if __name__ == "__main__":
    main()
