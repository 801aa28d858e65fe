"""MindSpore's module paths, so that programs keep their imports: `from anfora.common.initializer import Normal`.

Each path is a module without code, which looks its names up in a module of this package when they are used.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

from anfora.core.nearest import MissingName

__all__ = ["PATHS", "install", "path"]

#: Paths below `anfora`, by the module that has their names.
PATHS = {
    "anfora": (
        "_c_expression", "common", "common._pijit_context", "common.api", "common.generator",
        "common.jit_config", "common.parameter",
        "common.seed", "common.tensor",
        "train.metrics", "train.metrics.accuracy", "train.metrics.bleu_score", "train.metrics.confusion_matrix",
        "train.metrics.cosine_similarity", "train.metrics.dice", "train.metrics.error", "train.metrics.fbeta",
        "train.metrics.hausdorff_distance", "train.metrics.loss", "train.metrics.mean_surface_distance",
        "train.metrics.metric", "train.metrics.occlusion_sensitivity", "train.metrics.perplexity",
        "train.metrics.precision", "train.metrics.recall", "train.metrics.roc",
        "train.metrics.root_mean_square_surface_distance", "train.metrics.topk", "train.serialization",
    ),
    "anfora.core.dtype": ("_c_expression.typing", "common.dtype", "dtype"),
    "anfora.communication": ("communication.management",),
    "anfora.communication.orders": ("utils.runtime_execution_order_check",),
    "anfora.communication.redundancy": ("train._utils",),
    "anfora.core.processes": ("parallel", "parallel._auto_parallel_context", "parallel._utils"),
    "anfora.core.settings": (
        "context", "device_context", "device_context.cpu", "device_context.cpu.op_tuning", "hal", "runtime",
    ),
    "anfora.dataset": ("dataset.core", "dataset.engine", "dataset.engine.datasets"),
    "anfora.dataset.config": ("dataset.core.config",),
    "anfora.dataset.samplers": ("dataset.engine.samplers",),
    "anfora.dataset.text": ("dataset.text.transforms", "dataset.text.utils"),
    "anfora.dataset.transforms": (
        "dataset.transforms.c_transforms", "dataset.transforms.py_transforms", "dataset.transforms.transforms",
    ),
    "anfora.dataset.vision": (
        "dataset.transforms.vision", "dataset.transforms.vision.c_transforms", "dataset.transforms.vision.py_transforms",
        "dataset.vision.c_transforms", "dataset.vision.py_transforms", "dataset.vision.transforms", "dataset.vision.utils",
    ),
    "anfora.nn": (
        "nn.cell", "nn.grad", "nn.grad.cell_grad", "nn.layer", "nn.layer.activation", "nn.layer.basic",
        "nn.layer.channel_shuffle", "nn.layer.combined",
        "nn.layer.container", "nn.layer.conv", "nn.layer.dense", "nn.layer.embedding", "nn.layer.image",
        "nn.layer.math", "nn.layer.normalization", "nn.layer.padding", "nn.layer.pooling", "nn.layer.rnn_cells",
        "nn.layer.rnns", "nn.layer.timedistributed", "nn.layer.transformer", "nn.sparse", "nn.sparse.sparse",
        "nn.loss.loss", "nn.wrap.cell_wrapper",
        "nn.wrap.grad_reducer", "nn.wrap.loss_scale",
    ),
    "anfora.nn.accumulation": ("boost", "boost.grad_accumulation"),
    "anfora.nn.amp": ("amp", "train.amp", "train.loss_scale_manager"),
    "anfora.nn.bijectors": ("nn.probability.bijector",),
    "anfora.nn.distributions": ("nn.probability", "nn.probability.distribution"),
    "anfora.nn.utils": ("nn.utils.init",),
    "anfora.numpy": ("numpy.utils_const",),
    "anfora.ops": (
        "ops.auto_generate", "ops.auto_generate.gen_ops_def", "ops.auto_generate.gen_ops_prim", "ops.composite.base",
        "ops.function", "ops.function.array_func", "ops.function.clip_func",
        "ops.function.grad", "ops.function.grad.grad_func",
        "ops.function.linalg_func", "ops.function.math_func", "ops.function.nn_func",
        "ops.function.random_func", "ops.functional", "ops.operations", "ops.operations._grad_ops",
        "ops.operations.array_ops", "ops.operations.comm_ops",
        "ops.operations.image_ops", "ops.operations.inner_ops", "ops.operations.linalg_ops", "ops.operations.math_ops",
        "ops.operations._inner_ops", "ops.operations.nn_ops", "ops.operations.other_ops", "ops.operations.random_ops",
        "ops.operations.sparse_ops", "ops.primitive", "ops._primitive_cache", "ops._utils",
    ),
    "anfora.ops.initializer": ("common.initializer",),
    "anfora.ops.sequences": ("ops.operations._sequence_ops",),
    "anfora.ops.vm_impl_registry": (
        "ops._grad", "ops._grad.grad_base", "ops._grad_experimental", "ops._grad_experimental.grad_base",
    ),
    "multiprocessing": ("multiprocessing",),
    "anfora.optim": (
        "nn.dynamic_lr", "nn.optim", "nn.optim.ada_grad", "nn.optim.adadelta", "nn.optim.adafactor",
        "nn.optim.adam", "nn.optim.adamax", "nn.optim.adasum", "nn.optim.asgd", "nn.optim.ftrl", "nn.optim.lamb",
        "nn.optim.lars", "nn.optim.lazyadam", "nn.optim.momentum", "nn.optim.proximal_ada_grad",
        "nn.optim.rmsprop", "nn.optim.rprop", "nn.optim.sgd", "nn.optim.thor", "experimental",
    ),
    "anfora.optim.optimizer": ("nn.optim.optimizer",),
    "anfora.optim.experimental": ("experimental.optim",),
    "anfora.sparse": ("common.sparse_tensor",),
    "anfora.train.callback": (
        "train.callback._backup_and_restore", "train.callback._callback", "train.callback._checkpoint",
        "train.callback._early_stop", "train.callback._history", "train.callback._lambda_callback",
        "train.callback._loss_monitor", "train.callback._lr_scheduler_callback", "train.callback._on_request_exit",
        "train.callback._reduce_lr_on_plateau", "train.callback._summary_collector", "train.callback._time_monitor",
        "train.callback._train_fault_tolerance",
    ),
    "anfora.core.hooks": ("common.hook_handle",),
    "anfora.dataset.callbacks": ("dataset.callback",),
    "anfora.ops.registration": ("ops.op_info_register",),
    "anfora.train.dataset_helper": ("train.data_sink",),
    "anfora.train.summary": ("train.summary.summary_record",),
    "anfora.optim.lr_scheduler": ("experimental.optim.lr_scheduler",),
}  # fmt: skip


#: What MindSpore's own modules call others, and what programs take from them under these names.
_LETTERS = {"C": "anfora.ops.composite", "F": "anfora.ops.functional", "P": "anfora.ops.operations"}


#: What no module of ours has by itself.
_PRIVATE = "anfora.private_names"


def path(name: str, home: str) -> ModuleType:
    """A module that has the names of another one."""
    module = ModuleType(name, f"The names of `{home}`, under MindSpore's path.")
    names = module.__dict__

    def __getattr__(wanted: str) -> Any:
        below = sys.modules.get(f"{name}.{wanted}")
        if below is not None:
            return below
        if wanted in _LETTERS and name.startswith(("anfora.ops.", "anfora.nn.")):
            return importlib.import_module(_LETTERS[wanted])
        if not wanted.startswith("__") or wanted == "__all__":  # who looks for a module's file has no need of its names
            for owner in (home, _PRIVATE):
                try:
                    names[wanted] = found = getattr(importlib.import_module(owner), wanted)
                    return found
                except AttributeError:
                    pass
        raise MissingName(name, wanted)

    names["__getattr__"] = __getattr__
    names["__dir__"] = lambda: dir(importlib.import_module(home))
    return module


def install() -> None:
    """Put the paths where `import` finds them."""
    for home, names in PATHS.items():
        for name in names:
            full = f"anfora.{name}"
            if full not in sys.modules:
                sys.modules[full] = path(full, home)
