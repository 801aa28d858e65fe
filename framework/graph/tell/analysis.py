"""A program before any run: its graph, from its source and the types of what it is given.

    lower(program, args, kwargs)     a `LoweredProgram`: the graph, what only the interpreter can do, what is not known

The program is followed as in a first call (record/abstract.py), in a forked process, so that nothing of this one changes.
No kernel runs: operators give tensors of the right type. Where the program looks at data (a branch on a tensor, a number
that it takes from one) both ways are followed, one after the other; what a way has written is taken back before the next.
A way that comes to a moment that is known ends there, and so does one behind something of which nothing is known: what the
interpreter does is not done. A call of the function by itself gives what it returns elsewhere.
"""

from __future__ import annotations

import functools
import gc
import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError
from anfora.core.parameter import Parameter
from anfora.core.span import Span
from anfora.core.tensor import Tensor, wrap
from anfora.eager import dispatch
from anfora.eager.tape import is_recording, recording
from anfora.graph.facts.kinds import is_a
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.origins import Number
from anfora.graph.ir import FuncGraph, GraphError
from anfora.graph.ir.reading import read
from anfora.graph.ir.structure import Structure
from anfora.graph.ir.text import Labels, complete, readable
from anfora.graph.machine.machine import Machine
from anfora.graph.machine.running import running
from anfora.graph.machine.switches import switches
from anfora.graph.polyfill.gradients import leave_behind
from anfora.graph.record.abstract import AbstractRecorder, Begin, WayEnds, end_way
from anfora.graph.record.recorder import Recorder
from anfora.graph.run.compiled import RecordedProgram
from anfora.graph.run.keeper import TOO_MANY
from anfora.graph.run.points import Hop, Onward, Point
from anfora.graph.source.code import Unsupported
from anfora.graph.source.sources import code_of
from anfora.graph.state.images import Imager
from anfora.graph.state.moments import OVERDRAWN, Live, Outcome, State
from anfora.graph.tell.functions import Globals
from anfora.graph.tell.twins import NoAnswer, asked, can_fork
from anfora.graph.tell.typed import typed
from anfora.graph.tell.watched import Watched, is_legal
from anfora.graph.tell.wording import first_failing, hop_span, position_span

__all__ = ["LoweredProgram", "Remark", "lower"]

_MOST_WAYS = 200  #: that are followed
_MOST_VARIANTS = 4  #: of a moment
_MOST_VISITS = 20  #: of a place, with something else each time
_MOST_STARTS = 8  #: from the beginning, each time that more is known of loops, recursion, and gradients with branches


class Remark:
    """Somewhere in a program, and what is there to say of it.

    Attributes:
        span: where in the source; None for the whole function.
        reason: what there is to say.
    """

    def __init__(self, span: Span | None, reason: str) -> None:
        self.span, self.reason = span, reason

    @property
    def shown(self) -> str:
        """The place with its lines, as errors show it."""
        return f"  {self.reason}" if self.span is None else self.span.told(self.reason)

    def __repr__(self) -> str:
        return self.reason if self.span is None else f"{self.span.short_file}:{self.span.line}: {self.reason}"


class LoweredProgram:
    """A program as it is known before any run.

    Attributes:
        unsupported: what is left to the interpreter, each place once, on all ways.
        unknown: the places behind which no more is known: what comes there is recorded when it comes.
        error: what every call of this form raises; None if they do not.
        weights: the tensors of the program that are the last parameters of the graph, by the names of these.
        text: the graph as text, for reading.
    Example:
        >>> from anfora import ir
        >>> lowered = ir.lower(lambda x: x + 1, Tensor([1.0, 2.0]))
        >>> lowered.unsupported, [node.name for node in lowered.graph.parameters]
        ([], ['x'])
    """

    def __init__(
        self,
        unsupported: list[Remark],
        unknown: list[Remark],
        error: BaseException | None,
        weights: dict[str, Tensor],
        names: dict[str, Any],
        text: str,
        exact: str,
    ) -> None:
        self.unsupported, self.unknown, self.error = unsupported, unknown, error
        self.weights, self.text, self._exact, self._names = weights, text, exact, names

    @functools.cached_property
    def graph(self) -> FuncGraph:
        """The program as a graph, which runs as far as all is known: `lowered.graph(x, *lowered.weights.values())`, or,
        where these are Parameters, `nn.GraphCell(lowered.graph)(x)`.

        Raises:
            GraphError: all of the program is left to the interpreter.
        """
        if not self._exact:
            raise GraphError(
                f"there is no graph: {self.unsupported[0]}", help="`unsupported` says what Python has to do."
            )
        graph = read(self._exact, self._names)
        graph.weights = {name: tensor for name, tensor in self.weights.items() if isinstance(tensor, Parameter)}
        return graph

    @property
    def guards(self) -> dict[str, list[str]]:
        """What a compiled call asks for, in words, by the graph that it is asked in front of."""
        labels = Labels(Structure(self.graph)) if self._exact else None
        return {} if labels is None else {name: graph.guards for graph, name in labels.graphs.items() if graph.guards}

    def __str__(self) -> str:
        told = [f"# needs the interpreter: {place}" for place in self.unsupported]
        told += [f"# not known beyond: {place}" for place in self.unknown]
        return "\n".join([*told, self.text])

    def __repr__(self) -> str:
        return f"<lowered: {len(self.unsupported)} unsupported, {len(self.unknown)} unknown>"


