"""MindRecord files of data in other formats: CSV, TFRecord, MNIST, CIFAR, folders of images.

A converter knows its fields and gives their rows; that they are written is the same for all.
"""

from __future__ import annotations

import csv
import io
import os
import pickle
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from anfora.core.arguments import answers
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.data.idx import DataError, read_idx
from anfora.mindrecord.writer import FileWriter

__all__ = ["Cifar100ToMR", "Cifar10ToMR", "CsvToMR", "ImageNetToMR", "MnistToMR", "TFRecordToMR"]

_AT_ONCE = 256  # rows


def _written(
    path: str, parts: int, schema: dict[str, Any], rows: Iterable[dict[str, Any]], index: list[str] | None, desc: str
) -> None:
    writer = FileWriter(path, parts)
    writer.set_page_size(1 << 26)
    writer.add_schema(schema, desc)
    if index:
        writer.add_index(index)
    left = iter(rows)
    while some := list(islice(left, _AT_ONCE)):
        writer.write_raw_data(some)
    writer.commit()


def _path(name: str, value: Any) -> str:
    if not isinstance(value, (str, os.PathLike)) or not os.fspath(value):
        raise OpValueError(f"The parameter {name} must be str, but got {value!r}", arg=name)
    return os.path.expanduser(os.fspath(value))


