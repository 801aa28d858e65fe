"""The package as a whole: what is in the wheel, what imports what, and how much an import brings along."""

from __future__ import annotations

import ast
import os
import pathlib
import re
import subprocess
import sys
import textwrap

import pytest

ROOT = pathlib.Path(__file__).parents[2]
#: Folders of the checkout and the packages they are, as pyproject.toml maps them.
FOLDERS = {"framework": "anfora", "nn": "anfora.nn", "optim": "anfora.optim", "models": "anfora.models",
           "examples": "anfora.examples"}  # fmt: skip
FILES = sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py"))


def module_name(file: pathlib.Path) -> str:
    first, *rest = file.relative_to(ROOT).with_suffix("").parts
    return ".".join([FOLDERS[first], *(part for part in rest if part != "__init__")])


def listed_packages() -> set[str]:
    text = (ROOT / "pyproject.toml").read_text()
    [block] = re.findall(r"^packages = \[(.*?)\]", text, re.DOTALL | re.MULTILINE)
    return set(re.findall(r'"([\w.]+)"', block))


def test_the_wheel_has_every_package():
    assert listed_packages() == {module_name(file) for file in FILES if file.name == "__init__.py"}
    assert not [file for file in FILES if not (file.parent / "__init__.py").exists()]


def test_every_folder_says_what_lives_there():
    silent = [
        module_name(f) for f in FILES if f.name == "__init__.py" and not ast.get_docstring(ast.parse(f.read_text()))
    ]
    assert not silent


#: A module imports, when it is loaded, from its own rank or lower (docs/design.md, Layers).
RANKS = {
    "core": 0, "log": 0, "communication": 1, "kernel": 1, "ops": 2, "eager": 3,
    "api": 4, "batching": 4, "c_files": 4, "data": 4, "dataset": 4, "directions": 4, "executors": 4, "interop": 4,
    "ir": 4, "mindrecord": 4,
    "modes": 4, "network_summary": 4, "numpy": 4, "profiler": 4, "sparse": 4, "utils": 4,
    "graph": 4, "graph_files": 4, "optim": 5, "scipy": 5, "nn": 6, "deepx": 7, "mint": 7, "models": 7, "onnx": 7,
    "tensor_expression": 7, "train": 7, "examples": 8, "alias": 9, "commands": 9, "paths": 9,
}  # fmt: skip


def rank(module: str) -> int:
    parts = module.split(".")
    return RANKS.get(parts[1], 9) if len(parts) > 1 else 9


def loaded_imports(tree: ast.Module):
    """The modules of this package that a file imports when it is loaded (not inside functions, not for types only)."""
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "anfora":
            for alias in node.names:
                yield f"{node.module}.{alias.name}" if node.module == "anfora" else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("anfora"))
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            pending += node.orelse
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            pending += list(ast.iter_child_nodes(node))


def test_modules_import_downwards():
    upwards = [
        f"{module_name(file)} imports {found}"
        for file in FILES
        for found in loaded_imports(ast.parse(file.read_text()))
        if file.relative_to(ROOT).parts[0] != "examples"  # programs, written as users write them
        if rank(found) > rank(module_name(file))
    ]
    assert not upwards


#: The rooms of graph mode, in the order in which its `__init__.py` lists them: each imports from those above it.
ROOMS = [
    line.split("/")[0]
    for line in (
        ast.get_docstring(ast.parse((ROOT / "framework" / "graph" / "__init__.py").read_text())) or ""
    ).splitlines()
    if re.match(r"[a-z]+/ ", line)
]


def test_graph_mode_imports_one_way():
    """Imports for types and inside of functions count as well: whoever reads a room needs only those above it."""
    assert {
        folder.name for folder in (ROOT / "framework" / "graph").iterdir() if (folder / "__init__.py").exists()
    } == set(ROOMS)
    upwards = []
    for file in (ROOT / "framework" / "graph").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            found = re.match(r"anfora\.graph\.([a-z]+)", getattr(node, "module", None) or "")
            if found and file.parent.name in ROOMS and ROOMS.index(found[1]) > ROOMS.index(file.parent.name):
                upwards.append(f"{module_name(file)} imports {node.module}")
    assert not upwards