def lower(program: Watched, args: tuple, kwargs: dict, compiles: bool = True, fixed: bool = False) -> LoweredProgram:
    """What a call would do, found out without doing it.

    Args:
        program: of a compiled function.
        args, kwargs: of the call; of tensors only the types count.
        compiles: whether kernels are compiled, so that the first call finds them.
        fixed: whether numbers and texts that the program finds by itself are in the graph as they are now, which goes
            elsewhere: that the tape is off here is nothing to those who run it.
    Raises:
        OpRuntimeError: this system cannot fork, or the process that was to find out has ended early.
    """
    if not can_fork():
        raise OpRuntimeError("a program is lowered in a forked process, and this system has none")

    def find() -> tuple:
        gc.freeze()  # what is there now is there in the other process too
        analysed = Analysed(program)
        with dispatch.without_kernels(), recording(fixed or is_recording()):
            analysed.analyse(args, kwargs)
        if compiles:
            analysed.compile()
        return analysed.told(fixed)

    try:
        unsupported, unknown, error, weights, names, text, exact = asked(find, 1.0)
    except NoAnswer as reason:
        raise OpRuntimeError(f"{program.name} could not be lowered: the process that was to do it {reason}") from None
    return LoweredProgram(
        [Remark(*found) for found in unsupported], [Remark(*found) for found in unknown],
        None if error is None else pickle.loads(error), _by_address(weights), _by_address(names), text, exact,
    )  # fmt: skip


