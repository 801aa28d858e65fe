"""What graph mode believes of Python, its library, numpy and this library.

table.py             what Python's functions do with what they are given; rows/, a row for each
looking.py           whether what a function looks at is plain
makers.py            what a call of a class of the program comes to
known.py             kinds of values and functions, and what is gone into
questions.py         what a program asks of its compiler; binding_times.py, what its text alone says
containers.py        lists, dicts and sets, and by which methods they change
drops.py             what a write lets go of, and who may notice that
classes.py           what a class has, asked at the price of one look
collected.py         deques, counters and the like; arrays.py, arrays of numpy's that the program makes;
                     constructed.py, dates, fractions, paths
operator_classes.py  this library's operators that are objects; compiled_functions.py, functions that are compiled
plain.py             which values are plain: programs on them alone are Python's
contexts.py          what contextlib makes
kinds.py             what an object is, asked without a word to it
values.py            what a program can see of a value
origins.py           how a value from outside is found again: the path of attributes, items and variables to it

How it is done, and why so

*Facts* (`table.py`, `rows/`). What is believed of Python's functions, its library's and numpy's is one table: a row
says of each argument how far it is looked into (its length, `__index__`, as a key, compared, walked over, called, as
a whole), whether it is kept, changed or lets something go, and what is given back. All who want to know something ask
there, by the function and not by its name. Where all that is looked at is plain, the row is all that happens; where
it is not, a polyfill does the same in Python, or the call is a hop, and what changes something has its state written
down before. `tests/graph/test_facts.py` asks Python whether each row is so, with arguments that tell what they are
asked for, and compares each compiled call with plain Python's.
"""
