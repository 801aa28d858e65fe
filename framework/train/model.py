"""`Model`: a network with its loss, optimizer and metrics, and the loops over data that train and evaluate it."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anfora.core import advice
from anfora.core.arguments import answers, help_with
from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.habits import teach
from anfora.core.processes import get_auto_parallel_context
from anfora.core.settings import log, note_once
from anfora.core.tensor import Tensor
from anfora.eager.tape import no_grad
from anfora.interop.checkpoint import load_checkpoint, load_param_into_net, read_state
from anfora.nn.amp import build_train_network
from anfora.nn.checks import choice, flag, integer
from anfora.nn.metrics import Loss, get_metrics
from anfora.nn.wrap import WithEvalCell, WithLossCell
from anfora.optim import Optimizer
from anfora.train import state as whole
from anfora.train.callback.base import Callback, CallbackManager, InternalCallbackParam, RunContext, as_list
from anfora.train.callback.checkpoint import ModelCheckpoint, newest
from anfora.train.callback.monitors import LossMonitor, Progress, TimeMonitor, someone_looks_on
from anfora.train.dataset_helper import DatasetHelper, check_dataset, check_sink_size
from anfora.train.together import agree

__all__ = ["Model"]

_OPTIONS = ("loss_scale_manager", "keep_batchnorm_fp32", "boost_config_dict", "acc_level", "micro_batches")

_OF_THE_STEP = ("loss_scale_manager", "keep_batchnorm_fp32", "micro_batches")


class Model:
    """A network with what is needed to train, evaluate and use it.

    Args:
        network: a Cell; without `loss_fn` one that gives the loss.
        loss_fn: from its output and a label to the loss.
        optimizer: what updates its parameters. Without one, the network is called as it is: it may be a
            `TrainOneStepCell` of the program's own.
        metrics: what `eval` gives: a dict of names to `Metric`s, or a set of names that `get_metric_fn` knows.
        eval_network: what is called in an evaluation; a `WithEvalCell` of network and loss if not given.
        eval_indexes: three numbers that say which of its outputs are the loss, the prediction and the label.
        amp_level: "O0" to "O3" or "auto", as in `amp.build_train_network`.
        boost_level: accepted for MindSpore programs.
        loss_scale_manager, keep_batchnorm_fp32, micro_batches: as in `amp.build_train_network`. With `micro_batches` 1, 2,
            4 … processes that share a dataset end in the same bits (docs/several_processes.md).
    Raises:
        OpTypeError, OpValueError: an argument has another type, is unknown or does not fit the others.
    Example:
        >>> import anfora.dataset as ds
        >>> x = np.arange(8, dtype=np.float32).reshape(8, 1)
        >>> data = ds.NumpySlicesDataset({"x": x, "y": 3 * x}, shuffle=False).batch(4)
        >>> net = nn.Dense(1, 1, weight_init="zeros", bias_init="zeros")
        >>> model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.03), metrics={"mae"})
        >>> model.train(200, data)
        >>> model.eval(data)["mae"] < 1e-3
        True
        >>> round(model.predict(Tensor([[10.0]])).item(), 2)
        30.0
    """

    def __init__(
        self,
        network: Cell,
        loss_fn: Callable | None = None,
        optimizer: Optimizer | None = None,
        metrics: dict[str, Any] | set[str] | None = None,
        eval_network: Cell | None = None,
        eval_indexes: list[int] | None = None,
        amp_level: str = "O0",
        boost_level: str = "O0",
        **kwargs: Any,
    ) -> None:
        if not isinstance(network, Cell):
            raise OpTypeError(f"Model needs a Cell for `network`, but got {network!r}", arg="network")
        if loss_fn is not None and not callable(loss_fn):
            raise OpTypeError(f"Model needs a loss or None for `loss_fn`, but got {loss_fn!r}", arg="loss_fn")
        if isinstance(loss_fn, type):
            raise OpTypeError(
                f"Model needs a loss for `loss_fn`, but got the class {loss_fn.__name__}",
                help=f"make one: {loss_fn.__name__}().", arg="loss_fn",
            )  # fmt: skip
        if optimizer is not None and not isinstance(optimizer, Cell):
            raise OpTypeError(f"Model needs an optimizer or None, but got {optimizer!r}", arg="optimizer")
        for name in kwargs:
            if name not in _OPTIONS:
                takes = [*[*inspect.signature(type(self)).parameters][:-1], *_OPTIONS]
                raise OpValueError(
                    f"Model has no argument `{name}`; it takes {', '.join(takes)}",
                    help=help_with(name, takes),
                    arg=name,
                )
        choice("Model", "amp_level", amp_level, ("O0", "O1", "O2", "O3", "auto"))
        choice("Model", "boost_level", boost_level, ("O0", "O1", "O2"))
        if optimizer is None and amp_level != "O0":
            raise OpValueError(f"Model: `amp_level` {amp_level!r} needs an optimizer", arg="amp_level")
        for name in ("loss_scale_manager", "micro_batches"):
            if optimizer is None and kwargs.get(name) is not None:
                raise OpValueError(f"Model: `{name}` needs an optimizer", arg=name)
        if boost_level != "O0" or "boost_config_dict" in kwargs or "acc_level" in kwargs:
            note_once("boost", "Model: `boost_level` has no meaning here and is ignored")
        self._metric_fns = get_metrics(metrics)
        self._eval_indexes = _checked_indexes(eval_indexes)
        self._network, self._loss_fn, self._optimizer = network, loss_fn, optimizer
        self._amp_level = amp_level
        self._loss_scale_manager = kwargs.get("loss_scale_manager")
        self._eval_network = eval_network
        if self._metric_fns and eval_network is None:
            if loss_fn is None:
                raise OpValueError(
                    "Model: with `metrics` but without `loss_fn` it needs an `eval_network`, which gives what the metrics "
                    "are made of",
                    arg="metrics",
                )
            self._eval_network = WithEvalCell(network, loss_fn, amp_level in ("O2", "O3", "auto"))
            self._eval_indexes = [0, 1, 2]
        self._train_network = self._built(kwargs)
        self._begun_at = 0  #: after how many steps the present epoch began

    def _built(self, options: dict[str, Any]) -> Cell:
        """The network that does a step."""
        if self._optimizer is not None:
            given = {name: options[name] for name in _OF_THE_STEP if name in options}
            return build_train_network(
                self._network, self._optimizer, self._loss_fn, level=self._amp_level, boost_level="O0", **given
            )
        return self._network if self._loss_fn is None else WithLossCell(self._network, self._loss_fn)

    @property
    def train_network(self) -> Cell:
        """What is called at each step of a training."""
        return self._train_network

    @property
    def eval_network(self) -> Cell | None:
        """What is called at each step of an evaluation."""
        return self._eval_network

    @property
    def predict_network(self) -> Cell:
        """What `predict` calls."""
        return self._network

    # -- training -----------------------------------------------------------------------------------------------------

    def train(
        self,
        epoch: int,
        train_dataset: Any,
        callbacks: Callback | Sequence[Callback] | None = None,
        dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
        resume: str | os.PathLike | None = None,
    ) -> None:
        """Train the network.

        Args:
            epoch: up to which epoch.
            train_dataset: rows are (data, label) where there is a `loss_fn`, else what the network takes.
            callbacks: what is done at the moments of the training.
            dataset_sink_mode: accepted for MindSpore programs; as on its CPU, callbacks are called at each step.
            sink_size: with `dataset_sink_mode`, how many steps callbacks believe an epoch to have; -1 for as many as there
                are.
            initial_epoch: how many epochs are done already.
            resume: a file of `ModelCheckpoint`, or a folder whose newest one is taken: the training goes on from there, and
                ends in the same bits as one that was not stopped. A folder without one lets it begin.
        Raises:
            OpTypeError, OpValueError: an argument has another type or is out of range, the dataset is empty or its rows
                do not fit, or the checkpoint is not one of this training.
        """
        checked = self._checked("Model.train", epoch, train_dataset, dataset_sink_mode, sink_size, initial_epoch)
        self._train("Model.train", callbacks, resume, None, 1, **checked)

    def fit(
        self,
        epoch: int,
        train_dataset: Any,
        valid_dataset: Any = None,
        valid_frequency: int | list[int] = 1,
        callbacks: Callback | Sequence[Callback] | None = None,
        dataset_sink_mode: bool = False,
        valid_dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
        resume: str | os.PathLike | None = None,
    ) -> None:
        """Train the network, and evaluate it between epochs; what is not told here is as in `train`.

        Args:
            valid_dataset: what it is evaluated with. Callbacks find the metrics in `metrics` and, with "eval_loss" (the
                mean of the losses), in `eval_results`.
            valid_frequency: every how many epochs, or a list of their numbers.
            valid_dataset_sink_mode: accepted for MindSpore programs.
        Raises:
            OpTypeError, OpValueError: as in `train`; there are no metrics for `valid_dataset`, or it is empty; a callback
                of the program has moments that are for training and evaluation alike.
        """
        name = "Model.fit"
        checked = self._checked(name, epoch, train_dataset, dataset_sink_mode, sink_size, initial_epoch)
        flag(name, "valid_dataset_sink_mode", valid_dataset_sink_mode)
        if isinstance(valid_frequency, list):
            for item in valid_frequency:
                integer(name, "valid_frequency", item, least=1)
        else:
            integer(name, "valid_frequency", valid_frequency, least=1)
        if valid_dataset is not None:
            self._need_metrics(name)
            check_dataset(name, "valid_dataset", valid_dataset)
        for callback in as_list("callbacks", callbacks):
            if not type(callback).__module__.startswith("anfora."):
                _refuse_old_moments(callback)
        self._train(name, callbacks, resume, valid_dataset, valid_frequency, **checked)

    def _checked(
        self, name: str, epoch: Any, dataset: Any, dataset_sink_mode: Any, sink_size: Any, initial_epoch: Any
    ) -> dict[str, Any]:
        """The arguments that `train` and `fit` share, checked."""
        integer(name, "epoch", epoch, least=1)
        integer(name, "initial_epoch", initial_epoch, least=0)
        if initial_epoch >= epoch:
            raise OpValueError(
                f"{name} needs an `epoch` above `initial_epoch`, but got {epoch} and {initial_epoch}", arg="epoch"
            )
        sinks = flag(name, "dataset_sink_mode", dataset_sink_mode)
        check_sink_size(name, sink_size)
        size = check_dataset(name, "train_dataset", dataset)
        steps = sink_size if sinks and sink_size > 0 else size
        return {"epoch": epoch, "dataset": dataset, "initial_epoch": initial_epoch, "batch_num": steps}

    def _need_metrics(self, name: str) -> None:
        if not self._metric_fns:
            raise OpValueError(
                f"{name} needs `metrics`, but the Model has none", help='e.g. Model(…, metrics={"accuracy"}).'
            )

    def _train(
        self,
        name: str,
        callbacks: Any,
        resume: Any,
        valid_dataset: Any,
        valid_frequency: int | list[int],
        *,
        epoch: int,
        dataset: Any,
        initial_epoch: int,
        batch_num: int,
    ) -> None:
        held = as_list("callbacks", callbacks)
        if someone_looks_on() and not any(isinstance(callback, (Progress, LossMonitor)) for callback in held):
            held.insert(0, Progress())
        if self._optimizer is None and self._loss_fn is not None:
            advice.warn(f"{name}: the Model has no optimizer, so that nothing is learnt")
        found = None if resume is None else newest(resume)
        if resume is not None and found is None:
            log.info("%s: there is no checkpoint in %s yet; the training begins", name, resume)
        now = InternalCallbackParam(
            train_network=self._train_network, epoch_num=epoch - initial_epoch, batch_num=batch_num, mode="train",
            cur_step_num=0, loss_fn=self._loss_fn, optimizer=self._optimizer, network=self._network,
            parallel_mode=get_auto_parallel_context("parallel_mode"),
            device_number=get_auto_parallel_context("device_num"), train_dataset=dataset,
            train_dataset_element=None, list_callback=held, last_save_ckpt_step=None, latest_ckpt_file=None,
            loss_scale_mananger=self._loss_scale_manager, initial_step=None, initial_epoch=initial_epoch,
            dataset_sink_mode=False,
        )  # fmt: skip
        if found is not None:
            self._check_fits(name, found, dataset)
        agree(name, self._train_network, held, found)
        try:
            with CallbackManager(held) as manager:
                now.list_callback = list(manager)
                self._run(now, manager, epoch, initial_epoch, found, (valid_dataset, valid_frequency))
        except BaseException:
            step = (now.cur_step_num - 1) % batch_num + 1 if now.cur_step_num > self._begun_at else 0
            for callback in held:
                if isinstance(callback, ModelCheckpoint):
                    callback.save_on_exception(now, now.get("cur_epoch_num", 0), step)
            raise

    def _run(
        self,
        now: InternalCallbackParam,
        callbacks: CallbackManager,
        epoch: int,
        initial_epoch: int,
        found: Any,
        validation: tuple[Any, Any],
    ) -> None:
        """The loop over epochs and steps."""
        context, dataset, network = RunContext(now), now.train_dataset, self._train_network
        network.set_train(True)
        callbacks.on_train_begin(context)
        self._begun_at = 0
        begun = False  #: whether the present epoch was begun before the training was stopped
        if found is not None:
            state = self._take(now, found)
            begun, initial_epoch = state["moment"] == "step", now.cur_epoch_num - (state["moment"] == "step")
            if begun and state["stop"]:
                context.request_stop()
        stopped = context.get_stop_requested() and begun
        data = now.dataset_helper = DatasetHelper(dataset, False, epoch_num=max(epoch - initial_epoch, 1))
        try:
            if begun:
                self._finish_step(now, callbacks, context, data, state)
            for index in range(initial_epoch, epoch):
                now.cur_epoch_num = index + 1
                if not begun:
                    self._begun_at = now.cur_step_num
                    callbacks.on_train_epoch_begin(context)
                begun = False
                if not stopped:
                    self._epoch(now, callbacks, context, data)
                self._validate(now, callbacks, validation)
                _reset(dataset)
                callbacks.on_train_epoch_end(context)
                now.pop("metrics", None)
                now.pop("eval_results", None)
                if context.get_stop_requested():
                    break
        finally:
            data.release()
        callbacks.on_train_end(context)

    def _epoch(
        self, now: InternalCallbackParam, callbacks: CallbackManager, context: RunContext, data: DatasetHelper
    ) -> None:
        """The steps of an epoch."""
        network, manager = self._train_network, self._loss_scale_manager
        drops = manager is not None and getattr(manager, "get_drop_overflow_update", bool)()
        for row in data:
            now.train_dataset_element = row = self._checked_row(row)
            now.cur_step_num += 1
            callbacks.on_train_step_begin(context)
            if not (network.training and self._network.training):
                network.set_train(True)
            outputs = now.net_outputs = network(*row)
            if drops and manager is not None:
                manager.update_loss_scale(bool(np.all(outputs[1].asnumpy())))
            callbacks.on_train_step_end(context)
            if context.get_stop_requested():
                break

    def _checked_row(self, row: Any) -> Any:
        if isinstance(row, Tensor):
            row = (row,)
        if self._loss_fn is not None and len(row) != 2:
            raise OpValueError(
                f"with a `loss_fn` a row of the dataset must be (data, label), but it has {len(row)} columns",
                help="project() the dataset on two columns, or let the network compute its loss, without `loss_fn`.",
            )
        return row

    # -- going on where a training was stopped --------------------------------------------------------------------------

    def _check_fits(self, name: str, file: Any, dataset: Any) -> None:
        """Refuse a checkpoint that is not one of this training, before anything changes."""
        data = read_state(file)
        if data is None:
            raise OpValueError(
                f"{name}: {str(file)!r} holds parameters only, so that the training cannot be resumed from it",
                help="load it with load_checkpoint; files of ModelCheckpoint hold what is needed.", arg="resume",
            )  # fmt: skip
        state = whole.from_bytes(data)
        parameters = list(self._train_network.get_parameters())
        known = load_checkpoint(file) if parameters else {}
        for parameter in parameters:
            if parameter.name not in known or known[parameter.name].shape != parameter.shape:
                raise OpValueError(
                    f"{name}: {str(file)!r} is of another network or optimizer: it has "
                    + ("no" if parameter.name not in known else "another shape of")
                    + f" {parameter.name}",
                    arg="resume",
                )
        if state["dataset"] is None or not hasattr(dataset, "load_state"):
            raise OpTypeError(f"{name}: to resume, the dataset must have `state` and `load_state`", arg="resume")

    def _take(self, now: InternalCallbackParam, file: Any) -> dict[str, Any]:
        """Take over what a checkpoint holds."""
        state = whole.from_bytes(read_state(file) or b"")
        if any(True for _ in self._train_network.get_parameters()):
            load_param_into_net(self._train_network, load_checkpoint(file), strict_load=True)
        now.cur_epoch_num, now.cur_step_num = state["epoch"], state["step"]
        now.net_outputs = state["net_outputs"]
        now.resumed = True
        place = dict(state["dataset"])
        if state["moment"] == "step" and place["row"] > 0:
            place["row"] -= 1  # callbacks that have not had their turn may want to see that row
        elif state["moment"] == "end" and place["row"] > 0:
            place["epoch"], place["row"] = place["epoch"] + 1, 0
        now.train_dataset.load_state(place)
        whole.restore(now, state)
        log.info("the training goes on from %s", file)
        return state

    def _finish_step(
        self,
        now: InternalCallbackParam,
        callbacks: CallbackManager,
        context: RunContext,
        data: DatasetHelper,
        state: dict[str, Any],
    ) -> None:
        """Let callbacks have their turn that had not had it when the checkpoint was written."""
        if state["dataset"]["row"] > 0:
            now.train_dataset_element = self._checked_row(next(data.iter))
        writer = dict(whole.named(now.list_callback)).get(state["writer"])
        if writer is not None:
            for callback in callbacks.after(writer):
                callback.on_train_step_end(context)

    # -- evaluation and use -------------------------------------------------------------------------------------------

    def _validate(self, now: InternalCallbackParam, callbacks: CallbackManager, validation: tuple[Any, Any]) -> None:
        """The evaluation between epochs."""
        dataset, frequency = validation
        if dataset is None:
            return
        if now.cur_epoch_num not in frequency if isinstance(frequency, list) else now.cur_epoch_num % frequency:
            return
        kept = {name: now.get(name) for name in ("cur_step_num", "batch_num", "dataset_sink_mode", "net_outputs")}
        chosen = [
            callback
            for callback in callbacks
            if isinstance(callback, TimeMonitor) or not type(callback).__module__.startswith("anfora.")
        ]
        self._prepare_eval(now, dataset)
        with CallbackManager(chosen) as manager:
            self._eval(now, manager, dataset, with_loss=True)
        now.update(kept, mode="train")

    def eval(
        self,
        valid_dataset: Any,
        callbacks: Callback | Sequence[Callback] | None = None,
        dataset_sink_mode: bool = False,
    ) -> dict[str, Any]:
        """Evaluate the network.

        Args:
            valid_dataset: rows are what the `eval_network` takes, by default (data, label).
            callbacks: what is done at the moments of the evaluation.
            dataset_sink_mode: accepted for MindSpore programs.
        Returns:
            the value of each metric.
        Raises:
            OpTypeError, OpValueError: an argument has another type, the dataset is empty, or there are no metrics.
        """
        self._need_metrics("Model.eval")
        flag("Model.eval", "dataset_sink_mode", dataset_sink_mode)
        check_dataset("Model.eval", "valid_dataset", valid_dataset)
        now = InternalCallbackParam(list_callback=as_list("callbacks", callbacks), network=self._network)
        self._prepare_eval(now, valid_dataset)
        with CallbackManager(now.list_callback) as manager:
            return self._eval(now, manager, valid_dataset, with_loss=False)

    def _prepare_eval(self, now: InternalCallbackParam, dataset: Any) -> None:
        now.update(
            eval_network=self._eval_network, valid_dataset=dataset, batch_num=dataset.get_dataset_size(), mode="eval",
            cur_step_num=0, dataset_sink_mode=False,
        )  # fmt: skip
        for metric in self._metric_fns.values():
            metric.clear()

    def _eval(
        self, now: InternalCallbackParam, callbacks: CallbackManager, dataset: Any, with_loss: bool
    ) -> dict[str, Any]:
        """The loop over the data of an evaluation."""
        context, network, losses = RunContext(now), self._eval_network, Loss()
        assert network is not None
        callbacks.on_eval_begin(context)
        data = DatasetHelper(dataset, False)
        try:
            network.set_train(False)
            callbacks.on_eval_epoch_begin(context)
            for row in data:
                now.cur_step_num += 1
                now.eval_dataset_element = row = (row,) if isinstance(row, Tensor) else row
                callbacks.on_eval_step_begin(context)
                if network.training or self._network.training:
                    network.set_train(False)
                with no_grad():
                    outputs = now.net_outputs = network(*row)
                callbacks.on_eval_step_end(context)
                self._update_metrics(outputs, losses if with_loss else None)
                if context.get_stop_requested():
                    break
            callbacks.on_eval_epoch_end(context)
        finally:
            data.release()
        _reset(dataset)
        now.metrics = {name: metric.eval() for name, metric in self._metric_fns.items()}
        if with_loss and losses._count:
            now.eval_results = {**now.metrics, "eval_loss": losses.eval()}
        elif with_loss:
            now.eval_results = dict(now.metrics)
        callbacks.on_eval_end(context)
        return now.metrics

    def _update_metrics(self, outputs: Any, losses: Loss | None) -> None:
        if isinstance(outputs, Tensor):
            outputs = (outputs,)
        if not isinstance(outputs, (tuple, list)):
            raise OpTypeError(f"the `eval_network` must give tensors, but gave a {type(outputs).__name__}")
        chosen = self._eval_indexes
        if chosen is not None and len(outputs) <= max(chosen):
            raise OpValueError(
                f"the `eval_network` gave {len(outputs)} values, but `eval_indexes` names number {max(chosen)}"
            )
        for metric in self._metric_fns.values():
            if chosen is None:
                metric.update(*outputs)
            elif isinstance(metric, Loss):
                metric.update(outputs[chosen[0]])
            else:
                metric.update(outputs[chosen[1]], outputs[chosen[2]])
        if losses is not None and chosen is not None:
            losses.update(outputs[chosen[0]])

    def predict(self, *predict_data: Any, backend: str | None = None, config: dict | None = None) -> Any:
        """What the network gives, outside of training and without gradients.

        Args:
            predict_data: what the network takes: tensors, numbers, strings, None, or nestings of them.
            backend: None; "lite" too, for MindSpore programs.
            config: accepted for MindSpore programs.
        Raises:
            OpTypeError: something among the data is of another type.   OpValueError: a tensor is empty.
        """
        if backend not in (None, "lite"):
            raise OpValueError(f"Model.predict needs None or 'lite' for `backend`, but got {backend!r}", arg="backend")
        for item in predict_data:
            _check_data(item)
        if self._network.training or not self._network.__dict__.get("_training_is_said"):
            self._network.set_train(False)
        with no_grad():
            return self._network(*predict_data)

    def build(
        self,
        train_dataset: Any = None,
        valid_dataset: Any = None,
        sink_size: int = -1,
        epoch: int = 1,
        sink_mode: bool = True,
    ) -> None:
        """Check what a training will need; networks are compiled in the first step, which is done while they are.

        Raises:
            OpTypeError, OpValueError: neither dataset is given, one is empty or none, or there are no metrics for
                `valid_dataset`.
        """
        name = "Model.build"
        integer(name, "epoch", epoch, least=1)
        check_sink_size(name, sink_size)
        flag(name, "sink_mode", sink_mode)
        if train_dataset is None and valid_dataset is None:
            raise OpValueError(f"{name} needs `train_dataset` or `valid_dataset`", arg="train_dataset")
        if train_dataset is not None:
            check_dataset(name, "train_dataset", train_dataset)
        if valid_dataset is not None:
            self._need_metrics(name)
            check_dataset(name, "valid_dataset", valid_dataset)


answers(Model, methods=True)
teach(Model, "Model")


def _reset(dataset: Any) -> None:
    if hasattr(dataset, "reset"):
        dataset.reset()


def _checked_indexes(indexes: Any) -> list[int] | None:
    if indexes is None:
        return None
    if not isinstance(indexes, list) or len(indexes) != 3:
        raise OpValueError(f"Model needs a list of three for `eval_indexes`, but got {indexes!r}", arg="eval_indexes")
    return [integer("Model", "eval_indexes", index, least=0) for index in indexes]


def _refuse_old_moments(callback: Callback) -> None:
    """In `fit` a method for both training and evaluation would be called for both, which is hardly meant."""
    old = [
        name
        for name in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")
        if name in vars(type(callback))
    ]
    if old:
        raise OpValueError(
            f"Model.fit trains and evaluates, but {type(callback).__name__} has {', '.join(old)} for both",
            help=f"name it for one of them: on_train_{old[0]} or on_eval_{old[0]}.", arg="callbacks",
        )  # fmt: skip


def _check_data(item: Any) -> None:
    if isinstance(item, Tensor):
        if item.size == 0:
            raise OpValueError(f"Model.predict needs data, but got an empty tensor of shape {item.shape}")
    elif isinstance(item, dict):
        for part in item.values():
            _check_data(part)
    elif isinstance(item, (tuple, list)):
        for part in item:
            _check_data(part)
    elif item is not None and not isinstance(item, (int, float, str)):
        raise OpTypeError(
            f"Model.predict needs tensors, numbers or strings, but got {type(item).__name__}",
            help="an array becomes a tensor with Tensor(array).",
        )
