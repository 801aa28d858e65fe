"""Weights in torch's files, `.pt`, `.pth` and `.bin`: those of today, which are zip archives, and those from before 1.6.

    archive      NAME/data.pkl, a pickle (torch_pickle.py); NAME/data/K, the bytes of storage K; NAME/byteorder
    before       four pickles: a magic number, a version, what the machine was like, the object; then a pickle with the keys
                 of the storages, and for each its length, an int64, and its bytes

Nothing in them is run, and what is read takes no more memory than a few times the file.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from anfora.core.dtype import DType
from anfora.core.errors import OpValueError
from anfora.interop import torch_pickle
from anfora.interop.torch_pickle import Storage, TensorOf

__all__ = ["is_torchs", "read"]

_ZIP = b"PK\x03\x04"
_MAGIC = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
_DEPTH, _NAMES = 16, 1_000_000
_TIMES = 8  #: so many times the bytes of the file may be those of its tensors: they may share memory


def is_torchs(start: bytes) -> bool:
    """Whether a file that begins so is one of torch's."""
    return start.startswith((_ZIP, _MAGIC))


def read(data: bytes) -> dict[str, tuple[DType, np.ndarray] | int | float | str]:
    """The tensors of a file, and the numbers (of 64 bits) and texts that dicts hold, by name.

    The names are those of the one dict that holds tensors: the object itself, or a value of it, as in `{"model": …}`. Where
    there are several such dicts, or they lie deeper, names are paths, with dots.

    Raises:
        OpValueError: the file is damaged, or holds something else than tensors, numbers and texts in containers.
    """
    found, storages = _archive(data) if data.startswith(_ZIP) else _older(data)
    arrays: dict[TensorOf, np.ndarray] = {}
    named: dict[str, Any] = {}
    total = 0
    for name, value in _names(found):
        if name in named:
            raise OpValueError(f"two things in the file have the name {name!r:.80}")
        if type(value) is TensorOf:
            total += value.dtype.itemsize * int(np.prod(value.shape, dtype=object))
            if total > _TIMES * len(data):
                raise OpValueError(f"the tensors take more than {_TIMES} times the {len(data)} bytes of the file")
            if value not in arrays:
                arrays[value] = _array(value, storages)
            named[name] = value.dtype, arrays[value]
        else:
            named[name] = value
    return named


def _names(found: Any) -> Iterator[tuple[str, Any]]:
    """What a file holds, by name."""
    if type(found) is TensorOf:
        return iter([("tensor", found)])
    if type(found) is dict and not _has_tensors(found):
        holders = [value for value in found.values() if _has_tensors(value)]
        if len(holders) == 1:
            beside = {key: value for key, value in found.items() if _is_plain(value) and key not in holders[0]}
            return _paths({**beside, **holders[0]})
    return _paths(found)


def _is_plain(value: Any) -> bool:
    return type(value) in (bool, float, str) or (type(value) is int and -(2**63) <= value < 2**63)


def _has_tensors(value: Any) -> bool:
    return type(value) is dict and any(type(item) is TensorOf for item in value.values())


def _paths(found: Any) -> Iterator[tuple[str, Any]]:
    pending, count = [("", found, 0)], 0
    while pending:
        path, value, depth = pending.pop()
        count += 1
        if depth > _DEPTH or count > _NAMES:
            raise OpValueError("the containers of the file are nested too deep, or hold too much")
        if type(value) in (dict, list, tuple):
            items = value.items() if type(value) is dict else enumerate(value)
            below = [(f"{path}.{key}" if path else str(key), item, depth + 1) for key, item in items]
            tells = type(value) is dict
            pending += [each for each in below[::-1] if tells or not _is_plain(each[1])]
        elif type(value) is TensorOf or _is_plain(value):
            yield path, value


