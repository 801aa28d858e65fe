"""Callbacks that save a training, so that it can be used, or gone on with, later."""

from __future__ import annotations

import inspect
import json
import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from anfora.core.arguments import unknown
from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.files import made_folder
from anfora.core.parameter import Parameter
from anfora.core.random import Generator
from anfora.core.settings import log
from anfora.core.tensor import Tensor
from anfora.interop.checkpoint import (
    load_checkpoint,
    load_param_into_net,
    read_state,
    save_checkpoint,
    write_with_state,
)
from anfora.nn.checks import choice, flag, integer
from anfora.train import state as whole
from anfora.train.callback.base import Callback, RunContext

__all__ = ["BackupAndRestore", "CheckpointConfig", "ModelCheckpoint", "OnRequestExit", "newest"]


#: Arguments of older programs, which mean nothing here.
_OLDER = ("incremental", "enable_redundance")


class CheckpointConfig:
    """When `ModelCheckpoint` saves, what, and how many files it keeps.

    Args:
        save_checkpoint_steps: every how many steps; 0 or None: by time.
        save_checkpoint_seconds: every how many seconds, where there are no steps.
        keep_checkpoint_max: how many files stay; the oldest goes when there is one more.
        keep_checkpoint_per_n_minutes: where there is no such number: of each so many minutes one file stays.
        integrated_save, async_save, enc_mode, crc_check: as in `save_checkpoint`.
        saved_network: what is saved instead of the network in training with its optimizer.
        append_info: what stands beside the parameters: "epoch_num", "step_num", and one dict of names to numbers, strings
            or tensors.
        exception_save: whether a training that ends by an error or by Ctrl-C is saved, as …_breakpoint.ckpt: parameters in
            the middle of a step, from which no training can be resumed to the bit.
        format: "ckpt" or "safetensors".
    Raises:
        OpTypeError, OpValueError: an argument has another type or is out of range, or nothing says when to save.
        NotImplementedError: `enc_key` is given: files are not encrypted.
    Example:
        >>> CheckpointConfig(save_checkpoint_steps=100).get_checkpoint_policy()["keep_checkpoint_max"]
        5
    """

    def __init__(
        self,
        save_checkpoint_steps: int | None = 1,
        save_checkpoint_seconds: int | None = 0,
        keep_checkpoint_max: int | None = 5,
        keep_checkpoint_per_n_minutes: int | None = 0,
        integrated_save: bool = True,
        async_save: bool | str = False,
        saved_network: Cell | None = None,
        append_info: list | None = None,
        enc_key: bytes | None = None,
        enc_mode: str = "AES-GCM",
        exception_save: bool = False,
        crc_check: bool = False,
        remove_redundancy: bool = False,
        format: str = "ckpt",
        **kwargs: Any,
    ) -> None:
        name = "CheckpointConfig"

        def count(what: str, value: int | None) -> int:
            return 0 if value is None else integer(name, what, value, least=0)

        self.save_checkpoint_steps = count("save_checkpoint_steps", save_checkpoint_steps)
        self.save_checkpoint_seconds = count("save_checkpoint_seconds", save_checkpoint_seconds)
        self.keep_checkpoint_max = count("keep_checkpoint_max", keep_checkpoint_max)
        self.keep_checkpoint_per_n_minutes = count("keep_checkpoint_per_n_minutes", keep_checkpoint_per_n_minutes)
        saves = self.save_checkpoint_steps or self.save_checkpoint_seconds
        if not (saves or self.keep_checkpoint_max or self.keep_checkpoint_per_n_minutes):
            raise OpValueError(f"{name} must say when to save: give `save_checkpoint_steps`")
        if self.save_checkpoint_steps:
            self.save_checkpoint_seconds = 0
        if self.keep_checkpoint_max:
            self.keep_checkpoint_per_n_minutes = 0
        elif not self.keep_checkpoint_per_n_minutes:
            self.keep_checkpoint_max = 1
        if saved_network is not None and not isinstance(saved_network, Cell):
            raise OpTypeError(f"{name} needs a Cell for `saved_network`, but got {type(saved_network).__name__}")
        if enc_key is not None:
            raise NotImplementedError("encrypted checkpoints (enc_key)")
        if flag(name, "remove_redundancy", remove_redundancy):
            raise OpTypeError(f"{name}: `remove_redundancy` is for networks that are divided among processes")
        for other in kwargs:
            if other not in _OLDER:
                raise unknown(name, other, [*inspect.signature(type(self)).parameters][:-1])
        self.integrated_save = flag(name, "integrated_save", integrated_save)
        self.async_save = async_save if isinstance(async_save, str) else flag(name, "async_save", async_save)
        self.saved_network, self.enc_key, self.enc_mode = saved_network, enc_key, enc_mode
        self.exception_save = flag(name, "exception_save", exception_save)
        self.crc_check = flag(name, "crc_check", crc_check)
        self.format = choice(name, "format", format, ("ckpt", "safetensors"))
        self.append_dict = _append_dict(append_info)

    def get_checkpoint_policy(self) -> dict[str, Any]:
        """When it is saved, and what stays."""
        names = (
            "save_checkpoint_steps", "save_checkpoint_seconds", "keep_checkpoint_max", "keep_checkpoint_per_n_minutes",
            "saved_network",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}


