"""A piece under the tape: one native program forward, one node of the tape, one native program back.

Where gradients may be asked for later, PyNative mode leaves a node for each operator. A piece leaves a single one, a
`Block` (eager/tape.py), which keeps what the nodes would keep. The walk back over it *takes the gradients that its inputs
have so far, or their absence, and returns them with its own added*, so that every sum is added up in the order of
PyNative mode, also where a weight is used before the compiled call, twice inside and after it.

The way back is a piece like any other, made of the gradient rules of the operators (graph/gradient/). It depends on which
gradients have come and which are wanted, so there is one for each such pattern; it is written when it is first gone,
operator by operator, and lowered when it is gone again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from anfora.core import advice, slots
from anfora.core.abstract import Layout
from anfora.core.errors import AnforaError
from anfora.core.tensor import Tensor
from anfora.eager.entry import Recipe, tensor_maker
from anfora.eager.tape import Block, Node, Output, second_handle
from anfora.graph.facts.origins import Origin, value_of
from anfora.graph.gradient.back import PieceBack, Step, walk
from anfora.graph.ir.nodes import AnfNode, GraphError, ValueNode
from anfora.graph.ir.planned import OperatorCall, is_scalar
from anfora.graph.run.one_by_one import OneByOne
from anfora.graph.state.moments import Piece

__all__ = ["Taped", "taped"]

_MOST_WAYS = 16  #: back over a piece; what comes beyond is walked node by node


class Left(NamedTuple):
    """An operator that the tape follows, as the node that it would leave."""

    call: OperatorCall
    recipe: Recipe
    #: For each input the parent: an input of the block (a number), the result of a node (a pair), or None.
    parents: tuple[int | tuple[int, int] | None, ...]
    #: What the recipe saves: where it stands in the block's `saved`; a number that is known; which of those that are not.
    saves: tuple[int | ValueNode | tuple[int], ...]

    @property
    def mask(self) -> int:
        """Which inputs are followed."""
        return sum(1 << i for i, parent in enumerate(self.parents) if parent is not None)

    @property
    def followed(self) -> list[AnfNode]:
        """These inputs."""
        return [x for x, parent in zip(self.call.operands, self.parents) if parent is not None]


class _Missing(Exception):
    """It is not known at compile time what nodes the operators would leave."""


def taped(piece: Piece, visible: list[AnfNode]) -> list[Taped] | None:
    """How a piece is run as one node of the tape, or as several with others between them that call Python; None if it
    cannot be.

    Args:
        visible: the values of it that can be seen afterwards.
    """
    if piece.is_mixed:
        return None
    try:
        followed, calls = _follow(piece)
        position = {call: index for index, call in enumerate(piece.calls, 1)}
        starts = [0, *(position[cut.after] for cut in piece.cuts), len(piece.calls)]
        parts: list[Taped] = []
        for start, end in zip(reversed(starts[:-1]), reversed(starts)):
            part = Taped(
                piece, visible, followed, {i: mask for i, mask in calls.items() if start <= i < end}, start, end
            )
            visible = list(dict.fromkeys([*visible, *part.parents]))
            parts.insert(0, part)
    except _Missing:
        return None
    return parts


class Taped:
    """What the tape would see of a piece, or of the operators from `start` to `end` of one.

    Args:
        visible: the values that can be seen behind them.
        followed: the values with a history.
        calls: the operators that leave nodes, each with the mask of its inputs that are followed; used up.

    Attributes:
        nodes: those of the operators that lead from what is followed to what is visible, in their order.
        results: the visible ones among their results, as (node, number of the result).
        index: of these values, their numbers in `results`.
        parents: the values that come in with a history.
        kept: the values that are saved; `shared`, those of them and of what they are views of that are made here.
        numbers: the numbers, different in each call, that are saved.
        count: how many moments the operators take on the tape's clock.
    """

    def __init__(
        self, piece: Piece, visible: list[AnfNode], followed: set[AnfNode], calls: dict[int, int], start: int, end: int
    ) -> None:
        self.piece = piece
        self.count = end - start
        self.nodes: list[Left] = []
        self.ticks: list[int] = []
        self.parents: list[AnfNode] = []
        self.kept: list[AnfNode] = []
        self.numbers: list[AnfNode] = []
        needed = {value for value in visible if value in followed}
        for index in sorted(calls, reverse=True):  # what does not lead to something visible dies at once
            call = piece.calls[index]
            if needed.isdisjoint(call.results):
                del calls[index]
            else:
                needed.update(x for i, x in enumerate(call.operands) if calls[index] >> i & 1)
        place: dict[AnfNode, int | tuple[int, int]] = {}
        for index, mask in sorted(calls.items()):
            call = piece.calls[index]
            for j, value in enumerate(call.results):
                place[value] = (len(self.nodes), j)
            self.nodes.append(self._node(call, mask, place))
            self.ticks.append(index - start + 1)
        #: Nodes whose gradients have been taken inside of the piece: nothing is saved for them.
        self.used = frozenset(k for k, node in enumerate(self.nodes) if node.call.is_used)
        seen = [value for value in visible if value in followed and type(place.get(value)) is tuple]
        self.index = {value: i for i, value in enumerate(dict.fromkeys(seen))}
        self.results: list[Any] = [place[value] for value in self.index]
        self.roots = piece.roots()
        layouts = _layouts(piece)
        self._saved_layouts = [layouts[value] for value in self.kept]
        self._make = tensor_maker()
        self._asks_program = any(each.is_of_program for node in self.nodes for each in node.recipe.calls)
        self.shared = {self.roots[value] for value in self.kept}
        for call, root in piece.written(self.roots):
            saving = (node.call.order for node in self.nodes if root in self._roots_of(node))
            if any(order < call.order for order in saving):
                raise _Missing  # a value is changed that was saved before
        self._ways: dict[tuple, list[Way]] = {}
        self._by_nodes: set[tuple] = set()  #: patterns of which the way depends on more than types

    def _node(self, call: OperatorCall, mask: int, place: dict[AnfNode, Any]) -> Left:
        parents: list[Any] = []
        for i, x in enumerate(call.operands):
            if not mask >> i & 1:
                parents.append(None)
                continue
            if x not in place:
                place[x] = len(self.parents)
                self.parents.append(x)
            parents.append(place[x])
        recipe = call.entry.recipe(mask)
        values = (*call.operands, *call.results)
        saves: list[Any] = []
        for slot in () if call.is_used else recipe.saves:
            x = values[slot]
            if is_scalar(x):
                saves.append(x)
            elif x in self.piece.numbers:
                saves.append((_number_of(self.numbers, x),))
            else:
                saves.append(_number_of(self.kept, x))
        return Left(call, recipe, tuple(parents), tuple(saves))

    def _roots_of(self, node: Left) -> set[AnfNode]:
        """What the values belong to that a node saves."""
        return {self.roots[self.kept[where]] for where in node.saves if type(where) is int}

    # -- as nodes -----------------------------------------------------------------------------------------------------

    def nodes_of(self, block: Block) -> list[Node]:
        """The nodes that the operators of a block would have left."""
        nodes: list[Node] = []
        start = block.tick - self.count
        for k, (call, recipe, parents, saves) in enumerate(self.nodes):
            node = Node.__new__(Node)
            node.recipe, node.hooks = recipe, None
            node.code, node.at = call.place
            node.tick = start + self.ticks[k]
            node.parents = tuple(self._parent(p, block, nodes) for p in parents)
            node.saved = None
            if block.saved is not None and k not in block.used:
                node.saved = tuple(self._saved(x, block.saved, block.numbers) for x in saves)
            nodes.append(node)
        return nodes

    @staticmethod
    def _parent(parent: int | tuple[int, int] | None, block: Block, nodes: list[Node]) -> Any:
        if parent is None:
            return None
        if isinstance(parent, int):
            return block.parents[parent]
        number, index = parent
        node = nodes[number]
        return node.output(index) if node.recipe.entry.is_tuple else node

    @staticmethod
    def _saved(where: int | ValueNode | tuple[int], saved: tuple, numbers: Sequence[Any]) -> Any:
        if isinstance(where, int):
            return saved[where]
        return where.value if isinstance(where, ValueNode) else numbers[where[0]]

    # -- the way back -------------------------------------------------------------------------------------------------

    def walk_back(self, block: Block, pending: dict[Any, Any], needed: set | None, retain_graph: bool) -> bool:
        """Add the gradients that go through a block to those that wait; False, and nothing is changed, if it must be
        taken apart for that."""
        own = [(block, i) for i in range(len(self.results))]
        gradients = [pending.get(key) for key in own]
        keys = [parent.key if type(parent) is Output else parent for parent in block.parents]
        if needed is None:
            before = [pending.get(key) for key in keys]
            pattern = [tensor is None for tensor in (*gradients, *before)]
        else:
            wanted = [(key[0] if type(key) is tuple else key) in needed for key in keys]
            before = [pending.get(key) if is_wanted else None for key, is_wanted in zip(keys, wanted)]
            pattern = [*[tensor is None for tensor in (*gradients, *before)], *wanted]
        if False not in pattern[: len(gradients)]:
            return True
        given = [tensor for tensor in (*gradients, *before) if tensor is not None]
        if not self._is_plain(block, keys, given):
            return False
        make = self._make
        saved = [make(array, layout, None) for array, layout in zip(block.saved, self._saved_layouts)]  # type: ignore[arg-type]
        coming = [*given, *saved, *block.numbers]
        try:
            for way in self._ways.get(tuple(pattern), ()):
                found = way.runner.run(coming)
                if found is not None:
                    break
            else:
                new = self._new_way(tuple(pattern), coming)
                if new is None:
                    return False
                way, found = new
        except AnforaError:  # the nodes tell which call it is of
            return False
        for key in own:
            pending.pop(key, None)
        for i, gradient in zip(way.targets, found):
            pending[keys[i]] = gradient
        if not retain_graph:
            block.used |= way.visited
            if len(block.used) == len(self.nodes):
                block.saved = None
        return True

    def _new_way(self, pattern: tuple[bool, ...], coming: list[Any]) -> tuple[Way, list[Tensor]] | None:
        """A way back that is none of the known ones, gone for the first time; None if there are enough, or it depends on
        more than types."""
        if pattern in self._by_nodes or (pattern not in self._ways and len(self._ways) >= _MOST_WAYS):
            return None
        ways = self._ways.setdefault(pattern, [])
        if len(ways) >= _MOST_WAYS:
            return None
        try:
            back, results, targets, visited = self._way_back(pattern, coming)
        except GraphError:
            self._by_nodes.add(pattern)
            return None
        way = Way(back.piece, back.finish(results), targets, visited)
        found = _run_once(back, results, coming)
        ways.append(way)
        return way, found

    def _is_plain(self, block: Block, keys: list, given: list[Tensor]) -> bool:
        """Whether no more is to be done than to compute."""
        if self._asks_program or block.saved is None or block.used or slots.watcher.recorder is not None:
            return False
        if len(set(keys)) < len(keys):
            return False
        if advice.marks and any(block.tick - self.count < tick <= block.tick for tick in advice.marks):
            return False
        return all(type(tensor) is Tensor for tensor in given)  # none of `vmap`

    def _way_back(
        self, pattern: tuple[bool, ...], coming: list[Any]
    ) -> tuple[PieceBack, list[AnfNode], list[int], frozenset[int]]:
        """Write a way back down: what it gives, to which inputs, and over which nodes it goes.

        Args:
            pattern: of the results and the inputs, whether no gradient has come; of the inputs, whether one is wanted.
            coming: these gradients, what is saved, and the numbers.
        """
        names, count = [*self.index, *self.parents], len(self.index) + len(self.parents)
        given = [name for name, is_absent in zip(names, pattern) if not is_absent]
        back = PieceBack(coming, len(given))
        sums = dict(zip(given, back.slots))
        before = dict(sums)
        wanted = pattern[count:] or (True,) * len(self.parents)
        leading = {parent for parent, is_wanted in zip(self.parents, wanted) if is_wanted}
        steps: list[Step] = []
        visited: list[int] = []
        for k, node in enumerate(self.nodes):
            if not leading.isdisjoint(node.followed):
                leading.update(node.call.results)
                steps.append(self._step(back, k, node, back.slots[len(given) :], visited))
        walk(reversed(steps), sums, back.add)
        targets = [
            i for i, parent in enumerate(self.parents) if wanted[i] and sums.get(parent) is not before.get(parent)
        ]
        found = [sums[self.parents[i]] for i in targets]
        return back, found, targets, frozenset(visited)

    def _step(self, back: PieceBack, number: int, node: Left, saved: Sequence[Any], visited: list[int]) -> Step:
        """The step over a node; it tells when it is done."""
        call, recipe, _, saves = node
        values: list[Any] = [None] * (len(call.operands) + len(call.results))
        for slot, where in zip(recipe.saves, saves):
            if type(where) is int:
                values[slot] = saved[where]
            elif type(where) is tuple:
                values[slot] = saved[len(self.kept) + where[0]]
        step = back.over(call, node.mask, values)

        def write(came: list[AnfNode | None]) -> list[tuple[int, AnfNode]]:
            visited.append(number)
            return step.write(came)

        return step._replace(write=write)


class Way:
    """A way back over a piece.

    Args:
        piece: the operators of the gradient rules.
        origins: of the results.
        targets: the inputs of the block that they are the gradients of.
        visited: the nodes on the way.
    """

    def __init__(self, piece: Piece, origins: list[Origin], targets: list[int], visited: frozenset[int]) -> None:
        from anfora.graph.run.pieces import Runner

        self.targets, self.visited = targets, visited
        self.runner = Runner(piece, origins)


def _run_once(back: PieceBack, results: Sequence[AnfNode], coming: Sequence[Any]) -> list[Tensor]:
    """What a way back gives, one by one: to lower it costs more than that."""
    piece = back.piece
    given: dict[AnfNode, Any] = {
        x: value_of(x.origin, coming) for x in (*piece.inputs.values(), *piece.numbers.values())
    }
    values = {**given, **OneByOne(piece, list(given), set(results)).run(list(given.values()))}
    return [second_handle(values[x], None) if back.origin_of(x) in piece.handles else values[x] for x in results]


def _number_of(values: list[AnfNode], value: AnfNode) -> int:
    """The number of a value in a list, to which it is added."""
    if value not in values:
        values.append(value)
    return values.index(value)


def _follow(piece: Piece) -> tuple[set[AnfNode], dict[int, int]]:
    """The values with a history, and for each operator that leaves a node the mask of its inputs that are followed."""
    has_history = {id(origin): has for kind, origin, has in piece.guards if kind == "history"}
    followed: set[AnfNode] = set()
    unknown: set[AnfNode] = set()
    for value in piece.inputs.values():
        has = has_history.get(id(value.origin))
        if has is None:
            unknown.add(value)
        elif has:
            followed.add(value)
    calls: dict[int, int] = {}
    roots, leaves, before = piece.roots(), piece.leaves_after(), None
    for index, call in enumerate(piece.calls):
        followed.update(leaves.get(before, ()))
        before = call
        if not call.is_taped or not (call.entry.followed or call.entry.written):
            continue
        if call.entry.op.is_untaped:
            continue
        if not unknown.isdisjoint(call.operands):
            raise _Missing
        mask = sum(1 << i for i, x in enumerate(call.operands) if x in followed)
        if call.entry.written:
            targets = {roots[call.operands[i]] for i in call.entry.written}
            if mask or any(roots[value] in targets for value in followed):  # a tensor that is detached from it, say
                raise _Missing
        mask &= call.entry.followed
        if mask:
            calls[index] = mask
            followed.update(call.results)
    return followed, calls


def _layouts(piece: Piece) -> dict[AnfNode, Layout]:
    """Of the values."""
    found = {value: each.layout for value, each in piece.inputs.items()}
    found.update((value, tensor._layout) for value, tensor in piece.constants.items())
    for call in piece.calls:
        found.update(zip(call.results, call.entry.outputs))
    return found
