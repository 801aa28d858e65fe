"""A pipeline is a tree of nodes that never change; what one pass over it needs is a `Run`.

    columns      the names of the fields of a row
    size(run)    how many rows an epoch has; None if only running tells, or it never ends
    size_from    the same of the sizes of the nodes below
    indexed      whether row number p of an epoch can be had by itself, without those before it

An indexed node answers `rows(run, epoch, positions)`, a function of its arguments alone. So any worker can compute any
rows, and a run that is resumed starts at its row at once. Sources with random access are indexed, and so is what stands on
them: `map`, `batch`, `shuffle`, `repeat`, … only translate positions. The others (a generator, a filter) give
`stream(run, epoch)`, rows one after the other; what was done before is read again and thrown away when such a run is
resumed.

`origins` tells which sample a row comes from. Random choices follow from it, not from where a row stands: they are the same
in a shuffled, cut, sharded or repeated pipeline. The epoch inside of `repeat` is the one that there is counted.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anfora.core.errors import OpRuntimeError
from anfora.dataset.blocks import Block
from anfora.dataset.seeds import mix

if TYPE_CHECKING:
    from anfora.dataset.executor import Executor

__all__ = ["Node", "Run", "Through", "counted", "descendants"]


class Run:
    """One pass over a pipeline, of any number of epochs.

    Args:
        root: the tree.
        seed: what all orders and random choices follow from.
        shared_seed: the same, for what processes that share a dataset must agree on, also where no seed was set.
    """

    def __init__(self, root: Node, seed: int, shared_seed: int) -> None:
        self.root, self.seed, self.shared_seed = root, seed, shared_seed
        self.nodes: list[Node] = []
        self.numbers: dict[int, int] = {}
        for node in descendants(root):
            if id(node) not in self.numbers:
                self.numbers[id(node)] = len(self.nodes)
                self.nodes.append(node)
                node.check()
        #: What tells the choices of nodes apart: its kind, and how many of that kind are below. So neither what is put on
        #: top of a pipeline nor `take` and `skip` inside of it change the choices of the others.
        self.names: dict[int, int] = {}
        kinds: Counter[str] = Counter()
        for node in self.nodes:
            kind = type(node).__name__
            self.names[id(node)] = mix(zlib.crc32(kind.encode()), kinds[kind])
            kinds[kind] += 1
        self._kept: dict[Any, dict[int, Any]] = {}
        self.executor: Executor | None = None
        #: The epoch before which it ends; None where that is not known.
        self.last: int | None = None

    def key(self, node: Node, *parts: int) -> int:
        """A key for random choices of a node."""
        return mix(self.seed, self.names[id(node)], *parts)

    def shared_key(self, node: Node, *parts: int) -> int:
        """The same, where processes must agree."""
        return mix(self.shared_seed, self.names[id(node)], *parts)

    def keep(self, node: Node, name: str, epoch: int, make: Callable[[], Any]) -> Any:
        """What `make` gives, made once for an epoch; two epochs are kept, since one may begin before another has ended."""
        kept = self._kept.setdefault((id(node), name), {})
        missing = object()
        made = kept.get(epoch, missing)
        if made is not missing:
            return made
        made = kept[epoch] = make()
        for old in sorted(kept)[:-2]:
            kept.pop(old, None)
        return made

    def stream(self, node: Node, epoch: int, start: int = 0, chunk: int | None = None) -> Iterator[Block]:
        """The rows of a node from row `start` on, in blocks; by workers, if there are some."""
        assert self.executor is not None
        if node.indexed:
            return self.executor.indexed(self, node, epoch, start, chunk)
        return node.stream(self, epoch, start)


class Node:
    """A part of a pipeline. Its attributes are set when it is made, and never again."""

    children: tuple[Node, ...] = ()
    columns: list[str]
    indexed = True
    follows = False  #: to count the rows it is enough to count those of the nodes below, which end when it does
    workers: int | None = None  #: what the program asked for
    in_process = False  #: the program asked for workers that are no processes
    in_order = False  #: rows are worked on one after the other, none before it is asked for
    #: The classes of all samples by the column that has them, where they are known without reading all fields.
    labels: Callable[[str], Any] | None = None

    def check(self) -> None:
        """Refuse what does not fit to the nodes below; asked before anything is run."""

    def size(self, run: Run) -> int | None:
        below = [child.size(run) for child in self.children]
        return None if None in below else self.size_from(*below)  # type: ignore[arg-type]

    def size_from(self, *below: int) -> int | None:
        """How many rows there are above so many; one round of what is repeated endlessly."""
        return None

    def rows(self, run: Run, epoch: int, positions: np.ndarray) -> Block:
        """The rows at these positions of an epoch; an indexed node has this."""
        raise NotImplementedError

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        """The rows from number `start` on; a node that is not indexed has this."""
        raise NotImplementedError

    def origins(self, run: Run, epoch: int, positions: np.ndarray) -> tuple[Any, np.ndarray]:
        """Which samples the rows come from: epochs (one for all, or one each) and numbers."""
        return epoch, positions

    @property
    def sample_count(self) -> int | None:
        """How many samples there are, where each row is made of one that can be had again; None elsewhere."""
        return None

    def samples(self, run: Run, epoch: int, positions: np.ndarray) -> np.ndarray:
        """Which of these the rows are made of: the same numbers in any epoch, order and part."""
        raise NotImplementedError

    def functions(self) -> Sequence[Any]:
        """The program's own functions in this node that are not marked pure."""
        return ()

    def marked_pure(self) -> bool:
        """Whether this node has functions of the program that are marked pure."""
        return False

    @property
    def batch_size(self) -> int:
        return self.children[-1].batch_size if self.children else 1

    @property
    def repeat_count(self) -> int:
        return self.children[-1].repeat_count if self.children else 1

    def has_columns(self, names: Sequence[str], what: str) -> None:
        """Refuse names that are not among the columns."""
        for name in names:
            if name not in self.columns:
                raise OpRuntimeError(
                    f"Invalid column, {what}: column name: {name} does not exist; the columns are {self.columns}"
                )


