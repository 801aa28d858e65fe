"""The points of a program: moments between its pieces, and how it goes on from each.

Point      a pattern of what is alive, and the variants in which the program has gone on from there
Variant    a piece, with its guards and operators, and its end
Hop        an end: something that the interpreter does, with the points behind its outcomes
Return     an end: the function returns;  Jump (ranges.py), the program goes on at another point
"""

from __future__ import annotations

import functools
import operator
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Union

from anfora.core.span import CellCall
from anfora.core.tensor import Tensor
from anfora.graph.facts.table import DATA_NUMBERS, DATA_TRUTH, fact_of
from anfora.graph.lower.loops import asked_of_one, closed
from anfora.graph.lower.ranges import Jump, images_in, places_in
from anfora.graph.machine.generators import for_python
from anfora.graph.machine.places import Location, Variables, do_alone, do_at, needs_no_frames
from anfora.graph.machine.switches import Switches
from anfora.graph.machine.world import Plain
from anfora.graph.polyfill.gradients import STEPS, outcome_of_step
from anfora.graph.record.writes import Written
from anfora.graph.run import control
from anfora.graph.run.crowds import Crowd
from anfora.graph.run.engines import Engine
from anfora.graph.run.pieces import Runner
from anfora.graph.source.tracebacks import Lines, depth, stub
from anfora.graph.state.images import Image, build, builder
from anfora.graph.state.moments import DATA, EXCHANGE, OUTLINED, Live, Outcome, Piece, State, key_of, varying_key_of

__all__ = [
    "NUMBERS", "SHAPE", "TRUTH", "Edge", "EdgeArgument", "Hop", "Onward", "Point", "Return", "Same", "Variant", "arrive",
    "looks",
]  # fmt: skip

_TOLD_BY_TYPE = (None, 0.5, Tensor(0))
_MOST_VALUES = 4  #: that a hop gives before they are taken as one that varies

#: Of a value behind a hop: a slot of what was alive before it, or a path in its result.
EdgeArgument = Union[int, tuple]


class _Frames:
    """The frames of the program where a hop stands, put together when somebody asks for their variables."""

    def __init__(self, frames: Image, live: list[Any]) -> None:
        self._frames, self._live = frames, live

    @functools.cached_property
    def _built(self) -> list[Any]:
        return [frame for frame in build(self._frames, self._live) if not frame.code.is_internal]

    def variables(self, number: int) -> Callable[[], Mapping[str, Any]]:
        """What gives the variables of one of them, counted from the end: -1 is the innermost."""

        def find() -> Mapping[str, Any]:
            frames = self._built
            return Plain().variables(frames[number]) if len(frames) >= -number else {}

        return find


def _innermost(frames: Image, live: list[Any]) -> Mapping[str, Any]:
    """The variables where a hop stands."""
    return _Frames(frames, live).variables(-1)()


