"""Nestings of tensors."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, NamedTuple

from anfora import Tensor
from anfora.core.tree import tensors, tree_map


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclass
class Box:
    content: object
    label: str = "box"


def test_nestings_are_kept_and_everything_else_too():
    tree = {
        "a": [Tensor(1), (Tensor(2), "text")],
        "b": Pair(Tensor(3), None),
        "c": Box(Tensor(4)),
        "d": OrderedDict(x=Tensor(5)),
    }
    doubled = tree_map(lambda x: x * 2, tree)
    assert [x.item() for x in tensors(tree)] == [1, 2, 3, 4, 5]
    assert [x.item() for x in tensors(doubled)] == [2, 4, 6, 8, 10]
    assert isinstance(doubled["b"], Pair) and doubled["b"].right is None and doubled["a"][1][1] == "text"
    assert isinstance(doubled["c"], Box) and doubled["c"].label == "box" and isinstance(doubled["d"], OrderedDict)
    assert list(tensors("text")) == [] and tree_map(abs, 3) == 3
