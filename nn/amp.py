"""Mixed precision: networks that compute in half precision where that is harmless, and losses scaled so that small
gradients do not vanish in it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anfora import ops
from anfora.core.arguments import answers, unknown
from anfora.core.cell import Cell, converted
from anfora.core.dtype import DType, as_dtype, bfloat16, float16, float32, int32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.nearest import missing_in
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.core.tree import tensors, tree_map
from anfora.eager import autocast
from anfora.nn.basic import Dense
from anfora.nn.checks import choice, flag, number, positive_int
from anfora.nn.conv import Conv1d, Conv2d, Conv2dTranspose, Conv3d
from anfora.nn.loss_scale import (
    DynamicLossScaleUpdateCell,
    FixedLossScaleUpdateCell,
    TrainOneStepWithLossScaleCell,
)
from anfora.nn.micro_steps import MicroBatchesStep, MicroBatchesStepWithLossScale
from anfora.nn.normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d, LayerNorm
from anfora.nn.recurrent import GRUCell, LSTMCell, RNNCell
from anfora.nn.wrap import TrainOneStepCell, WithLossCell
from anfora.optim import Optimizer

__all__ = [
    "DynamicLossScaleManager", "DynamicLossScaler", "FixedLossScaleManager", "LossScaleManager", "LossScaler",
    "StaticLossScaler", "all_finite", "auto_mixed_precision", "build_train_network", "custom_mixed_precision",
    "get_black_list", "get_white_list",
]  # fmt: skip

_WHITE = (Conv1d, Conv2d, Conv3d, Conv2dTranspose, Dense, LSTMCell, RNNCell, GRUCell)
_BLACK = (BatchNorm1d, BatchNorm2d, BatchNorm3d, LayerNorm)


def get_white_list() -> list[type[Cell]]:
    """The layers that compute in half precision at level "O1".

    Example:
        >>> nn.Dense in get_white_list()
        True
    """
    return list(_WHITE)


def get_black_list() -> list[type[Cell]]:
    """The layers that keep full precision at level "O2".

    Example:
        >>> nn.LayerNorm in get_black_list()
        True
    """
    return list(_BLACK)


def auto_mixed_precision(network: Any, amp_level: str = "O0", dtype: Any = float16) -> Any:
    """Let a network compute in half precision; what it gives is float32, and its parameters stay as they are.

    Args:
        network: is changed and given back; at level "auto" a function will do too, of which a new one is made.
        amp_level: "O0": as it is; "O1": layers that are products (`get_white_list()`) in half precision; "O2": all but
            layers that normalise (`get_black_list()`); "O3": everything; "auto": a type for each operator, see below.
        dtype: float16 or bfloat16.

    At level "auto", products of matrices and convolutions compute in half precision, and a layer adds its bias to them in
    float32; exponentials, logarithms, powers, norms, losses and long sums compute in float32; all others in the type that
    comes, so the result may be half. Layers with a
    `to_float` of their own keep to it, and float64 stays.

    Raises:
        OpTypeError: the network is no Cell (at level "auto": nor a function).
        OpValueError: an unknown level or type.
    Example:
        >>> net = auto_mixed_precision(nn.SequentialCell(nn.Dense(2, 3), nn.ReLU()), "O2")
        >>> net(Tensor([[1., 2.]])).dtype, net[0](Tensor([[1., 2.]])).dtype
        (anfora.float32, anfora.float16)
        >>> product = auto_mixed_precision(lambda x, y: (x @ y, ops.softmax(x @ y)), "auto")
        >>> [result.dtype for result in product(ops.ones((2, 2)), ops.ones((2, 2)))]
        [anfora.float16, anfora.float32]
    """
    if not isinstance(network, Cell) and not (amp_level == "auto" and callable(network)):
        raise OpTypeError(f"auto_mixed_precision needs a Cell, but got {type(network).__name__}", arg="network")
    half = _half("auto_mixed_precision", dtype)
    if amp_level not in ("O0", "O1", "O2", "O3", "auto"):
        raise OpValueError(f"`amp_level` must be 'O0' … 'O3' or 'auto', but got {amp_level!r}", arg="amp_level")
    if amp_level == "O1":
        _lower_only(network, _WHITE, half)
    elif amp_level in ("O2", "O3"):
        _lower_but(network, _BLACK if amp_level == "O2" else (), half)
        network.register_forward_hook(_Gives(float32))
    elif amp_level == "auto":
        if not isinstance(network, Cell):
            return _autocast(network, half)
        network.__dict__["_compute_type"] = autocast.Autocast(half)
    return network


def _autocast(function: Callable, half: DType) -> Callable:
    """A function whose operators choose their types."""

    @functools.wraps(function)
    def lowered(*args: Any, **kwargs: Any) -> Any:
        before = autocast.enter(half)
        try:
            return function(*args, **kwargs)
        finally:
            autocast.leave(before)

    return lowered


def custom_mixed_precision(
    network: Cell, *, white_list: list | None = None, black_list: list | None = None, dtype: Any = float16
) -> Cell:
    """Let some layers of a network compute in half precision: those of a white list, or all but those of a black list.

    Args:
        network: is changed and given back; what it gives is float32.
        white_list, black_list: classes of Cells; just one of the lists is given.
        dtype: float16 or bfloat16.
    Raises:
        OpTypeError: the network is no Cell, or a list holds something else than classes of Cells.
        OpValueError: none or both of the lists are given.
    Example:
        >>> net = custom_mixed_precision(nn.SequentialCell(nn.Dense(2, 3)), white_list=[nn.Dense])
        >>> net(Tensor([[1., 2.]])).dtype
        anfora.float32
    """
    if not isinstance(network, Cell):
        raise OpTypeError(f"custom_mixed_precision needs a Cell, but got {type(network).__name__}", arg="network")
    if (white_list is None) == (black_list is None):
        raise OpValueError("custom_mixed_precision needs either `white_list` or `black_list`")
    given = white_list if white_list is not None else black_list
    for kind in given or ():
        if not (isinstance(kind, type) and issubclass(kind, Cell)):
            raise OpTypeError(f"a list of custom_mixed_precision holds classes of Cells, but got {kind!r}")
    half = _half("custom_mixed_precision", dtype)
    if white_list is not None:
        _lower_only(network, tuple(given or ()), half)
    else:
        _lower_but(network, tuple(given or ()), half)
        network.register_forward_hook(_Gives(float32))
    return network


def _half(name: str, dtype: Any) -> DType:
    half = as_dtype(dtype)
    if half not in (float16, bfloat16):
        raise OpValueError(f"{name} needs float16 or bfloat16 for `dtype`, but got {half}", arg="dtype")
    return half


class _Gives:
    """A forward hook that converts what a Cell gives."""

    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype

    def __call__(self, cell: Cell, args: Any, output: Any) -> Any:
        return converted(output, self.dtype)


def _lower_only(network: Cell, kinds: tuple, half: DType) -> None:
    for _, cell in network.cells_and_names():
        if isinstance(cell, kinds):
            cell.to_float(half)
            cell.register_forward_hook(_Gives(float32))


def _lower_but(network: Cell, kinds: tuple, half: DType) -> None:
    """Lower all but some kinds of layers; what the network gives is half too."""
    network.to_float(half)
    for _, cell in network.cells_and_names():
        if kinds and isinstance(cell, kinds):
            cell.to_float(float32)
            if cell is not network:
                cell.register_forward_hook(_Gives(half))


# -- scaled losses ----------------------------------------------------------------------------------------------------


def all_finite(inputs: Any) -> Tensor:
    """Whether no element of any tensor is infinite or NaN, as a bool tensor.

    Args:
        inputs: a tensor, or tensors in any nesting.
    Example:
        >>> all_finite((Tensor([1.0]), Tensor([float("inf")]))).item()
        False
    """
    return Tensor(all(bool(ops.isfinite(tensor).all()) for tensor in tensors(inputs)))


class LossScaler:
    """Base of what scales losses, and gradients back; `adjust` changes the scale by whether gradients were finite."""

    scale_value: Parameter

    def scale(self, inputs: Any) -> Any:
        """The tensors of a nesting times the scale."""
        return tree_map(lambda t: t * self.scale_value.astype(t.dtype), inputs)

    def unscale(self, inputs: Any) -> Any:
        """The tensors of a nesting divided by the scale."""
        return tree_map(lambda t: t / self.scale_value.astype(t.dtype), inputs)

    def adjust(self, grads_finite: Any) -> bool:
        """Change the scale by whether all gradients were finite; gives whether it may change at all."""
        raise NotImplementedError(f"{type(self).__name__} has no adjust()")


@answers
class StaticLossScaler(LossScaler):
    """A scale that stays.

    Args:
        scale_value: the scale, > 0.
    Example:
        >>> scaler = StaticLossScaler(1024)
        >>> scaler.scale(Tensor(2.0)).item(), scaler.unscale((Tensor(2048.0),))[0].item(), scaler.adjust(Tensor(True))
        (2048.0, 2.0, False)
    """

    def __init__(self, scale_value: float) -> None:
        scale = number("StaticLossScaler", "scale_value", scale_value, above=0.0)
        self.scale_value = Parameter(Tensor(scale, float32), name="scale_value", requires_grad=False)

    def adjust(self, grads_finite: Any) -> bool:
        return False


@answers
class DynamicLossScaler(LossScaler):
    """A scale that is divided by a factor (down to 1) after an overflow, and multiplied by it after so many steps without
    one.

    Args:
        scale_value: the scale to begin with, ≥ 1.
        scale_factor: the factor, an integer > 0.
        scale_window: so many steps, > 0.
    Example:
        >>> scaler = DynamicLossScaler(scale_value=1024, scale_factor=2, scale_window=1)
        >>> scaler.adjust(all_finite(Tensor([float("nan")]))), scaler.scale_value.item()
        (True, 512.0)
        >>> scaler.adjust(all_finite(Tensor([1.0]))), scaler.scale_value.item()
        (True, 1024.0)
    """

    def __init__(self, scale_value: float, scale_factor: int, scale_window: int) -> None:
        name = "DynamicLossScaler"
        scale = number(name, "scale_value", scale_value, least=1.0)
        self.scale_factor = positive_int(name, "scale_factor", scale_factor)
        self.scale_window = positive_int(name, "scale_window", scale_window)
        self.scale_value = Parameter(Tensor(scale, float32), name="scale_value", requires_grad=False)
        self.counter = Parameter(Tensor(0, int32), name="counter", requires_grad=False)

    def adjust(self, grads_finite: Any) -> bool:
        if not grads_finite:
            ops.assign(self.scale_value, ops.maximum(self.scale_value / self.scale_factor, 1.0))
            ops.assign(self.counter, 0)
            return True
        count = (int(self.counter) + 1) % self.scale_window
        ops.assign(self.counter, count)
        after = self.scale_value * self.scale_factor
        if count == 0 and all_finite(after):
            ops.assign(self.scale_value, after)
        return True


# -- how training scales its losses -----------------------------------------------------------------------------------


class LossScaleManager:
    """Base of what says how a training scales its losses.

    Example:
        >>> class Half(LossScaleManager):
        ...     def get_loss_scale(self):
        ...         return 0.5
        ...     def get_update_cell(self):
        ...         return None
        >>> net = nn.Dense(2, 1)
        >>> build_train_network(net, nn.SGD(net.trainable_params()), nn.MSELoss(), loss_scale_manager=Half()).sens
        0.5
    """

    def get_loss_scale(self) -> float:
        """The scale to begin with."""
        raise NotImplementedError(f"{type(self).__name__} has no get_loss_scale()")

    def update_loss_scale(self, overflow: bool) -> None:
        """Change the scale by whether a gradient was infinite or NaN."""
        raise NotImplementedError(f"{type(self).__name__} has no update_loss_scale()")

    def get_update_cell(self) -> Cell | None:
        """What changes the scale in a step of training; None where no step looks for overflows."""
        raise NotImplementedError(f"{type(self).__name__} has no get_update_cell()")


@answers
class FixedLossScaleManager(LossScaleManager):
    """A scale that stays.

    Args:
        loss_scale: the scale, >= 1.
        drop_overflow_update: whether a step whose gradients overflow is left out. If not, nothing looks for overflows, and
            the optimizer's `loss_scale` must be the same scale, by which it divides.
    Example:
        >>> manager = FixedLossScaleManager(1024.0)
        >>> manager.get_loss_scale(), type(manager.get_update_cell()).__name__
        (1024.0, 'FixedLossScaleUpdateCell')
    """

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True) -> None:
        self._loss_scale = number("FixedLossScaleManager", "loss_scale", loss_scale, least=1.0)
        self._drop = flag("FixedLossScaleManager", "drop_overflow_update", drop_overflow_update)

    def get_loss_scale(self) -> float:
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Whether a step whose gradients overflow is left out."""
        return self._drop

    def update_loss_scale(self, overflow: bool) -> None:
        pass

    def get_update_cell(self) -> Cell | None:
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drop else None