class Hop:
    """An end of a piece: something that the interpreter does, and how the program goes on after each of its outcomes."""

    def __init__(self, state: State, reason: str) -> None:
        self.call, self.frames, self.switch = state.call, state.frames, state.switch
        self.reason, self.at, self.outer, self.cells = reason, state.place, state.outer, state.cells
        self.built = {i: origin.key for i, origin in enumerate(state.live.origins) if origin.kind == "built"}
        self.varying: set[type] = {float}  #: of numbers and texts that differ from call to call; only their type counts
        self.items_vary = False  #: whether floats in a tuple that it gives are taken as numbers that vary
        #: outcome -> (point, for each of its slots the place)
        self.edges: dict[Any, Edge] = {}
        self._kept: list[Any] = []  #: objects whose identities are among the outcomes: see `hold`
        #: By outcome, of exceptions: the lines of the calls from the handler to here.
        self.callers: dict[Any, Lines] = {}
        self.is_outlined = reason in OUTLINED  #: whether it works on plain values alone, where only Python would gain
        self.is_step = reason in STEPS  #: of a gradient in pieces: of the tape's, with nothing of the program in it
        #: Of values of which the type says it all, the keys as outcomes.
        self._keys: dict[type, Any] = {}
        if not (self.is_step or self.is_outlined):
            self._keys.update((type(value), key_of(Outcome(value))) for value in _TOLD_BY_TYPE)
        #: What it is where only the data of a tensor is looked at, and nothing of the program is done: see `looks`.
        self.looks = _looks(self.call, state.live.values, reason)
        kind, operation, *_ = self.call[1][0]
        #: None where it is not the same operation each time
        self._needs_no_frames = needs_no_frames(operation) if kind == "is" else None
        code, position, self._scope = state.place
        self._made = stub(code, position)
        #: The slot and the function, where one number is taken from a tensor, which has a short way.
        self.read = _read(self.call)
        self.is_own_call = False  #: whether it is a call of the function that is compiled
        self.is_call = False  #: whether it is a call of this, or of another that calls itself and is compiled by itself
        self.callee: Point | None = None  #: of such a call: where it started last
        self.catches = _catches(self.frames)  #: whether the function may handle an exception here

    def hold(self, name: Any, values: Iterable[Any]) -> None:
        """Objects are told apart by the name of an outcome: it is known as long as they live."""
        forget = functools.partial(_forget, weakref.ref(self), name)
        for value in values:
            try:
                self._kept.append(weakref.ref(value, forget))
            except TypeError:
                self._kept.append(value)

    def key_of(self, outcome: Outcome) -> Any:
        """What of an outcome decides how the program goes on."""
        if self.is_step and outcome.error is None:
            return outcome_of_step(outcome.value)
        if self.is_outlined:
            return varying_key_of(outcome)
        kind = type(outcome.value)
        return kind if kind in self.varying and outcome.error is None else key_of(outcome, self.items_vary)

    @functools.cached_property
    def make(self) -> Callable[[list[Any]], tuple] | None:
        """From what is alive to the call, where that is nothing but to put it together."""
        return None if self.built else builder(self.call)

    def natively(
        self, live: list[Any], operation: Any, args: tuple, kwargs: dict, handled: BaseException | None
    ) -> Any:
        """Do what it does, at its place in the program; the name of this method is known to `core.span.cell_path`."""
        if self._needs_no_frames or (self._needs_no_frames is None and needs_no_frames(operation)):
            call = Variables(functools.partial(_innermost, self.frames, live), operation, for_python(args), kwargs)
            return do_alone(self._made, self._scope, call, handled)
        frames = _Frames(self.frames, live)

        def outer() -> list[Location]:
            count = len(self.outer)
            return [Location(*place, frames.variables(i - count - 1)) for i, place in enumerate(self.outer)]

        return do_at(Location(*self.at, frames.variables(-1)), outer, operation, for_python(args), kwargs, handled)

    def cell_calls(self) -> list[CellCall]:
        """The calls of Cells that it stands in."""
        return self.cells.cell_calls()

    def note(self, outcome: Outcome) -> None:
        """Told of an outcome that is new: after some numbers or texts, whatever comes is taken as one that varies."""
        kind = type(outcome.value)
        if kind in (int, str) and sum(key[0] is kind for key in list(self.edges) if type(key) is tuple) >= _MOST_VALUES:
            self.vary(kind)

    def vary(self, kind: type) -> None:
        """Take numbers or texts of a type that come out as ones that vary."""
        self.varying.add(kind)
        self._keys[kind] = kind

    def edge(self, live: list[Any], outcome: Outcome) -> tuple[Any, Edge | None]:
        """The key of an outcome, and how the program goes on; None if that has not been seen."""
        key = self._keys.get(type(outcome.value)) if outcome.error is None else None
        if key is None:
            key = self.key_of(outcome)
        edge = self.edges.get(key)
        if edge is None:
            for other, known in list(self.edges.items()):
                if type(other) is Same and other.holds(key, live, outcome):
                    return other, known
        return key, edge

    def note_callers(self, key: Any, outcome: Outcome) -> None:
        """Told of an exception that a handler of the program has got."""
        assert outcome.error is not None
        traceback = outcome.error.__traceback__
        count = depth(traceback) - outcome.depth
        if count > 0:
            self.callers[key] = Lines(traceback, count)

    def show_callers(self, key: Any, error: BaseException) -> None:
        """Put the lines of the calls that an exception has come out of in front of its traceback."""
        lines = self.callers.get(key)
        if lines is not None:
            error.__traceback__ = lines.traceback(error.__traceback__)

    @property
    def is_branch(self) -> bool:
        """Whether the program goes on by the truth of a tensor."""
        return self.looks == TRUTH

    @property
    def has_free_shape(self) -> bool:
        """Whether it is an operator that gives tensors of a shape which follows from data."""
        return self.looks == SHAPE

    @functools.cached_property
    def is_native(self) -> bool:
        """Whether it leaves nothing of the program to the interpreter."""
        return self.looks is not None or self.is_call or self.is_step or self.is_outlined

    @property
    def place(self) -> str:
        code, position, _ = self.at
        return f"{code.co_filename}:{position[0]}"


