"""Datasets of images with what is to be found in them: boxes, outlines, key points, sentences."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.dataset import checks
from anfora.dataset.samples import Field, Fields, FileDataset, image_files, missing, read_bytes, read_lines, usage_of

__all__ = ["CocoDataset", "KITTIDataset", "VOCDataset", "WIDERFaceDataset"]

_META = "_meta-filename"


def _column(values: list[Any], kind: type = np.uint32) -> np.ndarray:
    """One number for each object, (n, 1)."""
    return np.array(values, kind).reshape(-1, 1)


def _fields(images: list[Any], rows: list[dict[str, Any]], names: list[str]) -> dict[str, Field]:
    return {"image": (images, read_bytes), **{name: ([row[name] for row in rows], None) for name in names}}


def _with_names(fields: dict[str, Field], images: list[Any], extra_metadata: Any) -> dict[str, Field]:
    """With a last column of the files' names, where the program asks for it."""
    if checks.boolean("extra_metadata", extra_metadata):
        fields[_META] = ([Path(image).stem for image in images], None)
    return fields


class VOCDataset(FileDataset):
    """Photographs of PASCAL VOC, with boxes or with the class of each pixel.

    Args:
        dataset_dir: the folder with `Annotations`, `ImageSets`, `JPEGImages` and `SegmentationClass`.
        task: "Segmentation" or "Detection".
        usage: the part: a file of `ImageSets/Segmentation` or `ImageSets/Main` without its ending.
        class_indexing: {class: label}, for detection: only images all of whose objects are among them are read. By
            default the classes of the part are numbered in the order of their names.
        num_samples, num_parallel_workers, shuffle, decode, sampler,
            num_shards, shard_id, cache: as for `ImageFolderDataset`.
        extra_metadata: whether there is a last column "_meta-filename", the name of the file without its ending. Iterators
            give it when it has been renamed.
        decrypt: MindSpore's; without effect.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8. For segmentation "target", likewise. For detection,
        with n objects: "bbox" (n, 4) float32, left, top, width and height; "label", "difficult" and "truncate" (n, 1)
            uint32.
    """

    def __init__(
        self, dataset_dir: str, task: str = "Segmentation", usage: str = "train",
        class_indexing: dict[str, int] | None = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | None = None, decode: bool = False, sampler: Any = None,
        num_shards: int | None = None, shard_id: int | None = None, cache: Any = None, extra_metadata: bool = False,
        decrypt: Any = None,
    ) -> None:  # fmt: skip
        folder = Path(checks.folder("dataset_dir", dataset_dir))
        checks.one_of("task", task, ["Segmentation", "Detection"])
        if not isinstance(usage, str):
            raise checks.wrong_type("usage", usage, str)
        if class_indexing is not None and task == "Segmentation":
            raise OpValueError("class_indexing is not supported in Segmentation task.", arg="class_indexing")
        part = folder / "ImageSets" / ("Main" if task == "Detection" else task) / f"{usage}.txt"
        names = [line.split()[0] for line in read_lines(part) if line.strip()]
        sampling = num_samples, sampler, shuffle, num_shards, shard_id
        if task == "Segmentation":
            images: list[Any] = [folder / "JPEGImages" / f"{name}.jpg" for name in names]
            targets = [folder / "SegmentationClass" / f"{name}.png" for name in names]
            fields: dict[str, Field] = {"image": (images, read_bytes), "target": (targets, read_bytes)}
            fields = _with_names(fields, images, extra_metadata)
            self._samples(fields, sampling, num_parallel_workers, cache, decode, images=("image", "target"))
            return
        found = {name: _objects(folder / "Annotations" / f"{name}.xml") for name in names}
        if class_indexing is None:
            kinds = sorted({kind for objects in found.values() for kind, _, _, _ in objects})
            classes = {kind: number for number, kind in enumerate(kinds)}
        elif isinstance(class_indexing, dict):
            classes = class_indexing
        else:
            raise checks.wrong_type("class_indexing", class_indexing, dict)
        rows, images = [], []
        for name, objects in found.items():
            known = [entry for entry in objects if entry[0] in classes]
            if known:
                images.append(folder / "JPEGImages" / f"{name}.jpg")
                rows.append(
                    {
                        "bbox": np.array([box for _, box, _, _ in known], np.float32).reshape(-1, 4),
                        "label": _column([classes[kind] for kind, _, _, _ in known]),
                        "difficult": _column([difficult for _, _, difficult, _ in known]),
                        "truncate": _column([truncated for _, _, _, truncated in known]),
                    }
                )
        fields = _with_names(_fields(images, rows, ["bbox", "label", "difficult", "truncate"]), images, extra_metadata)
        # the labels are several for each sample: no sampler can choose by them
        self._samples(
            fields, sampling, num_parallel_workers, cache, decode, label=None,
            class_indexing={kind: [number] for kind, number in classes.items()},
        )  # fmt: skip


