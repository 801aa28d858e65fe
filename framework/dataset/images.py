"""Datasets of images in files: those of the MNIST family, CIFAR, folders with a folder for each class."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.dataset import checks
from anfora.dataset.samples import Field, Fields, FileDataset, idx_arrays, missing, read_bytes

__all__ = [
    "Cifar100Dataset", "Cifar10Dataset", "FashionMnistDataset", "ImageFolderDataset", "KMnistDataset", "MnistDataset",
]  # fmt: skip


class MnistDataset(FileDataset):
    """Images and labels of files in MNIST's format, plain or gzipped.

    Args:
        dataset_dir: the folder with `train-images-idx3-ubyte`, `t10k-images-idx3-ubyte` and so on.
        usage: "train", "test" or "all", the default: first the test images, then those to train on, where both are there.
        num_samples: at most so many.
        num_parallel_workers: see `Dataset.map`.
        shuffle: whether images come in random order; by default they do.
        sampler: instead of shuffle: a sampler, or numbers of samples.
        num_shards, shard_id: take part `shard_id` of so many.
        cache: a `DatasetCache`; the images are in memory in any case.
    Columns: "image" (28, 28, 1) uint8 and "label", a uint32.
    Raises:
        OpRuntimeError: files are missing or damaged.
    """

    def _find(self, folder: Path, usage: str | None = None) -> Fields:
        if usage is not None:
            checks.one_of("usage", usage, ["train", "test", "all"])
        parts: tuple[str, ...] = {"train": ("train",), "test": ("t10k",)}.get(usage or "all", ("t10k", "train"))
        if usage in (None, "all"):  # what there is of both
            parts = tuple(part for part in parts if any(Path(folder).glob(f"{part}-*"))) or parts
        stems = [(f"{part}-images-idx3-ubyte", f"{part}-labels-idx1-ubyte") for part in parts]
        images, labels = (
            np.concatenate(arrays) for arrays in zip(*(idx_arrays(self, Path(folder), *p) for p in stems))
        )
        return {"image": (images[..., None], None), "label": (labels.astype(np.uint32), None)}


class FashionMnistDataset(MnistDataset):
    """Images of clothes in MNIST's format; arguments and columns are those of `MnistDataset`."""


class KMnistDataset(MnistDataset):
    """Images of Japanese letters in MNIST's format; arguments and columns are those of `MnistDataset`."""


class Cifar10Dataset(FileDataset):
    """The images of CIFAR-10 in its binary version.

    Args:
        dataset_dir: the folder with `data_batch_1.bin`, …, `test_batch.bin`.
        usage: "train", "test" or "all", the default.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MnistDataset`.
    Columns: "image" (32, 32, 3) uint8 and "label", a uint32.
    """

    _files: dict[str, list[str]] = {  # noqa: RUF012
        "train": [f"data_batch_{i}.bin" for i in range(1, 6)], "test": ["test_batch.bin"],
    }  # fmt: skip
    _labels: Sequence[str] = ("label",)

    def _find(self, folder: Path, usage: str | None = None) -> Fields:
        if usage is not None:
            checks.one_of("usage", usage, ["train", "test", "all"])
        names = [name for part, names in self._files.items() if usage in (None, "all", part) for name in names]
        if usage in (None, "all"):  # what there is of them
            names = [name for name in names if (Path(folder) / name).exists()] or names
        rows = np.concatenate([self._read(Path(folder) / name) for name in names])
        first = len(self._labels)
        images = rows[:, first:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        labels = {name: (rows[:, place].astype(np.uint32), None) for place, name in enumerate(self._labels)}
        fields: dict[str, Field] = {"image": (np.ascontiguousarray(images), None), **labels}
        return fields

    def _read(self, file: Path) -> np.ndarray:
        size = len(self._labels) + 3 * 32 * 32
        try:
            data = np.frombuffer(file.read_bytes(), np.uint8)
        except OSError as error:
            raise missing(self, f"Check {file.name} in directory: {file.parent} ({error})") from error
        if not len(data) or len(data) % size:
            raise OpRuntimeError(
                f"Invalid cifar file, failed to read data from: {file}: its {len(data)} bytes are no multiple of {size};"
                " re-download dataset (make sure it is the binary version)."
            )
        return data.reshape(-1, size)


class Cifar100Dataset(Cifar10Dataset):
    """The images of CIFAR-100 in its binary version: a folder with `train.bin` and `test.bin`.

    Arguments are those of `Cifar10Dataset`. Columns: "image" (32, 32, 3) uint8, "coarse_label" and "fine_label", uint32.
    """

    _files = {"train": ["train.bin"], "test": ["test.bin"]}  # noqa: RUF012
    _labels = ("coarse_label", "fine_label")
    _label = "fine_label"


class ImageFolderDataset(FileDataset):
    """Image files in folders that are their classes.

    Args:
        dataset_dir: the folder with a folder for each class; files are also found in folders inside of it.
        num_samples: at most so many.
        num_parallel_workers: see `Dataset.map`.
        shuffle: whether images come in random order; by default they do. Else by class and name of the file.
        sampler: instead of shuffle: a sampler, or numbers of samples.
        extensions: endings of files that are images, such as [".jpg"]; all files by default.
        class_indexing: {folder: label}; only these folders are read. By default the folders are numbered in the order of
            their names.
        decode: whether images are decoded; else they are the bytes of the files.
        num_shards, shard_id: take part `shard_id` of so many.
        cache: a `DatasetCache` for the images, decoded if they are.
        decrypt: MindSpore's; without effect.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8, and "label", an int32.
    """

    def __init__(
        self, dataset_dir: str, num_samples: int | None = None, num_parallel_workers: int | None = None,
        shuffle: bool | None = None, sampler: Any = None, extensions: Any = None,
        class_indexing: dict[str, int] | None = None, decode: bool = False, num_shards: int | None = None,
        shard_id: int | None = None, cache: Any = None, decrypt: Any = None,
    ) -> None:  # fmt: skip
        folder = checks.folder("dataset_dir", dataset_dir)
        sampling = num_samples, sampler, shuffle, num_shards, shard_id
        if extensions is not None:
            extensions = tuple(word.lower() for word in checks.column_names("extensions", extensions))
        known = sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())
        if class_indexing is not None:
            if not isinstance(class_indexing, dict):
                raise checks.wrong_type("class_indexing", class_indexing, dict)
            for name, label in class_indexing.items():
                if not isinstance(name, str) or not checks.is_integer(label):
                    raise OpTypeError("class_indexing should be a dictionary from str to int", arg="class_indexing")
                if name not in known:
                    raise OpValueError(
                        f"Folder {name} of class_indexing does not exist in {folder}", arg="class_indexing"
                    )
        classes = class_indexing or {name: number for number, name in enumerate(known)}
        files, labels = [], []
        for name in sorted(classes):
            for place, inner, found in os.walk(os.path.join(folder, name)):
                inner.sort()
                for file in sorted(found):
                    if extensions is None or file.lower().endswith(extensions):
                        files.append(os.path.join(place, file))
                        labels.append(classes[name])
        if not files:
            raise missing(self, f"Check image folder file path: {folder}")
        fields = {"image": (files, read_bytes), "label": (np.array(labels, np.int32), None)}
        self._samples(fields, sampling, num_parallel_workers, cache, decode, class_indexing=classes)
