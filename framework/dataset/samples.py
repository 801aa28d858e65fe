"""What datasets in files share: samples whose fields are read when they are asked for, and the arguments of all.

A dataset is a class that finds its samples: for each column the values, and how a field is read from one. All else, the
order, the parts, the workers, the cache, decoded images, is here.
"""

from __future__ import annotations

import functools
import inspect
import os
import wave
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anfora.core.arguments import unknown
from anfora.core.errors import OpRuntimeError, OpTypeError
from anfora.core.files import DAMAGE, reading
from anfora.data.idx import DataError, read_idx
from anfora.dataset import checks
from anfora.dataset.blocks import Block
from anfora.dataset.cache import with_cache
from anfora.dataset.datasets import Dataset
from anfora.dataset.mapping import Map
from anfora.dataset.node import Node
from anfora.dataset.samplers import select
from anfora.dataset.sources import Indexed, Sampled
from anfora.dataset.vision.geometry import Decode

__all__ = [
    "Field", "Fields", "FileDataset", "Samples", "idx_arrays", "image_files", "matlab", "missing", "rate_of", "read_bytes",
    "read_lines", "read_wave", "usage_of",
]  # fmt: skip

#: The fields of one column: a value for each sample, and the function that reads the field from it, where it is no array.
Field = tuple[Any, Callable[[Any], np.ndarray] | None]

#: Those of all columns, by their names.
Fields = Mapping[str, tuple[Any, Any]]

#: Endings of files that are images, as MindSpore's datasets of folders know them.
_IMAGES = (".jpg", ".jpeg", ".png", ".bmp", ".ppm", ".gif", ".tif", ".tiff")


class Samples(Indexed):
    """Samples whose fields are read when they are asked for.

    Args:
        fields: {column: (a value for each sample, how its field is read)}; None for values that are numbers, words or
            arrays.
        label: the column that has the classes, for samplers that choose by them.
    """

    class_indexing: dict[str, Any]
    num_classes: int

    def __init__(self, fields: Mapping[str, tuple[Any, Any]], label: str | None = None) -> None:
        self.fields, self.columns = fields, list(fields)
        self.total = len(next(iter(fields.values()))[0])
        if label is not None:
            self.labels = lambda column: fields[column if column in fields else label][0]  # type: ignore[method-assign]

    def fetch(self, numbers: np.ndarray) -> Block:
        columns: list[Any] = []
        for values, read in self.fields.values():
            if read is not None:
                columns.append([_read(read, values[n]) for n in numbers.tolist()])
            elif isinstance(values, np.ndarray) and values.dtype.kind not in "USO":
                columns.append(values[numbers])
            else:
                columns.append([np.array(values[n]) for n in numbers.tolist()])
        return Block(columns, len(numbers))


def _read(read: Callable[[Any], np.ndarray], value: Any) -> np.ndarray:
    """A field as it is read from a value: a file, or one and a place in it."""
    with reading(value[0] if isinstance(value, tuple) else value):
        return read(value)


