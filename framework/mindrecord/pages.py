"""Rows of MindRecord files by the values of a field of their index, some at a time."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from anfora.core.arguments import answers
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.mindrecord.format import read_header
from anfora.mindrecord.reader import Files

__all__ = ["MindPage"]


@answers
class MindPage:
    """Rows of MindRecord files by the values of one field: how many rows each value has, and these page by page.

    Args:
        file_name: a path, which stands for all files that were written with it, or a list of paths.
        num_consumer: without effect.
    Raises:
        OpTypeError, OpValueError, OpRuntimeError: as for `FileReader`.
    Example:
        >>> from anfora.mindrecord import FileWriter
        >>> writer = FileWriter("animals.mindrecord")
        >>> writer.add_schema({"kind": {"type": "string"}, "count": {"type": "int32"}})
        >>> writer.add_index(["kind"])
        >>> writer.write_raw_data([{"kind": "cat", "count": 1}, {"kind": "dog", "count": 2}, {"kind": "cat", "count": 3}])
        >>> writer.commit()
        >>> page = MindPage("animals.mindrecord")
        >>> page.category_field = "kind"
        >>> page.read_category_info()
        '{"categories":[{"count":2,"id":0,"name":"cat"},{"count":1,"id":1,"name":"dog"}],"key":"kind_0"}'
        >>> page.read_at_page_by_name("cat", page=1, num_row=1)
        [{'count': 3, 'kind': 'cat'}]
    """

    def __init__(self, file_name: Any, num_consumer: int = 4) -> None:
        if not isinstance(num_consumer, int) or isinstance(num_consumer, bool) or num_consumer < 1:
            raise OpValueError(f"num_consumer should be a positive int, but got {num_consumer!r}", arg="num_consumer")
        self._files = Files(file_name)
        self._candidates = [entry["index_field"] for entry in read_header(self._files.paths[0])["index_fields"] or ()]
        self._field: str | None = None
        self._values: list[Any] = []
        self._which = np.empty(0, np.int64)

    @property
    def candidate_fields(self) -> list[str]:
        """The fields of the index."""
        return self._candidates

    @property
    def category_field(self) -> str | None:
        """The field whose values divide the rows; it is set before any are read."""
        return self._field

    @category_field.setter
    def category_field(self, field: str) -> None:
        if not isinstance(field, str) or not field:
            raise OpTypeError(f"category_field should be a str, but got {field!r}", arg="category_field")
        if field not in self._candidates:
            raise OpRuntimeError(
                f"category_field: {field!r} is no field of the index; these are {self._candidates}",
                help="FileWriter.add_index says which fields it has.",
            )
        found = [row[field] for row in self._files.rows(np.arange(len(self._files)), [field])]
        self._values = sorted(set(found))
        numbers = {value: number for number, value in enumerate(self._values)}
        self._which, self._field = np.array([numbers[value] for value in found], np.int64), field

    def _chosen(self) -> str:
        if self._field is None:
            raise OpRuntimeError(f"no category_field is set; the fields of the index are {self._candidates}")
        return self._field

    def read_category_info(self) -> str:
        """The values of the field, in rising order, and how many rows have each: an object of JSON."""
        counts = np.bincount(self._which, minlength=len(self._values)).tolist()
        key = f"{self._chosen()}_0"
        categories = [
            {"count": count, "id": number, "name": _name(value)}
            for number, (count, value) in enumerate(zip(counts, self._values))
        ]
        return json.dumps({"categories": categories, "key": key}, separators=(",", ":"), ensure_ascii=False)

    def read_at_page_by_id(self, category_id: int, page: int, num_row: int) -> list[dict[str, Any]]:
        """Rows of one value.

        Args:
            category_id: the number of the value, as `read_category_info` tells.
            page: which page, from 0 on.
            num_row: how many rows a page has.
        Raises:
            OpTypeError, OpValueError: an argument is no int, or out of range; there is no such value or page.
        """
        for name, given, low in (("category_id", category_id, 0), ("page", page, 0), ("num_row", num_row, 1)):
            if not isinstance(given, int) or isinstance(given, bool):
                raise OpTypeError(f"{name} should be an int, but got {given!r}", arg=name)
            if given < low:
                raise OpValueError(f"{name} should be at least {low}, but got {given}", arg=name)
        self._chosen()
        if category_id >= len(self._values):
            raise OpValueError(f"there are {len(self._values)} values, but category_id is {category_id}")
        found = np.flatnonzero(self._which == category_id)
        if page * num_row >= len(found):
            raise OpValueError(f"there are {len(found)} rows, which page {page} of {num_row} rows each is behind")
        return self._files.rows(found[page * num_row : (page + 1) * num_row], sorted(self._files.schema))

    def read_at_page_by_name(self, category_name: str, page: int, num_row: int) -> list[dict[str, Any]]:
        """The same by the value's name."""
        if not isinstance(category_name, str):
            raise OpTypeError(f"category_name should be a str, but got {category_name!r}", arg="category_name")
        field = self._chosen()
        names = [_name(value) for value in self._values]
        if category_name not in names:
            raise OpValueError(f"no row has {category_name!r} in field {field!r}", arg="category_name")
        return self.read_at_page_by_id(names.index(category_name), page, num_row)


def _name(value: Any) -> str:
    return value if isinstance(value, str) else str(value)
