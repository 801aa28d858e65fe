"""MindSpore's module paths, so that programs keep their imports: `from anfora.common.initializer import Normal`.

Each path is a module without code, which looks its names up in a module of this package when they are used.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

__all__ = ["PATHS", "install"]

#: Paths below `anfora`, by the module that has their names.
PATHS = {
    "anfora": (
        "_c_expression", "common", "common.api", "common.generator", "common.parameter", "common.seed", "common.tensor",
        "train", "train.metrics", "train.serialization",
    ),
    "anfora.core.dtype": ("_c_expression.typing", "common.dtype", "dtype"),
    "anfora.communication": ("communication.management",),
    "anfora.core.processes": ("parallel._auto_parallel_context",),
    "anfora.core.settings": (
        "context", "device_context", "device_context.cpu", "device_context.cpu.op_tuning", "runtime",
    ),
    "anfora.dataset": ("dataset.core", "dataset.engine", "dataset.engine.datasets"),
    "anfora.dataset.config": ("dataset.core.config",),
    "anfora.dataset.samplers": ("dataset.engine.samplers",),
    "anfora.dataset.text": ("dataset.text.transforms", "dataset.text.utils"),
    "anfora.dataset.transforms": (
        "dataset.transforms.c_transforms", "dataset.transforms.py_transforms", "dataset.transforms.transforms",
    ),
    "anfora.dataset.vision": (
        "dataset.vision.c_transforms", "dataset.vision.py_transforms", "dataset.vision.transforms",
        "dataset.vision.utils",
    ),
    "anfora.nn": (
        "nn.cell", "nn.grad", "nn.grad.cell_grad", "nn.layer", "nn.layer.activation", "nn.layer.basic",
        "nn.layer.channel_shuffle",
        "nn.layer.container", "nn.layer.conv", "nn.layer.dense", "nn.layer.embedding", "nn.layer.image",
        "nn.layer.math", "nn.layer.normalization", "nn.layer.padding", "nn.layer.pooling", "nn.layer.rnn_cells",
        "nn.layer.rnns", "nn.layer.transformer", "nn.loss.loss", "nn.wrap.cell_wrapper", "nn.wrap.grad_reducer",
        "nn.wrap.loss_scale",
    ),
    "anfora.nn.amp": ("amp", "train.amp", "train.loss_scale_manager"),
    "anfora.ops": (
        "ops.auto_generate", "ops.auto_generate.gen_ops_def", "ops.auto_generate.gen_ops_prim", "ops.composite.base",
         "ops.function", "ops.function.array_func", "ops.function.clip_func",
        "ops.function.grad", "ops.function.grad.grad_func",
        "ops.function.linalg_func", "ops.function.math_func", "ops.function.nn_func",
        "ops.function.random_func", "ops.functional", "ops.operations", "ops.operations._grad_ops",
        "ops.operations.array_ops", "ops.operations.comm_ops",
        "ops.operations.image_ops", "ops.operations.inner_ops", "ops.operations.linalg_ops", "ops.operations.math_ops",
        "ops.operations.nn_ops", "ops.operations.other_ops", "ops.operations.random_ops", "ops.primitive",
    ),
    "anfora.ops.initializer": ("common.initializer",),
    "anfora.optim": (
        "nn.dynamic_lr", "nn.optim", "nn.optim.ada_grad", "nn.optim.adadelta", "nn.optim.adafactor",
        "nn.optim.adam", "nn.optim.adamax", "nn.optim.adasum", "nn.optim.asgd", "nn.optim.ftrl", "nn.optim.lamb",
        "nn.optim.lars", "nn.optim.lazyadam", "nn.optim.momentum", "nn.optim.optimizer", "nn.optim.proximal_ada_grad",
        "nn.optim.rmsprop", "nn.optim.rprop", "nn.optim.sgd", "nn.optim.thor", "experimental",
    ),
    "anfora.optim.experimental": ("experimental.optim",),
    "anfora.sparse": ("common.sparse_tensor",),
    "anfora.optim.lr_scheduler": ("experimental.optim.lr_scheduler",),
}  # fmt: skip


class Path(ModuleType):
    """A module that has the names of another one."""

    def __init__(self, name: str, home: str) -> None:
        super().__init__(name, f"The names of `{home}`, under MindSpore's path.")
        self.__dict__["_home"] = home

    def __getattr__(self, name: str) -> Any:
        below = sys.modules.get(f"{self.__name__}.{name}")
        if below is not None:
            return below
        if not name.startswith("__") or name == "__all__":  # who looks for a module's file has no need of its names
            try:
                return getattr(importlib.import_module(self.__dict__["_home"]), name)
            except AttributeError:
                pass
        raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")

    def __dir__(self) -> list[str]:
        return dir(importlib.import_module(self.__dict__["_home"]))


def install() -> None:
    """Put the paths where `import` finds them."""
    for home, paths in PATHS.items():
        for path in paths:
            sys.modules.setdefault(f"anfora.{path}", Path(f"anfora.{path}", home))
