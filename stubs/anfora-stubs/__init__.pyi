# Made by stubs/make.py from the live package; not to be edited.
import builtins
from typing import Any

from anfora.core.dtype import DType
from . import boost as boost
from . import common as common
from . import communication as communication
from . import dataset as dataset
from . import device_context as device_context
from . import experimental as experimental
from . import ir as ir
from . import log as log
from . import mindrecord as mindrecord
from . import mint as mint
from . import models as models
from . import multiprocessing as multiprocessing
from . import nn as nn
from . import numpy as numpy
from . import onnx as onnx
from . import ops as ops
from . import optim as optim
from . import runtime as runtime
from . import train as train
from . import utils as utils
from anfora.api import GradOperation as GradOperation
from anfora.api import get_grad as get_grad
from anfora.api import grad as grad
from anfora.api import jacfwd as jacfwd
from anfora.api import jacrev as jacrev
from anfora.api import jvp as jvp
from anfora.api import value_and_grad as value_and_grad
from anfora.api import vjp as vjp
from anfora.batching import vmap as vmap
from anfora.core import dtype as dtype
from anfora.core.cell import Cell as Cell
from anfora.core.dtype import bfloat16 as bfloat16
from anfora.core.dtype import bool_ as bool_
from anfora.core.dtype import complex128 as complex128
from anfora.core.dtype import complex64 as complex64
from anfora.core.dtype import double as double
from anfora.core.dtype import dtype_to_nptype as dtype_to_nptype
from anfora.core.dtype import dtype_to_pytype as dtype_to_pytype
from anfora.core.dtype import float16 as float16
from anfora.core.dtype import float32 as float32
from anfora.core.dtype import float64 as float64
from anfora.core.dtype import float8_e4m3fn as float8_e4m3fn
from anfora.core.dtype import float8_e5m2 as float8_e5m2
from anfora.core.dtype import float_ as float_
from anfora.core.dtype import get_py_obj_dtype as get_py_obj_dtype
from anfora.core.dtype import half as half
from anfora.core.dtype import hifloat8 as hifloat8
from anfora.core.dtype import int16 as int16
from anfora.core.dtype import int32 as int32
from anfora.core.dtype import int64 as int64
from anfora.core.dtype import int8 as int8
from anfora.core.dtype import int_ as int_
from anfora.core.dtype import list_ as list_
from anfora.core.dtype import number as number
from anfora.core.dtype import pytype_to_dtype as pytype_to_dtype
from anfora.core.dtype import single as single
from anfora.core.dtype import string as string
from anfora.core.dtype import tensor_type as tensor_type
from anfora.core.dtype import tuple_ as tuple_
from anfora.core.dtype import type_none as type_none
from anfora.core.dtype import uint16 as uint16
from anfora.core.dtype import uint32 as uint32
from anfora.core.dtype import uint64 as uint64
from anfora.core.dtype import uint8 as uint8
from anfora.core.errors import AnforaError as AnforaError
from anfora.core.errors import AnforaWarning as AnforaWarning
from anfora.core.parameter import Parameter as Parameter
from anfora.core.parameter import ParameterTuple as ParameterTuple
from anfora.core.processes import ParallelMode as ParallelMode
from anfora.core.processes import get_auto_parallel_context as get_auto_parallel_context
from anfora.core.processes import reset_auto_parallel_context as reset_auto_parallel_context
from anfora.core.processes import set_auto_parallel_context as set_auto_parallel_context
from anfora.core.random import Generator as Generator
from anfora.core.random import default_generator as default_generator
from anfora.core.random import get_rng_state as get_rng_state
from anfora.core.random import get_seed as get_seed
from anfora.core.random import initial_seed as initial_seed
from anfora.core.random import manual_seed as manual_seed
from anfora.core.random import seed as seed
from anfora.core.random import set_rng_state as set_rng_state
from anfora.core.random import set_seed as set_seed
from anfora.core.settings import COMPATIBLE as COMPATIBLE
from anfora.core.settings import GRAPH_MODE as GRAPH_MODE
from anfora.core.settings import LAX as LAX
from anfora.core.settings import PYNATIVE_MODE as PYNATIVE_MODE
from anfora.core.settings import STRICT as STRICT
from anfora.core.settings import context as context
from anfora.core.settings import get_context as get_context
from anfora.core.settings import set_context as set_context
from anfora.core.settings import set_deterministic as set_deterministic
from anfora.core.settings import set_device as set_device
from anfora.core.settings import set_recursion_limit as set_recursion_limit
from anfora.core.tensor import Tensor as Tensor
from anfora.core.tensor import from_dlpack as from_dlpack
from anfora.core.tensor import from_numpy as from_numpy
from anfora.core.tensor import tensor as tensor
from anfora.directions import derivative as derivative
from anfora.directions import jet as jet
from anfora.directions import linearize as linearize
from anfora.eager.custom import Function as Function
from anfora.eager.custom import custom_vjp as custom_vjp
from anfora.eager.tape import no_grad as no_grad
from anfora.graph_files import export as export
from anfora.graph_files import load as load
from anfora.interop.checkpoint import load_checkpoint as load_checkpoint
from anfora.interop.checkpoint import load_param_into_net as load_param_into_net
from anfora.interop.checkpoint import save_checkpoint as save_checkpoint
from anfora.kernel.executor import get_num_threads as get_num_threads
from anfora.kernel.executor import set_num_threads as set_num_threads
from anfora.modes import JitConfig as JitConfig
from anfora.modes import constexpr as constexpr
from anfora.modes import explain as explain
from anfora.modes import jit as jit
from anfora.modes import jit_class as jit_class
from anfora.modes import jit_class as ms_class
from anfora.modes import lazy_inline as lazy_inline
from anfora.modes import ms_function as ms_function
from anfora.modes import mutable as mutable
from anfora.modes import no_inline as no_inline
from anfora.network_summary import summary as summary
from anfora.nn import amp as amp
from anfora.nn.amp import DynamicLossScaleManager as DynamicLossScaleManager
from anfora.nn.amp import FixedLossScaleManager as FixedLossScaleManager
from anfora.nn.amp import LossScaleManager as LossScaleManager
from anfora.nn.amp import build_train_network as build_train_network
from anfora.nn.metrics import Accuracy as Accuracy
from anfora.nn.metrics import BleuScore as BleuScore
from anfora.nn.metrics import CosineSimilarity as CosineSimilarity
from anfora.nn.metrics import Dice as Dice
from anfora.nn.metrics import F1 as F1
from anfora.nn.metrics import Fbeta as Fbeta
from anfora.nn.metrics import Loss as Loss
from anfora.nn.metrics import MAE as MAE
from anfora.nn.metrics import MSE as MSE
from anfora.nn.metrics import Metric as Metric
from anfora.nn.metrics import Perplexity as Perplexity
from anfora.nn.metrics import Precision as Precision
from anfora.nn.metrics import ROC as ROC
from anfora.nn.metrics import Recall as Recall
from anfora.nn.metrics import Top1CategoricalAccuracy as Top1CategoricalAccuracy
from anfora.nn.metrics import Top5CategoricalAccuracy as Top5CategoricalAccuracy
from anfora.nn.metrics import TopKCategoricalAccuracy as TopKCategoricalAccuracy
from anfora.nn.metrics import auc as auc
from anfora.nn.metrics import get_metric_fn as get_metric_fn
from anfora.nn.metrics import get_metrics as get_metrics
from anfora.nn.metrics import names as names
from anfora.nn.metrics import rearrange_inputs as rearrange_inputs
from anfora.nn.metrics_classes import ConfusionMatrix as ConfusionMatrix
from anfora.nn.metrics_classes import ConfusionMatrixMetric as ConfusionMatrixMetric
from anfora.nn.metrics_images import HausdorffDistance as HausdorffDistance
from anfora.nn.metrics_images import MeanSurfaceDistance as MeanSurfaceDistance
from anfora.nn.metrics_images import OcclusionSensitivity as OcclusionSensitivity
from anfora.nn.metrics_images import RootMeanSquareDistance as RootMeanSquareDistance
from anfora.ops.custom import custom_op as custom_op
from anfora.ops.programs import is_tensor as is_tensor
from anfora.profiler import Profiler as Profiler
from anfora.run_check import run_check as run_check
from anfora.sparse import COOTensor as COOTensor
from anfora.sparse import CSRTensor as CSRTensor
from anfora.sparse import RowTensor as RowTensor
from anfora.train.callback.base import Callback as Callback
from anfora.train.callback.base import RunContext as RunContext
from anfora.train.callback.checkpoint import BackupAndRestore as BackupAndRestore
from anfora.train.callback.checkpoint import CheckpointConfig as CheckpointConfig
from anfora.train.callback.checkpoint import ModelCheckpoint as ModelCheckpoint
from anfora.train.callback.checkpoint import OnRequestExit as OnRequestExit
from anfora.train.callback.failure import TrainFaultTolerance as TrainFaultTolerance
from anfora.train.callback.monitors import History as History
from anfora.train.callback.monitors import LossMonitor as LossMonitor
from anfora.train.callback.monitors import Progress as Progress
from anfora.train.callback.monitors import TimeMonitor as TimeMonitor
from anfora.train.callback.steering import EarlyStopping as EarlyStopping
from anfora.train.callback.steering import LambdaCallback as LambdaCallback
from anfora.train.callback.steering import LearningRateScheduler as LearningRateScheduler
from anfora.train.callback.steering import ReduceLROnPlateau as ReduceLROnPlateau
from anfora.train.callback.summary import SummaryCollector as SummaryCollector
from anfora.train.dataset_helper import DatasetHelper as DatasetHelper
from anfora.train.dataset_helper import connect_network_with_dataset as connect_network_with_dataset
from anfora.train.dataset_helper import data_sink as data_sink
from anfora.train.model import Model as Model
from anfora.train.summary import SummaryRecord as SummaryRecord

