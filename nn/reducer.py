"""Gradients of several processes: their sum or mean, whole or by micro-batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anfora import ops
from anfora.communication import world
from anfora.core import slots
from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.parameter import Parameter
from anfora.core.processes import ParallelMode, get_auto_parallel_context
from anfora.core.tensor import Tensor
from anfora.nn.checks import flag
from anfora.nn.micro_batches import MicroBatches, checked_count
from anfora.ops.exchange import summed_gradients

__all__ = ["DistributedGradReducer"]


def is_data_parallel() -> bool:
    """Whether training Cells sum gradients over all processes."""
    return get_auto_parallel_context("parallel_mode") in (ParallelMode.DATA_PARALLEL, ParallelMode.HYBRID_PARALLEL)


def broadcast_parameters(cell: Cell) -> None:
    """Give all processes the parameters of process 0, where `parameter_broadcast` is set."""
    if is_data_parallel() and get_auto_parallel_context("parameter_broadcast"):
        for parameter in cell.get_parameters():
            if not parameter.layerwise_parallel:
                slots.assign(parameter, ops.broadcast_from(ops.stop_gradient(parameter), 0))


class DistributedGradReducer(Cell):
    """The sum, or mean, of the gradients of all processes: `construct(grads)`, a tensor or tuple, gives as many.

    With `micro_batches` a batch is divided into so many parts, whatever the number of processes, and the result has the
    same bits on 1, 2, 4 … of them: `distribute(grad_fn)` gives the function that does so. docs/several_processes.md tells
    the order of all sums.

    Args:
        parameters: whose gradients these are. Those with `layerwise_parallel` keep the gradients of their process.
        mean: whether they are divided by `degree`; by default the setting `gradients_mean`, and True with `micro_batches`.
        degree: by default the number of processes, or of micro-batches.
        fusion_type: accepted for MindSpore programs: all gradients travel together.
        group: name of a group of processes; all by default.
        micro_batches: a power of two, which the processes can share equally.
        network: with `micro_batches`: the Cell, or a list of them, whose untrained parameters (the moving averages of
            BatchNorm) are kept alike; by default the Cells that the function uses.
    Raises:
        OpTypeError: an argument has another type.
        OpValueError: `degree` is not positive; the processes cannot share the micro-batches.
        OpRuntimeError, at a call: the processes do not bring the same; one of them fails, or does not come.

    Example:
        >>> net = nn.Dense(2, 1, weight_init="zeros", bias_init="zeros")
        >>> optimizer = nn.SGD(net.trainable_params(), 0.1)
        >>> loss_fn = nn.MSELoss()
        >>> grad_fn = value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
        >>> grad_fn = nn.DistributedGradReducer(optimizer.parameters, micro_batches=2).distribute(grad_fn)
        >>> loss, gradients = grad_fn(Tensor([[1., 2.], [3., 4.]]), Tensor([[1.], [3.]]))
        >>> loss.item(), gradients[0].tolist()
        (5.0, [[-10.0, -14.0]])
    """

    def __init__(
        self,
        parameters: Sequence[Parameter],
        mean: bool | None = None,
        degree: int | None = None,
        fusion_type: int = 1,
        group: str = world.MCCL_WORLD_COMM_GROUP,
        *,
        micro_batches: int | None = None,
        network: Any = None,
    ) -> None:
        super().__init__(auto_prefix=False)
        name = "DistributedGradReducer"
        found = world.group_of(group, name)
        if micro_batches is not None:
            checked_count(name, micro_batches, found.size)
        if degree is not None and (isinstance(degree, bool) or not isinstance(degree, int) or degree < 1):
            kind = OpTypeError if not isinstance(degree, int) else OpValueError
            raise kind(f"{name} needs a positive integer for `degree`, but got {degree!r}", arg="degree")
        if mean is None:
            mean = micro_batches is not None or bool(get_auto_parallel_context("gradients_mean"))
        self.mean = flag(name, "mean", mean)
        self.degree = degree or micro_batches or found.size
        self.micro_batches = micro_batches
        self._group, self._size = found.name, found.size
        self._parameters = tuple(parameters)
        self._stays = tuple(bool(getattr(parameter, "layerwise_parallel", False)) for parameter in self._parameters)
        self._network = network
        self._scale = float(np.float32(1.0 / self.degree)) if self.mean else 1.0

    def construct(self, grads: Any) -> Any:
        if self.micro_batches is not None:
            raise OpTypeError(
                f"DistributedGradReducer with {self.micro_batches} micro-batches needs the gradients of each one, and got "
                "those of a batch",
                help="grad_fn = reducer.distribute(grad_fn), then loss, grads = grad_fn(data, label) is all.",
            )
        if isinstance(grads, Tensor):
            return self._summed([grads])[0]
        stays = self._stays if len(self._stays) == len(grads) else (False,) * len(grads)
        sums = iter(self._summed([g for g, is_own in zip(grads, stays) if not is_own]))
        return tuple([g if is_own else next(sums) for g, is_own in zip(grads, stays)])

    def _summed(self, grads: list[Tensor]) -> tuple[Tensor, ...]:
        if not grads:
            return ()
        sums = summed_gradients(grads, self._scale, self._group, self._size)
        return sums if len(grads) > 1 else (sums,)

    def distribute(self, grad_fn: Callable) -> Callable:
        """The function that gives, for a batch, what `grad_fn` gives for all micro-batches of all processes together.

        Args:
            grad_fn: gives (value, gradients) of the parameters, as `value_and_grad` makes it, or gradients alone.
        Returns:
            function of the same arguments, of which axis 0 is divided: of this process's part of the batch, or with the
            setting `full_batch` of the whole. Values of one number are averaged as the gradients are; values with a row
            for each example are this process's. It need not, and should not, be called in a compiled function.
        Raises:
            OpTypeError: the reducer has no `micro_batches`.
            OpTypeError, at a call: `grad_fn` gives something else.   OpValueError, at a call: the batch cannot be divided.
        """
        if self.micro_batches is None:
            raise OpTypeError("DistributedGradReducer.distribute needs a reducer with `micro_batches`")
        scale = 1.0 / self.degree if self.mean else 1.0
        return MicroBatches(self._parameters, self.micro_batches, self._group, scale, self._network).of(grad_fn)
