"""Programs with branches, loops and calls of themselves, as one kernel: an automaton.

A *state* is a part of the program without branches: its slots hold values, its body makes more of them, and its end says
where to go: by the truth of an element, into a call, or back out of one. An *edge* leads to a state, and says what each of
its slots gets. Calls push what the caller needs behind them onto a stack that the caller of the kernel has given, so the
stack of the thread does not grow.

Single elements stay in registers; other values lie in an *arena*, and are copied from state to state. Bodies of single
elements are part of the kernel, composed as in `scalar_loop` (repeat.py); others are programs of the executor. Beside each
value goes a number that says which object of the program it is: one that was there before, or one made on the way.

Python's numbers are slots like others. What follows from them is computed before the body (numbers.py), and a state may ask
for truths that follow from them: where one is another than it wants, `otherwise` leads to the next state that may fit.

The kernel ends where an edge is missing, a row fails, a number needs Python, the stack is full, or some milliseconds have
passed, which is looked at where loops and calls begin. It writes down the state and its values (`Places` says where), so
that somebody else can go on, or the kernel itself, later. It runs without the interpreter lock.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from anfora.core.records import Record
from anfora.kernel import memory, numbers, repeat
from anfora.kernel.build import recipe
from anfora.kernel.compose import Composed
from anfora.kernel.emit import I64, Function, Module, Type, Value
from anfora.kernel.executor import LINE, ready_addresses
from anfora.kernel.repeat import Truth

__all__ = [
    "ENDED", "FAILED", "GOES_ON", "Automaton", "Branch", "Call", "Check", "Edge", "Elements", "Goto", "Item", "Operand",
    "Places", "Return", "Rows", "Source", "State", "Step", "Term", "control_words", "leads_to",
]  # fmt: skip


class Item(NamedTuple):
    """A value of a state: the code of its buffer, and its bytes."""

    code: str
    nbytes: int

    @property
    def is_single(self) -> bool:
        return self.nbytes == memory.code_bytes(self.code)


class Source(NamedTuple):
    """Where a value is: `slot` or `made` of the present state, or a `step` of its numbers; `saved` by the call that is
    returned to, `fixed`, an array that stays as it is; or the `bits` of an element that is known."""

    kind: str
    number: int


class Operand(NamedTuple):
    """An element that a body reads: the source, bytes from its start, the code as which it is loaded, the machine type in
    which the body wants it."""

    source: Source
    offset: int
    code: str
    elem: str


class Elements(NamedTuple):
    """A body of single elements; it makes what it gives, as elements of buffers of the types `stored`."""

    body: Composed
    operands: tuple[Operand, ...]
    stored: tuple[str, ...]


class Rows(NamedTuple):
    """A program of the executor.

    Attributes:
        program: its number among the automaton's.
        inputs: its first arguments.
        others: the arguments behind them: which value it makes, or -1 for the workspace.
        is_shared: whether several threads may work on it.
    """

    program: int
    inputs: tuple[Source, ...]
    others: tuple[int, ...]
    is_shared: bool


class Term(NamedTuple):
    """A number that a step computes with, and its machine type."""

    source: Source
    elem: str


class Step(NamedTuple):
    """A number that follows from others, or a truth; see numbers.py."""

    operation: str
    terms: tuple[Term, ...]
    elem: str

    @property
    def item(self) -> Item:
        return Item(self.elem, Type(self.elem).bytes)


class Check(NamedTuple):
    """A truth, and what it must be for the state to be the right one."""

    step: int
    wanted: bool


class Edge(NamedTuple):
    """The way to a state, and what each of its slots gets."""

    target: int
    sources: tuple[Source, ...]


class Branch(NamedTuple):
    """Go on by the truth of an element."""

    condition: Source
    truth: Truth
    yes: Edge | None
    no: Edge | None


class Goto(NamedTuple):
    """Go on."""

    edge: Edge


class Call(NamedTuple):
    """Save values, and go to where a call starts."""

    saved: tuple[Source, ...]
    edge: Edge | None


class Return(NamedTuple):
    """Go on behind the call that was made last: for each state that calls, the edge."""

    edges: tuple[tuple[int, Edge], ...]


class State(NamedTuple):
    """A part of the program without branches.

    Attributes:
        slots: what comes in.
        numbers: what follows from numbers, in the order in which it is computed and checked. Checks count as steps.
        kept: the steps that are alive behind the body.
        otherwise: where to go if a check does not hold.
        made: what the body makes.
    """

    slots: tuple[Item, ...]
    numbers: tuple[Step | Check, ...]
    kept: tuple[int, ...]
    otherwise: Edge | None
    made: tuple[Item, ...]
    body: Elements | Rows | None
    end: Branch | Goto | Call | Return | None

    def item(self, source: Source) -> Item:
        if source.kind == "step":
            step = self.numbers[source.number]
            assert isinstance(step, Step)
            return step.item
        return (self.slots if source.kind == "slot" else self.made)[source.number]

    @property
    def targets(self) -> list[int]:
        """The states that it leads to."""
        end = self.end
        edges: list[Edge | None] = [self.otherwise]
        if isinstance(end, Branch):
            edges += [end.yes, end.no]
        elif isinstance(end, (Goto, Call)):
            edges.append(end.edge)
        elif isinstance(end, Return):
            edges += [edge for _, edge in end.edges]
        return [edge.target for edge in edges if edge is not None]


class Automaton(Record):
    """States, of which the first is the one that it starts with; the bytes of workspace that the largest of their programs
    needs; and how many arrays stay as they are."""

    states: tuple[State, ...]
    workspace: int
    fixed: int


class Places:
    """Where the kernel keeps values: bytes from the start of the arena, and of a frame on the stack. At the start of the
    arena lie the words that caller and kernel share."""

    def __init__(self, automaton: Automaton) -> None:
        programs = [state.body.program for state in automaton.states if isinstance(state.body, Rows)]
        self._end = 8 * (HEAD + max(programs, default=-1) + 1)
        self.slots = [[self._take(item.nbytes) for item in state.slots] for state in automaton.states]
        self.made = [[self._take(item.nbytes) for item in state.made] for state in automaton.states]
        self.steps = [[self._take(8) for _ in state.numbers] for state in automaton.states]
        self.aside = [[self._take(item.nbytes) for item in state.slots] for state in automaton.states]
        self.slot_ids = [self._take(8 * len(state.slots)) for state in automaton.states]
        self.made_ids = [self._take(8 * len(state.made)) for state in automaton.states]
        self.workspace = self._take(automaton.workspace)
        self.nbytes = self._end  #: of the arena, which starts at a cache line
        #: for each state that calls: where the saved values lie in a frame; behind them their numbers, and the state
        self.saved: dict[int, list[int]] = {}
        self.frames: dict[int, int] = {}  #: the bytes of its frames
        for number, state in enumerate(automaton.states):
            if isinstance(state.end, Call):
                at, places = 0, []
                for source in state.end.saved:
                    places.append(at)
                    at += _rounded(state.item(source).nbytes, 8)
                self.saved[number] = places
                self.frames[number] = at + 8 * len(places) + 8

    def _take(self, nbytes: int) -> int:
        at = self._end
        self._end += _rounded(nbytes, 8 if nbytes <= 8 else LINE)
        if nbytes > 8:
            at = _rounded(at, LINE)
            self._end = at + _rounded(nbytes, LINE)
        return at


def _rounded(nbytes: int, unit: int) -> int:
    return -(-nbytes // unit) * unit


# -- the words that caller and kernel share --------------------------------------------------------------------------

MOST, CLOCK, TIME, STATE, HOW, SERIAL, TOP, STACK, DEPTH, DEEPEST, STEPS = range(11)
HEAD = 11  #: then the addresses of the programs

ENDED = 0  #: behind the body of the state: an edge is missing, or there is no room for a call
FAILED = 1  #: before the state, which has failed, or is not the right one
GOES_ON = 2  #: before the state, since time has passed
START = -1  #: the state of a run that starts: the first one, with what is given

_MOST_STEPS = 1 << 19  #: in one call: some milliseconds of small bodies
_MOST_NANOSECONDS = 20_000_000  #: in one call, about
_PERIOD = 16  #: steps between looks at the clock


def control_words(programs: Sequence[int], serial: int) -> np.ndarray:
    """The words of a run, at its start: STACK (bytes of it) and DEEPEST (so many calls may be on it) are zero.

    Args:
        programs: their addresses.
        serial: the first number for objects made on the way.
    """
    words = np.zeros(HEAD + len(programs), np.int64)
    words[[MOST, CLOCK, TIME, STATE, SERIAL]] = _MOST_STEPS, time.CLOCK_MONOTONIC, _MOST_NANOSECONDS, START, serial
    words[HEAD:] = programs
    return words


# -- the kernel ------------------------------------------------------------------------------------------------------


@recipe(symbols=lambda: {"run": ready_addresses()["run"]})
def kernel(automaton: Automaton) -> Module:
    """words: arena | stack | fixed arrays | what the slots of the first state hold at the start. All are addresses. The
    arena starts with the words of `control_words`, one of which is the state. The arrays behind the stack are objects, with
    the numbers of their places there. Called by `repeat.caller()`."""
    return _Writer(automaton).write()


class _Writer:
    """Writes the kernel: a block for each state, joined by jumps."""

    def __init__(self, automaton: Automaton) -> None:
        self.states, self.places, self.fixed = automaton.states, Places(automaton), automaton.fixed
        self.heads = _heads(automaton.states)
        fn = self.fn = Function("kernel", [("ptr", "words")])
        self.arena, self.stack = (fn.word(i).pointer() for i in range(2))
        self.slots = [[self._var(item) for item in state.slots] for state in self.states]
        self.made = [[self._var(item) for item in state.made] for state in self.states]
        self.steps: list[dict[int, Value]] = [{} for _ in self.states]  #: the numbers of each state
        self.slot_ids = [[fn.var(0) for _ in state.slots] for state in self.states]
        self.made_ids = [[fn.var(0) for _ in state.made] for state in self.states]
        self.starts = [fn.label() for _ in self.states]
        self.serial, self.top, self.depth = (self._shared(word) for word in (SERIAL, TOP, DEPTH))
        self.count, self.state, self.how = fn.var(0), fn.var(0), fn.var(0)
        self.most, self.limit, self.deepest = (fn.load(self.arena, I64, word) for word in (MOST, STACK, DEEPEST))
        self.finish = fn.label()
        programs = [(number, state.body) for number, state in enumerate(self.states) if isinstance(state.body, Rows)]
        self.table = fn.buffer(8 * max((len(rows.inputs) + len(rows.others) for _, rows in programs), default=1))
        self.repeated = [rows for number, rows in programs if leads_to(self.states, number, number)]
        if self.repeated:
            self.moment, self.clock = fn.buffer(16), fn.load(self.arena, I64, CLOCK)
            self.late = self._now() + fn.load(self.arena, I64, TIME)
            self.look = fn.var(1)  #: the step at which it is time for a look at the clock

    def _var(self, item: Item):
        """The register of a single element."""
        return self.fn.var(self.fn.const(0, Type(memory.storage(item.code)))) if item.is_single else None

    def _shared(self, word: int):
        return self.fn.var(self.fn.load(self.arena, I64, word))

    def _now(self) -> Value:
        return repeat.nanoseconds(self.fn, self.clock, self.moment)

    def write(self) -> Module:
        fn = self.fn
        entries = [fn.label() for _ in self.states]
        begin = fn.label()
        fn.switch(fn.load(self.arena, I64, STATE), dict(enumerate(entries)), begin)
        fn.block(begin)
        self._begin()
        for number, entry in enumerate(entries):
            fn.block(entry)
            if number in self.heads:  # or else nobody ends in front of it to come back
                self._load(number)
                fn.jump(self.starts[number])
            else:
                fn.unreachable()
            self._write_state(number)
        fn.block(self.finish)
        written = (
            (STATE, self.state), (HOW, self.how), (SERIAL, self.serial), (TOP, self.top), (DEPTH, self.depth),
            (STEPS, self.count),
        )  # fmt: skip
        for word, var in written:
            fn.store(var.value, self.arena, word)
        fn.ret(0)
        return fn.module

    # -- values in memory ---------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Take up what is given for the slots of the first state."""
        fn = self.fn
        for i, (item, place) in enumerate(zip(self.states[0].slots, self.places.slots[0])):
            given = fn.word(2 + self.fixed + i).pointer()
            self.slot_ids[0][i].set(self.fixed + i)
            if item.is_single:
                self.slots[0][i].set(fn.load(given, Type(memory.storage(item.code))))
            else:
                fn.copy_bytes(self.arena + place, given, item.nbytes)
        fn.jump(self.starts[0])

    def _load(self, number: int) -> None:
        """Take up the slots of a state from the arena."""
        fn, state, ids = self.fn, self.states[number], self.places.slot_ids[number]
        for i, (item, place) in enumerate(zip(state.slots, self.places.slots[number])):
            self.slot_ids[number][i].set(fn.load(self.arena + ids, I64, i))
            if item.is_single:
                self.slots[number][i].set(fn.load(self.arena + place, Type(memory.storage(item.code))))

    def _leave(self, number: int, how: int) -> None:
        """Write down the values of a state, and end."""
        fn, places = self.fn, self.places
        kinds = [(self.slots, self.slot_ids, places.slots, places.slot_ids)]
        if how == ENDED:
            kinds.append((self.made, self.made_ids, places.made, places.made_ids))
            for step in self.states[number].kept:
                fn.store(self.steps[number][step], self.arena + places.steps[number][step])
        for values, ids, where, where_ids in kinds:
            for i, (var, place) in enumerate(zip(values[number], where[number])):
                fn.store(ids[number][i].value, self.arena + where_ids[number], i)
                if var is not None:
                    fn.store(var.value, self.arena + place)
        self.state.set(number)
        self.how.set(how)
        fn.jump(self.finish)

    def _address(self, number: int, source: Source) -> Value:
        """Where a value lies that is no single element, or fixed."""
        if source.kind == "fixed":
            return self.fn.word(2 + source.number).pointer()
        places = {"slot": self.places.slots, "made": self.places.made, "step": self.places.steps}[source.kind]
        return self.arena + places[number][source.number]

    def _register(self, number: int, source: Source) -> Value | None:
        """What the register of a source holds; None where it has none."""
        if source.kind == "step":
            return self.steps[number][source.number]
        if source.kind in ("slot", "made"):
            var = (self.slots if source.kind == "slot" else self.made)[number][source.number]
            return None if var is None else var.value
        return None

    def _element(self, number: int, source: Source, code: str, offset: int = 0) -> Value:
        if source.kind == "bits":
            kind = Type(memory.storage(code))
            return self.fn.const(source.number, Type(f"u{kind.bits}")).bitcast(kind.elem)
        held = self._register(number, source)
        if held is not None:
            return held.bitcast(memory.storage(code))
        return self.fn.load(self._address(number, source) + offset, Type(memory.storage(code)))

    def _id(self, number: int, source: Source) -> Value:
        if source.kind not in ("slot", "made"):  # a number that is computed, or known, is no object of its own
            return self.fn.const(source.number if source.kind == "fixed" else 0)
        return (self.slot_ids if source.kind == "slot" else self.made_ids)[number][source.number].value

    # -- states -------------------------------------------------------------------------------------------------------

    def _write_state(self, number: int) -> None:
        fn, state = self.fn, self.states[number]
        on, failed, ended = fn.label(), fn.label(), fn.label()
        fn.block(self.starts[number])
        if number in self.heads:
            tired = fn.label()
            self._look_at_time(tired, on)
            fn.block(tired)
            self._leave(number, GOES_ON)
        else:
            fn.jump(on)
        fn.block(failed)
        self._leave(number, FAILED)
        fn.block(on)
        self.count.add(1)
        self._write_numbers(number, failed)
        if isinstance(state.body, Elements):
            self._write_elements(number, state.body, failed)
        elif isinstance(state.body, Rows):
            self._write_rows(number, state.body, failed)
        serial = self.serial.value
        for i, var in enumerate(self.made_ids[number]):
            var.set(serial + i)
        if state.made:
            self.serial.set(serial + len(state.made))
        self._write_end(number, state.end, ended)
        fn.block(ended)
        self._leave(number, ENDED)

    def _look_at_time(self, tired: str, on: str) -> None:
        fn = self.fn
        is_late = fn.var(self.count.value >= self.most)
        if self.repeated:
            with fn.when(self.count.value >= self.look.value):
                is_late.set(is_late.value | (self._now() > self.late))
                is_shared = any(rows.is_shared for rows in self.repeated)
                self.look.set(self.count.value + (1 if is_shared else _PERIOD))
        fn.branch(is_late.value, tired, on)

    def _write_numbers(self, number: int, failed: str) -> None:
        """Compute what follows from numbers, and go elsewhere at the first check that does not hold. What Python must do
        counts from where it stands: behind a check that has led away nobody asks for it."""
        fn, state = self.fn, self.states[number]
        fn.faults = []
        made = self.steps[number]
        for i, step in enumerate(state.numbers):
            if isinstance(step, Step):
                given = [self._element(number, term.source, term.elem) for term in step.terms]
                fenced = [fn.intrinsic("arithmetic.fence", x) if x.type.is_float else x for x in given]
                made[i] = numbers.compute(step.operation, fenced)
                continue
            self._fail(failed)
            truth, yes, no = made[step.step], fn.label(), fn.label()
            fn.branch(truth, *((yes, no) if step.wanted else (no, yes)))
            fn.block(no)
            self._write_edge(number, state.otherwise, failed)
            fn.block(yes)
        self._fail(failed)

    def _fail(self, failed: str) -> None:
        """Leave where something has failed."""
        fn = self.fn
        faults, fn.faults = fn.faults, []
        if faults:
            fault = faults[0]
            for other in faults[1:]:
                fault = fault | other
            good = fn.label()
            fn.branch(fault, failed, good)
            fn.block(good)

    def _write_elements(self, number: int, body: Elements, failed: str) -> None:
        fn = self.fn
        given = [memory.widen(self._element(number, x.source, x.code, x.offset), x.code, x.elem) for x in body.operands]
        fn.faults = []
        results = body.body(*given)
        for var, item, value, code in zip(self.made[number], self.states[number].made, results, body.stored):
            var.set(memory.narrow(value, code).bitcast(memory.storage(item.code)))
        self._fail(failed)

    def _write_rows(self, number: int, body: Rows, failed: str) -> None:
        fn = self.fn
        sources = [*body.inputs, *(Source("made", i) if i >= 0 else None for i in body.others)]
        for i, source in enumerate(sources):
            if source is None:
                fn.store((self.arena + self.places.workspace).address(), self.table, i)
                continue
            address = self._address(number, source)
            held = self._register(number, source) if i < len(body.inputs) else None
            if held is not None:
                fn.store(held, address)
            fn.store(address.address(), self.table, i)
        program = fn.load(self.arena, I64, HEAD + body.program).pointer()
        fn.faults = [fn.call(I64, "run", program, self.table) != 0]
        self._fail(failed)
        for i, (item, var) in enumerate(zip(self.states[number].made, self.made[number])):
            if var is not None:
                address = self._address(number, Source("made", i))
                var.set(fn.load(address, Type(memory.storage(item.code))))

    def _write_end(self, number: int, end: Branch | Goto | Call | Return | None, ended: str) -> None:
        """Go where the end says, or to `ended`."""
        fn = self.fn
        if end is None:
            fn.jump(ended)
        elif isinstance(end, Goto):
            self._write_edge(number, end.edge, ended)
        elif isinstance(end, Branch):
            yes, no = fn.label(), fn.label()
            source = end.condition
            if source.kind == "fixed":
                raw = fn.load(self._address(number, source), Type(f"u{8 * end.truth.nbytes}"))
            else:
                raw = self._element(number, source, self.states[number].item(source).code)
            fn.branch(repeat.is_true(raw, end.truth.mask), yes, no)
            for label, edge in ((yes, end.yes), (no, end.no)):
                fn.block(label)
                self._write_edge(number, edge, ended)
        elif isinstance(end, Call):
            self._write_call(number, end, ended)
        else:
            self._write_return(number, end, ended)

    def _write_edge(self, number: int, edge: Edge | None, ended: str) -> None:
        if edge is None:
            self.fn.jump(ended)
            return
        self._move(number, edge, None, -1)
        self.fn.jump(self.starts[edge.target])

    def _move(self, number: int, edge: Edge, frame: Value | None, caller: int) -> None:
        """Give the slots of the target what they get, all at once; `frame` is that of a call that is returned to."""
        fn, target = self.fn, edge.target
        items = self.states[target].slots
        held: list[tuple[Value, Value]] = []  #: id, and the element or the address
        for i, (item, source) in enumerate(zip(items, edge.sources)):
            if source.kind == "saved":
                assert frame is not None
                places = self.places.saved[caller]
                address = frame + places[source.number]
                identity = fn.load(frame + (self.places.frames[caller] - 8 - 8 * len(places)), I64, source.number)
                element = fn.load(address, Type(memory.storage(item.code))) if item.is_single else address
            elif item.is_single:
                identity, element = self._id(number, source), self._element(number, source, item.code)
            else:
                identity, element = self._id(number, source), self._address(number, source)
                if target == number and source.kind == "slot" and source.number != i:
                    aside = self.arena + self.places.aside[number][i]  # what it is now, before others are written
                    fn.copy_bytes(aside, element, item.nbytes)
                    element = aside
            held.append((identity, element))
        for i, (item, source, (identity, element)) in enumerate(zip(items, edge.sources, held)):
            self.slot_ids[target][i].set(identity)
            if item.is_single:
                self.slots[target][i].set(element)
            elif not (target == number and source == Source("slot", i)):
                fn.copy_bytes(self.arena + self.places.slots[target][i], element, item.nbytes)

    def _write_call(self, number: int, end: Call, ended: str) -> None:
        fn, places, size = self.fn, self.places.saved[number], self.places.frames[number]
        if end.edge is None:
            fn.jump(ended)
            return
        room = fn.label()
        is_full = (self.top.value + size > self.limit) | (self.depth.value >= self.deepest)
        fn.branch(is_full, ended, room)
        fn.block(room)
        frame = self.stack + self.top.value
        for i, (source, place) in enumerate(zip(end.saved, places)):
            item = self.states[number].item(source)
            if item.is_single:
                fn.store(self._element(number, source, item.code), frame + place)
            else:
                fn.copy_bytes(frame + place, self._address(number, source), item.nbytes)
            fn.store(self._id(number, source), frame + (size - 8 - 8 * len(places)), i)
        fn.store(fn.const(number), frame + (size - 8))
        self.top.add(size)
        self.depth.add(1)
        self._write_edge(number, end.edge, ended)

    def _write_return(self, number: int, end: Return, ended: str) -> None:
        fn = self.fn
        inside = fn.label()
        fn.branch(self.top.value == 0, ended, inside)
        fn.block(inside)
        labels = {caller: fn.label() for caller, _ in end.edges}
        fn.switch(fn.load(self.stack + (self.top.value - 8), I64), labels, ended)
        for caller, edge in end.edges:
            fn.block(labels[caller])
            self.top.add(-self.places.frames[caller])
            self.depth.add(-1)
            self._move(number, edge, self.stack + self.top.value, caller)
            fn.jump(self.starts[edge.target])


def leads_to(states: Sequence[State], first: int, wanted: int, without: int = -1) -> bool:
    """Whether there is a way from the end of a state to another, or back to itself, but not straight to `without`."""
    seen: set[int] = set()
    pending = [target for target in states[first].targets if target != without]
    while pending:
        at = pending.pop()
        if at == wanted:
            return True
        if at not in seen:
            seen.add(at)
            pending += states[at].targets
    return False


def _heads(states: Sequence[State]) -> set[int]:
    """The states where loops and calls begin: whatever goes on without end comes by one of them."""
    ways = [state.targets for state in states]
    heads = {target for state in states if isinstance(state.end, Call) for target in state.targets}
    seen: set[int] = set()
    passed: list[tuple[int, Iterator[int]]] = []  #: the states on the way, with the targets that are left
    for first in range(len(states)):
        if first in seen:
            continue
        seen.add(first)
        passed.append((first, iter(ways[first])))
        while passed:
            target = next(passed[-1][1], None)
            if target is None:
                passed.pop()
            elif any(target == before for before, _ in passed):
                heads.add(target)
            elif target not in seen:
                seen.add(target)
                passed.append((target, iter(ways[target])))
    return heads
