"""Cells that hold Cells: in a row that is run through, in a list, in a dict.

The children are attributes, named "0", "1", … (or as the keys say), so that parameters are called `0.weight`. The names
follow when children are inserted or taken away. A slice holds the same children and renames nothing.

Checkpoints are read by names, so the names are MindSpore's, whose containers do not know what they are called: a child
that comes later takes what stands before the names of those that are there (`_found`). So a list that is filled before it
becomes an attribute `blocks` gives `blocks.0.weight`, and one that is filled afterwards `0.weight`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, MutableSequence, ValuesView
from typing import Any

from anfora.core.cell import Cell
from anfora.core.errors import AnforaError, OpIndexError, OpTypeError

__all__ = ["CellDict", "CellList", "SequentialCell"]


class CellKeyError(AnforaError, KeyError):
    """A key that a CellDict does not have, or cannot take."""


class _Container(Cell):
    """What the containers share: the names of parameters below a child that comes, goes or moves."""

    def _children(self) -> dict[str, Cell]:
        return self._cells

    def _found(self) -> tuple[str, int]:
        """What stands before the keys in the names of the parameters below the children, and at which dot."""
        named = [
            (key, parameter.name.split("."))
            for key, cell in self._children().items()
            if (parameter := next(cell.get_parameters(), None)) is not None
        ]
        prefix, place = "", 0
        if named:
            key, path = named[0]
            other, its_path = named[1] if len(named) > 1 else ("", [])
            for number, part in enumerate(path):
                if part == key:
                    prefix, place = "".join(f"{each}." for each in path[:number]), number
                    if its_path[number : number + 1] == [other]:
                        break
        return prefix, place

    def _attach(self, key: str, cell: Any, prefix: str) -> None:
        """Make `cell` the child `key`, whose parameters' names begin with `prefix` and the key."""
        if not isinstance(cell, Cell):
            raise OpTypeError(f"{type(self).__name__} holds Cells, but got {type(cell).__name__}")
        if hasattr(type(self), key) or not isinstance(self.__dict__.get(key, cell), Cell):
            raise CellKeyError(
                f"'{key}' cannot be the name of a child of {type(self).__name__}: it has such an attribute"
            )
        if self._auto_prefix and self.__dict__.get(key) is not cell:
            cell.update_parameters_name(f"{prefix}{key}.")
        self.__dict__[key] = cell


class _Row(_Container, MutableSequence):
    """Children in a row, with Python's protocol of lists.

    `cell_list` is the tuple of these children. A Cell that is set as an attribute of a new name is a child like that of
    any Cell, outside the row.
    """

    #: Whether children of a slice are called as in the whole row, not by their positions.
    _keeps_keys = False
    cell_list: tuple[Cell, ...]
    _keys: tuple[str, ...]  #: the names of the children in the row

    def __init__(self, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        self._set_keys(())

    def _part(self) -> _Row:
        """An empty row of this kind, to hold a slice."""
        raise NotImplementedError

    def _children(self) -> dict[str, Cell]:
        return dict(self._items())

    def _set_keys(self, keys: Iterable[str]) -> None:
        self.__dict__["_keys"] = tuple(keys)
        self.__dict__["cell_list"] = tuple(self.__dict__[key] for key in self._keys)

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Cell):
            self._attach(name, value, self._found()[0] if name in self._keys else "")
            self._set_keys(self._keys)
        else:
            super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        self._set_keys(key for key in self._keys if key != name)

    def _rearrange(self, items: list[tuple[str, Cell]], found: tuple[str, int] | None = None) -> None:
        """Have just these children in this order. A key that is the child's position follows the position, and the names
        below it follow the key."""
        positions = {key: str(i) for i, key in enumerate(self._keys)}
        keys = [str(i) if positions.get(key) == key else key for i, (key, _) in enumerate(items)]
        if len(set(keys)) < len(keys):  # somebody has chosen numbers as names
            keys = [key for key, _ in items]
        for key in self._keys:
            del self.__dict__[key]
        self.__dict__.update(items)
        self._set_keys(key for key, _ in items)
        prefix, place = self._found() if found is None else found
        for (old, cell), new in zip(items, keys):
            if old != new:
                del self.__dict__[old]
                for parameter in cell.get_parameters() if self._auto_prefix else ():
                    parameter.name = ".".join([f"{prefix}{new}", *parameter.name.split(".")[place + 1 :]])
        self.__dict__.update((new, cell) for new, (_, cell) in zip(keys, items))
        self._set_keys(keys)

    def _items(self) -> list[tuple[str, Cell]]:
        return list(zip(self._keys, self.cell_list))

    def _position(self, index: Any) -> int:
        if isinstance(index, bool) or not hasattr(index, "__index__"):
            raise OpTypeError(f"{type(self).__name__} is indexed by an integer or a slice, but got {index!r}")
        count = len(self.cell_list)
        position = index.__index__()
        if not -count <= position < count:
            raise OpIndexError(f"{type(self).__name__} has {count} Cells, and no index {position}")
        return position % count

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, slice):
            return self.cell_list[self._position(index)]
        part = self._part()
        items = self._items()[index]
        if not self._keeps_keys:
            items = [(str(i), cell) for i, (_, cell) in enumerate(items)]
        part.__dict__.update(items, _auto_prefix=False, training=self.training)
        part._set_keys(key for key, _ in items)
        return part

    def __setitem__(self, index: Any, cell: Any) -> None:
        if isinstance(index, slice):
            cells, (prefix, _) = list(self.cell_list), self._found()
            cells[index] = cell
            del self[:]
            self._add(cells, prefix)
        else:
            setattr(self, self._keys[self._position(index)], cell)

    def __delitem__(self, index: Any) -> None:
        items = self._items()
        del items[index if isinstance(index, slice) else self._position(index)]
        self._rearrange(items)

    def __len__(self) -> int:
        return len(self.cell_list)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self.cell_list)

    def __reversed__(self) -> Iterator[Cell]:
        return reversed(self.cell_list)

    def insert(self, index: int, cell: Cell) -> None:
        """Insert a Cell before position `index` (-len … len).

        Raises:
            OpIndexError: the index is out of range.   OpTypeError: it is no Cell.
        """
        count = len(self.cell_list)
        position = count if index == count else self._position(index)
        found = self._found()
        self._add([cell], found[0])
        items = self._items()
        items.insert(position, items.pop())
        self._rearrange(items, found)

    def append(self, cell: Cell) -> None:
        """Add a Cell at the end."""
        self._add([cell], self._found()[0])

    def extend(self, cells: Iterable[Cell]) -> None:
        """Add Cells at the end."""
        if not isinstance(cells, Iterable):
            raise OpTypeError(f"{type(self).__name__}.extend needs a list of Cells, but got {type(cells).__name__}")
        self._add(list(cells), self._found()[0])

    def _add(self, cells: list[Cell], prefix: str) -> None:
        number = len(self.cell_list)
        for cell in cells:
            while str(number) in self.__dict__:
                number += 1
            self._attach(str(number), cell, prefix)
            self._set_keys((*self._keys, str(number)))
            number += 1


