"""Moments of a run, as a recorder writes them down: pieces of program, the state between two, what the interpreter gave."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from anfora.core.abstract import Layout, TensorType
from anfora.core.op import Op, Weak
from anfora.core.random import default_generator, signed
from anfora.core.tensor import Tensor, wrap
from anfora.eager.tape import Followed
from anfora.graph.facts import known
from anfora.graph.facts.classes import defines
from anfora.graph.facts.kinds import is_a, module_of
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.origins import Guard, Origin
from anfora.graph.facts.values import exact
from anfora.graph.ir.nodes import AnfNode, Graph, Parameter, ValueNode
from anfora.graph.ir.planned import OperatorCall, is_inner
from anfora.graph.machine.machine import Machine
from anfora.graph.machine.switches import switches
from anfora.graph.source.tracebacks import depth, of_program
from anfora.graph.state.images import Imager, is_of_parts

__all__ = [
    "CALL", "DATA", "LOOP", "OUTLINED", "OVERDRAWN", "VARYING", "Cut", "Draw", "Escaped", "Incoming",
    "IncomingNumber", "Live", "Outcome", "Piece", "State", "drawn", "holds_identity", "key_of", "keeps_arguments",
    "leaves_of", "varying_key_of",
]  # fmt: skip

EXCHANGE = "an exchange with other processes"  #: the reason of a hop that is one
DATA = "the data of a tensor"  #: the reason of a hop that looks at it
LOOP = "a loop on plain values, which is Python's"  #: that of one that is a whole loop: see record/outlining.py
CALL = "a call on plain values, which is Python's"
OUTLINED = (LOOP, CALL)
#: Why a function is given back to Python: see run/ledger.py.
OVERDRAWN = "to record it any further costs more than it can gain"
_MOST_PARTS = 64


def _is_taken_apart(value: tuple, depth: int) -> bool:
    """Whether a tuple that a hop gives, or one so deep in it, is looked at part by part. One of many parts is as a whole;
    of one inside of another those in tuples count as well, so there are never many."""
    left, waiting = _MOST_PARTS, [value]
    while waiting:
        parts = waiting.pop()
        left -= len(parts)
        if left < 0 or not depth:
            return left >= 0
        waiting += [part for part in parts if type(part) is tuple]
    return True


class Outcome:
    """What a hop gave: a value, or an exception."""

    __slots__ = ("depth", "error", "held", "value")

    def __init__(self, value: Any = None, error: BaseException | None = None) -> None:
        self.value, self.error = value, error
        #: Tuples in it that somebody else holds, by identity: see `note_held`.
        self.held: Collection[int] = ()
        self.depth = 0  #: of an exception's traceback, which goes on to the calls that it comes out of
        if error is not None:
            error.__traceback__ = of_program(error.__traceback__)
            self.depth = depth(error.__traceback__)

    def taken(self) -> Outcome:
        """The same; this one holds nothing any more."""
        taken = Outcome()
        taken.value, taken.error, taken.depth, taken.held = self.value, self.error, self.depth, self.held
        self.value = self.error = None
        return taken

    def note_held(self) -> None:
        """Note which tuples in it somebody else holds: the program may meet them again, so each of them is one object for
        it, as a list would be. For a moment when nobody of this library holds what this gives: references are counted."""
        if sys.getrefcount(self.value) > _HELD_ONCE and self.value:
            self.held = (id(self.value),)
            return
        held: list[int] = []
        waiting = [self.value]
        while waiting:
            parts = waiting.pop()
            for i, kind in enumerate(map(type, parts if len(parts) <= _MOST_PARTS else ())):
                if kind is not tuple or not parts[i]:  # which of the empty ones it is nobody can tell
                    continue
                if sys.getrefcount(parts[i]) > _HELD_ONCE:
                    held.append(id(parts[i]))
                else:
                    waiting.append(parts[i])
        self.held = held

    def takes_apart(self, value: tuple, depth: int) -> bool:
        """Whether a tuple, so deep in what it gives, is looked at part by part."""
        return id(value) not in self.held and _is_taken_apart(value, depth)


_HELD_ONCE = 2  #: references to what stands in one place, while they are counted


def leaves_of(outcome: Outcome) -> Iterator[tuple[tuple, Any]]:
    """The objects that a hop gave, each with the path to it."""
    return _leaves(outcome, outcome.value if outcome.error is None else outcome.error, ())


def _leaves(outcome: Outcome, value: Any, path: tuple) -> Iterator[tuple[tuple, Any]]:
    if type(value) is tuple and outcome.takes_apart(value, len(path)):
        for i, item in enumerate(value):
            yield from _leaves(outcome, item, (*path, i))
    else:
        yield path, value


class Escaped(Exception):
    """A tensor has left a gradient with its history in there, or a tape outlives the piece: only the interpreter can leave
    that behind.

    Args:
        calls: of gradient functions that it is to do for that; None for all in the piece.
    """

    def __init__(self, calls: list[tuple] | None = None) -> None:
        super().__init__()
        self.calls = calls


class Live:
    """The values of the program that stand in slots, each with where it comes from."""

    def __init__(self, recorder: Any) -> None:
        self.recorder = recorder
        self.values: list[Any] = []
        self.origins: list[Origin] = []
        self.index: dict[int, int] = {}
        #: What the writes of the piece have put somewhere, by identity: itself, and its number among what they make.
        self.kept: dict[int, tuple[Any, int]] = {}

    def add(self, value: Any, origin: Origin) -> int:
        self.index[id(value)] = len(self.values)
        self.values.append(value)
        self.origins.append(origin)
        return len(self.values) - 1

    def slot(self, value: Any) -> int | None:
        """The slot of a value; None for what the program has made itself."""
        found = self.index.get(id(value))
        if found is not None:
            return found
        kept = self.kept.get(id(value))
        if kept is not None:
            return self.add(value, Origin("kept", kept[1]))
        origin = self.recorder.origin_of(value)
        if origin is None:
            return None
        if origin.kind == "made" and not value.is_leaf and self._has_inner_history(value, origin):
            raise Escaped
        return self.add(value, origin)

    def _has_inner_history(self, tensor: Tensor, origin: Origin) -> bool:
        """Whether a tensor got its history in a gradient that the program takes: as a result of operators in there, as what
        is differentiated by, or as another handle on something."""
        piece = self.recorder.piece
        if not piece.gradients:
            return False
        if is_inner(origin.key[0]) or origin in piece.handles:
            return True
        return tensor._base is not None and any(type(attributes) is Followed for _, attributes in tensor._path)

    def imager(self) -> Imager:
        return self.recorder.imager(self.slot)


def _is_one(kind: type) -> bool:
    """Whether objects of a type are never the same as others that are made alike."""
    return kind is types.FunctionType or defines(kind, "__next__")


class State:
    """The program before an instruction: its frames, and the call that the interpreter makes, as images."""

    def __init__(self, recorder: Any, machine: Machine, operation: Any, args: tuple, kwargs: dict) -> None:
        self.live = Live(recorder)
        self.written = recorder.written(self.live)
        arguments = self.live.imager()
        self.call = arguments.image((operation, args, kwargs, machine.handled()), is_leaving=True)
        #: What was made for the call is from outside for the program behind it: somebody may have kept it, have seen which
        #: function it is, or have taken items of an iterator.
        self.is_kept = keeps_arguments(operation, args) or any(map(_is_one, map(type, arguments.made)))
        self.built = arguments.made if self.is_kept else []
        frames = machine.frames
        # What the program has besides. Many calls are given tuples, which it seldom has.
        held: Collection[int] = ()
        if any(is_of_parts(value) and value is not args and value is not operation for value in self.built[:-1]):
            behind = self.live.imager()
            behind.image(tuple(frames))
            held = {*map(id, behind.made)}
        for i, value in enumerate(self.built):
            if id(value) in self.live.index or value is kwargs:
                continue
            if not is_of_parts(value) or id(value) in held:
                self.live.add(value, Origin("built", i))
        self.switch = switches()
        self.place = machine.place
        self.outer = [place[:3] for place in machine.places()[:-1]]  #: of the frames that have called the one there
        self.cells = recorder.calls_of_cells()
        top = frames[-1]  # a generator may hold it too, so it is put back for a moment, and not copied
        stack, pc = top.stack, top.pc
        top.stack, top.pc = machine.saved, pc - 1
        try:
            imager = self.live.imager()
            self.frames = imager.image(tuple(frames))
        finally:
            top.stack, top.pc = stack, pc
        #: What the program has made and still has, by identity.
        self.made = {*map(id, imager.made), *map(id, arguments.made)}
        if self.written is not None:
            self.written.finish(recorder)


class Draw:
    """A draw from the default generator: where in the stream the operators that use it read."""

    __slots__ = ("counters", "offset", "place", "seed", "values")

    def __init__(self, counters: int, place: tuple[int, int]) -> None:
        self.counters = counters
        self.place = dict(zip(("seed", "offset"), place))
        self.seed, self.offset = Origin("draw", "seed"), Origin("draw", "offset")
        self.values: dict[str, AnfNode] = {}  #: of the piece, of those of the two that an operator has taken

    @property
    def is_used(self) -> bool:
        """Whether an operator reads where it says."""
        return "offset" in self.values


def drawn(counters: int) -> tuple[int, int]:
    """Draw from the default generator: the seed and where to read, as operators take them."""
    seed, offset = default_generator.draw(counters)
    return signed(seed), signed(offset)


class Cut(NamedTuple):
    """A node of the tape whose rule is a function of the program, between operators of a piece that leave others.

    Attributes:
        after: the last one in front of it.
        handles: the origins of its results, each with that of the tensor whose memory it has.
        site: where the program makes it.
        results_of: gives the results, from what the function that has left the node gives.
    """

    after: OperatorCall
    handles: tuple[tuple[Origin, Origin], ...]
    site: tuple
    results_of: Callable[[Any], Sequence[Tensor]]


class Incoming(Parameter):
    """What comes into a piece with each run, as an operator takes it: a tensor.

    Args:
        piece: that.
        abstract: the type.
        origin: where it is found.
        layout: how it lies in memory.
    """

    __slots__ = ("layout", "origin")

    def __init__(self, piece: Piece, abstract: TensorType | Weak, origin: Origin, layout: Layout) -> None:
        super().__init__(piece, None, abstract, None)
        self.origin, self.layout = origin, layout


class IncomingNumber(Incoming):
    """The same of a Python number.

    Args:
        op: the operator that takes it, and says how it becomes an operand.
    """

    __slots__ = ("op",)

    def __init__(self, piece: Piece, kind: type, origin: Origin, layout: Layout, op: Op) -> None:
        super().__init__(piece, Weak(kind), origin, layout)
        self.op = op


class Piece(Graph):
    """What is written down between two hops: a graph, with what must hold for it, and what is done at its end."""

    def __init__(self) -> None:
        super().__init__("piece")
        self.guards: list[Guard] = []  #: in the order in which they were found
        self.calls: list[OperatorCall] = []  #: its calls of operators, in the order of the program
        self.inputs: dict[AnfNode, Incoming] = {}  #: tensors that come in
        self.constants: dict[AnfNode, Tensor] = {}  #: tensors that are known
        self.numbers: dict[AnfNode, IncomingNumber] = {}  #: numbers that come in
        self.draws: list[Draw] = []  #: of random numbers, in the order of the program
        self.writes: list[Any] = []  #: changes of what is outside, to be done at its end: see writes.py
        self.is_taped = False
        self.is_tried = False  #: whether the program would catch an error that depends on the data of its operators
        self.gradients: list[tuple] = []  #: the calls of gradient functions in it
        self.is_making = False  #: whether it makes objects that are others in each run: parameters
        #: Values that are leaves of the tape: behind which operator, None for all of it, and the origin of the tensor.
        self.leaves: dict[AnfNode, tuple[OperatorCall | None, Origin]] = {}
        self.cuts: list[Cut] = []
        #: Tensors of which the program has asked whether they have a history, and which have none: made here, or outside.
        self.asked: list[AnfNode | Origin] = []
        #: Tensors whose `.grad` is forgotten before the first operator that may fail.
        self.cleared: tuple[Origin, ...] = ()
        self.weights: set[int] = set()  #: identities of the Parameters by which it takes gradients
        #: Whether a tape sees writes where tensors from outside share memory, or to what the outside sees.
        self.is_mixed = False
        self.handles: set[Origin] = set()  #: made: second tensors on the memory of a value, as a gradient gives them

    def input(self, origin: Origin, layout: Layout) -> Incoming:
        """A tensor that comes in."""
        made = Incoming(self, layout.type, origin, layout)
        self.inputs[made] = made
        return made

    def number(self, kind: type, origin: Origin, layout: Layout, op: Op) -> IncomingNumber:
        """A number that comes in, as an operand."""
        made = IncomingNumber(self, kind, origin, layout, op)
        self.numbers[made] = made
        return made

    def constant(self, array: np.ndarray, layout: Layout) -> ValueNode:
        """A tensor that is known."""
        tensor = wrap(array, layout)
        made = ValueNode(tensor)
        self.constants[made] = tensor
        return made

    def roots(self) -> dict[AnfNode, AnfNode]:
        """For each value the one that its memory belongs to."""
        roots: dict[AnfNode, AnfNode] = {value: value for value in (*self.inputs, *self.constants, *self.numbers)}
        for call in self.calls:
            for value in call.results:
                roots[value] = roots.get(call.operands[0], value) if call.entry.view is not None else value
        return roots

    def last(self) -> OperatorCall | None:
        """The last call so far."""
        return self.calls[-1] if self.calls else None

    def leaves_after(self) -> dict[OperatorCall | None, list[AnfNode]]:
        """The values that become leaves of the tape, by the call behind which they do."""
        found: dict[OperatorCall | None, list[AnfNode]] = {}
        for value, (call, _) in self.leaves.items():
            found.setdefault(call, []).append(value)
        return found

    def written(self, roots: dict[AnfNode, AnfNode]) -> Iterator[tuple[OperatorCall, AnfNode]]:
        """The in-place writes of its operators: the call, and the value that the memory belongs to."""
        for call in self.calls:
            for i in call.entry.written:
                yield call, roots[call.operands[i]]

    def idle(self, wanted: Iterable[AnfNode]) -> set[OperatorCall]:
        """The operators that keep something from before a write which nobody needs.

        Args:
            wanted: the values that are needed behind the operators.
        """
        found: set[OperatorCall] = set()
        if any(call.is_keeping for call in self.calls):
            needed = set(wanted)
            for call in reversed(self.calls):
                if call.is_keeping and needed.isdisjoint(call.results):
                    found.add(call)
                else:
                    needed.update(call.operands)
        return found

    def written_inputs(self) -> list[AnfNode]:
        """The inputs whose memory operators write, in the order of the first writes."""
        writes = self.written(self.roots()) if any(call.entry.written for call in self.calls) else ()
        return list(dict.fromkeys(root for _, root in writes if root in self.inputs))


def keeps_arguments(operation: Any, args: tuple) -> bool:
    """Whether what is given to a function may be kept, or changed, by it, or by a special method of the program that it
    calls."""
    return known.writes(operation) or not known.forgets(operation) or any(map(known.has_methods, args))


def varying_key_of(outcome: Outcome) -> Any:
    """The same where all numbers and texts are taken as ones that vary, but for how a loop has ended."""
    if outcome.error is not None:
        return key_of(outcome)
    value = outcome.value
    if type(value) is tuple and value and type(value[0]) is str and outcome.takes_apart(value, 0):
        return tuple, value[0], tuple([_varying_key(outcome, item, 1) for item in value[1:]])
    return _varying_key(outcome, value)


def _varying_key(outcome: Outcome, value: Any, depth: int = 0) -> Any:
    kind = type(value)
    if kind in VARYING:
        return kind
    if kind is tuple and outcome.takes_apart(value, depth):
        return kind, tuple([_varying_key(outcome, item, depth + 1) for item in value])
    return _key(outcome, value, True, depth)


#: Types of values that may differ from call to call.
VARYING = (int, float, str)


def key_of(outcome: Outcome, items_vary: bool = False) -> Any:
    """What of an outcome decides how the program goes on; of floats in a tuple it may be the type alone."""
    return ("raised", type(outcome.error)) if outcome.error is not None else _key(outcome, outcome.value, items_vary)


def holds_identity(key: Any) -> bool:
    """Whether objects are told apart by the key of an outcome, so that they must live as long as it."""
    return type(key) is tuple and (key[:1] == ("is",) or any(map(holds_identity, key)))


def _key(outcome: Outcome, value: Any, items_vary: bool, depth: int = 0) -> Any:
    kind = type(value)
    if kind is float and (items_vary or not depth):
        return kind
    if kind in SIMPLE:
        return exact(value)
    if kind is tuple and not outcome.takes_apart(value, depth):
        return kind
    if kind is tuple:
        return kind, tuple(_key(outcome, item, items_vary, depth + 1) for item in value)
    if kind is types.FunctionType:
        return kind, value.__code__
    if known.is_bound(value):
        return kind, value.__name__
    if is_a(value, type) and "<locals>" in value.__qualname__:
        return type, value.__qualname__  # perhaps made just now
    if known.is_constant(value):
        return "is", id(value)
    return (module_of(kind), kind.__qualname__) if "<locals>" in kind.__qualname__ else kind
