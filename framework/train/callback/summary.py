"""`SummaryCollector`: what a training tells of itself, collected by itself."""

from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.files import made_folder
from anfora.core.parameter import Parameter
from anfora.core.settings import log, note_once
from anfora.core.tensor import Tensor
from anfora.nn.checks import flag, integer
from anfora.train.callback.base import Callback, RunContext, loss_of
from anfora.train.summary import SummaryRecord, export_options_of

__all__ = ["SummaryCollector"]

_COLLECTED: dict[str, Any] = {
    "collect_metric": True, "collect_graph": True, "collect_train_lineage": True, "collect_eval_lineage": True,
    "collect_input_data": True, "collect_dataset_graph": True, "histogram_regular": None, "collect_landscape": None,
}  # fmt: skip
_FIRST_PARAMETERS = 5
_MOST_TENSORS = 20


class SummaryCollector(Callback):
    """Writes the course of a training into a folder that TensorBoard shows: `tensorboard --logdir FOLDER`.

    Needs `pip install anfora[board]`. What stands there: `loss/auto` and, between epochs of `Model.fit`, `eval/…` for each
    metric; `learning_rate/auto`; images `input_data/auto`; the distributions of parameters, `NAME/auto`; the network, the
    dataset and what is known of the run, as texts; what summary operators give.

    Args:
        summary_dir: the folder; it is made.
        collect_freq: every how many steps; the first one always.
        num_process: accepted for MindSpore programs.
        collect_specified_data: a dict that says otherwise: "collect_metric", "collect_graph", "collect_train_lineage",
            "collect_eval_lineage", "collect_input_data", "collect_dataset_graph", bools; "histogram_regular", a pattern
            of the names of parameters (the first five when None); "collect_landscape" is accepted, and not done.
        keep_default_action: whether what the dict does not name is collected.
        custom_lineage_data: a dict of names to strings or numbers, shown as a text.
        collect_tensor_freq: as `collect_freq`, for TensorSummary; about twenty times in a training when None.
        max_file_size, export_options: as in `SummaryRecord`.
    Raises:
        OpTypeError, OpValueError: an argument has another type or is out of range; at the begin of a run: there are two
            of these among the callbacks.
        OpRuntimeError, at the begin of a run: tensorboardX is not installed.
    Example:
        >>> SummaryCollector("summary", collect_freq=100, collect_specified_data={"histogram_regular": "^fc1"})._freq
        100
    """

    def __init__(
        self,
        summary_dir: str | os.PathLike,
        collect_freq: int = 10,
        num_process: int = 32,
        collect_specified_data: dict[str, Any] | None = None,
        keep_default_action: bool = True,
        custom_lineage_data: dict[str, Any] | None = None,
        collect_tensor_freq: int | None = None,
        max_file_size: int | None = None,
        export_options: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        name = "SummaryCollector"
        self._freq = integer(name, "collect_freq", collect_freq, least=1)
        self._tensor_freq = collect_tensor_freq
        if collect_tensor_freq is not None:
            integer(name, "collect_tensor_freq", collect_tensor_freq, least=1)
        keeps = flag(name, "keep_default_action", keep_default_action)
        self._collected = _specified(collect_specified_data, keeps)
        self._lineage = custom_lineage_data or {}
        if not isinstance(self._lineage, dict) or not all(
            isinstance(key, str) and isinstance(value, (int, str, float)) for key, value in self._lineage.items()
        ):
            raise OpTypeError(
                f"{name} needs a dict of names to strings or numbers for `custom_lineage_data`, but got "
                f"{custom_lineage_data!r}",
                arg="custom_lineage_data",
            )
        self._options: dict[str, Any] = {
            "max_file_size": None if max_file_size is None else integer(name, "max_file_size", max_file_size, least=1),
            "export_options": export_options_of(name, export_options),
        }
        self._folder = made_folder(summary_dir)
        self._record: SummaryRecord | None = None
        self._first = True

    def __enter__(self) -> SummaryCollector:
        if self._record is None:
            self._record = SummaryRecord(self._folder, **self._options)
            self._entered = 0
            self._first = True
        self._entered += 1  # `Model.fit` enters callbacks again for the evaluation
        return self

    def __exit__(self, *err: object) -> None:
        self._entered -= 1
        if not self._entered and self._record is not None:
            self._record.close()
            self._record = None

    def _writer(self) -> SummaryRecord:
        assert self._record is not None
        return self._record

    def begin(self, run_context: RunContext) -> None:
        now = run_context.original_args()
        if sum(isinstance(callback, SummaryCollector) for callback in now.get("list_callback", ())) > 1:
            raise OpValueError("there must be one SummaryCollector among the callbacks, but there are several")
        self._writer().set_mode(now.mode)

    def step_end(self, run_context: RunContext) -> None:
        now = run_context.original_args()
        if now.mode != "train":
            return
        if self._first:
            self._describe(now)
        step = now.cur_step_num
        tensors = self._first or step % self._tensors_every(now) == 0
        if not (self._first or tensors or step % self._freq == 0):
            return
        others = self._first or step % self._freq == 0
        if others:
            self._collect(now)
        self._writer().record(step, plugin_filter=lambda plugin: tensors if plugin == "tensor" else others)
        if self._first:
            self._writer().flush()
        self._first = False

    def _tensors_every(self, now: Any) -> int:
        if self._tensor_freq is not None:
            return self._tensor_freq
        return max(self._freq, now.epoch_num * now.batch_num // (_MOST_TENSORS - 1), 1)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        now = run_context.original_args()
        if self._collected.get("collect_metric"):
            for name, value in (now.get("metrics") or {}).items():
                array = np.asarray(value.asnumpy() if isinstance(value, Tensor) else value)
                if array.size == 1 and array.dtype.kind in "biuf":
                    self._writer().add_value("scalar", f"eval/{name}", Tensor(array.astype(np.float32)))
            self._writer().record(now.cur_step_num, plugin_filter=lambda plugin: plugin == "scalar")
        self._writer().flush()

    def end(self, run_context: RunContext) -> None:
        now = run_context.original_args()
        kind = "train_lineage" if now.mode == "train" else "eval_lineage"
        if self._collected.get(f"collect_{kind}"):
            self._writer().add_value(kind, "run", _told(now))
        self._writer().set_mode("eval")
        self._writer().record(now.cur_step_num)

    def _describe(self, now: Any) -> None:
        """What is written once."""
        if self._collected.get("collect_graph"):
            self._writer().add_value("graph", "network", now.train_network)
        if self._collected.get("collect_dataset_graph"):
            self._writer().add_value("dataset_graph", "train_dataset", now.train_dataset)
        if self._lineage:
            self._writer().add_value("custom_lineage_data", "run", self._lineage)

    def _collect(self, now: Any) -> None:
        if self._collected.get("collect_metric"):
            loss = loss_of(now.net_outputs)
            if isinstance(loss, (int, float, Tensor)):
                value = loss if isinstance(loss, Tensor) else Tensor(float(loss))
                self._writer().add_value("scalar", "loss/auto", value.mean() if value.size != 1 else value)
            rate = getattr(now.get("optimizer"), "learning_rate", None)
            if isinstance(rate, Parameter):
                self._writer().add_value("scalar", "learning_rate/auto", rate)
        if self._collected.get("collect_input_data"):
            self._collect_images(now.train_dataset_element)
        if "histogram_regular" in self._collected and now.get("optimizer") is not None:
            pattern = self._collected["histogram_regular"]
            held = list(now.optimizer.parameters)
            for parameter in held[:_FIRST_PARAMETERS] if pattern is None else held:
                if pattern is None or re.match(pattern, parameter.name):
                    self._writer().add_value("histogram", f"{parameter.name}/auto", parameter)

    def _collect_images(self, row: Any) -> None:
        images = row[0] if isinstance(row, (tuple, list)) and row else row
        try:
            self._writer().add_value("image", "input_data/auto", images)
        except (TypeError, ValueError):
            self._collected["collect_input_data"] = False
            log.info("SummaryCollector: the data are no images (N, 1 or 3, H, W), and are not collected")


def _specified(given: dict[str, Any] | None, keeps: bool) -> dict[str, Any]:
    """What is collected."""
    name = "SummaryCollector"
    if given is None:
        return dict(_COLLECTED) if keeps else {}
    if not isinstance(given, dict):
        raise OpTypeError(f"{name} needs a dict for `collect_specified_data`, but got {given!r}")
    if unknown := set(given) - set(_COLLECTED):
        raise OpValueError(f"{name} does not know {sorted(map(str, unknown))}; there are {', '.join(_COLLECTED)}")
    for key, value in given.items():
        if key == "histogram_regular":
            try:
                re.compile(value or "")
            except (TypeError, re.error) as error:
                raise OpValueError(f"{name}: `histogram_regular` is no pattern: {error}", arg=key) from None
        elif key == "collect_landscape":
            if value is not None:
                note_once("landscape", f"{name}: `collect_landscape` is not done")
        else:
            flag(name, key, value)
    return {**_COLLECTED, **given} if keeps else dict(given)


def _told(now: Any) -> dict[str, Any]:
    """What is known of a run at its end."""
    dataset = now.train_dataset if now.mode == "train" else now.valid_dataset
    optimizer, loss = now.get("optimizer"), now.get("loss_fn")
    rate = getattr(optimizer, "learning_rate", None)
    known = {
        "network": type(now.network).__name__,
        "loss": loss_of(now.net_outputs) if now.mode == "train" else None,
        "loss function": None if loss is None else type(loss).__name__,
        "optimizer": None if optimizer is None else type(optimizer).__name__,
        "learning rate": rate.item() if isinstance(rate, Parameter) else None,
        "epochs": now.get("epoch_num"),
        "steps": now.cur_step_num,
        "steps an epoch": now.batch_num,
        "dataset": dataset,
        **(now.get("metrics") or {}),
    }
    return {name: value for name, value in known.items() if value is not None}
