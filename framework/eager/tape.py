"""The tape: nodes that operators leave behind, and the walk back over them.

    y = op(x, w)      the tensor y points to a Node, which points to the nodes of x and w (`parents`), keeps the values
                      that the gradient rules of `op` ask for (`saved`), and knows when it was recorded (`tick`)

A node never points to the tensor it belongs to, so a graph dies with its last tensor. Gradients are walked strictly in
reverse order of recording. The first contribution to a gradient is stored, later ones are added in that order; *absent*
is a state of its own and never a zero tensor.

The rules are written in operators. When a second derivative is wanted the walk itself is recorded (`create_graph`), and
saved values come back with the history they had.
"""

from __future__ import annotations

import functools
import itertools
import operator
import threading
import weakref
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from anfora.core import advice, memory, slots
from anfora.core.abstract import TensorType
from anfora.core.errors import AnforaError, OpRuntimeError
from anfora.core.op import Op
from anfora.core.own_builtins import undisturbed
from anfora.core.span import between, place_of
from anfora.core.tensor import Tensor, current, wrap
from anfora.eager import autocast, operators
from anfora.eager.ahead import compile_for
from anfora.eager.entry import Entry, Recipe
from anfora.kernel import glue
from anfora.kernel.build import is_cold

__all__ = [
    "Block", "Followed", "Leaf", "Node", "Output", "ask", "backward", "fit", "is_recording", "keep", "kept_by", "key_of",
    "leading_to", "no_grad", "node_of", "node_walked_back", "order_of_visits", "record", "recording", "taken_apart",
    "transforms", "walk",
]  # fmt: skip


class Node:
    """One recorded call. Made by native code too, which fills the slots in place (kernel/glue.py)."""

    __slots__ = ("at", "code", "hooks", "parents", "recipe", "saved", "tick")

    is_leaf = False

    recipe: Recipe  #: of its entry, for the inputs that are followed
    parents: tuple  #: for each input the Node, Output or Leaf it came from, or None
    saved: Any  #: arrays and Python numbers, as the recipe says; None once used up; `Dropped`, see recompute.py
    tick: float  #: a whole number, but for views that were refreshed: between that of their base and the next
    code: Any  #: the code object of the calling frame …
    at: Any  #: … and the position in it
    hooks: dict[int, dict] | None  #: by output, functions that see, and may replace, the gradient

    def hook_table(self, index: int = 0) -> dict:
        """The hooks on the gradient of a result, to be added to."""
        if self.hooks is None:
            self.hooks = {}
        return self.hooks.setdefault(index, {})

    def output(self, index: int) -> Output:
        """The history of one of several results."""
        return Output(self, index)

    @property
    def place(self) -> str:
        """The line that recorded it."""
        return place_of(self.code, self.at)


class Output:
    """One of several results of a node, or of a block."""

    __slots__ = ("_key",)

    is_leaf = False

    def __init__(self, node: Node | Block, index: int) -> None:
        self._key: Any = (node, index)

    @property
    def key(self) -> Any:
        """How its gradient waits: (node, index), or a node with one result, if this was one of a block."""
        key = self._key
        if type(key) is tuple and type(key[0]) is Block and key[0].nodes is not None:
            block, index = key
            node = block.nodes[block.program.results[index][0]]
            key = self._key = (node, block.program.results[index][1]) if node.recipe.is_tuple else node
        return key

    @property
    def node(self) -> Any:
        """The Node that it is a result of, or the Block."""
        key = self.key
        return key[0] if type(key) is tuple else key

    def hook_table(self) -> dict:
        """The hooks on the gradient of this result, to be added to."""
        taken_apart(self)
        key = self.key
        return key[0].hook_table(key[1]) if type(key) is tuple else key.hook_table()


