"""What a network is made of and what it costs: `anfora.summary(net, x)`."""

from __future__ import annotations

import copy
import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any, NamedTuple

import numpy as np

from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError
from anfora.core.random import get_rng_state, set_rng_state
from anfora.core.tree import tensors, tree_map
from anfora.eager import dispatch
from anfora.eager.tape import no_grad
from anfora.graph.machine.running import running
from anfora.ops.costs import multiply_adds

__all__ = ["Row", "Summary", "summary"]


class Row(NamedTuple):
    """A Cell of the network, with all that stands below it; who calls what stands there makes no difference.

    Attributes:
        path: its dotted name; "" for the network itself.
        kind: the name of its class.
        depth: how many Cells stand above it.
        calls: how often it was called.
        outputs: the shapes of the tensors that its last call gave.
        parameters, trainable: numbers in its Parameters, each Parameter once; those that require a gradient.
        bytes: of its Parameters.
        macs: multiplications with an addition of all its calls.
    """

    path: str
    kind: str
    depth: int
    calls: int
    outputs: tuple[tuple[int, ...], ...]
    parameters: int
    trainable: int
    bytes: int
    macs: int


class Summary:
    """What `summary` has found: print it, or read its numbers.

    Attributes:
        rows: a `Row` for each Cell, as in `cells_and_names`.
        inputs: the shapes of the tensors that the network was given.
        total, trainable: numbers in its Parameters, each Parameter once; those that require a gradient.
        bytes: of its Parameters.
        macs: multiplications with an addition of one call.
    """

    def __init__(self, rows: list[Row], inputs: list[tuple[int, ...]]) -> None:
        self.rows, self.inputs = rows, inputs
        whole = rows[0]
        self.total, self.trainable, self.bytes, self.macs = whole.parameters, whole.trainable, whole.bytes, whole.macs

    def table(self, depth: int | None = None) -> str:
        """The tree as text, down to `depth` Cells below the network; all of it when None."""
        shown = [row for row in self.rows if depth is None or row.depth <= depth]
        names = _drawn(shown)
        heads = ("Cell", "output", "parameters", "multiply-adds", "bytes")
        lines = [
            (name, _shapes(row.outputs) if row.calls else "", f"{row.parameters:,}" if row.parameters else "",
             f"{row.macs:,}" if row.macs else "", f"{row.bytes:,}" if row.bytes else "")
            for name, row in zip(names, shown)
        ]  # fmt: skip
        widths = [max(len(line[i]) for line in [heads, *lines]) for i in range(len(heads))]
        text = [
            "  ".join(
                item.ljust(w) if i < 2 else item.rjust(w) for i, (item, w) in enumerate(zip(line, widths))
            ).rstrip()
            for line in [heads, *lines]
        ]
        rest = "" if self.trainable == self.total else f", {self.trainable:,} of them trained"
        costs = f"{self.macs:,} multiply-adds for {_shapes(self.inputs)}"
        rule = "─" * max(map(len, text))
        return "\n".join(
            [text[0], rule, *text[1:], rule, f"{self.total:,} parameters{rest}, {self.bytes:,} bytes; {costs}"]
        )

    def __repr__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return f"<pre>{escape(self.table())}</pre>"


def summary(net: Cell, *inputs: Any, **named: Any) -> Summary:
    """A network as a tree of its Cells, each with the shapes it gives, its parameters, multiply-adds and bytes.

    A copy of the network is called once with the inputs, in PyNative mode and without a tape; so parameters, running
    averages, random generators and modes stay as they are, and the hooks of the Cells are called. What the program does to
    other objects, as printing, it does. Dropout and batch norm are as the network is: in training or not.

    Multiply-adds are those of products and convolutions, also within attention, recurrent layers and other operators that
    are written in them; everything else counts none (`ops/costs.py` has the table). A Cell counts what stands below it, and
    all of its calls; a Parameter that stands in two places is counted once in what holds both.

    Args:
        net: the network.
        inputs, named: what it is called with; tensors in them are copied.
    Returns:
        Summary: a table when printed, with the numbers `total`, `trainable`, `macs` and `bytes`, and a `Row` for each Cell.
    Raises:
        OpTypeError: `net` is no Cell. And whatever the call raises.
    Example:
        >>> found = summary(nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, 2)), ops.ones((3, 4)))
        >>> found.total, found.macs, found.bytes
        (58, 144, 232)
        >>> print(found)
        Cell               output  parameters  multiply-adds  bytes
        ───────────────────────────────────────────────────────────
        SequentialCell     (3, 2)          58            144    232
        ├─ 0: Dense        (3, 8)          40             96    160
        ├─ 1: ReLU         (3, 8)
        └─ 2: Dense        (3, 2)          18             48     72
        ───────────────────────────────────────────────────────────
        58 parameters, 232 bytes; 144 multiply-adds for (3, 4)
    """
    if not isinstance(net, Cell):
        raise OpTypeError(f"summary needs a Cell for `net`, but got {type(net).__name__}", arg="net")
    given = tree_map(lambda x: x.detach().copy(), (inputs, named))
    twin = copy.deepcopy(net)
    seen = _Seen(twin)
    with _unchanged(), seen.watching(), no_grad():
        twin(*given[0], **given[1])
    shapes = [x.shape for x in tensors(given)]
    return Summary([seen.row(path, cell) for path, cell in twin.cells_and_names()], shapes)


