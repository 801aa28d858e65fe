"""The recorder: a world in which the program is run once, really, and written down as it goes.

What happens is what Python does: operators compute, effects are done, exceptions fly. Beside that the recorder keeps

    rows      the operators, in their order: the part that later calls do natively
    guards    what was read from outside, and how it was: what must be so again for the rows to be right
    hops      what only the interpreter can do: it ends a piece, and is done again in each later call

A value is *known* (it follows from constants and guarded reads), a tensor (its type is known, its data is not), a number
that varies, or *opaque*. Whatever is done with known values and tensors alone needs no trace but rows. Whatever looks
at data, changes something outside, or calls what is not known, is a hop; its outcome decides how the program goes on.

The first run is thus right by being the program itself. Later runs are right because they do the same: pieces whose
guards hold, and hops with the outcomes that were seen; anything new is recorded from there on.
"""

from __future__ import annotations

import functools
import gc
import itertools
import operator
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from anfora.api import GradientFunction, _Run
from anfora.core import memory, slots
from anfora.core.cell import Cell
from anfora.core.errors import AnforaError
from anfora.core.op import Op
from anfora.core.parameter import Parameter, ParameterTuple
from anfora.core.random import Generator as RandomGenerator
from anfora.core.random import default_generator, signed
from anfora.core.tensor import Tensor, current
from anfora.eager import dispatch
from anfora.eager.entry import Entry
from anfora.eager.tape import Followed, no_grad
from anfora.graph import known, operations, ranges
from anfora.graph.code import Code, Unsupported
from anfora.graph.images import SIMPLE, Imager, NoImage, is_plain_object
from anfora.graph.machine import ENTERED, Drain, Frame, Generator, Machine, Plain, Walk, builtins_of
from anfora.graph.origins import Number, Origin
from anfora.graph.polyfills import differentiate, first_, getattr_, hasattr_, list_, list_with_length, property_, rows_
from anfora.graph.ranges import Counter
from anfora.graph.rows import Number as RowNumber
from anfora.graph.rows import Row
from anfora.graph.sources import code_of
from anfora.graph.special import class_attribute, entered, method_of, truth_of
from anfora.kernel import glue

__all__ = ["DATA", "Escaped", "Live", "Outcome", "Piece", "Recorder", "State", "key_of"]

DATA = "the data of a tensor"  #: the reason of a hop that looks at it


class Outcome:
    """What a hop gave: a value, or an exception."""

    __slots__ = ("error", "value")

    def __init__(self, value: Any = None, error: BaseException | None = None) -> None:
        self.value, self.error = value, error


class Escaped(Exception):
    """A tensor has left a gradient with its history, which only the interpreter can leave behind."""