def _parts(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise OpValueError(f"The parameter partition_number must be int, but got {value!r}", arg="partition_number")
    return value


def _jpeg(image: np.ndarray) -> bytes:
    """An image as MindSpore's converters pack it; (H, W) or (H, W, 3) in red, green, blue."""
    from anfora.dataset.vision.base import cv

    done, packed = cv().imencode(".jpeg", image[..., ::-1] if image.ndim == 3 else image)
    assert done
    return packed.tobytes()


@answers
class CsvToMR:
    """A MindRecord file of a CSV file, whose first line names its columns.

    Args:
        source: the CSV file.
        destination: the MindRecord file; it must not be there yet.
        columns_list: the columns that are taken; all by default.
        partition_number: in how many files.
    Fields: int64 where all values of a column are integers, int32 where they are True and False, float64 where they are
        numbers (an empty one is NaN), words elsewhere. All are in the index.
    Example:
        >>> from pathlib import Path
        >>> from anfora.mindrecord import FileReader
        >>> _ = Path("animals.csv").write_text("kind,legs\\ncat,4\\nbird,2\\n")
        >>> CsvToMR("animals.csv", "animals.mindrecord").transform()
        >>> list(FileReader("animals.mindrecord").get_next())
        [{'kind': 'cat', 'legs': 4}, {'kind': 'bird', 'legs': 2}]
    """

    def __init__(
        self, source: str, destination: str, columns_list: list[str] | None = None, partition_number: int = 1
    ) -> None:
        self._source, self._destination = _path("source", source), _path("destination", destination)
        if columns_list is not None and not (
            isinstance(columns_list, list) and all(isinstance(name, str) for name in columns_list)
        ):
            raise OpValueError("The parameter columns_list must be list of str.", arg="columns_list")
        self._columns, self._number = columns_list, _parts(partition_number)

    def transform(self) -> None:
        """Write the file.

        Raises:
            OSError: the source cannot be read.   OpRuntimeError: a column is not there, or lines differ in length.
            OpValueError: a column is named by a number.
        """
        with open(self._source, newline="", encoding="utf-8") as file:
            lines = [line for line in csv.reader(file) if line]
        if not lines:
            raise OpRuntimeError(f"Failed to generate schema from csv file: {self._source} is empty")
        header, *rows = lines
        names = self._columns or header
        for name in names:
            if name not in header:
                raise OpRuntimeError(f"The parameter columns_list is illegal, column {name} does not exist.")
            if name.isdigit():
                raise OpValueError(
                    f"The first line of {self._source} names the columns, and should not be a number, but has {name}"
                )
        for number, row in enumerate(rows, 2):
            if len(row) != len(header):
                raise OpRuntimeError(f"{self._source}: row {number} has {len(row)} fields, the first {len(header)}")
        columns = {name: _typed([row[header.index(name)] for row in rows]) for name in names}
        schema = {name: {"type": kind} for name, (kind, _) in columns.items()}
        made = ({name: values[number] for name, (_, values) in columns.items()} for number in range(len(rows)))
        _written(self._destination, self._number, schema, made, list(names), "csv_schema")


def _typed(words: list[str]) -> tuple[str, list[Any]]:
    """The type of a column, and its values."""
    if words and all(re.fullmatch(r"\s*[+-]?\d{1,18}\s*", word) for word in words):
        return "int64", [int(word) for word in words]
    if words and all(word in ("True", "False") for word in words):
        return "int32", [int(word == "True") for word in words]
    try:
        return "float64", [float(word) if word.strip() else float("nan") for word in words]
    except ValueError:
        return "string", words


@answers
class MnistToMR:
    """MindRecord files of MNIST's: `…_train.mindrecord` and `…_test.mindrecord`. Needs `pip install anfora[data]`.

    Args:
        source: the folder with `train-images-idx3-ubyte.gz` and so on, gzipped or plain.
        destination: what the names of the files begin with.
        partition_number: in how many files each.
    Fields: "data", a JPEG of 28 by 28 pixels, and "label", an int64, which is in the index.
    Example:
        >>> from pathlib import Path
        >>> from anfora.mindrecord import FileReader
        >>> for part in ("train", "t10k"):
        ...     head = bytes([0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 28, 0, 0, 0, 28])
        ...     _ = Path(f"{part}-images-idx3-ubyte").write_bytes(head + bytes(784))
        ...     _ = Path(f"{part}-labels-idx1-ubyte").write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 1, 7]))
        >>> MnistToMR(".", "digits").transform()
        >>> list(FileReader("digits_train.mindrecord", columns=["label"]).get_next())
        [{'label': 7}]
    """

    def __init__(self, source: str, destination: str, partition_number: int = 1) -> None:
        self._source, self._destination = Path(_path("source", source)), _path("destination", destination)
        self._number = _parts(partition_number)

    def transform(self) -> None:
        """Write the files.

        Raises:
            OpRuntimeError: a file is missing or damaged.
        """
        schema = {"label": {"type": "int64"}, "data": {"type": "bytes"}}
        for part, name in (("train", "train"), ("t10k", "test")):
            images, labels = (self._read(f"{part}-{kind}-ubyte") for kind in ("images-idx3", "labels-idx1"))
            rows = ({"label": int(label), "data": _jpeg(image)} for image, label in zip(images, labels))
            _written(
                f"{self._destination}_{name}.mindrecord", self._number, schema, rows, ["label"], "mnist_schema"
            )  # fmt: skip

    def _read(self, stem: str) -> np.ndarray:
        packed = self._source / f"{stem}.gz"
        try:
            return read_idx(packed if packed.is_file() else self._source / stem)
        except DataError as error:
            raise OpRuntimeError(f"Invalid data, {error}") from error


class _ArraysOnly(pickle.Unpickler):
    """What a file of CIFAR holds: dictionaries, lists, numbers, bytes and numpy arrays; nothing that could run."""

    def find_class(self, module: str, name: str) -> Any:
        arrays = module.split(".")[0] == "numpy" and name in ("ndarray", "dtype", "_reconstruct")
        if arrays or (module, name) == ("_codecs", "encode"):  # which is how Python 3 writes bytes for Python 2
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"it holds a {module}.{name}")


