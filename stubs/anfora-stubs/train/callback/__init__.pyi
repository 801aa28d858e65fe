# Made by stubs/make.py from the live package; not to be edited.
import builtins
from typing import Any

from anfora.core.dtype import DType
from anfora.train.callback.base import Callback as Callback
from anfora.train.callback.base import CallbackManager as _CallbackManager
from anfora.train.callback.base import InternalCallbackParam as _InternalCallbackParam
from anfora.train.callback.base import RunContext as RunContext
from anfora.train.callback.checkpoint import BackupAndRestore as BackupAndRestore
from anfora.train.callback.checkpoint import CheckpointConfig as CheckpointConfig
from anfora.train.callback.checkpoint import ModelCheckpoint as ModelCheckpoint
from anfora.train.callback.checkpoint import OnRequestExit as OnRequestExit
from anfora.train.callback.checkpoint import _checkpoint_cb_for_save_op as _checkpoint_cb_for_save_op
from anfora.train.callback.checkpoint import _chg_ckpt_file_name_if_same_exist as _chg_ckpt_file_name_if_same_exist
from anfora.train.callback.checkpoint import _set_cur_net as _set_cur_net
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

