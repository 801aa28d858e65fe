"""Operators.

families.py     makers of operators that come in families
layouts.py      views as arithmetic on strides
composite.py    functions that are written in operators
derived.py      sentences in other operators, of no family
programs.py     functions over nestings, functions by types, and what programs use beside operators
methods.py      the table of Tensor's methods and operators; forms.py, random_forms.py, what they add to the functions
former.py       names that arguments had in other versions of MindSpore
older.py        further names of functions: `F.tuple_getitem`, `ops.tensor_expm1`, `ops.clamp_`
primitives.py   the table of class forms, `ops.Concat(axis)(…)`; more_primitives.py, rare_primitives.py and
                seldom_primitives.py, its further parts
                gradients.py, the gradients of operators as classes; updates.py, the steps of optimizers as classes
user_primitives.py  classes of operators that programs define themselves; registration.py, how MindSpore describes them
sequences.py    operators on tuples and lists as classes
custom.py       operators of functions that numba compiles; custom_class.py, the same as MindSpore spells it
vm_impl_registry.py  implementations of operators that programs register
bound.py        an operator with its attributes fixed   unsaid.py  what layers say of themselves on the way

arithmetic.py   + - * / and rounding                     mathematics.py  exp, log, sin and their kin
                                                         special.py      Bessel functions, incomplete gamma, zeta
comparison.py   comparisons, logic, bits, choice         activation.py   activation functions
reduction.py    sums, means, extremes along axes         scan.py         running sums, products, extremes
sorting.py      order, ranks, counts                     softmaxes.py    softmax and its kin
linear.py       matrix products                          linalg.py       norms, inverses, factors of matrices
factors.py      equations by factors                     spectra.py      Fourier transforms
                                                         tapers.py       weights of windows in time
complexes.py    complex numbers                         complex_rules.py  what operators on real ones do with them
convolution.py  convolutions                             pooling.py      windows of an image to one number
                                                         fractional_pooling.py  windows at random distances
windows.py      what these two have in common            normalization.py  batch, layer, group norm
entropy.py      cross entropy                            losses.py       other losses; ctc.py, that of sequences
recurrent.py    steps of LSTM and GRU                    recurrent_layers.py  all steps of LSTM, GRU and RNN
attention.py    scaled dot-product attention
image.py        enlarging, shuffling, windows            grids.py        pixels at given places
                                                         boxes.py        boxes in images

shape.py        other axes for the same elements         joining.py      parts to wholes and back, turned, repeated
copying.py      copies, conversions, in-place writes     padding.py      elements around a tensor
creation.py     constants, ranges, grids                 diagonals.py    diagonals and triangles of matrices
random.py       random numbers                           initializer.py  first values of parameters
exchange.py     what several processes do together; collectives.py, the same as classes
costs.py        multiply-adds of products and convolutions
places.py       what indices name; under all of
indexing.py     x[…], gather, embedding, and of          scatter.py      writing to places that indices name
"""

import sys
from importlib import import_module
from typing import Any

from anfora.core.nearest import MissingName
from anfora.ops import complex_rules as complex_rules  # tells operators of complex numbers
from anfora.ops import methods as methods  # gives Tensor its methods; before functions take the names of their modules
from anfora.ops.activation import *  # noqa: F403
from anfora.ops.arithmetic import *  # noqa: F403
from anfora.ops.attention import *  # noqa: F403
from anfora.ops.boxes import *  # noqa: F403
from anfora.ops.comparison import *  # noqa: F403
from anfora.ops.complexes import *  # noqa: F403
from anfora.ops.convolution import *  # noqa: F403
from anfora.ops.copying import *  # noqa: F403
from anfora.ops.creation import *  # noqa: F403
from anfora.ops.ctc import *  # noqa: F403
from anfora.ops.derived import *  # noqa: F403
from anfora.ops.diagonals import *  # noqa: F403
from anfora.ops.entropy import *  # noqa: F403
from anfora.ops.exchange import *  # noqa: F403
from anfora.ops.factors import *  # noqa: F403
from anfora.ops.fractional_pooling import *  # noqa: F403
from anfora.ops.grids import *  # noqa: F403
from anfora.ops.image import *  # noqa: F403
from anfora.ops.indexing import *  # noqa: F403
from anfora.ops.joining import *  # noqa: F403
from anfora.ops.linalg import *  # noqa: F403
from anfora.ops.linear import *  # noqa: F403
from anfora.ops.losses import *  # noqa: F403
from anfora.ops.mathematics import *  # noqa: F403
from anfora.ops.normalization import *  # noqa: F403
from anfora.ops.padding import *  # noqa: F403
from anfora.ops.pooling import *  # noqa: F403
from anfora.ops.programs import *  # noqa: F403
from anfora.ops.random import *  # noqa: F403
from anfora.ops.recurrent import *  # noqa: F403
from anfora.ops.recurrent_layers import *  # noqa: F403
from anfora.ops.reduction import *  # noqa: F403
from anfora.ops.scan import *  # noqa: F403
from anfora.ops.scatter import *  # noqa: F403
from anfora.ops.shape import *  # noqa: F403
from anfora.ops.softmaxes import *  # noqa: F403
from anfora.ops.sorting import *  # noqa: F403
from anfora.ops.special import *  # noqa: F403
from anfora.ops.spectra import *  # noqa: F403
from anfora.ops.tapers import *  # noqa: F403

