"""Datasets of recordings, WAV files: each gives its waveform, (channels, n) float32 in [-1, 1], and its rate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError, OpValueError
from anfora.dataset import checks
from anfora.dataset.photographs import folders_of
from anfora.dataset.samples import (
    Field,
    Fields,
    FileDataset,
    image_files,
    missing,
    rate_of,
    read_lines,
    read_wave,
    usage_of,
)

__all__ = [
    "CMUArcticDataset", "GTZANDataset", "LJSpeechDataset", "LibriTTSDataset", "SpeechCommandsDataset", "TedliumDataset",
    "YesNoDataset",
]  # fmt: skip


def _sound(files: list[Any], kind: type = np.int32) -> dict[str, Field]:
    """The first two columns of all."""
    return {"waveform": (files, read_wave), "sample_rate": (files, lambda path: rate_of(path).astype(kind))}


class YesNoDataset(FileDataset):
    """One voice that says "yes" and "no" in Hebrew, eight times in each file.

    Args:
        dataset_dir: the folder with `0_0_0_0_1_1_1_1.wav` and so on.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "waveform" (channels, n) float32, "sample_rate", an int32, and "label" (8,) int32, 1 for "yes".
    """

    def __init__(
        self, dataset_dir: str, num_samples: int | None = None, num_parallel_workers: int | None = None,
        shuffle: bool | None = None, sampler: Any = None, num_shards: int | None = None, shard_id: int | None = None,
        cache: Any = None,
    ) -> None:  # fmt: skip
        files = image_files(checks.folder("dataset_dir", dataset_dir), [".wav"])
        try:
            labels = np.array([Path(file).stem.split("_") for file in files], np.int32).reshape(-1, 8)
        except ValueError as error:
            raise OpRuntimeError(f"Invalid file, names should be eight of 0 and 1 with _ between ({error})") from error
        fields = _sound(files) | {"label": (labels, None)}
        sampling = num_samples, sampler, shuffle, num_shards, shard_id
        self._samples(fields, sampling, num_parallel_workers, cache, label=None)


class GTZANDataset(FileDataset):
    """Pieces of music of ten genres.

    Args:
        dataset_dir: the folder with a folder for each genre, `blues/blues.00000.wav` and so on.
        usage: "all", the default. Parts are not told by the files; `split`, or a sampler, makes some.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "waveform" (channels, n) float32, "sample_rate", a uint32, and "label", the genre.
    """

    def _find(self, folder: Path, usage: str | None = None) -> Fields:
        if usage_of(usage, ["train", "valid", "test", "all"]) != "all":
            raise OpValueError(
                f"GTZANDataset(usage={usage!r}): the files do not tell which part they belong to",
                arg="usage", help="dataset.split([0.8, 0.1, 0.1]) divides it; a sampler takes those that a list names.",
            )  # fmt: skip
        pairs = [(file, kind) for kind in folders_of(folder) for file in image_files(folder / kind, [".wav"])]
        return _sound([file for file, _ in pairs], np.uint32) | {"label": ([kind for _, kind in pairs], None)}


class SpeechCommandsDataset(FileDataset):
    """Single words, spoken by many.

    Args:
        dataset_dir: the folder with a folder for each word, `testing_list.txt` and `validation_list.txt`.
        usage: "train", "test", "valid" or "all", the default.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "waveform" (channels, n) float32, "sample_rate", an int32, "label" and "speaker_id", words, and
        "utterance_number", an int32.
    """

    def _find(self, folder: Path, usage: str | None = None) -> Fields:
        wanted = usage_of(usage, ["train", "test", "valid", "all"])
        files = {
            f"{word}/{Path(file).name}": file for word in folders_of(folder) if not word.startswith("_")
            for file in image_files(folder / word, [".wav"])
        }  # fmt: skip
        lists = {"test": "testing_list.txt", "valid": "validation_list.txt"}
        parts = {
            part: [line.strip() for line in read_lines(folder / name) if line.strip()]
            for part, name in lists.items() if wanted in (part, "train")
        }  # fmt: skip
        others = {name for part in parts.values() for name in part}
        names = [n for n in files if n not in others] if wanted == "train" else parts.get(wanted, list(files))
        absent = [name for name in names if name not in files]
        if absent:
            raise missing(self, f"Check {absent[0]} in directory: {folder}")
        speakers = [Path(name).stem.split("_nohash_") for name in names]
        return _sound([files[name] for name in names]) | {
            "label": ([name.split("/")[0] for name in names], None),
            "speaker_id": ([pair[0] for pair in speakers], None),
            "utterance_number": (np.array([int(pair[1]) for pair in speakers], np.int32), None),
        }


class LJSpeechDataset(FileDataset):
    """One voice that reads books.

    Args:
        dataset_dir: the folder with `metadata.csv` and `wavs`.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "waveform" (channels, n) float32, "sample_rate", an int32, "transcription" and
        "normalized_transcription", words.
    """

    def _find(self, folder: Path) -> Fields:
        rows = [line.split("|") for line in read_lines(folder / "metadata.csv") if line.strip()]
        if any(len(row) != 3 for row in rows):
            raise OpRuntimeError(
                f"Invalid file, {folder / 'metadata.csv'} has a line that is not three fields between |"
            )
        return _sound([folder / "wavs" / f"{row[0]}.wav" for row in rows]) | {
            "transcription": ([row[1] for row in rows], None),
            "normalized_transcription": ([row[2] for row in rows], None),
        }


_ARCTIC = [
    "aew", "ahw", "aup", "awb", "axb", "bdl", "clb", "eey", "fem", "gka", "jmk", "ksp", "ljm", "lnh", "rms", "rxr", "slp",
    "slt",
]  # fmt: skip


class CMUArcticDataset(FileDataset):
    """The same sentences, read by 18 voices.

    Args:
        dataset_dir: the folder with `cmu_us_aew_arctic` and so on.
        name: the voice, "aew" by default.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "waveform" (channels, n) float32, "sample_rate", a uint32, "transcript" and "utterance_id", words.
    """

    def _find(self, folder: Path, name: str | None = None) -> Fields:
        voice = checks.one_of("name", "aew" if name is None else name, _ARCTIC)
        place = folder / f"cmu_us_{voice}_arctic"
        rows = []
        for line in read_lines(place / "etc" / "txt.done.data"):  # ( arctic_a0001 "Author of ..." )
            words = line.strip(" ()").split(" ", 1)
            if len(words) == 2:
                rows.append((words[0], words[1].strip().strip('"')))
        return _sound([place / "wav" / f"{row[0]}.wav" for row in rows], np.uint32) | {
            "transcript": ([row[1] for row in rows], None),
            "utterance_id": ([row[0].removeprefix("arctic_") for row in rows], None),
        }


_LIBRI = ["dev-clean", "dev-other", "test-clean", "test-other", "train-clean-100", "train-clean-360", "train-other-500"]


class LibriTTSDataset(FileDataset):
    """Many voices that read books.

    Args:
        dataset_dir: the folder with `dev-clean` and so on.
        usage: "dev-clean", "dev-other", "test-clean", "test-other", "train-clean-100", "train-clean-360",
            "train-other-500", or "all", the default: those that are there.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "waveform" (channels, n) float32, "sample_rate", a uint32, "original_text" and "normalized_text", words,
        "speaker_id" and "chapter_id", uint32, and "utterance_id", a word.
    """

    def _find(self, folder: Path, usage: str | None = None) -> Fields:
        wanted = usage_of(usage, [*_LIBRI, "all"])
        files, rows = [], []
        for part in _LIBRI if wanted == "all" else [wanted]:
            for table in sorted((folder / part).glob("*/*/*.trans.tsv")):
                for line in read_lines(table):
                    words = line.split("\t")
                    if len(words) == 3:
                        files.append(table.parent / f"{words[0]}.wav")
                        rows.append(words)
        numbers = [row[0].split("_") for row in rows]
        return _sound(files, np.uint32) | {
            "original_text": ([row[1] for row in rows], None),
            "normalized_text": ([row[2] for row in rows], None),
            "speaker_id": (np.array([int(n[0]) for n in numbers], np.uint32), None),
            "chapter_id": (np.array([int(n[1]) for n in numbers], np.uint32), None),
            "utterance_id": ([row[0] for row in rows], None),
        }


class TedliumDataset(FileDataset):
    """Talks, sentence by sentence, with what is said.

    Args:
        dataset_dir: the folder with `train`, `test` and `dev`, of the third release that with `data`.
        release: "release1", "release2" or "release3".
        usage: of the first two "train", "test", "dev" or "all", the default; of the third "all".
        extensions: ".sph", the only one.
        num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache: as for `ImageFolderDataset`.
    Columns: "waveform" (1, n) float32, "sample_rate", an int32, "transcript", "talk_id", "speaker_id" and
        "identifier", words.
    """

    _label = None

    def _find(self, folder: Path, release: str, usage: str | None = None, extensions: str | None = None) -> Fields:
        checks.one_of("release", release, ["release1", "release2", "release3"])
        checks.one_of("extensions", extensions or ".sph", [".sph"])
        third = release == "release3"
        wanted = usage_of(usage, ["all"] if third else ["train", "test", "dev", "all"])
        if third:
            places = [folder / "data"]
        else:
            parts = ["train", "test", "dev"] if wanted == "all" else [wanted]
            places = [folder / part for part in parts]
        pieces: list[tuple[Path, float, float]] = []
        words: list[list[str]] = []
        for place in places:
            if not place.is_dir():
                raise missing(self, f"Check {place.name} in directory: {place.parent}")
            for file in sorted((place / "stm").glob("*.stm")):
                for number, line in enumerate(read_lines(file), 1):
                    told = line.split(maxsplit=6)
                    if not told:
                        continue
                    try:
                        talk, _, speaker, start, end, identifier, *text = told
                        pieces.append((place / "sph" / f"{file.stem}.sph", float(start), float(end)))
                    except ValueError as error:
                        raise OpRuntimeError(f"Invalid file, {file}: line {number} is damaged ({error})") from error
                    words.append([text[0] if text else "", talk, speaker, identifier])
        names = ("transcript", "talk_id", "speaker_id", "identifier")
        return {
            "waveform": (pieces, lambda piece: _piece(*piece)),
            "sample_rate": (pieces, lambda piece: np.array(_header(piece[0])["sample_rate"], np.int32)),
            **{name: ([row[k] for row in words], None) for k, name in enumerate(names)},
        }


def _header(file: Path) -> dict[str, int]:
    """What a file of NIST's says of itself."""
    try:
        with open(file, "rb") as data:
            first, size = data.readline().strip(), int(data.readline())
            lines = data.read(size - data.tell()).decode("ascii").split("\n")
    except (OSError, ValueError) as error:
        raise OpRuntimeError(f"Invalid file, {file} cannot be read as SPHERE ({error})") from error
    if first != b"NIST_1A":
        raise OpRuntimeError(f"Invalid file, {file} cannot be read as SPHERE: it begins with {first!r}")
    found = {"size": size, "channel_count": 1, "big": 1}
    for name, kind, value in (line.split(maxsplit=2) for line in lines if len(line.split()) > 2):
        if kind == "-i":
            found[name] = int(value)
        elif name == "sample_byte_format":
            found["big"] = int(value == "10")
    return found


def _piece(file: Path, start: float, end: float) -> np.ndarray:
    """The samples between two seconds, (1, n) float32."""
    header = _header(file)
    rate = header["sample_rate"]
    first, last = int(start * rate), int(end * rate)
    kind = ">i2" if header["big"] else "<i2"
    whole = np.fromfile(file, kind, (last - first) * header["channel_count"], offset=header["size"] + 2 * first)
    return (whole / np.float64(32768)).astype(np.float32).reshape(1, -1)