def _array(tensor: TensorOf, storages: Any) -> np.ndarray:
    content, order = storages(tensor.storage)
    kind = tensor.dtype.storage
    whole = np.frombuffer(content, np.uint8 if tensor.dtype.is_bool else kind.newbyteorder(order))
    steps = tuple(n * whole.itemsize for n in tensor.strides)
    size = int(np.prod(tensor.shape, dtype=object))
    part = whole[tensor.offset :] if size else whole[:0]
    view = np.ndarray(tensor.shape, whole.dtype, part, 0, steps) if size else np.empty(tensor.shape, whole.dtype)
    return (view != 0) if tensor.dtype.is_bool else np.array(view, kind, order="C")


def _archive(data: bytes) -> tuple[Any, Any]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        entries = {entry.filename: entry for entry in archive.infolist()}
        if sum(entry.file_size for entry in archive.infolist()) > len(data):
            raise OpValueError("the entries of the archive are larger than the file: torch does not compress them")
        folders = [name.removesuffix("data.pkl") for name in entries if name.endswith("/data.pkl")]
        if len(folders) != 1:
            raise OpValueError(f"an archive of torch has one data.pkl, but this has {len(folders)}")
        [folder] = folders
        if f"{folder}constants.pkl" in entries:
            raise OpValueError(
                "the archive is a program of TorchScript",
                help="torch.save(model.state_dict(), file) writes weights alone.",
            )

        def entry(name: str) -> bytes:
            if folder + name not in entries:
                raise OpValueError(f"{folder + name!r} is not in the archive")
            return archive.read(folder + name)

        found, _ = torch_pickle.read(entry("data.pkl"))
        order = ">" if f"{folder}byteorder" in entries and entry("byteorder").strip() == b"big" else "<"
    except (OpValueError, MemoryError):
        raise
    except Exception as error:  # zipfile lets through whatever its parts raise: of texts, of numbers, of times
        raise OpValueError(f"the file is no archive of torch, or a damaged one: {error}") from error
    held: dict[str, bytes] = {}

    def content(storage: Storage) -> tuple[bytes, str]:
        if storage.key not in held:
            try:
                held[storage.key] = entry(f"data/{storage.key}")
            except (OpValueError, MemoryError):
                raise
            except Exception as error:
                raise OpValueError(f"storage {storage.key} is damaged: {error}") from error
        return _checked(storage, held[storage.key]), order

    return found, content


def _older(data: bytes) -> tuple[Any, Any]:
    _, at = torch_pickle.read(data)
    version, at = torch_pickle.read(data, at)
    if version != 1001:
        raise OpValueError(f"files of torch before 1.6 have version 1001, but this has {version!r:.40}")
    machine, at = torch_pickle.read(data, at)
    found, at = torch_pickle.read(data, at)
    keys, at = torch_pickle.read(data, at)
    if type(keys) is not list or type(machine) is not dict:
        raise OpValueError("the storages of the file are not listed: it is damaged, or cut off")
    order = "<" if machine.get("little_endian", True) else ">"
    wanted = {item.storage.key: item.storage for _, item in _paths(found) if type(item) is TensorOf}
    places: dict[str, tuple[int, int]] = {}
    for key in keys:
        count = int.from_bytes(data[at : at + 8], "little")
        # how wide elements are, the storage says; one that no tensor is on cannot be passed by
        if type(key) is not str or key not in wanted:
            raise OpValueError(f"storage {key!r:.40} is in the file, but no tensor is on it")
        width = wanted[key].dtype.itemsize if wanted[key].dtype is not None else 1  # type: ignore[union-attr]
        if at + 8 + count * width > len(data):
            raise OpValueError(f"storage {key} should have {count} elements, but the file ends before")
        places[key] = at + 8, at + 8 + count * width
        at = places[key][1]

    def content(storage: Storage) -> tuple[bytes, str]:
        if storage.key not in places:
            raise OpValueError(f"storage {storage.key} is not in the file")
        begin, end = places[storage.key]
        return _checked(storage, data[begin:end]), order

    return found, content


def _checked(storage: Storage, content: bytes) -> bytes:
    width = 1 if storage.dtype is None else storage.dtype.itemsize
    if len(content) < storage.count * width:
        raise OpValueError(
            f"storage {storage.key} should have {storage.count * width} bytes, but {len(content)} are there"
        )
    return content[: storage.count * width]