#: What MindSpore has here too, and this package above its operators.
_ABOVE = {
    "anfora.api": ("GradOperation", "get_grad", "grad", "jacfwd", "jacrev", "jvp", "value_and_grad", "vjp"),
    "anfora.batching": ("vmap",),
    "anfora.directions": ("derivative", "jet", "linearize"),
    "anfora.eager.custom": ("custom_vjp",),
    "anfora.modes": ("_primexpr", "constexpr"),
    "anfora.ops.custom_class": ("Custom", "PyFunc", "kernel", "ms_kernel"),
    "anfora.ops.exchange": ("ReduceOp",),
    "anfora.ops.registration": ("CustomRegOp", "DataType"),
    "anfora.ops.user_primitives": ("PrimitiveWithCheck", "PrimitiveWithInfer", "prim_attr_register"),
}
_HOME = {name: module for module, names in _ABOVE.items() for name in names}

__all__ = list(methods.functions)
globals().update(methods.functions)  # as they are told to programs, with doors: see composite.py


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name == "Primitive" or name[:1].isupper():
        primitives = import_module("anfora.ops.primitives")
        if name != "Primitive" and name not in primitives.CLASSES and name not in primitives.PLAIN:
            raise MissingName("anfora.ops", name)
        value = primitives.Primitive if name == "Primitive" else primitives.primitive_class(name)
    elif name.endswith("_ext"):  # MindSpore's name for the form that `mint` has
        value = _extended(name)
    elif name.endswith("_op"):  # MindSpore's name for an operator of its generated ones: `select_ext_view_op`
        value = _generated(name)
    elif f"anfora.ops.{name}" in sys.modules:  # an older path
        value = sys.modules[f"anfora.ops.{name}"]
    elif name.startswith("__"):
        raise MissingName("anfora.ops", name)
    else:
        sparse = import_module("anfora.sparse_functions").FUNCTIONS
        value = sparse[name] if name in sparse else import_module("anfora.ops.older").find(name)
    globals()[name] = value
    return value


def _extended(name: str) -> Any:
    for module in ("anfora.mint.nn.functional", "anfora.mint"):
        if hasattr(import_module(module), name.removesuffix("_ext")):
            return getattr(import_module(module), name.removesuffix("_ext"))
    raise MissingName("anfora.ops", name)


def _generated(name: str) -> Any:
    base = name.removesuffix("_op").removesuffix("_view")
    if base.startswith("inplace_"):
        method = f"{base.removeprefix('inplace_').removesuffix('_ext')}_"
        if method in methods.METHODS:
            return methods.METHODS[method]
    for found in (base, base.removesuffix("_tensor")):
        if found in methods.functions or found.endswith("_ext"):
            return methods.functions[found] if found in methods.functions else _extended(found)
    raise MissingName("anfora.ops", name)


def __dir__() -> list[str]:
    primitives = import_module("anfora.ops.primitives")
    older = import_module("anfora.ops.older").names()
    sparse = import_module("anfora.sparse_functions").FUNCTIONS
    return sorted({*__all__, *_HOME, *older, *sparse, "Primitive", *primitives.PLAIN, *primitives.CLASSES})
