"""Signals that fall anywhere into a random program, and what must be so then.

A signal is brought at a random moment of a call: in the program, or in what the compiler does around it. Its handler notes
what it sees of the program, and raises. Python can end the same call in front of any of its instructions: what the handler
has seen must be what stands before one of them, and what the call leaves, and what the next call gives, must be what Python
leaves that is ended there. So nothing is half done, and the program's own `try` and `finally` have seen the exception.
"""

from __future__ import annotations

import contextlib
import dis
import functools
import gc
import itertools
import math
import random
import signal
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import random_given
import random_patches
from bell import BELL, SignalAt
from harness import Program, _observe, _world, difference

__all__ = ["Late", "interrupted"]

_MOST_TRIED = 150  #: instructions at which Python is ended, for one signal


class Late(Exception):
    """What the handler raises."""


class _Ended:
    """Ends Python in front of the nth instruction of the program and of what it finds in its module, if there are as many;
    else it writes down what is seen of the program in front of each."""

    def __init__(self, n: int, look: Callable[[], Any]) -> None:
        self.left, self.look = n, look
        self.seen: dict[Any, list[tuple[tuple[str, int], int]]] = {}
        self.count = 0

    def _arrive(self, frame: types.FrameType) -> None:
        """An instruction of the program comes next."""
        if frame.f_lasti in _unstopped(frame.f_code):
            return
        self.count += 1
        if self.count == self.left:
            self._stop()
            raise Late
        if not self.left:
            self.seen.setdefault(self.look(), []).append(((frame.f_code.co_name, frame.f_lineno), self.count))

    if sys.version_info >= (3, 12):  # where a trace function is not told of the instructions of a frame that starts

        def _of_instruction(self, code: types.CodeType, _: int) -> Any:
            if not code.co_filename.startswith(_PROGRAMS):
                return sys.monitoring.DISABLE
            self._arrive(sys._getframe(1))
            return None

        def __enter__(self) -> None:
            events = sys.monitoring.events.INSTRUCTION
            sys.monitoring.use_tool_id(_TOOL, "tests")
            sys.monitoring.register_callback(_TOOL, events, self._of_instruction)
            sys.monitoring.restart_events()
            sys.monitoring.set_events(_TOOL, events)

        def _stop(self) -> None:
            sys.monitoring.set_events(_TOOL, 0)

        def __exit__(self, *_: object) -> None:
            sys.monitoring.set_events(_TOOL, 0)
            sys.monitoring.free_tool_id(_TOOL)
            self.seen.setdefault(self.look(), [])  # behind the program

    else:

        def __call__(self, frame: types.FrameType, event: str, arg: Any) -> Any:
            if not frame.f_code.co_filename.startswith(_PROGRAMS):
                return None
            if event == "call":
                frame.f_trace_opcodes = True
            elif event == "opcode":
                self._arrive(frame)
            return self

        def __enter__(self) -> None:
            sys.settrace(self)

        def _stop(self) -> None:
            sys.settrace(None)

        def __exit__(self, *_: object) -> None:
            sys.settrace(None)
            self.seen.setdefault(self.look(), [])  # behind the program

    def moments(self, seen: Any) -> list[int] | None:
        """The instructions in front of which this is seen, first those with which lines start; None if it never is."""
        if seen not in self.seen:
            return None
        last: Any = None
        firsts, others = [], []
        for line, count in self.seen[seen]:
            (others if line == last else firsts).append(count)
            last = line
        return firsts + others


@functools.cache
def _unstopped(code: types.CodeType) -> frozenset[int]:
    """Where the exception that is handled is put down or taken away: Python looks for no signals there, and what a trace
    function raises there would leave another exception handled for good."""
    after = {one.offset: two.opname for one, two in itertools.pairwise(dis.get_instructions(code))}
    return frozenset(
        each.offset
        for each in dis.get_instructions(code)
        if each.opname in _HANDLING or after.get(each.offset) in _HANDLING
    )


_TOOL = 4  #: a number that is free among those who watch a program
_HANDLING = ("PUSH_EXC_INFO", "POP_EXCEPT", "RERAISE")


class _Around:
    """Raises in front of a call, or behind it."""

    def __init__(self, before: bool) -> None:
        self.before = before

    def __enter__(self) -> None:
        if self.before:
            raise Late

    def __exit__(self, *_: object) -> None:
        if not self.before:
            raise Late


