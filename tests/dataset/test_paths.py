"""MindSpore's module paths, and what an import brings along."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

from anfora.dataset import transforms, vision


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("dataset.vision.c_transforms", "Resize"), ("dataset.vision.py_transforms", "ToTensor"),
        ("dataset.transforms.vision.c_transforms", "Resize"), ("dataset.transforms.vision.py_transforms", "ToTensor"),
        ("dataset.vision.utils", "Inter"), ("dataset.transforms.c_transforms", "TypeCast"),
        ("dataset.transforms.py_transforms", "Compose"), ("dataset.engine.datasets", "Dataset"),
        ("dataset.core.config", "set_seed"), ("dataset.engine.samplers", "RandomSampler"),
        ("dataset.transforms.vision", "Inter"),
    ],
)  # fmt: skip
def test_paths(path, name):
    assert getattr(importlib.import_module(f"anfora.{path}"), name) is not None


def test_the_two_sets_of_transforms_are_one():
    for module in (vision, transforms):
        assert module.c_transforms is module.py_transforms is module


def test_the_import_is_light():
    program = (
        "import sys, anfora.dataset; from anfora.dataset import vision, transforms;"
        "print([m for m in ('cv2', 'PIL', 'numba', 'llvmlite', 'anfora.ops', 'multiprocessing') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
