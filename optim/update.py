"""How the formula of an optimizer becomes one native call over all parameters.

A *rule* says what happens to one element: from an element of the parameter, of its gradient and of its states, and from
numbers that all elements share, to the new parameter and states. What every optimizer may do to the gradient first (undo
the loss scale, change its sign, add the weight decay, subtract the mean) is written here, once. A *plan* is the program
that treats all parameters, with the arrays and the list of numbers that it is called with.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anfora.core import memory
from anfora.core.abstract import Layout, TensorType
from anfora.core.dtype import DType, float32, float64
from anfora.core.errors import OpRuntimeError
from anfora.core.parameter import Parameter
from anfora.core.tensor import current
from anfora.eager.dispatch import note_writes
from anfora.kernel import glue
from anfora.kernel.emit import Value
from anfora.kernel.executor import Program
from anfora.kernel.loops import contiguous, plan_elementwise
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.reduce import plan_reduce
from anfora.kernel.sweep import Row, plan_sweep

__all__ = ["Before", "Member", "Part", "Plan", "Rule", "Wrapper"]


@dataclass(frozen=True)
class Before:
    """What is done to a gradient before a rule sees it: divide by the loss scale, negate, add the weight decay."""

    scales: bool = False
    negates: bool = False
    decays: bool = False

    def body(self, body: Callable) -> Callable:
        """A body behind this. Its numbers are its own, then the weight decay, then the factor of the gradient."""
        return _behind(body, self) if self != _NOTHING else body


_NOTHING = Before()


@functools.cache
def _behind(body: Callable, before: Before) -> Callable:
    """`before` and then `body`. Made once, since kernels are kept by their bodies."""
    scales, negates, decays = before.scales, before.negates, before.decays

    def whole(parameter: Value, gradient: Value, *rest: Value) -> Any:
        given = list(rest)
        if scales:
            gradient = gradient * given.pop()
        if negates:
            gradient = -gradient
        if decays:
            gradient = gradient + parameter * given.pop()
        return body(parameter, gradient, *given)

    return whole


@dataclass(frozen=True)
class Member:
    """The buffers of one parameter."""

    index: int  #: which of the optimizer's parameters
    parameter: Buffer
    gradient: Buffer  #: contiguous
    states: tuple[Buffer, ...]

    @property
    def dtype(self) -> DType:
        """The type to compute in."""
        return float64 if self.parameter.dtype is float64 else float32

    @property
    def elem(self) -> str:
        return self.dtype.code


@dataclass(frozen=True)
class Rule:
    """What an optimizer does to one element.

    Attributes:
        body: `(parameter, gradient, *states, *numbers) -> (parameter, *states)`, a scalar body. Equal rules must have the
            same body: make rules in functions that are cached.
        states: the names of the states, as attributes of the optimizer.
        nanoseconds: what an element costs, about.
    """

    body: Callable
    states: tuple[str, ...] = ()
    nanoseconds: float = 0.3

    def plan(self, p: Planner, members: Sequence[Member], numbers: Sequence[Buffer], before: Before) -> None:
        """Add the steps that update some parameters."""
        rows = [Row((m.parameter, m.gradient, *m.states), (m.parameter, *m.states), m.elem) for m in members]
        plan_sweep(p, before.body(self.body), rows, numbers, self.nanoseconds)


class Wrapper:
    """What an optimizer that wraps another one does to the gradients, in the same native call. Equal ones plan alike."""

    def plan(self, p: Planner, members: Sequence[Member], numbers: Sequence[Buffer]) -> list[Member]:
        """Add the steps that make new gradients; gives the members with these."""
        raise NotImplementedError


@dataclass(frozen=True)
class Part:
    """Parameters that are treated alike in a step, and how.

    Attributes:
        rule, before: what is done.
        centralizes: whether the mean over all axes but the first is subtracted from gradients of two or more axes.
        indices: which of the optimizer's parameters.
        numbers: how many numbers the rule takes, those of `before` not counted.
        wrapper: what comes before everything else, and how many numbers that takes.
    """

    rule: Rule
    before: Before
    centralizes: bool
    indices: tuple[int, ...]
    numbers: int
    wrapper: tuple[Wrapper | None, int] = (None, 0)

    @property
    def own(self) -> int:
        """How many numbers the rule and `before` take."""
        return self.numbers + self.before.scales + self.before.decays

    @property
    def width(self) -> int:
        """How many numbers it takes in all: those of the rule, of `before`, of the wrapper."""
        return self.own + self.wrapper[1]


class Plan:
    """A program for all parameters, ready to be called again and again.

    Args:
        optimizer: whose `parameters` and states it updates.
        parts: what to do; parameters in none of them stay.
        gradients: the layouts of the gradients, None where there is none.
    """

    __slots__ = (
        "gradients",
        "parts",
        "_arrays",
        "_holders",
        "_layouts",
        "_numbers",
        "_program",
        "_records",
        "_written",
    )

    def __init__(self, optimizer: Any, parts: tuple[Part, ...], gradients: list[Layout | None]) -> None:
        self.parts, self.gradients = parts, gradients
        parameters: Sequence[Parameter] = optimizer.parameters
        for parameter, shape in zip(parameters, optimizer.shapes):
            if parameter.shape != shape:
                raise OpRuntimeError(
                    f"{parameter.name} had shape {shape} when the optimizer was made, but has {parameter.shape} now",
                    help="make a new optimizer.",
                )
        names = sorted({name for part in parts for name in part.rule.states})
        self._holders = [*parameters, *(state for name in names for state in getattr(optimizer, name))]
        self._layouts = [current(holder)._layout for holder in self._holders]
        place = {name: (1 + k) * len(parameters) for k, name in enumerate(names)}
        self._written = sorted(
            start + i for part in parts for start in (0, *(place[n] for n in part.rule.states)) for i in part.indices
        )
        self._program = _program(parts, tuple(names), len(parameters), tuple(self._layouts), tuple(gradients))
        self._numbers = np.zeros(sum(part.width for part in parts))
        self._arrays = [holder._array for holder in self._holders]
        self._records: list[memory.Write] = []

    def run(self, gradients: Sequence[np.ndarray | None], numbers: Sequence[float]) -> None:
        """Update, with the data of gradients of the planned layouts, and the numbers of all parts in order."""
        self._numbers[:] = numbers
        glue.launch(self._program, *self._arrays, self._numbers, *gradients)
        self._note()

    def is_current(self) -> bool:
        """Whether parameters and states are of the planned layouts. Looks up their arrays, which are other ones when the
        outside has been given the old ones, or a state has been replaced."""
        for holder, array in zip(self._holders, self._arrays):
            if holder._array is not array:
                break
        else:
            return True
        if any(current(holder)._layout is not layout for holder, layout in zip(self._holders, self._layouts)):
            return False
        self._arrays = [holder._array for holder in self._holders]
        self._records = []
        return True

    def _note(self) -> None:
        """All writes happened just now: one record is made, the others are told the same."""
        if not self._records:
            arrays = [self._arrays[i] for i in self._written]
            note_writes(arrays)
            self._records = [record for array in arrays if (record := memory.last_write(array)) is not None]
        elif self._written:
            note_writes((self._arrays[self._written[0]],))
            first = self._records[0]
            for record in self._records:
                record.tick, record.place = first.tick, first.place


@functools.lru_cache(maxsize=256)
def _program(
    parts: tuple[Part, ...],
    names: tuple[str, ...],
    count: int,
    holders: tuple[Layout, ...],
    gradients: tuple[Layout | None, ...],
) -> Program:
    """The program. Its arguments: parameters, for each state one a parameter, numbers, gradients."""
    width = sum(part.width for part in parts)
    planner = Planner((*holders, TensorType(float64, (width,)).contiguous, *gradients), ())
    buffers: list[Any] = planner.operands
    start = 0
    for part in parts:
        numbers = [Buffer(len(holders), float64, (), (), 8 * k) for k in range(start, start + part.width)]
        start += part.width
        members = []
        for i in part.indices:
            states = tuple(buffers[(1 + names.index(name)) * count + i] for name in part.rule.states)
            members.append(Member(i, buffers[i], contiguous(planner, buffers[len(holders) + 1 + i]), states))
        if part.wrapper[0] is not None:
            members = part.wrapper[0].plan(planner, members, numbers[part.own :])
        before, numbers = part.before, numbers[: part.own]
        if part.centralizes:
            several = [
                _centralized(planner, m, numbers[part.numbers :], before) for m in members if m.gradient.ndim > 1
            ]
            part.rule.plan(planner, several, numbers[: part.numbers], _NOTHING)
            members = [m for m in members if m.gradient.ndim <= 1]
        part.rule.plan(planner, members, numbers, before)
    return Program(planner.finish())


def _centralized(p: Planner, member: Member, numbers: Sequence[Buffer], before: Before) -> Member:
    """The member with a gradient after `before`, less its mean over all axes but the first (Yong et al., ECCV 2020)."""
    shape, elem = member.gradient.shape, member.elem
    gradient, mean = p.workspace(member.dtype, *shape), p.workspace(member.dtype, shape[0], *(1 for _ in shape[1:]))
    inputs = [(b, elem) for b in (member.parameter, member.gradient, *numbers)]
    plan_elementwise(p, before.body(_gradient), inputs, [(gradient, elem)])
    plan_reduce(p, "mean", gradient, mean, tuple(range(1, len(shape))))
    plan_elementwise(p, _difference, [(gradient, elem), (mean, elem)], [(gradient, elem)])
    return replace(member, gradient=gradient)


def _gradient(parameter: Value, gradient: Value) -> Value:
    return gradient


def _difference(a: Value, b: Value) -> Value:
    return a - b
