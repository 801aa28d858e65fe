"""What a program does at the moments of a pipeline: `map(…, callbacks=…)`, `sync_wait` and `sync_update`.

Rows go through such a pipeline one at a time, in this thread, when they are asked for: then a moment comes just before and
just after what the program does with a row, and what it changes holds for the rows that follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from anfora.core.errors import OpAttributeError, OpRuntimeError
from anfora.dataset import checks
from anfora.dataset.blocks import Block
from anfora.dataset.gathering import Batch
from anfora.dataset.node import Node, Run, Through

__all__ = ["After", "Before", "DSCallback", "Gate", "Wait", "callbacks_of"]


class Moment:
    """Where a pipeline stands: `cur_epoch_num`, `cur_step_num` and `cur_step_num_in_epoch`, counted from 1."""

    def __init__(self) -> None:
        self.cur_epoch_num = self.cur_step_num = self.cur_step_num_in_epoch = 0
        self._begun = False


class DSCallback:
    """What a program does at the moments of a pipeline.

    Args:
        step_size: how many rows a step has.
    A class of the program's own overrides some of the methods; each gets an object with `cur_epoch_num`, `cur_step_num` and
    `cur_step_num_in_epoch`, counted from 1.
    Example:
        >>> from anfora.dataset import NumpySlicesDataset
        >>> class Tell(DSCallback):
        ...     def ds_epoch_begin(self, ds_run_context):
        ...         print("epoch", ds_run_context.cur_epoch_num)
        >>> data = NumpySlicesDataset([1, 2], ["x"]).map(lambda x: x, "x", callbacks=Tell())
        >>> for row in data.create_tuple_iterator(num_epochs=1):
        ...     pass
        epoch 1
    """

    def __init__(self, step_size: int = 1) -> None:
        self.step_size = checks.integer_in("step_size", step_size, 1)

    def ds_begin(self, ds_run_context: Any) -> None:
        """Before the first epoch."""

    def ds_epoch_begin(self, ds_run_context: Any) -> None:
        """Before each epoch."""

    def ds_epoch_end(self, ds_run_context: Any) -> None:
        """After each epoch."""

    def ds_step_begin(self, ds_run_context: Any) -> None:
        """Before each step: before its first row is worked on."""

    def ds_step_end(self, ds_run_context: Any) -> None:
        """After the first row of each step has been worked on."""


def callbacks_of(given: Any) -> list[DSCallback]:
    """The callbacks that a program gave to `map`: one, or a list."""
    found = list(given) if isinstance(given, (list, tuple)) else [] if given is None else [given]
    for callback in found:
        if not isinstance(callback, DSCallback):
            raise checks.wrong_type("callbacks", callback, DSCallback)
        moments = [name for name in vars(DSCallback) if name.startswith("ds_")]
        if all(getattr(type(callback), name) is getattr(DSCallback, name) for name in moments):
            raise OpAttributeError(
                f"{type(callback).__name__} overrides none of the methods of DSCallback", help=f"they are {moments}."
            )
    return found


class Before(Through):
    """Rows one at a time, and the moments before them; the moments after them are those of the `After` above.

    Args:
        callbacks: what is done.
    """

    in_order = True

    def __init__(self, child: Node, callbacks: list[DSCallback]) -> None:
        super().__init__(child)
        self.callbacks, self.indexed = callbacks, False

    def moment(self, run: Run) -> Moment:
        return run.keep(self, "moment", 0, Moment)

    def tell(self, run: Run, name: str) -> None:
        moment = self.moment(run)
        for callback in self.callbacks:
            if not name.startswith("ds_step") or (moment.cur_step_num_in_epoch - 1) % callback.step_size == 0:
                getattr(callback, name)(moment)

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        moment = self.moment(run)
        if not moment._begun:
            moment._begun = True
            self.tell(run, "ds_begin")
        moment.cur_epoch_num, moment.cur_step_num_in_epoch = epoch + 1, start
        self.tell(run, "ds_epoch_begin")
        for block in run.stream(self.child, epoch, start, 1):
            for number in range(block.count):
                moment.cur_step_num += 1
                moment.cur_step_num_in_epoch += 1
                self.tell(run, "ds_step_begin")
                yield block.part(number, number + 1)


class After(Through):
    """The rows of a `map`, and the moments after them."""

    in_order = True

    def __init__(self, child: Node, before: Before) -> None:
        super().__init__(child)
        self.before = before

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        for block in run.stream(self.child, epoch, start):
            self.before.tell(run, "ds_step_end")
            yield block
        self.before.tell(run, "ds_epoch_end")


class Gate:
    """Lets rows through when the program says so.

    Args:
        name: by which the program names it.
        batches: how many batches are let through at the beginning of an epoch, and by a word of the program.
        callback: called with what the program says then, or None.
    """

    def __init__(self, name: str, batches: int, callback: Callable[[Any], Any] | None) -> None:
        self.name, self.batches, self.callback = name, batches, callback
        self.begin(1)

    def begin(self, size: int) -> None:
        """At the beginning of an epoch, whose batches have so many rows."""
        self._size, self._rows = size, self.batches * size

    def open(self, batches: int | None, data: Any) -> None:
        self._rows += (batches or self.batches) * self._size
        if self.callback is not None:
            self.callback(data)

    def let_through(self) -> None:
        if not self._rows:
            raise OpRuntimeError(
                f"the rows behind sync_wait({self.name!r}) wait for sync_update({self.name!r}), which was not called",
                help="call it between one batch and the next.",
            )
        self._rows -= 1


class Wait(Through):
    """Rows one at a time, when a gate lets them through."""

    in_order = True

    def __init__(self, child: Node, gate: Gate) -> None:
        super().__init__(child)
        self.gate, self.indexed = gate, False

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        self.gate.begin(_rows_in(run.root, self))
        for block in run.stream(self.child, epoch, start, 1):
            for number in range(block.count):
                self.gate.let_through()
                yield block.part(number, number + 1)


def _rows_in(node: Node, below: Node) -> int:
    """How many rows of a node below are batched to one of a node; 0 if it is not below."""
    if node is below:
        return 1
    rows = max([_rows_in(child, below) for child in node.children], default=0)
    return rows * node.batch_size if isinstance(node, Batch) else rows
