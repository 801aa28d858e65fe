"""Tensor expressions: small kernels written as assignments over indexed tensors, their gradients, and C text.

    K = kernel("C<4, 5>[i, j] = A<4, 3>[i, k] * B<3, 5>[k, j];")
    C = K(A, B)                        # an operator: differentiable, on the threads of all operators

errors.py    one family of errors, with codes                    case.py      what a kernel is made from
json_text.py where the values of a case stand in its file
syntax.py    from text to a tree                                 affine.py    index arithmetic
lower.py     from a tree to a checked loop nest                  ir.py        the loop nest, its visitor and mutator
gradient.py  from a loop nest to that of its gradients; solve.py, equations between indices
interpreter.py  the meaning of a loop nest, slowly; the IR printed: printer.py; as C: c_printer.py
machine.py   machine code; schedule.py decides what is a vector, what is a tile, what is shared by threads
operator.py  kernels as operators                                __main__.py  the command line
"""

from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in
from anfora.tensor_expression.case import Case
from anfora.tensor_expression.errors import KernelError, KernelWarning
from anfora.tensor_expression.operator import Kernel, from_json, kernel

__all__ = ["Case", "Kernel", "KernelError", "KernelWarning", "from_json", "kernel"]


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
