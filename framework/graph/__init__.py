"""Graph mode: programs as graphs of functions (MindIR). To read in this order:

primitives.py   functions of the IR that are no tensor operators
nodes.py        nodes and graphs, and what they mean; structure.py, what follows from their edges
ir.py           the public names
manager.py      the one door for edits, and who uses what
verify.py       what a well-formed program is, checked
evaluate.py     the meaning of a program: run it, slowly
values.py       constants as text, and when two are the same
text.py         programs as text; reading.py, and back; compare.py, whether two are the same
let_form.py     the same with `let`; drawing.py, as a picture
parser.py       from the source of a function to its graph; blocks.py, how variables become values
"""
