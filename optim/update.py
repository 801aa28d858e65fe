"""How the formula of an optimizer becomes one native call over all parameters.

A *rule* says what happens to one element: from an element of the parameter, of its gradient and of its states, and from
numbers that all elements share, to the new parameter and states. What every optimizer may do to the gradient first (undo
the loss scale, change its sign, add the weight decay, subtract the mean) is written here, once. A *plan* is the program
that treats all parameters, with the arrays and the list of numbers that it is called with.

The program is that of an operator, `update_parameters`, which both modes run: PyNative mode by a `Plan`, graph mode as a
row among others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anfora.core.abstract import Layout, TensorType
from anfora.core.dtype import DType, float32, float64
from anfora.core.memory import SAVED
from anfora.core.op import Op
from anfora.core.tensor import Tensor, Tensors, current, leave_to_tape
from anfora.eager import dispatch
from anfora.eager.entry import Entry, entry_for
from anfora.eager.updating import Place, Updater, found_at
from anfora.kernel import glue
from anfora.kernel.emit import Value
from anfora.kernel.loops import contiguous, plan_copy, plan_elementwise
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.reduce import plan_reduce
from anfora.kernel.sweep import Row, plan_sweep

__all__ = ["Before", "Form", "Member", "Part", "Plan", "Rule", "Wrapper", "update_parameters"]


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


@dataclass(frozen=True)
class Form:
    """All of a step but its numbers.

    Attributes:
        parts: what is done, one behind the other.
        states: the names of the states.
        count: how many parameters the optimizer has.
        counters: where the Parameters stand that get a number of their own, behind the numbers of the parts.
        members: which of the optimizer's parameters they are; all when not given.
    """

    parts: tuple[Part, ...]
    states: tuple[str, ...]
    count: int
    counters: tuple[Place, ...]
    members: tuple[int, ...] | None = None

    @classmethod
    def of(cls, parts: tuple[Part, ...], count: int, counters: tuple[Place, ...]) -> Form:
        return cls(parts, tuple(sorted({name for part in parts for name in part.rule.states})), count, counters)

    @property
    def width(self) -> int:
        """How many numbers it takes."""
        return sum(part.width for part in self.parts) + len(self.counters)

    def places(self) -> list[Place]:
        """Where the parameters stand, then the states, then the counters."""
        members = range(self.count) if self.members is None else self.members
        return [*((name, i) for name in ("parameters", *self.states) for i in members), *self.counters]

    def only(self, members: tuple[int, ...]) -> Form | None:
        """The same of no other parameters than those that its parts are about, so that all that it holds is written; None
        where a wrapper counts the parameters in its own way."""
        if any(part.wrapper[0] is not None for part in self.parts):
            return None
        rank = {i: k for k, i in enumerate(members)}
        parts = tuple(replace(part, indices=tuple(rank[i] for i in part.indices)) for part in self.parts)
        return Form(parts, self.states, len(members), self.counters, members)

    def written(self) -> list[int]:
        """Which of these are written."""
        start = {name: (1 + k) * self.count for k, name in enumerate(self.states)}
        own = (
            first + i
            for part in self.parts
            for first in (0, *(start[n] for n in part.rule.states))
            for i in part.indices
        )
        behind = (1 + len(self.states)) * self.count
        return [*sorted(own), *range(behind, behind + len(self.counters))]

    def entry(self, holders: Sequence[Layout], gradients: Sequence[Layout | None]) -> Entry:
        """The call of `update_parameters` on arrays of these layouts."""
        keys = (tuple(holders), tuple(gradients), self.numbers)
        return entry_for(update_parameters, keys, (("form", self),))

    @property
    def numbers(self) -> Layout:
        """How the array of numbers lies."""
        return TensorType(float64, (self.width,)).contiguous


@Op  # not registered: programs do not call it, and a form is no attribute that text could hold
def update_parameters(targets: Tensors, gradients: Tensors, numbers: Tensor, form: Form):
    """A step of an optimizer: writes parameters, states and counters in place."""


update_parameters.writes = "targets"
update_parameters.is_untaped = True


@update_parameters.infer
def _(targets, gradients, numbers, *, form):
    return targets


@update_parameters.kernel
def _(
    p: Planner, holders: Sequence[Buffer], gradients: Sequence[Buffer], numbers: Buffer, *results: Buffer, form: Form
):
    """The results are the holders, seen once more."""
    count = form.count
    single = [Buffer(numbers.index, float64, (), (), 8 * k) for k in range(form.width)]
    start = 0
    for part in form.parts:
        own = single[start : start + part.width]
        start += part.width
        members = []
        for i in part.indices:
            states = tuple(holders[(1 + form.states.index(name)) * count + i] for name in part.rule.states)
            members.append(Member(i, holders[i], contiguous(p, gradients[i]), states))
        if part.wrapper[0] is not None:
            members = part.wrapper[0].plan(p, members, own[part.own :])
        before, own = part.before, own[: part.own]
        if part.centralizes:
            several = [_centralized(p, m, own[part.numbers :], before) for m in members if m.gradient.ndim > 1]
            part.rule.plan(p, several, own[: part.numbers], _NOTHING)
            members = [m for m in members if m.gradient.ndim <= 1]
        part.rule.plan(p, members, own, before)
    for counter, value in zip(holders[(1 + len(form.states)) * count :], single[start:]):
        plan_copy(p, value, counter)


class Plan:
    """A step for all parameters, ready to be done again and again.

    Args:
        optimizer: whose Parameters it writes.
        form: what to do; parameters in none of its parts stay.
        gradients: the layouts of the gradients, None where there is none.
    """

    __slots__ = (
        "gradients", "_attributes", "_entry", "_holders", "_layouts", "_numbers", "_written",
    )  # fmt: skip

    def __init__(self, optimizer: Updater, form: Form, gradients: list[Layout | None]) -> None:
        self.gradients = gradients
        places = form.places()
        self._attributes = [(name, getattr(optimizer, name)) for name in dict.fromkeys(place[0] for place in places)]
        self._holders = [found_at(optimizer, place) for place in places]
        self._layouts = [current(holder)._layout for holder in self._holders]
        self._written = [self._holders[i] for i in form.written()]
        self._entry = form.entry(self._layouts, gradients)
        self._numbers = np.zeros(form.width)

    def run(self, gradients: Sequence[np.ndarray | None], numbers: Sequence[float]) -> None:
        """Update, with the data of gradients of the planned layouts, and all numbers in order."""
        self._numbers[:] = numbers
        for holder in self._written:
            if holder._mark is SAVED:
                leave_to_tape(holder)
        arrays = [holder._array for holder in self._holders]
        dispatch.measured(_launch, self._entry, [*arrays, *gradients, self._numbers, *arrays])

    def is_current(self, optimizer: Updater) -> bool:
        """Whether what the optimizer holds is what was planned for, of the planned layouts."""
        if any(getattr(optimizer, name) is not value for name, value in self._attributes):
            return False
        return not any(holder._layout is not layout for holder, layout in zip(self._holders, self._layouts))


def _launch(entry: Entry, arrays: list[np.ndarray | None]) -> None:
    glue.launch(entry.program, *arrays)


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
