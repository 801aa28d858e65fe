"""What a recorder knows of the values of a run: where those from outside come from, and what must be so of them again.

This is the ground that the recorder's other layers stand on: see the head of this folder.
"""

from __future__ import annotations

import gc
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from anfora.core import slots
from anfora.core.cell import Cell
from anfora.core.dtype import DType
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor, current
from anfora.eager.batched import Batched
from anfora.eager.cells import Lowered
from anfora.eager.custom import custom_vjp
from anfora.eager.tape import Followed
from anfora.eager.transform import Linearized
from anfora.graph.facts import known
from anfora.graph.facts.classes import class_attribute
from anfora.graph.facts.kinds import is_a, reduced
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.looking import GOING_OVER, sources_of
from anfora.graph.facts.origins import Guard, Number, Origin
from anfora.graph.facts.table import IDENTITY, LENGTH, fact_of
from anfora.graph.facts.values import exact, has_identity
from anfora.graph.ir.nodes import AnfNode
from anfora.graph.ir.planned import NO_CALLS, CellCalls
from anfora.graph.machine.generators import Generator
from anfora.graph.machine.machine import Machine
from anfora.graph.machine.walks import Walk
from anfora.graph.record.forgetting import place_in_memory
from anfora.graph.record.memory import Memory
from anfora.graph.record.objects import Objects
from anfora.graph.record.overlay import UNKNOWN, Overlay
from anfora.graph.record.rolling import Rolling
from anfora.graph.source.sources import amount_read
from anfora.graph.state.images import NoImage
from anfora.graph.state.moments import Outcome, Piece
from anfora.kernel import glue
from anfora.ops.bound import Bound

__all__ = ["UNKNOWN", "Notebook"]


