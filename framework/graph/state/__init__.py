"""The state of a program at a moment, written down.

images.py        the state of the machine as a pattern of frames, variables and objects, with slots for what varies
moments.py       states, outcomes of hops, pieces: what is recorded between two of them
sharing.py       how tensors from outside share memory

How it is done, and why so

*Shared memory* (`sharing.py`). Operators may be given tensors that share memory: where an input that is written is also
another input, the program sees it and runs the operators one after the other. What a tape says of a write in place is
found out while recording, though: which saved values are overwritten (an operator in front of the write copies them, which
falls away where no gradient needs it), and which views get a new history. There a guard asks that the tensors lie to
each other as they did; so it does where a tensor was found by its place in memory that several share. Another asks
that Parameters are different objects, where a gradient is by some of them.
"""
