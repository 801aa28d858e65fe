"""What is done with numbers that vary: arithmetic gives another one, operators take them as operands.

    rate * 0.5 ** (step // 10)          a number that follows from two
    x * rate,  x.clamp(-rate, rate)     operators that take it from where it comes from
    p.add_(g, alpha=-rate)              so do those of functions that are written in operators (traced.py)
    rate > 0.1                          the program depends on the truth, not on the number

What else is done with a number makes the program depend on its value. This is a part of the recorder.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from anfora.core.op import Op
from anfora.core.tensor import Tensor
from anfora.graph.facts import known
from anfora.graph.facts.kinds import is_a, module_of
from anfora.graph.facts.origins import Number, Origin, plain_dict, plain_tuple
from anfora.graph.facts.table import fact_of, resolved
from anfora.graph.machine import signals
from anfora.graph.machine.machine import Machine
from anfora.graph.polyfill.traced import Traced
from anfora.graph.state.moments import Outcome, Piece
from anfora.ops.methods import METHODS

__all__ = ["Numeric", "is_written_in_operators", "tells_by_type", "takes_as_operands"]


class _Plainly(Exception):
    """Numbers are to be given as Python's own."""


class Driver(Protocol):
    """What arithmetic asks of the recorder."""

    piece: Piece
    hop: Outcome | None

    def guard(self, kind: str, origin: Origin, payload: Any = None) -> None: ...
    def force(self, value: Any) -> Any: ...
    def decide(self, origin: Origin, truth: bool) -> bool: ...
    def follow(self, operation: Callable, parts: Sequence[Any]) -> Origin: ...
    def forget_from(self, calls: int, draws: int) -> None: ...
    def compute(
        self, machine: Machine, operation: Callable, args: tuple, kwargs: dict, shown: tuple[tuple, dict] | None = None
    ) -> Any: ...


class Numeric:
    """Follows numbers through what is done with them.

    Args:
        recorder: what that is recorded by.
    """

    def __init__(self, recorder: Driver) -> None:
        self.recorder = recorder
        #: Operators that there were before a function was given numbers that say where they come from.
        self._begun: int | None = None

    def arithmetic(self, machine: Machine, operation: Callable, args: tuple) -> tuple[bool, Any]:
        """Operators on numbers and texts that vary: (whether it could be done, the result)."""
        plain = plain_tuple(args)
        fact = fact_of(operation)
        numbers = None if fact is None else fact.numbers
        if numbers is None:
            return False, None
        is_text = numbers.gives_texts and all(type(a) in (str, *known.NUMBERS) for a in plain)
        if not is_text and (not numbers.gives_numbers or len(args) > _MOST_OPERANDS):
            return False, None
        if is_text or all(type(a) in known.NUMBERS for a in plain):
            handled = signals.calls
            try:
                value = machine.natively(operation, plain, {})
            except Exception:
                if handled != signals.calls:  # of a handler: nobody raises that again
                    raise
                return False, None  # as a known number, whose error is known too
            origin = self.recorder.follow(operation, [a.origin if type(a) is Number else a for a in args])
            if origin.is_too_deep:
                return False, None
            if type(value) is bool:
                return True, self.recorder.decide(origin, value)
            if type(value) in (int, float, str):
                if numbers.may_fail or type(value) is int:  # it is computed, whether somebody wants it or not
                    self.recorder.guard("type", origin, type(value))
                return True, Number(origin, value)
            return False, None
        if any(is_a(a, Tensor) for a in plain) and not numbers.only:
            return True, self.do_with_numbers(machine, operation, args, {})
        return False, None

    def do_with_numbers(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict) -> Any:
        """An operator of tensors and numbers, or a function that is written in such: each operator that takes one of the
        numbers as an operand takes it from its origin, and what looks at one makes it known."""
        given = [a for a in (*args, *kwargs.values()) if type(a) is Number]
        shown = tuple(Traced(a, self.recorder) if type(a) is Number else a for a in args)
        named = {name: Traced(a, self.recorder) if type(a) is Number else a for name, a in kwargs.items()}
        plain, plain_names = plain_tuple(args), plain_dict(kwargs)
        calls, draws = len(self.recorder.piece.calls), len(self.recorder.piece.draws)
        outer, self._begun = self._begun, calls
        has_failed, handled = False, signals.calls
        try:
            result = self.recorder.compute(machine, operation, plain, plain_names, (shown, named))
        except Exception:  # of just these numbers, perhaps
            has_failed = True
            is_over = self._has_written(calls) or not machine.frames  # it was refused
            if is_over or handled != signals.calls:  # or it is of a handler: nobody raises that again
                raise
        finally:
            self._begun = outer
            if has_failed or self.recorder.hop is not None:
                for number in given:
                    self.recorder.force(number)
        if has_failed:  # outside of the handler: the error that tells of the numbers as they are has no other behind it
            self.recorder.forget_from(calls, draws)
            return self.recorder.compute(machine, operation, plain, plain_names)
        if type(result) is Traced:
            return result.number
        return _untraced(result)

    def note_numpy(self) -> None:
        """Told when numpy is given a number that says where it comes from."""
        if self._begun is not None and not self._has_written(self._begun):
            raise _Plainly

    def _has_written(self, calls: int) -> bool:
        """Whether something has been written in place by the operators behind the first ones."""
        return any(call.entry.op.writes is not None for call in self.recorder.piece.calls[calls:])


