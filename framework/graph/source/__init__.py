"""From text to instructions: what a program says, before anything runs.

code.py          the instructions of a small machine, the same for every version of Python, and which of them are one
                 piece of the syntax; machine/, ir/parser.py and facts/binding_times.py read these, and no syntax
sources.py       from a function to its source; unfiled.py, where that may be if it is no file
scopes.py        which variables live in cells
writer.py        instructions as they are written: expressions.py, functions.py, patterns.py, statements.py;
                 constants.py, the objects in them
quiet.py         Python asked without its warnings
outline.py       a loop as a function
tracebacks.py    where programs see that the machine has been: lines and columns are the program's
"""
