"""How tensors from outside share memory, where a recording depends on it.

The operators of a piece may be given any tensors: where memory that is written is that of another tensor too, the native
program sees it and runs them one after the other. But two things are found out only once, while the program is recorded:

- *Which tensor something was taken from*, where that is known by the place in memory alone: of a view that was taken again,
  say. In memory of several tensors from outside that follows from how these lie to each other.
- *What a tape says of a write in place.* It keeps what was there before where its nodes hold that, and gives a history to
  views of what was written.

There later calls see to it that tensors share memory in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from anfora.core import memory
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.eager.dispatch import has_history, is_followed_by_itself, is_trained, stays_a_leaf
from anfora.eager.tape import Followed
from anfora.graph.facts.kinds import is_a
from anfora.graph.facts.origins import Origin
from anfora.graph.ir.nodes import AnfNode
from anfora.graph.state.moments import Piece

__all__ = ["Came", "Lying", "Sharing", "differ", "history_behind", "is_view_of_parameter", "lie_alike", "lie_apart"]


class Lying(NamedTuple):
    """How a tensor lies in memory, and which view it is of what."""

    tensor: Tensor
    array: np.ndarray
    base: Tensor | None
    path: tuple
    is_exported: bool

    @classmethod
    def of(cls, tensor: Tensor) -> Lying:
        return cls(tensor, tensor._array, tensor._base, tensor._path, _is_exported(tensor))


class Came(NamedTuple):
    """A tensor from outside, as it was when the piece came to it.

    Attributes:
        history: see `history_behind`.
    """

    lying: Lying
    origin: Origin
    history: bool | str


class Sharing:
    """The tensors from outside that a piece reads, by the memory that they lie in."""

    def __init__(self) -> None:
        self._by_memory: dict[int, list[Came]] = {}
        self._by_array: dict[int, list[Lying]] = {}
        self._mixed: set[int] = set()  #: memory in which something was found that may be of several of them
        #: By memory that tensors have moved to, see `tensor.leave_to_tape`: what it is, and where they came from.
        self._moved: dict[int, tuple[np.ndarray, int]] = {}

    def add(self, tensor: Tensor, origin: Origin) -> None:
        """The piece comes to a tensor."""
        lying = Lying.of(tensor)
        came = Came(lying, origin, history_behind(tensor))
        self._by_memory.setdefault(self._key(lying.array), []).append(came)
        self._by_array.setdefault(id(lying.array), []).append(lying)

    def count(self, array: np.ndarray) -> int:
        """How often an array is held here."""
        return len(self._by_array.get(id(array), ()))

    def owner(self, array: np.ndarray) -> Tensor | None:
        """The tensor that holds an array; None where it is none, or one of several."""
        found = self._by_array.get(id(array), ())
        return found[0].tensor if len(found) == 1 else None

    def in_memory_of(self, array: np.ndarray) -> Sequence[Came]:
        """The tensors that lie in the memory of an array."""
        return self._by_memory.get(self._key(array), ())

    def moved(self, before: np.ndarray, now: np.ndarray) -> None:
        """A tensor moves to other memory, and all its views do."""
        owner = memory.root(now)
        self._moved[id(owner)] = owner, self._key(before)

    def _key(self, array: np.ndarray) -> int:
        """The memory in which an array lay when the piece came to it."""
        key = id(memory.root(array))
        return self._moved[key][1] if key in self._moved else key

    def note(self, array: np.ndarray) -> None:
        """Something is found by where it lies: it may be of any tensor whose memory this is."""
        key = self._key(array)
        if len(self._by_memory.get(key, ())) > 1 and len(self._by_array.get(id(array), ())) != 1:
            self._mixed.add(key)

    def guards(self, piece: Piece, keeps_tape: bool) -> Iterator[tuple]:
        """What a piece asks of later calls. Where memory that a tape sees written is shared, it is told.

        Args:
            keeps_tape: whether the tape of a function stays, to be walked later.
        """
        roots = piece.roots()
        under_a_tape = _under_a_tape(piece, roots)
        everything = [each for group in self._by_memory.values() for each in group]
        if piece.weights:
            parameters = [each for each in everything if is_a(each.lying.tensor, Parameter)]
            origins = [
                x.origin for x in parameters if id(x.lying.tensor) in piece.weights or id(x.origin) in under_a_tape
            ]
            if len(origins) > 1:
                yield "is", Origin("number", differ, tuple(origins)), True
        written = _written_under_a_tape(piece, roots, keeps_tape)
        is_asked = {id(each.origin) for key in self._mixed for each in self._by_memory[key]}
        if written:
            is_asked |= under_a_tape | written
        found = [each for each in everything if id(each.origin) in is_asked]
        if written and _arrangement([each.lying for each in found], range(len(found))) is not None:
            piece.is_mixed = True
        if not found:
            return
        numbers = tuple(number for number, each in enumerate(found) if id(each.origin) in written)
        origins = [each.origin for each in found]
        wanted = _arrangement([each.lying for each in found], numbers)
        if wanted is None:
            yield "is", Origin("number", lie_apart, (numbers, *origins)), True
        else:
            yield "is", Origin("number", lie_alike, (wanted, numbers, *origins)), True


def _under_a_tape(piece: Piece, roots: dict[AnfNode, AnfNode]) -> set[int]:
    """The tensors from outside that operators take while a tape follows something: the identities of their origins."""
    calls = [call for call in piece.calls if call.is_inner or piece.is_taped]
    found = {roots[x] for call in calls for x in call.operands if x in roots}
    return {id(piece.inputs[value].origin) for value in found if value in piece.inputs}


def _written_under_a_tape(piece: Piece, roots: dict[AnfNode, AnfNode], keeps_tape: bool) -> set[int]:
    """The tensors from outside that are written in place while a tape follows something, in the piece or behind it: the
    identities of their origins."""
    if not piece.is_taped and not piece.gradients:
        return set()
    calls = piece.calls
    is_left = piece.is_taped and any(call.mask and not call.is_inner and not call.is_used for call in calls)
    is_open = piece.is_taped or keeps_tape
    walks = max((call.order for call in calls if call.is_inner), default=-1) if is_open else -1
    return {
        id(piece.inputs[root].origin)
        for call, root in piece.written(roots)
        if root in piece.inputs and (is_left or call.is_inner or call.order < walks)
    }


def _arrangement(tensors: Sequence[Lying], written: Sequence[int]) -> tuple | None:
    """How tensors lie to each other: None where no two share memory, and the outside sees none of those that are written.
    Else, for each that shares memory, the number of the first one there, how many bytes behind that it starts, which view
    it is of what, and whether the outside sees it."""
    roots = [id(array if array.base is None else memory.root(array)) for _, array, _, _, _ in tensors]
    if any(tensors[number].is_exported for number in written):
        _join_outside(roots, tensors)
    elif len(set(roots)) == len(roots):
        return None
    counts = Counter(roots)
    first: dict[int, tuple[int, int]] = {}
    bases: dict[int, Any] = {id(lying.tensor): number for number, lying in enumerate(tensors)}
    found: list[Any] = []
    for number, (root, (_, array, base, path, is_exported)) in enumerate(zip(roots, tensors)):
        if counts[root] == 1:
            found.append(is_exported if number in written else None)
            continue
        address = array.__array_interface__["data"][0]
        start, place = first.setdefault(root, (number, address))
        steps = tuple((op.name, repr(attributes)) for op, attributes in Followed.forgotten(path))
        of = None if base is None else bases.setdefault(id(base), ("outside", len(bases)))
        found.append((start, address - place, of, steps, is_exported))
    return tuple(found)


def _join_outside(roots: list[int], tensors: Sequence[Lying]) -> None:
    """Of memory that the outside has, arrays with other owners may be parts."""
    seen: list[int] = []
    for number, lying in enumerate(tensors):
        if lying.is_exported:
            for other in seen:
                if np.may_share_memory(lying.array, tensors[other].array):
                    roots[number] = roots[other]
                    break
            seen.append(number)


def lie_apart(written: tuple[int, ...], *tensors: Tensor) -> bool:
    """Whether no two tensors share memory, and the outside sees none of those that are written."""
    arrays = [tensor._array for tensor in tensors]
    owners = {id(array) if array.base is None else id(memory.root(array)) for array in arrays}
    return len(owners) == len(arrays) and not any(_is_exported(tensors[number]) for number in written)


def lie_alike(wanted: tuple, written: tuple[int, ...], *tensors: Tensor) -> bool:
    """Whether tensors lie to each other as they did."""
    return _arrangement([*map(Lying.of, tensors)], written) == wanted


def _is_exported(tensor: Tensor) -> bool:
    base = tensor._base
    mark = tensor._mark if base is None else base._mark
    return mark.__class__ is memory.Export and mark.is_alive


def is_view_of_parameter(tensor: Tensor) -> bool:
    """Whether a tensor lies in a Parameter's memory, which may be written without the tape."""
    return is_a(tensor._base, Parameter) and not is_followed_by_itself(tensor)


def differ(*tensors: Tensor) -> bool:
    """Whether tensors are different objects: a gradient by one of them is not one by another."""
    return len(set(map(id, tensors))) == len(tensors)


def history_behind(tensor: Tensor) -> bool | str:
    """Whether the tape follows a tensor, or what it is a view of; in words for a leaf, which gets no history by a write."""
    if is_trained(tensor):
        return "a Parameter that is trained"
    base = tensor if tensor._base is None else tensor._base
    is_leaf = base._node is not None and base._node.is_leaf and not stays_a_leaf(tensor)
    return "a leaf" if is_leaf else has_history(tensor)
