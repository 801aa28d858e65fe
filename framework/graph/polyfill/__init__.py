"""What functions of Python and of this library do, written so that the machine can go into them.

polyfills.py     Python's functions that call functions; iterators.py, those of itertools;
                 taking.py, those that take items one by one
generic.py       functions that choose by the type of an argument
special.py       methods of the program that Python would call; records.py, those of dataclasses
surroundings.py  what surrounds calls of Cells, and gradients of the program's own
making.py        parameters and layers that the program makes; tensors.py, tensors of tensors and numbers
transforms.py    vjp, jvp and vmap; gradients.py, gradients in which pieces end
traced.py        numbers that say where they come from, for functions that are written in operators

How it is done, and why so

*Objects of the program* (`special.py`, `polyfills.py`). Operators and functions of Python's that call methods of
objects (`a + b`, `len(cells)`, `for layer in layers`, `getattr`, `sorted(key=)`) are calls of the program, so the
machine goes into them; what Python does around the call is written in Python, for the machine to run. So are setters,
descriptors and `__setattr__` of the program, what `dataclasses` generates (`records.py`, told by its code), the
choices of generic functions, and the context managers of `contextlib` (`graph/facts/contexts.py`): the generator
behind one is gone into where a `with` statement makes it and is sure to end it. Iterators that are written in C and
call functions (`map`, `accumulate`) are generators of this library (`iterators.py`), and behave as what they stand
for: an exception does not end them, nor does the end of what they go over where Python's ask that again, and what they
call may ask them for more, since each iteration starts from what stands in their variables. An iterator that holds
itself, in a list that it goes over, say, cannot be made of parts that are there before it: the program is Python's
then. A function with `lru_cache` is a hop in each call: what it remembers can only be told by calling it, which
changes it.

*Around Cells* (`surroundings.py`). Hooks, computing types and gradients of the program's own are carried out by
Python functions of this library (`eager/cells.py`, `eager/custom.py`), written once: PyNative mode calls them, and
the machine goes into them like into the program. Hooks are guarded by what they are, not by their handles, so one
that is put on and taken off again compiles nothing anew. A gradient is walked back by PyNative mode's tape; where the
walk calls Python (a hook, a `bprop`), a second machine runs that, in the middle of an instruction of the first. Where
a piece must end inside of a gradient it is taken in pieces, see below; a hop while converted parameters stand in a
Cell (`to_float`) makes all of it one. A Cell that is made inside is what its attributes are; its parameters are made
where the piece starts, in each run, and operators write their initial values (`making.py`).
`benchmarks/mixed_precision.py`: at level "O2" a forward pass takes 28 instead of 86 µs, loss and gradients 48 instead
of 345 (PyNative mode 71 and 290); at level "auto" 17 and 36 instead of 750 and 1,830 (600 and 1,350).

*Transforms* (`transforms.py`). `vjp`, `jvp`, `jacrev`, `jacfwd` and `vmap` are programs that the machine goes into
(`framework/api.py`, `framework/batching.py`): they call the user's function, and in between stand steps that Python
does at once, whose operators are rows: the tape is turned on and off, and walked, back or forth. `vmap` is first
tried on all examples at once, as in PyNative mode, so an operator becomes the rows of its batching rule; what that
gives up at is compiled for each example, or, for more than 32, called by the interpreter, compiled. Neither a tape
nor a tensor that stands for all examples can be put down: where a hop would fall between, the interpreter runs the
function on the tape, or on all examples at once, and what it gives is taken from there.

*Gradients in pieces* (`gradients.py`). That takes a function without branches on data and without hops. Where one of
these falls inside, the gradient has two *steps* between pieces, as a branch is one: the tape starts, and what is
differentiated by is passed on with a history of its own; the tape is walked back, and ends. The function's pieces in
between are recorded like all others, and leave one node each (`graph/run/taped.py`). Nothing of the program is in a
step, so it is no hop. What is alive from one to the other is a single value in a slot: the tape itself need not be
put down. It nests to any order, a walk back for a gradient around being recorded by that one's tape; an exception
ends what it comes out of. The site of the call is known as one of this kind after its first call, which is recorded
no further; with `fullgraph=True` it is watched to the gradient's end and recorded again from there, so that it
refuses what later ones do. A gradient through one branch takes 64 instead of 71 µs.
"""
