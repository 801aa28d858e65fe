"""`SummaryRecord`: what a training tells of itself, in files that TensorBoard shows."""

from __future__ import annotations

import atexit
import os
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from anfora.core import summaries
from anfora.core.arguments import answers
from anfora.core.cell import Cell
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.files import made_folder
from anfora.core.nearest import missing_in
from anfora.core.settings import log
from anfora.core.tensor import Tensor
from anfora.nn.checks import choice, flag, integer

__all__ = ["SummaryRecord", "export_options_of"]

_TENSORS = ("tensor", "scalar", "image", "histogram")
#: What stands in the files as a text: a dict as a table, anything else as it prints.
_TEXTS = ("train_lineage", "eval_lineage", "dataset_graph", "custom_lineage_data", "graph", "landscape")
_MOST_IMAGES = 10


def export_options_of(owner: str, given: Any) -> dict[str, Any]:
    """{"tensor_format": "npy" or None}, checked."""
    if given is None:
        return {}
    if not isinstance(given, dict) or set(given) - {"tensor_format"} or given.get("tensor_format") not in ("npy", None):
        raise OpValueError(
            f"{owner} knows {{'tensor_format': 'npy'}} for `export_options`, but got {given!r}", arg="export_options"
        )
    return given


@answers
class SummaryRecord:
    """Writes numbers, images and distributions into a folder that TensorBoard shows: `tensorboard --logdir FOLDER`.

    Needs `pip install anfora[board]`. Summary operators in the network (`ops.ScalarSummary()("loss", loss)`, and
    TensorSummary, ImageSummary and HistogramSummary) are recorded as well.

    Args:
        log_dir: the folder; it is made.
        file_suffix: how the names of the files end.
        network: a Cell whose tree is shown as a text.
        max_file_size: in bytes; from there on nothing more is written.
        raise_exception: whether it is an error then.
        export_options: {"tensor_format": "npy"}: tensors are written as .npy files too, in `log_dir/export`.
        file_prefix, num_process: accepted for MindSpore programs: TensorBoard knows files by their names, and one process
            writes them.
    Attributes:
        log_dir: the file.
    Raises:
        OpTypeError, OpValueError: an argument has another type or is out of range.
        OpRuntimeError: tensorboardX is not installed.
    Example:
        >>> with SummaryRecord("summary") as record:
        ...     record.add_value("scalar", "loss", Tensor(0.5))
        ...     record.record(step=1)
        True
    """

    def __init__(
        self,
        log_dir: str | os.PathLike,
        file_prefix: str = "events",
        file_suffix: str = "_MS",
        num_process: int = 32,
        network: Cell | None = None,
        max_file_size: int | None = None,
        raise_exception: bool = False,
        export_options: dict[str, Any] | None = None,
    ) -> None:
        name = "SummaryRecord"
        for argument, value in (("file_prefix", file_prefix), ("file_suffix", file_suffix)):
            if not isinstance(value, str) or "/" in value:
                raise OpTypeError(
                    f"{name} needs a string without '/' for `{argument}`, but got {value!r}", arg=argument
                )
        if network is not None and not isinstance(network, Cell):
            raise OpTypeError(f"{name} needs a Cell or None for `network`, but got {type(network).__name__}")
        self._most = None if max_file_size is None else integer(name, "max_file_size", max_file_size, least=1)
        self._raises = flag(name, "raise_exception", raise_exception)
        self._exports = export_options_of(name, export_options)
        writer = _writer_class()
        self._folder = made_folder(log_dir)
        self._network = network
        self._mode, self._closed = "train", False
        self._pool: dict[str, list[tuple[str, Any]]] = defaultdict(list)
        self._writer = writer(str(self._folder), filename_suffix=file_suffix, flush_secs=10)
        self.log_dir = self._writer.file_writer.event_writer._ev_writer._file_name
        summaries.recorders.add(id(self))
        summaries.take()  # what was given to nobody is not this one's
        atexit.register(self.close)

    def __enter__(self) -> SummaryRecord:
        if self._closed:
            raise OpRuntimeError("the SummaryRecord is closed")
        return self

    def __exit__(self, *err: object) -> None:
        self.close()

    def set_mode(self, mode: str) -> None:
        """What is recorded next: "train" or "eval"; summary operators count in training only."""
        self._mode = choice("SummaryRecord", "mode", mode, ("train", "eval"))

    def add_value(self, plugin: str, name: str, value: Any) -> None:
        """Keep a value for the next `record`.

        Args:
            plugin: "scalar", "tensor" or "histogram"; "image", (N, C, H, W) with one or three channels, of which ten are
                shown; or for a text "graph", "dataset_graph", "train_lineage", "eval_lineage" or "custom_lineage_data".
            name: under which it is shown.
            value: a tensor; for a text a dict, or anything that prints.
        Raises:
            OpTypeError: it is no tensor.   OpValueError: another plugin, no name, or the shape does not fit.
        """
        choice("SummaryRecord", "plugin", plugin, (*_TENSORS, *_TEXTS))
        if not isinstance(name, str) or not name:
            raise OpValueError(f"SummaryRecord needs a string for `name`, but got {name!r}", arg="name")
        if plugin in _TENSORS:
            if not isinstance(value, Tensor):
                raise OpTypeError(f"SummaryRecord needs a tensor, but got {type(value).__name__}", arg="value")
            value = _checked(plugin, np.array(value.asnumpy()))
        self._pool[plugin] = [(known, held) for known, held in self._pool[plugin] if known != name]
        self._pool[plugin].append((name, value))

    def record(
        self, step: int, train_network: Cell | None = None, plugin_filter: Callable[[str], bool] | None = None
    ) -> bool:
        """Write what was kept, and what summary operators have given.

        Args:
            step: the number of the step that it belongs to.
            train_network: a Cell whose tree is shown where `network` is not given.
            plugin_filter: says for each plugin whether it is written; the others are dropped.
        Returns:
            whether it was written: False when it is closed.
        Raises:
            OpTypeError, OpValueError: `step` is no integer >= 0, or what a summary operator has given does not fit.
            OpRuntimeError: the file has reached `max_file_size`, with `raise_exception`.
        """
        integer("SummaryRecord", "step", step, least=0)
        if self._closed:
            log.error("SummaryRecord.record: it is closed")
            return False
        shown = self._network if self._network is not None else train_network
        if shown is not None:
            self._pool["graph"].append(("network", shown))
            self._network = None
        if self._mode == "train":
            for (kind, name), array in summaries.take().items():
                self._pool[kind].append((name, _checked(kind, array)))
        pool, self._pool = self._pool, defaultdict(list)
        for plugin, values in pool.items():
            if plugin_filter is None or plugin_filter(plugin):
                for name, value in values:
                    self._write(plugin, name, value, step)
        return True

    def _write(self, plugin: str, name: str, value: Any, step: int) -> None:
        if self._most is not None and os.path.getsize(self.log_dir) >= self._most:
            message = f"SummaryRecord: {self.log_dir} has reached {self._most} bytes, and nothing more is written"
            if self._raises:
                raise OpRuntimeError(message)
            log.warning(message)
            return
        if plugin == "scalar":
            self._writer.add_scalar(name, float(value.ravel()[0]), step)
        elif plugin == "image":
            self._writer.add_images(name, _displayed(value[:_MOST_IMAGES]), step)
        elif plugin in _TENSORS:
            if value.size and np.isfinite(value).all():
                self._writer.add_histogram(name, value, step)
            else:
                log.warning("SummaryRecord: %s at step %s is not finite, and is left out", name, step)
            if plugin == "tensor" and self._exports.get("tensor_format") == "npy":
                file = made_folder(self._folder / "export") / f"{name.replace('/', '_')}_{step}.npy"
                np.save(file, value)
        else:
            self._writer.add_text(f"{plugin}/{name}", _text(value), step)

    def flush(self) -> None:
        """Let what was recorded reach the file."""
        if not self._closed:
            self._writer.flush()

    def close(self) -> None:
        """Write the rest, and close the file."""
        if not self._closed:
            self._closed = True
            self._writer.close()
            summaries.recorders.discard(id(self))
            atexit.unregister(self.close)


