"""The state of a program at a moment, written down.

images.py        the state of the machine as a pattern of frames, variables and objects, with slots for what varies
moments.py       states, outcomes of hops, pieces: what is recorded between two of them
sharing.py       how tensors from outside share memory
"""
