"""Cells that write to Parameters in place by numbers which Python works out for each call: optimizers.

PyNative mode calls them like any Cell. Graph mode asks an `Updater` to prepare an `Update` instead, which is a planned
call of an operator, and does that natively in later calls. Only the numbers are asked for again each time.

`step` and `zero_grad` are programs like the user's: the compiler goes into them, and knows what `take_step` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from anfora.core import memory
from anfora.core.cell import Cell
from anfora.core.errors import OpRuntimeError
from anfora.core.parameter import ParameterTuple
from anfora.core.tensor import Tensor
from anfora.eager.entry import Entry

__all__ = ["Place", "Update", "Updater", "found_at", "take_step"]

#: Where a Parameter is found: names of attributes, starting from the Cell, and positions in tuples.
Place = tuple[Any, ...]


@dataclass
class Update:
    """A call of an Updater that has been worked out and not been done.

    Attributes:
        entry: of an operator that takes what is written, `given`, and the numbers, in this order.
        places: where the Parameters that are written are found.
        given: the tensors that are read; None where one is absent.
        numbers: a tensor with all numbers that differ from call to call.
        renumber: from the Cell to the numbers of its next call, without an effect. It raises an exception where that call
            would not be this one but for the numbers.
        result: what the Cell returns.
    """

    entry: Entry
    places: Sequence[Place]
    given: Sequence[Tensor | None]
    numbers: Tensor
    renumber: Callable[[Any], Tensor]
    result: Any

    def targets(self, cell: Cell) -> list[Tensor]:
        """The Parameters that are written."""
        return [found_at(cell, place) for place in self.places]


class Updater(Cell):
    """A Cell whose call is one operator that writes to Parameters of its own."""

    parameters: ParameterTuple  #: those that gradients are given for

    def step(self) -> None:
        """Update with the gradients that `loss.backward()` has left in `.grad`; parameters without one stay."""
        gradients = [parameter.grad for parameter in self.parameters]
        if all([gradient is None for gradient in gradients]):  # noqa: C419
            raise OpRuntimeError("step() found no gradient in any parameter", help="call loss.backward() first.")
        take_step(self, gradients)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients in `.grad` of the parameters, or replace them by zeros."""
        gradients = [parameter.grad for parameter in self.parameters]
        for parameter, gradient in zip(self.parameters, gradients):
            if set_to_none:
                parameter.grad = None
            elif gradient is not None:
                parameter.grad = gradient.new_zeros(parameter.shape)

    def update_present(self, gradients: Sequence[Tensor | None]) -> None:
        """Update the parameters that have gradients."""
        raise NotImplementedError

    def prepare_update(self, given: Any, is_partial: bool = False) -> Update | None:
        """What the call `self(given)`, or `self.update_present(given)`, would do; None where it is more than one operator,
        or has other effects.

        Raises:
            Exception: what the call would raise.
        """
        raise NotImplementedError

    def sources(self) -> Iterator[Tensor]:
        """What the numbers may follow from."""
        raise NotImplementedError

    def is_apart_from(self, *tensors: Tensor) -> bool:
        """Whether the numbers stay as they are when tensors are written to."""
        written = [memory.root(tensor._array) for tensor in tensors]
        return not any(memory.root(source._array) is owner for source in self.sources() for owner in written)


def take_step(updater: Updater, gradients: Sequence[Tensor | None]) -> None:
    """Update the parameters that have gradients."""
    updater.update_present(gradients)


def found_at(cell: Cell, place: Place) -> Any:
    """What stands at a place."""
    found: Any = cell
    for step in place:
        found = found[step] if type(step) is int else getattr(found, step)
    return found
