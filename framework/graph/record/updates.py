"""Calls of optimizers as calls of operators: a step of training is part of the piece that computes its gradients.

An optimizer is an `Updater` (eager/updating.py): its call is one operator, which writes parameters and states in place, on
gradients and on numbers that Python works out for each call. Here such a call becomes an operator. What it writes are
inputs of the piece, found again by their places in the optimizer, with the guards of all tensors that come from outside.
The numbers are an input too, whose origin is the function that works them out. Where that finds that the next step would be
another one (another rule, a weight decay that was zero), the guard on it does not hold.

The numbers are asked for where the piece starts. They follow from what Parameters hold then (rates, the number of the
step), so none of these may have been written to between there and the call: the piece ends in front of a call where one
has, as by the step before it, or where anything else outside was changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.eager import batched, dispatch
from anfora.eager.updating import Update, Updater
from anfora.graph.facts.kinds import is_a
from anfora.graph.facts.origins import Origin
from anfora.graph.machine.machine import Machine
from anfora.graph.record.writes import set_gradients
from anfora.graph.state.moments import Escaped

if TYPE_CHECKING:
    from anfora.graph.record.recorder import Recorder

__all__ = ["take_step", "update"]


def update(
    recorder: Recorder, machine: Machine, cell: Updater, args: tuple, kwargs: dict, is_partial: bool = False
) -> bool:
    """Do the call of an optimizer as an operator, and push its result.

    Args:
        is_partial: whether it is a call of `take_step`: with None for parameters that are not updated.
    Returns:
        whether that could be done; nothing has happened otherwise, and the interpreter makes the call.
    """
    is_plain = len(args) == 1 and not kwargs and _are_tensors(args[0], is_partial)
    is_placed = recorder.is_outside(cell) and recorder.given is None and not recorder.region
    if not is_plain or not is_placed or batched.state.depth:
        return False
    call = recorder, machine, cell, args, kwargs
    with recorder.unwatched():
        try:
            prepared = cell.prepare_update(args[0], is_partial)
        except Exception:  # which the call raises, in its place
            return False
    if prepared is None:
        return False
    writes = recorder.piece.writes
    has_written = any(write.operation is not set_gradients and not write.is_node for write in writes)
    if has_written or not _are_numbers_kept(recorder, cell):
        top = machine.frames[-1]
        stack, pc = top.stack, top.pc
        top.stack, top.pc = machine.saved, pc - 1  # as in front of the present instruction
        has_ended = _end_piece(recorder, machine)
        top.stack, top.pc = stack, pc
        if not has_ended:
            return False
        # The guards of the call belong to the new piece too, which others may come to.
        if recorder.rejoin is not None:
            return True
        return update(*call, True) if is_partial else recorder.calls.call_cell(*call[1:])
    if not _register(recorder, cell, prepared, args, "update_present" if is_partial else "construct"):
        return False
    flat = [*prepared.targets(cell), *prepared.given, prepared.numbers]
    machine.natively(dispatch.run, (prepared.entry, flat), {})
    if is_partial:
        machine.push(None)
        return True
    done = prepared.result
    recorder.origins.setdefault(id(done), (done, recorder.origin("known", done)))
    machine.push(done)
    return True


def take_step(recorder: Recorder, machine: Machine, args: tuple, kwargs: dict) -> bool:
    """A step with the gradients that are left in `.grad`."""
    cell, gradients = args
    return is_a(cell, Updater) and update(recorder, machine, cell, (gradients,), {}, True)


def _are_tensors(given: Any, may_be_absent: bool) -> bool:
    items = given if type(given) in (tuple, list) else (given,)
    return all(is_a(item, Tensor) or (may_be_absent and item is None) for item in items)


def _are_numbers_kept(recorder: Recorder, cell: Updater) -> bool:
    """Whether the numbers are those that they were where the piece starts: whatever has been written since is no source of
    them, which later calls see to."""
    inputs = recorder.piece.inputs
    written = [inputs[value].origin for value in recorder.piece.written_inputs()]
    tensors = {id(origin): value for value, origin in recorder.origins.values()}
    if not cell.is_apart_from(*(tensors[id(origin)] for origin in written)):
        return False
    if written:
        base = recorder.origins[id(cell)][1]
        recorder.guard("is", Origin("number", type(cell).is_apart_from, (base, *written)), True)
    return True


def _end_piece(recorder: Recorder, machine: Machine) -> bool:
    """End the piece where the machine stands; False, and nothing has happened, if that cannot be done."""
    try:
        return recorder.keeper.jump(recorder, machine, True) is not None
    except Escaped:
        return False


def _register(recorder: Recorder, cell: Updater, prepared: Update, args: tuple, method: str) -> bool:
    """Write down where all operands come from; False if one is seen in a way that only the interpreter can follow.

    Args:
        method: what is called.
    """
    base = recorder.origins[id(cell)][1]
    recorder.guard_method(recorder.origin("method", method, base), getattr(cell, method))
    for place, target in zip(prepared.places, prepared.targets(cell)):
        found: Any = cell
        origin = base
        for step in place:
            origin = recorder.origin("item" if type(step) is int else "attr", step, origin)
            found = recorder.register(found[step] if type(step) is int else getattr(found, step), origin)
        if found is not target or not is_a(target, Parameter):
            return False
    numbers = prepared.numbers
    origin = Origin("number", prepared.renumber, (base,))
    recorder.origins[id(numbers)] = (numbers, origin)
    recorder.guard("layout", origin, numbers._layout)
    recorder.look(args)
    before, recorder.touched = recorder.touched, None
    for tensor in (*prepared.targets(cell), *prepared.given, numbers):
        if tensor is not None:
            recorder.value_of(tensor)
    is_known, recorder.touched = recorder.touched is None, before
    return is_known
