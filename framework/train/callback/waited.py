"""What is done between the steps of a training and the rows that follow: MindSpore's `dataset.WaitedDSCallback`."""

from __future__ import annotations

from typing import Any

from anfora.dataset.callbacks import DSCallback
from anfora.train.callback.base import Callback, RunContext

__all__ = ["WaitedDSCallback"]


class WaitedDSCallback(Callback, DSCallback):
    """What a program does between the steps of a training and the rows that follow: for a `map`, and for `Model.train`.

    Args:
        step_size: how many rows a step has, the size of a batch.
    A class of the program's own overrides `sync_epoch_begin` or `sync_step_begin`. The same object is given to both.
    """

    def __init__(self, step_size: int = 1) -> None:
        Callback.__init__(self)
        DSCallback.__init__(self, step_size)
        self._after_epoch: RunContext | None = None
        self._after_step: RunContext | None = None

    def sync_epoch_begin(self, train_run_context: RunContext | None, ds_run_context: Any) -> None:
        """Before the pipeline's second epoch and each further one, after the training's epoch before it."""

    def sync_step_begin(self, train_run_context: RunContext | None, ds_run_context: Any) -> None:
        """Before the pipeline's second step and each further one, after the training's step before it."""

    def epoch_end(self, run_context: RunContext) -> None:
        """The training's; not overridden."""
        self._after_epoch = run_context

    def step_end(self, run_context: RunContext) -> None:
        """The training's; not overridden."""
        self._after_step = run_context

    def ds_epoch_begin(self, ds_run_context: Any) -> None:
        """The pipeline's; not overridden."""
        if ds_run_context.cur_epoch_num > 1:
            self.sync_epoch_begin(self._after_epoch, ds_run_context)

    def ds_step_begin(self, ds_run_context: Any) -> None:
        """The pipeline's; not overridden."""
        if ds_run_context.cur_step_num > self.step_size:
            self.sync_step_begin(self._after_step, ds_run_context)
