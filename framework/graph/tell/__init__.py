"""What graph mode did, told to the user.

explain.py       hops, guards, numbers and recompilations of a call; wording.py, in which words
checking.py      whether it was right: `jit(check=True)`; twins.py, in which processes; digest.py,
                 kinds.py, tokens.py, what is compared
analysis.py      what it would do, before any run: `ir.lower`
typed.py         a recorded program as MindIR; dumps.py, the files of `save_graphs`
cells.py         the door by which Cells of GRAPH_MODE come in
"""