class _Seen:
    """What a call of a network has done, by Cell."""

    def __init__(self, net: Cell) -> None:
        self.macs: dict[int, int] = {}  #: of a Cell itself, without those below
        self.calls: dict[int, int] = {}
        self.outputs: dict[int, tuple[tuple[int, ...], ...]] = {}
        self._open: list[Cell] = []  #: that are being called, the outermost first
        self._thread = threading.get_ident()
        for _, cell in net.cells_and_names():
            cell.register_forward_pre_hook(self._enter, prepend=True)
            cell.register_forward_hook(self._leave, always_call=True)

    def _enter(self, cell: Cell, args: tuple) -> None:
        self._open.append(cell)

    def _leave(self, cell: Cell, args: tuple, output: Any) -> None:
        self._open.pop()
        self.calls[id(cell)] = self.calls.get(id(cell), 0) + 1
        self.outputs[id(cell)] = tuple(x.shape for x in tensors(output))

    @contextmanager
    def watching(self) -> Iterator[None]:
        """See the operators that this thread runs, as whoever measures them already does."""
        before = dispatch.observer
        dispatch.observe(self._observer(before))
        try:
            yield
        finally:
            dispatch.observe(before)

    def _observer(self, before: Callable | None) -> Callable:
        def observe(run: Callable, entry: Any, flat: list) -> Any:
            if threading.get_ident() == self._thread:
                inputs = tuple(entry.inputs[group] for group in entry.groups)
                count = multiply_adds(entry.op.name, entry.outputs[0], inputs, entry.attributes) if entry.outputs else 0
                if count and self._open:
                    inner = id(self._open[-1])
                    self.macs[inner] = self.macs.get(inner, 0) + count
            return run(entry, flat) if before is None else before(run, entry, flat)

        return observe

    def row(self, path: str, cell: Cell) -> Row:
        parameters = list(cell.get_parameters())
        return Row(
            path, type(cell).__name__, path.count(".") + 1 if path else 0, self.calls.get(id(cell), 0),
            self.outputs.get(id(cell), ()), sum(p.size for p in parameters),
            sum(p.size for p in parameters if p.requires_grad), sum(p.nbytes for p in parameters),
            sum(self.macs.get(id(below), 0) for _, below in cell.cells_and_names()),
        )  # fmt: skip


@contextmanager
def _unchanged() -> Iterator[None]:
    """All runs in PyNative mode, and generators of random numbers stand afterwards where they stood."""
    states = get_rng_state(), random.getstate(), np.random.get_state()
    depth, was_plain = running.depth, running.is_plain
    running.depth, running.is_plain = depth + 1, True
    try:
        yield
    finally:
        running.depth, running.is_plain = depth, was_plain
        set_rng_state(states[0])
        random.setstate(states[1])
        np.random.set_state(states[2])


# -- tables -----------------------------------------------------------------------------------------------------------


def _drawn(rows: list[Row]) -> list[str]:
    """Each Cell's name and class, with the lines of a tree in front."""
    lines = []
    for i, row in enumerate(rows):
        if not row.depth:
            lines.append(row.kind)
            continue
        stems = "".join("│  " if _goes_on(rows, i, depth) else "   " for depth in range(1, row.depth))
        branch = "├─ " if _goes_on(rows, i, row.depth) else "└─ "
        lines.append(f"{stems}{branch}{row.path.rpartition('.')[2]}: {row.kind}")
    return lines


def _goes_on(rows: list[Row], i: int, depth: int) -> bool:
    """Whether another Cell stands at a depth, below the one that holds row i there."""
    for row in rows[i + 1 :]:
        if row.depth <= depth:
            return row.depth == depth
    return False


def _shapes(shapes: Any) -> str:
    return ", ".join(map(str, shapes))
