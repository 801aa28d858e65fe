"""The first run of a program, written down while it happens.

The recorder, in twelve layers, each built on those before it:

notebook.py      what is known of values
held.py          numbers that vary, and native code that may not see them
reasons.py       what Python must do, and why
attributes.py    what is read by name
writes.py        what is changed outside
leaves.py        `backward()` and what it leaves
operators.py     what becomes rows
hops.py          what ends a piece
rolling.py       loops over ranges
numeric.py       what is done with numbers
outlining.py     loops and calls on plain values, which go to Python as a whole
recorder.py      the first run: it does what the program does; updates.py, steps of optimizers
abstract.py      the same before any run: it follows the program, and does nothing
"""
