"""Which values of the piece tensors and their memory hold.

A part of the recorder, and another one for each piece. A value of the piece is a node of its graph; a tensor holds it by
its handle, by its array, or by the place where that lies, since a view that is taken again is another array in the same
place. Writes change what memory holds. Where a tape has kept it, the tensor moves to a copy in PyNative mode; in the piece
it is the tape's that becomes a copy, made by an operator, since what comes from outside has to be written to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from anfora.core import memory
from anfora.core.abstract import Layout
from anfora.core.tensor import Tensor, current, move
from anfora.eager.entry import entry_for
from anfora.graph.facts.origins import Origin
from anfora.graph.ir.nodes import AnfNode
from anfora.graph.ir.planned import OperatorCall
from anfora.graph.record.forgetting import Entry, Holders, Tables, place_in_memory
from anfora.graph.state.moments import Piece
from anfora.graph.state.sharing import Sharing
from anfora.ops import copy

__all__ = ["Memory"]


class Driver(Protocol):
    """What is asked of the recorder."""

    piece: Piece
    origins: dict[int, tuple[Any, Origin]]
    sources: dict[int, tuple[Any, Any]]
    region: list[tuple]
    touched: str | None

    def unwatched(self) -> Any: ...
    def input(self, tensor: Tensor) -> AnfNode | None: ...


class Memory:
    """What tensors hold, in one piece.

    Args:
        recorder: what records the piece.
    """

    def __init__(self, recorder: Driver) -> None:
        self.recorder = recorder
        self.tensors: dict[int, tuple[Tensor, AnfNode]] = {}  #: values by the handles on them
        self.arrays: dict[int, tuple[Any, AnfNode]] = {}  #: and by their memory
        #: Of those among them that the tape keeps, what they are copies of, with the tensor that held it.
        self.copies: dict[int, tuple[np.ndarray, np.ndarray, Tensor]] = {}
        self.holders = Holders()  #: the tensors and arrays in which values lie, by memory
        self.view_calls: dict[AnfNode, OperatorCall] = {}  #: by value, the operator that has taken it as a view
        self.has_moved = False  #: whether a tensor has, in the present call
        self.lost: dict[int, np.ndarray] = {}  #: memory of which it is not known everywhere which values it holds
        self.owners: dict[tuple, Tensor] = {}  #: tensors from outside, by where they lie
        self.sharing = Sharing()  #: how these share memory
        self.unplaced: list[tuple[Any, AnfNode]] = []  #: those that are not in `places` yet
        self.places: dict[tuple, tuple[Any, AnfNode]] = {}  #: the same by where they lie
        self.handles: dict[int, tuple[Any, Origin]] = {}  #: where tensors come from that the piece has made

    def constant(self, tensor: Tensor) -> AnfNode:
        """A tensor of known data, as a constant of the piece."""
        with self.recorder.unwatched():
            constant = self.recorder.piece.constant(memory.twin(tensor._array), tensor._layout)
        self.know(tensor, constant)
        return constant

    def know(self, tensor: Tensor, value: AnfNode) -> None:
        """A tensor holds a value of the piece."""
        array = tensor._array
        self.tensors[id(tensor)] = tensor, value
        self.arrays[id(array)] = (array, value)
        self.unplaced.append((array, value))
        self.holders.add(tensor, array, value)

    def note_move(self, owner: Tensor) -> bool:
        """A tensor is about to be written to whose memory a tape has kept: it moves to a copy, unless it is the recorder
        alone that holds the memory still, as that of a weight behind the walk back. Whether it has moved.

        In later calls it is the other way round, since what comes from outside has to be written to: what the tape has kept
        is a copy from before the write. But where it is a second handle on the memory of another tensor, it has the copy.
        """
        value, tables = self.value_of(owner), self._tables()
        if not self.holders.is_held_elsewhere(owner, self.sharing.count(owner._array), tables):
            return False
        before = memory.root(owner._array)
        with self.recorder.unwatched():
            move(owner)
        self.sharing.moved(before, owner._array)
        self.has_moved = True
        lying = self.holders.in_memory(before)
        known = [owner, *(tensor for tensor, _, _ in lying if tensor._base is owner)]
        is_second = id(owner) not in self.tensors and not any(id(tensor) in self.recorder.origins for tensor in known)
        if value is not None and is_second:
            self._move_apart(owner, value, lying)
            return True
        values = self._as_they_were(lying)
        for tensor, _, kept in values:
            if tensor is not owner and tensor._base is not owner:
                self.tensors[id(tensor)] = tensor, kept  # another handle, which stays where it is
                self.handles.pop(id(tensor), None)
        self.holders.replace(before, values)
        for tensor, _, _ in lying:
            if tensor._base is owner and id(tensor) in self.tensors:  # it has moved along
                self.know(current(tensor), self.tensors[id(tensor)][1])
        if id(owner) in self.tensors:
            self.know(owner, self.tensors[id(owner)][1])
        return True

    def _move_apart(self, owner: Tensor, value: AnfNode, lying: Sequence[Entry]) -> None:
        """A second handle has moved to a copy, with its views: from now on these are values of their own."""
        kept: dict[AnfNode, AnfNode | None] = {}
        views = [(tensor, before) for tensor, _, before in lying if tensor._base is owner]
        for tensor, before in [(owner, value), *views]:
            now = self._as_it_was(before, tensor._layout, kept)
            self.handles.pop(id(tensor), None)
            self.tensors.pop(id(tensor), None)
            if now is not None:
                self.know(current(tensor), now)
            else:
                self.lost[id(memory.root(owner._array))] = memory.root(owner._array)

    def leave_copies(self, target: Tensor) -> None:
        """A tensor is about to be written to whose memory the outside sees: what a tape has kept copies of is what it was
        before the write."""
        written = [
            (k, copy, t) for k, (copy, source, t) in self.copies.items() if np.may_share_memory(source, target._array)
        ]
        self._as_they_were([(tensor, copy, self.arrays[key][1]) for key, copy, tensor in written if key in self.arrays])
        for key, _, _ in written:
            del self.copies[key]

    def _as_they_were(self, lying: Sequence[Entry]) -> list[Entry]:
        """Let arrays hold the values that memory has now, whatever operators write to that later."""
        self.note_places()
        kept: dict[AnfNode, AnfNode | None] = {}
        found = []
        for tensor, array, value in lying:
            now = self._as_it_was(value, tensor._layout, kept)
            if now is None:
                self.arrays.pop(id(array), None)
                self.places.pop(place_in_memory(array), None)
                owner = memory.root(array)
                self.lost[id(owner)] = owner
            else:
                self.arrays[id(array)] = self.places[place_in_memory(array)] = array, now
                found.append((tensor, array, now))
        return found

    def _as_it_was(self, value: AnfNode, layout: Layout, kept: dict[AnfNode, AnfNode | None]) -> AnfNode | None:
        """A value of its own that is a copy of another one, made by an operator; None if there can be no such operator."""
        if value in kept:
            return kept[value]
        kept[value] = None
        taken = self.view_calls.get(value)
        if taken is not None:
            entry, base = taken.entry, taken.entry.inputs[0]
            assert base is not None
            source = self._as_it_was(taken.operands[0], base, kept)
        elif layout.is_contiguous:
            entry, source = entry_for(copy, (layout,), ()), value
        else:
            return None
        if source is not None:
            piece = self.recorder.piece
            kept[value] = call = OperatorCall(piece, entry, (source,), is_inner=bool(self.recorder.region))
            call.is_keeping = True
            piece.calls.append(call)
            if taken is not None:
                self.view_calls[call] = call
        return kept[value]

    def note_places(self) -> None:
        """Note where arrays lie."""
        for array, value in self.unplaced:
            self.places[place_in_memory(array)] = array, value
        self.unplaced.clear()

    @property
    def is_full(self) -> bool:
        """Whether it is time to `forget_what_is_free`."""
        return self.holders.is_due

    def forget_what_is_free(self) -> None:
        """Let go of large values that the program has dropped."""
        self.holders.forget_what_is_free(self._tables())

    def _tables(self) -> Tables:
        self.note_places()
        return Tables(self.tensors, self.arrays, self.places, self.recorder.sources)

    def keep_for_tape(self, tensor: Tensor) -> np.ndarray:
        """What the tape keeps of a tensor whose memory the outside sees: a copy. As long as the piece goes on, nothing from
        outside comes between: there it is the tensor's value."""
        with self.recorder.unwatched():
            twin = memory.twin(tensor._array)
        value = self.value_of(tensor)
        if value is not None:
            self.arrays[id(twin)] = (twin, value)
            self.copies[id(twin)] = twin, tensor._array, tensor
        elif self.recorder.region:
            self.recorder.touched = "memory of a tensor, seen in another way"
        return twin

    def value_of(self, tensor: Tensor) -> AnfNode | None:
        """The value that a tensor holds. Tensors on the same memory may have different histories, so the handle decides;
        a new handle has the value of its array, and a view that was taken again is another array in the same place. Where
        tensors from outside share memory, how they do decides what is found there."""
        array = tensor._array
        handle = self.tensors.get(id(tensor))
        if handle is not None:
            return handle[1]
        if id(tensor) in self.recorder.origins:
            return None  # it comes in as an input of its own
        self.sharing.note(array)
        found = self.arrays.get(id(array))
        if found is None:
            is_lost = id(memory.root(array)) in self.lost
            owner = self.sharing.owner(array)
            if owner is not None and not is_lost:
                return self.recorder.input(owner)
            self.note_places()
            place = place_in_memory(array)
            found = self.places.get(place)
            if found is None or memory.root(found[0]) is not memory.root(array):
                owner = self.owners.get(place)
                if owner is None or is_lost or memory.root(owner._array) is not memory.root(array):
                    return None
                return self.recorder.input(owner)
        return found[1]

    def is_of_ours(self, array: Any) -> bool:
        """Whether memory belongs to a tensor that the program works with."""
        owner = memory.root(array)
        if any(memory.root(tensor._array) is owner for tensor in self.owners.values()):
            return True
        if id(owner) in self.lost:
            return True
        return any(
            memory.root(known_array) is owner for known_array, _ in self.arrays.values() if known_array is not None
        )
