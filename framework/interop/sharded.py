"""Weights in several files, and in folders, as Hugging Face lays them out.

model.safetensors                      one file
model.safetensors.index.json           {"metadata": …, "weight_map": {name: file}}
model-00001-of-00002.safetensors, …    beside it
pytorch_model.bin, pytorch_model.bin.index.json    the same of torch's files
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from anfora.core.errors import OpValueError

__all__ = ["parts"]

_IN_A_FOLDER = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)


def parts(file: Path) -> list[tuple[Path, list[str] | None]]:
    """The files that a checkpoint is made of, each with the names to take from it; None: all.

    Raises:
        OpValueError: a folder holds no weights, an index is damaged, or names a file that does not lie beside it.
    """
    if os.path.isdir(file):
        found = [file / name for name in _IN_A_FOLDER if (file / name).is_file()]
        if not found:
            raise OpValueError(f"the folder {str(file)!r} holds no weights: {' or '.join(_IN_A_FOLDER)}")
        file = found[0]
        if file.suffix != ".json":
            return [(file, None)]
    if file.suffix != ".json" or not os.path.isfile(file):
        return [(file, None)]
    try:
        index = json.loads(file.read_bytes())
        names = index["weight_map"]
        if not isinstance(names, dict) or not all(isinstance(value, str) for value in names.values()):
            raise TypeError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise OpValueError(
            f'{str(file)!r} should be an index of weights, {{"weight_map": {{name: file}}}}, but is not'
        ) from None
    shards: dict[str, list[str]] = {}
    for name, shard in names.items():
        if not shard or shard in (".", "..") or "/" in shard or "\\" in shard or not shard.isprintable():
            raise OpValueError(f"{str(file)!r} should name files beside it, but names {shard!r}")
        shards.setdefault(shard, []).append(name)
    return [(file.with_name(shard), held) for shard, held in shards.items()]
