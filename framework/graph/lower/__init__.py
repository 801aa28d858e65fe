"""From a graph of operators to one native program.

lower.py         calls of operators as one native program; fusion.py, their loops
arena.py         where their values lie; blocks.py, memory for that, kept from call to call
ranges.py        loops over ranges that stay loops; loops.py, natively from the first iteration to the last
ahead.py         numbers of a native loop; arithmetic.py, Python's numbers in native states

How it is done, and why so

*Native programs* (`lower.py`, `fusion.py`, `arena.py`). The graph of a piece is one native program: views are places,
intermediates lie in an arena, elementwise operators that follow from each other share a loop, or are done with the sums
of the product or convolution before them, and round each value as memory would. Sums keep their one order, so the bits
are those of PyNative mode. Gradients taken inside a compiled program (`grad` within, a compiled `value_and_grad`) are
operators too.

*Loops* (`loops.py`, `ranges.py`, `ahead.py`). A loop whose piece leads back to its own point goes round natively. A
`for` over a range of 256 or more items counts with numbers that vary, so that all iterations, of loops of any length,
share points. A condition on the counter (`if i % 2`), or a number with few values (`rows[i % 3]`), makes variants of
the piece, and an automaton of them (`graph/run/control.py`): range(10_000) takes 12 ms the first time instead of 300
unrolled. A body that needs the counter's value is unrolled; so is one whose conditions change often, where large
tensors or a tape keep it in Python. Numbers of a native loop are computed ahead of it.
"""