class Live:
    """The values of the program that stand in slots, each with where it comes from."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.values: list[Any] = []
        self.origins: list[Origin] = []
        self.index: dict[int, int] = {}

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
        origin = self.recorder.origin_of(value)
        if origin is None:
            return None
        if origin.kind == "made" and self.recorder.piece.gradients and not value.is_leaf:
            raise Escaped
        return self.add(value, origin)

    def imager(self) -> Imager:
        return Imager(self.slot, self.recorder.is_fixed)


class State:
    """The program before an instruction: its frames, and the call that the interpreter makes, as images."""

    def __init__(self, recorder: Recorder, machine: Machine, operation: Any, args: tuple, kwargs: dict) -> None:
        self.live = Live(recorder)
        arguments = self.live.imager()
        self.call = arguments.image((operation, args, kwargs, machine.handled()))
        #: What was made for the call is from outside for the program behind it: somebody may have kept it.
        self.built = arguments.made if keeps_arguments(operation) else []
        for i, value in enumerate(self.built):
            if id(value) not in self.live.index and value is not kwargs:  # those are handed on one by one
                self.live.add(value, Origin("built", i))
        frames = machine.frames
        self.switch = glue.is_recording()
        self.place = machine.place
        top = frames[-1]  # a generator may hold it too, so it is put back for a moment, and not copied
        stack, pc = top.stack, top.pc
        top.stack, top.pc = machine.saved, pc - 1
        try:
            self.frames = self.live.imager().image(tuple(frames))
        finally:
            top.stack, top.pc = stack, pc


class Draw:
    """A draw from the default generator: where in the stream the operators that use it read."""

    __slots__ = ("counters", "offset", "place", "seed", "values")

    def __init__(self, counters: int, place: tuple[int, int]) -> None:
        self.counters = counters
        self.place = dict(zip(("seed", "offset"), place))
        self.seed, self.offset = Origin("draw", "seed"), Origin("draw", "offset")
        self.values: dict[str, int] = {}  #: of the piece, of those of the two that an operator has taken

    @property
    def is_used(self) -> bool:
        """Whether an operator reads where it says."""
        return "offset" in self.values


class Piece:
    """What is written down between two hops."""

    def __init__(self) -> None:
        self.guards: list[tuple] = []  #: (kind, origin, payload), in the order in which they were found
        self.distinct: dict[int, tuple[Any, Origin]] = {}  #: objects that must be different ones
        self.rows: list[Row] = []
        self.inputs: dict[int, tuple[Origin, Any]] = {}  #: values that come in: origin, layout
        self.constants: dict[int, np.ndarray] = {}
        self.layouts: dict[int, Any] = {}  #: of the constants
        self.numbers: dict[int, tuple[Origin, Any, Any]] = {}  #: values made of numbers: origin, layout, operator
        self.draws: list[Draw] = []  #: of random numbers, in the order of the program
        self.values = 0
        self.is_taped = False
        self.switches: list[bool] = []  #: whether the tape was on, by row
        self.gradients: list[tuple] = []  #: the calls of gradient functions in it
        self.handles: set[Origin] = set()  #: made: second tensors on the memory of a value, as a gradient gives them

    def value(self) -> int:
        self.values += 1
        return self.values - 1


class Recorder(Plain):
    """Records one run.

    Args:
        keeper: takes finished pieces and states, see compiled.py.
    """

    def __init__(self, keeper: Any) -> None:
        self.keeper = keeper
        self.local_cells: dict[int, Any] = {}  #: cells of functions that were called in this run
        self.local_functions: dict[int, Any] = {}  #: inner functions that were made in it, and their gradients
        self.given: Outcome | None = None  #: the outcome of the hop that is done over
        self.abandoned = False
        self.machine: Machine | None = None  #: that runs the program
        self.rows_at: dict[tuple, tuple] = {}  #: places of rows by (code, position)
        self.region: list[tuple] = []  #: the calls of gradient functions that are running
        self.point: Any = None  #: the Point that the piece starts from
        self.end: Any = None  #: the Hop behind which the program stands
        self.live: Any = None  #: what was alive before it
        self.rejoin: tuple | None = None  #: where the run goes on in what was seen before
        self.own_call: list[Any] | None = None  #: what is alive before a call of the function that is compiled
        self.kept: Any = None
        self.heads: dict[tuple, int] = {}  #: by loop, how many points that start an iteration were made
        self.hop: Outcome | None = None  #: of the hop that was just done
        self.puts_off = False  #: whether garbage collections wait for the end of the piece
        self.begin({})

    # -- pieces -------------------------------------------------------------------------------------------------------

    def begin(self, origins: dict[int, tuple[Any, Origin]]) -> None:
        """Start a piece from slots."""
        self.collect_again()
        self.piece = Piece()
        self.origins = origins
        self.tensors: dict[int, tuple[Tensor, int]] = {}  #: values by the handles on them
        self.arrays: dict[int, tuple[Any, int]] = {}  #: and by their memory
        self.owners: dict[tuple, Tensor] = {}  #: tensors from outside, by where they lie
        self.unplaced: list[tuple[Any, int]] = []  #: those that are not in `places` yet
        self.places: dict[tuple, tuple[Any, int]] = {}  #: the same by where they lie
        self.handles: dict[int, tuple[Any, Origin]] = {}
        self.sources: dict[int, tuple[Any, Any]] = {}  #: of views: what they were taken from
        self.derived: dict[tuple, Origin] = {}
        self.dynamic: set[type] = set()  #: classes that are made anew in each call
        self.looked: dict[int, Any] = {}  #: containers from outside that have been guarded with all they hold
        self.told: set[tuple] = set()
        self.touched: str | None = None
        self.pending = False

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
        """The origin of that kind, one object for each."""
        name = (kind, key if type(key) in (int, str) else id(key), id(base) if base is not None else 0)
        found = self.derived.get(name)
        if found is None or (found.key is not key and found.key != key):
            found = self.derived[name] = Origin(kind, key, base)
        return found

    def guard(self, kind: str, origin: Origin, payload: Any = None) -> None:
        name = (kind, id(origin), id(payload))
        if name not in self.told:
            self.told.add(name)
            self.piece.guards.append((kind, origin, payload))

    # -- values from outside ------------------------------------------------------------------------------------------

    def register(self, value: Any, origin: Origin) -> Any:
        """A value that the program reads from outside: guarded, and what it becomes inside."""
        kind = type(value)
        if kind in (int, float) and (kind is float or self.keeper.varies(origin)):
            self.guard("type", origin, kind)
            return Number(origin, value)
        if kind in SIMPLE or kind is slice:
            self.guard("equal", origin, value)
            return value
        if known.is_bound(value):
            self._register_bound(value, origin)
            return value
        if known.is_constant(value):
            self.guard("is", origin, value)
            return value
        if isinstance(value, types.MethodType):
            function = self.register(value.__func__, self.origin("attr", "__func__", origin))
            return types.MethodType(function, self.register(value.__self__, self.origin("attr", "__self__", origin)))
        if kind.__module__.startswith("anfora.") and not isinstance(value, (Tensor, Cell, tuple, list, dict)):
            self.guard("is", origin, value)  # an operator with its attributes, say
            return value
        before = self.origins.get(id(value))
        if before is not None:
            if before[1] is not origin:
                self.guard("same", origin, before[1])
            return value
        self.origins[id(value)] = (value, origin)
        if isinstance(value, Tensor):
            self._register_tensor(value, origin)
        elif type(value) is types.CellType:
            self.guard("is", origin, value)
        else:
            self.guard("type", origin, kind)
            if kind in known.VIEWS:
                self.register(known.viewed(value), Origin("number", known.viewed, (origin,)))
        return value

    def _register_bound(self, method: Any, origin: Origin) -> None:
        self.guard("type", origin, type(method))
        self.guard("equal", self.origin("attr", "__name__", origin), method.__name__)
        self.register(method.__self__, self.origin("attr", "__self__", origin))

    def _register_tensor(self, tensor: Tensor, origin: Origin) -> None:
        tensor = current(tensor)
        self.guard("type", origin, type(tensor))
        if tensor._array is None:
            return
        self.guard("layout", origin, tensor._layout)
        self.owners[_place(tensor._array)] = tensor
        if glue.is_recording():
            self.guard("history", origin, tensor._node is not None)

    def take(self, value: Any, origin: Origin) -> None:
        """Let a value stand in a slot at the start of a piece."""
        before = self.origins.get(id(value))
        if before is not None and type(value) not in SIMPLE:  # it stands in two
            self.guard("same", origin, before[1])
            return
        self.origins[id(value)] = (value, origin)
        if isinstance(value, Tensor):
            self._register_tensor(value, origin)
        elif known.is_bound(value):
            self._register_bound(value, origin)
        elif isinstance(value, type):
            self.dynamic.add(value)
        elif not self.opaque(value) and type(value) is not types.CellType:
            self.guard("type", origin, type(value))

    def keep(self, live: Any) -> None:
        """Hold what is alive, so that identities stay."""
        self.kept = live

    def _input(self, tensor: Tensor) -> int | None:
        """The value of a tensor from outside, when an operator takes it."""
        found = self.origins.get(id(tensor))
        if found is None and isinstance(tensor, Parameter):
            found = self.origins[id(tensor)] = (tensor, self.origin("known", tensor))
            self._register_tensor(tensor, found[1])
        if found is None:
            return None
        value = self.piece.value()
        self.piece.inputs[value] = (found[1], tensor._layout)
        self._know(tensor, value)
        return value

    def look(self, value: Any) -> None:
        """Guard a container from outside with all that it holds, since something reads it as a whole."""
        kind = type(value)
        if isinstance(value, (tuple, list)) or kind is dict:
            items = dict(enumerate(value)) if kind is not dict else value
            found = self.origins.get(id(value))
            if found is None:
                for item in items.values():
                    if type(item) not in SIMPLE:
                        self.look(item)
            elif id(value) not in self.looked:
                self.looked[id(value)] = value
                origin = found[1]
                if kind is dict:
                    self.guard("keys", origin, tuple(value))
                else:
                    self.guard("length", origin, len(value))
                for key, item in items.items():
                    self._look_item(item, origin, key)
        elif kind in (set, frozenset):
            found = self.origins.get(id(value))
            if found is not None and id(value) not in self.looked:
                self.looked[id(value)] = value
                self.guard("equal", found[1], kind(value))
        elif kind in (types.MethodType, *known.BOUND):
            self.look(value.__self__)
        elif kind is Walk:
            self.look(value.base)
        elif kind in known.VIEWS:
            self.look(known.viewed(value))
        elif kind in _ITERATORS:
            for item in value.__reduce__()[1]:
                self.look(item)

    def _look_item(self, item: Any, origin: Origin, key: Any) -> None:
        given = self.register(item, self.origin("item", key, origin))
        if type(given) is Number:  # read as a part of the whole: it is known
            self.force(given)
        self.look(item)

    def force(self, value: Any) -> Any:
        """A number's value, on which the program now depends."""
        if type(value) is Number:
            self._unroll_if_needed(value.origin)
            self.guard("equal", value.origin, value.value)
            return value.value
        return value

    def origin_of(self, value: Any) -> Origin | None:
        """Where a value of the program comes from; None for what it has made of Python objects."""
        if type(value) is Number:
            return value.origin
        found = self.origins.get(id(value))
        if found is not None:
            return found[1] if type(value) not in SIMPLE else None
        if not isinstance(value, Tensor):
            return None
        found = self.handles.get(id(value))
        if found is not None:
            return found[1]
        if isinstance(value, Parameter):
            self._input(value)
            return self.origins[id(value)][1]
        tensor = current(value)
        number = self._value_of(tensor)
        if number is None:
            number = self._constant(tensor)
        base = None
        is_handle = tensor._base is None and id(tensor) not in self.tensors
        if tensor._base is not None:
            # Taken from what the program has taken it from, which may be a view itself in one call and not in another.
            _, source = self.sources.get(id(value), (None, tensor._base))
            base = (self.origin_of(source), Followed.forgotten(tensor._path[len(source._path) :]))
        origin = Origin("made", (number, tensor._layout), base)
        if is_handle:
            self.piece.handles.add(origin)
        self.handles[id(value)] = (value, origin)
        return origin

    def _constant(self, tensor: Tensor) -> int:
        constant = self.piece.value()
        with self.unwatched():
            self.piece.constants[constant] = memory.twin(tensor._array)
        self.piece.layouts[constant] = tensor._layout
        self._know(tensor, constant)
        return constant

    def _know(self, tensor: Tensor, value: int) -> None:
        """A tensor holds a value of the piece."""
        array = tensor._array
        self.tensors[id(tensor)] = tensor, value
        self.arrays[id(array)] = (array, value)
        self.unplaced.append((array, value))

    def _value_of(self, tensor: Tensor) -> int | None:
        """The value that a tensor holds. Tensors on the same memory may have different histories, so the handle decides;
        a new handle has the value of its array, and a view that was taken again is another array in the same place."""
        array = tensor._array
        handle = self.tensors.get(id(tensor))
        if handle is not None:
            return handle[1]
        if id(tensor) in self.origins:
            return None  # it comes in as an input of its own
        found = self.arrays.get(id(array))
        if found is None:
            for known_array, value in self.unplaced:
                self.places[_place(known_array)] = (known_array, value)
            self.unplaced.clear()
            place = _place(array)
            found = self.places.get(place)
            if found is None or memory.root(found[0]) is not memory.root(array):
                owner = self.owners.get(place)
                if owner is None or memory.root(owner._array) is not memory.root(array):
                    return None
                return self._input(owner)
        return found[1]

    def is_fixed(self, value: Any) -> bool:
        """Whether an object is the same in each call."""
        kind = type(value)
        if kind is types.CellType:
            return id(value) not in self.local_cells
        if kind is types.FunctionType or kind is GradientFunction:
            return id(value) not in self.local_functions
        if kind is Code or known.is_constant(value) or isinstance(value, ParameterTuple):
            return True
        if isinstance(value, (Tensor, Cell, Counter, Frame, Generator, Walk, _Run, no_grad)):
            return False
        return kind.__module__.startswith("anfora.")

    def outside(self) -> Plain:
        self.abandoned = True  # Python goes on with a generator in the middle of something: see `_compute`
        return Plain()

    def plain(self, values: Any) -> Any:
        return values if self._is_leaving() else [self.force(value) for value in values]

    def _is_leaving(self) -> bool:
        """Whether the present instruction makes what the program returns, so that nothing looks into it any more: it may
        hold numbers that vary."""
        frames = self.machine.frames if self.machine is not None else []
        if not all(frame.code.opcodes[frame.pc] == "RETURN" and not frame.handlers for frame in frames):
            return False
        top = frames[-1]
        return top.code.opcodes[top.pc - 1] in ("TUPLE", "LIST") and not any(
            frame.deliver != "value" for frame in frames
        )

    def made(self, function: Callable) -> None:
        self.local_functions[id(function)] = function

    # -- is it known? -------------------------------------------------------------------------------------------------

    def is_outside(self, value: Any) -> bool:
        return id(value) in self.origins and type(value) not in SIMPLE

    def opaque(self, value: Any, depth: int = 0) -> bool:
        """Whether a value is, or holds, something that nothing is known of."""
        kind = type(value)
        if kind in SIMPLE or isinstance(value, Tensor) or kind is Number:
            return False
        if kind in self.dynamic or (isinstance(value, type) and value in self.dynamic):
            return True
        if hasattr(kind, "__next__") and kind not in (Generator, Walk) and id(value) in self.origins:
            return True
        if kind in (tuple, list, set, frozenset):
            return depth > 20 or any(self.opaque(item, depth + 1) for item in value)
        if kind is dict:
            return depth > 20 or any(self.opaque(item, depth + 1) for item in value.values())
        if kind in known.VIEWS:
            return id(value) in self.origins or self.opaque(known.viewed(value), depth + 1)
        if kind is types.MethodType:
            return self.opaque(value.__self__, depth + 1)
        if kind is slice:
            return any(map(self.opaque, (value.start, value.stop, value.step)))
        return known.is_opaque(value)

    def natural(self, value: Any, depth: int = 0) -> bool:
        """Whether a value is made of numbers, texts, tensors and containers, so that no code of the program is behind
        it."""
        kind = type(value)
        if kind in SIMPLE or isinstance(value, (Tensor, BaseException)) or known.is_constant(value):
            return True
        if isinstance(value, (tuple, list, set, frozenset)):
            return depth < 20 and all(self.natural(item, depth + 1) for item in value)
        if kind is dict:
            return depth < 20 and all(self.natural(v, depth + 1) for v in value.values())
        if kind is slice:
            return True
        if kind in known.VIEWS:
            return self.natural(known.viewed(value), depth + 1)
        if kind in known.BOUND:
            return self.natural(value.__self__, depth + 1)
        return hasattr(type(value), "__next__") or type(value).__module__.startswith("anfora.")

    # -- doing things -------------------------------------------------------------------------------------------------

    def do(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict | None = None) -> Any:
        kwargs = kwargs or {}
        if not kwargs and known.is_among(operation, _OPERATORS) and all(type(a) in _PLAIN for a in args):
            return self._traced(machine, operation, args, kwargs)
        if not kwargs and all(type(a) in SIMPLE for a in args) and _is_of_values(operation):
            return machine.natively(operation, args, kwargs)
        if not kwargs and not any(map(self.opaque, args)):
            self._go_into_methods(machine, operation, args)
        if any(type(a) is Number for a in args) or any(type(a) is Number for a in kwargs.values()):
            if not kwargs:
                done, result = self._arithmetic(machine, operation, args)
                if done:
                    return result
            reason = self._reason(operation, _plain_tuple(args), _plain_dict(kwargs))
            if reason is not None:  # the interpreter takes it as it comes
                return self.interpret(machine, operation, args, kwargs, reason)
            args = tuple(map(self.force, args))
            kwargs = {name: self.force(value) for name, value in kwargs.items()}
        if operation is id and not kwargs and len(args) == 1 and self.is_outside(args[0]):
            return Number(Origin("number", id, (self.origins[id(args[0])][1],)), id(args[0]))
        if operation is type and len(args) == 1 and type(args[0]) is Generator:
            return types.GeneratorType
        if operation is iter and len(args) == 1 and isinstance(args[0], Tensor) and args[0].shape:
            function: Any = rows_
            return Generator(Frame(code_of(function), function, {"tensor": args[0]}), self, (function, args, {}))
        if operation is iter and len(args) == 1 and type(args[0]) in (dict, *known.VIEWS):
            operation = Walk
        reason = self._reason(operation, args, kwargs)
        if reason is None and any(map(self.is_own_generator, args)):
            reason = self._reason_of_generator(machine, operation, args)
        if reason is not None:
            return self.interpret(machine, operation, args, kwargs, reason)
        return self._compute(machine, operation, args, kwargs)

    def _go_into_methods(self, machine: Machine, operation: Callable, args: tuple) -> None:
        """Where an operation on objects of the program is a call of their special methods, raise what makes it one."""
        if not any(known.is_object(a) and type(a) is not Number for a in args):
            return
        call = entered(self, operation, _plain_tuple(args))
        if call is not None:
            for value in args:
                self.force(value)
            raise call
        if self.given is not None or not known.is_among(operation, _DRAINING):
            return
        for value in args:
            is_there = any(item is value for item in machine.saved)
            if is_there and known.is_object(value) and method_of(self, value, "__iter__") is not None:
                if operation is operations.unpack:
                    raise Drain(value, first_, args[1] + 1)
                has_length = operation in _ASKING_LENGTH and hasattr(type(value), "__len__")
                raise Drain(value, list_with_length if has_length else list_)

    def is_walked(self, value: Any) -> bool:
        """Whether the machine itself iterates over a value: a generator of the program, or a tensor, row by row."""
        if self.is_own_generator(value) or (isinstance(value, Tensor) and bool(value.shape)):
            return True
        return known.is_object(value) and not self.opaque(value) and method_of(self, value, "__iter__") is not None

    def is_own_generator(self, value: Any) -> bool:
        return type(value) is Generator and self.owns(value)

    def _reason_of_generator(self, machine: Machine, operation: Callable, args: tuple) -> str | None:
        """The machine goes through a generator of the program itself, and gives Python a list; what would see that the
        items do not come one by one is left to the interpreter."""
        if known.is_among(operation, _BLIND) or self.given is not None:
            return None
        [generator, *more] = [a for a in args if self.is_own_generator(a)]
        is_there = any(item is generator for item in machine.saved)
        is_join = getattr(operation, "__name__", "") == "join" and type(getattr(operation, "__self__", None)) is str
        if is_there and not more and not generator.is_running and (known.is_among(operation, _DRAINING) or is_join):
            if operation is operations.unpack:
                raise Drain(generator, first_, args[1] + 1)
            raise Drain(generator, list_)
        return "a generator in the hands of Python"

    def _reason(self, operation: Callable, args: tuple, kwargs: dict) -> str | None:
        """Why something is left to the interpreter, or None."""
        values = (*args, *kwargs.values())
        if any(map(self.opaque, values)) or self.opaque(operation):
            return f"{known.describe(operation)} of a value that the compiler does not know"
        if operation in (setattr, delattr):
            return self._reason_to_set(operation, args)
        if operation is __import__:
            return "an import"
        if not known.computes(operation):
            return f"a call of {known.describe(operation)}, which the compiler cannot look into"
        compared = self._compared(operation, args)
        if compared and not self._tell_apart(operation, args, compared):
            return f"{known.describe(operation)}, which tells objects from outside apart"
        if known.writes(operation):
            owner = (
                getattr(operation, "__self__", None) if not isinstance(operation, types.MethodDescriptorType) else None
            )
            if owner is None or isinstance(owner, types.ModuleType):
                owner = args[0] if args else None
            if type(owner) is types.CellType and id(owner) not in self.local_cells:
                return "a change of a variable outside"
            rebinds = operation in operations.IN_PLACE.values() and type(owner) not in (list, dict, set)
            if self.is_outside(owner) and not isinstance(owner, Tensor) and not rebinds:
                return f"a change of a {type(owner).__name__} from outside"
            if known.is_object(owner) and type(owner) is not types.CellType:
                return f"a method of {type(owner).__name__}"
        if operation in _MEMBERSHIP and type(args[1]) in known.CONTAINERS:
            values = tuple(v for v in (args[0], *args[1]) if not (known.is_object(v) and _has_identity(type(v))))
        if not known.only_arranges(operation) and not known.is_transform(operation):
            if not all(map(self.natural, values)) or not self.natural(operation):
                return f"{known.describe(operation)} of an object of the program"
            if any(isinstance(v, types.FunctionType) for v in values) and operation not in (hash, repr, str):
                return f"{known.describe(operation)} with a function of the program"
        elif known.is_among(operation, _LOOKS_INTO):
            for i, value in enumerate(args[: _LOOKS_INTO[operation]]):
                for part in (value.start, value.stop, value.step) if type(value) is slice else (value,):
                    is_key = i == 1 and isinstance(args[0], dict) and _has_identity(type(part))
                    if known.is_object(part) and not is_key:
                        return f"a method of {type(part).__name__}"
        for value in self._called_back(operation, args):
            return f"a method of {type(value).__name__}"
        return None

    def _called_back(self, operation: Callable, args: tuple) -> list[Any]:
        """The objects of the program whose methods a container would call: to be walked over, or as keys."""
        owner = getattr(operation, "__self__", None)
        if type(owner) in (list, dict, set) and operation.__name__ in ("extend", "update"):
            return [value for value in args if known.is_object(value)]
        keys: tuple = ()
        if type(owner) in (dict, set):
            keys = args[:1]
        elif operation in (operator.getitem, operator.setitem, operator.delitem) and isinstance(args[0], dict):
            keys = args[1:2]
        return [key for key in keys if known.is_object(key) and not _has_identity(type(key))]

    def _compared(self, operation: Callable, args: tuple) -> list[Any]:
        """The objects from outside of which it matters which are the same: as keys, or where a container is searched."""
        owner = getattr(operation, "__self__", None)
        deep = known.is_among(operation, _EQUALITIES)
        if type(owner) in known.CONTAINERS:
            if type(owner) in (list, tuple) and operation.__name__ not in _SEARCHES:
                return []
            args = (owner, *args) if type(owner) is not dict else (owner, *args[:1])
        elif isinstance(operation, types.MethodDescriptorType) and operation.__objclass__ in known.CONTAINERS:
            if operation.__objclass__ in (list, tuple) and operation.__name__ not in _SEARCHES:
                return []
            args = args[:2]
        elif operation in (operator.getitem, operator.setitem, operator.delitem):
            if not isinstance(args[0], dict):
                return []
            args = args[:2]
        elif deep:
            args = tuple(a for a in args if not isinstance(a, Tensor))
        elif operation is operations.make_dict:
            args = tuple(args[0][::2])
        elif operation in (iter, list, tuple, Walk) and type(args[0]) in (set, frozenset):
            pass  # the order is that of addresses
        elif not known.is_among(operation, _COMPARING):
            return []
        found: list[Any] = []
        for value in args:
            self._collect_identities(value, deep, found)
        return found

    def _collect_identities(self, value: Any, deep: bool, found: list[Any], depth: int = 0) -> None:
        if type(value) in SIMPLE or depth > 20:
            return
        if isinstance(value, (tuple, list, set, frozenset, dict)):
            items = (*value, *value.values()) if isinstance(value, dict) and deep else value
            for item in items:
                self._collect_identities(item, deep, found, depth + 1)
        elif self.is_outside(value) and (isinstance(value, Tensor) or known.is_object(value)):
            found.append(value)
        elif known.is_object(value) and type(value).__hash__ is not object.__hash__:
            found.append(value)  # code of the program is called

    def _tell_apart(self, operation: Callable, args: tuple, compared: list[Any]) -> bool:
        """Let later calls see to it that the keys of dicts and sets are different objects; False where that is not all
        that matters: where objects have a `__hash__` or `__eq__` of their own, or come out in the order of addresses."""
        name = getattr(operation, "__name__", "")
        owner = getattr(operation, "__self__", None)
        kind = operation.__objclass__ if isinstance(operation, types.MethodDescriptorType) else type(owner)
        is_key = operation in (operator.getitem, operator.setitem, operations.make_dict, *_MEMBERSHIP) or (
            kind in (dict, set) and name in ("__setitem__", "__getitem__", "__contains__", "get", "add", "setdefault")
        )
        if not is_key or not all(isinstance(x, Tensor) or _has_identity(type(x)) for x in compared):
            return False
        held = owner if kind in (dict, set) and owner is not None else args[0]
        if operation in _MEMBERSHIP:
            held = args[1]
        if operation is not operations.make_dict and (self.is_outside(held) or not all(map(self._is_traced, held))):
            return False  # there may be objects in it of which nothing else is known
        if operation in _MEMBERSHIP and type(args[1]) in (list, tuple) and any(isinstance(x, Tensor) for x in compared):
            return False  # these are compared with `==`
        for value in compared:
            self.piece.distinct.setdefault(id(value), (value, self.origins[id(value)][1]))
        return True

    def _is_traced(self, value: Any) -> bool:
        """Whether a value is none that has an identity, or one of which it is known where it comes from."""
        if isinstance(value, Tensor):
            return self.is_outside(value) or id(value) in self.tensors
        if isinstance(value, tuple):
            return all(map(self._is_traced, value))
        return self.is_outside(value) or not known.is_object(value)

    def _reason_to_set(self, operation: Callable, args: tuple) -> str | None:
        owner = args[0]
        if type(owner) is types.FunctionType and id(owner) in self.local_functions:
            return None
        if isinstance(owner, Cell) and operation is setattr and not isinstance(args[2], Parameter):
            held = owner.__dict__.get(args[1])
            if isinstance(held, Parameter) and isinstance(args[2], Tensor):
                self.getattr_plain(owner, args[1])
                return None
        if self.is_outside(owner) or not known.is_object(owner) or isinstance(owner, Cell):
            return f"a change of an attribute of {getattr(owner, '__name__', type(owner).__name__)}"
        if type(owner).__setattr__ is not object.__setattr__ or hasattr(getattr(type(owner), args[1], None), "__set__"):
            return f"a setter of {type(owner).__name__}"
        return None

    def _compute(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict) -> Any:
        """Do what follows from its arguments: only the operators in it leave a trace."""
        for value in (*args, *kwargs.values()):
            if type(value) not in SIMPLE:
                self.look(value)
        self.look(operation)
        # What changes an object of the program's must be written down before, in case that it turns out to be a hop.
        must_be_written = self.given is None and self._may_compare(operation)
        before = self.state(machine, operation, args, kwargs) if must_be_written else None
        result = self._traced(machine, operation, args, kwargs, before)
        if operation in (operator.is_, operator.is_not) and any(map(self.is_outside, args)):
            self._guard_identity(args, bool(result) is (operation is operator.is_))
        if operation is GradientFunction.start and result is not None and result.create_graph and len(self.region) == 1:
            # A tape outside follows: what it needs is the history that the interpreter leaves, call by call.
            self.keeper.interpreted.add(self.region[0])
            self.leave(machine)
        if known.is_transform(operation) and type(result) in (types.FunctionType, GradientFunction):
            self.made(result)  # for this call, with its values
            for cell in getattr(result, "__closure__", None) or ():
                self.local_cells[id(cell)] = cell
        return result

    def _traced(
        self, machine: Machine, operation: Callable, args: tuple, kwargs: dict, before: State | None = None
    ) -> Any:
        """Do something by Python, which turns out to be a hop when somebody looks at data meanwhile.

        Args:
            before: the state in front of it, if it has been written down already.
        """
        if self.given is not None:
            return self._redo()
        piece = self.piece
        rows, draws = len(piece.rows), len(piece.draws)
        outer, self.touched = self.touched, None
        error: BaseException | None = None
        result = None
        try:
            result = machine.natively(operation, args, kwargs)
        except Exception as raised:
            error = raised
        touched, self.touched = self.touched, outer
        if self.abandoned:
            self.keeper.give_up("Python goes on with a generator of the program", machine)
            self.leave(machine)
        elif touched is not None or not all(draw.is_used for draw in piece.draws[draws:]):
            del piece.rows[rows:], piece.switches[rows:], piece.draws[draws:]
            state = before or self.state(machine, operation, args, kwargs)
            return self._hopped(machine, state, touched or "random numbers", Outcome(result, error))
        if error is not None:
            raise error
        return result

    @staticmethod
    def _may_compare(operation: Callable) -> bool:
        """Whether it changes a container and looks at tensors in it on the way."""
        return getattr(operation, "__name__", "") in ("sort", "remove") and known.writes(operation)

    def _guard_identity(self, args: tuple, same: bool) -> None:
        origins = [self.origins[id(a)][1] if id(a) in self.origins else self.origin("known", a) for a in args]
        if all(id(a) in self.origins or type(a) in SIMPLE or known.is_constant(a) for a in args):
            self.guard("same" if same else "not same", *origins)  # type: ignore[arg-type]

    def _arithmetic(self, machine: Machine, operation: Callable, args: tuple) -> tuple[bool, Any]:
        """Operators on numbers and texts that vary: (whether it could be done, the result)."""
        plain = _plain_tuple(args)
        is_text = known.is_among(operation, _TEXTUAL) and all(type(a) in (str, *known.NUMBERS) for a in plain)
        if not is_text and (not known.is_among(operation, _ARITHMETIC) or len(args) > 2):
            return False, None
        if is_text or all(type(a) in known.NUMBERS for a in plain):
            try:
                value = machine.natively(operation, plain, {})
            except Exception:
                return False, None  # as a known number, whose error is known too
            parts = tuple(a.origin if type(a) is Number else a for a in args)
            origin = Origin("number", operation, parts)
            if type(value) is bool:
                self._unroll_if_needed(origin, is_truth=True)
                self.guard("is", origin, value)
                return True, value
            if type(value) in (int, float, str):
                if operation in _MAY_FAIL or type(value) is int:  # it is computed, whether somebody wants it or not
                    self.guard("type", origin, type(value))
                return True, Number(origin, value)
            return False, None
        if any(isinstance(a, Tensor) for a in plain):
            return self._with_number(machine, operation, args, plain)
        return False, None

    def _with_number(self, machine: Machine, operation: Callable, args: tuple, plain: tuple) -> tuple[bool, Any]:
        """An operator of a tensor and a number: if it is one row with that number as operand, it takes it from its
        origin."""
        [number] = [a for a in args if type(a) is Number]
        before = len(self.piece.rows)
        try:
            result = self._compute(machine, operation, plain, {})
        except Exception:  # of just this number, perhaps
            self.force(number)
            raise
        rows = self.piece.rows
        if self.hop is None and len(rows) == before + 1:
            row = rows[before]
            found = [
                i for i, x in enumerate(row.inputs) if type(x) is RowNumber and _same_number(x.value, number.value)
            ]
            is_alone = len(found) == 1 and sum(type(x) is RowNumber for x in row.inputs) == 1
            if is_alone and row.entry.op.python_rule is None:
                value = self.piece.value()
                layout = row.entry.inputs[found[0]]
                self.piece.numbers[value] = (number.origin, layout, row.entry.op)
                inputs = (*row.inputs[: found[0]], value, *row.inputs[found[0] + 1 :])
                rows[before] = Row(row.entry, inputs, row.outputs, row.place, row.mask)
                self.guard("number", number.origin, type(number.value))
                return True, result
        self.force(number)
        return True, result

    # -- hops ---------------------------------------------------------------------------------------------------------

    def interpret(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict, reason: str) -> Any:
        """Leave something to the interpreter: the piece ends here."""
        if self.given is not None:
            return self._redo()
        state = self.state(machine, operation, args, kwargs)
        for value in state.built if state is not None else ():
            if type(value) is Generator:
                value.world = Plain()
        with self.unwatched():
            try:
                outcome = Outcome(machine.natively(operation, _plain_tuple(args), _plain_dict(kwargs)))
            except BaseException as error:
                outcome = Outcome(error=error)
        return self._hopped(machine, state, reason, outcome)

    def state(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict) -> State | None:
        """What is alive before the present instruction, and what it does; None, and no more is recorded, if that cannot
        be written down."""
        self.collect_again()
        if self.pending:  # a hop is settled between two instructions, so there is one in each
            self.keeper.give_up("the interpreter is needed twice in one instruction", machine)
            self.leave(machine)
            return None
        if self.region:  # what the tape holds cannot be put down: this gradient is taken by the interpreter from now on
            self.keeper.interpreted.add(self.region[0])
            self.leave(machine)
            return None
        try:
            return State(self, machine, operation, args, kwargs)
        except Escaped:
            self.keeper.interpreted.update(self.piece.gradients)
            self.leave(machine)
        except NoImage as trouble:
            self.keeper.give_up(f"{trouble} is alive where the interpreter is needed", machine)
            self.leave(machine)
        return None

    def _hopped(self, machine: Machine, state: State | None, reason: str, outcome: Outcome) -> Any:
        if state is not None:
            self.keeper.end_with_hop(self, machine, state, reason)
            self.hop = outcome
            self.pending = True
        if outcome.error is not None:
            raise outcome.error
        return outcome.value

    def _redo(self) -> Any:
        """Give the present instruction the outcome that it had."""
        assert self.given is not None
        self.hop, self.given = self.given, None
        self.pending = True
        if self.hop.error is not None:
            raise self.hop.error
        return self.hop.value

    def leave(self, machine: Machine) -> None:
        """Record no more: the run goes on as Python's would."""
        plain = Plain()
        machine.world = plain
        slots.watch(None)
        for frame in machine.frames:
            frame.stack[:] = [
                x.value if type(x) is Number else ranges.iterator_of(x) if type(x) is Counter else x
                for x in frame.stack
            ]
            for name, value in frame.locals.items():
                if type(value) is Number:
                    frame.locals[name] = value.value
                elif type(value) is Generator:
                    value.world = plain
        self.begin({})  # what it holds may be dropped
        self.kept = self.end = self.live = None

    def settle(self, machine: Machine) -> None:
        assert self.hop is not None
        outcome, self.hop, self.pending = self.hop, None, False
        try:
            self.keeper.go_on(self, machine, outcome)
        except NoImage as trouble:
            self.keeper.give_up(f"{trouble} is alive behind a part of the interpreter's", machine)
            self.leave(machine)

    # -- the world of the machine -------------------------------------------------------------------------------------

    def enters(self, function: types.FunctionType) -> bool:
        if not known.enters(function):
            return False
        try:
            code_of(function)
        except Unsupported:
            return False
        return True

    def enter(self, machine: Machine, function: Any, args: tuple, kwargs: dict, deliver: str = "value") -> None:
        if id(function) in self.origins and function.__closure__:
            closure = self.origin("attr", "__closure__", self.origins[id(function)][1])
            for i, cell in enumerate(function.__closure__):
                self.origins.setdefault(id(cell), (cell, self.origin("item", i, closure)))
        if id(function) not in self.local_functions and not code_of(function).is_internal:
            self._read_function(function)
        machine.enter(function, args, kwargs, deliver)
        frame: Frame | None = machine.frames[-1]
        if machine.frames[-1].stack and type(machine.frames[-1].stack[-1]) is Generator:
            generator = machine.frames[-1].stack[-1]
            frame = generator.frame if generator.frame is not None and not generator.frame.pc else None
        if frame is not None:
            if frame.code.python.co_flags & 12:  # *args, **kwargs
                for name, value in frame.locals.items():
                    if type(value) is tuple:
                        frame.locals[name] = tuple(map(self.force, value))
                    elif type(value) is dict:
                        frame.locals[name] = {key: self.force(item) for key, item in value.items()}
            for name in frame.code.cells:
                cell = frame.cells[name]
                self.local_cells[id(cell)] = cell
                try:
                    cell.cell_contents = self.force(cell.cell_contents)
                except ValueError:
                    pass

    def _read_function(self, function: types.FunctionType) -> None:
        """What a call reads from a function that is from outside: its code, and defaults."""
        base = self._origin_of(function)
        self.guard("is", self.origin("attr", "__code__", base), function.__code__)
        defaults = self.origin("attr", "__defaults__", base)
        if function.__defaults__ is None or base.kind == "known":
            self.guard("is", defaults, function.__defaults__)
        else:
            self.guard("length", defaults, len(function.__defaults__))
        for i, value in enumerate(function.__defaults__ or ()):
            if type(value) not in SIMPLE or base.kind != "known":
                self.force(self.register(value, self.origin("item", i, defaults)))
        if function.__kwdefaults__:
            defaults = self.origin("attr", "__kwdefaults__", base)
            self.guard("keys", defaults, tuple(function.__kwdefaults__))
            for name, value in function.__kwdefaults__.items():
                self.force(self.register(value, self.origin("item", name, defaults)))

    def truth(self, machine: Machine, value: Any) -> bool:
        kind = type(value)
        if kind is bool:
            return value
        if kind is Number:
            result = bool(value.value)
            self._unroll_if_needed(value.origin, is_truth=True)
            self.guard("is", Origin("number", bool, (value.origin,)), result)
            return result
        if known.is_object(value) and not isinstance(value, type):
            if not hasattr(kind, "__bool__") and not hasattr(kind, "__len__"):
                return True
            call = None if self.opaque(value) else truth_of(self, value)
            if call is not None:
                raise call
            return self.interpret(machine, bool, (value,), {}, f"the truth of a {kind.__name__}")
        return self.do(machine, bool, (value,))

    def load_global(self, machine: Machine, name: str) -> Any:
        function = machine.frames[-1].function
        scope = function.__globals__
        value = super().load_global(machine, name)
        if name in scope:
            return self.register(value, self.origin("item", name, self.origin("known", scope)))
        self.guard("no key", self.origin("known", scope), name)
        return self.register(value, self.origin("item", name, self.origin("known", builtins_of(function))))

    def load_cell(self, machine: Machine, cell: types.CellType, name: str) -> Any:
        value = super().load_cell(machine, cell, name)
        if id(cell) in self.local_cells:
            return value
        return self.register(value, self.origin("attr", "cell_contents", self._origin_of(cell)))

    # loops

    def iterate(self, machine: Machine, value: Any) -> Any:
        if type(value) is Counter:
            return value
        if type(value) is range:
            frame = machine.frames[-1]
            site = frame.code.python, frame.pc
            is_long = ranges.length(value) >= ranges.ROLLED_FROM
            if is_long and frame.code.opcodes[frame.pc] == "NEXT" and self._may_roll(frame, site):
                return Counter.of(value, site)
        return super().iterate(machine, value)

    def _may_roll(self, frame: Frame, site: tuple) -> bool:
        """Whether a loop may stay one: no tape of a gradient is open, and no generator waits in it."""
        return not self.region and not frame.code.is_generator and site not in self.keeper.unrolled

    def count_up(self, machine: Machine, start: Any, stop: Any, step: Any) -> bool:
        """Let a loop go over a range between numbers that vary."""
        frame = machine.frames[-1]
        site = frame.code.python, frame.pc + 1
        if not ranges.is_in_front_of_loop(frame) or not self._may_roll(frame, site):
            return False
        first, last = _plain_tuple((start, stop))
        if any(type(x) is not int for x in (first, last, step)) or not step:
            return False
        if ranges.length(range(first, last, step)) < ranges.ROLLED_FROM:
            return False
        start, stop = (x if type(x) is Number else ranges.constant(x) for x in (start, stop))
        machine.push(Counter(start, stop, step, site))
        return True

    def next(self, machine: Machine, iterator: Any) -> Any:
        if type(iterator) is not Counter:
            if type(iterator) in _RANGE_ITERATORS and id(iterator) not in self.origins:
                return next(iterator)
            return self.do(machine, next, (iterator,))
        if iterator.given is not None or iterator.is_rolled:
            self._start_iteration(machine, iterator)
            if self.rejoin is not None:
                return None
            if machine.frames[-1].stack[-1] is not iterator:  # it is unrolled now
                return self.do(machine, next, (machine.frames[-1].stack[-1],))
        origin, has_more = iterator.has_more()
        self.guard("is", origin, has_more)
        if not has_more:
            raise StopIteration
        return iterator.take()

    def _start_iteration(self, machine: Machine, counter: Counter) -> None:
        """End the piece in front of an iteration, and start the next one at the point where all iterations meet."""
        if counter.item.origin.kind == "slot" and ranges.starts_at(self.point.frames, machine.frames):
            return  # the piece has just started there
        loop = tuple((frame.code.python, frame.pc) for frame in machine.frames)
        top = machine.frames[-1]
        top.pc -= 1
        try:
            is_new = self.keeper.jump(self, machine, self.heads.get(loop, 0) < ranges.MOST_HEADS)
        finally:
            top.pc += 1
        if is_new is None:
            self._unroll(machine)
        else:
            counter.is_rolled = True
            self.heads[loop] = self.heads.get(loop, 0) + is_new

    def _unroll_if_needed(self, origin: Origin, is_truth: bool = False) -> None:
        """The program depends on a number, or on a truth alone: unroll the loops that are running if that may follow from
        one of their counters, and changes often."""
        machine = self.machine
        if machine is None:
            return
        for frame in machine.frames:
            for item in frame.stack:
                if type(item) is Counter and ranges.depends_on_counter(origin, item):
                    if not is_truth or ranges.goes_to_and_fro(origin, item):
                        self._unroll(machine)
                    return

    def _unroll(self, machine: Machine) -> None:
        """Put Python's iterators in the places of the counters that are alive."""
        plain: dict[int, Any] = {}
        given: list[Number | None] = []
        for frame in machine.frames:
            for item in frame.stack:
                if type(item) is Counter:
                    self.keeper.unrolled.add(item.site)
                    plain[id(item)] = ranges.iterator_of(item)
                    for number in (item.item, item.stop):
                        self.guard("equal", number.origin, number.value)
                    given.append(item.given)
        for frame in machine.frames:
            frame.stack[:] = [plain.get(id(item), item) for item in frame.stack]
            for name, value in frame.locals.items():
                if type(value) is Number and any(value is number for number in given):
                    self.guard("equal", value.origin, value.value)
                    frame.locals[name] = value.value
        machine.saved = [plain.get(id(item), item) for item in machine.saved]

    # attributes

    def getattr(self, machine: Machine, value: Any, name: str) -> Any:
        value = self.force(value)
        if self.opaque(value):
            return self.interpret(machine, getattr, (value, name), {}, f"an attribute of a {type(value).__name__}")
        if isinstance(value, Tensor):
            return self._tensor_attribute(machine, value, name)
        if isinstance(value, types.ModuleType):
            found = value.__dict__.get(name, self)
            if found is self:
                if "__getattr__" not in value.__dict__:
                    self._guard_absence(value, name)
                elif not value.__name__.startswith("anfora"):
                    return self.interpret(machine, getattr, (value, name), {}, f"{value.__name__}.__getattr__")
                found = machine.natively(getattr, (value, name), {})  # made when it is asked for, or an error
            return self.register(found, self.origin("attr", name, self._origin_of(value)))
        if isinstance(value, type):
            found = machine.natively(getattr, (value, name), {})
            if isinstance(found, types.MethodType):
                self.guard("method", self.origin("method", name, self.origin("known", value)), found)
            if isinstance(found, (types.MethodType, *known.BOUND)):
                return found
            return self.register(found, self.origin("attr", name, self.origin("known", value)))
        if known.is_object(value):
            return self._attribute(machine, value, name)
        if isinstance(value, types.FunctionType) and id(value) not in self.local_functions:
            found = machine.natively(getattr, (value, name), {})
            return self.register(found, self.origin("attr", name, self._origin_of(value)))
        if isinstance(value, BaseException) and not self.is_outside(value):
            return machine.natively(getattr, (value, name), {})
        if isinstance(value, BaseException):
            return self.interpret(machine, getattr, (value, name), {}, f"an attribute of a {type(value).__name__}")
        found = machine.natively(getattr, (value, name), {})
        if self.is_outside(value) and not isinstance(found, (types.MethodType, *known.BOUND)):
            return self.register(found, self.origin("attr", name, self.origins[id(value)][1]))
        return found

    def _named_attribute(self, machine: Machine, function: Any, args: tuple) -> bool:
        """`getattr`, `hasattr` with a name that is known."""
        args = tuple(map(self.force, args))
        if type(args[1]) is not str or self.opaque(args[0]):
            return False
        if type(args[0]) in SIMPLE:
            machine.push(machine.natively(function, args, {}))
            return True
        if function is getattr and len(args) == 2:
            value = self.getattr(machine, *args)
            if value is not ENTERED:
                machine.push(value)
            return True
        self.enter(machine, getattr_ if function is getattr else hasattr_, args, {})
        return True

    def _origin_of(self, value: Any) -> Origin:
        found = self.origins.get(id(value))
        return found[1] if found is not None else self.origin("known", value)

    def getattr_plain(self, value: Any, name: str) -> Any:
        """An attribute that lies in the object's own dict."""
        found = value.__dict__[name]
        if not self.is_outside(value):
            return found
        return self.register(found, self.origin("attr", name, self.origins[id(value)][1]))

    def _attribute(self, machine: Machine, value: Any, name: str) -> Any:
        kind = type(value)
        if name == "__class__":
            return kind
        if name == "__dict__" and self.is_outside(value):
            return self.register(value.__dict__, self.origin("attr", name, self.origins[id(value)][1]))
        if name == "__dict__":
            return self.interpret(machine, getattr, (value, name), {}, "the dict of an object")
        static = class_attribute(kind, name)
        has_data = static is not None and hasattr(type(static), "__set__")
        own = getattr(value, "__dict__", None)
        outside = self.is_outside(value)
        if own is not None and name in own and not has_data:
            return self.getattr_plain(value, name)
        if static is None:
            if hasattr(kind, "__getattr__") and not isinstance(value, Cell):
                fallback = method_of(self, value, "__getattr__")
                if fallback is not None:
                    if outside:
                        self._guard_absence(value, name)
                    self.enter(machine, fallback, (value, name), {})
                    return ENTERED
                return self.interpret(machine, getattr, (value, name), {}, f"{kind.__name__}.__getattr__")
            if outside:
                self._guard_absence(value, name)
            return machine.natively(getattr, (value, name), {})  # the error
        if isinstance(static, property):
            getter = static.fget
            if isinstance(getter, types.FunctionType) and self.enters(getter):
                self.guard_class(kind, name)
                if not hasattr(kind, "__getattr__"):
                    self.enter(machine, getter, (value,), {})
                    return ENTERED
                fallback = method_of(self, value, "__getattr__")
                if fallback is not None:
                    self.enter(machine, property_, (getter, fallback, value, name), {})
                    return ENTERED
            return self.interpret(machine, getattr, (value, name), {}, f"the property {kind.__name__}.{name}")
        if isinstance(static, functools.cached_property):
            return self.interpret(machine, getattr, (value, name), {}, f"the property {kind.__name__}.{name}")
        if isinstance(static, (types.FunctionType, classmethod, staticmethod)):
            found = machine.natively(getattr, (value, name), {})
            if outside:
                self.guard("method", self.origin("method", name, self.origins[id(value)][1]), found)
            elif isinstance(static, classmethod):
                self.guard("method", self.origin("method", name, self.origin("known", kind)), found)
            else:
                self.guard_class(kind, name)
            return found
        if isinstance(static, types.MemberDescriptorType):
            if outside and not hasattr(value, name):
                self._guard_absence(value, name)
            found = machine.natively(getattr, (value, name), {})
            return self.register(found, self.origin("attr", name, self.origins[id(value)][1])) if outside else found
        if hasattr(type(static), "__get__") and not isinstance(static, type):
            if getattr(type(static), "_is_compiled", False):
                return machine.natively(getattr, (value, name), {})
            if isinstance(static, (types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType)):
                return machine.natively(getattr, (value, name), {})
            return self.interpret(machine, getattr, (value, name), {}, f"the descriptor {kind.__name__}.{name}")
        origin = self.origins[id(value)][1] if outside else self.origin("known", kind)
        return self.register(static, self.origin("attr", name, origin))

    def _guard_absence(self, value: Any, name: str) -> None:
        """An object from outside has no such attribute: nothing of the program is called to find out."""
        origin = self._origin_of(value)
        kind = type(value)
        if class_attribute(kind, name) is not None:  # a slot that holds nothing
            self.guard("is", Origin("number", hasattr, (origin, name)), False)
            return
        for missing in (name, "__getattr__") if not hasattr(kind, "__getattr__") else (name,):
            self.guard("is", Origin("number", hasattr, (self.origin("known", kind), missing)), False)
        if hasattr(value, "__dict__"):
            table = self.origin("attr", "__dict__", origin)
            self.guard("no key", table, name)
            if isinstance(value, types.ModuleType):
                self.guard("no key", table, "__getattr__")

    def guard_class(self, kind: type, name: str) -> None:
        """The attribute of a class is what it is now: a function, or a property."""
        self.guard("is", self.origin("attr", name, self.origin("known", kind)), getattr(kind, name))

    def _tensor_attribute(self, machine: Machine, value: Tensor, name: str) -> Any:
        static = class_attribute(type(value), name)
        own = value.__dict__
        if name in known.METADATA:
            if name == "name" and self.is_outside(value):
                return self.register(value.name, self.origin("attr", "name", self.origins[id(value)][1]))  # type: ignore[attr-defined]
            if name in ("requires_grad", "is_leaf") and self.is_outside(value):
                self.guard("history", self.origins[id(value)][1], value._node is not None)
            return machine.natively(getattr, (value, name), {})
        if name == "grad" or name in own:
            found = machine.natively(getattr, (value, name), {})
            if self.is_outside(value):
                return self.register(found, self.origin("attr", name, self.origins[id(value)][1]))
            return found
        if isinstance(static, property) and static.fget.__module__.startswith("anfora.core.") and name != "data":
            return self.interpret(machine, getattr, (value, name), {}, f"Tensor.{name}")
        if isinstance(static, property):
            return self._compute(machine, getattr, (value, name), {})
        return machine.natively(getattr, (value, name), {})

    # calls

    def call(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> None:
        while True:
            function = self.force(function)
            kind = type(function)
            if kind is types.MethodType:
                if self.is_outside(function):
                    if self.opaque(function):
                        break
                    function = self.register(function, self.origins[id(function)][1])
                args, function = (function.__self__, *args), function.__func__
            elif kind is functools.partial:
                if self.is_outside(function):
                    self._look_into_partial(function)
                args, kwargs = (*function.args, *args), {**function.keywords, **kwargs}
                function = function.func
            elif getattr(kind, "_is_compiled", False):
                if self.is_outside(function):
                    self.guard("is", self.origins[id(function)][1], function)
                if function.program.is_recursive:
                    self._call_recursive(machine, function, args, kwargs)
                    return
                self.keeper.called[function.__wrapped__.__code__] = function.program
                function = function.__wrapped__
            else:
                break
        is_of_generators = function in _GENERATOR_METHODS or function is next
        if is_of_generators and self._resume(machine, function, args, kwargs):
            return
        if self.opaque(function) or (kind is types.FunctionType and known.is_transform(function)):
            try:
                machine.push(self.do(machine, function, args, kwargs))
            finally:
                if self.region and (function is _Run.finish or function is _Run.leave):
                    self.region.pop()
            return
        if isinstance(function, GradientFunction):
            self._differentiate(machine, function, args, kwargs)
            return
        special = self.keeper.special.get(function) if known.is_among(function, self.keeper.special) else None
        if special is not None and special(self, machine, args, kwargs):
            return
        if function is getattr or function is hasattr:
            fits = not kwargs and len(args) in ((2, 3) if function is getattr else (2,))
            if fits and self._named_attribute(machine, function, args):
                return
        elif kind is types.FunctionType:
            if self.enters(function):
                if _is_closed(code_of(function)):
                    self._leave_and_call(machine, function, args, kwargs)
                else:
                    self.enter(machine, function, args, kwargs)
                return
        elif isinstance(function, Cell):
            if self._call_cell(machine, function, args, kwargs):
                return
        elif function is object.__new__ and len(args) == 1 and not kwargs and is_plain_object(args[0]):
            machine.push(object.__new__(args[0]))
            return
        elif isinstance(function, type):
            if hasattr(function, "__del__") and function.__flags__ & (1 << 9):
                self._leave_and_call(machine, function, args, kwargs)
                return
            if self._make(machine, function, args, kwargs):
                return
        elif known.is_object(function):
            method = class_attribute(kind, "__call__")
            if known.is_transform(method):
                machine.push(self.do(machine, method, (function, *args), kwargs))
                return
            if isinstance(method, types.FunctionType) and self.enters(method):
                self.guard_class(kind, "__call__")
                self.enter(machine, method, (function, *args), kwargs)
                return
        machine.push(self.do(machine, function, args, kwargs))

    def _leave_and_call(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> None:
        """Leave the rest of the program to Python, this call included."""
        args = tuple(map(self.force, args))
        kwargs = {name: self.force(value) for name, value in kwargs.items()}
        name = known.describe(function)
        self.keeper.give_up(f"what {name} makes does something when it is dropped, and only Python knows when", machine)
        self.leave(machine)
        machine.push(machine.natively(function, args, kwargs))

    def _call_recursive(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> None:
        """A call that is not gone into, since calls inside of it would have no end. One of the very function that is
        compiled ends the run of the machine: the keeper starts it from the entry, and goes on here with its result."""
        reason = f"a call of {function.__name__}, which calls itself"
        is_own = function.program.function is self.keeper.function and machine.handled() is None
        if not is_own or self.given is not None:
            machine.push(self.interpret(machine, function, args, kwargs, reason))
            return
        state = self.state(machine, function, args, kwargs)
        if state is None:  # no more is recorded
            machine.push(machine.natively(function, args, kwargs))
            return
        self.keeper.end_with_hop(self, machine, state, reason)
        self.own_call = list(_plain_tuple(tuple(state.live.values)))
        machine.frames.clear()

    def _look_into_partial(self, function: functools.partial) -> None:
        """Guard what a partial function from outside holds."""
        origin = self.origins[id(function)][1]
        self.register(function.func, self.origin("attr", "func", origin))
        for name in ("args", "keywords"):
            held = getattr(function, name)
            if held:
                self.look(self.register(held, self.origin("attr", name, origin)))
            else:
                self.guard("length", self.origin("attr", name, origin), 0)

    def has_made(self, value: tuple | list | dict) -> bool:
        return not self.is_outside(value)

    def owns(self, generator: Generator) -> bool:
        return id(generator) not in self.origins

    def _resume(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> bool:
        """Go into a generator of the program's for `next`, `send` and `throw`."""
        if kwargs or not args or type(args[0]) is not Generator or not self.owns(args[0]):
            return False
        generator = args[0]
        if generator.is_running or generator.frame is None or len(args) > 2 or (function is next and len(args) > 1):
            return False
        if function is Generator.close:
            return False
        if function is Generator.throw:
            error = args[1]() if isinstance(args[1], type) else args[1]
            machine.resume(generator, None, error, deliver="item")
        else:
            machine.resume(generator, args[1] if len(args) > 1 else None, deliver="item")
        return True

    def _differentiate(self, machine: Machine, gradient: GradientFunction, args: tuple, kwargs: dict) -> None:
        """Go into the function of which a gradient is taken; the operators of the walk back are rows like others."""
        frame = machine.frames[-1]
        site = (frame.code.python, frame.pc)
        if self.is_outside(gradient):
            for name in ("positions", "parameters", "weights", "has_aux", "return_ids", "sens_param", "gives_value"):
                self.look(self.getattr_plain(gradient, name))
        if site in self.keeper.interpreted and not self.region:
            machine.push(self.interpret(machine, gradient, args, kwargs, "a gradient of what the interpreter does"))
            return
        self.enter(machine, differentiate, (gradient, args, kwargs), {})
        self.region.append(site)
        self.piece.gradients.append(self.region[0])

    def _call_cell(self, machine: Machine, cell: Cell, args: tuple, kwargs: dict) -> bool:
        """Go into the `construct` of a Cell that has nothing around it."""
        attributes = cell.__dict__
        if "_hooks" not in attributes:
            return False
        for name in ("_hooks", "_compute_type"):
            self.getattr_plain(cell, name)
        method = attributes.get("construct") or class_attribute(type(cell), "construct")
        plain = attributes["_hooks"] is None and attributes["_compute_type"] is None
        if not plain or hasattr(cell, "bprop") or type(cell).__call__ is not Cell.__call__:
            return False
        if getattr(type(method), "_is_compiled", False):
            method = method.__wrapped__
        if isinstance(method, types.FunctionType) and self.enters(method):
            if "construct" in attributes:
                self.enter(machine, method, args, kwargs)
                return True
            if machine.frames and self.is_outside(cell):
                bound = types.MethodType(method, cell)
                self.guard("method", self.origin("method", "construct", self.origins[id(cell)][1]), bound)
            self.enter(machine, method, (cell, *args), kwargs)
            machine.frames[-1].cell = (cell, tuple(a.value if type(a) is Number else a for a in args))
            return True
        return False

    def _make(self, machine: Machine, kind: type, args: tuple, kwargs: dict) -> bool:
        """Make an object of a class of the program: its `__init__` is gone into."""
        init = class_attribute(kind, "__init__")
        if (
            type(kind) is not type
            or kind.__new__ is not object.__new__
            or not isinstance(init, types.FunctionType)
            or issubclass(kind, Cell)
        ):
            is_bare = kind.__new__ is object.__new__ and kind.__init__ is object.__init__  # type: ignore[misc]
            if is_bare and type(kind) is type and not args:
                machine.push(kind())
                return True
            return False
        if not self.enters(init):
            if hasattr(kind, "__dataclass_fields__") and not hasattr(kind, "__post_init__"):
                machine.push(
                    machine.natively(kind, tuple(map(self.force, args)), {k: self.force(v) for k, v in kwargs.items()})
                )
                return True
            return False
        made = object.__new__(kind)
        self.guard_class(kind, "__init__")
        self.enter(machine, init, (made, *args), kwargs, "object")
        machine.frames[-1].target = made
        return True

    # -- operators ----------------------------------------------------------------------------------------------------

    def watching(self) -> _Watch:
        """While this is on, operators come here, and whoever looks at data is noticed."""
        return _Watch(self)

    def unwatched(self) -> _Watch:
        return _Watch(None)

    def note_read(self, tensor: Tensor) -> None:
        """Somebody looks at the data of a tensor."""
        found = self._value_of(tensor)
        if found is not None and found in self.piece.constants:
            return
        if found is None and id(tensor) not in self.origins and not self._is_of_ours(tensor._array):
            return  # made of known values just now
        self.touched = DATA

    def note_draw(self, generator: RandomGenerator, counters: int, seed: int, offset: int) -> None:
        """Random numbers are drawn. Operators that read there can be told where in each call; if one of the rows before
        may fail, the draw might not come, so then the interpreter does it."""
        may_fail = any(row.entry.op.fault_rule is not None for row in self.piece.rows)
        if generator is not default_generator or may_fail:
            self.touched = "random numbers"
            return
        self.piece.draws.append(Draw(counters, (signed(seed), signed(offset))))

    def _of_draw(self, name: str, value: int, layout: Any, op: Op) -> int | None:
        """The value of an operand of a random operator that says where to read."""
        for draw in reversed(self.piece.draws):
            if draw.place[name] == value:
                if name not in draw.values:
                    draw.values[name] = self.piece.value()
                    origin = draw.seed if name == "seed" else draw.offset
                    self.piece.numbers[draw.values[name]] = (origin, layout, op)
                return draw.values[name]
        return None

    def note_foreign(self, what: str) -> None:
        """The library calls code of the program from within."""
        self.touched = what

    def _is_of_ours(self, array: Any) -> bool:
        """Whether memory belongs to a tensor that the program works with."""
        owner = memory.root(array)
        if any(memory.root(tensor._array) is owner for tensor in self.owners.values()):
            return True
        return any(
            memory.root(known_array) is owner for known_array, _ in self.arrays.values() if known_array is not None
        )

    def run(self, entry: Entry, flat: list) -> Any:
        """Run a planned call, and write it down."""
        operands = tuple(self._operand(x) for x in flat)
        piece = self.piece
        op = entry.op
        if op.is_random:
            operands = tuple(
                self._of_draw(name, x, entry.inputs[i], op)
                if name in ("seed", "offset") and type(x) is int
                else operand
                for i, (name, x, operand) in enumerate(zip(entry.owners(), flat, operands))
            )
            if any(operand is None and x is not None for operand, x in zip(operands, flat)):
                self.touched = "random numbers"
        mask = 0
        if glue.is_recording():
            for i, value in enumerate(flat):
                if isinstance(value, Tensor) and value._node is not None:
                    mask |= 1 << i
        if not self.region and (mask & entry.followed or (op.writes is not None and mask)):
            piece.is_taped = True
        touched = self.touched  # operators that run in Python look at data on their own account
        try:
            result = dispatch.run_now(entry, flat)
            self.touched = touched
        except AnforaError:
            self.touched = touched
            if op.fault_rule is not None or op.python_rule is not None:
                self.touched = f"an error of {op.name} that depends on data"
            raise
        if (op.fault_rule is not None or op.python_rule is not None) and self._is_in_a_try():
            self.touched = f"an error of {op.name} would be caught"
        if entry.view is not None and isinstance(flat[0], Tensor):
            self.sources[id(result)] = (result, flat[0])
        outputs: tuple[int, ...] = ()
        if op.writes is None:
            tensors = result if entry.is_tuple else (result,)
            numbers = []
            for tensor in tensors:
                value = piece.value()
                self._know(tensor, value)
                numbers.append(value)
            outputs = tuple(numbers)
        place = self._here()
        piece.switches.append(glue.is_recording())
        if len(piece.rows) == _LONG:
            self._collect_later()
        piece.rows.append(Row(entry, operands, outputs, place, mask & entry.followed))
        return result

    def _is_in_a_try(self) -> bool:
        """Whether the program would go on after an exception; this package's own handlers only pass it on."""
        frames = self.machine.frames if self.machine is not None else []
        return any(frame.handlers and not frame.code.is_internal for frame in frames)

    def _here(self) -> tuple:
        """Where the program stands, as rows keep it; the frame that shows an instruction is always the same."""
        if self.machine is None or not self.machine.frames:
            return dispatch.here()
        code, position, _ = self.machine.place
        place = self.rows_at.get((code, position))
        if place is None:
            place = self.rows_at[code, position] = dispatch.here()
        return place

    def _operand(self, value: Any) -> Any:
        if not isinstance(value, Tensor):
            return None if value is None else RowNumber(value)
        value = current(value)
        number = self._value_of(value)
        if number is None:
            number = self._input(value)
        if number is not None:
            return number
        if self._is_of_ours(value._array):
            self.touched = "memory of a tensor, seen in another way"
        return self._constant(value)


class _Watch:
    """Sends operators and reads of data to a recorder, for the time of a block."""

    __slots__ = ("before", "recorder")

    def __init__(self, recorder: Recorder | None) -> None:
        self.recorder = recorder

    def __enter__(self) -> None:
        self.before = slots.watcher.recorder
        slots.watch(self.recorder)

    def __exit__(self, *exc: object) -> None:
        slots.watch(self.before)


def keeps_arguments(operation: Any) -> bool:
    """Whether what is given to a function may be kept, or changed, by it."""
    return known.writes(operation) or not known.forgets(operation)


def _is_of_values(operation: Any) -> bool:
    """Whether it is one of Python's functions, and no method of an object that changes."""
    owner = getattr(operation, "__self__", None)
    return known.is_pythons(operation) and (type(owner) in SIMPLE or isinstance(owner, types.ModuleType))


def _has_identity(kind: type) -> bool:
    """Whether objects of a class are equal to themselves alone."""
    return kind.__hash__ is object.__hash__ and kind.__eq__ is object.__eq__


def _is_closed(code: Code) -> bool:
    """Whether a generator may do something when it is dropped half-way: where it waits, a `try` or `with` may be open."""
    return code.is_generator and "HANDLER" in code.opcodes


def _place(array: np.ndarray) -> tuple:
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.char


#: Functions that do not iterate over what they get; and those that take all its items before anything else happens.
_BLIND = frozenset({
    isinstance, issubclass, type, iter, bool, callable, hash, repr, str, operator.is_, operator.is_not, operator.not_,
    operator.eq, operator.ne,
})  # fmt: skip
_DRAINING = frozenset({
    list, tuple, tuple.__new__, set, frozenset, sorted, min, max, dict, operations.extend, operations.spread,
    operations.unpack, operations.unpack_rest, set.update,
})  # fmt: skip

#: Those of them that ask for a length first, to make room.
_ASKING_LENGTH = (list, tuple, tuple.__new__, sorted, operations.extend, operations.spread)

#: Functions that arrange things and call methods of some of their arguments: of how many, from the first.
_LOOKS_INTO: dict[Any, int | None] = {
    **dict.fromkeys((
        len, list, tuple, iter, reversed, dict, next, operations.unpack, operations.unpack_rest,
        operations.values_of_keys, operations.rest_of_mapping, itertools.cycle,
    ), 1),
    **dict.fromkeys((operator.getitem, operator.setitem, operator.delitem), 2),
    **dict.fromkeys((
        enumerate, range, itertools.islice, itertools.count, itertools.repeat, zip, operations.extend, operations.spread,
        operations.merge, operations.merge_keywords, set.update, itertools.chain, itertools.product,
        itertools.zip_longest, *filter(None, [getattr(itertools, "pairwise", None)]),
    )),
}  # fmt: skip

_GENERATOR_METHODS = (Generator.send, Generator.throw, Generator.close, Generator.__next__)


def _plain_tuple(values: tuple) -> tuple:
    return tuple([x.value if type(x) is Number else x for x in values])


def _plain_dict(values: dict) -> dict:
    return {name: x.value if type(x) is Number else x for name, x in values.items()}


def _same_number(one: Any, other: Any) -> bool:
    return type(one) is type(other) and repr(one) == repr(other)


def key_of(outcome: Outcome, live: Sequence[Any]) -> Any:
    """What of an outcome decides how the program goes on; `live` is what was alive when it came."""
    value = outcome.value
    if outcome.error is not None:
        key: Any = ("raised", type(outcome.error))
        value = outcome.error
    else:
        key = _key(value)
    if type(value) in SIMPLE:
        return key
    again = _again(value, live)
    if not again:
        return key
    return (*key, again) if outcome.error is not None else ("again", key, again)


def _again(value: Any, live: Sequence[Any]) -> tuple:
    """Which objects of an outcome are the same as something alive, by slot, or as another of its objects, by path."""
    if type(value) is not tuple:
        for slot, known_value in enumerate(live):
            if known_value is value:
                return (((), slot),)
        return ()
    before: dict[int, Any] = {}
    for slot, known_value in enumerate(live):
        before.setdefault(id(known_value), slot)
    return tuple(_objects_again(value, (), before))


def _objects_again(value: Any, path: tuple, before: dict[int, Any]) -> Iterator[tuple]:
    if type(value) is tuple:
        for i, item in enumerate(value):
            yield from _objects_again(item, (*path, i), before)
    elif type(value) not in SIMPLE:
        found = before.setdefault(id(value), path)
        if found is not path:
            yield path, found


def _key(value: Any, depth: int = 0) -> Any:
    kind = type(value)
    if kind is float:
        return (kind, repr(value)) if depth else kind
    if kind in SIMPLE:
        return kind, value
    if kind is tuple and depth < 4:
        return kind, tuple(_key(item, depth + 1) for item in value)
    if kind is types.FunctionType:
        return kind, value.__code__
    if known.is_bound(value):
        return kind, value.__name__
    if isinstance(value, type) and "<locals>" in value.__qualname__:
        return type, value.__qualname__  # perhaps made just now
    if known.is_constant(value):
        return "is", id(value)
    return (kind.__module__, kind.__qualname__) if "<locals>" in kind.__qualname__ else kind


#: Operators that only compute, whatever they are given; and what they may be given for that to be plain.
_OPERATORS = frozenset({
    *(operations.OPERATIONS[name] for name in operations.OPERATIONS if name not in ("is", "is_not", "in", "not_in")),
})  # fmt: skip
_PLAIN = SIMPLE | {Tensor, Parameter}

_ITERATORS: tuple[type, ...] = (type(iter([])), type(iter(())), type(reversed([])), enumerate, zip)

_ARITHMETIC = frozenset({
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
    operator.neg, operator.pos, operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv,
    operator.imod, operator.ipow, operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge,
    abs, float, int, round,
})  # fmt: skip
_TEXTUAL = frozenset({
    str, repr, format, operator.add, operations.join, *operations.FORMATS.values(), operator.eq, operator.ne,
})  # fmt: skip

_MEMBERSHIP = (operations.OPERATIONS["in"], operations.OPERATIONS["not_in"])
#: Arithmetic that raises, or gives another type, for some numbers.
_MAY_FAIL = frozenset({
    operator.pow, operator.ipow, operator.truediv, operator.itruediv, operator.floordiv, operator.ifloordiv, operator.mod,
    operator.imod, round, int, format, *operations.FORMATS.values(),
})  # fmt: skip
_LONG = 1000  #: rows of a piece from which on collections are put off
_RANGE_ITERATORS = (type(iter(range(0))), type(iter(range(1 << 70))))
_EQUALITIES = frozenset({operator.eq, operator.ne})
_SEARCHES = frozenset(["index", "count", "remove", "__contains__", "__eq__", "__ne__"])
_COMPARING = frozenset({
    operations.OPERATIONS["in"], operations.OPERATIONS["not_in"], operator.contains, operator.indexOf, operator.countOf,
    set, frozenset, dict, hash, operations.values_of_keys, operations.merge, operations.make_set,
})  # fmt: skip
