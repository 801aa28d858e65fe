"""What graph mode believes of Python, its library, numpy and this library.

known.py             functions, types and modules of which something is known
binding_times.py     what a function of Python's needs of its arguments
containers.py        lists, dicts and sets, and by which methods they change
collected.py         deques, counters and the like; arrays.py, arrays of numpy's that the program makes
operator_classes.py  this library's operators that are objects
plain.py             which values are plain: programs on them alone are Python's
contexts.py          what contextlib makes
origins.py           how a value from outside is found again: the path of attributes, items and variables to it
"""