def _objects(file: Path) -> list[tuple[str, list[float], int, int]]:
    """What an annotation of VOC tells of each object: class, (left, top, width, height), difficult, truncated."""
    try:
        tree = ElementTree.parse(file)
        found = []
        for entry in tree.iter("object"):
            box = entry.find("bndbox")
            assert box is not None
            left, top, right, bottom = (float(box.findtext(key, "")) for key in ("xmin", "ymin", "xmax", "ymax"))
            if left >= right or top >= bottom:
                raise ValueError(f"the box ({left}, {top}, {right}, {bottom}) is empty")
            flags = [int(entry.findtext(key, "0")) for key in ("difficult", "truncated")]
            found.append((entry.findtext("name", ""), [left, top, right - left, bottom - top], flags[0], flags[1]))
    except (OSError, ElementTree.ParseError, ValueError, AssertionError) as error:
        raise OpRuntimeError(f"Invalid xml, {file} cannot be read as an annotation of VOC ({error})") from error
    return found


class CocoDataset(FileDataset):
    """Photographs of COCO.

    Args:
        dataset_dir: the folder with the images.
        annotation_file: the file of JSON with what is told of them.
        task: "Detection", "Stuff", "Panoptic", "Keypoint" or "Captioning".
        num_samples, num_parallel_workers, shuffle, decode, sampler,
            num_shards, shard_id, cache: as for `ImageFolderDataset`.
        extra_metadata: whether there is a last column "_meta-filename", the name of the file without its ending. Iterators
            give it when it has been renamed.
        decrypt: MindSpore's; without effect.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8; images in the order in which they are first told of.
        With n objects, for detection: "bbox" (n, 4) float32, left, top, width and height, "category_id" and "iscrowd"
        (n, 1) uint32. Stuff: "segmentation" (k, m) float32, the outline of each part of an object, filled up with -1,
        and "iscrowd" (n, 1) uint32. Panoptic: as for detection, and "area" (n, 1) uint32. Keypoint: "keypoints" (n,
        m) float32, filled up with -1, "num_keypoints" (n, 1) uint32.
        Captioning: "captions" (n, 1), sentences.
    """

    def __init__(
        self, dataset_dir: str, annotation_file: str, task: str = "Detection", num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | None = None, decode: bool = False, sampler: Any = None,
        num_shards: int | None = None, shard_id: int | None = None, cache: Any = None, extra_metadata: bool = False,
        decrypt: Any = None,
    ) -> None:  # fmt: skip
        folder = Path(checks.folder("dataset_dir", dataset_dir))
        checks.one_of("task", task, list(_TASKS))
        if not isinstance(annotation_file, (str, os.PathLike)):
            raise checks.wrong_type("annotation_file", annotation_file, str)
        try:
            whole = json.loads(Path(annotation_file).expanduser().read_bytes())
            files = {image["id"]: image["file_name"] for image in whole["images"]}
            notes: dict[str, list[Any]] = {}
            for entry in whole["annotations"]:
                notes.setdefault(files[entry["image_id"]], []).extend(
                    entry["segments_info"] if task == "Panoptic" else [entry]
                )
            if task in ("Detection", "Stuff", "Keypoint"):
                check_crowds(notes)
            rows = [{name: make(told) for name, make in _TASKS[task].items()} for told in notes.values()]
            classes = {} if task == "Captioning" else {
                kind["name"]: [kind["id"], kind["isthing"]] if task == "Panoptic" else [kind["id"]]
                for kind in whole["categories"]
            }  # fmt: skip
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise OpRuntimeError(
                f"Invalid json file, {annotation_file} does not hold what task {task} needs ({error!r})"
            ) from error
        images = [folder / name for name in notes]
        fields = _with_names(_fields(images, rows, list(_TASKS[task])), images, extra_metadata)
        sampling = num_samples, sampler, shuffle, num_shards, shard_id
        self._samples(fields, sampling, num_parallel_workers, cache, decode, label=None, class_indexing=classes)


def check_crowds(notes: dict[str, list[Any]]) -> None:
    """Refuse crowds whose outline is no list of points; they are run lengths, which are not read."""
    for name, told in notes.items():
        for entry in told:
            if isinstance(entry.get("segmentation", []), dict) and not entry.get("iscrowd"):
                raise OpTypeError(f"{name}: a segmentation that is no crowd is a list of outlines")


def _filled(rows: list[list[float]]) -> np.ndarray:
    """Rows of different lengths as one array, filled up with -1."""
    out = np.full((len(rows), max(map(len, rows), default=0)), -1, np.float32)
    for number, row in enumerate(rows):
        out[number, : len(row)] = row
    return out


def _outlines(entry: dict[str, Any]) -> list[list[float]]:
    """The points of each part of an object, or the run lengths of a crowd."""
    parts = entry["segmentation"]
    return [parts["counts"]] if isinstance(parts, dict) else parts


def _boxes(told: list[Any]) -> np.ndarray:
    return np.array([entry["bbox"] for entry in told], np.float32).reshape(-1, 4)


def _each(name: str) -> Any:
    return lambda told: _column([entry.get(name, 0) if name == "iscrowd" else entry[name] for entry in told])


