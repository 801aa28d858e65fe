"""Callbacks: what is done at the moments of a training or an evaluation.

base.py        Callback, RunContext, and several callbacks as one
monitors.py    LossMonitor, TimeMonitor, History, Progress
steering.py    EarlyStopping, ReduceLROnPlateau, LearningRateScheduler, LambdaCallback
summary.py     SummaryCollector
checkpoint.py  ModelCheckpoint and CheckpointConfig, BackupAndRestore, OnRequestExit
failure.py     TrainFaultTolerance
waited.py      WaitedDSCallback, of `anfora.dataset`
"""

from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in
from anfora.train.callback.base import Callback, RunContext
from anfora.train.callback.base import CallbackManager as _CallbackManager
from anfora.train.callback.base import InternalCallbackParam as _InternalCallbackParam
from anfora.train.callback.checkpoint import (
    BackupAndRestore,
    CheckpointConfig,
    ModelCheckpoint,
    OnRequestExit,
    _checkpoint_cb_for_save_op,
    _chg_ckpt_file_name_if_same_exist,
    _set_cur_net,
)
from anfora.train.callback.failure import TrainFaultTolerance
from anfora.train.callback.monitors import History, LossMonitor, Progress, TimeMonitor
from anfora.train.callback.steering import EarlyStopping, LambdaCallback, LearningRateScheduler, ReduceLROnPlateau
from anfora.train.callback.summary import SummaryCollector

__all__ = [
    "BackupAndRestore", "Callback", "CheckpointConfig", "EarlyStopping", "History", "LambdaCallback",
    "LearningRateScheduler", "LossMonitor", "ModelCheckpoint", "OnRequestExit", "Progress", "ReduceLROnPlateau",
    "RunContext", "SummaryCollector", "TimeMonitor", "TrainFaultTolerance", "_CallbackManager",
    "_InternalCallbackParam", "_checkpoint_cb_for_save_op", "_chg_ckpt_file_name_if_same_exist", "_set_cur_net",
]  # fmt: skip


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
