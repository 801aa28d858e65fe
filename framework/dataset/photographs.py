"""Datasets of image files: in folders that are their classes, or named in lists."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError, OpTypeError
from anfora.dataset import checks
from anfora.dataset.samples import Fields, FileDataset, image_files, missing, read_bytes, read_lines, usage_of

__all__ = [
    "Caltech256Dataset", "CelebADataset", "DIV2KDataset", "FlickrDataset", "Food101Dataset", "LFWDataset",
    "LSUNDataset", "ManifestDataset", "OmniglotDataset", "Places365Dataset", "RenderedSST2Dataset", "SBUDataset",
    "SUN397Dataset",
]  # fmt: skip


def folders_of(folder: Path) -> list[str]:
    """The names of the folders in one, in their order."""
    return sorted(entry.name for entry in os.scandir(folder) if entry.is_dir())


class CelebADataset(FileDataset):
    """Faces with 40 attributes each.

    Args:
        dataset_dir: the folder with the images, `list_attr_celeba.txt` and, for parts of it, `list_eval_partition.txt`.
        num_parallel_workers, shuffle, sampler, decode, num_samples,
            num_shards, shard_id, cache: as for `ImageFolderDataset`.
        usage: "train", "valid", "test" or "all".
        extensions: endings of files that are images, such as [".jpg"]; all by default.
        decrypt: MindSpore's; without effect.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8, and "attr" (40,) uint32 of 0 and 1.
    """

    def __init__(
        self, dataset_dir: str, num_parallel_workers: int | None = None, shuffle: bool | None = None, usage: str = "all",
        sampler: Any = None, decode: bool = False, extensions: Any = None, num_samples: int | None = None,
        num_shards: int | None = None, shard_id: int | None = None, cache: Any = None, decrypt: Any = None,
    ) -> None:  # fmt: skip
        folder = Path(checks.folder("dataset_dir", dataset_dir))
        wanted = usage_of(usage, ["all", "train", "valid", "test"])
        rows = [line.split() for line in read_lines(folder / "list_attr_celeba.txt")[2:] if line.strip()]
        if wanted != "all":
            part = str(["train", "valid", "test"].index(wanted))
            parts = dict(line.split() for line in read_lines(folder / "list_eval_partition.txt") if line.strip())
            rows = [row for row in rows if parts.get(row[0]) == part]
        if extensions is not None:
            endings = tuple(word.lower() for word in checks.column_names("extensions", extensions))
            rows = [row for row in rows if row[0].lower().endswith(endings)]
        attributes = np.array([[int(word) > 0 for word in row[1:]] for row in rows], np.uint32)
        fields = {"image": ([folder / row[0] for row in rows], read_bytes), "attr": (attributes, None)}
        sampling = num_samples, sampler, shuffle, num_shards, shard_id
        self._samples(fields, sampling, num_parallel_workers, cache, decode)


class Caltech256Dataset(FileDataset):
    """Images of 257 kinds of objects, in a folder each.

    Args:
        dataset_dir: the folder with `001.ak47` and so on.
        num_samples, num_parallel_workers, shuffle, decode, sampler,
            num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8, and "label", an int32: folders by their names.
    """

    _decoded = ("image",)

    def _find(self, folder: Path) -> Fields:
        pairs = [(file, k) for k, name in enumerate(folders_of(folder)) for file in image_files(folder / name)]
        return {
            "image": ([file for file, _ in pairs], read_bytes),
            "label": (np.array([label for _, label in pairs], np.int32), None),
        }


class Food101Dataset(FileDataset):
    """Photographs of 101 kinds of food.

    Args:
        dataset_dir: the folder with `images` and `meta`.
        usage: "train", "test" or "all", the default.
        num_samples, num_parallel_workers, shuffle, decode, sampler,
            num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8, and "label", the name of the food.
    """

    _decoded = ("image",)

    def _find(self, folder: Path, usage: str | None = None) -> Fields:
        wanted = usage_of(usage, ["train", "test", "all"])
        names = [
            line.strip() for part in ("train", "test") if wanted in (part, "all")
            for line in read_lines(folder / "meta" / f"{part}.txt") if line.strip()
        ]  # fmt: skip
        return {
            "image": ([folder / "images" / f"{name}.jpg" for name in names], read_bytes),
            "label": ([name.split("/")[0] for name in names], None),
        }


class Places365Dataset(FileDataset):
    """Photographs of 365 kinds of scenes.

    Args:
        dataset_dir: the folder with `places365_train_standard.txt`, `places365_val.txt`, `val_256` and so on.
        usage: "train-standard", the default, "train-challenge" or "val".
        small: whether the images of 256 by 256 pixels are read, or the large ones.
        decode, num_samples, num_parallel_workers, shuffle, sampler,
            num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8, and "label", a uint32.
    """

    def __init__(
        self, dataset_dir: str, usage: str | None = None, small: bool = True, decode: bool = False,
        num_samples: int | None = None, num_parallel_workers: int | None = None, shuffle: bool | None = None,
        sampler: Any = None, num_shards: int | None = None, shard_id: int | None = None, cache: Any = None,
    ) -> None:  # fmt: skip
        folder = Path(checks.folder("dataset_dir", dataset_dir))
        wanted = usage_of(usage, ["train-standard", "train-challenge", "val"], "train-standard")
        part = wanted.removeprefix("train-")
        size = "256" if checks.boolean("small", small) else "large"
        place = folder / (f"val_{size}" if part == "val" else f"data_{size}_{part}")
        lines = read_lines(folder / f"places365_{wanted.replace('-', '_')}.txt")
        rows = [line.split() for line in lines if line.strip()]
        fields = {
            "image": ([place / row[0].lstrip("/") for row in rows], read_bytes),
            "label": (np.array([int(row[1]) for row in rows], np.uint32), None),
        }
        sampling = num_samples, sampler, shuffle, num_shards, shard_id
        self._samples(fields, sampling, num_parallel_workers, cache, decode)


class SUN397Dataset(FileDataset):
    """Photographs of 397 kinds of scenes.

    Args:
        dataset_dir: the folder with `ClassName.txt` and the folders that it names.
        num_samples, num_parallel_workers, shuffle, decode, sampler,
            num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8, and "label", a uint32.
    """

    _decoded = ("image",)

    def _find(self, folder: Path) -> Fields:
        names = [line.strip() for line in read_lines(folder / "ClassName.txt") if line.strip()]
        pairs = [(file, k) for k, name in enumerate(names) for file in image_files(folder / name.lstrip("/"))]
        return {
            "image": ([file for file, _ in pairs], read_bytes),
            "label": (np.array([label for _, label in pairs], np.uint32), None),
        }


class RenderedSST2Dataset(FileDataset):
    """Sentences of reviews, drawn as images.

    Args:
        dataset_dir: the folder with `train`, `valid` and `test`, each with `negative` and `positive`.
        usage: "train", "val", "test" or "all", the default.
        num_samples, num_parallel_workers, shuffle, decode, sampler,
            num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8, and "label", a uint32: 0 for negative, 1 for
        positive.
    """

    _decoded = ("image",)

    def _find(self, folder: Path, usage: str | None = None) -> Fields:
        wanted = usage_of(usage, ["train", "val", "test", "all"])
        pairs = [
            (file, label)
            for part, name in (("test", "test"), ("train", "train"), ("val", "valid")) if wanted in (part, "all")
            for label, kind in enumerate(("negative", "positive")) for file in image_files(folder / name / kind)
        ]  # fmt: skip
        return {
            "image": ([file for file, _ in pairs], read_bytes),
            "label": (np.array([label for _, label in pairs], np.uint32), None),
        }


class LSUNDataset(FileDataset):
    """Photographs of ten kinds of scenes.

    Args:
        dataset_dir: the folder with `bedroom_train`, `bedroom_val` and so on, and `test`.
        usage: "train", "test", "valid" or "all", the default: those to train on and to validate with.
        classes: the scenes that are read, by name; all by default.
        num_samples, num_parallel_workers, shuffle, decode, sampler,
            num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8, and "label", a uint32: scenes by their names, or as they
        stand in `classes`.
    """

    _decoded = ("image",)

    def _find(self, folder: Path, usage: str | None = None, classes: Any = None) -> Fields:
        wanted = usage_of(usage, ["train", "test", "valid", "all"])
        names = [classes] if isinstance(classes, str) else classes
        if names is not None and not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
            raise checks.wrong_type("classes", classes, list)
        if wanted == "test":
            pairs = [(file, 0) for file in image_files(folder / "test")]
        else:
            endings = [end for part, end in (("train", "_train"), ("valid", "_val")) if wanted in (part, "all")]
            there = {name.removesuffix(end) for name in folders_of(folder) for end in endings if name.endswith(end)}
            known = sorted(there) if names is None else names
            pairs = [
                (file, k) for k, name in enumerate(known) for end in endings
                for file in image_files(folder / f"{name}{end}")
            ]  # fmt: skip
        labels = np.array([label for _, label in pairs], np.uint32)
        return {"image": ([file for file, _ in pairs], read_bytes), "label": (labels, None)}


class OmniglotDataset(FileDataset):
    """Letters of 50 alphabets, each written by 20 hands.

    Args:
        dataset_dir: the folder with `images_background` and `images_evaluation`.
        background: whether the former are read, the default, or the latter.
        num_samples, num_parallel_workers, shuffle, decode, sampler,
            num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8, and "label", an int32: letters numbered by alphabet
        and name.
    """

    _decoded = ("image",)

    def _find(self, folder: Path, background: bool | None = None) -> Fields:
        is_background = background is None or checks.boolean("background", background)
        place = folder / ("images_background" if is_background else "images_evaluation")
        if not place.is_dir():
            raise missing(self, f"Check {place.name} in directory: {folder}")
        letters = [
            place / alphabet / letter for alphabet in folders_of(place) for letter in folders_of(place / alphabet)
        ]
        pairs = [(file, k) for k, letter in enumerate(letters) for file in image_files(letter)]
        return {
            "image": ([file for file, _ in pairs], read_bytes),
            "label": (np.array([label for _, label in pairs], np.int32), None),
        }


class LFWDataset(FileDataset):
    """Faces of people, and pairs of them.

    Args:
        dataset_dir: the folder with `lfw-names.txt`, `people.txt`, `pairs.txt`, their parts, and the folders of images.
        task: "people", the default, or "pairs".
        usage: "train", "test", "10fold" or "all", the default: the first two.
        image_set: "original", "funneled", the default, or "deepfunneled".
        num_samples, num_parallel_workers, shuffle, decode, sampler,
            num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: images, bytes (n,) uint8 or decoded (H, W, 3) uint8. For people "image" and "label", a uint32, the
        person; for pairs "image1", "image2" and "label", 1 where both are one person.
    """

    def __init__(
        self, dataset_dir: str, task: str | None = None, usage: str | None = None, image_set: str | None = None,
        num_samples: int | None = None, num_parallel_workers: int | None = None, shuffle: bool | None = None,
        decode: bool = False, sampler: Any = None, num_shards: int | None = None, shard_id: int | None = None,
        cache: Any = None,
    ) -> None:  # fmt: skip
        folder = Path(checks.folder("dataset_dir", dataset_dir))
        kind = checks.one_of("task", task or "people", ["people", "pairs"])
        wanted = usage_of(usage, ["10fold", "train", "test", "all"])
        sets = {"original": "lfw", "funneled": "lfw_funneled", "deepfunneled": "lfw-deepfunneled"}
        place = folder / sets[checks.one_of("image_set", image_set or "funneled", list(sets))]
        parts = {"train": ["DevTrain"], "test": ["DevTest"], "10fold": [""]}.get(wanted, ["DevTrain", "DevTest"])
        rows = [line.split() for part in parts for line in read_lines(folder / f"{kind}{part}.txt")]

        def image(name: str, number: int | str) -> Path:
            return place / name / f"{name}_{int(number):04d}.jpg"

        sampling = num_samples, sampler, shuffle, num_shards, shard_id
        if kind == "people":
            names = [line.split()[0] for line in read_lines(folder / "lfw-names.txt") if line.strip()]
            numbers = {name: number for number, name in enumerate(names)}
            people = [(row[0], k) for row in rows if len(row) == 2 for k in range(1, int(row[1]) + 1)]
            fields = {
                "image": ([image(*person) for person in people], read_bytes),
                "label": (np.array([numbers[name] for name, _ in people], np.uint32), None),
            }
            self._samples(fields, sampling, num_parallel_workers, cache, decode)
            return
        pairs = [(row[0], row[1], row[0 if len(row) == 3 else 2], row[-1]) for row in rows if len(row) in (3, 4)]
        fields = {
            "image1": ([image(a, i) for a, i, _, _ in pairs], read_bytes),
            "image2": ([image(b, j) for _, _, b, j in pairs], read_bytes),
            "label": (np.array([a == b for a, _, b, _ in pairs], np.uint32), None),
        }
        self._samples(fields, sampling, num_parallel_workers, cache, decode, images=("image1", "image2"))


class FlickrDataset(FileDataset):
    """Photographs with five sentences each: Flickr8k and Flickr30k.

    Args:
        dataset_dir: the folder with the images.
        annotation_file: the file of lines "name.jpg#0<tab>sentence".
        num_samples, num_parallel_workers, shuffle, decode, sampler,
            num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8, and "annotation" (5,), sentences.
    """

    _decoded = ("image",)
    _defaults = {"decode": None}  # noqa: RUF012

    def _find(self, folder: Path, annotation_file: str) -> Fields:
        found: dict[str, list[str]] = {}
        for number, line in enumerate(read_lines(annotation_file), 1):
            name, tab, sentence = line.partition("\t")
            if tab:
                found.setdefault(name.rpartition("#")[0], []).append(sentence)
            elif line.strip():
                raise OpRuntimeError(f"Invalid file, {annotation_file}: line {number} is no name with a sentence")
        return {"image": ([folder / name for name in found], read_bytes), "annotation": (list(found.values()), None)}


class SBUDataset(FileDataset):
    """Photographs with a sentence each; those whose files are there.

    Args:
        dataset_dir: the folder with `SBU_captioned_photo_dataset_urls.txt`, `…_captions.txt` and `sbu_images`.
        num_samples, num_parallel_workers, shuffle, decode, sampler,
            num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8, and "caption", a word.
    """

    _decoded = ("image",)

    def _find(self, folder: Path) -> Fields:
        urls, captions = (
            read_lines(folder / f"SBU_captioned_photo_dataset_{kind}.txt") for kind in ("urls", "captions")
        )
        pairs = []
        for url, caption in zip(urls, captions):
            # "http://static.flickr.com/2723/1_ab.jpg" lies in "m_2723_1_ab.jpg", of which m ends the name of the host
            file = folder / "sbu_images" / url.strip()[23:].replace("/", "_")
            if url.strip() and file.is_file():
                pairs.append((file, caption.rstrip(" \r")))
        return {"image": ([file for file, _ in pairs], read_bytes), "caption": ([text for _, text in pairs], None)}


class DIV2KDataset(FileDataset):
    """Photographs of high resolution, and what became of them when they were made smaller.

    Args:
        dataset_dir: the folder with `DIV2K_train_HR`, `DIV2K_train_LR_bicubic` and so on.
        usage: "train", "valid" or "all".
        downgrade: "bicubic", "unknown", "mild", "difficult" or "wild".
        scale: 2, 3, 4 or 8: 8 for "bicubic" alone, 4 alone for the last three.
        num_samples, num_parallel_workers, shuffle, decode, sampler,
            num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "hr_image" and "lr_image", bytes (n,) uint8 or decoded (H, W, 3) uint8.
    """

    _decoded = ("hr_image", "lr_image")
    _defaults = {"decode": None}  # noqa: RUF012

    def _find(self, folder: Path, usage: str = "train", downgrade: str = "bicubic", scale: int = 2) -> Fields:
        wanted = usage_of(usage, ["train", "valid", "all"])
        scales = {"bicubic": [2, 3, 4, 8], "unknown": [2, 3, 4], "mild": [4], "difficult": [4], "wild": [4]}
        checks.one_of("scale", scale, scales[checks.one_of("downgrade", downgrade, list(scales))])
        letter = downgrade[0] if downgrade in ("mild", "difficult", "wild") else ""
        pairs = []
        for part in ("train", "valid"):
            if wanted not in (part, "all"):
                continue
            small = folder / (f"DIV2K_{part}_LR_x8" if scale == 8 else f"DIV2K_{part}_LR_{downgrade}")
            small = small if letter or scale == 8 else small / f"X{scale}"
            for file in image_files(folder / f"DIV2K_{part}_HR"):
                stem = Path(file).stem
                pairs += [
                    (file, other) for end in (("w1", "w2", "w3", "w4") if letter == "w" and part == "train" else (letter,))
                    if (other := small / f"{stem}x{scale}{end}.png").is_file()
                ]  # fmt: skip
        return {"hr_image": ([a for a, _ in pairs], read_bytes), "lr_image": ([b for _, b in pairs], read_bytes)}


class ManifestDataset(FileDataset):
    """Image files that a manifest names, a file with an object of JSON in each line.

    Args:
        dataset_file: the manifest. A line has "source", the path of an image, "usage", and "annotation", a list of
            objects with a "name", the class.
        usage: "train", "eval" or "inference".
        num_samples, num_parallel_workers, shuffle, sampler, decode,
            num_shards, shard_id, cache: as for `ImageFolderDataset`.
        class_indexing: {class: label}; only these are read. By default classes are numbered in the order of their
            names.
    Columns: "image", bytes (n,) uint8 or decoded (H, W, 3) uint8, and "label", an int32, or (n,) int32 where there are
        several.
    """

    def __init__(
        self, dataset_file: str, usage: str = "train", num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: bool | None = None, sampler: Any = None,
        class_indexing: dict[str, int] | None = None, decode: bool = False, num_shards: int | None = None,
        shard_id: int | None = None, cache: Any = None,
    ) -> None:  # fmt: skip
        wanted = usage_of(usage, ["train", "eval", "inference"])
        if class_indexing is not None:
            if not isinstance(class_indexing, dict):
                raise checks.wrong_type("class_indexing", class_indexing, dict)
            if not all(isinstance(name, str) and checks.is_integer(label) for name, label in class_indexing.items()):
                raise OpTypeError("class_indexing should be a dictionary from str to int", arg="class_indexing")
        rows: list[tuple[str, list[str]]] = []
        for number, line in enumerate(read_lines(dataset_file), 1):
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
                if entry["usage"].lower() == wanted:
                    names = [note["name"] for note in entry.get("annotation", []) if "name" in note]
                    rows.append((entry["source"], names))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise OpRuntimeError(
                    f"Invalid manifest file, {dataset_file}: line {number} is no entry of a manifest ({error!r})"
                ) from error
        found = sorted({name for _, names in rows for name in names})
        classes = {name: number for number, name in enumerate(found)} if class_indexing is None else class_indexing
        rows = [(file, kept) for file, names in rows if (kept := [name for name in names if name in classes])]
        labels = [np.array([classes[name] for name in names], np.int32) for _, names in rows]
        fields = {
            "image": ([file for file, _ in rows], read_bytes),
            "label": ([label[0] if len(label) == 1 else label for label in labels], None),
        }
        sampling = num_samples, sampler, shuffle, num_shards, shard_id
        self._samples(fields, sampling, num_parallel_workers, cache, decode, class_indexing=dict(classes))
