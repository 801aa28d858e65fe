"""anfora: deep learning on the CPU; one program, two ways to run it, one meaning.

core/ kernel/ ops/ eager/    the layers, from types to PyNative mode (docs/design.md, Layers)
interop/ data/ dataset/      files of others; digits to train on; pipelines of data
onnx/                        networks as files of ONNX, and theirs as networks
mindrecord/                  MindSpore's files of records
scipy/                       functions of scipy on tensors
train/                       Model, the loop over data, and its callbacks
api.py         gradients of functions                 directions.py  derivatives in given directions
batching.py    vmap                                   modes.py       the entry points of graph mode
executors.py   what older programs call to compile    paths.py       MindSpore's module paths
sparse.py      tensors of which most elements are zero; sparse_functions.py, functions of them     log.py  messages
alias.py       `import mindspore` as this package         commands/  the words of `python -m anfora`
c_files.py     networks as libraries of C             run_check.py   whether an installation works
ir.py          programs as graphs, to be built by hand    graph_files.py  networks as files that run without their source
utils.py       MindSpore's `utils`                    private_names.py  names that are not public, and yet imported
profiler.py    where time and memory go                 network_summary.py  what a network is made of, and its cost
"""

from __future__ import annotations

import gc
import importlib
from typing import Any

from anfora import paths
from anfora.core import tracebacks
from anfora.core.nearest import below
from anfora.interop import neighbours

__version__ = "0.1.0.dev0"

#: Public names, and the modules they are loaded from when they are first used.
_HOMES = {
    "anfora.core.dtype": (
        "Int", "bfloat16", "bool_", "complex128", "complex64", "double", "dtype_to_nptype", "dtype_to_pytype", "float16",
        "float32", "float64", "float8_e4m3fn", "float8_e5m2", "float_", "get_py_obj_dtype", "half", "hifloat8", "int8",
        "int16", "int32", "int64", "int_", "list_", "number", "pytype_to_dtype", "single", "string", "tensor_type",
        "tuple_", "type_none", "uint8", "uint16", "uint32", "uint64",
    ),
    "anfora.core.errors": ("AnforaError", "AnforaWarning"),
    "anfora.core.tensor": ("Tensor", "from_dlpack", "from_numpy", "frombuffer", "tensor"),
    "anfora.core.parameter": ("Parameter", "ParameterTuple", "_is_parameter_generated"),
    "anfora.core.cell": ("Cell",),
    "anfora.core.random": (
        "Generator", "default_generator", "get_rng_state", "get_seed", "initial_seed", "manual_seed", "seed",
        "set_rng_state", "set_seed",
    ),
    "anfora.core.settings": (
        "COMPATIBLE", "GRAPH_MODE", "LAX", "PYNATIVE_MODE", "STRICT", "context", "get_context", "set_context",
        "dispatch_threads_num", "launch_blocking", "set_deterministic", "set_device", "set_recursion_limit", "synchronize",
        "_pynative_executor",
    ),
    "anfora.core.process_memory": (
        "empty_cache", "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved",
        "reset_max_memory_allocated", "reset_max_memory_reserved", "reset_peak_memory_stats",
    ),
    "anfora.core.processes": (
        "ParallelMode", "get_auto_parallel_context", "reset_auto_parallel_context", "set_auto_parallel_context",
    ),
    "anfora.ops.programs": ("is_tensor",),
    "anfora.api": ("GradOperation", "get_grad", "grad", "jacfwd", "jacrev", "jvp", "value_and_grad", "vjp"),
    "anfora.directions": ("derivative", "jet", "linearize"),
    "anfora.executors": ("_cell_graph_executor",),
    "anfora.batching": ("vmap",),
    "anfora.network_summary": ("summary",),
    "anfora.profiler": ("Profiler",),
    "anfora.run_check": ("run_check",),
    "anfora.sparse": ("COOTensor", "CSRTensor", "RowTensor"),
    "anfora.graph_files": ("export", "load"),
    "anfora.modes": (
        "JitConfig", "constexpr", "explain", "jit", "jit_class", "lazy_inline", "ms_class", "ms_function", "mutable",
        "no_inline",
    ),
    "anfora.interop.checkpoint": ("load_checkpoint", "load_param_into_net", "save_checkpoint"),
    "anfora.interop.conversion": (
        "async_ckpt_thread_status", "ckpt_to_safetensors", "load_checkpoint_async", "safetensors_to_ckpt",
    ),
    "anfora.nn.metrics": (
        "Accuracy", "BleuScore", "CosineSimilarity", "Dice", "F1", "Fbeta", "Loss", "MAE", "MSE", "Metric", "Perplexity",
        "Precision", "ROC", "Recall", "Top1CategoricalAccuracy", "Top5CategoricalAccuracy", "TopKCategoricalAccuracy",
        "auc", "get_metric_fn", "get_metrics", "names", "rearrange_inputs",
    ),
    "anfora.nn.metrics_classes": ("ConfusionMatrix", "ConfusionMatrixMetric"),
    "anfora.nn.metrics_images": (
        "HausdorffDistance", "MeanSurfaceDistance", "OcclusionSensitivity", "RootMeanSquareDistance",
    ),
    "anfora.nn.amp": (
        "DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager", "build_train_network",
    ),
    "anfora.train.model": ("Model",),
    "anfora.train.dataset_helper": ("DatasetHelper", "connect_network_with_dataset", "data_sink"),
    "anfora.train.callback.base": ("Callback", "RunContext"),
    "anfora.train.callback.monitors": ("History", "LossMonitor", "Progress", "TimeMonitor"),
    "anfora.train.callback.steering": (
        "EarlyStopping", "LambdaCallback", "LearningRateScheduler", "ReduceLROnPlateau",
    ),
    "anfora.train.callback.checkpoint": (
        "BackupAndRestore", "CheckpointConfig", "ModelCheckpoint", "OnRequestExit",
    ),
    "anfora.train.callback.failure": ("TrainFaultTolerance",),
    "anfora.train.summary": ("SummaryRecord",),
    "anfora.train.callback.summary": ("SummaryCollector",),
    "anfora.ops.custom": ("custom_op",),
    "anfora.core.cell_state": ("_Buffer",),
    "anfora.eager.custom": ("Function", "_Function", "custom_vjp"),
    "anfora.eager.recompute": ("recompute",),
    "anfora.eager.tape": ("_no_grad", "no_grad"),
    "anfora.kernel.executor": ("get_num_threads", "set_num_threads"),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}