class _Cifar:
    """Base of the converters of CIFAR's Python version."""

    _train: str  #: a pattern of the files
    _test: str
    _labels: dict[str, bytes]  #: the fields, and where they stand in the files

    def __init__(self, source: str, destination: str) -> None:
        self._source, self._destination = Path(_path("source", source)), _path("destination", destination)
        for pattern in (self._train, self._test):
            if not list(self._source.glob(pattern)):
                raise OpValueError(f"the path {self._source / pattern} does not exist", arg="source")

    def transform(self, fields: list[str] | None = None) -> None:
        """Write the file, and beside it one of the test images, whose name ends in "_test".

        Args:
            fields: those of the index; all but the images by default.
        Raises:
            OpRuntimeError: a file is damaged, or holds something else.
        """
        if fields is not None and not isinstance(fields, list):
            raise OpValueError("The parameter fields should be None or list", arg="fields")
        schema = {name: {"type": "int64"} for name in ("id", *self._labels)} | {"data": {"type": "bytes"}}
        parts = (("", self._train, "img_train"), ("_test", self._test, "img_test"))
        for end, pattern, desc in parts:
            files = sorted(self._source.glob(pattern))
            _written(f"{self._destination}{end}", 1, schema, self._rows(files), fields, desc)

    def _rows(self, files: list[Path]) -> Iterator[dict[str, Any]]:
        number = 0
        for file in files:
            try:
                found = _ArraysOnly(io.BytesIO(file.read_bytes()), encoding="bytes").load()
                images = np.asarray(found[b"data"], np.uint8).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
                labels = {name: [int(label) for label in found[key]] for name, key in self._labels.items()}
            except (OSError, EOFError, KeyError, TypeError, ValueError, pickle.UnpicklingError) as error:
                raise OpRuntimeError(f"Invalid data, {file} is no file of CIFAR's Python version ({error})") from error
            for place, image in enumerate(images):
                own = {name: values[place] for name, values in labels.items()}
                yield {"id": number, "data": _jpeg(image), **own}
                number += 1


@answers
class Cifar10ToMR(_Cifar):
    """A MindRecord file of CIFAR-10 in its Python version. Needs `pip install anfora[data]`.

    Args:
        source: the folder with `data_batch_1`, …, `test_batch`.
        destination: the file; the test images get one whose name ends in "_test".
    Fields: "id" and "label", int64, and "data", a JPEG.
    Example:
        >>> import pickle
        >>> from pathlib import Path
        >>> from anfora.mindrecord import FileReader
        >>> for name in ("data_batch_1", "test_batch"):
        ...     content = {b"data": np.zeros((1, 3072), np.uint8), b"labels": [3]}
        ...     _ = Path(name).write_bytes(pickle.dumps(content))
        >>> Cifar10ToMR(".", "cifar10.mindrecord").transform()
        >>> list(FileReader("cifar10.mindrecord", columns=["id", "label"]).get_next())
        [{'id': 0, 'label': 3}]
    """

    _train, _test = "data_batch_*", "test_batch"
    _labels = {"label": b"labels"}  # noqa: RUF012


@answers
class Cifar100ToMR(_Cifar):
    """A MindRecord file of CIFAR-100 in its Python version. Needs `pip install anfora[data]`.

    Args:
        source: the folder with `train` and `test`.
        destination: the file; the test images get one whose name ends in "_test".
    Fields: "id", "fine_label" and "coarse_label", int64, and "data", a JPEG.
    Example:
        >>> import pickle
        >>> from pathlib import Path
        >>> from anfora.mindrecord import FileReader
        >>> for name in ("train", "test"):
        ...     content = {b"data": np.zeros((1, 3072), np.uint8), b"fine_labels": [30], b"coarse_labels": [3]}
        ...     _ = Path(name).write_bytes(pickle.dumps(content))
        >>> Cifar100ToMR(".", "cifar100.mindrecord").transform()
        >>> list(FileReader("cifar100.mindrecord", columns=["coarse_label", "fine_label"]).get_next())
        [{'coarse_label': 3, 'fine_label': 30}]
    """

    _train, _test = "train", "test"
    _labels = {"fine_label": b"fine_labels", "coarse_label": b"coarse_labels"}  # noqa: RUF012