_SEEN = {"bbox": _boxes, "category_id": _each("category_id"), "iscrowd": _each("iscrowd")}
#: The columns of each task behind the image, and how they are made of what is told of one.
_TASKS: dict[str, dict[str, Any]] = {
    "Detection": _SEEN,
    "Stuff": {
        "segmentation": lambda told: _filled([part for entry in told for part in _outlines(entry)]),
        "iscrowd": _each("iscrowd"),
    },
    "Panoptic": {**_SEEN, "area": _each("area")},
    "Keypoint": {
        "keypoints": lambda told: _filled([e["keypoints"] for e in told]), "num_keypoints": _each("num_keypoints"),
    },
    "Captioning": {"captions": lambda told: np.array([[entry["caption"]] for entry in told])},
}  # fmt: skip


class WIDERFaceDataset(FileDataset):
    """Photographs with the boxes of faces.

    Args:
        dataset_dir: the folder with `WIDER_train`, `WIDER_val`, `WIDER_test` and `wider_face_split`.
        usage: "train", "valid", "test", or "all", the default: the first two.
        num_samples, num_parallel_workers, shuffle, decode, sampler,
            num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8; but for the test, with n faces, "bbox" (n, 4) int32,
        left, top, width and height; "blur", "expression", "illumination", "occlusion", "pose" and "invalid" (n,) int32.
    """

    _decoded = ("image",)

    def _find(self, folder: Path, usage: str | None = None) -> Fields:
        wanted = usage_of(usage, ["train", "test", "valid", "all"])
        split = folder / "wider_face_split"
        images: list[Any] = []
        faces: list[np.ndarray] = []
        if wanted == "test":
            names = [line.strip() for line in read_lines(split / "wider_face_test_filelist.txt") if line.strip()]
            images = [folder / "WIDER_test" / "images" / name for name in names]
        for part, short in (("train", "train"), ("valid", "val")):
            file = split / f"wider_face_{short}_bbx_gt.txt"
            lines = iter([line for line in read_lines(file) if line.strip()] if wanted in (part, "all") else [])
            try:
                for name in lines:
                    count = int(next(lines))
                    rows = [next(lines).split()[:10] for _ in range(max(1, count))]  # one of zeros where there is none
                    images.append(folder / f"WIDER_{short}" / "images" / name.strip())
                    faces.append(np.array(rows, np.int32).reshape(-1, 10))
            except (StopIteration, ValueError) as error:
                raise OpRuntimeError(f"Invalid file, {file} is damaged behind {name!r} ({error!r})") from error
        fields: dict[str, Field] = {"image": (images, read_bytes)}
        if wanted != "test":
            fields["bbox"] = [face[:, :4] for face in faces], None
            for place, kind in enumerate(("blur", "expression", "illumination", "occlusion", "pose", "invalid"), 4):
                fields[kind] = [face[:, place] for face in faces], None
        return fields


class KITTIDataset(FileDataset):
    """Photographs of roads with what is on them.

    Args:
        dataset_dir: the folder with `data_object_image_2` and `data_object_label_2`.
        usage: "train", the default, or "test".
        num_samples, num_parallel_workers, shuffle, decode, sampler,
            num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8; but for the test, with n objects, "label" (n, 1)
        uint32, the kinds numbered as they are met; "truncated" and "alpha" (n, 1) float32, "occluded" (n, 1) uint32,
        "bbox" (n, 4), "dimensions" (n, 3), "location" (n, 3) and "rotation_y" (n, 1) float32.
    """

    _decoded = ("image",)
    _label = None

    def _find(self, folder: Path, usage: str | None = None) -> Fields:
        wanted = usage_of(usage, ["train", "test"], "train")
        place = "training" if wanted == "train" else "testing"
        images = image_files(folder / "data_object_image_2" / place / "image_2")
        if not images:
            raise missing(self, f"Check data_object_image_2/{place}/image_2 in directory: {folder}")
        classes: dict[str, int] = {}
        fields: dict[str, Field] = {"image": (images, read_bytes)}
        if wanted == "train":
            tables = []
            for image in images:
                file = folder / "data_object_label_2" / place / "label_2" / f"{Path(image).stem}.txt"
                rows = [line.split() for line in read_lines(file) if line.strip()]
                kinds = [classes.setdefault(row[0], len(classes)) for row in rows]
                try:
                    numbers = np.array([row[1:15] for row in rows], np.float64).reshape(-1, 14)
                except ValueError as error:
                    raise OpRuntimeError(f"Invalid file, {file} is no label of KITTI ({error})") from error
                tables.append((_column(kinds), numbers))
            fields["label"] = [kinds for kinds, _ in tables], None
            for name, start, stop in (
                ("truncated", 0, 1), ("occluded", 1, 2), ("alpha", 2, 3), ("bbox", 3, 7), ("dimensions", 7, 10),
                ("location", 10, 13), ("rotation_y", 13, 14),
            ):  # fmt: skip
                kind = np.int64 if name == "occluded" else np.float32  # -1 is the largest uint32, as in MindSpore
                parts = [numbers[:, start:stop].astype(kind) for _, numbers in tables]
                fields[name] = [part.astype(np.uint32) if name == "occluded" else part for part in parts], None
        return fields
