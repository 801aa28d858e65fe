"""Checkpoints of one format as those of the other, file by file, and checkpoints read beside the program."""

from __future__ import annotations

import concurrent.futures
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anfora.core.errors import OpTypeError, OpValueError
from anfora.interop.checkpoint import load_checkpoint, save_checkpoint

__all__ = ["async_ckpt_thread_status", "ckpt_to_safetensors", "load_checkpoint_async", "safetensors_to_ckpt"]


def ckpt_to_safetensors(
    file_path: str | os.PathLike,
    save_path: str | os.PathLike | None = None,
    name_map: Mapping[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Write `.ckpt` files again as `.safetensors`.

    Args:
        file_path: a file, or a folder of which all such files are taken, those of the folders in it too.
        save_path: a folder for the new files, in the same folders in it; beside the old ones when not given.
        name_map: new names of parameters, by their old ones.
        file_name_regex: of a folder, only files whose name it matches.
        processes_num: accepted for MindSpore programs; files are written one after the other.
    Raises:
        OpValueError: there is no such file or none in the folder, or one is damaged, or two parameters get one name.
    Example:
        >>> save_checkpoint({"w": Tensor([1.0])}, "a.ckpt")
        >>> ckpt_to_safetensors("a.ckpt", name_map={"w": "v"})
        >>> load_checkpoint("a.safetensors")["v"].tolist()
        [1.0]
    """
    _convert(file_path, save_path, name_map, file_name_regex, ".ckpt", ".safetensors")


def safetensors_to_ckpt(
    file_path: str | os.PathLike,
    save_path: str | os.PathLike | None = None,
    name_map: Mapping[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Write `.safetensors` files again as `.ckpt`; see `ckpt_to_safetensors`.

    Example:
        >>> save_checkpoint({"w": Tensor([1.0])}, "b.safetensors")
        >>> safetensors_to_ckpt("b.safetensors")
        >>> load_checkpoint("b.ckpt")["w"].tolist()
        [1.0]
    """
    _convert(file_path, save_path, name_map, file_name_regex, ".safetensors", ".ckpt")


def _convert(given: Any, folder: Any, names: Any, pattern: str | None, old: str, new: str) -> None:
    path = Path(given)
    if path.is_dir():
        found = [(file, file.relative_to(path)) for file in sorted(path.rglob(f"*{old}"))]
        found = [each for each in found if pattern is None or re.search(pattern, each[0].name)]
    else:
        found = [(path, Path(path.name))] if path.is_file() and path.suffix == old else []
    if not found:
        raise OpValueError(f"{str(path)!r} is no {old} file, and no folder that holds one", arg="file_path")
    if names is not None and not isinstance(names, Mapping):
        raise OpTypeError(f"`name_map` must be a dict of names, but got {type(names).__name__}", arg="name_map")
    for file, place in found:
        held = load_checkpoint(file)
        renamed = [(names or {}).get(name, name) for name in held]
        twice = {name for name in renamed if renamed.count(name) > 1}
        if twice:
            raise OpValueError(f"{str(file)!r}: two parameters would be named {min(twice)!r}", arg="name_map")
        tensors: dict[str, Any] = {}
        extra: dict[str, Any] = {}
        for name, value in zip(renamed, held.values()):
            (extra if isinstance(value, str) else tensors)[name] = value
        target = (Path(folder) / place if folder is not None else file).with_suffix(new)
        save_checkpoint(tensors, target, append_dict=extra or None)


class _Reading:
    """A checkpoint that is being read: `result()` waits for the dict that `load_checkpoint` gives."""

    def __init__(self, future: concurrent.futures.Future) -> None:
        self._future = future

    def result(self) -> dict[str, Any]:
        return self._future.result()


def load_checkpoint_async(ckpt_file_name: str | os.PathLike, *args: Any, **kwargs: Any) -> _Reading:
    """`load_checkpoint` in a thread: the program goes on, and `result()` waits for what was read.

    Example:
        >>> save_checkpoint({"w": Tensor([1.0])}, "c.ckpt")
        >>> load_checkpoint_async("c.ckpt").result()["w"].tolist()
        [1.0]
    """
    pool = concurrent.futures.ThreadPoolExecutor(1)
    reading = _Reading(pool.submit(load_checkpoint, ckpt_file_name, *args, **kwargs))
    pool.shutdown(wait=False)
    return reading


def async_ckpt_thread_status() -> bool:
    """Whether a checkpoint is still being written by a thread: never, `save_checkpoint` returns when it is written.

    Example:
        >>> async_ckpt_thread_status()
        False
    """
    return False
