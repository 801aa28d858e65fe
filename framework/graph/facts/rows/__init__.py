"""The rows of the table of facts, a file for each family.

library.py      what of this library walks over what it is given
builtins.py     functions and classes of builtins, operators, math, and what the machine's instructions do
containers.py   methods of lists, dicts, sets and what collections has; heapq
values.py       methods of what never changes: numbers, texts, tuples, ranges, frozen sets
iterators.py    itertools and functools
constructed.py  dates, fractions, paths and the like
arrays.py       numpy
"""

from anfora.graph.facts.rows import arrays, builtins, constructed, containers, iterators, library, values

__all__ = ["arrays", "builtins", "constructed", "containers", "iterators", "library", "values"]
