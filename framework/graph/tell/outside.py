"""What stands outside of a program in each call: weights, globals, what hangs on Cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anfora.core.cell import Cell
from anfora.graph.facts.kinds import is_a
from anfora.graph.facts.known import is_plain_key
from anfora.graph.facts.origins import Origin
from anfora.graph.facts.table import fact_of
from anfora.graph.run.compiled import RecordedProgram
from anfora.graph.run.points import Point, Return

__all__ = ["UNKNOWN", "changed_by", "found_outside", "known_slots"]

UNKNOWN = object()


def found_outside(origin: Origin, known: Mapping[int, Any], changed: set[Any]) -> Any:
    """What an origin gives without the arguments of the call: in globals, closures, in what stands in slots each time, and
    in what hangs on these; `UNKNOWN` if it needs them, or the call may change it.

    Args:
        known: what stands in slots each time.
        changed: see `changed_by`.
    """
    if origin.kind == "known":
        return origin.key
    if origin.kind == "slot":
        return known.get(origin.key, UNKNOWN)
    is_changed = origin.key in changed or (origin.kind == "item" and _ITEMS in changed)
    if origin.kind not in ("attr", "item") or is_changed:
        return UNKNOWN
    base = found_outside(origin.base, known, changed)
    return UNKNOWN if base is UNKNOWN else origin.call[0](base, origin.key)


_ITEMS = object()  #: that any item may be another one


def changed_by(program: RecordedProgram) -> set[Any]:
    """The names and keys under which a program puts something else into what is outside, whatever that is."""
    found: set[Any] = set()
    for point in (*program.entries.values(), *program.points.values()):
        for variant in point.variants:
            if variant.written is None:
                continue
            for _, (operation, args) in variant.written.image[1]:
                fact = fact_of(operation[1]) if operation[0] == "is" else None
                puts = None if fact is None else fact.puts
                if puts == "variable":
                    found.add("cell_contents")
                    continue
                place = None
                if puts in ("attribute", "item"):
                    place = args[1][1] if args[0] == "tuple" else ("is", args[1][1])
                found.add(place[1] if place is not None and place[0] == "is" and is_plain_key(place[1]) else _ITEMS)
    return found


def known_slots(entry: Point, changed: set[Any]) -> dict[Point, dict[int, Any]]:
    """Of the moments behind one where calls start, the slots in which the same Cell stands each time."""
    found: dict[Point, dict[int, Any]] = {entry: {}}
    pending = [entry]
    while pending:
        point = pending.pop()
        for variant in point.variants:
            edges = {} if isinstance(variant.end, Return) else variant.end.edges
            for target, places in edges.values():
                origins = [variant.runner.origins[place] if isinstance(place, int) else None for place in places]
                values = [origin and found_outside(origin, found[point], changed) for origin in origins]
                here: dict[int, Any] = {i: value for i, value in enumerate(values) if is_a(value, Cell)}
                before = found.get(target)
                if before is not None:
                    here = {i: value for i, value in before.items() if here.get(i) is value}
                if here != before:
                    found[target] = here
                    pending.append(target)
    return found