@answers
class DynamicLossScaleManager(LossScaleManager):
    """A scale that is divided by a factor (down to 1) after an overflow, and multiplied by it after so many steps without
    one; a step that overflows is left out.

    Args:
        init_loss_scale: the scale to begin with, >= 1.
        scale_factor: the factor, an integer > 1.
        scale_window: so many steps, > 0.
    Example:
        >>> manager = DynamicLossScaleManager(1024, 2, 2)
        >>> for overflow in (True, False, False):
        ...     manager.update_loss_scale(overflow)
        ...     print(manager.get_loss_scale())
        512.0
        512.0
        1024.0
    """

    def __init__(self, init_loss_scale: float = 2.0**24, scale_factor: int = 2, scale_window: int = 2000) -> None:
        name = "DynamicLossScaleManager"
        self.loss_scale = number(name, "init_loss_scale", init_loss_scale, least=1.0)
        self.scale_factor = positive_int(name, "scale_factor", scale_factor)
        self.scale_window = positive_int(name, "scale_window", scale_window)
        if scale_factor == 1:
            raise OpValueError(f"{name} needs a `scale_factor` > 1, but got 1", arg="scale_factor")
        self._since = 0  #: steps since the last change

    def get_loss_scale(self) -> float:
        return self.loss_scale

    def update_loss_scale(self, overflow: bool) -> None:
        self._since += 1
        if overflow:
            self.loss_scale, self._since = max(self.loss_scale / self.scale_factor, 1.0), 0
        elif self._since >= self.scale_window:
            self.loss_scale, self._since = self.loss_scale * self.scale_factor, 0

    def get_drop_overflow_update(self) -> bool:
        """True: a step whose gradients overflow is left out."""
        return True

    def get_update_cell(self) -> Cell | None:
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)