def _writer_class() -> Any:
    try:
        from tensorboardX import SummaryWriter
    except ImportError:
        raise OpRuntimeError(
            "SummaryRecord writes files for TensorBoard with tensorboardX, which is not installed",
            help="pip install anfora[board].",
        ) from None
    return SummaryWriter


def _checked(plugin: str, array: np.ndarray) -> np.ndarray:
    if array.dtype.kind not in "biuf":
        raise OpTypeError(f"SummaryRecord needs real numbers for a {plugin}, but got {array.dtype}", arg="value")
    if plugin == "scalar" and array.size != 1:
        raise OpValueError(f"SummaryRecord needs a single number for a scalar, but got {array.shape}", arg="value")
    if plugin == "image" and (array.ndim != 4 or array.shape[1] not in (1, 3)):
        raise OpValueError(f"SummaryRecord needs images (N, 1 or 3, H, W), but got {array.shape}", arg="value")
    return array


def _displayed(images: np.ndarray) -> np.ndarray:
    """Images as bytes, each from its least to its greatest value, unless they are bytes."""
    if images.dtype == np.uint8:
        return images
    values = np.nan_to_num(images.astype(np.float64))
    low, high = (f(values, axis=(1, 2, 3), keepdims=True) for f in (np.min, np.max))
    scale = np.where(high > low, high - low, 1.0)
    return ((values - low) / scale * 255).round().astype(np.uint8)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(["| | |", "|---|---|", *(f"| {name} | {held} |" for name, held in value.items())])
    return "\n".join(f"    {line}" for line in str(value).splitlines())


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
