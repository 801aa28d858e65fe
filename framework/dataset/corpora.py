"""Datasets of texts: labelled rows of CSV, lines, tagged sentences, questions, pairs of translations."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError, OpTypeError
from anfora.core.files import reading
from anfora.dataset import checks
from anfora.dataset.datasets import Dataset
from anfora.dataset.lines import Shuffle, in_files
from anfora.dataset.samples import Fields, FileDataset, image_files, missing, read_lines, usage_of
from anfora.dataset.sources import Arrays

__all__ = [
    "AGNewsDataset", "AmazonReviewDataset", "CoNLL2000Dataset", "DBpediaDataset", "EnWik9Dataset", "IMDBDataset",
    "Multi30kDataset", "PennTreebankDataset", "SQuADDataset", "SST2Dataset", "SogouNewsDataset", "UDPOSDataset",
    "WikiTextDataset", "YahooAnswersDataset", "YelpReviewDataset",
]  # fmt: skip

Row = tuple[Any, ...]


def objects(values: Iterable[Any]) -> np.ndarray:
    """Words, or arrays of them, one for each row."""
    found = list(values)
    out = np.empty(len(found), object)
    for place, value in enumerate(found):
        out[place] = value
    return out


class CorpusDataset(Dataset):
    """Base of datasets of texts whose rows are read as a whole: for each part a file, for each file its rows.

    Their arguments:
        dataset_dir: the folder with the files.
        usage: the part, or "all".
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    Raises:
        OpRuntimeError: a file is missing or damaged.
    """

    _files: dict[str, str]  #: the file of each part, in the order of "all"
    _default = "all"
    _columns: list[str]

    def _read(self, file: Path) -> Iterable[Row]:
        """The rows of a file."""
        raise NotImplementedError

    def _begin_with(
        self, dataset_dir: Any, usage: Any, num_samples: Any, num_parallel_workers: Any, shuffle: Any, part: Any,
        cache: Any, columns: list[str] | None = None,
    ) -> None:  # fmt: skip
        folder = Path(checks.folder("dataset_dir", dataset_dir))
        parts = list(self._files)
        whole = ["all"] if self._default == "all" else []
        wanted = usage_of(usage, [*parts, *whole], self._default)
        rows: list[Row] = []
        starts = [0]
        for name in (name for name in parts if wanted in (name, "all")):
            found = sorted(folder.glob(self._files[name]))
            if not found:
                raise missing(self, f"Check {self._files[name]} in directory: {folder}")
            for file in found:
                with reading(file):
                    rows += self._read(file)
                starts.append(len(rows))
        if not rows:
            raise missing(self, f"no row was found in directory: {folder}")
        names = columns or self._columns
        arrays = [objects(column) for column in zip(*rows)]
        node = Arrays(arrays, names)
        self._begin(in_files(node, starts, shuffle, part, num_samples, num_parallel_workers, cache))


class _Rows(CorpusDataset):
    """Base of those in CSV without a line of names."""

    _files = {"test": "test.csv", "train": "train.csv"}  # noqa: RUF012

    def _read(self, file: Path) -> Iterable[Row]:
        with open(file, newline="", encoding="utf-8") as text:
            lines = csv.reader(text)
            for row in lines:
                if len(row) != len(self._columns):
                    raise OpRuntimeError(
                        f"Invalid csv, {file} parse failed at line {lines.line_num}: {len(row)} fields where there are"
                        f" {len(self._columns)} columns"
                    )
                yield tuple(row)

    def __init__(
        self, dataset_dir: str, usage: str | None = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: Any = Shuffle.GLOBAL, num_shards: int | None = None,
        shard_id: int | None = None, cache: Any = None,
    ) -> None:  # fmt: skip
        part = num_shards, shard_id
        self._begin_with(dataset_dir, usage, num_samples, num_parallel_workers, shuffle, part, cache)


class AGNewsDataset(_Rows):
    """News in four classes.

    Args:
        dataset_dir: the folder with `train.csv` and `test.csv`.
        usage: "train", "test" or "all", the default.
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    Columns: "index", "title" and "description", words.
    """

    _columns = ["index", "title", "description"]  # noqa: RUF012


class AmazonReviewDataset(_Rows):
    """Reviews with two labels or five; arguments are those of `AGNewsDataset`.

    Columns: "label", "title" and "content", words.
    """

    _columns = ["label", "title", "content"]  # noqa: RUF012


class DBpediaDataset(_Rows):
    """Articles in 14 classes; arguments are those of `AGNewsDataset`.

    Columns: "class", "title" and "content", words.
    """

    _columns = ["class", "title", "content"]  # noqa: RUF012


class YahooAnswersDataset(_Rows):
    """Questions in ten classes, with an answer; arguments are those of `AGNewsDataset`.

    Columns: "class", "title", "content" and "answer", words.
    """

    _columns = ["class", "title", "content", "answer"]  # noqa: RUF012


class _OtherOrder(CorpusDataset):
    """Base of those whose arguments have another order."""

    def __init__(
        self, dataset_dir: str, usage: str | None = None, num_samples: int | None = None, shuffle: Any = Shuffle.GLOBAL,
        num_shards: int | None = None, shard_id: int | None = None, num_parallel_workers: int | None = None,
        cache: Any = None,
    ) -> None:  # fmt: skip
        part = num_shards, shard_id
        self._begin_with(dataset_dir, usage, num_samples, num_parallel_workers, shuffle, part, cache)


class SogouNewsDataset(_OtherOrder, _Rows):
    """News in five classes; arguments are those of `AGNewsDataset`, in another order.

    Columns: "index", "title" and "content", words.
    """

    _columns = ["index", "title", "content"]  # noqa: RUF012


class YelpReviewDataset(_OtherOrder, _Rows):
    """Reviews with two labels or five; arguments are those of `AGNewsDataset`, in another order.

    Columns: "label" and "text", words.
    """

    _columns = ["label", "text"]  # noqa: RUF012


class _Tagged(_OtherOrder):
    """Base of sentences whose words lie in lines with their tags, an empty line between them."""

    _between: str | None = None

    def _read(self, file: Path) -> Iterable[Row]:
        words: list[list[str]] = []
        for number, line in enumerate([*read_lines(file), ""], 1):
            if line.strip():
                words.append(line.split(self._between))
                if len(words[-1]) != len(self._columns):
                    raise OpRuntimeError(f"Invalid data, {file}: line {number} has {len(words[-1])} fields, not 3")
            elif words:
                yield tuple(np.array(column) for column in zip(*words))
                words = []


class CoNLL2000Dataset(_Tagged):
    """Sentences with tags of words and of phrases.

    Args:
        dataset_dir: the folder with `train.txt` and `test.txt`.
        usage: "train", "test" or "all", the default.
        num_samples, shuffle, num_shards, shard_id, num_parallel_workers, cache: as for `TextFileDataset`.
    Columns: "word", "pos_tag" and "chunk_tag" (n,), words.
    """

    _files = {"test": "test.txt", "train": "train.txt"}  # noqa: RUF012
    _columns = ["word", "pos_tag", "chunk_tag"]  # noqa: RUF012


class UDPOSDataset(_Tagged):
    """Sentences with two tags for each word.

    Args:
        dataset_dir: the folder with `en-ud-tag.v2.train.txt`, `….dev.txt` and `….test.txt`.
        usage: "train", "test", "valid" or "all", the default.
        num_samples, shuffle, num_shards, shard_id, num_parallel_workers, cache: as for `TextFileDataset`.
    Columns: "word", "universal" and "stanford" (n,), words.
    """

    _files = {"valid": "en-ud-tag.v2.dev.txt", "test": "en-ud-tag.v2.test.txt", "train": "en-ud-tag.v2.train.txt"}  # noqa: RUF012
    _columns = ["word", "universal", "stanford"]  # noqa: RUF012
    _between = "\t"


class _Text(CorpusDataset):
    """Base of plain lines."""

    _empty_lines = False

    _columns = ["text"]  # noqa: RUF012

    def _read(self, file: Path) -> Iterable[Row]:
        lines = read_lines(file)
        return ((line,) for line in lines[: len(lines) - (not lines[-1])] if line or self._empty_lines)

    def __init__(
        self, dataset_dir: str, usage: str | None = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: Any = Shuffle.GLOBAL, num_shards: int | None = None,
        shard_id: int | None = None, cache: Any = None,
    ) -> None:  # fmt: skip
        part = num_shards, shard_id
        self._begin_with(dataset_dir, usage, num_samples, num_parallel_workers, shuffle, part, cache)


class PennTreebankDataset(_Text):
    """Lines of the Penn Treebank.

    Args:
        dataset_dir: the folder with `ptb.train.txt`, `ptb.test.txt` and `ptb.valid.txt`.
        usage: "train", "test", "valid" or "all", the default.
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    Column: "text", a word.
    """

    _files = {part: f"ptb.{part}.txt" for part in ("test", "train", "valid")}  # noqa: RUF012


class WikiTextDataset(_Text):
    """Lines of WikiText-2 and WikiText-103.

    Args:
        dataset_dir: the folder with `wiki.train.tokens`, `wiki.test.tokens` and `wiki.valid.tokens`.
        usage: "train", "test", "valid" or "all", the default.
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    Column: "text", a word.
    """

    _files = {part: f"wiki.{part}.tokens" for part in ("test", "train", "valid")}  # noqa: RUF012


class EnWik9Dataset(_Text):
    """Lines of the first 10⁹ bytes of a Wikipedia.

    Args:
        dataset_dir: the folder with `enwik9`.
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    Column: "text", a word.
    """

    _files = {"all": "enwik9"}  # noqa: RUF012
    _empty_lines = True

    def __init__(
        self, dataset_dir: str, num_samples: int | None = None, num_parallel_workers: int | None = None,
        shuffle: Any = True, num_shards: int | None = None, shard_id: int | None = None, cache: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(dataset_dir, None, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)


class SST2Dataset(CorpusDataset):
    """Sentences of reviews, good or bad.

    Args:
        dataset_dir: the folder with `train.tsv`, `dev.tsv` and `test.tsv`.
        usage: "train", the default, "dev" or "test".
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    Columns: "sentence" and, but for the test, "label", words.
    """

    _files = {part: f"{part}.tsv" for part in ("train", "test", "dev")}  # noqa: RUF012
    _default = "train"

    def _read(self, file: Path) -> Iterable[Row]:
        for number, line in enumerate(read_lines(file)[1:], 2):
            if line:
                fields = line.split("\t")
                if len(fields) != 2:
                    raise OpRuntimeError(f"Invalid data, {file}: line {number} has {len(fields)} fields, not 2")
                yield (fields[1],) if file.name == "test.tsv" else (fields[0], fields[1])

    def __init__(
        self, dataset_dir: str, usage: str | None = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: Any = Shuffle.GLOBAL, num_shards: int | None = None,
        shard_id: int | None = None, cache: Any = None,
    ) -> None:  # fmt: skip
        columns = ["sentence"] if usage == "test" else ["sentence", "label"]
        part = num_shards, shard_id
        self._begin_with(dataset_dir, usage, num_samples, num_parallel_workers, shuffle, part, cache, columns)


class SQuADDataset(CorpusDataset):
    """Questions about texts, versions 1.1 and 2.0.

    Args:
        dataset_dir: the folder with `train-v1.1.json` and `dev-v1.1.json`, or those of version 2.0.
        usage: "train", "dev" or "all", the default.
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    Columns: "context" and "question", words, "text" (n,), the answers, and "answer_start" (n,) uint32, where in the
        context they begin. A question without an answer has one empty word, which begins at the largest uint32.
    """

    _files = {"dev": "dev-v*.json", "train": "train-v*.json"}  # noqa: RUF012
    _columns = ["context", "question", "text", "answer_start"]  # noqa: RUF012

    def _read(self, file: Path) -> Iterable[Row]:
        nothing = {"text": "", "answer_start": 2**32 - 1}
        try:
            for paragraph in (p for article in json.loads(file.read_bytes())["data"] for p in article["paragraphs"]):
                for asked in paragraph["qas"]:
                    answers = asked["answers"] or [nothing]
                    texts = np.array([answer["text"] for answer in answers])
                    starts = np.array([answer["answer_start"] for answer in answers], np.uint32)
                    yield paragraph["context"], asked["question"], texts, starts
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise OpRuntimeError(
                f"Invalid json, {file} does not hold questions as SQuAD has them ({error!r})"
            ) from error

    def __init__(
        self, dataset_dir: str, usage: str | None = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: Any = Shuffle.GLOBAL, num_shards: int | None = None,
        shard_id: int | None = None, cache: Any = None,
    ) -> None:  # fmt: skip
        part = num_shards, shard_id
        self._begin_with(dataset_dir, usage, num_samples, num_parallel_workers, shuffle, part, cache)


class Multi30kDataset(CorpusDataset):
    """Sentences in English and German.

    Args:
        dataset_dir: the folder with `training`, `validation` and `mmt16_task1_test`.
        usage: "train", "valid", "test" or "all", the default.
        language_pair: ["en", "de"], the default, or ["de", "en"].
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    Columns: "text" and "translation", words.
    """

    _files = {"test": "mmt16_task1_test/test.{}", "train": "training/train.{}", "valid": "validation/val.{}"}  # noqa: RUF012
    _columns = ["text", "translation"]  # noqa: RUF012

    def _read(self, file: Path) -> Iterable[Row]:
        pairs = [read_lines(file.with_suffix(f".{language}")) for language in self._languages]
        if len(pairs[0]) != len(pairs[1]):
            raise OpRuntimeError(f"Invalid data, {file}: its translation has another number of lines")
        return ((first, second) for first, second in zip(*pairs) if first)

    def __init__(
        self, dataset_dir: str, usage: str | None = None, language_pair: Any = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: Any = None, num_shards: int | None = None,
        shard_id: int | None = None, cache: Any = None,
    ) -> None:  # fmt: skip
        pair = ["en", "de"] if language_pair is None else language_pair
        if not isinstance(pair, (list, tuple)) or sorted(map(str, pair)) != ["de", "en"]:
            raise OpTypeError(f"language_pair is ['en', 'de'] or ['de', 'en'], but got {pair!r}", arg="language_pair")
        self._languages = list(pair)
        self._files = {part: name.format(pair[0]) for part, name in type(self)._files.items()}
        part = num_shards, shard_id
        self._begin_with(dataset_dir, usage, num_samples, num_parallel_workers, shuffle, part, cache)


class IMDBDataset(FileDataset):
    """Reviews of films, good or bad, in a file each.

    Args:
        dataset_dir: the folder with `train` and `test`, each with `pos` and `neg`.
        usage: "train", "test" or "all", the default.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "text", a word, and "label", an int32: 1 for good ones.
    """

    def _find(self, folder: Path, usage: str | None = None) -> Fields:
        wanted = usage_of(usage, ["train", "test", "all"])
        pairs = [
            (file, label) for part in ("train", "test") if wanted in (part, "all")
            for kind, label in (("pos", 1), ("neg", 0)) for file in image_files(folder / part / kind, [".txt"])
        ]  # fmt: skip
        return {
            "text": (
                [file for file, _ in pairs],
                lambda file: np.array("\n".join(read_lines(file)).removesuffix("\n")),
            ),
            "label": (np.array([label for _, label in pairs], np.int32), None),
        }
