"""What a world asks of the machine in the middle of an instruction, by raising it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anfora.graph.machine.generators import Generator

__all__ = ["ENTERED", "Drain", "Enter", "Pause"]

ENTERED = object()  #: what `getattr` of a world gives when it has pushed a frame, of a property


class Drain(BaseException):
    """Raised in the middle of an instruction that Python would iterate a generator of the program in.

    Args:
        generator: whose items are wanted.
        function: a function of the program from the generator to the list of its items.
        most: how many are taken at most.
    """

    def __init__(self, generator: Generator, function: Any, most: int | None = None) -> None:
        super().__init__()
        self.generator, self.function, self.most = generator, function, most


class Enter(BaseException):
    """Raised in the middle of an instruction that a function of the program does: a special method, most often.

    Args:
        function, args: what is called; its result is what the instruction gives.
        deliver: what becomes of the result, see Frame.
    """

    def __init__(self, function: Any, args: tuple, deliver: str = "value") -> None:
        super().__init__()
        self.function, self.deliver = function, deliver
        self.args = args
        self.target: Any = None


class Pause(BaseException):
    """Raised in the middle of an instruction that has done nothing yet, and is to be done over: at the start of a piece."""