class Block:
    """Recorded calls that native code has run as one: one node, as long as nobody looks inside.

    Whoever needs the nodes that the calls would have left (a second derivative, a hook, an error that tells which call it
    is of) takes the block apart; from then on its results are results of those nodes. See graph/run/taped.py.
    """

    __slots__ = ("nodes", "numbers", "parents", "program", "saved", "tick", "used")

    is_leaf = False

    def __init__(self, program: Any, parents: tuple, saved: tuple, numbers: tuple) -> None:
        self.program = program  #: what was run, and how to walk back over it
        self.parents = parents  #: where its inputs came from, each a Node, Output or Leaf
        self.saved: tuple | None = saved  #: arrays; None once used up
        self.numbers = numbers  #: Python numbers that were different in each call
        self.used: frozenset[int] = program.used  #: the calls whose gradients have been taken, for the last time
        self.nodes: list[Node] | None = None  #: what it has become
        memory.clock[0] += program.count
        self.tick = memory.clock[0]  #: of the last of its calls

    def take_apart(self) -> list[Node]:
        """The nodes in its place."""
        if self.nodes is None:
            self.nodes = self.program.nodes_of(self)
        return self.nodes


def taken_apart(slot: Slot) -> Slot:
    """A slot which is no result of a block, or of one no more."""
    if type(slot) is Output and type(slot.node) is Block:
        slot.node.take_apart()
    return slot


class Leaf:
    """Where a gradient ends: a tensor that no operator computed."""

    __slots__ = ("tensor", "tick", "hooks", "__weakref__")

    is_leaf = True

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = weakref.ref(tensor)
        self.tick = memory.tick()
        self.hooks: dict[int, dict] | None = None

    def hook_table(self) -> dict:
        """The hooks on the gradient of the tensor, to be added to."""
        if self.hooks is None:
            self.hooks = {0: {}}
        return self.hooks[0]


class Followed(dict):
    """The attributes, none, of the step in the path of a view at which a transform follows it: what lies behind that step
    has a history of its own, whatever becomes of the base."""

    __slots__ = ("node",)

    node: Any  #: the history of the whole that is followed; None once it was overwritten by constants

    @staticmethod
    def forgotten(path: tuple) -> tuple:
        """A path without such steps."""
        return tuple((op, {}) if type(attributes) is Followed else (op, attributes) for op, attributes in path)

    @staticmethod
    def renewed(path: tuple) -> tuple:
        """A path that was forgotten, with a step of its own where `assign_add` gave what lies behind it."""
        return tuple((op, Followed() if op is operators.standing_for else attributes) for op, attributes in path)

    def __init__(self) -> None:
        self.node = None


Slot = Any  #: a Node with one result, an Output, or a Leaf


class Transforms(threading.local):
    """The gradient transforms that are running in this thread."""

    depth = 0  #: those inside another one record their walk back

    def __init__(self) -> None:
        #: Tensors that got a history by an in-place write inside a transform, and views that were refreshed inside.
        self.touched: list[Tensor] = []
        self.running: list[Any] = []  #: the transforms themselves


transforms = Transforms()


# -- recording --------------------------------------------------------------------------------------------------------


def is_recording() -> bool:
    """Whether operators are recorded now."""
    return glue.is_recording()


class recording:
    """Switch recording for the time of a block."""

    def __init__(self, on: bool) -> None:
        self._on = on

    def __enter__(self) -> None:
        self._before = glue.set_recording(self._on)

    def __exit__(self, *_: object) -> None:
        glue.set_recording(self._before)


class no_grad:
    """Record nothing: as `with no_grad():`, or as a decorator `@no_grad()`.

    Inside, results have no history and memory is freed as soon as it can be.
    Example:
        >>> w = Parameter(Tensor(3.0))
        >>> with no_grad():
        ...     y = w * 2
        >>> y.requires_grad
        False
    """

    def __init__(self) -> None:
        self._before: list[bool] = []  # one object may be entered again inside itself

    def __enter__(self) -> None:
        self._before.append(glue.open_block())

    def __exit__(self, *exc: object) -> None:
        glue.close_block(self._before.pop())

    def __call__(self, function: Callable) -> Callable:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with no_grad():
                return function(*args, **kwargs)

        return wrapped


