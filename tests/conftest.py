"""Tests see the package as users do: installed, or from an editable checkout."""

from __future__ import annotations

import gc
import pathlib
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

import anfora
from anfora.eager.tape import transforms
from anfora.graph.machine.running import running
from anfora.graph.run import ledger

HERE = pathlib.Path(__file__).parent
#: Folders that have modules which others use.
SHARED = ("communication", "gallery", "graph", "interop", "nn", "ops", "optim", "project", "train")
for folder in (HERE, *(HERE / name for name in SHARED)):
    sys.path.insert(0, str(folder))

# Properties take the same examples in every run, so that a change is judged by itself.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

#: What `./dev fast` leaves out: the same operators and kernels again under other conditions, and programs that train.
SLOW = (
    "examples/", "models/", "communication/test_example", "communication/test_failures", "communication/test_micro_batches",
    "communication/test_operators", "project/test_examples.py", "project/test_package.py::test_every_module",
    "core/test_names.py::test_every_module", "kernel/test_executor.py::test_a_fork_in",
    "kernel/test_bodies.py", "kernel/test_cache.py", "kernel/test_conv.py", "kernel/test_gemm.py", "kernel/test_norm.py",
    "kernel/test_pooling.py", "kernel/test_targets.py", "ops/test_guarded.py", "ops/test_threads.py",
    "ops/test_table.py::test_gradients", "ops/test_table.py::test_strides", "ops/test_table.py::test_vmap",
    "ops/test_table.py::test_forward_mode", "ops/test_table.py::test_batching", "nn/test_layers.py", "deepx/", "gallery/",
    "tensor_expression/", "graph/", "eager/test_programs.py", "eager/test_memory.py", "eager/test_python_threads.py",
    "eager/test_tape.py::test_training_leaves", "optim/test_step.py", "scripts/test_programs.py",
    "scripts/test_trained.py", "seeing/test_types.py::test_pyright", "seeing/test_types.py::test_mypy",
    "train/test_resume.py::test_killed",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.removeprefix("tests/").startswith(SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="module")
def small_heap() -> Iterator[None]:
    """What is there before, sixty thousand tests first of all, is no part of the many garbage collections of a file."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def _nothing_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What tests compile is run compiled from the second call on, whether or not it pays: see graph/test_ledger.py."""
    monkeypatch.setattr(ledger, "_FREE", 1 << 60)


@pytest.fixture(autouse=True)
def _settings_stay() -> Iterator[None]:
    """A test that leaves another mode behind fails, not those that come after it in the same process."""
    names = ("mode", "jit_syntax_level", "save_graphs", "save_graphs_path", "max_call_depth")
    before = [anfora.get_context(name) for name in names]
    yield
    after = [anfora.get_context(name) for name in names]
    assert not transforms.depth and not running.gradients, "the test has left the tape of a gradient open"
    anfora.set_context(**dict(zip(names, before, strict=True)))
    assert after == before, "the test has changed the settings of the process"
