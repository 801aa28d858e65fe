"""Branches, loops and recursion that run natively: the points of a program, and the ways between them, as an automaton.

    while n > 1:                     each piece is a state: its operators compute the next values, and the condition
        if n % 2 == 0: n = n // 2    its hop asks for the truth of a tensor, or calls the program itself, and decides
        else: n = 3 * n + 1          which piece comes next; or a jump leads there

`engine(head, values)` follows the ways that have been recorded from a point on, as far as they need nothing but operators,
and makes one kernel of them (kernel/control.py). `Engine.run` goes from the point to the first moment that needs Python: a
way that has not been seen, a return to who called, an error. It gives that moment exactly, with all calls that are pending,
and Python goes on as if it had come there by itself.

**Facts.** At the start of each piece stands in each slot either *data*, a tensor that changes on the way, or something
*fixed*: what an origin gives that starts from the slots of the head. Where two ways bring different things to a slot it
is data, if both are tensors of one layout, or a *number that varies*, if both are numbers of one type. So a matrix that is
only handed on stays where it is, and is never copied.

**Why the guards need no second look.** Of data a guard may ask for type, layout and history, and each way brings data of
which these are known. Guards on numbers that vary are looked at by the state itself, each time (arithmetic.py): where one
does not hold the next variant of the point is tried, as Python does. All other guards look at what is fixed, and nothing
runs meanwhile that could change it: they are checked when the kernel starts, and again when it comes back after some
milliseconds, since other threads may have written.

**Objects.** Beside each value goes a number of the object that it is. So a program gives back the very argument where it
would in PyNative mode, and two variables with one tensor keep it.

reach.py finds the pieces and what is known of their slots, assembly.py writes them as states.

Data is copied from piece to piece; tensors of more than `MOST_BYTES` that change are left to Python and to loops.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anfora.graph.passes.pipeline import is_on, tell
from anfora.graph.run.assembly import Assembly
from anfora.graph.run.engines import Engine
from anfora.graph.run.reach import Search

__all__ = ["NATIVE_AFTER", "engine"]

#: Times that Python comes by a point before it gets an engine: to make one takes as long as some ten thousand steps.
NATIVE_AFTER = 1000


def engine(head: Any, values: Sequence[Any]) -> Engine | None:
    """An engine that starts at a point, for values like these; None where there is nothing to gain."""
    if not is_on("native_control"):
        return None
    search = Search(head, values)
    start = search.run()
    found = None if start is None else Assembly(search).run(start)
    if found is None:
        return None
    tell("native_control", head.name, f"an automaton of {len(found.automaton.states):,} states")
    return Engine(found)
