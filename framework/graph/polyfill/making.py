"""Parameters that the program makes, and layers that hold them.

    layer = nn.Dense(3, 4)      draws, an operator, and a Parameter      in each call another Parameter, with
    y = layer(x)           as   that is made where the piece starts;  so values of its own, and another layer
    return y, layer             an operator writes the values into it

A Parameter is an object that an optimizer or a tape outside may find, so each run of a piece makes a real one: what makes
it (`Fresh`) stands in the place of where it comes from, and the rest of the recorder takes it for one from outside. A
layer is what its attributes are, so it is put down in images like other objects of the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from anfora.core import slots
from anfora.core.cell import Cell
from anfora.core.dtype import DType
from anfora.core.parameter import Parameter, ParameterTuple
from anfora.core.tensor import Tensor, _fill, current
from anfora.core.tree import tensors
from anfora.graph.facts import known
from anfora.graph.facts.classes import class_attribute, is_set_through
from anfora.graph.facts.origins import Origin
from anfora.graph.state.images import is_plain_object
from anfora.ops.bound import Bound

__all__ = ["Fresh", "cells_among", "is_made_here", "may_be_held", "names_plainly", "note_parameter", "settle"]

_NAMING = ("__setattr__", "cells_and_names", "get_parameters", "parameters_and_names", "update_parameters_name")
_PLAIN = (type(None), bool, int, float, str, Bound, DType)


class Fresh:
    """Makes a Parameter like the one that the first run has made.

    Args:
        array: its initial values; None where operators write them.
    """

    __name__ = "Parameter"  #: in reports

    def __init__(self, parameter: Parameter, array: np.ndarray | None) -> None:
        self.layout, self.array = parameter._layout, array
        self.shape, self.storage = parameter._array.shape, parameter._array.dtype
        self.settle(parameter)

    def settle(self, parameter: Parameter) -> None:
        """Take over what the Parameter is now: it has got its name, say."""
        self.attributes = dict(parameter.__dict__)
        self.requires_grad = parameter.requires_grad

    def __call__(self) -> Parameter:
        array = np.empty(self.shape, self.storage) if self.array is None else self.array.copy()
        parameter = Parameter.__new__(Parameter)
        _fill(parameter, array, self.layout)
        parameter.__dict__.update(self.attributes)
        if self.requires_grad:
            parameter.requires_grad = True
        return parameter


def note_parameter(recorder: Any, parameter: Parameter, value: Any) -> None:
    """Write down that the program has made a Parameter of a value."""
    is_tensor = isinstance(value, Tensor)
    if type(parameter) is not Parameter or (not is_tensor and list(tensors(value))):
        recorder.note_foreign(f"a new {type(parameter).__name__}")
        return
    is_known = not is_tensor or recorder.is_known_now(current(value))
    fresh = Fresh(parameter, parameter._array.copy() if is_known else None)
    recorder.fresh[id(parameter)] = fresh
    recorder.piece.is_making = True
    recorder.register(parameter, Origin("number", fresh, ()))
    if not is_known:
        slots.assign(parameter, value)


def settle(recorder: Any, value: Any) -> None:
    """What has been made is complete: let later runs make it so."""
    for parameter in value.get_parameters() if isinstance(value, Cell) else tensors(value):
        if id(parameter) in recorder.fresh:
            recorder.fresh[id(parameter)].settle(parameter)


def may_be_held(recorder: Any, cell: Cell, name: Any, value: Any) -> bool:
    """Whether a Cell that the program has made may get an attribute, and nothing is changed but what the piece has made:
    parameters get names."""
    if recorder.is_outside(cell) or not names_plainly(type(cell)) or name == "bprop":
        return False
    if is_set_through(class_attribute(type(cell), name)):
        return False
    return not isinstance(value, (Parameter, Cell)) or is_made_here(recorder, value)


def cells_among(values: Any) -> Iterator[Cell]:
    """The Cells of a nesting."""
    if isinstance(values, Cell):
        yield values
    elif isinstance(values, (tuple, list, dict)):
        for value in values.values() if isinstance(values, dict) else values:
            yield from cells_among(value)


def names_plainly(kind: type) -> bool:
    """Whether nothing of the program is called where a Cell of a class is attached, and its parameters are named."""
    return all(getattr(kind, name).__module__.startswith("anfora.") for name in _NAMING)


def is_made_here(recorder: Any, value: Any) -> bool:
    """Whether a layer, or what one holds, is made of numbers, texts, operators, and of parameters and layers that the
    present piece has made."""
    if isinstance(value, Parameter):
        return id(value) in recorder.fresh
    if isinstance(value, Cell):
        is_own = is_plain_object(type(value)) and names_plainly(type(value)) and not recorder.is_outside(value)
        return is_own and all(is_made_here(recorder, each) for each in value.__dict__.values())
    if type(value) in (tuple, list, ParameterTuple):
        return all(is_made_here(recorder, each) for each in value)
    if type(value) is dict:
        return all(type(name) is str and is_made_here(recorder, each) for name, each in value.items())
    if type(value) is Tensor:
        return True
    is_stateless = known.is_ours(type(value)) and getattr(value, "__dict__", None) == {}
    return type(value) in _PLAIN or is_stateless or known.is_constant(value)