def descendants(node: Node) -> Iterator[Node]:
    """A tree, children first."""
    for child in node.children:
        yield from descendants(child)
    yield node


def counted(node: Node, run: Run) -> int:
    """How many rows the first epoch has; where only running tells, no more is run than that takes."""
    size = node.size(run)
    if size is not None:
        return size
    if node.follows:
        size = node.size_from(*(counted(child, run) for child in node.children))
        assert size is not None
        return size
    return sum(block.count for block in run.stream(node, 0))


class Through(Node):
    """A node whose rows are rows of its one child, at other positions."""

    follows = True

    def __init__(self, child: Node) -> None:
        self.children = (child,)
        self.columns = child.columns
        self.indexed = child.indexed

    @property
    def child(self) -> Node:
        return self.children[0]

    def size_from(self, *below: int) -> int | None:
        return below[0]

    def places(self, run: Run, epoch: int, positions: np.ndarray) -> np.ndarray:
        """Positions in the child, in the same epoch."""
        return positions

    def rows(self, run: Run, epoch: int, positions: np.ndarray) -> Block:
        return self.child.rows(run, epoch, self.places(run, epoch, positions))

    def origins(self, run: Run, epoch: int, positions: np.ndarray) -> tuple[Any, np.ndarray]:
        if not self.indexed:
            return epoch, positions
        return self.child.origins(run, epoch, self.places(run, epoch, positions))

    @property
    def sample_count(self) -> int | None:
        return self.child.sample_count if self.indexed else None

    def samples(self, run: Run, epoch: int, positions: np.ndarray) -> np.ndarray:
        return self.child.samples(run, epoch, self.places(run, epoch, positions))
