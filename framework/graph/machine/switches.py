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
        blocks: of `no_grad`, that are open.
        half: the type that operands are lowered to (eager/autocast.py), or None.
    """

    __slots__ = ("blocks", "half", "tape")

    def __init__(self, tape: bool, blocks: int, half: DType | None) -> None:
        self.tape, self.blocks, self.half = tape, blocks, half

    def turn(self) -> None:
        """Let them stand so."""
        if glue.switch.on is not self.tape:
            glue.set_recording(self.tape)
        glue.switch.blocks = self.blocks
        if autocast.state.dtype is not self.half:
            autocast.enter(self.half)

    def __repr__(self) -> str:
        return f"<switches: tape {'on' if self.tape else 'off'}, {self.blocks} blocks of no_grad, half {self.half}>"


_made: dict[tuple[bool, int, DType | None], Switches] = {}


def switches() -> Switches:
    """How they stand now."""
    stand = glue.switch.on, glue.switch.blocks, autocast.state.dtype
    return _made.get(stand) or _made.setdefault(stand, Switches(*stand))