def tells_by_type(operation: Any, args: tuple) -> bool:
    """Whether it follows from the types of numbers that vary, which later calls look at: see the rows of the functions that
    ask nothing else of their arguments, and of those that compare which objects two of them are."""
    fact, given = resolved(operation, args)
    if fact is None or given is not args or not fact.tells_by_type(args):
        return False
    # A number is nothing of another type.
    return not fact.asks_identity or sum(type(value) in (int, float, str) for value in plain_tuple(args)) == 1


def takes_as_operands(operation: Any, args: tuple, kwargs: dict) -> bool:
    """Whether an operator, or a method that is one, gets the numbers that vary in the places of tensors."""
    op: Any = operation
    if is_a(operation, (types.MethodType, *known.BOUND)) and is_a(operation.__self__, Tensor):
        args, operation = (operation.__self__, *args), getattr(Tensor, operation.__name__, None)
    if not is_a(operation, Op):
        name = known.name_of(operation)
        op = METHODS.get(name) if getattr(Tensor, name, None) is operation else None
    if not is_a(op, Op) or op.is_random or op.python_rule is not None or op.writes is not None:
        return False
    names = (*zip(op.order, args), *((op.former_names.get(name, name), value) for name, value in kwargs.items()))
    return len(args) <= len(op.order) and all(
        name in op.tensors and name not in op.variadic for name, value in names if type(value) is Number
    )


def is_written_in_operators(operation: Any, args: tuple) -> bool:
    """Whether it is a function of this library, or a method of a tensor, that gets numbers as operators do."""
    if operation is operator.setitem:
        return is_a(args[0], Tensor)
    if is_a(operation, (types.MethodType, *known.BOUND)) and is_a(operation.__self__, Tensor):
        return True
    return is_a(operation, types.FunctionType) and module_of(operation).startswith(_OF_OPERATORS)


def _untraced(value: Any) -> Any:
    """What a function has given, with numbers in the places of those that say where they come from."""
    if type(value) is Traced:
        return value.recorder.force(value.number)
    if type(value) in (tuple, list):
        items = list(map(_untraced, value))
        return value if all(map(operator.is_, items, value)) else type(value)(items)
    return value


#: Modules of functions that are written in operators.
_OF_OPERATORS = ("anfora.ops.", "anfora.mint", "anfora.numpy")
_MOST_OPERANDS = 32
