"""Layers of matrices and shapes: Dense and its like, Flatten, norms, and small functions as Cells."""

from __future__ import annotations

import math
from typing import Any

from anfora import ops
from anfora.core.cell import Cell
from anfora.core.dtype import float32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.nn import initial
from anfora.nn.activation import activation_of
from anfora.nn.checks import flag, integer, number, positive_int
from anfora.ops.bound import Bound
from anfora.ops.initializer import Uniform

__all__ = [
    "BiDense", "ClipByNorm", "Dense", "Flatten", "Identity", "L1Regularizer", "Linear", "MatMul", "Moments", "Norm",
    "Range", "ReduceLogSumExp", "Roll", "Tril", "Triu", "Unflatten",
]  # fmt: skip


class Dense(Cell):
    """y = activation(x Wᵀ + b).

    Args:
        in_channels, out_channels: lengths of the last axis of x and y.
        weight_init, bias_init: see `initializer`; uniform within ± 1 / √in_channels when None.
        has_bias: whether there is a b.
        activation: a name (see `get_activation`), a Cell or another function of y.
        dtype: of the parameters.
    Parameters:
        weight (out_channels, in_channels), bias (out_channels,).
    Input, output:
        x (*, in_channels), y (*, out_channels).

    Example:
        >>> net = Dense(3, 4); net
        Dense(input_channels=3, output_channels=4, has_bias=True)
        >>> net(Tensor([[1., 2., 3.]])).shape
        (1, 4)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        activation: Any = None,
        dtype: Any = float32,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.in_channels = positive_int(name, "in_channels", in_channels)
        self.out_channels = positive_int(name, "out_channels", out_channels)
        self.has_bias = flag(name, "has_bias", has_bias)
        self.weight = initial.weight(name, weight_init, (out_channels, in_channels), dtype)
        self.bias = initial.bias(name, bias_init, out_channels, in_channels, dtype) if has_bias else None
        self.activation = activation_of(name, activation)
        self._dense = Bound(ops.dense)

    def construct(self, x: Tensor) -> Tensor:
        y = self._dense(x, self.weight, self.bias)
        return y if self.activation is None else self.activation(y)

    def extend_repr(self) -> str:
        text = f"input_channels={self.in_channels}, output_channels={self.out_channels}"
        if self.has_bias:
            text += ", has_bias=True"
        return text if self.activation is None else f"{text}, activation={self.activation}"


class Linear(Dense):
    """`Dense` under the names of MindSpore's `mint`.

    Args:
        in_features, out_features, bias: see Dense.in_channels, out_channels, has_bias.
        weight_init, bias_init, dtype: see Dense.

    Example:
        >>> Linear(3, 4)(ops.ones((2, 3))).shape
        (2, 4)
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(in_features, out_features, weight_init, bias_init, bias, dtype=dtype or float32)
        self.in_features, self.out_features = in_features, out_features

    def extend_repr(self) -> str:
        return f"input_features={self.in_features}, output_features={self.out_features}, has_bias={self.has_bias}"


class BiDense(Cell):
    """y[o] = x1 W[o] x2ᵀ + b[o]: linear in each of two inputs.

    Args:
        in1_channels, in2_channels, out_channels: lengths of the last axes of x1, x2 and y.
        weight_init, bias_init: see `initializer`; uniform within ± 1 / √in1_channels when None.
        has_bias: whether there is a b.
        dtype: of the parameters.
    Parameters:
        weight (out_channels, in1_channels, in2_channels), bias (out_channels,).
    Input, output:
        x1 (*, in1_channels) and x2 (*, in2_channels) with equal axes before the last; y (*, out_channels).

    Example:
        >>> BiDense(3, 4, 5)(ops.ones((2, 3)), ops.ones((2, 4))).shape
        (2, 5)
    """

    def __init__(
        self,
        in1_channels: int,
        in2_channels: int,
        out_channels: int,
        weight_init: Any = None,
        bias_init: Any = None,
        has_bias: bool = True,
        dtype: Any = float32,
    ) -> None:
        super().__init__()
        self.in1_channels = positive_int("BiDense", "in1_channels", in1_channels)
        self.in2_channels = positive_int("BiDense", "in2_channels", in2_channels)
        self.out_channels = positive_int("BiDense", "out_channels", out_channels)
        self.has_bias = flag("BiDense", "has_bias", has_bias)
        if weight_init is None:
            weight_init = Uniform(1 / math.sqrt(in1_channels))
        shape = (out_channels, in1_channels, in2_channels)
        self.weight = initial.parameter("BiDense", "weight_init", weight_init, shape, dtype)
        self.bias = initial.bias("BiDense", bias_init, out_channels, in1_channels, dtype) if has_bias else None
        self._bidense = Bound(ops.bidense)

    def construct(self, input1: Tensor, input2: Tensor) -> Tensor:
        return self._bidense(input1, input2, self.weight, self.bias)

    def extend_repr(self) -> str:
        text = (
            f"in1_channels={self.in1_channels}, in2_channels={self.in2_channels}, output_channels={self.out_channels}"
        )
        return text + ", has_bias=True" if self.has_bias else text