__version__: str

__all__ = [
    "Accuracy", "AnforaError", "AnforaWarning", "BackupAndRestore", "BleuScore", "COMPATIBLE", "COOTensor", "CSRTensor",
    "Callback", "Cell", "CheckpointConfig", "ConfusionMatrix", "ConfusionMatrixMetric", "CosineSimilarity", "DatasetHelper",
    "Dice", "DynamicLossScaleManager", "EarlyStopping", "F1", "Fbeta", "FixedLossScaleManager", "Function", "GRAPH_MODE",
    "Generator", "GradOperation", "HausdorffDistance", "History", "JitConfig", "LAX", "LambdaCallback",
    "LearningRateScheduler", "Loss", "LossMonitor", "LossScaleManager", "MAE", "MSE", "MeanSurfaceDistance", "Metric",
    "Model", "ModelCheckpoint", "OcclusionSensitivity", "OnRequestExit", "PYNATIVE_MODE", "ParallelMode", "Parameter",
    "ParameterTuple", "Perplexity", "Precision", "Profiler", "Progress", "ROC", "Recall", "ReduceLROnPlateau",
    "RootMeanSquareDistance", "RowTensor", "RunContext", "STRICT", "SummaryCollector", "SummaryRecord", "Tensor",
    "TimeMonitor", "Top1CategoricalAccuracy", "Top5CategoricalAccuracy", "TopKCategoricalAccuracy", "TrainFaultTolerance",
    "amp", "auc", "bfloat16", "bool_", "boost", "build_train_network", "common", "communication", "complex128", "complex64",
    "connect_network_with_dataset", "constexpr", "context", "custom_op", "custom_vjp", "data_sink", "dataset",
    "default_generator", "derivative", "device_context", "double", "dtype", "dtype_to_nptype", "dtype_to_pytype",
    "experimental", "explain", "export", "float16", "float32", "float64", "float8_e4m3fn", "float8_e5m2", "float_",
    "from_dlpack", "from_numpy", "get_auto_parallel_context", "get_context", "get_grad", "get_metric_fn", "get_metrics",
    "get_num_threads", "get_py_obj_dtype", "get_rng_state", "get_seed", "grad", "half", "hifloat8", "initial_seed", "int16",
    "int32", "int64", "int8", "int_", "ir", "is_tensor", "jacfwd", "jacrev", "jet", "jit", "jit_class", "jvp",
    "lazy_inline", "linearize", "list_", "load", "load_checkpoint", "load_param_into_net", "log", "manual_seed",
    "mindrecord", "mint", "models", "ms_class", "ms_function", "multiprocessing", "mutable", "names", "nn", "no_grad",
    "no_inline", "number", "numpy", "onnx", "ops", "optim", "pytype_to_dtype", "rearrange_inputs",
    "reset_auto_parallel_context", "run_check", "runtime", "save_checkpoint", "seed", "set_auto_parallel_context",
    "set_context", "set_deterministic", "set_device", "set_num_threads", "set_recursion_limit", "set_rng_state", "set_seed",
    "single", "string", "summary", "tensor", "tensor_type", "train", "tuple_", "type_none", "uint16", "uint32", "uint64",
    "uint8", "utils", "value_and_grad", "vjp", "vmap",
]
