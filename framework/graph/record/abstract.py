"""A recorder that only follows the program, before any run: what Python would have to do is not done, and where the program
looks at data it goes both ways, one after the other (tell/analysis.py).

Numbers that follow from data are not known. They are computed with as any that vary; a condition on them is a way each for
True and False; and where the program depends on their values the way ends.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any, NoReturn

from anfora.core.tensor import Tensor
from anfora.graph.facts.drops import dropped, place_of
from anfora.graph.facts.origins import Number, Origin
from anfora.graph.facts.table import resolved
from anfora.graph.machine import operations
from anfora.graph.machine.machine import Machine
from anfora.graph.polyfill.gradients import STEPS
from anfora.graph.record.recorder import Recorder
from anfora.graph.state.moments import VARYING, Live, Outcome, State

__all__ = ["AbstractRecorder", "Begin", "WayEnds", "end_way"]

_MOST_STEPS = 3_000_000  #: instructions of all ways together
_LONG = "it goes on for long"
_WITHIN = "something inside of a gradient that only Python can do"
_OF_DATA = "the program goes on by a number that follows from data"


#: A point, what stands in its slots, which of that are numbers that are not known, and how long the journal is there.
Begin = tuple[Any, list[Any], set[int], int]


class WayEnds(BaseException):
    """A way ends here, since nothing is known of what comes; no handler of the program gets it."""


def end_way(machine: Machine) -> NoReturn:
    """End the way that a machine follows."""
    for each in machine.chain():
        for frame in each.frames:
            frame.handlers.clear()
    raise WayEnds


class AbstractRecorder(Recorder):
    """Follows one way of a program.

    Args:
        keeper: the program, a `tell.analysis.Analysed`.
        decisions: how the first conditions on numbers that are not known are taken to come out.
    """

    is_before_run = True

    def __init__(self, keeper: Any, decisions: tuple[bool, ...] = ()) -> None:
        super().__init__(keeper)
        self.decisions = decisions
        self.decided: list[bool] = []
        self.unknown: set[int] = set()  #: the slots of the piece in which numbers stand that are not known
        self.begins: Begin | None = None  #: where the piece begins; None in the instruction of a hop
        self.is_legal = False  #: whether what the interpreter does here may be left to it
        self.gave_unknown = False  #: whether the last hop gave such numbers

    def is_unknown(self, origin: Any) -> bool:
        """Whether what an origin gives follows from data."""
        if not isinstance(origin, Origin):
            return False
        if origin.kind == "slot":
            return origin.key in self.unknown
        if origin.kind == "result":
            return self.gave_unknown
        return any(map(self.is_unknown, origin.parts))

    def unknown_in(self, live: Live) -> set[int]:
        """The slots in which numbers stand that are not known."""
        return {
            i
            for i, (value, origin) in enumerate(zip(live.values, live.origins))
            if type(value) is Number and (self.is_unknown(value.origin) or self.is_unknown(origin))
        }

    # -- what is not done ---------------------------------------------------------------------------------------------

    def do_between(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict, reason: str) -> Any:
        if self.given is not None:
            return self.redo()
        if reason in STEPS:  # of the tape's
            return super().do_between(machine, operation, args, kwargs, reason)
        self.is_legal = self.keeper.is_legal(operation, args)
        state = self.state(machine, operation, args, kwargs)
        if state is None:  # it cannot be written down here
            return self.keeper.lose(reason, machine)
        return self._answered(machine, state, reason, None, args)

    def _hopped(
        self, machine: Machine, state: State | None, reason: str, outcome: Outcome, operation: Any, args: tuple
    ) -> Any:
        if state is None:  # it cannot be written down here
            return self.keeper.lose(reason, machine)
        self.is_legal = self.keeper.may_look
        return self._answered(machine, state, reason, outcome, args)

    def _answered(self, machine: Machine, state: State, reason: str, outcome: Outcome | None, args: tuple) -> Any:
        """Go on behind a hop with each of what it may give."""
        unknown = self.unknown_in(state.live)
        self.keeper.end_with_hop(self, machine, state, reason)
        hop: Any = self.end
        answers = self._answers(machine, hop, outcome, args)
        if not answers:
            self.keeper.note_unknown(hop, reason)
            end_way(machine)
        for answer in answers[1:]:
            self.keeper.answer_later(hop, state.live, unknown, answer)
        self.let_go(state)
        self.gave_unknown = type(answers[0]) in VARYING
        return self._begin_behind(Outcome(answers[0]))

    def call_recursive(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> None:
        if self.given is not None or function.program.function is not self.keeper.function:
            super().call_recursive(machine, function, args, kwargs)
            return
        state = self.state(machine, function, args, kwargs)
        if state is not None:
            unknown = self.unknown_in(state.live)
            self.keeper.end_with_hop(self, machine, state, f"a call of {function.__name__}, which calls itself")
            self.keeper.wait_for_itself(self.end, state.live, unknown, args, kwargs)
        end_way(machine)

    def _answers(self, machine: Machine, hop: Any, outcome: Outcome | None, args: tuple) -> list[Any]:
        """What something may give that is not done; nothing if that is not known."""
        if hop.is_branch:
            return [True, False]
        if hop.read is not None:
            return _numbers(hop, args[0])
        if outcome is not None and outcome.error is None and not hop.has_free_shape:  # done, with zeros
            return _of_this_type(hop, outcome.value)
        frame = machine.frames[-1]
        if not hop.is_native and frame.code.opcodes[frame.pc] == "POP":
            return [None]  # nobody looks at it
        return []

    def leave(self, machine: Machine) -> None:
        end_way(machine)

    def stop_keeping(self, machine: Machine, calls: Any = (), for_good: bool = False) -> None:
        if not self.keeper.is_stale:
            self.keeper.lose(_WITHIN, machine)
        end_way(machine)

    def note_steps(self, machine: Machine) -> None:
        if self.keeper.steps + machine.steps > _MOST_STEPS:
            self.keeper.lose(_LONG, machine)

    # -- numbers that are not known -----------------------------------------------------------------------------------

    def decide(self, origin: Origin, truth: bool) -> bool:
        if self.is_unknown(origin):
            number = len(self.decided)
            if number < len(self.decisions):
                truth = self.decisions[number]
            else:
                truth = True
                self.keeper.decide_later((*self.decided, False), self)
            self.decided.append(truth)
        return super().decide(origin, truth)

    def force(self, value: Any) -> Any:
        if type(value) is Number and self.is_unknown(value.origin) and self.machine is not None:
            self.keeper.lose(_OF_DATA, self.machine)
        return super().force(value)

    # -- what is changed, and is to be as before on another way -------------------------------------------------------

    def put_off(self, machine: Machine, operation: Callable, args: tuple, reason: str) -> Any:
        self.keeper.journal.append(_undo(operation, args))
        return super().put_off(machine, operation, args, reason)

    def note_change(self, owner: Tensor, name: str) -> None:
        self.keeper.journal.append(functools.partial(setattr, owner, name, getattr(owner, name)))


def _numbers(hop: Any, tensor: Tensor) -> list[Any]:
    """What stands for a number that is taken from a tensor; nothing if that has not just one."""
    dtype, taken = tensor.dtype, hop.read[1]
    kind = taken if taken in (int, float) else bool if dtype.is_bool else int if dtype.is_integer else float
    return _of_this_type(hop, kind(1)) if tensor.size == 1 else []


def _of_this_type(hop: Any, value: Any) -> list[Any]:
    """What stands for all values of the type of one that follows from data; nothing if that says too little."""
    kind = type(value)
    if kind is bool:
        return [True, False]
    if kind in VARYING:
        hop.vary(kind)
    return [value] if kind in VARYING or isinstance(value, Tensor) else []


def _undo(operation: Callable, args: tuple) -> Callable[[], Any]:
    """What brings back what a change takes away."""
    _, given = resolved(operation, args)
    owner: Any = given[0]
    if operation in (operations.set_global, operations.delete_global):
        owner = owner.__globals__
    if operation is Tensor.register_hook:
        owner = owner._hook_table()
    kind = type(owner)
    if kind is list:
        items = list(owner)
        return lambda: owner.__setitem__(slice(None), items)
    if kind in (dict, set):
        copy = owner.copy()
        return lambda: (owner.clear(), owner.update(copy))
    place = place_of(operation, args)
    assert place is not None, operation
    before = list(dropped(owner, *place))
    name = "cell_contents" if kind is types.CellType else place[1]

    def undo() -> None:
        table = vars(owner) if hasattr(owner, "__dict__") else None
        if type(table) is dict:  # where a Cell has what it is set
            table.update({name: before[0]} if before else {})
            if not before:
                table.pop(name, None)
        elif before:
            setattr(owner, name, before[0])
        else:
            delattr(owner, name)

    return undo