class SequentialCell(_Row):
    """Cells that run one after the other: each gets what the one before it gave.

    Args:
        args: Cells; or one list or tuple of Cells; or one dict, whose keys are the names of the children.

    Example:
        >>> net = SequentialCell(nn.Dense(2, 3), nn.ReLU())
        >>> net(Tensor([[1., 2.]])).shape, [p.name for p in net.get_parameters()], len(net)
        ((1, 3), ['0.weight', '0.bias'], 2)
    """

    _keeps_keys = True

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], Mapping):
            for key, cell in args[0].items():
                self._attach(key, cell, "")
            self._set_keys(args[0])
        elif len(args) == 1 and isinstance(args[0], (list, tuple)):
            self.extend(args[0])
        else:
            self.extend(args)

    def _part(self) -> SequentialCell:
        return SequentialCell()

    def construct(self, input_data: Any) -> Any:
        for cell in self.cell_list:
            input_data = cell(input_data)
        return input_data


class CellList(_Row):
    """A list of Cells, whose parameters are found; what is done with them is up to the Cell that holds it.

    Args:
        args: Cells, or one iterable of Cells.
        auto_prefix: whether the names of parameters get the position in front.

    Example:
        >>> blocks = CellList([nn.Dense(2, 2) for _ in range(3)])
        >>> blocks.append(nn.Dense(2, 1)); blocks[-1].weight.name, len(blocks[1:])
        ('3.weight', 3)
    """

    def __init__(self, *args: Any, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        self.extend(
            args[0] if len(args) == 1 and (isinstance(args[0], _Row) or not isinstance(args[0], Cell)) else args
        )

    def _part(self) -> CellList:
        return CellList()


class CellDict(_Container):
    """A dict of Cells by name, whose parameters are found.

    Args:
        args: nothing, or one mapping or iterable of pairs (name, Cell).
        auto_prefix: whether the names of parameters get the key in front.
    Raises:
        KeyError: a key is empty, has a dot, or is an attribute of every Cell.

    Example:
        >>> heads = CellDict({"color": nn.Dense(4, 3), "shape": nn.Dense(4, 2)})
        >>> heads["shape"].weight.name, "size" in heads, list(heads.keys())
        ('shape.weight', False, ['color', 'shape'])
    """

    def __init__(self, *args: Any, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        if len(args) > 1:
            raise OpTypeError(f"CellDict takes one mapping or list of pairs, but got {len(args)} arguments")
        if args:
            self.update(args[0])

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Cell):
            self._attach(name, value, self._found()[0])
        else:
            super().__setattr__(name, value)

    def __getitem__(self, key: str) -> Cell:
        cell = self.__dict__.get(key)
        if not isinstance(cell, Cell):
            raise CellKeyError(f"CellDict has no Cell '{key}'; it has {', '.join(self._cells) or 'none'}")
        return cell

    def __setitem__(self, key: str, cell: Cell) -> None:
        if not isinstance(key, str):
            raise OpTypeError(f"the keys of a CellDict are strings, but got {type(key).__name__}")
        if not key or "." in key:
            raise CellKeyError(f"the key of a CellDict must not be empty or hold a dot, but got {key!r}")
        self._attach(key, cell, self._found()[0])

    def __delitem__(self, key: str) -> None:
        self.pop(key)

    def __contains__(self, key: object) -> bool:
        return key in self._cells

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._cells.keys()

    def values(self) -> ValuesView[Cell]:
        """The Cells."""
        return self._cells.values()

    def items(self) -> ItemsView[str, Cell]:
        """Pairs of name and Cell."""
        return self._cells.items()

    def pop(self, key: str) -> Cell:
        """Take a Cell out and give it."""
        cell = self[key]
        del self.__dict__[key]
        return cell

    def clear(self) -> None:
        """Take all Cells out."""
        for key in self._cells:
            del self.__dict__[key]

    def update(self, cells: Mapping[str, Cell] | CellDict | Iterable[tuple[str, Cell]]) -> None:
        """Add Cells, or replace those of the same names."""
        pairs = cells.items() if isinstance(cells, (Mapping, CellDict)) else cells
        if not isinstance(pairs, Iterable):
            raise OpTypeError(f"CellDict.update needs a mapping or pairs, but got {type(cells).__name__}")
        for pair in OrderedDict(pairs).items():
            self[pair[0]] = pair[1]
