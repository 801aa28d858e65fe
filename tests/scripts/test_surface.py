"""The names that programs for MindSpore use most, as they import them: what is missing can only become less."""

from __future__ import annotations

import importlib
import pathlib
import subprocess
import sys

#: Names that are still missing; one that has come is taken off.
MISSING = {
    "mindspore.Int", "mindspore.ops.CustomRegOp", "mindspore.ops.DataType", "mindspore.ops.DynamicRNN",
    "mindspore.ops.PyFunc", "Tensor.init",
}  # fmt: skip


def most_used() -> dict[str, list[str]]:
    """The file's names by its headings."""
    found: dict[str, list[str]] = {}
    for line in pathlib.Path(__file__).with_name("most_used_names.txt").read_text().splitlines():
        if line.startswith("["):
            names = found.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            names += line.split()
    return found


def missing() -> list[str]:
    """What a program under `python -m anfora run` does not find."""
    import mindspore as ms  # type: ignore[import-not-found]
    from mindspore import dataset, nn, ops, train

    rows = dataset.NumpySlicesDataset([1, 2])
    objects = {
        "Tensor": [ms.Tensor([1.0, 2.0])],
        "Cell or Parameter": [nn.Dense(2, 2), ms.Parameter(1.0, name="p")],
        "Dataset or iterator": [rows, rows.create_dict_iterator()],
        "Optimizer": [nn.SGD(nn.Dense(2, 2).trainable_params(), 0.1)],
        "Primitive": [ops.Add()],
        "Model": [train.Model],
        "Callback": [train.Callback],
        "RunContext": [train.RunContext],
        "SummaryRecord": [getattr(ms, "SummaryRecord", None)],
    }

    def has(heading: str, name: str) -> bool:
        if heading in objects:
            return any(hasattr(each, name) for each in objects[heading])
        return hasattr(importlib.import_module(heading), name)

    return [f"{heading}.{name}" for heading, names in most_used().items() for name in names if not has(heading, name)]


def test_what_is_missing_becomes_less():
    program = f"import sys; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\n"
    program += (
        "from anfora import alias; alias.install()\nfrom test_surface import missing; print(*missing(), sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    found = set(done.stdout.split())
    assert found - MISSING == set(), "these names are gone"
    assert sum(map(len, most_used().values())) > 590


def test_a_star_brings_what_training_needs_and_no_more():
    """It must not put this package's `Tensor`, `log` or `number` over a program's own names."""
    names: dict = {}
    exec("from anfora.train import *", names)
    assert {"Model", "SummaryRecord", "load_checkpoint", *most_used()["mindspore.train"]} <= set(names)
    assert not {"Tensor", "Cell", "log", "nn", "number", "seed", "string"} & set(names)