class _OutputTo32(Cell):
    """A network that gives float32."""

    def __init__(self, network: Cell) -> None:
        super().__init__(auto_prefix=False)
        self.network = network

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return converted(self.network(*args, **kwargs), float32)


def build_train_network(
    network: Cell, optimizer: Optimizer, loss_fn: Any = None, level: str = "O0", boost_level: str = "O0", **kwargs: Any
) -> Cell:
    """A step of training in mixed precision.

    Args:
        network: gives predictions, or with `loss_fn` None the loss; its layers are changed as `auto_mixed_precision` does.
        optimizer: updates its parameters.
        loss_fn: from predictions, as float32, and labels to a loss.
        level: "O0" to "O3" or "auto". At "O2" the loss is scaled dynamically.
        boost_level: accepted for MindSpore programs.
        cast_model_type: float16, bfloat16, or float32 for none, instead of what the level says.
        keep_batchnorm_fp32: whether layers that normalise keep float32 when all others do not.
        loss_scale_manager: how the loss is scaled; None not at all.
        micro_batches: into how many parts a batch is divided, over all processes; see `DistributedGradReducer`.
    Returns:
        a `TrainOneStepCell`, or where steps may be left out a `TrainOneStepWithLossScaleCell`.
    Raises:
        OpTypeError, OpValueError: an argument is of a wrong type, or unknown.
    Example:
        >>> net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
        >>> step = build_train_network(net, nn.SGD(net.trainable_params(), 0.1), nn.MSELoss(), "O3")
        >>> step(Tensor([[1., 2.]]), Tensor([[4.]])).item(), net.weight.dtype
        (1.0, anfora.float32)
    """
    name = "build_train_network"
    if not isinstance(network, Cell):
        raise OpTypeError(f"{name} needs a Cell, but got {type(network).__name__}", arg="network")
    choice(name, "level", level, ("O0", "O1", "O2", "O3", "auto"))
    choice(name, "boost_level", boost_level, ("O0", "O1", "O2"))
    options = ("cast_model_type", "keep_batchnorm_fp32", "loss_scale_manager", "micro_batches")
    for other in kwargs:
        if other not in options:
            raise unknown(name, other, [*[*inspect.signature(build_train_network).parameters][:-1], *options])
    manager = kwargs.get("loss_scale_manager", DynamicLossScaleManager() if level == "O2" else None)
    if manager is not None and not isinstance(manager, LossScaleManager):
        raise OpTypeError(f"{name} needs a LossScaleManager or None, but got {type(manager).__name__}")
    network = _lowered(network, level, kwargs)
    if loss_fn is not None:
        network = WithLossCell(network, loss_fn)
    update = None if manager is None else manager.get_update_cell()
    scale = None if manager is None else manager.get_loss_scale()
    parts = kwargs.get("micro_batches")
    step: Cell
    if parts is not None:
        step = (
            MicroBatchesStep(network, optimizer, parts, scale)
            if update is None
            else MicroBatchesStepWithLossScale(network, optimizer, parts, update)
        )
    elif update is not None:
        step = TrainOneStepWithLossScaleCell(network, optimizer, update)
    else:
        step = TrainOneStepCell(network, optimizer, scale)
    return step.set_train()


def _lowered(network: Cell, level: str, options: dict[str, Any]) -> Cell:
    """The network at a level, which options may say otherwise, in a Cell that gives float32: the network itself, which
    `Model.predict` calls, gives what its layers do."""
    if "cast_model_type" not in options and "keep_batchnorm_fp32" not in options and level not in ("O2", "O3"):
        lowered = auto_mixed_precision(network, level)
        return lowered if level == "O0" else _OutputTo32(lowered)
    default = float16 if level in ("O2", "O3") else float32
    half = as_dtype(options.get("cast_model_type", default))
    if half is float32:
        return network
    keeps = flag("build_train_network", "keep_batchnorm_fp32", options.get("keep_batchnorm_fp32", level == "O2"))
    _lower_but(network, _BLACK if keeps else (), _half("build_train_network", half))
    return _OutputTo32(network)


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
