"""What everything else is written in; imports numpy and nothing of the package above it.

dtype.py      element types and promotion        abstract.py   what is known of a value without its data
eight_bits.py  floating-point numbers of eight bits
tensor.py     Tensor                             parameter.py  Parameter
tensor_classes.py  what we have put into the classes of tensors; class_versions.py, whether a class has changed
cell.py       Cell; cell_state.py, its buffers and state dicts; cell_html.py, in notebooks
hooks.py      handles of hooks
shown.py      how tensors look            tree.py        nested containers of tensors
op.py         operators as data                  errors.py, span.py  errors and where they happened
refusal.py    which argument is to blame for an error of an inner function
nearest.py    which name comes nearest to one that is missing
habits.py     our words for what other libraries call otherwise; arguments.py, about arguments that are not there
files.py      files that are whole or not there   advice.py  warnings at the line of the program
memory.py     who sees a buffer                 process_memory.py  how much the process has
border.py      what numpy gets of a tensor
dlpack.py     arrays of other libraries, without a copy
random.py     seed and offset                    settings.py   set_context
exact.py      elementary functions of numbers, the same on every system
processes.py  one process: answers to what programs ask about several
tracebacks.py what consoles show of an error
docs.py       documentation that is put together
summaries.py  what summary operators give to a recorder
handlers.py   whether the handler of a signal has raised an exception
slots.py      the doors to what stands above
own_builtins.py  builtins that no program replaces: loaded before all that finds its names there
records.py     frozen dataclasses that are made when they are needed
environment.py   variables of the environment
"""

from anfora.core import own_builtins as own_builtins