def _append_dict(given: list | None) -> dict[str, Any]:
    """What `append_info` says, checked."""
    if given is None:
        return {}
    if not isinstance(given, list):
        raise OpTypeError(f"CheckpointConfig needs a list for `append_info`, but got {given!r}", arg="append_info")
    found: dict[str, Any] = {}
    for item in given:
        if isinstance(item, str):
            found[choice("CheckpointConfig", "append_info", item, ("epoch_num", "step_num"))] = 0
        elif not isinstance(item, dict):
            raise OpTypeError(f"`append_info` holds strings and a dict, but got {item!r}", arg="append_info")
        for name, value in item.items() if isinstance(item, dict) else ():
            if not isinstance(name, str) or not isinstance(
                value, (int, float, bool, str, Parameter, Tensor, Generator)
            ):
                raise OpTypeError(
                    f"the dict of `append_info` has names with numbers, strings or tensors, but got {name!r}: {value!r}",
                    arg="append_info",
                )
            found[name] = value.get_state() if isinstance(value, Generator) else value
    if sum(isinstance(item, dict) for item in given) > 1:
        raise OpTypeError("`append_info` holds one dict at most", arg="append_info")
    return found


class ModelCheckpoint(Callback):
    """Saves a training in files `prefix-epoch_step.ckpt`, step counted in the epoch; `Model.train(…, resume=…)` goes on
    from them.

    A file holds the network, its optimizer, and with it where the training stands, the place in the data, the random
    generators, schedulers, loss scale and what callbacks remember; MindSpore reads it too. It appears as a whole, and an
    older one goes when the new one is there.

    Args:
        prefix: how the names begin; or a function from what is known to a whole name. Where files of that beginning are
            there already, it becomes prefix_1, prefix_2, …; a resumed training keeps its own.
        directory: the folder, or a function that gives it; the present one when None.
        config: see `CheckpointConfig`.
    Attributes:
        latest_ckpt_file_name: the last file; "" before.
        is_writer: whether this process writes; where several train together in one folder, the first one of them does.
    Raises:
        OpTypeError, OpValueError: an argument has another type, or the prefix holds a "/".
    Example:
        >>> ModelCheckpoint("net", "checkpoints", CheckpointConfig(save_checkpoint_steps=100)).latest_ckpt_file_name
        ''
    """

    def __init__(
        self,
        prefix: str | Callable[[Any], str] = "CKP",
        directory: str | os.PathLike | Callable[[Any], str] | None = None,
        config: CheckpointConfig | None = None,
    ) -> None:
        super().__init__()
        if not callable(prefix):
            _checked_prefix(prefix)
        if config is not None and not isinstance(config, CheckpointConfig):
            raise OpTypeError(
                f"ModelCheckpoint needs a CheckpointConfig for `config`, but got {config!r}", arg="config"
            )
        self._prefix_function = prefix if callable(prefix) else None
        self._directory_function = directory if callable(directory) else None
        self._config = config or CheckpointConfig()
        self._directory = Path.cwd() if directory is None or callable(directory) else made_folder(directory)
        self._exception_prefix = "CKP" if callable(prefix) else prefix
        self._prefix = self._exception_prefix
        if not (callable(prefix) or callable(directory)):
            self._prefix = _chg_ckpt_file_name_if_same_exist(self._directory, self._prefix)
        self._last_time = self._last_time_for_keep = time.time()
        self._last_triggered_step = 0
        self._latest = ""
        self.is_writer = True
        self._append_dict = dict(self._config.append_dict)

    @property
    def directory(self) -> Path:
        """The folder."""
        return self._directory

    @property
    def latest_ckpt_file_name(self) -> str:
        return self._latest

    def state_dict(self) -> dict[str, Any]:
        return {"prefix": self._prefix, "directory": str(self._directory), "last": self._last_triggered_step}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._last_triggered_step = state["last"]
        if state["directory"] == str(self._directory):
            self._prefix = state["prefix"]

    def step_end(self, run_context: RunContext) -> None:
        if run_context.original_args().get("mode") != "eval":
            self._save(run_context, "step")

    def end(self, run_context: RunContext) -> None:
        if run_context.original_args().get("mode") != "eval":
            self._save(run_context, "end")

    def _is_due(self, now: Any) -> bool:
        if self._config.save_checkpoint_steps:
            return now.cur_step_num >= self._last_triggered_step + self._config.save_checkpoint_steps
        if self._config.save_checkpoint_seconds:
            return time.time() - self._last_time > self._config.save_checkpoint_seconds
        return False

    def _save(self, context: RunContext, moment: str) -> None:
        now = context.original_args()
        if now.cur_step_num == self._last_triggered_step:
            return
        ends = moment == "end" and bool(self._config.save_checkpoint_steps or self._config.save_checkpoint_seconds)
        if not (ends or self._is_due(now)):
            return
        if self._prefix_function is not None:
            self._prefix = _checked_prefix(self._prefix_function(now))
        if self._directory_function is not None:
            self._directory = made_folder(self._directory_function(now))
        step = (now.cur_step_num - 1) % now.batch_num + 1
        name = self._prefix if self._prefix_function is not None else f"{self._prefix}-{now.cur_epoch_num}_{step}"
        file = self._directory / f"{name}.{self._config.format}"
        self._last_triggered_step, self._last_time = now.cur_step_num, time.time()
        self._number(now.cur_epoch_num, now.cur_step_num)
        resumable = self._config.saved_network is None and now.get("dataset_helper") is not None
        if self.is_writer:
            self._write(now, file, whole.to_bytes(whole.collect(context, self, moment)) if resumable else None)
            self._tidy(file)
        self._latest = str(file)
        self._last_time_for_keep = time.time()

    def _number(self, epoch: int, step: int) -> None:
        for name, value in (("epoch_num", epoch), ("step_num", step)):
            if name in self._append_dict:
                self._append_dict[name] = value

    def _write(self, now: Any, file: Path, state: bytes | None) -> None:
        config = self._config
        network = config.saved_network if config.saved_network is not None else now.train_network
        write_with_state(network, file, self._append_dict, config.format, config.crc_check, state)

    def _tidy(self, newest: Path) -> None:
        """Let the oldest go, or of the files of some minutes all but the oldest."""
        pattern = re.compile(rf"{re.escape(self._prefix)}-[^A-Za-z]*\.{self._config.format}")
        times = {}
        for file in self._directory.iterdir():
            if pattern.fullmatch(file.name) and file != newest:
                try:
                    times[file] = file.stat().st_mtime_ns
                except FileNotFoundError:  # another process of this training has removed it
                    continue
        others = sorted(times, key=lambda file: times[file])
        if self._config.keep_checkpoint_max:
            if len(others) + 1 > self._config.keep_checkpoint_max:
                _remove(others[0])
            return
        window = self._config.keep_checkpoint_per_n_minutes * 60
        if time.time() - self._last_time_for_keep < window:
            for file in [file for file in others if time.time() - times[file] / 1e9 < window][1:]:
                _remove(file)

    def save_on_exception(self, now: Any, epoch: int, step: int) -> None:
        """Save the parameters of a training that an error has ended, if the configuration says so."""
        if not self._config.exception_save or now.get("train_network") is None or not self.is_writer:
            return
        prefix = _chg_ckpt_file_name_if_same_exist(self._directory, self._exception_prefix, exception=True)
        self._number(epoch, now.cur_step_num)
        self._write(now, self._directory / f"{prefix}-{epoch}_{step}_breakpoint.{self._config.format}", None)


