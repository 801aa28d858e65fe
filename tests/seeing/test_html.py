"""What notebooks show of Cells: well-formed, with every child and parameter once, and nothing of a text run as markup."""

from __future__ import annotations

from xml.etree import ElementTree

from anfora import nn


class Head(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm((4,))
        self.layers = nn.SequentialCell(nn.Dense(4, 3), nn.ReLU(), nn.Dense(3, 2, has_bias=False))
        self.layers[0].bias.requires_grad = False

    def extend_repr(self) -> str:
        return "<script>alert(1)</script>"


def test_a_tree_of_details():
    text = Head()._repr_html_()
    root = ElementTree.fromstring(text)
    assert root.tag == "details" and "open" in text[:80]
    heads = ["".join(head.itertext()) for head in root.iter("summary")]
    assert [head.partition("(")[0] for head in heads] == [
        "Head",
        "norm: LayerNorm",
        "layers: SequentialCell",
        "0: Dense",
        "2: Dense",
    ]
    assert heads[0].endswith(f"{4 + 4 + 4 * 3 + 3 + 3 * 2} parameters") and heads[3].endswith("15 parameters")
    leaves = ["".join(leaf.itertext()) for leaf in root.iter("div")]
    assert leaves == [
        "gamma: (4,) Float32", "beta: (4,) Float32", "weight: (3, 4) Float32", "bias: (3,) Float32 not trained",
        "1: ReLU()", "weight: (2, 3) Float32",
    ]  # fmt: skip
    assert list(root.iter("script")) == []


def test_a_cell_without_anything_is_a_line():
    assert "<details" not in nn.ReLU()._repr_html_() and "ReLU" in nn.ReLU()._repr_html_()