def _look(arguments: tuple, namespace: dict[str, Any]) -> tuple:
    """What the program has changed so far, as far as that is quickly seen; without running anything of it."""
    _, _, _, _, _, _, box, items, table, bag, net = arguments
    of_box, of_stack = vars(box), vars(box.stack)
    return (
        of_box["count"], len(of_box["seen"]), tuple(of_box), namespace["TOTAL"], len(items), tuple(table),
        len(bag.parts), bag.entered, net.calls, list.__len__(box.stack), of_stack.get("put", 0), sys.stdout.tell(),
    )  # fmt: skip


@contextlib.contextmanager
def _handled(handler: Callable) -> Iterator[list[Any]]:
    """Gives what Python drops, and does not show it: what a handler raises while an object is freed, say a generator."""
    before, hook = signal.signal(BELL, handler), sys.unraisablehook
    dropped: list[Any] = []
    sys.unraisablehook = lambda raised: dropped.append(raised.exc_type)
    try:
        yield dropped
    finally:
        signal.signal(BELL, before)
        sys.unraisablehook = hook


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Leaves garbage alone: finalisers of an earlier run that fall into a later one are instructions of its program too."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _left(program: Program, jit: Callable, number: int, during: Callable[[Callable[[], Any]], Any]) -> Any:
    """What a call leaves that goes on under something, and what the next one gives."""
    made = program.all_calls()
    left = []
    with _world(program):
        target = program.build(_same)
        function = jit(target)
        for place in range(number):
            _observe(function, target, program, made[place]())
            program.between(target)  # type: ignore[misc]
        arguments = made[number]()
        with_all = during(lambda: _look(arguments.args, program.namespace))

        def watched(*args: Any) -> Any:
            with with_all:
                return function(*args)

        left.append(_observe(watched, target, program, arguments))
        program.between(target)  # type: ignore[misc]
        left.append(_observe(function, target, program, made[(number + 1) % len(made)]()))
    return tuple(left)


def _same(function: Any) -> Any:
    return function


def interrupted(program: Program, seed: int, jit: Callable[[Any], Any]) -> str:
    """Bring a signal into a call of a compiled program, the first or a later one, and compare what is left with Python's.

    Args:
        program: its function catches what the handler raises: `random_python.program(seed, caught=True)`.
        seed: of the moment.

    Returns:
        "unheard" where the call has ended before the signal, "outside" where it fell around the program, "caught" where
        the program has seen it, "dropped" where Python itself has dropped it, "unclear" where there are too many
        instructions to compare; else what is wrong.
    """
    chance = random.Random(seed)
    number = chance.choice([0, 0, 1, 3])
    first, last = (1_000, 100_000) if number == 0 else (30, 3_000)
    moment = int(math.exp(chance.uniform(math.log(first), math.log(last))))
    bringing = SignalAt(moment)
    looks: list[Callable[[], Any]] = []
    seen: list[Any] = []

    def handler(*_: Any) -> None:
        seen.append(looks[0]())
        raise Late

    with contextlib.ExitStack() as stack:
        dropped = stack.enter_context(_handled(handler))
        found = _left(program, jit, number, lambda look: looks.append(look) or bringing)
        if bringing.left > 0:
            return "unheard"
        lost = Late in dropped
        where = f"call {number + 1}, event {moment}"
        if len(seen) != 1:
            return f"{where}: the handler of one signal was called {len(seen)} times"
        stack.enter_context(_uncollected())
        watching: list[_Ended] = []
        for _ in range(2):  # what is met for the first time may run more of the program: `compiled` is recorded
            _left(program, _same, number, lambda look: watching.append(_Ended(0, look)) or watching[-1])
        moments = watching[-1].moments(seen[0])
        if moments is None:
            return f"{where}: the handler sees what is never so in Python: {seen[0]}"
        ways = [_Around(True), _Around(False), *(_Ended(moment, looks[0]) for moment in moments[:_MOST_TRIED])]
        for way in ways:
            differing = difference(_left(program, _same, number, lambda _, way=way: way), found)
            if differing is None:
                return "outside" if isinstance(way, _Around) else "caught"
    if lost or len(moments) > _MOST_TRIED:
        return "dropped" if lost else "unclear"
    return f"{where}: what is left is not what Python leaves, wherever it is ended; at last {differing}"


#: The files whose instructions are those of the program.
_PROGRAMS = ("<random program", random_given.__file__, random_patches.__file__)
