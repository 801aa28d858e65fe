"""SequentialCell, CellList and CellDict: Python's protocols, and the names of parameters below."""

from __future__ import annotations

import textwrap
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


class Block(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = dense()
        self.parts = nn.CellList([dense()])


class Net(nn.Cell):
    pass


def seq(*more):
    return nn.SequentialCell([dense(), *more])


#: Programs on a Cell `n`, and the names that MindSpore 2.10 gives the parameters below it.
NAMES = [
    (
        """
        n.blocks = nn.CellList()
        n.blocks.append(dense())
        n.blocks.append(dense())
        n.blocks.append(dense())
        """,
        "0.weight 1.weight 2.weight",
    ),
    (
        """
        b = nn.CellList()
        b.append(dense())
        b.append(dense())
        n.blocks = b
        """,
        "blocks.0.weight blocks.1.weight",
    ),
    (
        """
        n.blocks = nn.CellList([dense()])
        n.blocks.append(dense())
        n.blocks.insert(0, dense())
        n.blocks.insert(1, dense())
        """,
        "blocks.0.weight blocks.1.weight blocks.2.weight blocks.3.weight",
    ),
    (
        """
        n.blocks = nn.CellList()
        for _ in range(3):
            n.blocks.append(seq(dense()))
        """,
        "0.0.weight 0.1.weight 0.1.0.weight 0.1.1.weight 0.2.0.weight 0.2.1.weight",
    ),
    (
        """
        n.blocks = nn.CellList()
        n.blocks.extend([seq(), seq()])
        n.blocks.extend([seq()])
        """,
        "0.0.weight 1.0.weight 2.0.weight",
    ),
    (
        """
        n.blocks = nn.CellList([seq()])
        n.blocks += [dense()]
        """,
        "blocks.0.0.weight blocks.1.weight",
    ),
    (
        """
        n.stages = nn.CellList()
        for _ in range(2):
            n.stages.append(nn.SequentialCell([Block(), Block()]))
        """,
        "0.0.fc.weight 0.0.parts.0.weight 0.1.fc.weight 0.1.parts.0.weight"
        " 0.1.0.fc.weight 0.1.0.parts.0.weight 0.1.1.fc.weight 0.1.1.parts.0.weight",
    ),
    (
        """
        n.stages = nn.CellList()
        for _ in range(2):
            inner = nn.CellList()
            for _ in range(2):
                inner.append(dense())
            n.stages.append(inner)
        """,
        "0.0.weight 0.1.weight 0.1.0.weight 0.1.1.weight",
    ),
    (
        """
        n.blocks = nn.SequentialCell([nn.ReLU(), nn.ReLU()])
        n.blocks.append(dense())
        n.blocks.append(dense())
        """,
        "2.weight 3.weight",
    ),
    (
        """
        n.s = nn.SequentialCell()
        n.s.append(dense())
        n.s.append(nn.ReLU())
        n.s.append(dense())
        """,
        "0.weight 2.weight",
    ),
    (
        """
        n.s = nn.SequentialCell(dense(), nn.ReLU())
        n.s.append(dense())
        n.s.insert(1, dense())
        """,
        "s.0.weight s.1.weight s.3.weight",
    ),
    (
        """
        n.b = nn.CellList([dense(), dense()])
        n.b[0] = dense()
        n.b[-1] = seq()
        """,
        "b.0.weight b.1.0.weight",
    ),
    (
        """
        n.b = nn.SequentialCell([dense(), dense()])
        n.b[0] = dense()
        n.b[1] = seq()
        """,
        "b.0.weight b.1.0.weight",
    ),
    (
        """
        n.b = nn.CellList([dense(), dense(), seq()])
        del n.b[0]
        """,
        "b.0.weight b.1.0.weight",
    ),
    (
        """
        n.b = nn.CellList([dense(), dense(), seq(), dense()])
        del n.b[0:2]
        n.b.append(dense())
        """,
        "b.0.0.weight b.1.weight b.2.weight",
    ),
    (
        """
        n.b = nn.SequentialCell([dense(), nn.ReLU(), seq()])
        del n.b[0]
        """,
        "b.1.0.weight",
    ),
    (
        """
        n.b = nn.SequentialCell(OrderedDict([('a', dense()), ('b', dense())]))
        n.b.append(dense())
        """,
        "b.a.weight b.b.weight b.2.weight",
    ),
    (
        """
        n.d = nn.CellDict()
        n.d['a'] = dense()
        n.d['b'] = Block()
        """,
        "a.weight b.fc.weight b.parts.0.weight",
    ),
    (
        """
        n.d = nn.CellDict({'a': dense()})
        n.d['b'] = Block()
        n.d.update({'c': dense()})
        """,
        "d.a.weight d.b.fc.weight d.b.parts.0.weight d.c.weight",
    ),
    (
        """
        m = Net()
        m.blocks = nn.CellList()
        m.blocks.append(dense())
        n.inner = m
        m.blocks.append(dense())
        """,
        "inner.blocks.0.weight inner.blocks.1.weight",
    ),
    (
        """
        m = Net()
        m.blocks = nn.CellList()
        n.inner = m
        m.blocks.append(dense())
        m.blocks.append(seq())
        """,
        "0.weight 1.0.weight",
    ),
    (
        """
        n.b = nn.CellList([dense(), dense()], auto_prefix=False)
        n.b.append(dense())
        """,
        "b.0.weight b.1.weight weight",
    ),
    (
        """
        n.b = nn.CellList([dense(), dense(), dense()])
        n.c = n.b[1:]
        """,
        "b.0.weight c.0.weight c.1.weight",
    ),
    (
        """
        n.b = nn.SequentialCell([dense(), dense(), dense()])
        n.c = n.b[1:]
        """,
        "b.0.weight c.1.weight c.2.weight",
    ),
    (
        """
        n.b = nn.CellList()
        n.b.insert(0, dense())
        n.b.insert(0, seq())
        n.b.insert(2, dense())
        """,
        "0.0.weight 1.weight 2.weight",
    ),
    (
        """
        n.b = nn.CellList([nn.CellList([dense(), dense()])])
        n.b.append(nn.CellList([dense()]))
        """,
        "b.0.0.weight b.0.1.weight b.0.1.0.weight",
    ),
]


@pytest.mark.parametrize(("program", "expected"), NAMES, ids=range(len(NAMES)))
def test_names_are_those_of_mindspore(program, expected):
    net = Net()
    exec(
        textwrap.dedent(program),
        {"nn": nn, "Net": Net, "Block": Block, "dense": dense, "seq": seq, "n": net, "OrderedDict": OrderedDict},
    )
    assert names(net) == expected.split()


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
