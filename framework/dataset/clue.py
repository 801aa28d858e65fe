"""The tasks of CLUE, the Chinese Language Understanding Evaluation: files with an object of JSON in each line."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError
from anfora.core.files import reading
from anfora.dataset import checks
from anfora.dataset.datasets import Dataset
from anfora.dataset.lines import Shuffle, files_of, in_files
from anfora.dataset.sources import Arrays

__all__ = ["CLUEDataset"]

#: The columns of each task in the order of their names; those with a dot lie in an object. All but `test` have a label.
_SPANS = ("target.span1_index", "target.span1_text", "target.span2_index", "target.span2_text")
_COLUMNS = {
    "AFQMC": ("label", "sentence1", "sentence2"),
    "TNEWS": ("keywords", "label", "label_desc", "sentence"),
    "IFLYTEK": ("label", "label_des", "sentence"),
    "CMNLI": ("label", "sentence1", "sentence2"),
    "WSC": ("idx", "label", *_SPANS, "text"),
    "CSL": ("abst", "id", "keyword", "label"),
}
_TEST = {
    "AFQMC": ("id", "sentence1", "sentence2"),
    "TNEWS": ("id", "keywords", "sentence"),
    "IFLYTEK": ("id", "sentence"),
    "CMNLI": ("id", "sentence1", "sentence2"),
    "WSC": ("idx", *_SPANS, "text"),
    "CSL": ("abst", "id", "keyword"),
}
_NUMBERS = ("id", "idx", "span1_index", "span2_index")  # uint32; all others are words


class CLUEDataset(Dataset):
    """Texts of the benchmark CLUE.

    Args:
        dataset_files: as for `TextFileDataset`.
        task: "AFQMC", "TNEWS", "IFLYTEK", "CMNLI", "WSC" or "CSL".
        usage: "train", "test" or "eval": which of its files these are.
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    Columns: those of the task, in the order of their names: `id`, `idx` and the places of spans are uint32, all others
        words; the keywords of CSL are several, (n,).
    Raises:
        OpRuntimeError: a line is no object of JSON, or lacks a key.
    """

    def __init__(
        self, dataset_files: Any, task: str = "AFQMC", usage: str = "train", num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: Any = Shuffle.GLOBAL, num_shards: int | None = None,
        shard_id: int | None = None, cache: Any = None,
    ) -> None:  # fmt: skip
        checks.one_of("task", task, list(_COLUMNS))
        checks.one_of("usage", usage, ["train", "test", "eval"])
        paths = (_TEST if usage == "test" else _COLUMNS)[task]
        names = [path.rpartition(".")[2] for path in paths]
        rows: list[list[Any]] = []
        starts = [0]
        files = files_of(dataset_files)
        for file in files:
            with reading(file):
                rows += _rows(file, paths)
            starts.append(len(rows))
        if not rows:
            raise OpRuntimeError(
                "Invalid data, 'CLUEDataset' API can't read the data file (interface mismatch or no data found)."
                f" Check file path: {', '.join(files)}"
            )
        with reading(", ".join(files)):
            columns = [_column([row[place] for row in rows], name) for place, name in enumerate(names)]
        node = Arrays(columns, names)
        part = num_shards, shard_id
        self._begin(in_files(node, starts, shuffle, part, num_samples, num_parallel_workers, cache))


def _rows(file: str, paths: tuple[str, ...]) -> list[list[Any]]:
    """What stands at each path, for each line."""
    rows = []
    with open(file, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                found = json.loads(line)
            except ValueError as error:
                raise OpRuntimeError(f"Invalid json, failed to parse {file}, line {number}: {error}") from error
            row = []
            for path in paths:
                value = found
                for key in path.split("."):
                    if not isinstance(value, dict) or key not in value:
                        raise OpRuntimeError(
                            f"Invalid json file, in given JSON file, failed to find key: {key} ({file}, line {number})"
                        )
                    value = value[key]
                row.append(value)
            rows.append(row)
    return rows


def _column(values: list[Any], name: str) -> np.ndarray:
    if name in _NUMBERS:
        return np.array(values, np.uint32)
    column = np.empty(len(values), object)
    for number, value in enumerate(values):
        column[number] = np.array([str(word) for word in value]) if isinstance(value, list) else str(value)
    return column
