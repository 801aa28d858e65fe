"""What of this library walks over what it is given."""

from __future__ import annotations

from anfora.core.parameter import ParameterTuple
from anfora.graph.facts.table import DRAINED, LENGTH, add

__all__: list[str] = []

add(ParameterTuple, DRAINED | LENGTH)