class Analysed(Watched):
    """A program all of whose ways are followed, and none is run.

    Args:
        program: the one of which it is a copy.
    """

    def __init__(self, program: Watched) -> None:
        super().__init__(program.function, None if program.owner is None else program.owner(), program.strictness)
        self.options, self.brings_function = program.options, program.brings_function
        self.journal: list[Callable[[], Any]] = []  #: what takes back what was written, the last first
        self.unsupported: dict[tuple[Span | None, str], None] = {}
        self.unknown: dict[tuple[Span | None, str], None] = {}
        self.error: BaseException | None = None
        self.steps = 0  #: instructions of the ways that have ended
        self._waiting: list[tuple[int, Callable[[], Any]]] = []  #: ways: how long the journal is there, and how to go
        self._calls: list[tuple[Hop, list, set[int]]] = []  #: by itself, that wait for what it returns
        self._returned: list[Any] = []
        #: Of the way that is followed: the slots of numbers that are not known, decisions, and where it begins.
        self._next: tuple[set[int], tuple[bool, ...], Begin | None] = set(), (), None
        self._joined: set[int] = set()
        self.is_stale = False  #: whether more is known than at the beginning, so that all is to be followed anew
        self._visits: Counter[tuple] = Counter()  #: of places of the program, where pieces begin

    # -- ways ---------------------------------------------------------------------------------------------------------

    def analyse(self, args: tuple, kwargs: dict) -> None:
        """Follow all ways of a call."""
        try:
            code_of(self.function)
        except Unsupported as reason:
            self.unsupported[None, str(reason)] = None
            return
        for _ in range(_MOST_STARTS):
            self.is_stale = False
            for table in (self.unsupported, self.unknown, self._waiting, self._calls, self._returned, self._visits):
                table.clear()
            self.error = None
            point = self._entry(args, kwargs, switches())
            self._go_later(self._from, point, [*args, *kwargs.values()], set(), ())
            self._follow_all()
            if not self.is_stale:
                return

    def _follow_all(self) -> None:
        ways = 0
        while self._waiting and not self.is_stale:
            mark, go = self._waiting.pop()
            self._take_back(mark)
            ways += 1
            if ways > _MOST_WAYS:
                self.unknown[None, TOO_MANY] = None
                break
            try:
                result = go()
            except WayEnds:
                pass
            except Exception as error:
                if ways == 1 and not self._waiting:
                    self.error = error
            else:
                if type(result) is Onward:
                    self._come_to(*result)
                else:
                    self._note_returned(result)
            leave_behind()
        self._take_back(0)

    def _go_later(self, follow: Callable, *args: Any, mark: int | None = None) -> None:
        """Follow a way when those that have come since are done.

        Args:
            mark: how much of the journal stays; all that there is now, if it is not given.
        """
        self._waiting.append((len(self.journal) if mark is None else mark, functools.partial(follow, *args)))

    def _take_back(self, mark: int) -> None:
        while len(self.journal) > mark:
            self.journal.pop()()

    def _from(self, point: Point, values: list[Any], unknown: set[int], decisions: tuple[bool, ...]) -> Any:
        """Follow the program from a point on."""
        point.switch.turn()
        self._next = unknown, decisions, (point, list(values), unknown, len(self.journal))
        return RecordedProgram._record(self, point, list(values))

    def _behind(self, hop: Hop, values: list[Any], unknown: set[int], answer: Any) -> Any:
        """Follow it from a hop on that has given something."""
        hop.switch.turn()
        self._next = unknown, (), None
        return RecordedProgram._redo(self, hop, list(values), Outcome(answer))

    def _come_to(self, point: Point, values: list[Any], behind: Any) -> None:
        """A way has come to a moment that is known."""
        assert behind is None
        unknown = self._joined
        for variant in point.variants:
            if first_failing(variant.piece.guards, values) is None:
                return
        if len(point.variants) >= _MOST_VARIANTS:
            self.unknown[None, TOO_MANY] = None
            return
        self._go_later(self._from, point, values, unknown, ())

    def _note_returned(self, result: Any) -> None:
        """A way has ended with a return: what waits for that goes on."""
        form = _form(result)
        if any(_form(other) == form for other in self._returned):
            return
        self._returned.append(result)
        for hop, values, unknown in self._calls:
            self._go_later(self._returns, hop, values, unknown, result)

    def _returns(self, hop: Hop, values: list[Any], unknown: set[int], result: Any) -> Any:
        """Follow the program from a call of itself on."""
        return self._behind(hop, values, unknown, _anew(result))

    # -- what the recorder tells --------------------------------------------------------------------------------------

    def recorder(self) -> Recorder:
        unknown, decisions, begins = self._next
        recorder = AbstractRecorder(self, decisions)
        recorder.unknown, recorder.begins = unknown, begins
        return recorder

    def is_patient(self) -> bool:
        return False  # nothing is left to Python since it comes rarely

    def is_legal(self, operation: Any, args: tuple) -> bool:
        """Whether the interpreter may do something, by what the program refuses."""
        return self.is_twin(operation) or (self._refuses() == "STRICT" and is_legal(operation, args))

    def twin(self, function: Any) -> Watched:
        return Watched(function)

    @property
    def may_look(self) -> bool:
        """Whether what looks at data may be left to the interpreter."""
        return self._refuses() == "STRICT"

    def _recording(self, record: Callable, *args: Any) -> Any:
        return record(*args)

    def _enter(self, recorder: Recorder, machine: Machine, args: tuple, kwargs: dict) -> None:
        try:
            super()._enter(recorder, machine, args, kwargs)
        except Unsupported as reason:
            self.unsupported[None, str(reason)] = None
            raise WayEnds from None

    def _finish(self, recorder: Recorder, machine: Machine) -> Any:
        try:
            return RecordedProgram._finish(self, recorder, machine)
        finally:
            self.steps += machine.steps

    def _arrive(self, recorder: Recorder, machine: Machine, point: Point, after: Live, imager: Imager) -> None:
        assert isinstance(recorder, AbstractRecorder)
        if not point.variants:
            place = tuple((frame.code.python, frame.pc) for frame in machine.frames)
            self._visits[place] += 1
            if self._visits[place] > _MOST_VISITS:  # a loop in which something grows, say
                self.lose(TOO_MANY, machine)
        unknown, values = recorder.unknown_in(after), _values(after)
        super()._arrive(recorder, machine, point, after, imager)
        recorder.unknown, recorder.gave_unknown = unknown, False
        recorder.decided, recorder.decisions = [], ()
        recorder.begins = point, values, unknown, len(self.journal)
        self._joined = unknown

    def end_with_hop(self, recorder: Recorder, machine: Machine, state: State, reason: str) -> None:
        RecordedProgram.end_with_hop(self, recorder, machine, state, reason)
        hop: Any = recorder.end
        if not hop.is_native and not recorder.is_legal:  # type: ignore[attr-defined]
            self.unsupported[hop_span(hop), reason] = None

    def give_up(self, reason: str, machine: Machine) -> None:
        if reason in (OVERDRAWN, TOO_MANY):
            self.lose(reason, machine)
        span = position_span(*machine.place[:2]) if machine.frames else None
        self.unsupported[span, reason] = None
        end_way(machine)

    def lose(self, reason: str, machine: Machine) -> None:
        """Told where the program does something of which nothing is known."""
        self.unknown[position_span(*machine.place[:2]), reason] = None
        end_way(machine)

    def note_unknown(self, hop: Hop, reason: str) -> None:
        """Told of a hop that gives something of which nothing is known."""
        self.unknown[hop_span(hop), reason] = None

    def answer_later(self, hop: Hop, live: Live, unknown: set[int], answer: Any) -> None:
        """Told of something else that a hop may give."""
        if running.gradients:  # the tape that is alive here is walked back on this way
            self.unknown[hop_span(hop), f"what comes inside of a gradient where this is {answer}"] = None
            return
        self._go_later(self._behind, hop, _values(live), unknown, answer)

    def decide_later(self, decisions: tuple[bool, ...], recorder: AbstractRecorder) -> None:
        """Told of a condition on a number that is not known, which may come out in another way."""
        if recorder.begins is None:  # in the instruction of a hop
            return
        point, values, unknown, mark = recorder.begins
        self._go_later(self._from, point, values, unknown, decisions, mark=mark)

    def wait_for_itself(self, hop: Hop, live: Live, unknown: set[int], args: tuple, kwargs: dict) -> None:
        """Told of a call of the function by itself."""
        hop.callee = self._entry(args, kwargs, hop.switch)
        values = _values(live)
        self._calls.append((hop, values, unknown))
        for result in self._returned:
            self._go_later(self._returns, hop, values, unknown, result)

    def forget(self) -> None:
        super().forget()
        self.is_stale = True

    def divide(self, calls: Sequence[tuple]) -> None:
        self.is_stale = self.is_stale or not self.divided.issuperset(calls)
        super().divide(calls)

    # -- what it has come to ------------------------------------------------------------------------------------------

    def compile(self) -> None:
        """Have all ways compiled to native code."""
        for point in (*self.entries.values(), *self.points.values()):
            for variant in point.variants:
                for call in variant.piece.calls:  # run one by one the first time
                    if call.entry.view is None and call.entry.op.python_rule is None:
                        call.entry.program  # noqa: B018
                if variant.is_possible:
                    variant.runner.compile()

    def told(self, fixed: bool) -> tuple:
        """What a `LoweredProgram` is made of, for the process from which this one was forked; objects by address."""
        error = None if self.error is None else pickle.dumps(self.error)
        weights: dict[str, tuple[int, bool]] = {}
        objects: dict[str, Any] = {}
        text = exact = ""
        for made in typed(self, lifted=True, fixed=fixed)[:1]:  # others are of calls by itself
            weights = _addresses(made.inputs)
            text = readable(made.graph)
            exact = complete(made.graph, objects)
        told = list(self.unsupported), list(self.unknown), error, weights, _addresses(objects)
        return *told, text, exact