class Notebook(Objects):
    """The notes of one run.

    Args:
        keeper: takes finished pieces and states, see `graph/run/keeper.py`.
    """

    rolling: Rolling  #: loops over ranges that stay loops
    # What the layers above do.
    know_item: Callable[[list | dict, Any], None]  #: told of a read, in passing, from what the program has made
    interpret: Callable[..., Any]
    compute: Callable[..., Any]
    redo: Callable[[], Any]

    def __init__(self, keeper: Any) -> None:
        self.keeper = keeper
        self.local_cells: dict[int, Any] = {}  #: cells of functions that were called in this run
        self.local_functions: dict[int, Any] = {}  #: inner functions that were made in it, and their gradients
        #: Objects of types written in C that the run has made, of which all is known: see arrays.py, collected.py.
        self.own: dict[int, Any] = {}
        self.generators: list[weakref.ref] = []  #: of the program's, that the run has made or gone on with
        self.given: Outcome | None = None  #: the outcome of the hop that is done over
        self.given_operation: Any = None  #: and what it has called, if that is an object by itself
        self.abandoned = False
        self.machine: Machine | None = None  #: that runs the program
        self.cells_at: dict[float, CellCalls] = {}  #: by tick, in which calls of Cells a node of the tape was recorded
        self.last_calls = NO_CALLS  #: of Cells, in which the last operator stands
        self.places_at: dict[tuple, tuple] = {}  #: places of operators by (code, position)
        self.region: list[tuple] = []  #: the calls of gradient functions that are running
        #: Calls in which no piece can end, and which the interpreter does, from the next time on, if one has to: the place,
        #: and why.
        self.indivisible: dict[tuple, tuple[tuple, str]] = {}
        self.lowered: list[Lowered] = []  #: the Cells that are computing in another type
        self.point: Any = None  #: the Point that the piece starts from
        self.way: tuple | None = None  #: what told it from other ways on from there, where there are many
        self.end: Any = None  #: the Hop behind which the program stands
        self.live: Any = None  #: what was alive before it
        self.came: tuple[Any, Any] | None = None  #: the hop that the piece stands behind, and the name of the outcome
        self.rejoin: tuple | None = None  #: where the run goes on in what was seen before
        self.own_call: list[Any] | None = None  #: what is alive before a call of the function that is compiled
        self.kept: Any = None
        self.hop: Outcome | None = None  #: of the hop that was just done
        #: Whether nothing is kept of what the program does now, which is only watched: see `stop_keeping`. And whether that
        #: ends where the state can be written down again.
        self.is_unkept = self.keeps_again = False
        self.counted = 0  #: instructions of the pieces that are finished
        #: In this piece, how often it was looked what an instruction does, at items of containers that one reads as a
        #: whole, and at values where a state is written down.
        self.looks = self.items = self.imaged = 0
        self.had_read = amount_read()  #: of functions, in front of this piece
        self.since_entry: list[Any] | None = (
            None  #: the variants of a call so far, where nothing stands between their pieces
        )
        self.hops = 0  #: that were done while it was recorded
        self.holds = False  #: whether numbers that vary may be in what the program has made: see held.py
        self.puts_off = False  #: whether garbage collections wait for the end of the piece
        self.is_too_deep = False  #: whether what was read last lies too deep in what is outside to be found again
        self.begin({})

    @property
    def length(self) -> int:
        """How much has been read of functions in this piece."""
        return amount_read() - self.had_read

    # -- pieces --------------------------------------------------------------------------------------------------------

    def begin(self, origins: dict[int, tuple[Any, Origin]]) -> None:
        """Start a piece from slots."""
        self.collect_again()
        self.piece = Piece()
        self.origins = origins
        self.memory = Memory(self)
        self.overlay = Overlay(self)
        #: Those that were read while the tape was off: where they come from, and whether they had a history.
        self.unseen: dict[int, tuple[Origin, bool]] = {}
        self.sources: dict[int, tuple[Any, Any]] = {}  #: of views: what they were taken from
        self.derived: dict[tuple, Origin] = {}
        self.dynamic: dict[int, type] = {}  #: classes that are made anew in each call, by identity
        #: Numbers and texts from outside of which there may be several equal ones, with where they have been read.
        self.read: dict[int, tuple[Any, list[Origin]]] = {}
        self.tensor_classes: dict[type, bool] = {}  #: whether the program has something in them, see `overrides`
        self.looked: dict[int, Any] = {}  #: containers from outside that have been guarded with all they hold
        self.shallow: dict[int, Any] = {}  #: those among them of which only the items were
        self.told: set[tuple] = set()
        self.distinct: dict[int, Origin] = {}  #: objects from outside that were told apart
        self.fresh: dict[int, Any] = {}  #: parameters that the piece makes: how, see making.py
        #: Functions that were run with the tape on, where, and how many inner operators there were then.
        self.lines: dict[int, tuple[Linearized, tuple, int]] = {}
        self.shown: dict[int, Any] = {}  #: what the program has made and put where the outside sees it
        self.lent: list[Any] = []  #: and what was done to have no numbers that vary in there, see held.py
        #: By identity, tuples and the like that it has put there, and what stands there: the same with plain numbers.
        self.moved: dict[int, tuple[Any, Any]] = {}
        self.settled: dict[int, tuple[Any, Any]] = {}  #: those of which all numbers are known
        self.touched: str | None = None
        self.pending = False
        self.ends_behind = False  #: whether the piece ends behind the present instruction, which has dropped something

    def _collect_later(self) -> None:
        """Put off garbage collections while a long piece is recorded: all that is made lives on, and to walk over it again
        and again takes as long as to make it."""
        if gc.isenabled():
            gc.disable()
            self.puts_off = True

    def collect_again(self) -> None:
        if self.puts_off:
            self.puts_off = False
            gc.enable()

    def origin(self, kind: str, key: Any, base: Any = None) -> Origin:
        """The origin of that kind, one object for each: something is read there."""
        if base is not None and self.overlay.is_any:
            self.overlay.note_read(kind, key, base)
        return self.make_origin(kind, key, base)

    def make_origin(self, kind: str, key: Any, base: Any = None) -> Origin:
        """The same, where nothing is read."""
        name = (kind, key if type(key) in (int, str) else id(key), id(base) if base is not None else 0)
        found = self.derived.get(name)
        if found is None or (found.key is not key and found.key != key):
            found = self.derived[name] = Origin(kind, key, base)
        return found

    def derive(self, function: Callable, base: Origin, *more: Any) -> Origin:
        """The origin of what a function gives for a value from outside, one object for each."""
        name = ("number", function, id(base), *more)
        found = self.derived.get(name)
        if found is None:
            found = self.derived[name] = Origin("number", function, (base, *more))
        return found

    def follow(self, operation: Callable, parts: Sequence[Any]) -> Origin:
        """The origin of what an operation gives for numbers, one object for each: what a program computes again and again,
        for each of its weights say, later calls compute once."""
        name = ("follow", operation, *(id(x) if type(x) is Origin else exact(x) for x in parts))
        found = self.derived.get(name)
        if found is None:
            found = self.derived[name] = Origin("number", operation, tuple(parts))
        return found

    def guard(self, kind: str, origin: Origin, payload: Any = None) -> None:
        """Later calls ask this too. Something is read for it."""
        if self.overlay.is_any:
            self.overlay.note_asked(kind, origin, payload)
        self.note_guard(kind, origin, payload)

    def note_guard(self, kind: str, origin: Origin, payload: Any = None) -> None:
        """The same, where nothing is read."""
        name = (kind, id(origin), id(payload))
        if name not in self.told:
            self.told.add(name)
            self.piece.guards.append(Guard(kind, origin, payload))

    def guard_method(self, origin: Origin, method: Any) -> None:
        """Later calls find the same method there. Of one that is bound nothing but the function counts, and is held."""
        if is_a(method, types.MethodType):
            self.guard("method", origin, method.__func__)
        else:
            self.guard("is", origin, method)

    def forget_from(self, calls: int, draws: int) -> None:
        """Forget the operators and draws of the piece behind the first ones."""
        piece = self.piece
        for draw in piece.draws[draws:]:
            for value in draw.values.values():
                del piece.numbers[value]
        del piece.calls[calls:], piece.draws[draws:]

    # -- values from outside -------------------------------------------------------------------------------------------

    def register(self, value: Any, origin: Origin) -> Any:
        """A value that the program reads from outside: guarded, and what it becomes inside."""
        if origin.is_too_deep:  # the rest of a long chain is walked over by Python
            self.is_too_deep = self.pending = True
            return value
        kind = type(value)
        if kind in (int, float) and (kind is float or self.keeper.varies(origin)):
            self.guard("type", origin, kind)
            return Number(origin, value)
        if kind in SIMPLE:
            self.guard("equal", origin, value)
            if has_identity(value):
                self.read.setdefault(id(value), (value, []))[1].append(origin)
            return value
        if kind is slice:
            self._register_slice(value, origin)
            return value
        if known.is_bound(value) and not known.is_chain(value):
            self._register_method(value, origin)
            return value
        if kind is types.FunctionType and self._register_inner(value, origin):
            return value
        if known.is_constant(value):
            before = self.origins.get(id(value))
            if before is not None and before[1] is not origin:  # it stands in a slot, where another one may be later
                self.guard("same", origin, before[1])
            self.guard("is", origin, value)
            return value
        if kind is types.MethodType and not known.is_chain(value):
            self._register_method(value, origin)
            return value
        if kind in known.GETTERS:
            self.guard("is", origin, value)
            return value
        if kind is Bound and all(map(_is_shown, value.attributes.values())):
            self.guard("operator", origin, value)
            return value
        if known.is_ours(kind) and not is_a(
            value, (Tensor, Cell, Generator, Linearized, Walk, custom_vjp, tuple, list, dict, BaseException)
        ):
            self.guard("is", origin, value)  # an operator with its attributes, say
            if known.holds_state(value):
                self.origins.setdefault(id(value), (value, origin))
            return value
        before = self.origins.get(id(value))
        if before is not None:
            if before[1] is not origin:
                self.guard("same", origin, before[1])
            return value
        self._register_object(value, origin)
        return value

    def _register_object(self, value: Any, origin: Origin) -> None:
        self.origins[id(value)] = (value, origin)
        if is_a(value, Tensor):
            self._register_tensor(value, origin)
        elif type(value) is types.CellType:
            self.guard("is", origin, value)
        else:
            self.guard("type", origin, type(value))

    def _register_inner(self, function: types.FunctionType, origin: Origin) -> bool:
        """The same for a function that is another object each time; False, and nothing has been done, if it is none."""
        if id(function) in self.origins:  # one that a call has brought, found once more
            self.guard("same", origin, self.origins[id(function)][1])
            return True
        if function.__code__ not in self.keeper.inner:
            return False
        self.origins[id(function)] = (function, origin)
        self.guard("type", origin, types.FunctionType)  # it does the same
        return True

    def _register_method(self, method: Any, origin: Origin) -> None:
        """A method of an object: what it does, and to what. It is an object itself, which may be met again."""
        before = self.origins.get(id(method))
        if before is not None and before[1] is not origin:
            self.guard("same", origin, before[1])
            return
        self.origins[id(method)] = (method, origin)
        self.guard("type", origin, type(method))
        if type(method) is types.MethodType:
            self.register(method.__func__, self.origin("attr", "__func__", origin))
        else:
            made_by = known.descriptor_of(method)
            if made_by is None:
                self.guard("equal", self.origin("attr", "__name__", origin), method.__name__)
            else:
                self.guard("is", self.derive(known.descriptor_of, origin), made_by)
        self.force(self.register(method.__self__, self.origin("attr", "__self__", origin)))

    def _register_tensor(self, tensor: Tensor, origin: Origin) -> None:
        tensor = current(tensor)
        self.guard("type", origin, type(tensor))
        self.has_methods(tensor)
        if tensor._array is None:
            return
        self.guard("layout", origin, tensor._layout)
        self.memory.owners[place_in_memory(tensor._array)] = tensor
        self.memory.sharing.add(tensor, origin)
        if glue.is_recording():
            self.guard("history", origin, tensor._node is not None)
        else:
            self.unseen[id(tensor)] = origin, tensor._node is not None

    def note_asked(self, tensor: Tensor) -> None:
        """The program goes where it goes since a tensor has no history, which a graph of the piece has to say."""
        if tensor._node is None and glue.is_recording():
            if self.is_outside(tensor):
                self.piece.asked.append(self.origins[id(tensor)][1])
            elif id(tensor) in self.memory.tensors:
                self.piece.asked.append(self.memory.tensors[id(tensor)][1])

    def take(self, value: Any, origin: Origin) -> None:
        """Let a value stand in a slot at the start of a piece."""
        before = self.origins.get(id(value))
        if before is not None and type(value) not in SIMPLE:  # it stands in two
            self.guard("same", origin, before[1])
            return
        self.origins[id(value)] = (value, origin)
        if is_a(value, Tensor):
            self._register_tensor(value, origin)
        elif (known.is_bound(value) or is_a(value, types.MethodType)) and not known.is_chain(value):
            self._register_method(value, origin)
        elif type(value) is slice:
            self._register_slice(value, origin)
        elif is_a(value, type):
            self.dynamic[id(value)] = value
        elif type(value) in known.CONTAINERS or (not self.opaque(value) and type(value) is not types.CellType):
            self.guard("type", origin, type(value))

    def _register_slice(self, value: slice, origin: Origin) -> None:
        """A slice is as known as its parts: a guard holds none that is an object, nor asks it whether it is equal."""
        self.guard("type", origin, slice)
        for name in ("start", "stop", "step"):
            part, found = getattr(value, name), self.origin("attr", name, origin)
            if type(part) in SIMPLE:
                self.guard("equal", found, part)
            else:
                self.register(part, found)

    def bring(self, tensor: Tensor, origin: Origin) -> None:
        """Let a tensor stand in a slot of which it is known that it always holds one of that layout, apart from others."""
        self.origins[id(tensor)] = (tensor, origin)
        self.has_methods(tensor)
        self.memory.know(tensor, self.piece.input(origin, tensor._layout))

    def guard_sharing(self) -> None:
        """The piece ends: let later calls see to it that memory is shared as it is now, where that matters."""
        for guard in self.memory.sharing.guards(self.piece, bool(self.lines)):
            self.guard(*guard)

    def keep(self, live: Any) -> None:
        """Hold what is alive, so that identities stay."""
        self.kept = live

    def input(self, tensor: Tensor) -> AnfNode | None:
        """The value of a tensor from outside, when an operator takes it."""
        found = self.origins.get(id(tensor))
        if found is None and is_a(tensor, Parameter):
            found = self.origins[id(tensor)] = (tensor, self.origin("known", tensor))
            self._register_tensor(tensor, found[1])
        if found is None:
            return None
        value = self.piece.input(found[1], tensor._layout)
        self.memory.know(tensor, value)
        return value

    def look_for(self, operation: Any, args: tuple, kwargs: dict) -> None:
        """Guard what a function reads of its arguments. Of a list, dict or set of the program's in which it only moves
        things about that is nothing, however much it holds; of what it takes an item from, nothing of what lies in the
        items; of what a loop goes over, the item that comes."""
        fact = fact_of(operation)
        is_deep = fact is None or not fact.is_walking
        only_moves = known.only_moves(operation, args)
        starts = fact is not None and fact.starts
        if operation is next and len(args) == 1 and self._look_at_next(args[0]):
            return
        for place, value in enumerate((*args, *kwargs.values(), operation)):
            kind = type(value)
            if kind in SIMPLE:
                continue
            if starts and kind in (list, tuple):
                continue  # who takes items will look at it
            if only_moves and self.is_moved(value):
                continue
            takes_from = (
                fact is not None and place < len(args) and not fact.use(place, len(args)) & ~(LENGTH | IDENTITY)
            )
            self.look(value, (is_deep and not takes_from) or value is operation)

    def _look_at_next(self, iterator: Any) -> bool:
        """The same of an iterator of which one item is taken, if it goes over a list or tuple in turn: False, if it does
        not. Where each turn of a loop is a piece of its own, none has to ask for the items of all others."""
        if type(iterator) not in _IN_TURN:
            return False
        _, (items, *_), *state = reduced(iterator)
        found = self.origins.get(id(items))
        if found is None or type(items) not in (list, tuple) or id(items) in self.looked:
            return False
        if not state:  # it has come to its end, and forgotten what it went over
            return False
        self.guard("length", found[1], len(items))
        place = state[0]
        if 0 <= place < len(items):
            self._look_item(items[place], self.origin("item", place, found[1]), is_deep=False)
        return True

    def look(self, value: Any, is_deep: bool = True, own: dict[int, Any] | None = None) -> None:
        """Guard a container from outside with all that it holds, since something reads it as a whole. To walk over it, what
        its items hold in turn does not matter.

        Args:
            own: by identity, the program's containers that have been gone through on the way.
        """
        kind = type(value)
        if is_a(value, (tuple, list)) or kind is dict:
            raw = _raw(kind)
            items = dict(enumerate(raw.__iter__(value))) if kind is not dict else value
            found = self.origins.get(id(value))
            if found is None:
                own = {} if own is None else own
                if not is_deep or id(value) in own:
                    return
                own[id(value)] = value
                for item in items.values():
                    if type(item) not in SIMPLE:
                        self.look(item, own=own)
            elif id(value) in self.looked:
                if is_deep and self.shallow.pop(id(value), None) is not None:
                    for item in items.values():
                        self.look(item)
            else:
                self.looked[id(value)] = value
                if not is_deep:
                    self.shallow[id(value)] = value
                origin = found[1]
                self.items += len(items)
                if kind is dict:
                    self._look_at_dict(value, origin, is_deep)
                    return
                if raw is kind:
                    self.guard("length", origin, len(value))
                else:
                    self.guard("equal", self.derive(raw.__len__, origin), len(items))
                for key, item in items.items():
                    is_own = raw is kind
                    place = self.origin("item", key, origin) if is_own else self.derive(raw.__getitem__, origin, key)
                    self._look_item(item, place, is_deep)
        elif kind in (set, frozenset):
            found = self.origins.get(id(value))
            if found is not None and id(value) not in self.looked:
                self.looked[id(value)] = value
                self._look_at_set(value, found[1])
        else:
            self._look_through(value, kind, is_deep, own)

    def _look_at_dict(self, value: dict, origin: Origin, is_deep: bool) -> None:
        """The same of a dict. Keys that are objects come from outside as all others do, and to look one of them up would
        call their methods: the items are found by their order then."""
        if SIMPLE.issuperset(map(type, value)):
            self.guard("keys", origin, tuple(value))
            for key, item in value.items():
                self._look_item(item, self.origin("item", key, origin), is_deep)
            return
        self.guard("length", origin, len(value))
        self._look_in_order(value, self.derive(list, origin), is_deep)
        self._look_in_order(value.values(), self.derive(list, self.derive(dict.values, origin)), is_deep)

    def _look_at_set(self, value: set | frozenset, origin: Origin) -> None:
        """The same of a set. The size of its table decides about the order of what is made of it."""
        if SIMPLE.issuperset(map(type, value)):
            self.guard("equal", origin, type(value)(value))
            return
        self.guard("length", origin, len(value))
        self.guard("equal", self.derive(sys.getsizeof, origin), sys.getsizeof(value))
        self._look_in_order(value, self.derive(list, origin), True)

    def _look_in_order(self, items: Iterable[Any], listed: Origin, is_deep: bool) -> None:
        for place, item in enumerate(items):
            self._look_item(item, self.origin("item", place, listed), is_deep)

    def _look_through(self, value: Any, kind: type, is_deep: bool, own: dict[int, Any] | None) -> None:
        """The same of what stands for others: methods that are bound, views, iterators."""
        if kind in _OF_OBJECTS:
            if not known.is_chain(value):
                self.look(value.__self__, own=own)
        elif kind is Walk:
            self.look(value.base, is_deep, own)
        elif kind in known.VIEWS:
            self.look(known.viewed(value), is_deep, own)
        elif kind in GOING_OVER:
            for source in sources_of(value):
                self.look(source, is_deep, own)

    def _look_item(self, item: Any, place: Origin, is_deep: bool = True) -> None:
        given = self.register(item, place)
        if type(given) is Number:  # read as a part of the whole: it is known
            self.force(given)
        if is_deep and not place.is_too_deep:
            self.look(item)

    def force(self, value: Any) -> Any:
        """A number's value, on which the program now depends."""
        if type(value) is Number:
            self.rolling.unroll_if_needed(value.origin)
            self.guard("equal", value.origin, value.value)
            return value.value
        return value

    def forced(self, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        """The arguments of a call, on which the program now depends."""
        return tuple(map(self.force, args)), {name: self.force(value) for name, value in kwargs.items()}

    def decide(self, origin: Origin, truth: bool) -> bool:
        """A truth that follows from numbers: the program now depends on it, and not on the numbers."""
        self.rolling.unroll_if_needed(origin, is_truth=True)
        self.guard("is", origin, truth)
        return truth

    def origin_of(self, value: Any) -> Origin | None:
        """Where a value of the program comes from; None for what it has made of Python objects."""
        if type(value) is Number:
            return value.origin
        found = self.origins.get(id(value))
        if found is not None:
            return found[1] if type(value) not in SIMPLE else None
        if not is_a(value, Tensor):
            return None
        if type(value) is Batched:
            raise NoImage("a tensor that stands for all examples of a vmap")
        if value._array is None:
            raise NoImage("a tensor of unknown lengths, which has no data")
        found = self.memory.handles.get(id(value))
        if found is not None:
            return found[1]
        if is_a(value, Parameter):
            self.input(value)
            return self.origins[id(value)][1]
        tensor = current(value)
        number = self.memory.value_of(tensor)
        if number is None:
            number = self.memory.constant(tensor)
        base = None
        is_handle = tensor._base is None and id(tensor) not in self.memory.tensors
        if tensor._base is not None:
            # Taken from what the program has taken it from, which may be a view itself in one call and not in another.
            _, source = self.sources.get(id(value), (None, tensor._base))
            base = (self.origin_of(source), Followed.forgotten(tensor._path[len(source._path) :]))
        origin = Origin("made", (number, tensor._layout), base)
        if is_handle:
            self.piece.handles.add(origin)
        self.memory.handles[id(value)] = (value, origin)
        return origin

    def note_move(self, owner: Tensor) -> bool:
        """A tensor is about to be written to whose memory a tape has kept: whether it has moved to a copy."""
        return self.memory.note_move(owner)

    def keep_for_tape(self, tensor: Tensor) -> np.ndarray:
        """What the tape keeps of a tensor whose memory the outside sees."""
        return self.memory.keep_for_tape(tensor)

    # -- what is asked of later calls ----------------------------------------------------------------------------------

    def made(self, function: Callable) -> None:
        self.local_functions[id(function)] = function
        if is_a(function, types.FunctionType):
            self.keeper.inner.add(function.__code__)

    def origin_of_value(self, value: Any) -> Origin:
        found = self.origins.get(id(value))
        return found[1] if found is not None else self.origin("known", value)

    def guard_class(self, kind: type, name: str) -> None:
        """The attribute of a class is what it is now: a function, or a property."""
        self.guard("is", self.origin("attr", name, self.origin("known", kind)), getattr(kind, name))

    def has_methods(self, tensor: Tensor) -> bool:
        """Whether operators and functions call methods of the program on a tensor, now and in later calls."""
        kind = type(tensor)
        found = self.tensor_classes.get(kind)
        if found is None:
            asked = known.overrides(kind)
            found = self.tensor_classes[kind] = bool(asked)
            self.guard("is", self.derive(known.overrides, self.origin("known", kind)), asked)
        return found

    def watching(self) -> _Watch:
        """While this is on, operators come here, and whoever looks at data is noticed."""
        return _Watch(self)

    def unwatched(self) -> _Watch:
        return _Watch(None)


class _Watch:
    """Sends operators and reads of data to a recorder, for the time of a block."""

    __slots__ = ("before", "recorder")

    def __init__(self, recorder: Notebook | None) -> None:
        self.recorder = recorder

    def __enter__(self) -> None:
        self.before = slots.watcher.recorder
        slots.watch(self.recorder)

    def __exit__(self, *exc: object) -> None:
        slots.watch(self.before)


def _raw(kind: type) -> Any:
    """The class whose methods read what lies in a list or tuple: those of its own class may be the program's."""
    if not any(is_a(class_attribute(kind, name), types.FunctionType) for name in _READING):
        return kind
    return tuple if issubclass(kind, tuple) else list


def _is_shown(value: Any) -> bool:
    """Whether the text of a value shows all of it."""
    return all(map(_is_shown, value)) if type(value) in (tuple, list) else type(value) in SIMPLE or type(value) is DType


_OF_OBJECTS = frozenset({types.MethodType, *known.BOUND})  #: methods that are bound
#: Iterators over a list or tuple, which tell the place of the item that comes.
_IN_TURN: tuple[type, ...] = (type(iter([])), type(iter(())), type(reversed([])), reversed)
#: Methods by which a list or tuple is read.
_READING = ("__len__", "__getitem__", "__iter__")
