"""Mixed precision: networks that compute in half precision where that is harmless, and losses scaled so that small
gradients do not vanish in it."""

from __future__ import annotations

from typing import Any

from anfora import ops
from anfora.core.cell import Cell, converted
from anfora.core.dtype import DType, as_dtype, bfloat16, float16, float32, int32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.core.tree import tensors, tree_map
from anfora.nn.basic import Dense
from anfora.nn.checks import number, positive_int
from anfora.nn.conv import Conv1d, Conv2d, Conv2dTranspose, Conv3d
from anfora.nn.normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d, LayerNorm
from anfora.nn.recurrent import GRUCell, LSTMCell, RNNCell

__all__ = [
    "DynamicLossScaler", "LossScaler", "StaticLossScaler", "all_finite", "auto_mixed_precision",
    "custom_mixed_precision", "get_black_list", "get_white_list",
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


def auto_mixed_precision(network: Cell, amp_level: str = "O0", dtype: Any = float16) -> Cell:
    """Let a network compute in half precision; what it gives is float32, and its parameters stay as they are.

    Args:
        network: is changed and given back.
        amp_level: "O0": as it is; "O1": layers that are products (`get_white_list()`) in half precision; "O2": all but
            layers that normalise (`get_black_list()`); "O3": everything.
        dtype: float16 or bfloat16.
    Raises:
        OpTypeError: the network is no Cell.
        OpValueError: an unknown level or type.
        NotImplementedError: the level "auto", which chooses for each operator.
    Example:
        >>> net = auto_mixed_precision(nn.SequentialCell(nn.Dense(2, 3), nn.ReLU()), "O2")
        >>> net(Tensor([[1., 2.]])).dtype, net[0](Tensor([[1., 2.]])).dtype
        (anfora.float32, anfora.float16)
    """
    if amp_level == "auto":
        raise NotImplementedError("auto_mixed_precision at level 'auto', which chooses a type for each operator")
    if not isinstance(network, Cell):
        raise OpTypeError(f"auto_mixed_precision needs a Cell, but got {type(network).__name__}", arg="network")
    half = _half("auto_mixed_precision", dtype)
    if amp_level not in ("O0", "O1", "O2", "O3"):
        raise OpValueError(f"`amp_level` must be 'O0' … 'O3' or 'auto', but got {amp_level!r}", arg="amp_level")
    if amp_level == "O1":
        _lower_only(network, _WHITE, half)
    elif amp_level == "O2":
        _lower_but(network, _BLACK, half)
    elif amp_level == "O3":
        _lower_but(network, (), half)
    return network


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
    lower = _lower_only if white_list is not None else _lower_but
    lower(network, tuple(given or ()), half)
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
    network.to_float(half)
    for _, cell in network.cells_and_names():
        if kinds and isinstance(cell, kinds):
            cell.to_float(float32)
            if cell is not network:
                cell.register_forward_hook(_Gives(half))
    network.register_forward_hook(_Gives(float32))


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