between.append(no_grad()(len).__code__)

#: The name until MindSpore 2.6.
_no_grad = no_grad


def record(entry: Entry, mask: int, inputs: Sequence[Any], arrays: Sequence[Any], place: tuple) -> Node:
    """Make the node of a call: `inputs` are tensors and numbers, `arrays` the buffers of the results."""
    node = Node.__new__(Node)
    recipe = node.recipe = entry.recipe(mask)
    node.hooks = None
    node.code, node.at = place
    node.parents = tuple(x._node if mask >> i & 1 else None for i, x in enumerate(inputs))
    count = len(inputs)
    node.saved = tuple(keep(inputs[slot]) if slot < count else arrays[slot - count] for slot in recipe.saves)
    node.tick = memory.tick()
    return node


def keep(value: Any) -> Any:
    """What the tape keeps of an input: the array itself, or a copy where the outside may write to it."""
    if not isinstance(value, Tensor):
        return value
    owner = value if value._base is None else value._base
    mark = owner._mark
    if isinstance(mark, memory.Export):
        if mark.is_alive:
            recorder = slots.watcher.recorder
            return memory.twin(value._array) if recorder is None else recorder.keep_for_tape(value)
        mark = None
    if mark is None:
        owner._mark = memory.SAVED
    return value._array


def second_handle(tensor: Tensor, node: Any) -> Tensor:
    """Another tensor on the same memory, with a history of its own.

    The two do not know of each other, so both are marked as if a tape had kept the memory: the one that hands it out
    moves to a copy first. Where the outside sees the memory already, the new tensor gets a copy of it.
    """
    tensor = current(tensor)
    owner = tensor if tensor._base is None else tensor._base
    if isinstance(owner._mark, memory.Export) and owner._mark.is_alive:
        return wrap(memory.twin(tensor._array), tensor._layout, node)
    owner._mark = memory.SAVED
    handle = wrap(tensor._array, tensor._layout, node)
    handle._mark = memory.SAVED
    return handle


# -- walking back -----------------------------------------------------------------------------------------------------


def backward(
    seeds: Sequence[tuple[Slot, Tensor]],
    targets: Sequence[Slot] | None,
    create_graph: bool = False,
    retain_graph: bool = True,
) -> dict[Slot, Tensor]:
    """Walk back from the seeds; the gradients of `targets`, or of all leaves that are reached, where there are any.

    Args:
        seeds: results with their gradients.
        targets: what gradients are wanted for; only what leads to them is computed. None means every leaf.
        create_graph: record the walk, so that its results can be differentiated.
        retain_graph: keep the saved values, so that the graph can be walked again.
    """
    pending: dict[Any, Any] = {}
    found: dict[Any, Tensor] = {}
    for slot in targets or ():
        taken_apart(slot)
    wanted = set() if targets is None else {key_of(slot) for slot in targets}
    order, needed = order_of_visits([slot for slot, _ in seeds], targets)
    with recording(create_graph), autocast.Suspended():
        for slot, seed in seeds:
            _add(pending, slot, seed)
        if is_cold():
            _compile_ahead(order, pending, wanted, needed)
        walk(order, pending, found, wanted, needed, create_graph, retain_graph)
    return found


@undisturbed
def _compile_ahead(order: list[Node | Leaf | Block], pending: dict[Any, Any], wanted: set, needed: set | None) -> None:
    """Compile the kernels of a walk together, unless that calls functions of the program."""
    is_ours = all(type(node) is Leaf or (type(node) is Node and _is_there(node)) for node in order)
    if is_ours and not advice.marks and not any(getattr(node, "hooks", None) for node in order):
        compile_for(lambda: walk(list(order), dict(pending), {}, wanted, needed, False, True))


