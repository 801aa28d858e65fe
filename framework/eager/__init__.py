"""PyNative mode: operators run when they are called, and a tape remembers what gradients need.

entry.py      what follows from layouts and attributes: plans, and what the tape keeps
dispatch.py   the call of an operator; views; in-place writes; the door to the native path
kept.py       calls of functions that are written in operators, without what stands in front of these
in_place.py   writes in place on that
operators.py  the operators that are called here
tape.py       nodes, recording, the walk back
ahead.py      kernels of a walk back, compiled together before it
transform.py  gradients of functions, on the tape
forward.py    forward mode: tangents along the tape
batched.py    operators on all examples at once, for `vmap`
custom.py     gradients written by the user
cells.py      the call of a Cell
recompute.py  that of Cells which are computed again on the way back
updating.py   what graph mode asks of optimizers
autocast.py   mixed precision, operator by operator
"""

from anfora.core import memory, slots, span
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.eager import batched, cells, dispatch, entry, kept, tape, transform
from anfora.kernel import executor, glue

glue.bind(Tensor, Parameter, tape.Node, tape.Output, tape.Followed, memory.SAVED, memory.clock, span.internal_files)
dispatch.install()
slots.kept_calls = kept.kept_calls
entry.kept_rule = kept.Rule
slots.call_cell = cells.call_cell
slots.backward = batched.effect(transform.backward)
slots.is_followed = transform.is_followed
slots.need_examples = batched.need_examples
slots.set_num_threads = executor.set_num_threads