class Identity(Cell):
    """Gives its input. Takes any arguments, to stand in for another layer.

    Example:
        >>> Identity()(Tensor([1., 2.])).tolist()
        [1.0, 2.0]
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def construct(self, input: Any) -> Any:
        return input


class Flatten(Cell):
    """One axis instead of those from start_dim to end_dim.

    Example:
        >>> Flatten()(ops.zeros((2, 3, 4))).shape
        (2, 12)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = integer("Flatten", "start_dim", start_dim)
        self.end_dim = integer("Flatten", "end_dim", end_dim)
        self._flatten = Bound(ops.flatten, start_dim=self.start_dim, end_dim=self.end_dim)

    def construct(self, x: Tensor) -> Tensor:
        return self._flatten(x)

    def extend_repr(self) -> str:
        return (
            "" if (self.start_dim, self.end_dim) == (1, -1) else f"start_dim={self.start_dim}, end_dim={self.end_dim}"
        )


class Unflatten(Cell):
    """Several axes instead of one.

    Args:
        axis: the axis.
        unflattened_size: lengths whose product is that of the axis; one may be -1.

    Example:
        >>> Unflatten(1, (2, 3))(ops.ones((4, 6))).shape
        (4, 2, 3)
    """

    def __init__(self, axis: int, unflattened_size: Any) -> None:
        super().__init__()
        self.axis = integer("Unflatten", "axis", axis)
        if not isinstance(unflattened_size, (tuple, list)) or not unflattened_size:
            raise OpTypeError(f"Unflatten needs a tuple for `unflattened_size`, but got {unflattened_size!r}")
        self.unflattened_size = tuple(integer("Unflatten", "unflattened_size", n) for n in unflattened_size)
        self._unflatten = Bound(ops.unflatten, dim=self.axis, sizes=self.unflattened_size)

    def construct(self, input_x: Tensor) -> Tensor:
        return self._unflatten(input_x)

    def extend_repr(self) -> str:
        return f"axis={self.axis}, unflattened_size={self.unflattened_size}"


class Norm(Cell):
    """The Euclidean norm √(sum x²) over axes.

    Args:
        axis: an integer, several, or () for all.
        keep_dims: whether the axes stay, with length 1.

    Example:
        >>> nn.Norm()(Tensor([3., 4.])).item()
        5.0
    """

    def __init__(self, axis: Any = (), keep_dims: bool = False) -> None:
        super().__init__()
        self.axis = tuple(axis) if isinstance(axis, list) else axis
        self.keep_dims = flag("Norm", "keep_dims", keep_dims)

    def construct(self, x: Tensor) -> Tensor:
        return ops.sqrt(ops.reduce_sum(x * x, self.axis, self.keep_dims))

    def extend_repr(self) -> str:
        return f"axis={self.axis}, keep_dims={self.keep_dims}"


class ClipByNorm(Cell):
    """x · min(1, clip_norm / |x|), where |x| is the Euclidean norm over axes.

    Args:
        axis: an integer, several, or None for all.
    Input, output:
        x, and clip_norm > 0, a number or tensor that broadcasts; of the shape of x.

    Example:
        >>> ClipByNorm()(Tensor([3., 4.]), Tensor(2.5)).tolist()
        [1.5, 2.0]
    """

    def __init__(self, axis: Any = None) -> None:
        super().__init__()
        self.axis = () if axis is None else tuple(axis) if isinstance(axis, list) else axis

    def construct(self, x: Tensor, clip_norm: Any) -> Tensor:
        norm = ops.sqrt(ops.reduce_sum(x * x, self.axis, True))
        return x * clip_norm / ops.maximum(norm, clip_norm)

    def extend_repr(self) -> str:
        return f"axis={self.axis}" if self.axis != () else ""


class Moments(Cell):
    """Mean and variance over axes.

    Args:
        axis: an integer, several, or None for all.
        keep_dims: whether the axes stay, with length 1.

    Example:
        >>> mean, variance = nn.Moments(axis=0)(Tensor([1., 3.]))
        >>> mean.item(), variance.item()
        (2.0, 1.0)
    """

    def __init__(self, axis: Any = None, keep_dims: bool | None = None) -> None:
        super().__init__()
        self.axis = () if axis is None else tuple(axis) if isinstance(axis, list) else axis
        self.keep_dims = bool(keep_dims)

    def construct(self, x: Tensor) -> tuple[Tensor, Tensor]:
        mean = ops.reduce_mean(x, self.axis, True)
        deviation = x - mean
        variance = ops.reduce_mean(deviation * deviation, self.axis, self.keep_dims)
        return mean if self.keep_dims else mean.reshape(variance.shape), variance

    def extend_repr(self) -> str:
        return f"axis={self.axis}, keep_dims={self.keep_dims}"


