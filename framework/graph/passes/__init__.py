"""Passes: functions that change a program and not what it means.

pipeline.py     the list of those that the graph of a piece goes through before it is lowered; own ones are registered there
norms.py        batch norm in inference as arithmetic, which others can go on with
constants.py    what follows from known values alone is computed once
same_calls.py   the same call twice is done once
planning.py     calls that a pass has made are planned; edges.py, what passes ask of a graph, and how they change its edges

inline.py       a graph that one call alone goes on in becomes part of the graph of that call; for texts of programs
extract.py      the opposite: calls that become a function, as those that share a loop do in texts of what was lowered

Some of what other compilers have passes for follows from the representation. What no edge leads to is no part of a graph,
so there are no dead nodes, and no gradients that nobody uses. A branch whose truth is known was recorded one way, under a
guard. A view is a place in the memory of what it views. Which calls share loops and memory, and what goes round natively,
is decided behind the passes and changes no node: `LOWERING` lists it, and it can be switched off in the same way.

How it is done, and why so

*Passes* (`pipeline.py`). Before a piece is lowered, its graph goes through a list of passes: what follows from known
values is computed, equal calls are one, and programs register passes of their own (docs/mindir.md). The gradient is
not theirs to keep: it is that of the operators as they were recorded. What a registered pass gives is planned anew where
it has to be, and checked: types, memory that was a result's own, and the order in which memory that is written in
place is touched.
"""
