"""What fields the rows of a file have: names, types and shapes."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np

from anfora.core.arguments import answers
from anfora.core.dtype import DType, as_dtype
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.files import reading
from anfora.dataset import checks

__all__ = ["Schema"]

_KINDS = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    "string",
]  # fmt: skip


@answers
class Schema:
    """Names, types and shapes of columns.

    Args:
        schema_file: a JSON file with "columns", and perhaps "numRows".
    Example:
        >>> schema = Schema()
        >>> schema.add_column("label", "int32", [1])
        >>> schema.columns
        [{'name': 'label', 'rank': 1, 'shape': [1], 'type': 'int32'}]
    """

    def __init__(self, schema_file: str | None = None) -> None:
        self.columns: list[dict[str, Any]] = []
        self.num_rows = 0
        self.dataset_type = ""
        if schema_file is not None:
            if not isinstance(schema_file, (str, os.PathLike)):
                raise checks.wrong_type("schema_file", schema_file, str)
            try:
                with open(os.path.expanduser(schema_file), encoding="utf-8") as file, reading(schema_file):
                    self.from_json(json.load(file))
            except OSError as error:
                raise OpValueError(f"The file {schema_file} does not exist or permission denied!") from error

    def add_column(self, name: str, de_type: Any, shape: Any = None) -> None:
        """Add a column.

        Args:
            name: of the column.
            de_type: a type, or its name.
            shape: a list of lengths; unknown by default: one axis of any length.
        """
        if not isinstance(name, str):
            raise checks.wrong_type("name", name, str)
        kind = _kind(de_type)
        entry: dict[str, Any] = {"name": name, "rank": 1, "type": kind}
        if shape is not None:
            if not isinstance(shape, list):
                raise checks.wrong_type("shape", shape, list)
            lengths = [checks.integer_in("shape", n, -1) for n in shape]
            entry = {"name": name, "rank": len(lengths), "shape": lengths, "type": kind}
        if any(column["name"] == name for column in self.columns):
            raise OpRuntimeError(f"add_column: there is a column '{name}' already")
        self.columns.append(entry)

    def parse_columns(self, columns: Any) -> None:
        """Add columns.

        Args:
            columns: a list of {"name": …, "type": …, "shape": …}, or {name: {"type": …, "shape": …}}; shapes may
                be left out.
        """
        if isinstance(columns, dict):
            entries = [{**entry, "name": name} for name, entry in sorted(columns.items())]
        elif isinstance(columns, (list, tuple)):
            entries = list(columns)
        else:
            raise checks.wrong_type("columns", columns, dict, list, tuple)
        if not entries:
            raise OpTypeError("columns should not be empty", arg="columns")
        for entry in entries:
            for needed in ("name", "type"):
                if not isinstance(entry, dict) or needed not in entry:
                    raise OpRuntimeError(f"column's {needed} is missing in {entry!r}")
            shape = entry.get("shape")
            if shape is None and entry.get("rank") == 0:
                shape = []
            self.add_column(entry["name"], entry["type"], shape)

    def from_json(self, json_obj: Any) -> None:
        """Take what a schema file has, as `json.load` gives it."""
        if not isinstance(json_obj, dict):
            raise OpTypeError(f"json_obj should be a dict, but got {json_obj!r}", arg="json_obj")
        for name in json_obj:
            if name not in ("datasetType", "numRows", "columns"):
                raise OpRuntimeError(f"Unknown field {name} in a schema; it has datasetType, numRows and columns")
        if "columns" not in json_obj:
            raise OpRuntimeError("columns are missing in a schema")
        self.dataset_type = json_obj.get("datasetType", "")
        self.num_rows = checks.integer_in("numRows", json_obj.get("numRows", 0), 0, 2**63 - 1)
        self.columns = []
        self.parse_columns(json_obj["columns"])

    def to_json(self) -> str:
        """The schema as JSON."""
        whole: dict[str, Any] = {"columns": self.columns}
        if self.dataset_type:
            whole["datasetType"] = self.dataset_type
        if self.num_rows:
            whole["numRows"] = self.num_rows
        return json.dumps(whole, indent=2)

    __str__ = to_json

    @staticmethod
    def get_num_rows(schema: Any) -> int:
        """How many rows a schema, or the schema in a file, speaks of; 0 where it does not say."""
        return (schema if isinstance(schema, Schema) else Schema(schema)).num_rows

    def names_and_types(self) -> tuple[list[str], list[Any]]:
        """The columns and their types."""
        kinds = [column["type"] for column in self.columns]
        return [column["name"] for column in self.columns], [
            None if kind == "string" else np.dtype(kind) for kind in kinds
        ]


def _kind(value: Any) -> str:
    name = value.lower() if isinstance(value, str) else None
    if name is None:
        try:
            name = "string" if value is str else as_dtype(value).name if not isinstance(value, DType) else value.name
        except (TypeError, ValueError) as error:
            raise OpTypeError(f"de_type should be a type, or its name, but got {value!r}", arg="de_type") from error
    if name not in _KINDS:
        raise OpValueError(f"de_type should be one of {_KINDS}, but got {name!r}", arg="de_type")
    return name
