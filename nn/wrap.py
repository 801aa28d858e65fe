"""Cells around a network: with its loss, with its gradient, with an optimizer's step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anfora import ops
from anfora.api import GradOperation, jvp, value_and_grad, vjp
from anfora.core.cell import Cell
from anfora.core.dtype import float16, float32
from anfora.core.errors import OpTypeError
from anfora.core.nearest import missing_in
from anfora.core.parameter import Parameter, ParameterTuple
from anfora.core.tensor import Tensor
from anfora.nn.basic import Identity
from anfora.nn.checks import flag, number
from anfora.nn.reducer import DistributedGradReducer, broadcast_parameters, is_data_parallel
from anfora.optim import Optimizer

__all__ = [
    "ForwardValueAndGrad", "Jvp", "ParameterUpdate", "TrainOneStepCell", "Vjp", "WithEvalCell", "WithGradCell",
    "WithLossCell",
]  # fmt: skip


class WithLossCell(Cell):
    """A network and its loss as one Cell: `construct(data, label)` is loss_fn(backbone(data), label).

    Args:
        backbone: the network.
        loss_fn: from its output and the label to the loss.

    Example:
        >>> net = WithLossCell(nn.Flatten(), nn.MSELoss())
        >>> net(Tensor([[1., 3.]]), Tensor([[2., 2.]])).item()
        1.0
    """

    def __init__(self, backbone: Cell, loss_fn: Callable) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._loss_fn = loss_fn

    def construct(self, data: Any, label: Any) -> Tensor:
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self) -> Cell:
        """The network."""
        return self._backbone


class WithEvalCell(Cell):
    """A network for evaluation: `construct(data, label)` gives the loss, the output and the label.

    Args:
        network: the network.
        loss_fn: from its output and the label to the loss.
        add_cast_fp32: whether a float16 output (and label) is converted to float32 before the loss.

    Example:
        >>> loss, output, label = WithEvalCell(nn.ReLU(), nn.MSELoss())(Tensor([-1., 3.]), Tensor([1., 3.]))
        >>> loss.item(), output.tolist()
        (0.5, [0.0, 3.0])
    """

    def __init__(self, network: Cell, loss_fn: Callable, add_cast_fp32: bool = False) -> None:
        super().__init__(auto_prefix=False)
        self._network = network
        self._loss_fn = loss_fn
        self.add_cast_fp32 = flag("WithEvalCell", "add_cast_fp32", add_cast_fp32)

    def construct(self, data: Any, label: Any) -> tuple[Tensor, Any, Any]:
        output = self._network(data)
        if self.add_cast_fp32:
            output, label = _single_precision(output), _single_precision(label)
        return self._loss_fn(output, label), output, label


def _single_precision(value: Any) -> Any:
    return value.astype(float32) if isinstance(value, Tensor) and value.dtype is float16 else value


class WithGradCell(Cell):
    """The gradients of a network's trainable parameters, as a tuple.

    Args:
        network: the network; with its loss where `loss_fn` is None.
        loss_fn: from its output and the label to the loss.
        sens: the gradient of the loss, a number or a tensor; 1 when None.

    Example:
        >>> net = nn.Dense(1, 1, weight_init=2.0, has_bias=False)
        >>> WithGradCell(net, nn.MSELoss())(Tensor([[3.]]), Tensor([[5.]]))[0].tolist()
        [[6.0]]
    """

    def __init__(self, network: Cell, loss_fn: Callable | None = None, sens: Any = None) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.loss_fn = loss_fn
        self.weights = ParameterTuple(network.trainable_params())
        self.sens = sens
        self._network_with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)

    def construct(self, *inputs: Any) -> tuple[Tensor, ...]:
        if self.sens is None:
            return value_and_grad(self._network_with_loss, None, self.weights)(*inputs)[1]
        return value_and_grad(self._network_with_loss, None, self.weights, sens_param=True)(*inputs, self.sens)[1]


class ForwardValueAndGrad(Cell):
    """The value of a network and its gradients, as a pair.

    Args:
        network: a Cell or function.
        weights: the parameters that are meant with `get_by_list`.
        get_all: by all tensor arguments, as a tuple; else by the first, unless `get_by_list`.
        get_by_list: by the weights; with `get_all` a pair of both.
        sens_param: the last argument of a call is the gradient of the value.

    Example:
        >>> value, gradient = ForwardValueAndGrad(lambda x: x * x)(Tensor(3.0))
        >>> value.item(), gradient.item()
        (9.0, 6.0)
    """

    def __init__(
        self,
        network: Callable,
        weights: Any = None,
        get_all: bool = False,
        get_by_list: bool = False,
        sens_param: bool = False,
    ) -> None:
        super().__init__(auto_prefix=False)
        if not callable(network):
            raise OpTypeError(f"ForwardValueAndGrad needs a Cell or function, but got {type(network).__name__}")
        self.network = network
        self.weights = weights
        self.get_all = flag("ForwardValueAndGrad", "get_all", get_all)
        self.get_by_list = flag("ForwardValueAndGrad", "get_by_list", get_by_list)
        self.sens_param = flag("ForwardValueAndGrad", "sens_param", sens_param)

    def construct(self, *inputs: Any) -> tuple[Any, Any]:
        count = len(inputs) - self.sens_param
        if self.get_all:
            position: Any = tuple(i for i in range(count) if isinstance(inputs[i], Tensor))
        else:
            position = None if self.get_by_list else 0
        weights = self.weights if self.get_by_list else None
        return value_and_grad(self.network, position, weights, sens_param=self.sens_param)(*inputs)


class TrainOneStepCell(Cell):
    """A step of training: the loss, its gradients, the optimizer's update.

    Args:
        network: a Cell whose only output is the loss.
        optimizer: updates its parameters.
        sens: the gradient of the loss: what the gradients are multiplied by; 1 when None.
        return_grad: whether the gradients are given too, in a dict by name.
    With `set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL)` gradients are summed (with `gradients_mean`
    averaged) over all processes; the loss is that of this process's batch.
    Returns of `construct(*inputs)`:
        the loss; with `return_grad` (loss, gradients).

    Example:
        >>> net = nn.Dense(2, 1, weight_init="zeros", bias_init="zeros")
        >>> step = TrainOneStepCell(WithLossCell(net, nn.MSELoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9))
        >>> step(Tensor([[1., 2.]]), Tensor([[1.]])).item(), net.weight.tolist()
        (1.0, [[0.20000000298023224, 0.4000000059604645]])
    """

    def __init__(
        self, network: Cell, optimizer: Optimizer, sens: float | None = None, return_grad: bool = False
    ) -> None:
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.grad = GradOperation(get_by_list=True, sens_param=True)
        self.grad_no_sens = GradOperation(get_by_list=True)
        self.sens = 1.0 if sens is None else number("TrainOneStepCell", "sens", sens)
        self.return_grad = flag("TrainOneStepCell", "return_grad", return_grad)
        self.reducer_flag = is_data_parallel()
        self.grad_reducer: Callable = DistributedGradReducer(self.weights) if self.reducer_flag else Identity()
        broadcast_parameters(self)

    def construct(self, *inputs: Any) -> Any:
        if self.sens == 1.0:
            loss, gradients = value_and_grad(self.network, None, self.weights)(*inputs)
        else:
            loss, gradients = value_and_grad(_Scaled(self.network, self.sens), None, self.weights, has_aux=True)(
                *inputs
            )
            loss = loss[1]
        gradients = self.grad_reducer(gradients)
        self.optimizer(gradients)
        if self.return_grad:
            return loss, {weight.name: gradient for weight, gradient in zip(self.weights, gradients)}
        return loss


class _Scaled:
    """A network whose value is multiplied by a number; gives that and the value itself."""

    def __init__(self, network: Callable, scale: Any) -> None:
        self.network, self.scale = network, scale

    def __call__(self, *inputs: Any) -> tuple[Tensor, Tensor]:
        value = self.network(*inputs)
        return value * self.scale, value


class ParameterUpdate(Cell):
    """Gives a parameter a new value: `construct(x)` writes x into it, and gives it.

    Example:
        >>> w = Parameter(Tensor(1.0))
        >>> _ = ParameterUpdate(w)(Tensor(2.0))
        >>> w.item()
        2.0
    """

    def __init__(self, param: Parameter) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(param, Parameter):
            raise OpTypeError(f"ParameterUpdate needs a Parameter, but got {type(param).__name__}", arg="param")
        self._param = param

    def construct(self, x: Tensor) -> Parameter:
        ops.assign(self._param, x)
        return self._param


def _check_form(name: str, what: str, like: Any, v: Any) -> None:
    """Whether `v` is a tensor, or a tuple of as many, as what it belongs to is."""
    count = len(like) if isinstance(like, (tuple, list)) else None
    given = len(v) if isinstance(v, (tuple, list)) else None
    if count != given or (given is None and not isinstance(v, Tensor)):
        needed = "a tensor" if count is None else f"a tuple of {count} tensors"
        came = f"a {type(v).__name__}" + ("" if given is None else f" of {given}")
        raise OpTypeError(f"{name} needs {needed} for `v`, as its {what}, but got {came}", arg="v")


class Jvp(Cell):
    """A function with its derivative in a direction: `construct(*inputs, v)` gives (value, derivative).

    Args:
        fn: a function or Cell. With several inputs `v` is a tuple with a direction for each.
    Raises:
        OpTypeError, at a call: `v` has another form than the inputs.
    Example:
        >>> Jvp(lambda x: x * x)(Tensor(3.0), Tensor(1.0))
        (Tensor(shape=[], dtype=Float32, value= 9), Tensor(shape=[], dtype=Float32, value= 6))
    """

    def __init__(self, fn: Callable) -> None:
        super().__init__()
        self.fn = fn

    def construct(self, *args: Any) -> tuple[Any, Any]:
        *inputs, v = args
        _check_form("Jvp", "inputs", inputs[0] if len(inputs) == 1 else tuple(inputs), v)
        return jvp(self.fn, tuple(inputs), v)


class Vjp(Cell):
    """A function with the gradient of its inputs: `construct(*inputs, v)`, where `v` is the gradient of the value, gives
    (value, gradient), a tuple of gradients for several inputs.

    Args:
        fn: a function or Cell.
    Raises:
        OpTypeError, at a call: `v` has another form than the value.
    Example:
        >>> Vjp(lambda x: x * x)(Tensor(3.0), Tensor(1.0))
        (Tensor(shape=[], dtype=Float32, value= 9), Tensor(shape=[], dtype=Float32, value= 6))
    """

    def __init__(self, fn: Callable) -> None:
        super().__init__()
        self.fn = fn

    def construct(self, *args: Any) -> tuple[Any, Any]:
        *inputs, v = args
        value, pull = vjp(self.fn, *inputs)
        _check_form("Vjp", "value", value, v)
        gradients = pull(*v) if isinstance(v, tuple) else pull(v)
        return value, gradients[0] if len(inputs) == 1 else gradients


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__, "anfora.nn")
