# Made by stubs/make.py from the live package; not to be edited.
import builtins
from typing import Any

from anfora.core.dtype import DType
from . import amp as amp
from . import callback as callback
from . import metrics as metrics
from anfora.interop.checkpoint import load_checkpoint as load_checkpoint
from anfora.interop.checkpoint import load_param_into_net as load_param_into_net
from anfora.interop.checkpoint import save_checkpoint as save_checkpoint
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