_ALONE = """
import os, sys
import numpy
failed = []
for name in sys.argv[1:]:
    child = os.fork()
    if not child:
        try:
            __import__(name)
        except BaseException as error:
            print(name, type(error).__name__, error, flush=True)
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        failed.append(name)
sys.exit(bool(failed))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="each module is loaded in a fork")
def test_every_module_can_be_imported_first(tmp_path):
    names = [module_name(file) for file in FILES if file.name != "__main__.py"]
    settings = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path), "PYTHONDONTWRITEBYTECODE": ""}
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", _ALONE, *names],
        capture_output=True, text=True, timeout=600, env=settings,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr


def test_import_is_light():
    program = "import sys, anfora; from anfora import Tensor, nn, ops, optim; print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    heavy = {"llvmlite", "matplotlib", "numba", "safetensors", "scipy", "tqdm"} & set(result.stdout.split())
    assert not heavy


def test_import_anfora_loads_next_to_nothing():
    result = subprocess.run(
        [sys.executable, "-c", "import sys, anfora; print(*sys.modules)"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert [name for name in result.stdout.split() if name.startswith("numpy")] == []


@pytest.mark.parametrize("first", ["gc.enable()", "gc.disable()"])
def test_the_garbage_collector_is_left_as_it_was(first):
    program = (
        f"import gc; {first}; before = gc.isenabled(); from anfora import Tensor, nn; assert gc.isenabled() is before"
    )
    subprocess.run([sys.executable, "-c", program], timeout=60, check=True)


def test_public_names_exist():
    import anfora

    for name in anfora.__all__:
        assert getattr(anfora, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Tensr'"):
        anfora.Tensr  # noqa: B018


def test_python_without_asserts_and_documentation():
    """`-OO`: all modules, the command lines, a training in both modes to the same bits, refusals."""
    program = """
        import importlib, pkgutil, sys
        import anfora as ms
        from anfora import nn, ops
        for module in pkgutil.walk_packages(ms.__path__, "anfora."):
            importlib.import_module(module.name)
        def trained(mode):
            ms.set_context(mode=mode)
            ms.set_seed(0)
            net = nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Dense(4, 2)).set_train()
            loss, optimizer = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.1)
            step = ms.value_and_grad(lambda x, y: loss(net(x), y), None, optimizer.parameters)
            for _ in range(5):
                value, gradients = step(ops.ones((4, 3)) * ops.arange(4).reshape(4, 1), ops.arange(4) % 2)
                optimizer(gradients)
            return value.item().hex()
        def asserts(x):
            assert x.shape == (), "not looked at"
            return x + 1
        ones = ops.ones(2)
        print(trained(ms.PYNATIVE_MODE), trained(ms.GRAPH_MODE), ms.jit(asserts)(ones).tolist(), asserts.__doc__)
        for wrong in (lambda: ops.ones((2, 3)) @ ones, lambda: ms.jit(ops.gather)(ones, ops.arange(3), 0)):
            try:
                wrong()
            except ms.AnforaError as error:
                print(type(error).__name__)
    """
    answers = [
        subprocess.run(
            [sys.executable, *options, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=300
        )
        for options in ([], ["-OO"])
    ]
    first, second, *rest = answers[1].stdout.split()
    assert answers[1].returncode == 0 and first == second, answers[1].stderr
    assert rest == ["[2.0,", "2.0]", "None", "OpValueError", "OpIndexError"]
    assert answers[0].returncode == 1 and "not looked at" in answers[0].stderr


def test_what_is_called_anfora_beside_a_program_is_not_taken_for_it(tmp_path):
    """A clone, say: Python takes a folder for a package, if only it finds it first."""
    (tmp_path / "anfora" / "framework").mkdir(parents=True)
    program = "import anfora, anfora.nn; print(anfora.__version__)"
    result = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr


def test_the_stubs_say_what_the_definitions_do(tmp_path):
    subprocess.run([sys.executable, ROOT / "stubs" / "make.py", tmp_path], check=True, timeout=120)
    kept = ROOT / "stubs" / "anfora-stubs"
    one, other = (
        {str(file.relative_to(folder)): file.read_text() for file in folder.rglob("*.pyi")}
        for folder in (tmp_path, kept)
    )
    differing = [name for name in {*one, *other} if one.get(name) != other.get(name)]
    assert not differing, "./dev stubs makes them anew"


def test_type_checkers_are_told():
    """`py.typed` says that the source is to be read, and the stubs that they are not all."""
    assert (ROOT / "framework" / "py.typed").exists()
    assert (ROOT / "stubs" / "anfora-stubs" / "py.typed").read_text() == "partial\n"


#: Functions that libraries round as they like, of `math` and numpy.
ROUNDED = {
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2",
    "expm1", "gamma", "hypot", "lgamma", "log", "log10", "log1p", "log2", "pow", "sin", "sinh", "tan", "tanh",
    "power", "float_power", "arccos", "arcsin", "arctan", "arctan2", "arccosh", "arcsinh", "arctanh", "logaddexp",
    "logaddexp2", "sinc",
}  # fmt: skip

#: Where they may stand, and why.
ALLOWED = {
    "anfora.kernel.sampling": {"exp", "log", "cos"},  # numba's, which are our bodies: see irregular.py
    "anfora.kernel.ctc": {"exp", "log"},
    "anfora.kernel.series": {"cos", "erfc", "exp", "lgamma", "log", "log1p", "sin"},
    "anfora.tensor_expression.interpreter": {"exp", "log", "tanh"},  # what its programs are compared with
}


def asked_of_libraries():
    """(module, function) of all such calls in the package, those in examples excepted."""
    for file in FILES:
        module = module_name(file)
        if module.startswith("anfora.examples"):
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("math", "np"):
                if node.attr in ROUNDED:
                    yield module, node.attr
            elif isinstance(node, ast.ImportFrom) and node.module in ("math", "numpy"):
                yield from ((module, alias.name) for alias in node.names if alias.name in ROUNDED)


def test_nothing_else_asks_the_libraries():
    found = {(module, name) for module, name in asked_of_libraries() if name not in ALLOWED.get(module, ())}
    assert found == set()
