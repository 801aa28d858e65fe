"""Cells whose insides are computed again on the way back, instead of being kept.

The call is recorded as any other; when it has returned, what the nodes inside have kept is dropped (`Dropped`). A walk that
comes to one of them runs the Cell again, from the arguments, parameters, attributes and random numbers of the first time,
and each node gets what the node in its place has kept. So nodes, and where gradients go, are the same as without it: to
closures and parameters of others too. What is kept is compared with what was dropped, by checksums: a Cell that does
something else when it is run again ends in an error, and never in another gradient.

Other effects of `construct`, a `print` or an item of a list say, come twice. Inside of `vmap` everything is kept. Graph
mode leaves such a call to the interpreter where a tape follows it; what it calls is compiled as ever. So `fullgraph=True`
refuses it there.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anfora.core import memory, random, slots
from anfora.core.cell import Cell
from anfora.core.cell_state import buffers_of
from anfora.core.errors import OpRuntimeError, OpTypeError
from anfora.core.tensor import current
from anfora.core.tree import tensors, tree_map
from anfora.eager import autocast, batched, tape
from anfora.eager.custom import Kept
from anfora.eager.entry import Recipe
from anfora.eager.tape import Node
from anfora.kernel.glue import is_recording

__all__ = ["Dropped", "recompute", "recomputed", "run_with_hooks"]


def recompute(
    block: Cell,
    *args: Any,
    use_reentrant: bool = True,
    output_recompute: bool = False,
    early_stop: bool = True,
    context_fn: Callable[[], tuple] | None = None,
    **kwargs: Any,
) -> Any:
    """Call a Cell whose insides are not kept for the gradient, but computed again: it takes less memory and more time.

    Args:
        block: the Cell.
        args, kwargs: what it is called with: tensors, in any nesting, and other values.
        use_reentrant, output_recompute, early_stop: accepted for MindSpore programs; what is kept is what the arguments
            hold, always.
        context_fn: gives two context managers, one for the call and one for the second call on the way back.
    Returns:
        what the Cell gives.
    Raises:
        OpTypeError: `block` is no Cell, or `context_fn` gives no pair.
        OpRuntimeError: on the way back, if the Cell does not compute what it has computed.
    Gradient:
        that of the Cell, in the same bits; of any order.
    Example:
        >>> net = nn.SequentialCell(nn.Dense(2, 2), nn.Tanh())
        >>> x = Tensor([[1., 2.]])
        >>> kept, again = grad(lambda x: net(x).sum())(x), grad(lambda x: recompute(net, x).sum())(x)
        >>> kept.tolist() == again.tolist()
        True
    """
    if not isinstance(block, Cell):
        raise OpTypeError(f"recompute needs a Cell, but got {type(block).__name__}", arg="block")
    return recomputed(block, args, kwargs, run_with_hooks, context_fn)


def run_with_hooks(cell: Cell, args: tuple, kwargs: dict) -> Any:
    """Call a Cell."""
    return cell(*args, **kwargs)


def recomputed(
    cell: Cell, args: tuple, kwargs: dict, run: Callable[[Cell, tuple, dict], Any], context_fn: Callable | None = None
) -> Any:
    """What `run(cell, args, kwargs)` gives, whose insides are computed again for the gradient."""
    if not is_recording() or batched.state.depth:  # on all examples of a `vmap` at once, what is kept has no values yet
        return run(cell, args, kwargs)
    first, second = _contexts(context_fn)
    again = _Again(cell, args, kwargs, run, second)
    with first:
        output = run(cell, args, kwargs)
    again.drop(output)
    return output


def _contexts(context_fn: Callable | None) -> tuple[AbstractContextManager, AbstractContextManager]:
    pair = (nullcontext(), nullcontext()) if context_fn is None else context_fn()
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise OpTypeError(f"`context_fn` must give two context managers, but gave {pair!r:.80}", arg="context_fn")
    return pair


class _Again:
    """A call that can be run again.

    It does not know the nodes that have dropped something, but where they stand: these hold it, so it dies with them.
    """

    def __init__(self, cell: Cell, args: tuple, kwargs: dict, run: Callable, context: AbstractContextManager) -> None:
        self.cell, self.run, self.context = cell, run, context
        self.moment = _Moment(cell)
        self.arguments = tree_map(lambda tensor: tensor, (args, kwargs))  # in containers of their own
        self.inputs = list(map(Kept, tensors(self.arguments)))
        self.start = memory.clock[0]
        self.form: _Form
        self.marks: list[tuple]  #: by node, of what it has dropped, see `_mark`
        self.kept: list[Any] | None = None  #: by node, what it gets; None as long as nobody has asked

    def drop(self, output: Any) -> None:
        """The call has returned: let the nodes inside drop what they have kept."""
        nodes, self.form = _nodes_inside(output, self.start)
        held = self._held()
        self.marks = [_marks(node, held) for node in nodes]
        for i, node in enumerate(nodes):
            if _is_droppable(node):
                node.saved = Dropped(self, i)

    def take(self, number: int) -> Any:
        """What a node has kept, once: the call is run again for the first one that asks, and for one that asks again."""
        if self.kept is None or self.kept[number] is None:
            self.kept = self._run_again()
        kept, self.kept[number] = self.kept[number], None
        return kept

    def _run_again(self) -> list[Any]:
        nodes = None
        if self.moment.may_come_again():
            with self.moment.again(), self.context, tape.recording(True):
                given = iter(self.inputs)
                output = self.run(self.cell, *tree_map(lambda _: next(given).tensor(), self.arguments))
            nodes = _nodes_in_place(output, self.form)
        held = self._held()
        if nodes is None or not all(_agree(marks, _marks(node, held)) for marks, node in zip(self.marks, nodes)):
            raise OpRuntimeError(
                f"{type(self.cell).__name__} was computed again for its gradient, as recompute() says, and did not compute "
                "what it had computed",
                help="let nothing that it depends on change between the call and the gradient (what lists hold, variables "
                "outside of it, other random numbers than those of this library), or do not recompute it.",
            )
        return [node.saved for node in nodes]

    def _held(self) -> set[int]:
        """The memory that stays as it is because this holds it, by identity."""
        return {id(memory.root(kept.array)) for kept in (*self.inputs, *(kept for _, kept in self.moment.values))}


class Dropped:
    """What stands for that which a node has kept."""

    __slots__ = ("again", "number")

    def __init__(self, again: _Again, number: int) -> None:
        self.again, self.number = again, number

    def marks(self) -> tuple:
        """Of what was dropped, see `_mark`."""
        return self.again.marks[self.number]

    def take(self) -> Any:
        """What was dropped, computed again."""
        return self.again.take(self.number)


# -- which nodes stand inside -----------------------------------------------------------------------------------------


@dataclass
class _Form:
    """How nodes stand to each other.

    What leads to a value is None, the number of a node inside with that of the result among its results, or `_OUTSIDE`.

    Args:
        results: what leads to each result of a call.
        nodes: of each its kind, and what leads to its operands.
    """

    results: tuple = ()
    nodes: list[tuple[Any, tuple]] = field(default_factory=list)


_OUTSIDE = "outside"


def _slots_of(output: Any) -> list[Any]:
    return [current(result)._node for result in tensors(output)]


def _nodes_inside(output: Any, start: float) -> tuple[list[Node], _Form]:
    """The nodes behind results that were recorded after a moment, and how they stand."""
    numbers: dict[Node, int] = {}
    nodes: list[Node] = []

    def found(slot: Any) -> Any:
        node, result = _taken_apart(slot)
        if node is None:
            return None
        if type(node) is not Node or node.tick <= start:
            return _OUTSIDE
        if node not in numbers:
            numbers[node] = len(nodes)
            nodes.append(node)
        return numbers[node], result

    form = _Form()
    form.results = tuple(map(found, _slots_of(output)))
    for node in nodes:  # which grow
        form.nodes.append((_kind_of(node), tuple(map(found, node.parents))))
    return nodes, form


def _nodes_in_place(output: Any, form: _Form) -> list[Node] | None:
    """The nodes behind results that stand as others do; None if they stand in another way."""
    nodes: list[Node] = []
    numbers: dict[Node, int] = {}

    def agrees(slot: Any, place: Any) -> bool:
        node, result = _taken_apart(slot)
        if place is None or place == _OUTSIDE:
            return (node is None) is (place is None)
        if type(node) is not Node:
            return False
        if node not in numbers:
            numbers[node] = len(nodes)
            nodes.append(node)
        return place == (numbers[node], result)

    def agree(slots: Sequence[Any], places: tuple) -> bool:
        return len(slots) == len(places) and all(map(agrees, slots, places))

    is_so = agree(_slots_of(output), form.results)
    done = 0
    while is_so and done < len(nodes):
        kind, places = form.nodes[done]
        is_so = _kind_of(nodes[done]) is kind and agree(nodes[done].parents, places)
        done += 1
    return nodes if is_so else None


def _taken_apart(slot: Any) -> tuple[Any, int]:
    """The node of a slot, which is no block, and the number of the result."""
    key = tape.key_of(tape.taken_apart(slot))
    return key if type(key) is tuple else (key, 0)


def _kind_of(node: Node) -> Any:
    """What a node is of: its recipe, or the op of a gradient that the user has written, whose recipe is of the call."""
    return node.recipe if type(node.recipe) is Recipe else type(node.recipe)


def _is_droppable(node: Node) -> bool:
    """Whether what a node keeps can be dropped: not what functions of the program are told of, nor what is used up."""
    return type(node.recipe) is Recipe and node.saved is not None


def _marks(node: Node, held: set[int]) -> tuple:
    if not _is_droppable(node):
        return ()
    if type(node.saved) is Dropped:  # of a call inside of this one
        return node.saved.marks()
    return tuple([_mark(value, held) for value in node.saved])


def _mark(value: Any, held: set[int]) -> Any:
    """What tells what a node has kept from anything else: an array itself where its memory is held anyway."""
    if not isinstance(value, np.ndarray):
        return type(value), repr(value)
    return value if id(memory.root(value)) in held else _checksum(value)


def _checksum(array: np.ndarray) -> tuple:
    return array.shape, array.dtype, zlib.crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


def _agree(ones: tuple, others: tuple) -> bool:
    """Whether marks are of the same values."""
    return len(ones) == len(others) and all(map(_is_same, ones, others))


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        places = [(x.__array_interface__["data"], x.shape, x.strides, x.dtype) for x in (one, other)]
        if places[0] == places[1]:
            return True
    one, other = (_checksum(x) if isinstance(x, np.ndarray) else x for x in (one, other))
    return bool(one == other)


# -- what a call depends on -------------------------------------------------------------------------------------------


class _Moment:
    """What a call of a Cell depends on beside its arguments, as it is when this is made: attributes of the Cell and those
    below it, what their parameters and buffers hold, random numbers and mixed precision."""

    def __init__(self, cell: Cell) -> None:
        self.cell = cell
        cells = [each for _, each in cell.cells_and_names()]
        self.attributes = [(each, dict(each.__dict__)) for each in cells]  # buffers and training flags among them
        state = (*cell.get_parameters(), *(buffer for each in cells for _, buffer, _ in buffers_of(each)))
        self.values = [(each, Kept(each)) for each in state]
        self.streams = [(each, each.__getstate__()) for each in random.generators()]
        self.half = autocast.state.dtype

    def may_come_again(self) -> bool:
        """Whether what parameters and buffers were fits into what they are."""
        return all(current(tensor)._layout is kept.layout for tensor, kept in self.values)

    @contextmanager
    def again(self) -> Iterator[None]:
        """For a while all is as it was. What is written to parameters and attributes then is written back."""
        now = _Moment(self.cell)
        try:
            self._put()
            yield
        finally:
            now._put()

    def _put(self) -> None:
        for cell, attributes in self.attributes:
            _put_attributes(cell.__dict__, attributes)
        for tensor, kept in self.values:
            if current(tensor)._array is not kept.array:
                slots.assign(tensor, kept.detached())
            tensor._node = kept.node
        for generator, stream in self.streams:
            generator.__setstate__(stream)
        autocast.enter(self.half)


def _put_attributes(now: dict[str, Any], then: dict[str, Any]) -> None:
    """Give a Cell the attributes of another time, in their order, which is that of its parameters."""
    if list(now) != list(then):
        now.clear()
    for name, value in then.items():
        if name not in now or now[name] is not value:
            now[name] = value
