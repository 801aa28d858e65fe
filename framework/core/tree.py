"""Nested containers of tensors: tuples, named tuples, lists, dicts and dataclasses, to any depth."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from anfora.core.tensor import Tensor

__all__ = ["has_tensors", "leaves", "tensors", "tree_map"]


def tree_map(function: Callable[[Tensor], Any], tree: Any) -> Any:
    """The same nesting with `function` applied to every tensor; everything else is kept as it is."""
    if isinstance(tree, Tensor):
        return function(tree)
    if isinstance(tree, tuple):
        items = [tree_map(function, item) for item in tree]
        return type(tree)(*items) if hasattr(tree, "_fields") else type(tree)(items)
    if isinstance(tree, list):
        return [tree_map(function, item) for item in tree]
    if isinstance(tree, Mapping):
        return type(tree)((key, tree_map(function, item)) for key, item in tree.items())  # type: ignore[call-arg]
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        changes = {f.name: tree_map(function, getattr(tree, f.name)) for f in dataclasses.fields(tree) if f.init}
        return dataclasses.replace(tree, **changes)
    return tree


def leaves(tree: Any) -> Iterator[Any]:
    """What lies in tuples, lists and values of dicts, however deep; other objects are not looked into."""
    if isinstance(tree, (tuple, list, dict)):
        for item in tree.values() if isinstance(tree, dict) else tree:
            yield from leaves(item)
    else:
        yield tree


def tensors(tree: Any) -> Iterator[Tensor]:
    """The tensors of a nesting, from left to right."""
    if isinstance(tree, Tensor):
        yield tree
    elif isinstance(tree, (tuple, list)):
        for item in tree:
            yield from tensors(item)
    elif isinstance(tree, Mapping):
        for item in tree.values():
            yield from tensors(item)
    elif dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        for field in dataclasses.fields(tree):
            yield from tensors(getattr(tree, field.name))


def has_tensors(tree: Any) -> bool:
    """Whether there is a tensor in a nesting."""
    return any(True for _ in tensors(tree))