#: What an end of a piece may be that only looks at the data of a tensor: at its truth, at numbers in it; or it is an
#: operator of this library whose result has a shape that depends on the data, or that other processes take part in.
TRUTH, NUMBERS, SHAPE, EXCHANGED = DATA_TRUTH, DATA_NUMBERS, "shape", "exchanged"


def _forget(hop: weakref.ref[Hop], name: Any, _: object) -> None:
    """An object has gone that an outcome was known by: the next one with its identity is another."""
    if (found := hop()) is not None:
        found.edges.pop(name, None)


def looks(operation: Any, args: tuple, reason: str) -> str | None:
    """Which of them a call is; None if Python does something with the data, or with more."""
    if reason == EXCHANGE and _is_of_library(operation):
        return EXCHANGED
    if reason != DATA:
        return None
    fact = fact_of(operation)
    if fact is not None and fact.of_data is not None:
        return fact.of_data
    if any(operation is each for each in _TAKING):
        return NUMBERS
    if operation is operator.getitem and isinstance(args[0], Tensor):
        return SHAPE
    return SHAPE if _is_of_library(operation) else None


def _is_of_library(operation: Any) -> bool:
    """Whether it is an operator of this library, or is written in such."""
    module = getattr(operation, "__module__", None) or ""
    return module.startswith(_LIBRARY) and not getattr(operation, "__name__", "").startswith(
        "__"
    )  # which makes texts, say


def _looks(call: Image, values: list[Any], reason: str) -> str | None:
    """The same of an image, given what is alive."""
    match call:
        case ("tuple", (("is", operation), ("tuple", args), *_)):
            return looks(operation, tuple([values[arg[1]] if arg[0] == "slot" else None for arg in args]), reason)
    return None


#: Methods of tensors that take numbers from them, and modules of operators.
_TAKING = (Tensor.item, Tensor.tolist)
_LIBRARY = ("anfora.ops", "anfora.mint", "anfora.numpy", "anfora.core.tensor")


def _read(call: Image) -> tuple[int, Callable[[Tensor], Any]] | None:
    """The slot of `x` in a call `bool(x)`, `float(x)`, `int(x)` or `x.item()` with no exception around it, and what is
    called."""
    found = asked_of_one(call)
    return found if found is not None and any(found[1] is read for read in _READS) else None


#: What `RecordedProgram._run` does itself, of one tensor, without a frame for it.
_READS = (bool, float, int, Tensor.item)


class Same(NamedTuple):
    """An outcome where things that may be different objects were one, and are one slot in what follows."""

    key: Any
    pairs: tuple[tuple[EdgeArgument, EdgeArgument], ...]

    def holds(self, key: Any, live: list[Any], outcome: Outcome) -> bool:
        return self.key == key and all(_at(a, live, outcome) is _at(b, live, outcome) for a, b in self.pairs)


class Return:
    """An end of a piece: the function returns what an image shows.

    Args:
        switch: how it leaves the switches.
    """

    def __init__(self, image: Image, switch: Switches) -> None:
        self.image, self.switch = image, switch
        #: the slot, where it is one
        self.slot = image[1] if image[0] in ("slot", "number") else None