def _is_there(node: Node) -> bool:
    """Whether neither a function of the program nor a Cell has to be run for the gradient of a node."""
    op = node.recipe.entry.op  # of a function of the program it is a name alone
    return isinstance(op, Op) and op.is_basic and type(node.saved) is tuple


def walk(
    order: list[Node | Leaf | Block],
    pending: dict[Any, Any],
    found: dict[Any, Tensor],
    wanted: set,
    needed: set | None,
    create_graph: bool,
    retain_graph: bool,
) -> None:
    """Go over nodes, the last of the list first.

    Args:
        order: what to visit; used up.
        pending: gradients that have come so far, by `key_of`; changed.
        found: takes the gradients of leaves, and of what is `wanted`.
        needed: the nodes that lead to something wanted; None where all do.
    """
    marks = advice.marks
    in_parts = not create_graph and slots.watcher.recorder is None
    while order:
        node: Any = order.pop()
        if marks and node.tick in marks:
            advice.tell_unsaid(node)
        if type(node) is Leaf:
            total = pending.pop(node, None)
            if total is not None:
                if type(total) is Parts:
                    total = total.whole()
                found[node] = _run_hooks(node, 0, total) if node.hooks else total
            continue
        if type(node) is Block:
            order += _through(node, pending, needed, create_graph, retain_graph)
            continue
        recipe = node.recipe
        gradient: Any = _several(node, recipe.results, pending) if recipe.is_tuple else pending.pop(node, None)
        if gradient is None:
            continue
        if type(gradient) is Parts:
            gradient = gradient.whole()
        if node.hooks is not None and not recipe.is_tuple:
            gradient = _run_hooks(node, 0, gradient)
        if wanted:
            _deliver(node, gradient, wanted, found)
        saved = node.saved
        if type(saved) is not tuple:
            saved = kept_by(node)
        parents = node.parents
        for call in recipe.calls:
            try:
                if call.passes:
                    new = gradient
                elif in_parts and call.part is not None and gradient._layout.dtype is call.targets[0][1].dtype:
                    _add_part(pending, parents[call.targets[0][0]], gradient, *call.part)
                    continue
                elif create_graph:
                    new = call.run_with_history(node, saved, gradient)
                else:
                    new = call.run(saved, gradient)
            except AnforaError as error:
                raise _on_the_way_back(error, node) from error.__cause__
            if call.is_tuple:
                for (target, layout), one in zip(call.targets, new):
                    parent = parents[target]
                    if parent is not None and one is not None:
                        _add(pending, parent, one if one._layout is layout else fit(one, layout.type))
            elif new is not None:
                target, layout = call.targets[0]
                parent = parents[target]
                if new._layout is not layout:
                    new = fit(new, layout.type)
                if type(parent) is Output:
                    parent = parent.key
                before = pending.get(parent)
                if type(before) is Parts:
                    before = before.whole()
                pending[parent] = new if before is None else before + new
        if not retain_graph:
            node.saved = None
    _finish_parts(pending)


def _through(
    block: Block, pending: dict[Any, Any], needed: set | None, create_graph: bool, retain_graph: bool
) -> list[Node]:
    """Let gradients through a block; the nodes that are to be visited in its place, if it must be taken apart for that."""
    _finish_parts(pending)
    is_whole = block.nodes is None and not create_graph
    if is_whole and block.program.walk_back(block, pending, needed, retain_graph):
        return []
    return _nodes_of(block, pending, needed)


class Parts:
    """A gradient that has come in parts: each is that of a view of index_view, and zero elsewhere.

    They are put together when the whole is asked for. Parts that lie side by side along one axis are written into one
    tensor; the sum of tensors with zeros elsewhere, which it is, gives each element once, plus zero.
    """

    __slots__ = ("items", "shape", "tensors")

    def __init__(self, shape: tuple[int, ...], items: tuple, tensor: Tensor) -> None:
        self.shape, self.items, self.tensors = shape, [items], [tensor]

    def whole(self) -> Tensor:
        """The gradient."""
        return _placing(self.shape, tuple(self.items))(*self.tensors)


