"""Runs instructions, on frames that can be copied and values of Python's.

machine.py       the machine: it goes from instruction to instruction, and from frame to frame
instructions.py  what each instruction does, of which all that can be noticed is asked of a *world*
world.py         Python's world; the recorder's is another one. requests.py, what a world asks of the machine
frames.py        calls of functions; generators.py, those that wait at a `yield`
walks.py         iterators over dicts and deques that know where they are
outline.py       loops that CPython does, as functions of its own
operations.py    what instructions do to values
set_orders.py    sets that are walked over in the order of others
places.py        what Python does is called from frames that stand in the program
signals.py       handlers of signals wait until the program stands between two instructions
switches.py      tape and mixed precision, as they stand at a moment
running.py       what a thread is in the middle of
room.py          room on CPython's stack for what calls much

How it is done, and why so

*Machine* (`graph/source/code.py`, `machine.py`, `world.py`). Source becomes instructions that are the same for every
version of Python (Python's bytecode is not, and its frames cannot be copied). A frame is a list of values. What an
instruction does is asked of a *world*: Python's, or the recorder's. Things that Python does are called from code
objects with the user's file, line and columns, so tracebacks, warnings and debuggers show the program.

*Signals* (`signals.py`). The handler of a signal that comes while graph mode itself works waits until the program
stands between two instructions, in front of a piece, or behind some iterations of a native loop, a few milliseconds
later at most. What it raises (a KeyboardInterrupt, a timeout) is raised there: the machine is rebuilt from the point,
and the program's own `try` and `finally` see it. Handlers are looked up by the frames that they interrupt, so nothing
is paid where no signal comes.

*Frames and lifetimes* (`places.py`, `graph/source/tracebacks.py`). What Python does for the program is called from
frames that seem to stand in it, one for each function of the program and for the nearest callers, with their
variables: the machine's own frames come behind. Comprehensions, which are loops of their function here, have frames
where Python has functions for them (up to 3.11), unless the loop is left to Python as a whole. At the end of a
recording recorder and machine are emptied, since they hold each other; a traceback that leaves a compiled call shows
the program's frames, and those of graph mode drop what they hold (`ANFORA_TRACEBACK=full` shows all). So what a call
was given is freed by its last reference, not by the garbage collector.
"""
