"""Training with a scaled loss, so that small gradients do not vanish in half precision.

The loss is multiplied by a scale before the gradients are taken, which are then divided by it. Where one is infinite or
NaN, the step is left out.
"""

from __future__ import annotations

from typing import Any

from anfora import ops
from anfora.api import value_and_grad
from anfora.core.cell import Cell
from anfora.core.dtype import float32, int32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.nn.checks import number, positive_int
from anfora.nn.wrap import TrainOneStepCell
from anfora.optim import Optimizer

__all__ = ["DynamicLossScaleUpdateCell", "FixedLossScaleUpdateCell", "TrainOneStepWithLossScaleCell"]


class FixedLossScaleUpdateCell(Cell):
    """A scale that stays. `construct(loss_scale, overflow)` gives `overflow`.

    Example:
        >>> FixedLossScaleUpdateCell(1024).get_loss_scale()
        1024.0
    """

    def __init__(self, loss_scale_value: float) -> None:
        super().__init__()
        self.loss_scale_value = number("FixedLossScaleUpdateCell", "loss_scale_value", loss_scale_value, above=0.0)

    def get_loss_scale(self) -> float:
        """The scale."""
        return self.loss_scale_value

    def construct(self, loss_scale: Parameter, overflow: Any) -> Any:
        return overflow


class DynamicLossScaleUpdateCell(Cell):
    """A scale that is divided by a factor (down to 1) after an overflow, and multiplied by it after so many steps
    without one.

    `construct(loss_scale, overflow)` writes the new scale into the parameter `loss_scale`, and gives `overflow`.

    Args:
        loss_scale_value: the scale to begin with, > 0.
        scale_factor: the factor, an integer > 1.
        scale_window: so many steps, > 0.

    Example:
        >>> update = DynamicLossScaleUpdateCell(1024, 2, 100)
        >>> scale = Parameter(1024.0); _ = update(scale, Tensor(True)); scale.item()
        512.0
    """

    def __init__(self, loss_scale_value: float, scale_factor: int, scale_window: int) -> None:
        super().__init__()
        name = "DynamicLossScaleUpdateCell"
        self.loss_scale_value = number(name, "loss_scale_value", loss_scale_value, above=0.0)
        self.scale_factor = positive_int(name, "scale_factor", scale_factor)
        self.scale_window = positive_int(name, "scale_window", scale_window)
        if scale_factor == 1:
            raise OpValueError(f"{name} needs a `scale_factor` > 1, but got 1", arg="scale_factor")
        self.current_iterator_step = Parameter(Tensor(1, int32), requires_grad=False)
        self.last_overflow_iterator_step = Parameter(Tensor(0, int32), requires_grad=False)

    def get_loss_scale(self) -> float:
        """The scale to begin with."""
        return self.loss_scale_value

    def construct(self, loss_scale: Parameter, overflow: Any) -> Any:
        step = int(self.current_iterator_step)
        if overflow:
            ops.assign(loss_scale, max(float(loss_scale) / self.scale_factor, 1.0))
            ops.assign(self.last_overflow_iterator_step, step)
        elif step - int(self.last_overflow_iterator_step) >= self.scale_window:
            ops.assign(loss_scale, float(loss_scale) * self.scale_factor)
            ops.assign(self.last_overflow_iterator_step, step)
        ops.assign(self.current_iterator_step, step + 1)
        return overflow


class TrainOneStepWithLossScaleCell(TrainOneStepCell):
    """A step of training with a scaled loss.

    Args:
        network: a Cell whose only output is the loss.
        optimizer: updates its parameters.
        scale_sense: the scale as a tensor, or a Cell that changes it, such as DynamicLossScaleUpdateCell.
    Returns of `construct(*inputs)`:
        (loss, whether a gradient overflowed and nothing was updated, the scale that was used).

    Subclasses that write their own `construct` find `scale_sense`, `start_overflow_check`, `get_overflow_status` and
    `process_loss_scale`.

    Example:
        >>> net = nn.WithLossCell(nn.Dense(4, 2), nn.CrossEntropyLoss())
        >>> step = TrainOneStepWithLossScaleCell(net, nn.SGD(net.trainable_params()), Tensor(1024.0))
        >>> loss, overflow, scale = step(ops.ones((3, 4)), Tensor([0, 1, 0]))
        >>> overflow.item(), scale.item()
        (False, 1024.0)
    """

    def __init__(self, network: Cell, optimizer: Optimizer, scale_sense: Any) -> None:
        super().__init__(network, optimizer)
        self.loss_scaling_manager: Cell | None = None
        if isinstance(scale_sense, Cell):
            self.loss_scaling_manager = scale_sense
            scale_sense = Tensor(scale_sense.get_loss_scale(), float32)  # type: ignore[attr-defined]
        elif not isinstance(scale_sense, Tensor) or scale_sense.size != 1:
            raise OpTypeError(
                f"{type(self).__name__} needs a Cell or a tensor of one number for `scale_sense`, but got {scale_sense!r}"
            )
        self.scale_sense = Parameter(scale_sense.reshape(()), name="scale_sense", requires_grad=False)

    def construct(self, *inputs: Any) -> tuple[Tensor, Tensor, Tensor]:
        scale = ops.copy(self.scale_sense)

        def scaled(*args: Any) -> tuple[Tensor, Tensor]:
            loss = self.network(*args)
            return loss * scale.astype(loss.dtype), loss

        (_, loss), gradients = value_and_grad(scaled, None, self.weights, has_aux=True)(*inputs)
        gradients = tuple(gradient / scale.astype(gradient.dtype) for gradient in gradients)
        gradients = self.grad_reducer(gradients)
        overflow = self.process_loss_scale(self.get_overflow_status(None, gradients))
        if not overflow:
            self.optimizer(gradients)
        return loss, overflow, scale

    def set_sense_scale(self, sens: Tensor) -> None:
        """Set the scale."""
        if not isinstance(sens, Tensor):
            raise OpTypeError(f"{type(self).__name__}.set_sense_scale needs a tensor, but got {type(sens).__name__}")
        self.scale_sense.set_data(sens.reshape(()))

    def start_overflow_check(self, pre_cond: Any, compute_input: Any) -> tuple[Any, Any]:
        """Where a step begins, for programs that carry a status of the device; gives (status, compute_input)."""
        return pre_cond, compute_input

    def get_overflow_status(self, status: Any, compute_output: Any) -> Tensor:
        """Whether one of the gradients is infinite or NaN."""
        finite = Tensor(True)
        for gradient in compute_output:  # nothing is looked at in between: a compiled step has one branch
            finite = ops.logical_and(finite, ops.isfinite(gradient).all())
        return ops.logical_not(finite)

    def process_loss_scale(self, overflow: Tensor) -> Tensor:
        """Tell the Cell that changes the scale, if there is one; gives `overflow`."""
        if self.loss_scaling_manager is None:
            return overflow
        return self.loss_scaling_manager(self.scale_sense, overflow)