@functools.lru_cache(maxsize=1024)
def _placing(shape: tuple[int, ...], parts: tuple[tuple, ...]) -> Callable:
    """The function that makes a gradient of parts that lie so."""
    paths = tuple([(("index_view", (("items", items),)),) for items in parts])
    if len(parts) > 1 and _lie_side_by_side(parts):
        return slots.bound(operators.assemble, len(parts), shape=shape, paths=paths)
    placed = [slots.bound(operators.place, shape=shape, path=path) for path in paths]
    if len(placed) == 1:
        return placed[0]
    return lambda *tensors: functools.reduce(operator.add, [put(x) for put, x in zip(placed, tensors)])


def _lie_side_by_side(parts: Sequence[tuple]) -> bool:
    """Whether items of index_view take other places along one axis, and the same along all others."""
    first = parts[0]
    if any(len(items) != len(first) for items in parts):
        return False
    differing = [i for i in range(len(first)) if any(items[i] != first[i] for items in parts)]
    if len(differing) != 1:
        return False
    spans = []
    for items in parts:
        item = items[differing[0]]
        if item is None:
            return False
        start, count, step = (item, 1, 1) if isinstance(item, int) else item
        if count:
            spans.append(sorted((start, start + (count - 1) * step)))
    spans.sort()
    return all(before[1] < after[0] for before, after in itertools.pairwise(spans))


def _add_part(pending: dict, slot: Slot, gradient: Tensor, shape: tuple[int, ...], items: tuple) -> None:
    key = key_of(slot)
    before = pending.get(key)
    if type(before) is Parts:
        before.items.append(items)
        before.tensors.append(gradient)
    elif before is None:
        pending[key] = Parts(shape, items, gradient)
    else:
        pending[key] = before + Parts(shape, items, gradient).whole()


def _finish_parts(pending: dict) -> None:
    for key, value in pending.items():
        if type(value) is Parts:
            pending[key] = value.whole()


def node_walked_back(frame: FrameType | None) -> Node | None:
    """The node whose gradient is being computed, for who measures; looked for in the frames from here on."""
    while frame is not None:
        if frame.f_code is walk.__code__:
            node = frame.f_locals.get("node")
            return node if type(node) is Node else None
        frame = frame.f_back
    return None


def node_of(result: Any) -> Node | None:
    """The node that the call of an operator has left, for its result."""
    slot = getattr(result[0] if type(result) is tuple and result else result, "_node", None)
    node = slot.node if type(slot) is Output else slot
    return node if type(node) is Node else None


def ask(function: Callable, *args: Any) -> Any:
    """Call a function of the program on the way back: a hook, or a gradient of the program's own. A recorder goes into
    it."""
    recorder = slots.watcher.recorder
    return function(*args) if recorder is None else recorder.call_back(function, args)


def _node_of(slot: Slot) -> Node | Leaf | Block:
    return slot.node if type(slot) is Output else slot


def key_of(slot: Slot) -> Any:
    """How gradients that wait are told apart."""
    return slot.key if type(slot) is Output else slot


def order_of_visits(starts: list[Slot], targets: Sequence[Slot] | None) -> tuple[list[Node | Leaf | Block], set | None]:
    """What the walk visits, first recorded first, without what leads to no target; and a set of that, if there are any."""
    todo = [_node_of(slot) for slot in starts]
    seen = set(todo)
    order = []
    while todo:
        node = todo.pop()
        order.append(node)
        if not isinstance(node, Leaf):
            for parent in node.parents:
                if parent is not None:
                    if type(parent) is Output:
                        parent = parent.node
                    if parent not in seen:
                        seen.add(parent)
                        todo.append(parent)
    order.sort(key=_tick)
    if targets is None:
        return order, None
    needed = {_node_of(slot) for slot in targets}
    return leading_to(needed, order), needed