@answers
class ImageNetToMR:
    """A MindRecord file of image files in folders that are their classes.

    Args:
        map_file: a file of lines "folder label".
        image_dir: the folder with these; files that end in JPEG or jpg are taken.
        destination: the file.
        partition_number: in how many files.
    Fields: "image", the bytes of the file, "file_name", its path, and "label", an int32; the last two are in the index.
    Example:
        >>> from pathlib import Path
        >>> from anfora.mindrecord import FileReader
        >>> Path("images/n01440764").mkdir(parents=True)
        >>> _ = Path("images/n01440764/1.JPEG").write_bytes(b"an image")
        >>> _ = Path("labels.txt").write_text("n01440764 5\\n")
        >>> ImageNetToMR("labels.txt", "images", "images.mindrecord").transform()
        >>> list(FileReader("images.mindrecord", columns=["image", "label"]).get_next())
        [{'label': 5, 'image': b'an image'}]
    """

    def __init__(self, map_file: str, image_dir: str, destination: str, partition_number: int = 1) -> None:
        self._map, self._images = _path("map_file", map_file), _path("image_dir", image_dir)
        self._destination, self._number = _path("destination", destination), _parts(partition_number)

    def transform(self) -> None:
        """Write the file.

        Raises:
            OSError: the map cannot be read.   OpRuntimeError: it is damaged, or names no folder that is there.
        """
        schema = {"label": {"type": "int32"}, "image": {"type": "bytes"}, "file_name": {"type": "string"}}
        index = ["label", "file_name"]
        _written(self._destination, self._number, schema, self._rows(), index, "imagenet_schema")

    def _rows(self) -> Iterator[dict[str, Any]]:
        with open(self._map, encoding="utf-8") as file:
            lines = [line.split() for line in file if line.strip()]
        if any(len(line) != 2 or not line[1].isdigit() for line in lines):
            raise OpRuntimeError(f"Invalid file, {self._map} should have lines of a folder and a label")
        folders = [(Path(self._images) / name, int(label)) for name, label in lines]
        if not any(folder.is_dir() for folder, _ in folders):
            raise OpRuntimeError(f"not valid image dir in {self._images}")
        for folder, label in folders:
            for image in sorted(folder.iterdir()) if folder.is_dir() else ():
                if image.name.endswith(("JPEG", "jpg")) and image.stat().st_size:
                    yield {"label": label, "image": image.read_bytes(), "file_name": str(image)}


#: The types of features, and what they are in MindRecord.
_OF_TENSORFLOW = {
    "string": "string", "int8": "int32", "int16": "int32", "int32": "int32", "int64": "int64", "uint8": "int32",
    "uint16": "int32", "uint32": "int64", "uint64": "int64", "float16": "float32", "float32": "float32",
    "float64": "float64", "bool": "int32",
}  # fmt: skip


