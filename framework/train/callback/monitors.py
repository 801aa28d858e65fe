"""Callbacks that tell how a training goes: the loss, the time, a bar of progress, what came out."""

from __future__ import annotations

import functools
import math
import sys
import time
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.nn.checks import flag, integer
from anfora.train.callback.base import Callback, RunContext, loss_of

__all__ = ["History", "LossMonitor", "Progress", "TimeMonitor", "progress_bar"]


class LossMonitor(Callback):
    """Prints the loss: `epoch: 1 step: 2, loss is 0.693147`; after an evaluation in `Model.fit` the metrics.

    Args:
        per_print_times: every how many steps; 0 for never.
    Raises:
        OpValueError, at a step: the loss is NaN or infinite, so that nothing more can be learnt.
    Example:
        >>> LossMonitor(100)._per_print_times
        100
    """

    kept = ("_last_print_time",)

    def __init__(self, per_print_times: int = 1) -> None:
        super().__init__()
        self._per_print_times = integer("LossMonitor", "per_print_times", per_print_times, least=0)
        self._last_print_time = 0

    def step_end(self, run_context: RunContext) -> None:
        now = run_context.original_args()
        epoch, step = now.get("cur_epoch_num", 1), (now.cur_step_num - 1) % now.batch_num + 1
        loss = loss_of(now.net_outputs)
        if isinstance(loss, float) and not math.isfinite(loss):
            raise OpValueError(
                f"In epoch: {epoch} step: {step}, loss is NAN or INF, training process cannot continue, "
                "terminating training.",
                help="a smaller learning rate, or gradients that are clipped, may help.",
            )
        if self._per_print_times == 0:
            return
        if now.cur_step_num <= self._last_print_time:  # another training
            self._last_print_time = 0
        if now.cur_step_num - self._last_print_time >= self._per_print_times:
            self._last_print_time = now.cur_step_num
            print(f"epoch: {epoch} step: {step}, loss is {loss}", flush=True)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        now = run_context.original_args()
        if now.get("metrics"):
            print(f"Eval result: epoch {now.cur_epoch_num}, metrics: {now.metrics}", flush=True)


class TimeMonitor(Callback):
    """Prints how long an epoch took: `Train epoch time: 774.047 ms, per step time: 193.512 ms`.

    Args:
        data_size: how many steps an epoch has, where the run does not tell.
        data_time: whether the time for which a step waited for its data is told as well.
    Raises:
        OpTypeError, OpValueError: an argument has another type or is out of range.
        OpRuntimeError, at the end of an epoch: neither the run nor `data_size` tells how many steps it had.
    Example:
        >>> TimeMonitor(data_time=True).data_time
        True
    """

    def __init__(self, data_size: int | None = None, data_time: bool = False) -> None:
        super().__init__()
        self.data_size = None if data_size is None else integer("TimeMonitor", "data_size", data_size, least=1)
        self.data_time = flag("TimeMonitor", "data_time", data_time)
        self.epoch_time = self.data_time_start = time.time()
        self.data_time_sum = 0.0

    def on_train_step_begin(self, run_context: RunContext) -> None:
        self.data_time_sum += time.time() - self.data_time_start

    def on_train_step_end(self, run_context: RunContext) -> None:
        self.data_time_start = time.time()

    def epoch_begin(self, run_context: RunContext) -> None:
        self.epoch_time = self.data_time_start = time.time()
        self.data_time_sum = 0.0

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """A resumed epoch begins now."""
        self.epoch_time = self.data_time_start = time.time()

    def epoch_end(self, run_context: RunContext) -> None:
        now = run_context.original_args()
        took = (time.time() - self.epoch_time) * 1000
        steps = now.get("batch_num") or self.data_size
        if not steps:
            raise OpRuntimeError("TimeMonitor does not know how many steps an epoch has", help="give it `data_size`.")
        line = f"{now.get('mode', '').title()} epoch time: {took:5.3f} ms, per step time: {took / steps:5.3f} ms"
        if self.data_time:
            line += f" (data time: {self.data_time_sum * 1000 / steps:5.3f} ms)"
        print(line, flush=True)


class History(Callback):
    """Keeps what came out at the end of each epoch.

    Attributes:
        history: {"net_output": the mean of what the last step gave, and each metric of an evaluation in `Model.fit`},
            lists with an element for each epoch.
        epoch: {"epoch": the numbers of the epochs}.
    Example:
        >>> History().history
        {}
    """

    kept = ("history", "epoch")

    def __init__(self) -> None:
        super().__init__()
        self.history: dict[str, list[Any]] = {}
        self.epoch: dict[str, list[int]] | None = None

    def begin(self, run_context: RunContext) -> None:
        self.epoch = {"epoch": []}

    def epoch_end(self, run_context: RunContext) -> None:
        now = run_context.original_args()
        if self.epoch is not None:
            self.epoch["epoch"].append(now.get("cur_epoch_num", 1))
        output = now.net_outputs
        if isinstance(output, (tuple, list)) and output and isinstance(output[0], Tensor):
            output = output[0]
        if isinstance(output, Tensor):
            output = np.mean(output.asnumpy())
        for name, value in {"net_output": output, **(now.get("metrics") or {})}.items():
            self.history.setdefault(name, []).append(value)