#: Element types under names of Python and of numpy, which `from anfora import *` leaves alone.
_TYPES = {
    **{name: name for name in (
        "byte", "cdouble", "cfloat", "intc", "intp", "long", "short", "ubyte", "uintc", "uintp", "ushort",
    )},
    "bool": "bool_", "int": "int32", "float": "float32",
}  # fmt: skip
_MODULES = {
    "amp": "anfora.nn.amp", "boost": "anfora.boost", "common": "anfora.common",
    "communication": "anfora.communication",
    "dataset": "anfora.dataset",
    "device_context": "anfora.device_context", "dtype": "anfora.core.dtype", "experimental": "anfora.experimental",
    "ir": "anfora.ir",
    "log": "anfora.log", "mindrecord": "anfora.mindrecord", "mint": "anfora.mint", "models": "anfora.models",
    "multiprocessing": "anfora.multiprocessing",
    "nn": "anfora.nn", "numpy": "anfora.numpy", "onnx": "anfora.onnx", "ops": "anfora.ops",
    "optim": "anfora.optim", "profiler": "anfora.profiler", "runtime": "anfora.runtime", "scipy": "anfora.scipy",
    "train": "anfora.train", "utils": "anfora.utils",
}  # fmt: skip

paths.install()
tracebacks.install()
neighbours.install()

__all__ = sorted(name for name in [*_HOME, *_MODULES] if not name.startswith("_"))


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return _loaded(_MODULES[name])
    if name in _TYPES:
        return getattr(_loaded("anfora.core.dtype"), _TYPES[name])
    if name not in _HOME:
        return below("anfora", name)
    _loaded("anfora.ops")  # gives Tensor its methods
    _loaded("anfora.eager")
    value = globals()[name] = getattr(_loaded(_HOME[name]), name)
    return value


def _loaded(module: str) -> Any:
    """A module. What modules are made of stays: nothing is looked for in it that could be given back, which would take a
    tenth of the time."""
    if not gc.isenabled():
        return importlib.import_module(module)
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        gc.enable()


def __dir__() -> list[str]:
    return __all__
