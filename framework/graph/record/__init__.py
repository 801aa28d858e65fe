"""The first run of a program, written down while it happens.

The recorder is a world (`graph/machine/world.py`) that does what the program does. It holds parts, each with an interface
of its own, which names at its head what it asks of the recorder:

memory.py        which values of the piece tensors hold; another one for each piece; forgetting.py, which are free
overlay.py       what a piece has changed of what is outside, and what is read behind that; another one for each piece
rolling.py       loops over ranges that stay loops
numeric.py       what is done with numbers that vary
outlining.py     loops and calls on plain values, which go to Python as a whole
calls.py         what a call is done by

The rest of it is layers still, each built on those before it:

objects.py       what kind of thing a value is; notebook.py, what is known of values
held.py          numbers that vary, and native code that may not see them; unwrapping.py, the walk that takes them out
reasons.py       what Python must do, and why
attributes.py    what is read by name
writes.py        what is changed outside
leaves.py        `backward()` and what it leaves
operators.py     calls of operators
hops.py          what ends a piece
doing.py         what is done with values, and in which way
recorder.py      the first run: the world of the machine; updates.py, steps of optimizers
abstract.py      the same before any run: it follows the program, and does nothing

How it is done, and why so

*Pieces* (`recorder.py`, `graph/run/pieces.py`, `graph/ir/planned.py`). Between two hops lies a piece: a graph of
operators, *guards* and *origins*. The nodes of the graph are MindIR's: what comes in is a Parameter, what is known a
ValueNode, and a call of an operator a CNode that also has the planned entry which PyNative mode uses; these are the
*operators* of the piece, in their order. What the program reads from outside (arguments, globals, closures, attributes,
items) has an origin, the path on which a later call finds it again, and a guard: type, identity, layout, length,
keys, the absence of a name. What is compared of a value is all that a program can see of it
(`graph/facts/values.py`): the sign of a zero, the order of a set, the ends of a range; of a nan, and where the
program asks `is`, which object it is. What is asked of a class (a method, the absence of one) is asked again only
where CPython has given the class another tag, which it does when something in the class or its bases changes
(`graph/facts/classes.py`): one look for each class and call. Objects are guarded by identity of what is read, never
copied. A float that only takes part in arithmetic varies without a guard on its value; an int does so once it has
been seen to change. Guards are one generated function, and run where the piece starts, not only at the entry, since a
hop may have changed anything.

*Numbers that vary* (`held.py`). The machine works with a stand-in, which closures, lists, dicts and objects of the
program may hold. Native code never sees one: all that is done by Python goes through one door, which lets values pass
to functions that move them without a look (`append`, `dict.update`), and for all others finds the numbers, wherever
they are, and makes their values known, by a guard. So a key, an index, a text or a comparison of lists depends on the
value, and what is only carried to an operator does not. What leaves the machine is freed of them in place: arguments
of the interpreter's, results, the program itself where recording ends. Lists and objects that are written outside
hold values from then on; which numbers they held is noted, and known where something looks into them later
(`history.append({"loss": loss.item()})`). A tuple cannot hold other items: with plain numbers it is another one
outside, which takes the place of the program's in all frames where the piece ends. This library's functions that are
written in operators get numbers that say where they come from (`graph/polyfill/traced.py`), through to the operators:
`p.add_(g, alpha=-rate)` is compiled once. Of a comparison the program depends on how it ends, not on the number.

*Hops.* What looks at data, changes something outside, or calls what nothing is known of (`graph/facts/table.py`: no
row), ends a piece. A hop is done by Python in each call, in its place among the effects. Its outcome decides how the
program goes on: by value where it is a bool, by type where it is a tensor or a float; an int or a text by value at
first, and by type once it has differed a few times. Where a tensor is asked for its truth, and for nothing else, the
piece ends in a *branch*: that is looked at between two pieces, without a frame of Python's. So are numbers that are
taken from tensors (`float(loss)`, `x.item()`), which are inputs of the next piece; only where that is an error Python
does it, to raise it in its place. An operator whose result has a shape that depends on data (`x[x > 0]`, `unique`)
runs between two pieces too. None of these leaves anything of the program to the interpreter, so they are not counted
as hops, and `fullgraph=True` takes them.

*What is Python's* (`outlining.py`, `graph/source/outline.py`, `graph/run/ledger.py`). To record an instruction takes
a hundred times what Python takes, so compiling is bounded. A loop or comprehension on plain values (numbers, texts,
containers and functions of such: `graph/facts/plain.py`) that comes to 36 iterations becomes a function of CPython's,
compiled from the loop's syntax with the program's lines: from the live iterator, the variables and the cells to how
it has ended and the variables. It is one call between two pieces, and what follows is compiled; a call that takes
many plain values, or goes on to call itself with them, likewise. As no tensor goes in, `fullgraph=True` takes it.
Large plain containers are from outside from then on, so nothing goes through them where a state is written down.
12,000 words counted in a dict took 7 s in the first call, and take 90 ms; a sieve of 10,000 took 44 s. All else is
kept in an account, in instructions, operators, elements and values that are looked at: a recording that overdraws it is
done by Python, until calls have paid for it, and a function whose pieces gain less in 16 calls than their hops cost
is Python's altogether, and a call that gains nothing by what has been recorded (changes of what is outside, mostly)
is not even lowered. To lower a piece takes as long as hundreds of calls of a program that does little: behind the
first call all are Python's, until they have been worth some part of the price, and so is a call of a form that has
not been recorded. Where sixteen calls are worth the price (a step of training, a loop that goes round for long), or
it is that of a single small piece, nothing waits; nor does it with `fullgraph=True`, `explain` or `check=True`. A
program that asks sixty tensors for their truth took 77 ms in calls 2 to 100, and takes 9, as in PyNative mode. Where
recording ends in the middle, the machine goes on in Python's world, and its loops become functions there too.
`explain` says what was given back and why; `benchmarks/budget.py` holds the bounds.

*Writes* (`writes.py`, `graph/facts/containers.py`). A change of something outside of which is known beforehand what
it does (an attribute of a plain object, Cell, class or module, methods of lists, dicts and sets, a global variable, a
variable around the function, and deleting them) is no hop: it is done by Python at the end of its piece, in order
with the others. Behind it only operators come, which nobody sees. What was written is known by itself; a read of anything
else that may have been changed, and an operator that may raise, start the next piece, which is compiled too. Reads from
other objects behind a write are guarded to be of other objects in later calls. A write that drops something
(`graph/facts/drops.py`) is put off only where nobody can notice when: numbers, texts, tensors without weak
references. Anything else may have a `__del__`, whose effects the program reads behind it: there the piece ends with
the write. What a container holds is not looked at: for `values.sort()` later calls ask whether all items are plain,
for `values.pop()` whether there is one.

*Errors of data.* An operator that refuses some data (an index out of range) raises where it stands. Where the
program would catch it, in a `try` or by `vmap`, and the piece does nothing but compute, the operator stays in the piece: a
call in which it fails is done by Python from the start of the piece on; after three such calls the operator is a hop.

*Steps of training* (`optim/update.py`, `updates.py`). The step of an optimizer is one operator, which writes
parameters, states and the number of the step in place, on gradients and on an array of numbers: rates, decays, powers
of β. PyNative mode runs its program alone; in a compiled function the call is an operator, so forward pass, gradients and
step are one native program. The numbers are worked out in Python for each call, where the piece starts, so rates and
steps that change compile nothing; where that finds a step of another form (a decay that was zero, SGD's first step),
or an operator in front has written what they follow from, the guard on them does not hold. A step of five layers of 4 × 4
takes 16 µs; with the optimizer as a hop it took 28. Since gradients live from the walk back to the step, the arena
places large values first (`graph/lower/arena.py`): in the order of time, a LeNet step of 256 images would take 18.4
instead of 14.0 MiB.
"""
