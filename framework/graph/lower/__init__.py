"""From a graph of operators to one native program.

lower.py         calls of operators as one native program; arena.py, their memory; fusion.py, their loops
ranges.py        loops over ranges that stay loops; loops.py, natively from the first iteration to the last
ahead.py         numbers of a native loop; arithmetic.py, Python's numbers in native states
"""
