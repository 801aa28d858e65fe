"""Datasets of talks with their translations, as the workshops IWSLT have given them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.dataset import checks
from anfora.dataset.corpora import CorpusDataset, Row
from anfora.dataset.lines import Shuffle
from anfora.dataset.samples import missing, read_lines

__all__ = ["IWSLT2016Dataset", "IWSLT2017Dataset"]

_SEGMENT = re.compile(r"<seg[^>]*>(.*?)</seg>", re.DOTALL)


class _Talks(CorpusDataset):
    """Base of both: training texts between lines of tags, texts to test with in XML."""

    _columns = ["text", "translation"]  # noqa: RUF012
    _languages: tuple[str, str]

    def _read(self, file: Path) -> Iterable[Row]:
        first, second = (self._sentences(file.with_name(self._other(file.name, each))) for each in self._languages)
        if len(first) != len(second):
            raise OpRuntimeError(f"Invalid data, {file}: its translation has another number of sentences")
        return zip(first, second)

    def _other(self, name: str, language: str) -> str:
        """The file of the other language."""
        return re.sub(rf"\.{self._languages[0]}(\.xml)?$", rf".{language}\1", name)

    def _sentences(self, file: Path) -> list[str]:
        if not file.is_file():
            raise missing(self, f"Check {file.name} in directory: {file.parent}")
        lines = read_lines(file)
        if file.suffix == ".xml":
            return [each.strip() for each in _SEGMENT.findall("\n".join(lines))]
        return [line.strip() for line in lines if line.strip() and not line.startswith("<")]

    def _pair(self, given: Any, known: tuple[tuple[str, str], ...], default: tuple[str, str]) -> None:
        pair = default if given is None else given
        if not isinstance(pair, (list, tuple)) or any(not isinstance(each, str) for each in pair):
            raise OpTypeError(f"language_pair must be two languages, but got {pair!r}", arg="language_pair")
        if tuple(pair) not in known:
            said = ", ".join(f"{a}-{b}" for a, b in known)
            raise OpValueError(f"language_pair must be one of {said}, but got {pair!r}", arg="language_pair")
        self._languages = (pair[0], pair[1])


class IWSLT2016Dataset(_Talks):
    """Talks in English and Arabic, Czech, French or German.

    Args:
        dataset_dir: the folder with `texts`.
        usage: "train", "valid", "test" or "all", the default.
        language_pair: the languages of the text and of its translation, ("de", "en") by default; one of them is English.
        valid_set: "dev2010", "tst2010" to "tst2014"; "tst2013" by default.
        test_set: likewise; "tst2014" by default.
        num_samples, shuffle, num_shards, shard_id, num_parallel_workers, cache: as for `TextFileDataset`.
    Columns: "text" and "translation", words.
    """

    def __init__(
        self, dataset_dir: str, usage: str | None = None, language_pair: Any = None, valid_set: str | None = None,
        test_set: str | None = None, num_samples: int | None = None, shuffle: Any = Shuffle.GLOBAL,
        num_shards: int | None = None, shard_id: int | None = None, num_parallel_workers: int | None = None,
        cache: Any = None,
    ) -> None:  # fmt: skip
        others = ("ar", "cs", "de", "fr")
        self._pair(language_pair, (*((o, "en") for o in others), *(("en", o) for o in others)), ("de", "en"))
        sets = ("dev2010", "tst2010", "tst2011", "tst2012", "tst2013", "tst2014")
        for name, value in (("valid_set", valid_set), ("test_set", test_set)):
            if value is not None and value not in sets:
                raise OpValueError(f"{name} must be one of {', '.join(sets)}, but got {value!r}", arg=name)
        source, target = self._languages
        pair = f"{source}-{target}"
        place = f"texts/{source}/{target}/{pair}"
        self._files = {
            "train": f"{place}/train.tags.{pair}.{source}",
            "test": f"{place}/IWSLT16.TED.{test_set or 'tst2014'}.{pair}.{source}.xml",
            "valid": f"{place}/IWSLT16.TED.{valid_set or 'tst2013'}.{pair}.{source}.xml",
        }
        part = num_shards, shard_id
        self._begin_with(dataset_dir, usage, num_samples, num_parallel_workers, shuffle, part, cache)


class IWSLT2017Dataset(_Talks):
    """Talks in Dutch, English, German, Italian and Romanian.

    Args:
        dataset_dir: the folder with `texts/DeEnItNlRo`, or with `DeEnItNlRo`.
        usage: "train", "valid", "test" or "all", the default.
        language_pair: the languages of the text and of its translation, ("de", "en") by default.
        num_samples, shuffle, num_shards, shard_id, num_parallel_workers, cache: as for `TextFileDataset`.
    Columns: "text" and "translation", words.
    """

    def __init__(
        self, dataset_dir: str, usage: str | None = None, language_pair: Any = None, num_samples: int | None = None,
        shuffle: Any = Shuffle.GLOBAL, num_shards: int | None = None, shard_id: int | None = None,
        num_parallel_workers: int | None = None, cache: Any = None,
    ) -> None:  # fmt: skip
        known = ("de", "en", "it", "nl", "ro")
        self._pair(language_pair, tuple((a, b) for a in known for b in known if a != b), ("de", "en"))
        source, target = self._languages
        pair = f"{source}-{target}"
        place = "DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo"
        if (Path(checks.folder("dataset_dir", dataset_dir)) / "texts").is_dir():
            place = f"texts/{place}"
        self._files = {
            "train": f"{place}/train.tags.{pair}.{source}",
            "test": f"{place}/IWSLT17.TED.tst2010.{pair}.{source}.xml",
            "valid": f"{place}/IWSLT17.TED.dev2010.{pair}.{source}.xml",
        }
        part = num_shards, shard_id
        self._begin_with(dataset_dir, usage, num_samples, num_parallel_workers, shuffle, part, cache)
