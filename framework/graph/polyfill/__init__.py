"""What functions of Python and of this library do, written so that the machine can go into them.

polyfills.py     Python's functions that call functions; iterators.py, those of itertools
generic.py       functions that choose by the type of an argument
special.py       methods of the program that Python would call; records.py, those of dataclasses
surroundings.py  what surrounds calls of Cells, and gradients of the program's own
making.py        parameters and layers that the program makes
transforms.py    vjp, jvp and vmap; gradients.py, gradients in which pieces end
traced.py        numbers that say where they come from, for functions that are written in operators
"""
