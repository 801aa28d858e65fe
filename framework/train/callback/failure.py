"""A training that fails, kept as it stood behind its last whole step."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from anfora.communication import world
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.files import made_folder
from anfora.core.settings import log
from anfora.core.tensor import current, from_buffer
from anfora.interop.checkpoint import load_param_into_net, write_with_state
from anfora.nn.checks import integer
from anfora.train import state as whole
from anfora.train.callback.base import Callback, RunContext

__all__ = ["TrainFaultTolerance"]


class TrainFaultTolerance(Callback):
    """Saves a training that an error or Ctrl-C ends, as it stood behind its last whole step: `Model.train(…, resume=…)`
    goes on from the file, and ends in the same bits as a training that has not failed.

    Behind each step the parameters are copied, with where the training stands; so a step costs one more pass over their
    memory, and they take twice as much. Of several processes each writes what it has, also when it is another one that
    failed. A process that is killed (`SIGKILL`) writes nothing, the others do.

    Args:
        ckpt_save_path: the folder, where a file
            `ttp_saved_checkpoints-step_…/rank_…/ttp_rank_…-epoch_step.ckpt` is written, step counted in the epoch.
        ckpt_save_fn: function of (what is known, dict with "__exception_save__"), which is called instead; the network has
            the parameters of the last whole step again then.
        ckpt_load_fn: accepted for MindSpore programs, where it is called when an accelerator has found that it computed
            wrongly; nothing looks for that here.
        initial_step: is added to the step in the name of the folder.
    Attributes:
        cur_epoch_num, cur_step_num: of the last whole step; 0 before.
        latest_ckpt_file_name: the file that was written; "" if there is none.
    Raises:
        OpTypeError: an argument has another type.   OpValueError: neither a folder nor a function is given.
    Example:
        >>> TrainFaultTolerance("kept").cur_step_num
        0
    """

    def __init__(
        self,
        ckpt_save_path: str | os.PathLike | None = None,
        *,
        ckpt_save_fn: Callable[[Any, dict], Any] | None = None,
        ckpt_load_fn: Callable | None = None,
        initial_step: int = 0,
    ) -> None:
        super().__init__()
        name = "TrainFaultTolerance"
        if ckpt_save_path is None and ckpt_save_fn is None:
            raise OpValueError(f"{name} must know where to save: give `ckpt_save_path` or `ckpt_save_fn`")
        for what, function in (("ckpt_save_fn", ckpt_save_fn), ("ckpt_load_fn", ckpt_load_fn)):
            if function is not None and not callable(function):
                raise OpTypeError(f"{name} needs a function for `{what}`, but got {function!r}", arg=what)
        self.ckpt_save_path = None if ckpt_save_path is None else made_folder(ckpt_save_path)
        self.save_cb, self.ckpt_load_func = ckpt_save_fn, ckpt_load_fn
        self.initial_step = integer(name, "initial_step", initial_step, least=0)
        self.cur_epoch_num = self.cur_step_num = 0
        self.latest_ckpt_file_name = ""
        self._begin()

    def _begin(self) -> None:
        """Nothing is known of a training."""
        self.cb_params: Any = None
        self._copies: dict[str, np.ndarray] = {}
        self._state: bytes | None = None

    @classmethod
    def get_optimizer_wrapper(cls, origin_opt_cls: type) -> type:
        """The class of optimizers to use with this callback: the one that is given. MindSpore's reports when it begins to
        change parameters; here they are copied before.

        Example:
            >>> TrainFaultTolerance.get_optimizer_wrapper(nn.SGD) is nn.SGD
            True
        """
        return origin_opt_cls

    def on_train_begin(self, run_context: RunContext) -> None:
        self._begin()
        self.cur_epoch_num = self.cur_step_num = 0
        self.cb_params = run_context.original_args()

    def on_train_step_end(self, run_context: RunContext) -> None:
        now = run_context.original_args()
        for parameter in now.train_network.get_parameters():
            array = current(parameter)._array
            copy = self._copies.get(parameter.name)
            if copy is None or copy.shape != array.shape or copy.dtype != array.dtype:
                self._copies[parameter.name] = np.array(array, order="C")
            else:
                np.copyto(copy, array)
        is_resumable = now.get("dataset_helper") is not None
        self._state = whole.to_bytes(whole.collect(run_context, self, "step")) if is_resumable else None
        self.cb_params, self.cur_epoch_num, self.cur_step_num = now, now.cur_epoch_num, now.cur_step_num

    def __exit__(self, *err: object) -> None:
        try:
            if err and err[0] is not None and self.cb_params is not None:
                self._save()
        finally:
            self._begin()

    def _save(self) -> None:
        if not self.cur_step_num:
            log.warning("the training has failed before the end of its first step: there is nothing to save")
            return
        now = self.cb_params
        network = now.train_network
        kinds = {parameter.name: parameter.dtype for parameter in network.get_parameters()}
        kept = {name: from_buffer(self._copies[name], kinds[name]) for name in kinds}
        load_param_into_net(network, kept, strict_load=True)
        now.cur_epoch_num, now.cur_step_num = self.cur_epoch_num, self.cur_step_num
        append: dict[str, Any] = {"__exception_save__": True}
        if self.save_cb is not None:
            self.save_cb(now, append)
            return
        assert self.ckpt_save_path is not None
        rank, step = world.get_rank(), (self.cur_step_num - 1) % now.batch_num + 1
        folder = (
            self.ckpt_save_path / f"ttp_saved_checkpoints-step_{self.cur_step_num + self.initial_step}" / f"rank_{rank}"
        )
        file = folder / f"ttp_rank_{rank}-{self.cur_epoch_num}_{step}.ckpt"
        append.update(epoch_num=self.cur_epoch_num, step_num=self.cur_step_num, cur_rank=rank, batch_num=now.batch_num)
        write_with_state(kept, file, append, "ckpt", False, self._state)
        self.latest_ckpt_file_name = str(file)
        log.warning("the training has failed; %s has it as it stood behind step %d", file, self.cur_step_num)
