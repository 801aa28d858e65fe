"""Gradients added up over several steps before the optimizer sees them: `boost.GradientAccumulation`."""

from __future__ import annotations

from typing import Any

from anfora import ops
from anfora.core.cell import Cell
from anfora.core.dtype import int32
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.nn.checks import positive_int
from anfora.optim import Optimizer

__all__ = ["GradientAccumulation", "gradient_accumulation_op", "gradient_clear_op"]

gradient_accumulation_op = ops.MultitypeFuncGraph("gradient_accumulation_op")
gradient_clear_op = ops.MultitypeFuncGraph("gradient_clear_op")


@gradient_accumulation_op.register("Int64", "Tensor", "Tensor")
def _add(accumulation_step: int, cumulative_grad: Parameter, grad: Tensor) -> Parameter:
    """The share that a gradient has in a mean over steps is added to what there is."""
    ops.assign_add(cumulative_grad, grad / accumulation_step)
    return cumulative_grad


@gradient_clear_op.register("Tensor")
def _clear(cumulative_grad: Parameter) -> Tensor:
    return ops.assign(cumulative_grad, ops.zeros_like(cumulative_grad))


class GradientAccumulation(Cell):
    """Gives an optimizer the mean of the gradients of several steps: `construct(loss, grads)`, which gives the loss.

    Args:
        max_accumulation_step: how many steps, at least 1.
        optimizer: what gets the means; its parameters are those of the gradients.

    Example:
        >>> net = nn.Dense(1, 1, weight_init="zeros", has_bias=False)
        >>> step = GradientAccumulation(2, nn.SGD(net.trainable_params(), 0.5))
        >>> for value in (1.0, 3.0):
        ...     _ = step(Tensor(0.0), (Tensor([[value]]),))
        ...     print(net.weight.tolist())
        [[0.0]]
        [[-1.0]]
    """

    def __init__(self, max_accumulation_step: int, optimizer: Optimizer) -> None:
        super().__init__()
        self._max_accumulation_step = positive_int(
            "GradientAccumulation", "max_accumulation_step", max_accumulation_step
        )
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.hyper_map = ops.HyperMap()
        self._grad_accumulation = self.weights.clone(prefix="grad_accumulation", init="zeros")
        self._accumulation_step = Parameter(Tensor(0, int32), name="accumulation_step", requires_grad=False)

    def construct(self, loss: Any, grads: Any) -> Any:
        add = ops.partial(gradient_accumulation_op, self._max_accumulation_step)
        self.hyper_map(add, self._grad_accumulation, grads)
        ops.assign_add(self._accumulation_step, 1)
        if self._accumulation_step >= self._max_accumulation_step:
            self.optimizer(self._grad_accumulation)
            self.hyper_map(gradient_clear_op, self._grad_accumulation)
            ops.assign(self._accumulation_step, 0)
        return loss
