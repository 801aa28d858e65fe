"""Steps of training by micro-batches: what `Model(…, micro_batches=M)` calls for each batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora import ops
from anfora.api import value_and_grad
from anfora.core.cell import Cell
from anfora.core.tensor import Tensor
from anfora.nn.loss_scale import TrainOneStepWithLossScaleCell
from anfora.nn.reducer import DistributedGradReducer
from anfora.nn.wrap import TrainOneStepCell
from anfora.optim import Optimizer

__all__ = ["MicroBatchesStep", "MicroBatchesStepWithLossScale"]


class _Scaled:
    """A network whose value is multiplied by a number; gives that and the value itself."""

    def __init__(self, network: Callable) -> None:
        self.network = network

    def __call__(self, scale: Tensor, *inputs: Any) -> tuple[Tensor, Tensor]:
        value = self.network(*inputs)
        return value * scale.astype(value.dtype), value


class MicroBatchesStep(TrainOneStepCell):
    """A step of training whose batch is divided into micro-batches, over all processes; see `DistributedGradReducer`.

    Args:
        network: a Cell whose only output is the loss.
        optimizer: updates its parameters.
        micro_batches: how many, of all processes together.
        sens: the gradient of the loss; 1 when None.
    Returns of `construct(*inputs)`:
        the mean of the losses of all micro-batches.
    Example:
        >>> net = nn.Dense(2, 1, weight_init="zeros", bias_init="zeros")
        >>> optimizer = nn.SGD(net.trainable_params(), 0.1)
        >>> step = MicroBatchesStep(nn.WithLossCell(net, nn.MSELoss()), optimizer, 2)
        >>> step(Tensor([[1., 2.], [3., 4.]]), Tensor([[1.], [3.]])).item()
        5.0
    """

    def __init__(self, network: Cell, optimizer: Optimizer, micro_batches: int, sens: float | None = None) -> None:
        super().__init__(network, optimizer, sens)
        self.grad_reducer = DistributedGradReducer(self.weights, micro_batches=micro_batches, network=network)
        plain = value_and_grad(network, None, self.weights)
        scaled = value_and_grad(_Scaled(network), None, self.weights, has_aux=True)
        self._of_batch = self.grad_reducer.distribute(plain if self.sens == 1.0 else scaled)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.construct(*args, **kwargs)  # gradients and update are compiled, each by itself

    def construct(self, *inputs: Any) -> Any:
        if self.sens == 1.0:
            loss, gradients = self._of_batch(*inputs)
        else:
            (_, loss), gradients = self._of_batch(Tensor(self.sens), *inputs)
        self.optimizer(gradients)
        return loss


class MicroBatchesStepWithLossScale(TrainOneStepWithLossScaleCell):
    """The same with a scaled loss; a step that overflows in any micro-batch is left out.

    Args:
        network, optimizer, micro_batches: as for `MicroBatchesStep`.
        scale_sense: as for `TrainOneStepWithLossScaleCell`.
    Returns of `construct(*inputs)`:
        (loss, whether a gradient overflowed and nothing was updated, the scale that was used).
    """

    def __init__(self, network: Cell, optimizer: Optimizer, micro_batches: int, scale_sense: Any) -> None:
        super().__init__(network, optimizer, scale_sense)
        self.grad_reducer = DistributedGradReducer(self.weights, micro_batches=micro_batches, network=network)
        self._of_batch = self.grad_reducer.distribute(
            value_and_grad(_Scaled(network), None, self.weights, has_aux=True)
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.construct(*args, **kwargs)

    def construct(self, *inputs: Any) -> tuple[Tensor, Tensor, Tensor]:
        scale = ops.copy(self.scale_sense)
        (_, loss), gradients = self._of_batch(scale, *inputs)
        gradients = tuple(gradient / scale.astype(gradient.dtype) for gradient in gradients)
        overflow = self.process_loss_scale(self.get_overflow_status(None, gradients))
        if not overflow:
            self.optimizer(gradients)
        return loss, overflow, scale