class Variant:
    """One way in which the program has gone on from a point."""

    def __init__(self, piece: Piece, live: Live, end: Hop | Return | Jump, written: Written | None = None) -> None:
        self.piece, self.end = piece, end
        self.written = written  #: what is done at its end, before `end`
        if written is not None:
            written.release(piece, end.count if isinstance(end, Jump) else None)
        self.runner = Runner(piece, live.origins)
        self.is_possible = not piece.cuts or self.runner.parts is not None
        if not self.is_possible:
            self.runner.run = _fits_never
        #: Whether the switches stand as they did when it has been run: it does nothing to the outside or the tape.
        self.is_quiet = written is None and not piece.is_taped
        self.cost = 0  #: what it would cost Python: see ledger.py
        #: Errors behind which Python does what comes from the start of the piece on, since the program may catch them.
        self.caught: tuple[type[Exception], ...] = (Exception,) if piece.is_tried else ()
        self.is_decided = False  #: whether it is known if the runner can go round by itself

    def close(self, point: Point, key: Any) -> None:
        """The outcome `key` leads back to the point of this variant: let the runner go round natively, if it can."""
        self.is_decided = True
        loop = closed(self, point, key)
        if loop is not None:
            self.runner.close(loop)


def _fits_never(values: list[Any]) -> None:
    """For a piece that cannot be run in front of, between and behind nodes that call Python."""


class Point:
    """A moment of the program.

    Args:
        frames: the image of the machine's state.
        switch: how the tape and mixed precision stand.
        form: of a point where a call starts: how many arguments are positional, and the names of the others.
    """

    def __init__(self, frames: Image, switch: Switches, form: tuple[int, tuple[str, ...]] = (0, ())) -> None:
        self.frames, self.switch, self.form = frames, switch, form
        self.variants: list[Variant] = []
        self.crowd: Crowd | None = None  #: finds the variant, where there are many
        self.engines: list[Engine] = []  #: that go on natively from here, for different variants
        self.visits = 0  #: times that Python came by
        self.due = control.NATIVE_AFTER  #: the visit at which it is time for an engine

    @functools.cached_property
    def may_stop(self) -> bool:
        """Whether what the handler of a signal raises may come here: see `Code.may_stop`."""
        places = places_in(self.frames)
        return not places or places[-1][0].may_stop(places[-1][1])

    @property
    def name(self) -> str:
        """Of the function of the program in which it lies."""
        places = places_in(self.frames)
        return places[-1][0].python.co_name if places else "piece"

    def arguments(self, values: list[Any]) -> tuple[tuple, dict[str, Any]]:
        """The arguments of the call that starts here."""
        count, names = self.form
        return tuple(values[:count]), dict(zip(names, values[count:]))


Edge = tuple[Point, list[EdgeArgument]]


class Onward(NamedTuple):
    """In the place of a result: the program goes on at a point where it has been before, or behind a piece. It does so from
    where it was recorded from, so that a run which is recorded in many parts needs no deeper stack."""

    point: Point
    values: Any
    behind: tuple[Variant, list] | None = None


def arrive(edge: Edge, live: list[Any], outcome: Outcome) -> tuple[Point, list[Any]]:
    """The point behind an outcome, and what stands in its slots."""
    point, places = edge
    values = []
    for place in places:  # a list in brackets would be a call of its own
        values.append(live[place] if isinstance(place, int) else _part(outcome, place))
    return point, values


def _at(place: EdgeArgument, live: list[Any], outcome: Outcome) -> Any:
    return live[place] if isinstance(place, int) else _part(outcome, place)


def _catches(image: Image) -> bool:
    """Whether a frame of an image stands in a `try` or `with`."""
    return any(part[0] == "frame" and len(part) == 6 and part[2] for part in images_in(image))


def _part(outcome: Outcome, path: tuple) -> Any:
    value: Any = outcome.value if outcome.error is None else outcome.error
    for step in path:
        value = value[step]
    return value
