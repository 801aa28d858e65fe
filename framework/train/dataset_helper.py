"""How a loop gets its data: `DatasetHelper`, and `data_sink`, a step that takes its data itself."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from anfora.core.arguments import answers
from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError, OpValueError
from anfora.nn.checks import flag, integer

__all__ = ["DatasetHelper", "check_dataset", "connect_network_with_dataset", "data_sink"]


def check_dataset(owner: str, name: str, dataset: Any) -> int:
    """How many steps an epoch of a dataset has.

    Raises:
        OpTypeError: it is no dataset.   OpValueError: it is empty.
    """
    if not (hasattr(dataset, "create_tuple_iterator") and hasattr(dataset, "get_dataset_size")):
        raise OpTypeError(
            f"{owner} needs a dataset for `{name}`, but got {type(dataset).__name__}", arg=name,
            help="anfora.dataset.GeneratorDataset makes one of a list, an iterable or a function.",
        )  # fmt: skip
    size = dataset.get_dataset_size()
    if size == 0:
        raise OpValueError(
            f"{owner}: `{name}` is empty: there is nothing to learn from or to look at", arg=name,
            help="a batch that is larger than the data is dropped with drop_remainder=True.",
        )  # fmt: skip
    return size


@answers
class DatasetHelper:
    """The data of some epochs: each time it is gone through is an epoch.

    Args:
        dataset: a dataset.
        dataset_sink_mode: accepted for MindSpore programs: on a CPU there is nothing to send data to.
        sink_size: -1 or a positive number; accepted as well.
        epoch_num: how many epochs; -1 for any number.
    Raises:
        OpTypeError, OpValueError: an argument has another type or is out of range, or the dataset is empty.
    Example:
        >>> import anfora.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3, 4], ["x"], shuffle=False).batch(2)
        >>> [x.tolist() for x, in DatasetHelper(data, False)]
        [[1, 2], [3, 4]]
    """

    def __init__(self, dataset: Any, dataset_sink_mode: bool = True, sink_size: int = -1, epoch_num: int = 1) -> None:
        name = "DatasetHelper"
        flag(name, "dataset_sink_mode", dataset_sink_mode)
        check_sink_size(name, sink_size)
        self._size = check_dataset(name, "dataset", dataset)
        self.dataset = dataset
        self.iter = dataset.create_tuple_iterator(num_epochs=integer(name, "epoch_num", epoch_num, least=-1))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.iter)

    def sink_size(self) -> int:
        """How many steps a pass of the loop does: one."""
        return 1

    def types_shapes(self) -> tuple[list, list]:
        """The element types and shapes of a row."""
        return self.dataset.output_types(), self.dataset.output_shapes()

    get_data_info = types_shapes

    def stop_send(self) -> None:
        """End what works for this."""
        if hasattr(self.iter, "stop"):
            self.iter.stop()

    release = stop_send

    def continue_send(self) -> None:
        """Accepted for MindSpore programs."""


def check_sink_size(owner: str, sink_size: Any) -> int:
    """-1 or a positive number."""
    if integer(owner, "sink_size", sink_size, least=-1) == 0:
        raise OpValueError(f"{owner} needs -1 or a positive int for `sink_size`, but got 0", arg="sink_size")
    return int(sink_size)


def connect_network_with_dataset(network: Cell, dataset_helper: DatasetHelper) -> Cell:
    """A network that takes its data itself: each call takes the next row of the helper's dataset.

    Args:
        network: what is called with the fields of a row.
        dataset_helper: whose rows it takes, epoch after epoch.
    Raises:
        OpTypeError: one of them is something else.
    Example:
        >>> import anfora.dataset as ds
        >>> data = ds.NumpySlicesDataset([-1.0, 2.0], ["x"], shuffle=False)
        >>> net = connect_network_with_dataset(nn.ReLU(), DatasetHelper(data, epoch_num=-1))
        >>> [net().item() for _ in range(3)]
        [0.0, 2.0, 0.0]
    """
    if not isinstance(network, Cell):
        raise OpTypeError(f"connect_network_with_dataset needs a Cell, but got {type(network).__name__}")
    if not isinstance(dataset_helper, DatasetHelper):
        raise OpTypeError(
            f"connect_network_with_dataset needs a DatasetHelper, but got {type(dataset_helper).__name__}"
        )
    return _Fed(network, dataset_helper.iter)


class _Fed(Cell):
    """A network with its data."""

    def __init__(self, network: Cell, rows: Any) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self._rows = rows

    def __call__(self) -> Any:
        return self.network(*_next_row(self._rows))


def _next_row(rows: Any) -> Any:
    """The next row; after the last one of an epoch the first one of the next."""
    try:
        return next(rows)
    except StopIteration:
        return next(rows)


def data_sink(
    fn: Callable, dataset: Any, sink_size: int = 1, jit_config: Any = None, input_signature: Any = None
) -> Callable:
    """A function without arguments that does some steps of `fn` on the next rows of a dataset, and gives what the last one
    gave.

    Args:
        fn: what is called with the fields of a row.
        dataset: a dataset; its rows come epoch after epoch, without end.
        sink_size: how many steps a call does, > 0.
        jit_config: with one, `fn` is compiled as `jit` does.
        input_signature: accepted for MindSpore programs.
    Raises:
        OpTypeError, OpValueError: an argument has another type or is out of range, or the dataset is empty.
    Example:
        >>> import anfora.dataset as ds
        >>> data = ds.NumpySlicesDataset([1.0, 2.0, 3.0, 4.0], ["x"], shuffle=False)
        >>> step = data_sink(lambda x: x * 10, data, sink_size=2)
        >>> step().item(), step().item(), step().item()
        (20.0, 40.0, 20.0)
    """
    if not callable(fn):
        raise OpTypeError(f"data_sink needs a function, but got {fn!r}", arg="fn")
    steps = integer("data_sink", "sink_size", sink_size, least=1)
    check_dataset("data_sink", "dataset", dataset)
    if jit_config is not None:
        from anfora.modes import jit

        called: Callable = jit(fn, jit_config=jit_config)
    else:
        called = fn
    rows: Any = None

    @functools.wraps(fn)
    def sink_process(*args: Any, **kwargs: Any) -> Any:
        nonlocal rows
        if rows is None:
            rows = dataset.create_tuple_iterator(num_epochs=-1)
        for _ in range(steps):
            out = called(*_next_row(rows))
        return out

    return sink_process
