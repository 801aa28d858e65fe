"""Datasets of random numbers, to try programs out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anfora.core.errors import OpValueError
from anfora.dataset import checks
from anfora.dataset.samples import FileDataset
from anfora.dataset.schema import Schema

__all__ = ["FakeImageDataset", "RandomDataset"]


class FakeImageDataset(FileDataset):
    """Images of noise with random labels, to try programs out.

    Args:
        num_images: how many.
        image_size: their shape.
        num_classes: of the labels, 0 to num_classes - 1.
        base_seed: image k is drawn from base_seed + k alone.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `MnistDataset`.
    Columns: "image" uint8 of equally likely bytes, and "label", a uint32.
    """

    def __init__(
        self, num_images: int = 1000, image_size: tuple[int, ...] = (224, 224, 3), num_classes: int = 10,
        base_seed: int = 0, num_samples: int | None = None, num_parallel_workers: int | None = None,
        shuffle: bool | None = None, sampler: Any = None,
        num_shards: int | None = None, shard_id: int | None = None, cache: Any = None,
    ) -> None:  # fmt: skip
        checks.integer_in("num_images", num_images, 1)
        if not isinstance(image_size, (list, tuple)) or len(image_size) != 3:
            raise checks.wrong_type("image_size", image_size, list, tuple)
        shape = tuple(checks.integer_in("image_size", n, 1) for n in image_size)
        checks.integer_in("num_classes", num_classes, 1)
        checks.integer_in("base_seed", base_seed, 0)

        def image(number: int) -> np.ndarray:
            return np.random.default_rng((base_seed + number, 0)).integers(0, 256, shape, np.uint8)

        labels = [np.random.default_rng((base_seed + k, 1)).integers(num_classes) for k in range(num_images)]
        fields = {"image": (range(num_images), image), "label": (np.array(labels, np.uint32), None)}
        sampling = num_samples, sampler, shuffle, num_shards, shard_id
        self._samples(fields, sampling, num_parallel_workers, cache)


class RandomDataset(FileDataset):
    """Rows of random numbers, to try programs out.

    Args:
        total_rows: how many; by default as many as the schema says, or 1000.
        schema: a Schema, or the path of a JSON file with one. By default there are two columns, "c0" (4,) float32 and
            "c1", an int32.
        columns_list: the columns of the schema that there are; all by default.
        num_samples, num_parallel_workers, cache, shuffle, num_shards, shard_id: as for `MnistDataset`.
    A field follows from the numbers of its row and column alone: integers are equally likely of their type, floats in
    [0, 1), words of eight letters. Example:
        >>> from anfora.dataset import Schema
        >>> schema = Schema()
        >>> schema.add_column("image", "uint8", [2, 2])
        >>> [row.shape for [row] in RandomDataset(2, schema)]
        [(2, 2), (2, 2)]
    """

    def __init__(
        self, total_rows: int | None = None, schema: Any = None, columns_list: Any = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, cache: Any = None, shuffle: bool | None = None,
        num_shards: int | None = None, shard_id: int | None = None,
    ) -> None:  # fmt: skip
        if schema is not None and not isinstance(schema, Schema):
            schema = Schema(schema)
        count = None if total_rows is None else checks.integer_in("total_rows", total_rows, 0)
        total = count or (schema.num_rows if schema is not None else 0) or 1000
        columns: list[dict[str, Any]] = [
            {"name": "c0", "type": "float32", "shape": [4]}, {"name": "c1", "type": "int32", "shape": []},
        ]  # fmt: skip
        entries = {entry["name"]: entry for entry in (columns if schema is None else schema.columns)}
        names = list(entries) if columns_list is None else checks.column_names("columns_list", columns_list)
        for name in names:
            if name not in entries:
                raise OpValueError(f"columns_list: {name!r} is not in the schema, which has {list(entries)}")
        fields = {name: (range(total), _column(place, entries[name])) for place, name in enumerate(names)}
        self._samples(fields, (num_samples, None, shuffle, num_shards, shard_id), num_parallel_workers, cache)


def _column(place: int, entry: dict[str, Any]) -> Callable[[int], np.ndarray]:
    """A function of the number of a row."""
    kind, shape = entry["type"], _lengths(entry)
    return lambda number: _random(np.random.default_rng((number, place)), kind, shape)


def _lengths(entry: dict[str, Any]) -> list[int]:
    shape = entry.get("shape", [1] * entry.get("rank", 1))
    if -1 in shape:
        raise OpValueError(
            f"column {entry['name']!r} has the shape {shape}, but random rows need all lengths", arg="schema"
        )
    return list(shape)


def _random(draw: np.random.Generator, kind: str, shape: list[int]) -> np.ndarray:
    if kind == "string":
        letters = draw.integers(97, 123, (*shape, 8), np.uint32)
        return letters.view("<U8").reshape(shape)
    if kind == "bool":
        return draw.integers(0, 2, shape).astype(np.bool_)
    if kind.startswith("float"):
        return draw.random(shape).astype(kind)
    limits = np.iinfo(kind)
    return draw.integers(limits.min, limits.max, shape, kind, endpoint=True)