class Progress(Callback):
    """A bar that tells where a training stands, its loss and its metrics.

    `Model.train` and `Model.fit` show one by themselves where a person looks on: on a terminal and in a notebook, unless
    a Progress or a LossMonitor is among the callbacks.

    Args:
        show: None: where a person looks on; True or False: everywhere or nowhere.
        file: where to, a file with `write`; the process's standard error when None.
    Raises:
        OpTypeError: an argument has another type.
    Example:
        >>> import io
        >>> import anfora.dataset as ds
        >>> out, data = io.StringIO(), ds.NumpySlicesDataset([0.25, 0.5], ["x"], shuffle=False)
        >>> Model(nn.ReLU()).train(1, data, Progress(show=True, file=out)); "1/1 2/2, loss 0.5" in out.getvalue()
        True
    """

    def __init__(self, show: bool | None = None, file: Any = None) -> None:
        super().__init__()
        self.show = None if show is None else flag("Progress", "show", show)
        if file is not None and not hasattr(file, "write"):
            raise OpTypeError(f"Progress needs a file with `write` for `file`, but got {file!r}", arg="file")
        self.file = file
        self._bar: Any = None
        self._told = 0.0

    def __exit__(self, *err: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _open(self, now: Any, done: int) -> None:
        if not (someone_looks_on() if self.show is None else self.show):
            return
        last = now.epoch_num + now.get("initial_epoch", 0)
        text = f"epoch {now.cur_epoch_num:{len(str(last))}}/{last}"
        self._bar = progress_bar(text, now.batch_num, done, self.file)
        self._told = 0.0

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        self._close()
        self._open(run_context.original_args(), 0)

    def on_train_step_end(self, run_context: RunContext) -> None:
        now = run_context.original_args()
        if self._bar is None and now.get("resumed"):
            self._open(now, (now.cur_step_num - 1) % now.batch_num)
        if self._bar is None:
            return
        self._bar.update()
        moment = time.monotonic()
        if moment - self._told > 0.1 or self._bar.n >= self._bar.total:  # looking at a loss takes time
            self._told = moment
            self._tell(loss_of(now.net_outputs), {})

    def _tell(self, loss: Any, metrics: dict[str, Any]) -> None:
        found = {"loss": loss, **metrics}
        parts = [f"{name} {_short(value)}" for name, value in found.items() if _short(value)]
        self._bar.set_postfix_str(" ".join(parts))

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        now = run_context.original_args()
        if self._bar is not None:
            self._tell(loss_of(now.get("net_outputs")), now.get("metrics") or {})
        self._close()


#: What a bar shows. On a narrow terminal the bar itself gives way down to three places, then the times; the numbers stay.
_FORMATS = tuple("{desc} {n_fmt}/{total_fmt}{postfix}" + end for end in (
    " |{bar}| {elapsed}<{remaining}", " |{bar}| {elapsed}", " |{bar}|", "",
))  # fmt: skip


def progress_bar(text: str, total: int | None, done: int = 0, file: Any = None) -> Any:
    """A bar of tqdm; a file that is no terminal gets the line that it ends with.

    Args:
        text: what it begins with.
        total: how many steps there are; None if nobody knows.
        done: how many of them are done.
        file: where to; the process's standard error when None, and in a notebook the page.
    """
    if file is not None or "ipykernel" not in sys.modules:
        file = sys.stderr if file is None else file
        if not _is_terminal(file):
            file = _LastLines(file)
    kind = _fitting_bar() if file is not None else _bar_of_notebooks()
    return kind(total=total, initial=done, desc=text, bar_format=_FORMATS[0], dynamic_ncols=True, file=file)


def _bar_of_notebooks() -> Any:
    from tqdm.auto import tqdm

    return tqdm


@functools.cache
def _fitting_bar() -> Any:
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[misc]
        """A bar in the longest of the formats for which there is room."""

        @staticmethod
        def format_meter(n: Any, total: Any, elapsed: float, ncols: int | None = None, **settings: Any) -> str:
            for form in _FORMATS:
                settings["bar_format"] = form.replace("{bar}", "")
                bare = str(tqdm.format_meter(n, total, elapsed, ncols, **settings))
                if "{bar}" in form and (ncols is None or len(bare) + 3 <= ncols):
                    settings["bar_format"] = form
                    return str(tqdm.format_meter(n, total, elapsed, ncols, **settings))
            return bare[:ncols]

    return Bar


class _LastLines:
    """A file in which each line is as it was last, since nothing is overwritten there.

    Args:
        file: what gets the lines; None for nothing.
    """

    def __init__(self, file: Any) -> None:
        self._file, self._line = file, ""
        self.encoding = getattr(file, "encoding", None)

    def write(self, text: str) -> None:
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            if self._file is not None:
                self._file.write(_last_of(line) + "\n")
        self._line = self._line.rpartition("\r")[2]

    def flush(self) -> None:
        if hasattr(self._file, "flush"):
            self._file.flush()


def _last_of(line: str) -> str:
    return line.rstrip("\r").rpartition("\r")[2].rstrip()


def _short(value: Any) -> str:
    """A number in few digits; nothing for what is none."""
    if isinstance(value, Tensor) and value.size == 1:
        value = value.item()
    try:
        return f"{float(value):.4g}"
    except (TypeError, ValueError):
        return ""


def someone_looks_on() -> bool:
    """Whether what is written is seen at once: on a terminal, or in a notebook."""
    if "ipykernel" in sys.modules:
        return True
    return _is_terminal(sys.stderr)


def _is_terminal(file: Any) -> bool:
    try:
        return file is not None and file.isatty()
    except (AttributeError, ValueError):  # no file, or a closed one
        return False
