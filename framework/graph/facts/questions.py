"""Questions of a program about what its compiler may count on: `ops.isconstant(x)`, `ops.is_sequence_value_unknown(x)`,
`ops.is_sequence_shape_unknown(x)`; and `mutable`, which marks a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anfora.core.tree import tensors
from anfora.graph.facts.origins import Number

if TYPE_CHECKING:
    from anfora.graph.facts.binding_times import Known

__all__ = ["answers"]


def answers() -> dict[Callable, Callable]:
    """What the recorder does where a program calls one of these, by function."""
    from anfora import ops  # it is large, and not needed to compile

    return {
        ops.isconstant: _asked(ops.isconstant, lambda what: not what.holds_unknown),
        ops.is_sequence_value_unknown: _asked(ops.is_sequence_value_unknown, lambda what: what.holds_unknown),
        ops.is_sequence_shape_unknown: _asked(ops.is_sequence_shape_unknown, lambda what: what.length),
        _mutable(): _marked,
    }


def _asked(function: Callable, answer: Callable[[Known], bool]) -> Callable:
    """A question about a value is answered from the source; where that does not tell, as of a value from outside."""

    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        if len(args) != 1 or kwargs:
            return False
        machine.natively(function, (recorder.force(args[0]),), {})  # refuses what it does not take
        for frame in machine.frames:
            for held in frame.locals.values():
                recorder.look(held)  # whether there are tensors in it
        from anfora.graph.facts.binding_times import known, of_value  # only here is a source parsed

        what = known(machine.frames)
        machine.push(answer(of_value(args[0]) if what is None else what))
        return True

    return special


def _mutable() -> Any:
    from anfora.modes import mutable  # it stands above

    return mutable


def _marked(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """`mutable` gives its argument back; what it marks is seen in the source."""
    if not args or any(tensor.const_arg for tensor in tensors(args[0])):
        return False
    plain = args[0].value if type(args[0]) is Number else args[0]
    machine.natively(_mutable(), (plain, *args[1:]), kwargs)  # refuses what it does not take
    machine.push(args[0])
    return True
