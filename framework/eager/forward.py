"""Forward mode: the derivative of a function in a direction, carried along the tape from its arguments to its results.

A function is run once with the tape on (`transform.linearize`). The nodes between its arguments and its results are then
walked in the order of recording, and each gives the tangents of its results from those of its inputs:

    by the `jvp` rule of its operator; most belong to a family (`ops/families.py`): element by element, or linear
    without one: the gradient rule is a linear map from g, and the transpose of that map is what is looked for, so the
    rule is recorded for a g of zeros and walked back from the tangents

A direction that does not move an input is *absent*, never a zero tensor. Tangents are computed by ordinary operators,
which an outer transform records, with the histories of the saved values: any order, in any nesting with the reverse mode.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anfora.core.abstract import TensorType
from anfora.core.errors import OpValueError
from anfora.core.tensor import Tensor, current
from anfora.core.tree import tensors, tree_map
from anfora.eager import operators, tape, transform
from anfora.eager.entry import Entry, tensor_maker
from anfora.eager.tape import Leaf, Node

__all__ = ["Values", "along", "points_of"]


def along(line: transform.Linearized, directions: Sequence[Tensor | None], outputs: Any) -> Any:
    """The tangents of results of a function that was run, in their nesting.

    Args:
        line: of the function; what it was differentiated by may move.
        directions: one for each tensor in there; None for one that does not move.
        outputs: the results, or part of them.
    Raises:
        OpValueError: their numbers differ, or a direction cannot be broadcast to the shape of its point.
    """
    points = points_of(line)
    if len(points) != len(directions):
        raise OpValueError(f"there are {len(points)} tensors to move, but {len(directions)} directions came")
    starts = [slot for group in line.slots for slot in group]
    seen = {id(transform.memory_of(d)): transform.owner_of(d) for d in directions if d is not None}
    with tape.recording(transform.is_inside()):
        known = {
            tape.key_of(slot): _start(direction, point._layout.type)
            for slot, direction, point in zip(starts, directions, points)
            if direction is not None
        }
        _walk([current(t) for t in tensors(outputs)], known)

        def deliver(result: Tensor) -> Tensor:
            tangent = None if result._node is None else known.get(tape.key_of(result._node))
            return transform.zeros_like(result) if tangent is None else transform._own(tangent, seen)

        return tree_map(deliver, outputs)


def points_of(line: transform.Linearized) -> list[Tensor]:
    """The tensors that a function was differentiated by."""
    return [point for tree in line.inputs for point in tensors(tree)]


def _start(direction: Tensor, kind: TensorType) -> Tensor:
    if direction.shape != kind.shape:
        direction = operators.broadcast_to(direction, kind.shape)
    return tape.fit(direction, kind)


def _walk(results: list[Tensor], known: dict[Any, Tensor]) -> None:
    """Add to the tangents that are known those of all that lies between them and the results."""
    nodes, kinds = _between(results, known)
    for node in nodes:
        given = tuple(None if parent is None else known.get(tape.key_of(parent)) for parent in node.parents)
        if all(tangent is None for tangent in given):
            continue
        kept = tape.kept_by(node)
        entry = node.recipe.entry
        if isinstance(entry, Entry) and entry.op.jvp_rule and any(layout.dtype.is_float for layout in entry.outputs):
            found = entry.op.jvp_rule(Values(node, given, kept))
            found = found if entry.is_tuple else (found,)
        else:  # also for integer programs: their tangents may be floating, and must not be rounded on the way
            found = _transposed_twice(node, given, kinds, kept)
        for key, tangent in zip(_keys(node), found):
            if tangent is not None and key in kinds:
                assert tangent.shape == kinds[key].shape, (
                    f"bug in this library: a tangent of the wrong shape, {entry.op.name}"
                )
                known[key] = tape.fit(tangent, kinds[key])


def _keys(node: Node) -> list:
    """What tangents of the results of a node are known by."""
    recipe = node.recipe
    return [(node, i) for i in range(recipe.results)] if recipe.is_tuple else [node]


def _between(results: list[Tensor], known: dict[Any, Tensor]) -> tuple[list[Node], dict[Any, TensorType]]:
    """The nodes that were recorded on the way to the results, first recorded first, and the types of what is needed."""
    kinds: dict[Any, TensorType] = {}
    found: set[Node] = set()
    todo: list[Node] = []
    begin = min((node.tick for node in known), default=0)  # what is older does not depend on the arguments

    def need(slot: Any, kind: TensorType) -> None:
        kinds[tape.key_of(tape.taken_apart(slot))] = kind
        node = slot.node if type(slot) is tape.Output else slot
        if type(node) is Node and node.tick > begin and node not in found and node not in known:
            found.add(node)
            todo.append(node)

    for result in results:
        if result._node is not None:
            need(result._node, result._layout.type)
    while todo:
        node = todo.pop()
        for call in node.recipe.calls:
            for i, layout in call.targets:
                if node.parents[i] is not None:
                    need(node.parents[i], layout.type)
    return sorted(found, key=lambda node: node.tick), kinds


class Values(Mapping):
    """What the `jvp` rule of a node may ask for, made when it is.

    t_x        the tangent of a tensor argument, None where it does not move; a list of them for a sequence
    x, out     its value, and that of a result: None where no gradient rule of the arguments that are followed keeps it
    x_type     its type
    axis, …    attributes
    """

    __slots__ = ("entry", "given", "history", "kept", "node")

    def __init__(self, node: Node, given: tuple, kept: tuple) -> None:
        self.node, self.given, self.kept, self.entry = node, given, kept, node.recipe.entry
        self.history = tape.is_recording()

    @property
    def attributes(self) -> dict[str, Any]:
        """All attributes."""
        return self.entry.attributes

    def __getitem__(self, name: str) -> Any:
        entry = self.entry
        if name in entry.attributes:
            return entry.attributes[name]
        tensor = name.removeprefix("t_").removesuffix("_type")
        if tensor in entry.op.tensors:
            group = entry.groups[entry.op.tensors.index(tensor)]
            if name.startswith("t_") and name not in entry.op.tensors:
                return list(self.given[group]) if isinstance(group, slice) else self.given[group]
            of = self._type if name.endswith("_type") else self._value
            return [of(i) for i in range(group.start, group.stop)] if isinstance(group, slice) else of(group)
        if not tensor.startswith("out"):
            raise KeyError(name)
        slot = len(entry.inputs) + int(tensor[3:] or 0)
        return self._type(slot) if name.endswith("_type") else self._value(slot)

    def __iter__(self) -> Iterator[str]:
        return iter(self.entry.attributes)

    def __len__(self) -> int:
        return len(self.entry.attributes)

    def _type(self, slot: int) -> TensorType | None:
        layout = (*self.entry.inputs, *self.entry.outputs)[slot]
        return None if layout is None else layout.type

    def _value(self, slot: int) -> Any:
        recipe = self.node.recipe
        if slot not in recipe.saves:
            return None
        saved = self.kept[recipe.saves.index(slot)]
        if slot in self.entry.numbers:
            return saved
        layout: Any = (*self.entry.inputs, *self.entry.outputs)[slot]
        return tensor_maker()(saved, layout, recipe.history(self.node, slot) if self.history else None)


def _transposed_twice(node: Node, given: tuple, kinds: Mapping[Any, TensorType], kept: tuple) -> list[Tensor | None]:
    """The tangents of a node's results by its gradient rules alone."""
    recipe = node.recipe
    with_history = tape.is_recording()
    with tape.recording(True):
        starts: list[Tensor | None] = []
        for key in _keys(node):
            start = operators.zeros_of(kinds[key]) if key in kinds else None
            if start is not None:
                start._node = Leaf(start)
            starts.append(start)
        g: Any = tuple(starts) if recipe.is_tuple else starts[0]
        seeds = []
        for call in recipe.calls:
            if call.passes:
                new = g
            elif with_history:
                new = call.run_with_history(node, kept, g)
            else:
                new = call.run(kept, g)
            for (i, layout), one in zip(call.targets, new if call.is_tuple else (new,)):
                tangent = given[i]
                if tangent is not None and one is not None:
                    one = tape.fit(one, layout.type)
                    if one._node is not None:
                        seeds.append((one._node, tape.fit(tangent, one._layout.type)))
    slots = [start._node for start in starts if start is not None]
    found = tape.backward(seeds, slots, with_history) if seeds else {}
    return [None if start is None else found.get(start._node) for start in starts]
