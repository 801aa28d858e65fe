"""What is on in a thread, and decides what operators leave behind and compute in: the tape, and mixed precision.

Points and hops know how it was, so a later call that comes by has it so again.
"""

from __future__ import annotations

from anfora.core.dtype import DType
from anfora.eager import autocast
from anfora.kernel import glue

__all__ = ["Switches", "switches"]


class Switches:
    """One way in which they may stand; there is one object for each.

    Args:
        tape: whether operators are recorded.
        half: the type that operands are lowered to (eager/autocast.py), or None.
    """

    __slots__ = ("half", "tape")

    def __init__(self, tape: bool, half: DType | None) -> None:
        self.tape, self.half = tape, half

    def turn(self) -> None:
        """Let them stand so."""
        if glue.switch.on is not self.tape:
            glue.set_recording(self.tape)
        if autocast.state.dtype is not self.half:
            autocast.enter(self.half)

    def __repr__(self) -> str:
        return f"<switches: tape {'on' if self.tape else 'off'}, half {self.half}>"


#: With the tape off, and on: those that were made, by the type.
_made: tuple[dict[DType | None, Switches], ...] = ({}, {})


def switches() -> Switches:
    """How they stand now."""
    tape, half = glue.switch.on, autocast.state.dtype
    made = _made[tape]
    return made.get(half) or made.setdefault(half, Switches(tape, half))
