"""What graph mode did, told to the user.

watched.py       programs that tell of recompilations, and refuse what `fullgraph=True` refuses
explain.py       hops, guards, numbers and recompilations of a call; report.py, how they are shown; wording.py,
                 in which words
checking.py      whether it was right: `jit(check=True)`; twins.py, in which processes; digest.py,
                 kinds.py, tokens.py, what is compared
analysis.py      what it would do, before any run: `ir.lower`
typed.py         a recorded program as one closed graph: body.py, what a piece does, and what comes behind it;
                 outside.py, what of it is the same in each call; functions.py, what such graphs call.
                 dumps.py, the files of `save_graphs`
cells.py         the door by which Cells of GRAPH_MODE come in

How it is done, and why so

*Seeing* (`explain.py`, `typed.py`, `dumps.py`). A recorded program is also typed MindIR: pieces are FuncGraphs, their
operators the planned calls of the piece, or of the graph that was lowered, taken over as passes take them; what comes
from outside is the calls that its origins name; writes and hops are calls of `interpret` with source, reason and line,
`switch` chooses what follows. Of a lowered graph the segment that runs says which calls share a loop, which become
functions (`passes/extract.py`), and where values lie, which hangs on the graph as notes, for eyes only. It is verified,
reads back, in another process too, where objects of the program are names (`graph/ir/values.py`), and the evaluator
runs it to the same results; `save_graphs` writes it, weights as its inputs, with lowered graphs in which fused loops
are functions. `export` (`framework/graph_files.py`) writes it with the weights as a file, if it holds nothing of the
program's. `explain` tells hops, guards, numbers and recompilations of a call. `fullgraph=True` refuses what is found
before a run; what only a run can come to is refused there, before it is done, and one error lists what is known up to
then. `jit_syntax_level="STRICT"` refuses less: what MindSpore's strict syntax does not have, so neither a branch on
data nor what the library does itself.

*Before a run* (`analysis.py`, `graph/record/abstract.py`). `ir.lower`, `jit(f).lower` and `Cell.compile` record a
program without running it: in a forked process, so that whatever is written is written there, with operators that
give zeros of the right type, and with a recorder that does nothing the interpreter would do. A look at data is a
branch followed both ways, one after the other, from the state that was written down; a journal of changes takes back
what the one has written before the other begins. A number that follows from data is one that varies: a condition on
it is a branch too, and where its value counts the way ends. A way ends where the moment is known, too. A call of the
function by itself waits until some way has returned, and gives a tensor of that type. What comes is the points,
variants and hops of the runs that would go all these ways, so the graph is theirs, native code is made of them (in
the cache, when the first call comes), and the list of what is unsupported has the branches that no run takes.

*Checking* (`checking.py`, `twins.py`, `digest.py`). With `check=True`, and for all that is compiled with
`ANFORA_CHECK=1`, a process that is forked where the call starts does the call as Python does it, and both sides list
what there is then: one token for each thing that can be reached from the result, the arguments and the function, with
types, bits, aliases, orders and what only looks like a detail (`-0.0`, who shares memory, dead references), then
output, random generators, and gradients by a walk back from random numbers. Where two tokens differ, the path is
known and so are both values. The lists are made in processes that end then, so looking at a value changes nothing:
views may be refreshed, blocks of the tape taken apart, hooks called. No object is copied, so nothing need be
copyable, and no method of the program is called. What differs is asked once more of a second process, with other
addresses and a later clock: where Python does not agree with itself there is no verdict, and the log says so. Files,
sockets and other threads are outside of it. A call takes 30 ms more, of which ten are the three forks.

**What runs where.** In GRAPH_MODE the outermost call of a Cell, and of what `grad` and `value_and_grad` give, is
compiled with all that it calls; in PyNative mode what `@jit` marks. Nothing waits: both modes share kernels, entries,
tape and random streams, so training may switch in the middle of a run.

**Not done yet.** Loops with branches on tensors of more than 64 KiB that change. Symbolic shapes: each shape is a
variant. Optimizers whose rates or rules are the program's own are hops inside a compiled function; so are a
`Function` of the program where a tape outside follows, whose context cannot be put down,
`backward(create_graph=True)`, and Cells that are made inside around a Cell from outside, whose parameters they name.
Iteration over generators of C code and over tensors, where a hop falls inside, ends in Python. `docs/fallback.md`
lists what is left to the interpreter in the programs of the gallery.
"""
