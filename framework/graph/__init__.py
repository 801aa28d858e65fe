"""Graph mode. Two ways to look at a program live here. To read in this order:

*A function is compiled when it is called.*

code.py         what it is compiled from: instructions of a small machine
sources.py      from a function to its source; unfiled.py, where that may be if it is no file; scopes.py, which variables
                live in cells
expressions.py, statements.py, patterns.py   from source to instructions
machine.py      what runs them, on frames that can be copied; operations.py, what they do to values; tracebacks.py, where
                programs see that they have been
polyfills.py    Python's functions that call functions, in Python; iterators.py, those of itertools; contexts.py, what
                contextlib makes; generic.py, functions that choose by the type of an argument
known.py        what is known of functions from elsewhere; binding_times.py, what programs ask of it
origins.py      how a value from outside is found again; traced.py, numbers that the tape keeps
arrays.py       arrays of numpy's that the program makes; collected.py, its deques and counters;
                operator_classes.py, its operators that are objects
images.py       the state of the machine as a pattern; ranges.py, loops over ranges that stay loops
special.py      methods of the program that Python would call; records.py, those of dataclasses
surroundings.py what surrounds calls of Cells, and gradients of the program's own; making.py, parameters and layers that
                the program makes; transforms.py, vjp, jvp and vmap; gradients.py, gradients in which pieces end
moments.py      pieces, states, outcomes: what is written down; sharing.py, how tensors from outside share memory
notebook.py     the recorder, in eleven layers: what is known of values; held.py, numbers that vary, and native code;
                reasons.py, what Python must do; attributes.py, what is read by name; writes.py, what is changed outside
                (containers.py, by which methods); leaves.py, `backward()` and what it leaves; operators.py, what becomes
                rows; hops.py, what ends a piece; rolling.py, loops over ranges; numeric.py, what is done with numbers;
                recorder.py, the first run: it does what the program does; updates.py, steps of optimizers
rows.py         operators in a line; lower.py, as one native program; arena.py, their memory; fusion.py, their loops
pieces.py       guards and rows made runnable; taped.py, as one node of the tape
loops.py        natively from the first iteration to the last; ahead.py, numbers of a native loop
arithmetic.py   Python's numbers in native states; widening.py, those in variables that change
control.py      branches, loops and recursion that run natively, as an automaton; engines.py, how it is run
switches.py     tape and mixed precision, as they stand at a moment
running.py      what a thread is in the middle of
points.py       moments between pieces, and the ways on from there; crowds.py, where these are many
compiled.py     how calls go through what was recorded; cells.py, for Cells in GRAPH_MODE
explain.py      what it did, told to the user; wording.py, in which words
checking.py     whether it was right: `jit(check=True)`

*A program as a graph of functions, MindIR.*

primitives.py   functions of the IR that are no tensor operators
nodes.py        nodes and graphs, and what they mean; structure.py, what follows from their edges
ir.py           the public names
manager.py      the one door for edits, and who uses what
verify.py       what a well-formed program is, checked
evaluate.py     the meaning of a program: run it, slowly
values.py       constants as text, and when two are the same
text.py         programs as text; reading.py, and back; compare.py, whether two are the same
let_form.py     the same with `let`; drawing.py, as a picture
parser.py       from the source of a function to its graph; terms.py, expressions; blocks.py, how variables become
                values; interpreted.py, parts that have no graph form
typed.py        a recorded program as a graph; dumps.py, the files of `save_graphs`
"""
