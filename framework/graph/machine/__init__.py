"""Runs instructions, on frames that can be copied and values of Python's.

machine.py       the machine; what an instruction does is asked of a *world*: Python's, or the recorder's
outline.py       loops that Python does, as functions of its own
operations.py    what instructions do to values
places.py        what Python does is called from frames that stand in the program
signals.py       handlers of signals wait until the program stands between two instructions
switches.py      tape and mixed precision, as they stand at a moment
running.py       what a thread is in the middle of
room.py          room on CPython's stack for what calls much
"""
