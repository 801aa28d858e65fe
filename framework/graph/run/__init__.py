"""Later calls: guards are asked, pieces run, and what is new is recorded.

guards.py        what must hold for a piece to be run again, as text
pieces.py        guards and rows made runnable; taped.py, as one node of the tape
ledger.py        what recordings have cost, and what calls have paid for
points.py        moments between pieces, and the ways on from there; crowds.py, where these are many
widening.py      variables that hold another number each time
control.py       branches, loops and recursion that run natively, as an automaton; engines.py, how it is run
compiled.py      how calls go through what was recorded
"""
