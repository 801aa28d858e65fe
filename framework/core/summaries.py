"""What the summary operators of a network have been given, until a recorder takes it: `ScalarSummary()("loss", loss)`."""

from __future__ import annotations

from typing import Any

import numpy as np

from anfora.core.settings import note_once

__all__ = ["give", "recorders", "take"]

recorders: set[int] = set()  #: those that are open
_given: dict[tuple[str, str], np.ndarray] = {}


def give(kind: str, name: str, value: Any) -> None:
    """Keep a copy of a tensor for the recorders; where there is none it goes nowhere, as in MindSpore.

    Args:
        kind: "scalar", "tensor", "image" or "histogram".
        name: under which it is shown; a later one of the name takes its place.
    """
    if not recorders:
        note_once("summary", f"{kind} summaries: there is no recorder, so the values are not written")
        return
    _given[kind, name] = np.array(value.asnumpy())


def take() -> dict[tuple[str, str], np.ndarray]:
    """What was given since the last time."""
    taken = dict(_given)
    _given.clear()
    return taken
