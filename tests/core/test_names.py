"""Public names, what is loaded for them, and modules alone in a fresh process."""

from __future__ import annotations

import subprocess
import sys

import pytest

import anfora

HEAVY = ("numba", "llvmlite", "scipy", "matplotlib", "safetensors", "anfora.kernel", "anfora.ops")


def run(program: str) -> str:
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_is_light():
    assert run(f"import anfora, sys; print([m for m in {HEAVY} if m in sys.modules])") == "[]\n"


def test_names_are_there():
    for name in anfora.__all__:
        assert getattr(anfora, name) is not None
    assert dir(anfora) == anfora.__all__
    with pytest.raises(AttributeError, match="no attribute 'tensr'"):
        anfora.tensr  # noqa: B018


def test_no_name_has_two_homes():
    from importlib import import_module
    from inspect import unwrap

    from anfora.ops.methods import MODULES, functions

    for module in map(import_module, (f"anfora.ops.{name}" for name in MODULES)):
        for name in module.__all__:
            assert unwrap(getattr(module, name)) is unwrap(functions[name]), (
                f"{module.__name__} and another module define {name}"
            )


#: The first use of a name in a fresh process, by each of the doors a program may come in through.
DOORS = {
    "Tensor": "from anfora import Tensor; print((Tensor([1., 2.]) + 1).sum().item())",
    "core.tensor": "from anfora.core.tensor import Tensor; import anfora.ops; print((Tensor([1., 2.]) + 1).sum().item())",
    "ops": "from anfora import ops; print(ops.add(ops.ones(2), 1.5).sum().item())",
    "ops.operations": "import anfora.ops.operations as P, anfora as ms; print(P.Add()(ms.Tensor(2.), 3.).item())",
    "common": "from anfora.common import Tensor; print(Tensor(5.).item())",
    "nn": "import anfora.nn as nn, anfora; nn.cell.Cell; print(nn.ReLU()(anfora.Tensor(5.)).item())",
    "Parameter": "from anfora import Parameter; print((Parameter(4.) + 1).item())",
    "kernel": "import anfora.kernel.executor, anfora; print(anfora.Tensor(5.).item())",
}  # fmt: skip


@pytest.mark.parametrize("door", DOORS)
def test_every_door_leads_in(door):
    assert run(DOORS[door]) == "5.0\n"


def test_paths_are_attributes_too():
    """MindSpore's paths stand beneath `anfora` without an import, as beneath `mindspore`."""
    program = """if True:
        import anfora
        from anfora.paths import PATHS
        for path in sorted({path for paths in PATHS.values() for path in paths}):
            module = anfora
            for name in path.split("."):
                module = getattr(module, name)
        print(anfora.hal.max_memory_allocated() > 0, anfora.profiler.Profiler is anfora.Profiler)
    """
    assert run(program) == "True True\n"