class ReduceLogSumExp(Cell):
    """log(sum(exp(x))) over axes.

    Example:
        >>> nn.ReduceLogSumExp(0)(Tensor([0., 0.]))
        Tensor(shape=[], dtype=Float32, value= 0.693147)
    """

    def __init__(self, axis: Any, keep_dims: bool = False) -> None:
        super().__init__()
        self.axis = axis
        self.keep_dims = flag("ReduceLogSumExp", "keep_dims", keep_dims)

    def construct(self, x: Tensor) -> Tensor:
        return ops.logsumexp(x, self.axis, self.keep_dims)

    def extend_repr(self) -> str:
        return f"axis={self.axis}, keep_dims={self.keep_dims}"


class MatMul(Cell):
    """The matrix product x1 @ x2, with the last two axes of either exchanged first where that is asked for.

    Example:
        >>> nn.MatMul(transpose_x2=True)(Tensor([[1., 2.]]), Tensor([[3., 4.]])).tolist()
        [[11.0]]
    """

    def __init__(self, transpose_x1: bool = False, transpose_x2: bool = False) -> None:
        super().__init__()
        self.transpose_x1 = flag("MatMul", "transpose_x1", transpose_x1)
        self.transpose_x2 = flag("MatMul", "transpose_x2", transpose_x2)

    def construct(self, x1: Tensor, x2: Tensor) -> Tensor:
        if self.transpose_x1 and x1.ndim > 1:
            x1 = ops.swapaxes(x1, -1, -2)
        if self.transpose_x2 and x2.ndim > 1:
            x2 = ops.swapaxes(x2, -1, -2)
        return ops.matmul(x1, x2)


class L1Regularizer(Cell):
    """scale · sum |w|.

    Args:
        scale: > 0.

    Example:
        >>> L1Regularizer(0.5)(Tensor([1., -3.])).item()
        2.0
    """

    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = number("L1Regularizer", "scale", scale, above=0.0)

    def construct(self, weights: Tensor) -> Tensor:
        return ops.reduce_sum(ops.abs(weights)) * self.scale

    def extend_repr(self) -> str:
        return f"scale={self.scale}"


class Range(Cell):
    """The numbers start, start + delta, … below `limit`; with one argument those from 0 below it.

    Example:
        >>> nn.Range(1, 8, 2)().tolist()
        [1, 3, 5, 7]
    """

    def __init__(self, start: Any, limit: Any = None, delta: Any = 1) -> None:
        super().__init__()
        if delta == 0:
            raise OpValueError("Range needs a step that is not 0", arg="delta")
        numbers: tuple[Any, Any] = (0, start) if limit is None else (start, limit)
        self.start, self.limit, self.delta = *numbers, delta

    def construct(self) -> Tensor:
        return ops.arange(self.start, self.limit, self.delta)

    def extend_repr(self) -> str:
        return f"start={self.start}, limit={self.limit}, delta={self.delta}"


class Roll(Cell):
    """Elements moved along axes; those that leave at one end come in at the other.

    Args:
        shift: by how many places: an integer, or one for each axis.
        axis: along which axis, or axes.

    Example:
        >>> nn.Roll(1, 0)(Tensor([1, 2, 3])).tolist()
        [3, 1, 2]
    """

    def __init__(self, shift: Any, axis: Any) -> None:
        super().__init__()
        self.shift, self.axis = shift, axis

    def construct(self, input_x: Tensor) -> Tensor:
        return ops.roll(input_x, self.shift, self.axis)

    def extend_repr(self) -> str:
        return f"shift={self.shift}, axis={self.axis}"


class Tril(Cell):
    """The part of matrices on and below a diagonal; zeros elsewhere. k counts diagonals upwards from the main one.

    Example:
        >>> nn.Tril()(Tensor([[1, 2], [3, 4]])).tolist()
        [[1, 0], [3, 4]]
    """

    def construct(self, x: Tensor, k: int = 0) -> Tensor:
        return ops.tril(x, k)


class Triu(Cell):
    """The part of matrices on and above a diagonal; zeros elsewhere. k counts diagonals upwards from the main one.

    Example:
        >>> nn.Triu()(Tensor([[1, 2], [3, 4]])).tolist()
        [[1, 2], [0, 4]]
    """

    def construct(self, x: Tensor, k: int = 0) -> Tensor:
        return ops.triu(x, k)
