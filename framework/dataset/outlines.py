"""Datasets of photographs with the class of each pixel, or with an outline."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError
from anfora.dataset import checks
from anfora.dataset.photographs import folders_of
from anfora.dataset.samples import (
    Field,
    Fields,
    FileDataset,
    image_files,
    matlab,
    missing,
    read_bytes,
    read_lines,
    usage_of,
)

__all__ = ["Caltech101Dataset", "CityscapesDataset", "Flowers102Dataset", "SBDataset"]

#: What MindSpore has where Python reads the files.
_ONE_WORKER = {"num_parallel_workers": 1}

#: The outlines of these classes lie in folders of other names.
_OUTLINES = {
    "Faces": "Faces_2", "Faces_easy": "Faces_3", "Motorbikes": "Motorbikes_16", "airplanes": "Airplanes_Side_2",
}  # fmt: skip


def _outlines(file: Any) -> np.ndarray:
    """A file of JSON as a word, without spaces and with its keys in order."""
    try:
        held = json.loads("\n".join(read_lines(file)))
    except ValueError as error:
        raise OpRuntimeError(f"Invalid json, {file} cannot be read ({error})") from error
    return np.array(json.dumps(held, separators=(",", ":"), sort_keys=True, ensure_ascii=False))


class Caltech101Dataset(FileDataset):
    """Photographs of 101 kinds of objects, with their outlines. Needs `pip install scipy`, which reads MATLAB's files, for
    these.

    Args:
        dataset_dir: the folder with `101_ObjectCategories` and, for outlines, `Annotations`.
        target_type: "category", the default, "annotation", or "all".
        num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards, shard_id: as for `ImageFolderDataset`.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8; "category", an int64, folders by their names;
        "annotation" (2, m) float64, the points of the outline.
    """

    _decoded, _label = ("image",), "category"
    _lacks, _defaults = ("cache",), _ONE_WORKER

    def _find(self, folder: Path, target_type: str | None = None) -> Fields:
        wanted = checks.one_of("target_type", target_type or "category", ["category", "annotation", "all"])
        place = folder / "101_ObjectCategories"
        if not place.is_dir():
            raise missing(self, f"Check {place.name} in directory: {folder}")
        names = [name for name in folders_of(place) if name != "BACKGROUND_Google"]
        found = [(Path(file), k) for k, name in enumerate(names) for file in image_files(place / name)]
        fields: dict[str, Field] = {"image": ([file for file, _ in found], read_bytes)}
        if wanted != "annotation":
            fields["category"] = (np.array([k for _, k in found], np.int64), None)
        if wanted != "category":
            files = [
                folder / "Annotations" / _OUTLINES.get(file.parent.name, file.parent.name)
                / f"annotation_{file.stem.rpartition('_')[2]}.mat" for file, _ in found
            ]  # fmt: skip
            fields["annotation"] = (files, lambda file: np.asarray(matlab(self, file)["obj_contour"]))
        return fields


class CityscapesDataset(FileDataset):
    """Streets of 50 cities, with the class of each pixel, or with the outlines of what is there.

    Args:
        dataset_dir: the folder with `leftImg8bit` and `gtFine` or `gtCoarse`.
        usage: of the fine ones "train", the default, "test", "val" or "all"; of the coarse ones "train", "train_extra",
            "val" or "all".
        quality_mode: "fine", the default, or "coarse".
        task: "instance", the default, "semantic", "polygon" or "color".
        num_samples, num_parallel_workers, shuffle, decode, sampler,
            num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8, and "task", likewise; for polygons the text
        of a JSON file.
    """

    _decoded: Sequence[str] = ("image", "task")
    _label, _defaults = None, {"decode": None}

    def _find(self, folder: Path, usage: str = "train", quality_mode: str = "fine", task: str = "instance") -> Fields:
        checks.one_of("quality_mode", quality_mode, ["fine", "coarse"])
        kinds = {
            "instance": "instanceIds.png", "semantic": "labelIds.png", "polygon": "polygons.json", "color": "color.png",
        }  # fmt: skip
        ending = kinds[checks.one_of("task", task, list(kinds))]
        parts = ["train", "test", "val"] if quality_mode == "fine" else ["train", "train_extra", "val"]
        wanted = usage_of(usage, [*parts, "all"], "train")
        truth = "gtFine" if quality_mode == "fine" else "gtCoarse"
        images, tasks = [], []
        for part in parts if wanted == "all" else [wanted]:
            for file in map(Path, image_files(folder / "leftImg8bit" / part, [".png"])):
                images.append(file)
                name = f"{file.name.removesuffix('_leftImg8bit.png')}_{truth}_{ending}"
                tasks.append(folder / truth / part / file.parent.name / name)
        self._decoded = ("image",) if task == "polygon" else ("image", "task")
        return {"image": (images, read_bytes), "task": (tasks, _outlines if task == "polygon" else read_bytes)}


class Flowers102Dataset(FileDataset):
    """Flowers of 102 kinds. Needs `pip install scipy`, which reads MATLAB's files.

    Args:
        dataset_dir: the folder with `jpg`, `imagelabels.mat`, `setid.mat` and, for parts of images, `segmim`.
        task: "Classification", the default, or "Segmentation".
        usage: "train", "test", "valid" or "all", the default.
        num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards, shard_id: as for `ImageFolderDataset`.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8; "segmentation", likewise; "label", a uint32 of 0 to 101.
    """

    _decoded: Sequence[str] = ("image",)
    _lacks, _defaults = ("cache",), _ONE_WORKER

    def _find(self, folder: Path, task: str = "Classification", usage: str = "all") -> Fields:
        checks.one_of("task", task or "Classification", ["Classification", "Segmentation"])
        wanted = usage_of(usage, ["train", "test", "valid", "all"])
        sets = matlab(self, folder / "setid.mat")
        keys = {"train": "trnid", "test": "tstid", "valid": "valid"}
        try:
            numbers = np.concatenate(
                [sets[key].reshape(-1) for part, key in keys.items() if wanted in (part, "all")]
            ).astype(int)
            labels = matlab(self, folder / "imagelabels.mat")["labels"].reshape(-1).astype(np.int64)[numbers - 1] - 1
        except (KeyError, IndexError) as error:
            raise OpRuntimeError(f"Invalid data, {folder}: setid.mat or imagelabels.mat lacks {error}") from error
        fields: dict[str, Field] = {"image": ([folder / "jpg" / f"image_{n:05d}.jpg" for n in numbers], read_bytes)}
        if task == "Segmentation":
            fields["segmentation"] = ([folder / "segmim" / f"segmim_{n:05d}.jpg" for n in numbers], read_bytes)
        self._decoded = tuple(fields)
        return {**fields, "label": (labels.astype(np.uint32), None)}


class SBDataset(FileDataset):
    """Photographs with the boundaries or the pixels of 20 classes. Needs `pip install scipy`, which reads MATLAB's files.

    Args:
        dataset_dir: the folder with `img`, `cls`, `train.txt`, `val.txt` and `train_noval.txt`.
        task: "Boundaries", the default, or "Segmentation".
        usage: "train", "val", "train_noval", or "all", the default: the first two.
        num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards, shard_id: as for `ImageFolderDataset`.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8; "task" (20, H, W) uint8, a boundary for each class, or
        (H, W) uint8, the class of each pixel.
    """

    _decoded, _label = ("image",), None
    _lacks, _defaults = ("cache",), {**_ONE_WORKER, "decode": None}

    def _find(self, folder: Path, task: str = "Boundaries", usage: str = "all") -> Fields:
        checks.one_of("task", task, ["Boundaries", "Segmentation"])
        wanted = usage_of(usage, ["train", "val", "train_noval", "all"])
        names = [
            line.strip() for part in (["train", "val"] if wanted == "all" else [wanted])
            for line in read_lines(folder / f"{part}.txt") if line.strip()
        ]  # fmt: skip

        def read(file: Path) -> np.ndarray:
            try:
                found = matlab(self, file)["GTcls"][0][task][0]
                if task == "Segmentation":
                    return np.asarray(found)
                return np.stack([each[0].toarray() for each in found])
            except (KeyError, IndexError, ValueError, AttributeError) as error:
                raise OpRuntimeError(f"Invalid data, {file} does not hold {task.lower()} ({error!r})") from error

        images = [folder / "img" / f"{name}.jpg" for name in names]
        return {"image": (images, read_bytes), "task": ([folder / "cls" / f"{name}.mat" for name in names], read)}
