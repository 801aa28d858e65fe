"""Parameter: a named tensor that is trained."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from anfora.core import slots
from anfora.core.abstract import TensorType
from anfora.core.arguments import answers
from anfora.core.dtype import as_dtype
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.habits import teach
from anfora.core.memory import Epoch
from anfora.core.tensor import Tensor, buffer_of, current, leave_to_tape

__all__ = ["Parameter", "ParameterTuple"]

_GENERATED = "Parameter#"
_ORDER = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}  #: of the kinds of element types: each holds those before it
_numbers = itertools.count()


def _is_parameter_generated(param_name: Any) -> bool:
    """Whether a parameter has this name because it was given none."""
    return isinstance(param_name, str) and param_name.startswith(_GENERATED)


class ParameterError(OpTypeError, OpValueError):
    """What a Parameter cannot be made of; MindSpore raises a ValueError for it, and it is a matter of types."""


class Parameter(Tensor):
    """A tensor with a name, which a Cell finds among its attributes and an optimizer updates in place.

    Args:
        default_input: initial value: a tensor, a number, a nested list or a numpy array; it is copied.
        name: its name. When there is none it is `Parameter#` and a number, until a Cell gives it the name of an attribute.
        requires_grad: whether it is trained.
        layerwise_parallel, parallel_optimizer, storage_format: accepted for MindSpore programs; no effect here.

    Raises:
        ParameterError: `default_input` is True or False (a bool tensor is taken), or the name is no string.
        OpTypeError: `requires_grad` or `layerwise_parallel` is no bool.
    Example:
        >>> Parameter(Tensor([1., 2.]), name="w")
        Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)
    """

    def __init__(
        self,
        default_input: Any,
        name: str | None = None,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
        storage_format: str = "",
    ) -> None:
        if isinstance(default_input, bool):
            raise ParameterError(
                f"a Parameter is made of a tensor, an array or a number, but got {default_input}",
                help=f"for a parameter of bools: Parameter(Tensor({default_input})).",
                arg="default_input",
            )
        for what, flag in (("requires_grad", requires_grad), ("layerwise_parallel", layerwise_parallel)):
            if not isinstance(flag, bool):
                raise OpTypeError(f"a Parameter needs True or False for `{what}`, but got {flag!r}", arg=what)
        recorder = slots.watcher.recorder
        if recorder is None:
            super().__init__(default_input)
        else:
            with recorder.unwatched():  # it takes the values from `default_input` itself, see `note_parameter`
                super().__init__(default_input)
        if isinstance(default_input, Parameter) and name is None:
            name = default_input.__dict__["_name"]
        self.name = name  # type: ignore[assignment]
        self.layerwise_parallel = layerwise_parallel
        self.parallel_optimizer = parallel_optimizer
        self.requires_grad = requires_grad
        if recorder is not None:
            recorder.note_parameter(self, default_input)

    @property
    def name(self) -> str:
        """The name; inside a Cell the dotted path of attributes. One without a name gets it when it is asked for."""
        name = self.__dict__["_name"]
        if name is None:
            name = self.__dict__["_name"] = f"{_GENERATED}{next(_numbers)}"
        return name

    @name.setter
    def name(self, value: str | None) -> None:
        if value is not None and not isinstance(value, str):
            raise ParameterError(
                f"the name of a Parameter must be a string, but got {type(value).__name__}", arg="name"
            )
        if value is not None and (not value.strip() or len(value) > 1024):
            raise OpValueError("the name of a Parameter must have 1 to 1024 characters")
        self.__dict__["_name"] = value

    @property
    def is_named(self) -> bool:
        """Whether it was given a name."""
        name = self.__dict__["_name"]
        return name is not None and not _is_parameter_generated(name)

    @property
    def data(self) -> Parameter:
        """The parameter itself, as MindSpore has it."""
        return self

    @data.setter
    def data(self, value: Any) -> None:
        self.set_data(value)

    @property
    def is_init(self) -> bool:
        """Whether it holds data; always so here."""
        return True

    def init_data(self, *args: Any, **kwargs: Any) -> Parameter:
        """Parameters are initialised when they are made; gives the parameter."""
        return self

    def set_data(self, data: Any, slice_shape: bool = False) -> Parameter:
        """Give the parameter new values: data of its shape (any shape with `slice_shape`), converted to its type.

        Where shape and type stay the memory stays too, so views and optimizers see the new values.

        Raises:
            OpValueError: the shape differs.
            OpTypeError: the data is of a wider element type category (floats for an integer parameter).
        """
        is_alike = isinstance(data, Tensor) and data._array is not None and data.shape == self.shape
        if is_alike and _ORDER[data.dtype.kind] <= _ORDER[self.dtype.kind]:
            slots.assign(self, data)  # an operator, which graph mode does by itself
            return self
        array, dtype = buffer_of(data, None)
        if array.shape != self.shape and not slice_shape:
            raise OpValueError(
                f"set_data: the parameter {self.name} has shape {self.shape}, but the data has {array.shape}"
            )
        if dtype is not self.dtype:
            if _ORDER[dtype.kind] > _ORDER[self.dtype.kind]:
                raise OpTypeError(
                    f"set_data: the parameter {self.name} is {self.dtype}, which does not hold the values of {dtype}",
                    help="convert the data first, e.g. data.astype(param.dtype).",
                )
            array, _ = buffer_of(data if isinstance(data, Tensor) else Tensor(data), self.dtype)
        self._replace(array)
        return self

    def set_dtype(self, dtype: Any) -> Parameter:
        """Convert the values to another element type, in place; a gradient that was added up is dropped.

        Example:
            >>> Parameter([1., 2.], name="w").set_dtype(float16)
            Parameter (name=w, shape=(2,), dtype=Float16, requires_grad=True)
        """
        wanted = as_dtype(dtype)
        if wanted is not self.dtype:
            requires_grad = self.requires_grad
            array, _ = buffer_of(current(self).detach(), wanted)
            self.requires_grad = False
            self._layout = TensorType(wanted, self.shape).contiguous
            self._array, self._mark, self._epoch, self.grad = array, None, Epoch(), None
            self.requires_grad = requires_grad
        return self

    def _replace(self, array: np.ndarray) -> None:
        """Take over the values of a buffer of the element type."""
        if slots.watcher.recorder is not None:
            slots.watcher.recorder.note_foreign("a write to a Parameter")
        target = current(self)
        if array.shape == self.shape:
            leave_to_tape(target)
            target._array[...] = array
        else:
            target._array = array
            target._layout = TensorType(self.dtype, array.shape).contiguous
            target._mark, target._epoch = None, Epoch()

    def clone(self, init: Any = "same") -> Parameter:
        """A new parameter of the same shape, type and name, with the same values or freshly initialised.

        Args:
            init: "same", or what `initializer` takes.
        """
        twin = copy.copy(self)
        twin.__dict__["grad"] = None
        if not (isinstance(init, str) and init == "same"):
            from anfora.ops.initializer import initializer

            twin.set_data(initializer(init, self.shape, self.dtype))
        return twin

    def __repr__(self) -> str:
        return (
            f"Parameter (name={self.name}, shape={self.shape}, dtype={self.dtype}, requires_grad={self.requires_grad})"
        )

    def __str__(self) -> str:
        return repr(self)


class ParameterTuple(tuple):
    """A tuple of parameters, which a Cell that has it among its attributes knows by their names.

    Raises:
        OpTypeError: an item is no Parameter.
        OpValueError: two of them have the same name.
    Example:
        >>> len(ParameterTuple([Parameter(1.0, name="a"), Parameter(2.0, name="b")]))
        2
    """

    def __new__(cls, iterable: Iterable[Parameter]) -> ParameterTuple:
        items = tuple(iterable)
        named: dict[str, Parameter] = {}
        for item in items:
            if not isinstance(item, Parameter):
                raise OpTypeError(f"a ParameterTuple holds Parameters, but got {type(item).__name__}")
            if item.__dict__["_name"] is not None and named.setdefault(item.name, item) is not item:
                raise OpValueError(
                    f"ParameterTuple cannot take a second parameter of one name: its name '{item.name}' already exists.",
                    help="give each a name of its own.",
                )
        return super().__new__(cls, items)

    def clone(self, prefix: str, init: Any = "same") -> ParameterTuple:
        """Clones of all parameters, their names preceded by `prefix` and a dot."""
        return ParameterTuple(_renamed(p.clone(init), f"{prefix}.{p.name}") for p in self)

    def __iter__(self) -> Iterator[Parameter]:
        return super().__iter__()


answers(Parameter)
teach(Parameter, "Parameter")


def _renamed(parameter: Parameter, name: str) -> Parameter:
    parameter.name = name
    return parameter
