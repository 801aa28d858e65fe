"""Reading MindRecord files."""

from __future__ import annotations

import os
import urllib.parse
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from anfora.core.arguments import answers
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.files import reading
from anfora.mindrecord.format import decoded_row, read_header

__all__ = ["FileReader", "Files"]


class Files:
    """MindRecord files that have one schema, by the numbers of their rows.

    Args:
        names: a path, which stands for all files that were written with it, or a list of paths.
    Raises:
        OpTypeError: a name is no path.   OpValueError: there is no such file.
        OpRuntimeError: it is not a MindRecord file, its index is missing, or the schemas differ.
    """

    def __init__(self, names: Any) -> None:
        given = list(names) if isinstance(names, (list, tuple)) else [names]
        if not given:
            raise OpValueError("no MindRecord file is named", arg="dataset_files")
        paths = []
        for name in given:
            if not isinstance(name, (str, os.PathLike)):
                raise OpTypeError(f"a MindRecord file is named by a str, but got {name!r}", arg="dataset_files")
            path = os.path.expanduser(os.fspath(name))
            if not os.path.isfile(path):
                raise OpValueError(f"The file {path} does not exist or permission denied!", arg="dataset_files")
            paths.append(path)
        if not isinstance(names, (list, tuple)):
            folder = os.path.dirname(paths[0])
            paths = [os.path.join(folder, address) for address in read_header(paths[0])["shard_addresses"]]
        self.paths = paths
        self.headers = [read_header(path) for path in paths]
        first = self.headers[0]["schema"][0]
        self.schema: dict[str, Any] = first["schema"]
        self.blobs: list[str] = first["blob_fields"] or []
        for path, header in zip(paths, self.headers):
            if header["schema"][0]["schema"] != self.schema:
                raise OpRuntimeError(f"Invalid file, {path} has another schema than {paths[0]}")
        places = [self._places(path, header) for path, header in zip(paths, self.headers)]
        #: The number of each file's first row, and the number of all rows.
        self.starts = np.cumsum([0, *map(len, places)])
        self.places = np.concatenate(places)

    @staticmethod
    def _places(path: str, header: dict[str, Any]) -> np.ndarray:
        """Where the raw part and the blob of each row begin and end in the file, (n, 4); their lengths come before."""
        index = path + ".db"
        if not os.path.isfile(index):
            raise OpRuntimeError(f"Invalid file, the index {index} of {path} does not exist")
        import sqlite3  # only who reads such files needs it

        with reading(f"the index {index}"):
            try:
                name = urllib.parse.quote(os.path.abspath(index))
                connection = sqlite3.connect(f"file:{name}?mode=ro", uri=True)
                try:
                    found = connection.execute(
                        "SELECT PAGE_ID_RAW, PAGE_OFFSET_RAW, PAGE_OFFSET_RAW_END, PAGE_ID_BLOB, PAGE_OFFSET_BLOB,"
                        " PAGE_OFFSET_BLOB_END FROM INDEXES ORDER BY ROW_ID"
                    ).fetchall()
                finally:
                    connection.close()
            except sqlite3.Error as error:
                raise OpRuntimeError(f"Invalid file, the index {index} cannot be read ({error})") from error
            table = np.array(found, np.int64).reshape(-1, 6)
            pages = header["header_size"] + header["page_size"] * table[:, [0, 0, 3, 3]]
            places: np.ndarray = pages + table[:, [1, 2, 4, 5]] + np.array([8, 0, 8, 0])
        return places

    def __len__(self) -> int:
        return len(self.places)

    def rows(self, numbers: np.ndarray, wanted: Sequence[str]) -> list[dict[str, Any]]:
        """Fields of the rows with these numbers."""
        found: list[dict[str, Any]] = [{} for _ in numbers]
        which = np.searchsorted(self.starts, numbers, side="right") - 1
        names = list(wanted)
        for number in np.unique(which).tolist():
            path = self.paths[number]
            try:
                file = os.open(path, os.O_RDONLY)
            except OSError as error:
                raise OpRuntimeError(f"Invalid file, {path} cannot be read ({error})") from error
            try:
                size = os.fstat(file).st_size
                for place in np.flatnonzero(which == number).tolist():
                    raw, raw_end, blob, blob_end = self.places[numbers[place]].tolist()
                    if not (0 <= raw <= raw_end <= size and 0 <= blob <= blob_end <= size):
                        raise OpRuntimeError(f"Invalid file, {path} ends before row {numbers[place]}")
                    parts = os.pread(file, raw_end - raw, raw), os.pread(file, blob_end - blob, blob)
                    with reading(f"row {numbers[place]} of {path}"):
                        found[place] = decoded_row(self.schema, self.blobs, names, *parts)
            finally:
                os.close(file)
        return found


@answers
class FileReader:
    """Reads the rows of MindRecord files one after the other.

    Args:
        file_name: a path, which stands for all files that were written with it, or a list of paths.
        num_consumer, operator: without effect.
        columns: the fields that are read; all by default.
    Raises:
        OpTypeError, OpValueError: an argument has another type or is out of range; there is no such file or field.
        OpRuntimeError: a file is not a MindRecord file, its index is missing, or the schemas differ.
    Example:
        >>> from anfora.mindrecord import FileWriter
        >>> writer = FileWriter("words.mindrecord")
        >>> writer.add_schema({"word": {"type": "string"}, "count": {"type": "int32"}})
        >>> writer.write_raw_data([{"word": "one", "count": 1}, {"word": "two", "count": 2}])
        >>> writer.commit()
        >>> list(FileReader("words.mindrecord", columns=["word"]).get_next())
        [{'word': 'one'}, {'word': 'two'}]
    """

    def __init__(
        self, file_name: Any, num_consumer: int = 4, columns: list[str] | None = None, operator: Any = None
    ) -> None:
        if not isinstance(num_consumer, int) or isinstance(num_consumer, bool) or num_consumer < 1:
            raise OpValueError(f"num_consumer should be a positive int, but got {num_consumer!r}", arg="num_consumer")
        if columns is not None and not isinstance(columns, list):
            raise OpTypeError(f"columns should be a list of str, but got {columns!r}", arg="columns")
        self._files = Files(file_name)
        for name in columns or ():
            if name not in self._files.schema:
                raise OpValueError(f"columns: {name!r} is not a field; the fields are {sorted(self._files.schema)}")
        self._columns = columns or sorted(self._files.schema)

    def get_next(self) -> Iterator[dict[str, Any]]:
        """The rows as dictionaries: int, float, str, bytes and arrays.

        Raises:
            OpRuntimeError: a file is damaged.
        """
        for start in range(0, len(self._files), 64):
            numbers = np.arange(start, min(start + 64, len(self._files)))
            yield from self._files.rows(numbers, self._columns)

    def schema(self) -> dict[str, Any]:
        """The fields and their types."""
        return {name: dict(field) for name, field in self._files.schema.items()}

    def len(self) -> int:
        """How many rows there are."""
        return len(self._files)

    def close(self) -> None:
        """For programs that close what they open: no file is open between rows."""
