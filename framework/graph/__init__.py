"""Graph mode: a function is compiled when it is called.

Each folder has one job, and imports from those above it only. To read in this order:

source/     from text to instructions
machine/    runs instructions on values of Python's
ir/         MindIR: a program as a graph of functions
passes/     what changes a graph and not what it means
facts/      what is believed of Python, its library and numpy
lower/      from a graph of operators to one native program
state/      the state of a program at a moment, written down
polyfill/   what Python's functions do, written so that the machine can go into them
record/     the first run of a program, written down while it happens
gradient/   the gradient of a graph, as a graph
run/        later calls: guards are asked, pieces run, what is new is recorded
tell/       explain, dumps, checks

docs/tour.md follows one program through all of them; docs/glossary.md has the words.
"""