def _addresses(objects: Mapping[str, Any]) -> dict[str, tuple[int, bool]]:
    """Where objects lie that have been there before this process was forked, and whether they are the variables of a
    module."""
    made = set(map(id, gc.get_objects()))  # those are frozen
    held = {name: value.variables if type(value) is Globals else value for name, value in objects.items()}
    return {
        name: (id(value), value is not objects[name])
        for name, value in held.items()
        if (gc.is_tracked(value) or is_a(value, type)) and id(value) not in made
    }


def _by_address(addresses: dict[str, tuple[int, bool]]) -> dict[str, Any]:
    """The objects of this process at the addresses that they had in the forked one."""
    wanted = {address for address, _ in addresses.values()}
    found = {id(value): value for value in _all_objects() if id(value) in wanted} if wanted else {}
    there = {name: (found[address], is_scope) for name, (address, is_scope) in addresses.items() if address in found}
    return {name: Globals(value) if is_scope else value for name, (value, is_scope) in there.items()}


def _all_objects() -> Iterator[Any]:
    """The objects of this process that may be found again: classes that are written in C are not among those that are
    collected."""
    yield from gc.get_objects()
    pending: list[type] = [object]
    while pending:
        kind = pending.pop()
        yield kind
        pending += type.__subclasses__(kind) if not gc.is_tracked(kind) else ()


def _values(live: Live) -> list[Any]:
    return [value.value if type(value) is Number else value for value in live.values]


def _form(value: Any) -> Any:
    """What is known of a result beforehand: the types of its tensors, and all else."""
    kind = type(value)
    if isinstance(value, Tensor):
        return kind, value._layout
    if kind in (tuple, list):
        return kind, tuple(map(_form, value))
    return kind, value if kind in SIMPLE else id(value)


def _anew(value: Any) -> Any:
    """The same with other tensors."""
    if type(value) is Tensor:
        return wrap(np.zeros(value._layout.shape, value._layout.dtype.storage), value._layout)
    return type(value)(map(_anew, value)) if type(value) in (tuple, list) else value