def _checked_prefix(prefix: Any) -> str:
    if not isinstance(prefix, str) or "/" in prefix or "\0" in prefix:
        raise OpValueError(
            f"ModelCheckpoint needs a string without '/' for `prefix`, or a function that gives one, but got {prefix!r}",
            arg="prefix",
        )
    return prefix


def _chg_ckpt_file_name_if_same_exist(directory: str | os.PathLike, prefix: str, exception: bool = False) -> str:
    """The prefix, or with a number behind it where files of it are there: of those that an error has left, or others."""
    kind = r".*_breakpoint\.ckpt" if exception else r"(?!.*_breakpoint\.ckpt$).*\.(ckpt|safetensors)"
    pattern = re.compile(rf"{re.escape(prefix)}(?:_(\d+))?-")
    found = [pattern.match(file) for file in os.listdir(directory) if re.fullmatch(kind, file)]
    numbers = [int(match[1] or 0) + 1 for match in found if match]
    return f"{prefix}_{max(numbers)}" if numbers else prefix


def _remove(file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        log.warning("the older checkpoint %s cannot be removed: %s", file, error.strerror)


class _Taking:
    """The network that takes over parameters which somebody else has trained."""

    network: Cell | None = None


def _set_cur_net(net: Cell | None) -> None:
    """Name the network whose parameters come with the next `_checkpoint_cb_for_save_op`."""
    _Taking.network = net


def _checkpoint_cb_for_save_op(parameter_list: list[dict[str, Any]]) -> bool:
    """Give the network that `_set_cur_net` has named, once, the parameters {"name": …, "data": tensor} of a list, which is
    empty then; what an engine calls that keeps parameters by itself.

    Raises:
        OpValueError: no network is named; a shape differs.   OpTypeError: a type differs.
    """
    network = _Taking.network
    if network is None:
        raise OpValueError("there is no network to take these parameters", help="name it: _set_cur_net(net).")
    load_param_into_net(network, {each["name"]: each["data"] for each in parameter_list}, strict_load=True)
    parameter_list.clear()
    _set_cur_net(None)
    return True


class BackupAndRestore(Callback):
    """Keeps the parameters of a training in the file `backup.ckpt`, and takes them from it when a training begins.

    Args:
        backup_dir: the folder of the file.
        save_freq: "epoch", or every how many epochs it is saved.
        delete_checkpoint: whether the file goes at the end of the training.
    Raises:
        OpTypeError, OpValueError: an argument has another type or is out of range.
    Example:
        >>> BackupAndRestore("backup", save_freq=2).save_freq
        2
    """

    def __init__(
        self, backup_dir: str | os.PathLike, save_freq: int | str = "epoch", delete_checkpoint: bool = True
    ) -> None:
        super().__init__()
        self.delete_checkpoint = flag("BackupAndRestore", "delete_checkpoint", delete_checkpoint)
        self.save_freq = 1 if save_freq == "epoch" else integer("BackupAndRestore", "save_freq", save_freq, least=1)
        self.backup_file = str(made_folder(backup_dir) / "backup.ckpt")

    def on_train_begin(self, run_context: RunContext) -> None:
        if os.path.exists(self.backup_file):
            load_checkpoint(self.backup_file, run_context.original_args().train_network)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        now = run_context.original_args()
        if now.cur_epoch_num % self.save_freq == 0:
            save_checkpoint(now.train_network, self.backup_file)

    def on_train_end(self, run_context: RunContext) -> None:
        if self.delete_checkpoint and os.path.exists(self.backup_file):
            os.remove(self.backup_file)


class OnRequestExit(Callback):
    """Ends a training or evaluation after the present step, and saves it, when a signal comes or a file says so.

    Args:
        save_ckpt: whether the parameters are saved, in `file_name_train.ckpt` or `file_name_eval.ckpt` in the folder
            `directory/rank_0`, and read from it when the next one begins.
        save_mindir: accepted for MindSpore programs; there are no such files here.
        file_name, directory: where.
        config_file: a JSON file; {"GracefulExit": 1} in it asks for the end as well.
        sig: the signal.
    Raises:
        OpTypeError, OpValueError: an argument has another type, or the signal cannot be caught.
    Example:
        >>> OnRequestExit(directory="exit", file_name="net").exit
        False
    """

    def __init__(
        self,
        save_ckpt: bool = True,
        save_mindir: bool = True,
        file_name: str = "Net",
        directory: str | os.PathLike = "./",
        config_file: str | None = None,
        sig: int = signal.SIGTERM,
    ) -> None:
        super().__init__()
        name = "OnRequestExit"
        self.save_ckpt, self.save_mindir = flag(name, "save_ckpt", save_ckpt), flag(name, "save_mindir", save_mindir)
        if not isinstance(file_name, str):
            raise OpTypeError(f"{name} needs a string for `file_name`, but got {file_name!r}", arg="file_name")
        self.sig = integer(name, "sig", sig)
        if self.sig in (getattr(signal, "SIGKILL", -1), getattr(signal, "SIGSTOP", -1)):
            raise OpValueError(f"{name}: the signal {self.sig} cannot be caught", arg="sig")
        self.remote_config_file = config_file
        self.exit = False
        folder = made_folder(Path(directory) / "rank_0")
        self._files = {mode: folder / f"{file_name}_{mode}.ckpt" for mode in ("train", "eval")}
        self._before: Any = None

    def __enter__(self) -> OnRequestExit:
        self.exit = False
        self._before = signal.signal(self.sig, self._asked)
        return self

    def __exit__(self, *err: object) -> None:
        signal.signal(self.sig, self._before)

    def _asked(self, number: int, frame: Any) -> None:
        self.exit = True

    def _is_asked(self) -> bool:
        if self.remote_config_file is not None and os.path.exists(self.remote_config_file):
            try:
                with open(self.remote_config_file, encoding="utf-8") as file:
                    self.exit = self.exit or json.load(file).get("GracefulExit") == 1
            except (ValueError, AttributeError):
                log.warning("%s is no JSON object", self.remote_config_file)
        return self.exit

    def on_train_begin(self, run_context: RunContext) -> None:
        self._load(run_context.original_args().train_network, "train")

    def on_eval_begin(self, run_context: RunContext) -> None:
        if run_context.original_args().get("train_network") is None:
            self._load(run_context.original_args().eval_network, "eval", "train")

    def _load(self, network: Cell, *modes: str) -> None:
        for mode in modes if self.save_ckpt else ():
            if self._files[mode].is_file():
                load_checkpoint(self._files[mode], network)
                return

    def step_end(self, run_context: RunContext) -> None:
        if self._is_asked():
            run_context.request_stop()

    def end(self, run_context: RunContext) -> None:
        now = run_context.original_args()
        mode = now.get("mode", "train")
        if self.exit and self.save_ckpt and now.get(f"{mode}_network") is not None:
            save_checkpoint(now[f"{mode}_network"], self._files[mode])


def newest(place: str | os.PathLike) -> Path | None:
    """A checkpoint to go on from: the file itself, or the newest one in a folder that has the state of a training.

    Raises:
        OpTypeError: it is no path.   OpValueError: it is neither a file nor a folder.
    """
    if not isinstance(place, (str, os.PathLike)):
        raise OpTypeError(f"`resume` must be a file or a folder, but got {place!r}", arg="resume")
    path = Path(place)
    if path.is_file():
        return path
    if path.suffix in (".ckpt", ".safetensors"):
        raise OpValueError(f"there is no checkpoint {str(path)!r} to resume from", arg="resume")
    files = [file for file in path.iterdir() if file.suffix in (".ckpt", ".safetensors")] if path.is_dir() else []
    for file in sorted(files, key=lambda file: (file.stat().st_mtime_ns, file.name), reverse=True):
        if read_state(file) is not None:
            return file
    return None
