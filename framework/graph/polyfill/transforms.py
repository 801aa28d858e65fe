"""Transforms inside of compiled functions: what `vjp`, `jvp`, `jacrev`, `jacfwd` and their relatives are made of.

These are programs that the machine goes into (api.py), and so is `transform.linearize`, which calls the function. In
between stand steps that Python does at once, while the operators in them are recorded: the tape is turned on, turned off,
and walked, back or forth. What is on a tape (a `Linearized`) cannot be put down in an image. So no piece can end while a
function is run with the tape on, or with its `Linearized` still alive: where that would be, the interpreter runs the
function from then on, on the tape, and each step on that is a hop.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from anfora import api
from anfora.batching import at_once, one_by_one, plan
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.core.tree import tensors
from anfora.eager import transform
from anfora.eager.batched import MOST_UNROLLED, NeedsExamples
from anfora.eager.forward import points_of
from anfora.graph.facts.origins import Number
from anfora.graph.machine.requests import Pause
from anfora.graph.polyfill.surroundings import do_natively, look_at_hooks

__all__ = ["TRANSFORMS", "guard_hooks"]

_REASON = "a gradient of what the interpreter does"
_OF_EXAMPLES = "a vmap of what the interpreter does"
_MOST_CALLS = 20_000  #: operators that a Jacobian is unrolled to


def guard_hooks(recorder: Any, followed: Iterable[Tensor]) -> bool:
    """Let later calls see to it that what is differentiated by has the hooks that it has now; whether there are any."""
    known = [tensor for tensor in followed if recorder.is_outside(tensor) or isinstance(tensor, Parameter)]
    have_hooks = [look_at_hooks(recorder, tensor) for tensor in known]  # each is guarded
    return any(have_hooks)


def _linearize(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """Go into a function with the tape on."""
    if recorder.piece.writes or (recorder.piece.is_taped and not recorder.region):
        raise Pause  # a piece cannot end in the middle, so it must not have to
    function, given, named, positions, weights = args
    site = machine.place[:2]
    if site in recorder.keeper.divided and not recorder.region:
        compiled = functools.partial(recorder.keeper.compiled_inside(site), function)
        args = (compiled, given, named, positions, weights)
        machine.push(recorder.interpret(machine, transform.linearize, args, kwargs, _REASON))
        return True
    everything = (*given, *named.values())
    guard_hooks(
        recorder, [*weights, *(t for i in positions if 0 <= i < len(everything) for t in tensors(everything[i]))]
    )
    recorder.piece.weights.update(map(id, weights))
    recorder.enter(machine, transform.linearize, args, kwargs)
    return True


def _start(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """Turn the tape on."""
    region = recorder.region
    region.append(machine.place[:2])
    recorder.indivisible[region[-1]] = machine.place, _REASON
    recorder.piece.gradients.append(region[0])
    try:
        do_natively(recorder, machine, transform.start, args, kwargs)
    except (Exception, NeedsExamples):
        region.pop()
        raise
    if machine.frames[-1].stack[-1].create_graph and len(region) == 1:
        recorder.leave_to_a_tape_outside(machine)
    return True


def _leave(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """Turn the tape off: the function has raised an exception."""
    try:
        return do_natively(recorder, machine, transform.Differentiation.leave, args, kwargs)
    finally:
        if recorder.region:
            recorder.region.pop()


def _finish(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """Turn the tape off: the function has returned."""
    try:
        do_natively(recorder, machine, transform.Differentiation.finish, args, kwargs)
        recorder.look_at_histories(machine, args[0].weights)
    finally:
        site = recorder.region.pop() if recorder.region else None
    if site is not None:
        line = machine.frames[-1].stack[-1]
        recorder.lines[id(line)] = line, site, sum(call.is_inner for call in recorder.piece.calls)
    return True


def _step(function: Callable, walks: Callable[[transform.Linearized], int] | None = None) -> Callable:
    """Something that is done with a function which was run with the tape on, the first argument.

    Args:
        walks: how often the tape is walked for that, where it may be often.
    """

    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        line = args[0]
        if recorder.is_outside(line) or id(line) not in recorder.lines:  # it was made before the piece starts
            machine.push(recorder.interpret(machine, function, args, kwargs, _REASON))
            return True
        _, site, calls = recorder.lines[id(line)]
        if walks is not None and walks(line) * calls > _MOST_CALLS:
            machine.push(recorder.interpret(machine, function, args, kwargs, _REASON))
            return True
        recorder.region.append(site)
        recorder.piece.gradients.append(recorder.region[0])
        try:
            return do_natively(recorder, machine, function, args, kwargs)
        finally:
            if recorder.region:
                recorder.region.pop()

    return special


# -- vmap -------------------------------------------------------------------------------------------------------------


def _plan(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """Look at the axes. Of numbers among the arguments only the types matter."""
    in_axes, given, cells = args
    given = tuple([value.value if type(value) is Number else value for value in given])
    if recorder.opaque(given):
        machine.push(recorder.do(machine, plan, args, kwargs))
        return True
    return do_natively(recorder, machine, plan, (in_axes, given, cells), kwargs)


def _at_once(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """Go into a function that gets all examples at once. Tensors that stand for these cannot be put down."""
    site = ("all examples", *machine.place[:2])
    is_whole = recorder.whole(machine) is not None
    if site in recorder.keeper.divided and not is_whole:
        machine.push(recorder.interpret(machine, at_once, args, kwargs, _OF_EXAMPLES))
        return True
    if recorder.piece.writes and not is_whole:
        raise Pause  # see `_linearize`
    recorder.enter(machine, at_once, args, kwargs)
    if not recorder.region:
        machine.frames[-1].whole = site
        recorder.indivisible[site] = machine.place, _OF_EXAMPLES
    return True


def _one_by_one(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """Go into a function once for each example, if they are few. If not, the interpreter calls it, compiled."""
    *functions, given, named, axes, out_axes, count = args
    if count <= MOST_UNROLLED:
        return False
    site = ("each example", *machine.place[:2])
    recorder.keeper.divide([site])
    compiled = recorder.keeper.compiled_inside(site)
    fn, cells = functions
    if cells is None:
        fn = functools.partial(compiled, fn)
    else:
        cells = [functools.partial(compiled, cell) for cell in cells]
    args = (fn, cells, given, named, axes, out_axes, count)
    machine.push(recorder.interpret(machine, one_by_one, args, kwargs, "a vmap over many examples, one by one"))
    return True


#: What to do instead, by function: (recorder, machine, args, kwargs) -> whether it was done.
TRANSFORMS: dict[Any, Callable] = {
    transform.linearize: _linearize,
    transform.start: _start,
    transform.Differentiation.leave: _leave,
    transform.Differentiation.finish: _finish,
    **{step: _step(step) for step in (api._results, api._pulled_back, api._pushed_forward)},
    api._row_by_row: _step(api._row_by_row, lambda line: sum(t.size for t in tensors(line.output))),
    api._column_by_column: _step(api._column_by_column, lambda line: sum(t.size for t in points_of(line))),
    plan: _plan,
    at_once: _at_once,
    one_by_one: _one_by_one,
}
