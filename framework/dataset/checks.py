"""Checks of arguments: wrong ones are refused when a pipeline is built, in MindSpore's words where it has some."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from anfora.core.errors import OpTypeError, OpValueError

__all__ = [
    "INT32_MAX", "boolean", "column_names", "count_of", "folder", "integer", "integer_in", "is_integer", "number",
    "numbers", "one_of", "shards", "wrong_type",
]  # fmt: skip

INT32_MAX = 2**31 - 1


def is_integer(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))


def wrong_type(name: str, value: Any, *types: type) -> OpTypeError:
    expected = ", ".join(repr(kind) for kind in types)
    return OpTypeError(
        f"Argument {name} with value {value} is not of type [{expected}], but got {type(value)}.", arg=name
    )


def boolean(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise wrong_type(name, value, bool)
    return value


def integer(name: str, value: Any) -> int:
    if not is_integer(value):
        raise wrong_type(name, value, int)
    return int(value)


def integer_in(name: str, value: Any, low: int, high: int = INT32_MAX) -> int:
    """An integer of [low, high]."""
    if not low <= integer(name, value) <= high:
        raise OpValueError(f"Input {name} is not within the required interval of [{low}, {high}].", arg=name)
    return int(value)


def number(name: str, value: Any, low: float | None = None, high: float | None = None) -> float:
    """An int or float, of [low, high] where they are given."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise wrong_type(name, value, float, int)
    if (low is not None and not value >= low) or (high is not None and not value <= high):
        bounds = f"[{'-inf' if low is None else low}, {'inf' if high is None else high}]"
        raise OpValueError(f"Input {name} is not within the required interval of {bounds}.", arg=name)
    return value  # type: ignore[return-value]


def numbers(name: str, value: Any, *lengths: int) -> tuple[float, ...]:
    """A list or tuple of numbers that has one of the given lengths."""
    if not isinstance(value, (list, tuple, np.ndarray)):
        raise wrong_type(name, value, list, tuple)
    if lengths and len(value) not in lengths:
        raise OpValueError(f"{name} must have {' or '.join(map(str, lengths))} elements, but got {value}", arg=name)
    return tuple(number(f"{name}[{i}]", item) for i, item in enumerate(value))


def one_of(name: str, value: Any, words: Sequence[Any]) -> Any:
    if value not in words:
        raise OpValueError(f"Input {name} is not within the valid set of {list(words)}.", arg=name)
    return value


def column_names(name: str, value: Any, empty: bool = False) -> list[str]:
    """Names of columns, given as a word or a list: no empty ones, none twice."""
    given = [value] if isinstance(value, str) else value
    if not isinstance(given, (list, tuple)):
        raise wrong_type(name, value, str, list, tuple)
    if not given and not empty:
        raise OpValueError(f"{name} should not be empty", arg=name)
    for i, item in enumerate(given):
        if not isinstance(item, str):
            raise wrong_type(f"{name}[{i}]", item, str)
        if not item:
            raise OpValueError(f"{name}[{i}] should not be empty.", arg=name)
    if len(set(given)) != len(given):
        raise OpValueError(f"Every column name should not be same with others in {name}.", arg=name)
    return list(given)


def count_of(name: str, value: Any) -> int | None:
    """A number of samples; 0 and None mean all."""
    if value is None:
        return None
    if not is_integer(value):
        raise wrong_type(name, value, int)
    if not 0 <= value < 2**63:
        raise OpValueError(f"{name} exceeds the boundary between 0 and {2**63 - 1}(INT64_MAX)!", arg=name)
    return int(value) or None


def shards(num_shards: Any, shard_id: Any) -> tuple[int | None, int | None]:
    if (num_shards is None) != (shard_id is None):
        raise OpValueError("num_shards and shard_id need to be passed in together.")
    if num_shards is None:
        return None, None
    integer_in("num_shards", num_shards, 1)
    if not is_integer(shard_id):
        raise wrong_type("shard_id", shard_id, int)
    if shard_id >= num_shards:
        raise OpValueError("shard_id should be less than num_shards.", arg="shard_id")
    integer_in("shard_id", shard_id, 0)
    return int(num_shards), int(shard_id)


def folder(name: str, value: Any) -> str:
    """The path of a folder that is there."""
    if not isinstance(value, (str, os.PathLike)):
        raise wrong_type(name, value, str)
    path = os.path.expanduser(os.fspath(value))
    if not os.path.isdir(path):
        raise OpValueError(f"The folder {path} does not exist or is not a directory or permission denied!", arg=name)
    return path