@answers
class TFRecordToMR:
    """A MindRecord file of a TFRecord file; TensorFlow is not needed.

    Args:
        source: the TFRecord file, of `tf.train.Example`s.
        destination: the MindRecord file.
        feature_dict: {feature: what it is}: TensorFlow's `FixedLenFeature`s, or anything else with a `shape`, [] or [n],
            and a `dtype`, of TensorFlow, of numpy, or its name.
        bytes_fields: the features of type string that are bytes, such as images.
    Fields: the features; in their names "_" stands for what is neither a letter, a digit nor "_".
    Example:
        >>> from pathlib import Path
        >>> from types import SimpleNamespace
        >>> from anfora.mindrecord import FileReader
        >>> record = "1200000000000000241f64250a100a0e0a056c6162656c12051a030a0105004e7199"
        >>> _ = Path("labels.tfrecord").write_bytes(bytes.fromhex(record))
        >>> features = {"label": SimpleNamespace(dtype="int64", shape=[])}
        >>> TFRecordToMR("labels.tfrecord", "labels.mindrecord", features).transform()
        >>> list(FileReader("labels.mindrecord").get_next())
        [{'label': 5}]
    """

    def __init__(
        self, source: str, destination: str, feature_dict: dict[str, Any], bytes_fields: list[str] | None = None
    ) -> None:
        self._source, self._destination = _path("source", source), _path("destination", destination)
        if not isinstance(feature_dict, dict) or not feature_dict:
            raise OpValueError("Parameter feature_dict is None or not dict.", arg="feature_dict")
        if bytes_fields is not None and not isinstance(bytes_fields, list):
            raise OpValueError(f"Parameter bytes_fields: {bytes_fields} must be list(str).", arg="bytes_fields")
        for name in bytes_fields or ():
            if name not in feature_dict:
                raise OpValueError(f"Parameter bytes_fields's item: {name} is not in feature_dict: {feature_dict}.")
        self._names = {name: re.sub(r"[^0-9a-zA-Z_]", "_", name) for name in feature_dict}
        self._schema: dict[str, dict[str, Any]] = {}
        for name, feature in feature_dict.items():
            kind, shape = _kind_of(name, feature), list(feature.shape)
            if kind == "string" and shape:
                raise OpValueError(f"feature_dict[{name}] is a string with shape {shape}; it should have none")
            if name in (bytes_fields or ()):
                if kind != "string":
                    raise OpValueError(f"Parameter bytes_field: {name} should be a string in feature_dict.")
                kind = "bytes"
            if len(shape) > 1 or not all(isinstance(n, int) and n > 0 for n in shape):
                raise OpValueError(f"feature_dict[{name}] has shape {shape}, which is neither [] nor [n]")
            self._schema[self._names[name]] = {"type": kind, **({"shape": shape} if shape else {})}

    def transform(self) -> None:
        """Write the file.

        Raises:
            OpRuntimeError: the source is damaged, or a record lacks a feature or has another one.
        """
        _written(self._destination, 1, self._schema, self._rows(), None, "TFRecord to MindRecord")

    def _rows(self) -> Iterator[dict[str, Any]]:
        from anfora.dataset.tfrecord import frames, record_at

        with open(self._source, "rb") as file:
            places = frames(file, os.fstat(file.fileno()).st_size, self._source)
            for number, (begin, end) in enumerate(places.tolist()):
                record = record_at(file.fileno(), begin, end, f"{self._source} is damaged in record {number}")
                row = {}
                for name, field in self._names.items():
                    if name not in record:
                        raise OpRuntimeError(f"record {number} has no feature {name!r}; it has {sorted(record)}")
                    row[field] = _value(record[name], self._schema[field], f"record {number}: feature {name!r}")
                yield row


def _kind_of(name: str, feature: Any) -> str:
    """MindRecord's type of a feature."""
    if not hasattr(feature, "dtype") or not hasattr(feature, "shape"):
        raise OpTypeError(f"feature_dict[{name}] is no FixedLenFeature, but {feature!r}", arg="feature_dict")
    given = feature.dtype
    word = given if isinstance(given, str) else getattr(given, "name", None) or np.dtype(given).name
    if word not in _OF_TENSORFLOW:
        raise OpValueError(f"Type {word} is not supported in MindRecord.", arg="feature_dict")
    return _OF_TENSORFLOW[word]


def _value(values: Any, field: dict[str, Any], what: str) -> Any:
    """A feature as the field wants it."""
    kind, shape = field["type"], field.get("shape")
    count = shape[0] if shape else 1
    if (kind in ("string", "bytes")) != (not isinstance(values, np.ndarray)) or len(values) != count:
        raise OpRuntimeError(f"{what} has {len(values)} values, which are not {count} of type {kind}")
    if kind == "bytes":
        return values[0]
    if kind == "string":
        return values[0].decode()
    array = values.astype(kind)
    return array if shape else array[0]