class FileDataset(Dataset):
    """Base of datasets whose samples lie in files and can be had in any order.

    A dataset defines `_find`, which takes the folder and the arguments that are its own, and gives the fields of its
    samples; its constructor is made from that: it takes the arguments of `_find`, those of all datasets, and last those
    of `_find` that go by name alone.

    The arguments of all:
        num_samples: at most so many.
        num_parallel_workers: see `Dataset.map`.
        shuffle: whether samples come in random order; by default they do. Else in the order of the list of samples,
            or of the names of the files.
        decode: whether images are decoded to (H, W, 3) uint8; else they are the bytes of the files, (n,) uint8.
        sampler: instead of shuffle: a sampler, or numbers of samples.
        num_shards, shard_id: take part `shard_id` of so many.
        cache: a `DatasetCache` for the samples, with images decoded if they are.
    Raises:
        OpRuntimeError: files are missing or damaged.
    """

    _decoded: Sequence[str] = ()  #: the columns that `decode` speaks of; without one it is no argument
    _label: str | None = "label"  #: the column of the classes
    _lacks: Sequence[str] = ()  #: arguments of all that this one does not take
    _defaults: Mapping[str, Any] = {}  #: defaults of arguments of all that are others here

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "_find" in vars(cls):
            cls.__init__ = _constructor(cls)  # type: ignore[method-assign]
        if "__init__" in vars(cls):
            cls.__init__ = _reading(cls.__init__)  # type: ignore[method-assign]

    def _samples(
        self, fields: Mapping[str, tuple[Any, Any]], sampling: tuple[Any, ...], workers: Any, cache: Any,
        decode: Any = False, images: Sequence[str] = ("image",), label: str | None = "label",
        class_indexing: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """Begin with these samples.

        Args:
            fields: as for `Samples`.
            sampling: (num_samples, sampler, shuffle, num_shards, shard_id).
            workers, cache, decode: as the program gave them.
            images: the columns that `decode` speaks of.
            label: the column of the classes.
            class_indexing: the number of each class.
        """
        chosen = select(*sampling)
        is_decoded = decode is not None and checks.boolean("decode", decode)
        if not len(next(iter(fields.values()))[0]):
            raise missing(self, "no sample was found")
        node = Samples(fields, label if label in fields else None)
        node.workers = None if workers is None else checks.integer_in("num_parallel_workers", workers, 1)
        if class_indexing is not None:
            node.class_indexing, node.num_classes = class_indexing, len(class_indexing)
        whole: Node = node
        for column in images if is_decoded else ():
            whole = Map(whole, [Decode()], [column], None)
            whole.labels = node.labels
        in_memory = all(read is None for _, read in fields.values())
        self._begin(Sampled(with_cache(whole, cache, in_memory=in_memory), chosen))


def _arguments_of_all(
    num_samples: int | None = None, num_parallel_workers: int | None = None,
    shuffle: bool | None = None, decode: bool = False, sampler: Any = None, num_shards: int | None = None,
    shard_id: int | None = None, cache: Any = None,
) -> None:  # fmt: skip
    """What constructors take beside what is their own, in this order."""


_OF_ALL = inspect.signature(_arguments_of_all).parameters


def _constructor(cls: Any) -> Callable[..., None]:
    """The constructor of a dataset that says how it finds its samples."""
    first, folder, *own = inspect.signature(cls._find).parameters.values()
    of_all = [
        p.replace(default=cls._defaults.get(name, p.default)) for name, p in _OF_ALL.items()
        if name not in cls._lacks and (name != "decode" or cls._decoded)
    ]  # fmt: skip
    in_front = [p for p in own if p.kind is not p.KEYWORD_ONLY]
    behind = [p.replace(kind=p.POSITIONAL_OR_KEYWORD) for p in own if p.kind is p.KEYWORD_ONLY]
    place = folder.replace(name="dataset_dir", annotation="str")
    signature = inspect.Signature([first, place, *in_front, *of_all, *behind], return_annotation="None")
    names = {p.name for p in own}

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            given = signature.bind(self, *args, **kwargs)
        except TypeError as error:
            what, takes = type(self).__name__, [*signature.parameters][1:]
            for name in kwargs:
                if name not in takes:
                    raise unknown(what, name, takes) from None
            raise OpTypeError(f"{what}: {error}") from None
        given.apply_defaults()
        values = given.arguments
        fields = self._find(
            Path(checks.folder("dataset_dir", values["dataset_dir"])), **{name: values[name] for name in names}
        )
        sampling = [values.get(name) for name in ("num_samples", "sampler", "shuffle", "num_shards", "shard_id")]
        cache, decode = values.get("cache"), values.get("decode", False)
        self._samples(
            fields, tuple(sampling), values["num_parallel_workers"], cache, decode, self._decoded, self._label
        )

    __init__.__qualname__ = f"{cls.__qualname__}.__init__"
    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


def _reading(construct: Callable[..., None]) -> Callable[..., None]:
    """A constructor that reads files: whatever they hold, what it raises is this package's."""

    @functools.wraps(construct)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        given = args[0] if args else next(iter(kwargs.values()), "")
        with reading(f"a file of {type(self).__name__} in {given}"):
            construct(self, *args, **kwargs)

    return __init__


def matlab(dataset: object, file: Path) -> dict[str, Any]:
    """What a file of MATLAB's holds, as scipy reads it."""
    try:
        from scipy.io import loadmat
    except ImportError as error:
        raise OpRuntimeError(
            f"{type(dataset).__name__} needs scipy, which reads MATLAB's files, and which is not installed ({error})",
            help="pip install scipy",
        ) from error
    try:
        found: dict[str, Any] = loadmat(file)
        return found
    except (OSError, ValueError, TypeError, NotImplementedError) as error:
        raise missing(dataset, f"{file} ({error})") from error


def missing(dataset: object, what: str) -> OpRuntimeError:
    return OpRuntimeError(
        f"Invalid data, {type(dataset).__name__} API can't read the data file (interface mismatch or no data found)."
        f" {what}"
    )


def usage_of(usage: Any, words: Sequence[str], default: str = "all") -> str:
    """The part of a dataset that the program asks for."""
    if usage is None:
        return default
    if not isinstance(usage, str):
        raise checks.wrong_type("usage", usage, str)
    checks.one_of("usage", usage, words)
    return usage


def read_bytes(path: Any) -> np.ndarray:
    """The bytes of a file, (n,) uint8."""
    try:
        return np.fromfile(path, np.uint8)
    except OSError as error:
        raise OpRuntimeError(f"Invalid file, {path} cannot be read ({error})") from error


def read_lines(path: str | os.PathLike[str]) -> list[str]:
    """The lines of a file of text in UTF-8, without their ends."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise OpRuntimeError(f"Invalid file, {path} cannot be read as text ({error})") from error


def read_wave(path: Any) -> np.ndarray:
    """The samples of a WAV file of 8, 16 or 32 bits, (channels, n) float32; the largest is 1."""
    data, _ = _wave(path)
    return data


def rate_of(path: Any) -> np.ndarray:
    """The samples that a WAV file has in a second."""
    return np.array(_wave(path, header=True)[1])


def _wave(path: Any, header: bool = False) -> tuple[np.ndarray, int]:
    try:
        with wave.open(str(path), "rb") as file:
            width, channels = file.getsampwidth(), file.getnchannels()
            if width not in (1, 2, 4):
                raise OpRuntimeError(f"Invalid file, {path} has samples of {8 * width} bits, not 8, 16 or 32")
            data = b"" if header else file.readframes(file.getnframes())
            rate = file.getframerate()
    except (*DAMAGE, RuntimeError, wave.Error) as error:
        raise OpRuntimeError(f"Invalid file, {path} cannot be read as WAV ({error})") from error
    whole = np.frombuffer(data, {1: "u1", 2: "<i2", 4: "<i4"}[width]).reshape(-1, channels).T
    if width == 1:
        return (whole.astype(np.float32) - 128) / np.float32(127), rate
    return (whole / np.float64(2 ** (8 * width - 1) - 1)).astype(np.float32), rate


def idx_arrays(dataset: object, folder: Path, *stems: str) -> list[np.ndarray]:
    """Equally long arrays in IDX files, plain or gzipped; names may have a dot for the last dash."""
    found = []
    for stem in stems:
        names = [f"{dashed}{end}" for dashed in (stem, ".idx".join(stem.rsplit("-idx", 1))) for end in ("", ".gz")]
        file = next((folder / name for name in names if (folder / name).is_file()), None)
        if file is None:
            raise missing(dataset, f"Check {stem} in directory: {folder}")
        try:
            found.append(read_idx(file))
        except DataError as error:
            raise OpRuntimeError(f"Invalid data, {error}") from error
        axes = int(stem.rsplit("-idx", 1)[1][0])
        if found[-1].ndim != axes:
            raise OpRuntimeError(f"Invalid data, {file}: should have {axes} axes, but has {found[-1].ndim}")
    if len({len(array) for array in found}) > 1:
        raise OpRuntimeError(f"Invalid data, {folder}: {len(found[0])} images but {len(found[1])} labels, {stems[0]}")
    return found


def image_files(folder: str | os.PathLike[str], endings: Iterable[str] = _IMAGES) -> list[str]:
    """The images in a folder and in those inside of it, in the order of their paths."""
    found = []
    for place, inner, files in os.walk(folder):
        inner.sort()
        found += [os.path.join(place, name) for name in sorted(files) if name.lower().endswith(tuple(endings))]
    return found
