"""SequentialCell, CellList and CellDict: Python's protocols, and the names of parameters below."""

from __future__ import annotations

from collections import OrderedDict

import pytest

from anfora import Tensor, nn, ops


def dense(n: int = 2, m: int = 2) -> nn.Dense:
    return nn.Dense(n, m, has_bias=False)


def names(cell: nn.Cell) -> list[str]:
    return [p.name for p in cell.get_parameters()]


def test_a_sequence_runs_in_order():
    net = nn.SequentialCell(dense(2, 3), nn.ReLU(), dense(3, 1))
    assert net(ops.ones((4, 2))).shape == (4, 1)
    assert names(net) == ["0.weight", "2.weight"]
    assert nn.SequentialCell([dense(), dense()])[1].weight.name == "1.weight"
    assert names(nn.SequentialCell(OrderedDict(a=dense(), b=dense()))) == ["a.weight", "b.weight"]
    assert len(nn.SequentialCell()) == 0 and nn.SequentialCell()(3) == 3


@pytest.mark.parametrize("make", [nn.SequentialCell, nn.CellList])
def test_a_row_is_a_list(make):
    first, second, third = dense(), dense(), dense()
    row = make(first, second)
    row.append(third)
    assert list(row) == [first, second, third] and row[-1] is third and len(row) == 3
    assert row[1:].cell_list == (second, third) and isinstance(row[1:], make)
    assert names(row) == ["0.weight", "1.weight", "2.weight"]
    new = dense()
    row.insert(1, new)
    assert list(row) == [first, new, second, third]
    assert names(row) == ["0.weight", "1.weight", "2.weight", "3.weight"]
    del row[0]
    assert list(row) == [new, second, third] and names(row) == ["0.weight", "1.weight", "2.weight"]
    fourth, fifth = dense(), dense()
    row[2] = fourth
    assert list(row) == [new, second, fourth] and fourth.weight.name == "2.weight"
    row.extend([fifth])
    assert fifth.weight.name == "3.weight" and row.index(fifth) == 3
    assert next(reversed(row)) is fifth
    assert row.pop() is fifth and len(row) == 3
    row[1:] = [dense()]
    assert names(row) == ["0.weight", "1.weight"]


def test_names_follow_inside_a_larger_cell():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.blocks = nn.CellList()
            self.blocks.append(dense())
            self.blocks.append(dense())

    net = Net()
    assert names(net) == ["blocks.0.weight", "blocks.1.weight"]
    net.blocks.insert(0, dense())
    assert names(net) == ["blocks.0.weight", "blocks.1.weight", "blocks.2.weight"]


def test_a_row_refuses_what_is_no_cell():
    row = nn.CellList([dense()])
    with pytest.raises(TypeError, match="holds Cells"):
        row.append(3)
    with pytest.raises(IndexError, match="no index 1"):
        row[1]
    with pytest.raises(TypeError, match="an integer or a slice"):
        row["0"]
    with pytest.raises(TypeError, match="holds Cells"):
        nn.SequentialCell(ops.relu)
    with pytest.raises(NotImplementedError, match="construct"):
        row(Tensor(1.0))


def test_a_dict_of_cells():
    heads = nn.CellDict({"color": dense(), "shape": dense()})
    assert list(heads) == ["color", "shape"] and "size" not in heads and len(heads) == 2
    assert names(heads) == ["color.weight", "shape.weight"]
    heads["size"] = dense()
    heads.update([("more", dense())])
    assert list(heads.keys()) == ["color", "shape", "size", "more"]
    assert heads.pop("shape").weight.shape == (2, 2)
    assert [key for key, _ in heads.items()] == ["color", "size", "more"] and len(list(heads.values())) == 3
    del heads["size"]
    with pytest.raises(KeyError, match="no Cell 'size'"):
        heads["size"]
    with pytest.raises(KeyError, match="dot"):
        heads["a.b"] = dense()
    with pytest.raises(KeyError, match="such an attribute"):
        heads["training"] = dense()
    with pytest.raises(TypeError, match="strings"):
        heads[3] = dense()
    heads.clear()
    assert not len(heads)


def test_training_reaches_all_children():
    net = nn.SequentialCell(nn.CellList([nn.Dropout(p=0.5)]), nn.CellDict({"a": nn.Dropout(p=0.5)}))
    net.set_train()
    assert all(cell.training for _, cell in net.cells_and_names())
    assert not any(cell.training for _, cell in net.set_train(False).cells_and_names())
