"""Datasets of small images that lie as numbers in files: further kin of MNIST, USPS, STL-10, Semeion, SVHN."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError
from anfora.dataset import checks
from anfora.dataset.datasets import Dataset
from anfora.dataset.lines import Shuffle, in_files
from anfora.dataset.samples import Fields, FileDataset, idx_arrays, image_files, matlab, missing, read_lines, usage_of
from anfora.dataset.sources import Arrays

__all__ = [
    "EMnistDataset", "PhotoTourDataset", "QMnistDataset", "STL10Dataset", "SVHNDataset", "SemeionDataset",
    "USPSDataset",
]  # fmt: skip


class EMnistDataset(FileDataset):
    """Handwritten letters and digits in MNIST's format; images lie on their sides, as in the files.

    Args:
        dataset_dir: the folder with `emnist-letters-train-images-idx3-ubyte` and so on, plain or gzipped.
        name: "byclass", "bymerge", "balanced", "letters", "digits" or "mnist".
        usage: "train", "test" or "all", the default.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MnistDataset`.
    Columns: "image" (28, 28, 1) uint8 and "label", a uint32.
    """

    def _find(self, folder: Path, name: str, usage: str | None = None) -> Fields:
        checks.one_of("name", name, ["byclass", "bymerge", "balanced", "letters", "digits", "mnist"])
        wanted = usage_of(usage, ["train", "test", "all"])
        pairs = [
            idx_arrays(self, folder, f"emnist-{name}-{part}-images-idx3-ubyte", f"emnist-{name}-{part}-labels-idx1-ubyte")
            for part in ("test", "train") if wanted in (part, "all")
        ]  # fmt: skip
        images, labels = (np.concatenate(parts) for parts in zip(*pairs))
        return {"image": (images[..., None], None), "label": (labels.astype(np.uint32), None)}


class PhotoTourDataset(FileDataset):
    """Patches of photographs of buildings and mountains, and pairs of them. Pillow reads their files.

    Args:
        dataset_dir: the folder with a folder for each place.
        name: "notredame", "yosemite", "liberty", or one of them with "_harris" behind it.
        usage: "train", the default: patches, or "test": pairs of them.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MnistDataset`.
    Columns: patches, (64, 64, 1) uint8: "image"; of pairs "image1", "image2" and "matches", a uint32, 1 where both show the
        same point.
    """

    _label = "matches"

    def _find(self, folder: Path, name: str, usage: str | None = None) -> Fields:
        places = ["notredame", "yosemite", "liberty"]
        place = folder / checks.one_of("name", name, [*places, *(f"{each}_harris" for each in places)])
        wanted = usage_of(usage, ["train", "test"], "train")
        count = len([line for line in read_lines(place / "info.txt") if line.strip()])
        sheets = image_files(place, [".bmp"])
        if count > 256 * len(sheets):
            raise missing(self, f"Check patches of {count} images in directory: {place}")

        def read(number: int) -> np.ndarray:
            row, column = divmod(number % 256, 16)
            return _sheet(sheets[number // 256])[64 * row : 64 * row + 64, 64 * column : 64 * column + 64, None]

        if wanted == "train":
            return {"image": (range(count), read)}
        try:
            rows = [line.split() for line in read_lines(place / "m50_100000_100000_0.txt") if line.strip()]
            numbers = np.array([[int(word) for word in row[:5]] for row in rows]).reshape(-1, 5)
        except ValueError as error:
            raise OpRuntimeError(f"Invalid data, {place}: m50_100000_100000_0.txt is damaged ({error})") from error
        return {
            "image1": (numbers[:, 0], read), "image2": (numbers[:, 3], read),
            "matches": ((numbers[:, 1] == numbers[:, 4]).astype(np.uint32), None),
        }  # fmt: skip


@functools.lru_cache(8)
def _sheet(file: str) -> np.ndarray:
    """The patches of a file side by side, (1024, 1024) uint8."""
    from PIL import Image

    with Image.open(file) as image:
        return np.asarray(image.convert("L"))


class QMnistDataset(FileDataset):
    """MNIST's digits found again in their source, with all that is known of each.

    Args:
        dataset_dir: the folder with `qmnist-train-images-idx3-ubyte`, `qmnist-train-labels-idx2-int` and so on.
        usage: "train", "test", "test10k" and "test50k" (its first 10,000 and the others), "nist", or "all", the
            default.
        compat: whether "label" is the digit, or all eight numbers that there are.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MnistDataset`.
    Columns: "image" (28, 28, 1) uint8 and "label", a uint32 or (8,) uint32.
    """

    def _find(self, folder: Path, usage: str | None = None, compat: bool = True) -> Fields:
        wanted = usage_of(usage, ["train", "test", "test10k", "test50k", "nist", "all"])
        self._label = "label" if checks.boolean("compat", compat) else None
        parts = {"train": ["qmnist-train"], "nist": ["xnist"], "all": ["qmnist-train", "qmnist-test", "xnist"]}
        pairs = [
            idx_arrays(self, folder, f"{part}-images-idx3-ubyte", f"{part}-labels-idx2-int")
            for part in parts.get(wanted, ["qmnist-test"])
        ]
        images, labels = (np.concatenate(arrays) for arrays in zip(*pairs))
        kept = {"test10k": slice(10000), "test50k": slice(10000, None)}.get(wanted, slice(None))
        labels = labels.astype(np.uint32)[kept]
        return {"image": (images[kept][..., None], None), "label": (labels[:, 0] if compat else labels, None)}


class STL10Dataset(FileDataset):
    """The images of STL-10 in its binary version.

    Args:
        dataset_dir: the folder with `train_X.bin`, `train_y.bin`, `test_X.bin`, `test_y.bin` and `unlabeled_X.bin`.
        usage: "train", "test", "unlabeled", "train+unlabeled" or "all", the default.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MnistDataset`.
    Columns: "image" (96, 96, 3) uint8 and "label", an int32 of 0 to 9, or -1.
    """

    def _find(self, folder: Path, usage: str | None = None) -> Fields:
        wanted = usage_of(usage, ["train", "test", "unlabeled", "train+unlabeled", "all"])
        parts = ["train", "test", "unlabeled"] if wanted == "all" else wanted.split("+")
        images, labels = [], []
        for part in parts:
            try:
                pixels = np.fromfile(folder / f"{part}_X.bin", np.uint8)
                classes = None if part == "unlabeled" else np.fromfile(folder / f"{part}_y.bin", np.uint8)
            except OSError as error:
                raise missing(self, str(error)) from error
            size = 3 * 96 * 96
            if len(pixels) % size or (classes is not None and len(classes) != len(pixels) // size):
                raise OpRuntimeError(
                    f"Invalid file, {folder / part}_X.bin: its {len(pixels)} bytes are not {size} for each label"
                )
            images.append(pixels.reshape(-1, 3, 96, 96).transpose(0, 3, 2, 1))  # columns first in the files
            count = len(pixels) // size
            labels.append(np.full(count, -1, np.int32) if classes is None else classes.astype(np.int32) - 1)
        return {
            "image": (np.ascontiguousarray(np.concatenate(images)), None),
            "label": (np.concatenate(labels), None),
        }


class SemeionDataset(FileDataset):
    """Handwritten digits of 16 by 16 black and white pixels.

    Args:
        dataset_dir: the folder with `semeion.data`.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MnistDataset`.
    Columns: "image" (16, 16) uint8 of 0 and 1, and "label", a uint32.
    """

    def __init__(
        self, dataset_dir: str, num_samples: int | None = None, num_parallel_workers: int | None = None,
        shuffle: bool | None = None, sampler: Any = None, num_shards: int | None = None, shard_id: int | None = None,
        cache: Any = None,
    ) -> None:  # fmt: skip
        file = Path(checks.folder("dataset_dir", dataset_dir)) / "semeion.data"
        rows = [line.split() for line in read_lines(file) if line.strip()]
        for number, row in enumerate(rows, 1):
            if len(row) != 266:
                raise OpRuntimeError(f"Invalid data, {file}: line {number} has {len(row)} numbers, not 266")
        table = np.array(rows, np.float64).reshape(-1, 266).astype(np.uint8)
        fields = {
            "image": (table[:, :256].reshape(-1, 16, 16), None),
            "label": (table[:, 256:].argmax(1).astype(np.uint32), None),
        }
        sampling = num_samples, sampler, shuffle, num_shards, shard_id
        self._samples(fields, sampling, num_parallel_workers, cache)


class SVHNDataset(FileDataset):
    """House numbers of Street View, cut to single digits. Needs `pip install scipy`, which reads MATLAB's files.

    Args:
        dataset_dir: the folder with `train_32x32.mat`, `test_32x32.mat` and `extra_32x32.mat`.
        usage: "train", "test", "extra" or "all", the default.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id: as for `MnistDataset`.
    Columns: "image" (32, 32, 3) uint8 and "label", a uint32 of 0 to 9.
    """

    _lacks = ("cache",)
    _defaults = {"num_parallel_workers": 1}  # noqa: RUF012

    def _find(self, folder: Path, usage: str | None = None) -> Fields:
        wanted = usage_of(usage, ["train", "test", "extra", "all"])
        images, labels = [], []
        for part in ("train", "test", "extra"):
            if wanted in (part, "all"):
                file = folder / f"{part}_32x32.mat"
                found = matlab(self, file)
                try:
                    images.append(found["X"].transpose(3, 0, 1, 2))
                    labels.append(found["y"].astype(np.uint32).reshape(-1) % 10)
                except (ValueError, KeyError) as error:
                    raise missing(self, f"{file} ({error})") from error
        return {
            "image": (np.ascontiguousarray(np.concatenate(images)), None),
            "label": (np.concatenate(labels), None),
        }


class USPSDataset(Dataset):
    """Digits of envelopes, 16 by 16 pixels, in LIBSVM's format.

    Args:
        dataset_dir: the folder with `usps` and `usps.t`.
        usage: "train", "test" or "all", the default.
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    Columns: "image" (16, 16, 1) uint8 and "label", a uint32 of 0 to 9.
    """

    def __init__(
        self, dataset_dir: str, usage: str | None = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: Any = Shuffle.GLOBAL, num_shards: int | None = None,
        shard_id: int | None = None, cache: Any = None,
    ) -> None:  # fmt: skip
        folder = Path(checks.folder("dataset_dir", dataset_dir))
        wanted = usage_of(usage, ["train", "test", "all"])
        images: list[Any] = []
        labels: list[int] = []
        starts = [0]
        for part, name in (("train", "usps"), ("test", "usps.t")):
            for number, line in enumerate(read_lines(folder / name) if wanted in (part, "all") else (), 1):
                label, *pairs = line.split() or [""]
                if not label:
                    continue
                try:
                    values = [float(pair.split(":")[1]) for pair in pairs]
                    labels.append(int(label) - 1)
                except (ValueError, IndexError) as error:
                    raise OpRuntimeError(
                        f"Invalid data, {folder / name}: line {number} is damaged ({error})"
                    ) from error
                if len(values) != 256:
                    raise OpRuntimeError(
                        f"Invalid data, {folder / name}: line {number} has {len(values)} pixels, not 256"
                    )
                images.append(values)
            starts.append(len(labels))
        scaled = (np.array(images, np.float32).reshape(-1, 256).astype(np.float64) + 1) / 2 * 255
        pixels = scaled.astype(np.uint8).reshape(-1, 16, 16, 1)
        node = Arrays([pixels, np.array(labels, np.uint32)], ["image", "label"])
        part_of = num_shards, shard_id
        self._begin(in_files(node, starts, shuffle, part_of, num_samples, num_parallel_workers, cache))
