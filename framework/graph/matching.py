"""What `match`, unpacking, `except`, `raise` and `import` do to values, in Python's words."""

from __future__ import annotations

import collections.abc
import itertools
import sys
from typing import Any

__all__ = [
    "attributes_of_class", "import_from", "is_mapping", "is_sequence", "matches", "raise_", "rest_of_mapping", "unpack",
    "unpack_rest", "values_of_keys",
]  # fmt: skip


def unpack(value: Any, count: int) -> tuple:
    """The items of what is assigned to `count` targets."""
    try:
        rest = iter(value)
    except TypeError:
        raise TypeError(f"cannot unpack non-iterable {type(value).__name__} object") from None
    items = tuple(itertools.islice(rest, count))
    if len(items) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(items)})")
    for _ in rest:
        got = f", got {len(value)}" if sys.version_info >= (3, 14) and type(value) in (list, tuple, dict) else ""
        raise ValueError(f"too many values to unpack (expected {count}{got})")
    return items


def unpack_rest(value: Any, before: int, after: int) -> tuple:
    """The items of what is assigned to targets of which one has a star: first ones, a list, last ones."""
    try:
        items = list(value)
    except TypeError:
        if hasattr(type(value), "__iter__"):
            raise
        raise TypeError(f"cannot unpack non-iterable {type(value).__name__} object") from None
    if len(items) < before + after:
        raise ValueError(f"not enough values to unpack (expected at least {before + after}, got {len(items)})")
    end = len(items) - after
    return (*items[:before], items[before:end], *items[end:])


def matches(error: BaseException, kind: Any) -> bool:
    """Whether an `except` clause takes an exception."""
    for each in kind if isinstance(kind, tuple) else (kind,):
        if not (isinstance(each, type) and issubclass(each, BaseException)):
            raise TypeError("catching classes that do not inherit from BaseException is not allowed")
    return isinstance(error, kind)


def raise_(error: Any, *cause: Any) -> None:
    """`raise error` and `raise error from cause`."""
    if isinstance(error, type) and issubclass(error, BaseException):
        error = error()
    if not isinstance(error, BaseException):
        raise TypeError("exceptions must derive from BaseException")
    if cause:
        raise error from cause[0]
    raise error


def import_from(module: Any, name: str) -> Any:
    """`from module import name`."""
    try:
        return getattr(module, name)
    except AttributeError:
        path = f"{getattr(module, '__name__', '')}.{name}"
        if path in sys.modules:
            return sys.modules[path]
        file = getattr(module, "__file__", None) or "unknown location"
        raise ImportError(
            f"cannot import name {name!r} from {module.__name__!r} ({file})", name=module.__name__, path=file
        ) from None


def is_sequence(value: Any) -> bool:
    return isinstance(value, collections.abc.Sequence) and not isinstance(value, (str, bytes, bytearray))


def is_mapping(value: Any) -> bool:
    return isinstance(value, collections.abc.Mapping)


def values_of_keys(value: Any, keys: tuple) -> tuple | None:
    """The values of keys, None where one is missing."""
    seen: set[Any] = set()
    values = []
    for key in keys:
        if key in seen:
            raise ValueError(f"mapping pattern checks duplicate key ({key!r})")
        seen.add(key)
        found = value.get(key, seen)
        if found is seen:
            return None
        values.append(found)
    return tuple(values)


def attributes_of_class(value: Any, kind: Any, positional: int, names: tuple[str, ...]) -> tuple | None:
    """What a class pattern takes from a value, None where it does not match."""
    if not isinstance(kind, type):
        raise TypeError("called match pattern must be a class")
    if not isinstance(value, kind):
        return None
    found: list[Any] = []
    given: list[str] = []
    if positional:
        allowed = getattr(kind, "__match_args__", None)
        if allowed is None and _matches_itself(kind):
            if positional > 1:
                raise TypeError(f"{kind.__name__}() accepts 1 positional sub-pattern ({positional} given)")
            found.append(value)
        else:
            allowed = () if allowed is None else allowed
            if not isinstance(allowed, tuple):
                raise TypeError(f"{kind.__name__}.__match_args__ must be a tuple (got {type(allowed).__name__})")
            if positional > len(allowed):
                some = f"{len(allowed)} positional sub-pattern" + ("" if len(allowed) == 1 else "s")
                raise TypeError(f"{kind.__name__}() accepts {some} ({positional} given)")
            given = list(allowed[:positional])
    for name in (*given, *names):
        if given.count(name) + (name in names and name in given) > 1:
            raise TypeError(f"{kind.__name__}() got multiple sub-patterns for attribute {name!r}")
        try:
            found.append(getattr(value, name))
        except AttributeError:
            return None
    return tuple(found)


def _matches_itself(kind: type) -> bool:
    return issubclass(kind, (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple))


def rest_of_mapping(value: Any, keys: tuple) -> dict:
    """A copy without some keys."""
    rest = dict(value)
    for key in keys:
        del rest[key]
    return rest
