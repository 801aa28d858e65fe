"""Warnings at the line of the program: of what is allowed, and is hardly ever what somebody wants.

Whether one is due is found out where a call is planned, or where a walk back comes by, so programs that need none pay
nothing; graph mode plans in the first call, and warns there. Python's filters say how often each line is told: once,
unless the program says otherwise.
"""

from __future__ import annotations

import warnings
from typing import Any

from anfora.core import slots
from anfora.core.errors import AnforaWarning
from anfora.core.span import Span, calling_frame, frame_position

__all__ = ["losing_parts", "marks", "tell_unsaid", "unsaid", "warn"]

_registries: dict[str, dict] = {}  #: what Python's filters remember, by file


def warn(message: str, place: tuple[Any, int] | None = None) -> None:
    """Warn at a position of the program; at the present one when not given."""
    slots.watcher.has_warned = True
    code, at = place or _here()
    if code is None:
        file, line = "sys", 1
    else:
        span = Span.of(code, at)
        file, line = span.file, span.line
    warnings.warn_explicit(message, AnforaWarning, file, line, registry=_registries.setdefault(file, {}))


def losing_parts(kind: Any, dtype: Any) -> str:
    """What is said of a conversion from a complex to a real type, which somebody asks for by its name."""
    return (
        f"{kind} is converted to {dtype}, and the imaginary parts are lost: take real(x) or abs(x) where that is meant"
    )


def _here() -> tuple[Any, int]:
    return slots.watcher.place or frame_position(calling_frame(3))


#: The ticks of nodes that layers left which behave as outside of training, though nobody has said so; their names and
#: places: a dropout that does nothing leaves the node of what stands before it.
marks: dict[int, list[tuple[str, tuple[Any, int]]]] = {}
_MOST_MARKS = 1024


def unsaid(layer: str, result: Any) -> Any:
    """Note that a layer gave a result without having been told whether it trains: a walk back over it is a mistake."""
    node = getattr(result, "_node", None)  # examples of `vmap` have none
    if node is not None and not node.is_leaf:
        if len(marks) >= _MOST_MARKS:
            del marks[next(iter(marks))]
        marks.setdefault(getattr(node, "node", node).tick, []).append((layer, _here()))
    return result


def tell_unsaid(node: Any) -> None:
    """A walk back comes to a node of the `marks`."""
    for layer, place in marks.pop(node.tick):
        warn(
            f"{layer} is trained through, but behaves as outside of training, since set_train was never called: call "
            "set_train() on the network to train it, set_train(False) where it is meant so",
            place,
        )