def leading_to(needed: set, order: list) -> list:
    """Those of some nodes, first recorded first, that are needed or have parents that are; these are needed too then."""
    kept = []
    for node in order:
        if node in needed:
            kept.append(node)
        elif type(node) is not Leaf:
            for parent in node.parents:
                if parent is not None and (parent.node if type(parent) is Output else parent) in needed:
                    needed.add(node)
                    kept.append(node)
                    break
    return kept


def _nodes_of(block: Block, pending: dict, needed: set | None) -> list[Node]:
    """The nodes of a block that the walk has come to; what has come to its results has come to theirs."""
    nodes = block.take_apart()
    for index in range(len(block.program.results)):
        gradient = pending.pop((block, index), None)
        if gradient is not None:
            _add(pending, Output(block, index), gradient)
    return nodes if needed is None else leading_to(needed, nodes)


_tick = operator.attrgetter("tick")


def _add(pending: dict, slot: Slot, gradient: Tensor) -> None:
    key = key_of(slot)
    before = pending.get(key)
    if type(before) is Parts:
        before = before.whole()
    pending[key] = gradient if before is None else before + gradient


def _several(node: Node, count: int, pending: dict) -> tuple | None:
    """The gradients that have come to the results of a node, or None if there are none."""
    gradients = [pending.pop((node, i), None) for i in range(count)]
    gradients = [g.whole() if type(g) is Parts else g for g in gradients]
    if all(gradient is None for gradient in gradients):
        return None
    if node.hooks:
        gradients = [None if g is None else _run_hooks(node, i, g) for i, g in enumerate(gradients)]
    return tuple(gradients)


def _run_hooks(node: Node | Leaf, index: int, gradient: Tensor) -> Tensor:
    for hook in list(((node.hooks or {}).get(index) or {}).values()):
        shown = second_handle(gradient, gradient._node)  # others may get the same gradient: a hook writes to its own
        replaced = ask(hook, shown)
        if replaced is not None:
            gradient = replaced
        elif shown._array is not gradient._array:
            gradient = shown
    return gradient


def _deliver(node: Node, gradient: Any, wanted: set, found: dict) -> None:
    """Keep the gradient of a target that is not a leaf."""
    if node in wanted:
        found[node] = gradient
    elif isinstance(gradient, tuple):
        for index, part in enumerate(gradient):
            if part is not None and (node, index) in wanted:
                found[node, index] = part


def kept_by(node: Node) -> tuple:
    """What a node has kept; where it was dropped (recompute.py) it is computed again, for this time.

    Raises:
        OpRuntimeError: it is used up.
    """
    saved = node.saved
    while type(saved) is not tuple:
        if saved is None:
            raise _used_up(node)
        saved = saved.take()
    return saved


def _used_up(node: Node) -> OpRuntimeError:
    return OpRuntimeError(
        f"the gradient of {node.recipe.entry.op.name} has been taken already, and what it needs is freed",
        help="pass retain_graph=True to the first backward().",
    )


def fit(gradient: Tensor, kind: TensorType) -> Tensor:
    """A gradient in the shape and type of the tensor it belongs to: broadcast axes are summed; an integer tensor that
    was converted to floating point keeps a floating gradient."""
    if gradient._layout.shape != kind.shape:
        gradient = operators.sum_to(gradient, shape=kind.shape)
    if gradient._layout.dtype.is_complex and not kind.dtype.is_complex:
        gradient = operators.copy(operators.real_part(gradient))  # of a real number it has no other part
    if gradient._layout.dtype is not kind.dtype and (kind.dtype.is_inexact or not gradient._layout.dtype.is_inexact):
        gradient = operators.cast(gradient, kind.dtype)
    return gradient


def _on_the_way_back(error: AnforaError, node: Node) -> AnforaError:
    """An error in a gradient rule tells which call the gradient is of."""
    came = f"  in the gradient of {node.recipe.entry.op.name}, recorded at {node.place}"
    error.place = came if error.place is None else f"{error.place}\n{came}"
    return error
