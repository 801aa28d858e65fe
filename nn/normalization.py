"""Normalisation layers. `anfora.ops.normalization` has the formulas."""

from __future__ import annotations

from typing import Any

from anfora import ops
from anfora.communication import exchange, world
from anfora.core.cell import Cell
from anfora.core.docs import behind_the_first_line
from anfora.core.dtype import float32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.nn import initial
from anfora.nn.checks import choice, flag, integer, number, positive_int, probability
from anfora.ops.bound import Bound
from anfora.ops.unsaid import unsaid

__all__ = [
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d",
    "LRN", "LayerNorm", "SyncBatchNorm",
]  # fmt: skip


class _BatchNorm(Cell):
    """Each channel is normalised over all examples: y = (x - mean) / √(variance + eps) · gamma + beta.

    In training the moments are those of the batch, and moving averages follow them; else these averages are used.

    Args:
        num_features: the number C of channels.
        eps: is added to the variance.
        momentum: how much of a moving average stays, in [0, 1]: moving = momentum · moving + (1 - momentum) · batch,
            where the variance is the unbiased one.
        affine: whether gamma and beta are trained.
        gamma_init, beta_init, moving_mean_init, moving_var_init: see `initializer`.
        use_batch_statistics: True takes the moments of the batch always, False never; None while training.
        dtype: of the parameters.
    Parameters:
        moving_mean, moving_variance, gamma, beta (C,).
    Source:
        Ioffe & Szegedy, arXiv:1502.03167 (2015).
    """

    axes: tuple[int, ...] = ()  #: how many axes an input may have

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        dtype: Any = float32,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        if integer(name, "num_features", num_features) < 1:
            raise OpValueError(f"{name} needs at least one channel, but got {num_features}", arg="num_features")
        if use_batch_statistics not in (True, False, None):
            raise OpValueError(
                f"{name}: `use_batch_statistics` is True, False or None, but got {use_batch_statistics!r}"
            )
        self.num_features = num_features
        self.eps = number(name, "eps", eps)
        self.momentum = probability(name, "momentum", momentum)
        self.use_batch_statistics = use_batch_statistics
        shape = (num_features,)

        def parameter(argument: str, init: Any, trained: bool) -> Any:
            return initial.parameter(name, argument, init, shape, dtype, requires_grad=trained)

        affine = flag(name, "affine", affine)
        self.moving_mean = parameter("moving_mean_init", moving_mean_init, False)
        self.moving_variance = parameter("moving_var_init", moving_var_init, False)
        self.gamma = parameter("gamma_init", gamma_init, affine)
        self.beta = parameter("beta_init", beta_init, affine)

    def construct(self, x: Tensor) -> Tensor:
        if x.ndim not in self.axes:
            need = " or ".join(map(str, self.axes))
            raise OpValueError(f"{type(self).__name__} needs a tensor of {need} axes, but got the shape {x.shape}")
        training = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        y = ops.batch_norm(
            x, self.moving_mean, self.moving_variance, self.gamma, self.beta, training, 1.0 - self.momentum, self.eps
        )
        if training or self._training_is_said or self.use_batch_statistics is not None:
            return y
        return unsaid(y, type(self).__name__)

    def extend_repr(self) -> str:
        return f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}"


def _check_format(owner: str, data_format: str) -> None:
    if choice(owner, "data_format", data_format, ("NCHW", "NHWC")) != "NCHW":
        raise NotImplementedError(f"{owner}: there are no kernels for the layout NHWC; use NCHW")


class _BatchNormNCHW(_BatchNorm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        data_format: str = "NCHW",
        dtype: Any = float32,
    ) -> None:
        _check_format(type(self).__name__, data_format)
        super().__init__(
            num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init, moving_var_init,
            use_batch_statistics, dtype,
        )  # fmt: skip


_ARGUMENTS = behind_the_first_line(_BatchNorm)


class BatchNorm1d(_BatchNormNCHW):
    __doc__ = f"""Batch normalisation of (N, C) or (N, C, L).
{_ARGUMENTS}
    Example:
        >>> BatchNorm1d(3)(ops.ones((2, 3))).shape
        (2, 3)
    """
    axes = (2, 3)


class BatchNorm2d(_BatchNormNCHW):
    __doc__ = f"""Batch normalisation of (N, C, H, W).
{_ARGUMENTS}
    Example:
        >>> BatchNorm2d(3)
        BatchNorm2d(num_features=3, eps=1e-05, momentum=0.9)
        >>> net = BatchNorm2d(1).set_train(); net(Tensor([[[[1., 3.]]]])).shape, net.moving_mean.tolist()
        ((1, 1, 1, 2), [0.20000000298023224])
    """
    axes = (4,)


class BatchNorm3d(Cell):
    __doc__ = f"""Batch normalisation of (N, C, D, H, W); the parameters are those of its child `bn2d`.
{_ARGUMENTS}
    Example:
        >>> BatchNorm3d(3)(ops.ones((2, 3, 2, 4, 4))).shape
        (2, 3, 2, 4, 4)
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        dtype: Any = float32,
    ) -> None:
        super().__init__()
        self.bn2d = BatchNorm2d(
            num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init, moving_var_init,
            use_batch_statistics, dtype=dtype,
        )  # fmt: skip

    def construct(self, x: Tensor) -> Tensor:
        if x.ndim != 5:
            raise OpValueError(f"BatchNorm3d needs a tensor of 5 axes, but got the shape {x.shape}")
        n, c, d, h, w = x.shape
        return self.bn2d(x.reshape((n, c, d, h * w))).reshape(x.shape)


class SyncBatchNorm(_BatchNorm):
    __doc__ = f"""Batch normalisation of (N, C) or (N, C, *) over the batches of all processes.

    While training, mean and variance are those of what all processes of the group bring, each as many numbers: two sums
    over them, in the order of `ops.all_reduce`. Gradients are those of the sum of all processes' losses.
{_ARGUMENTS}
        process_groups: lists of numbers of processes, in one of which each process is; all together by default.
    Raises:
        OpTypeError, OpValueError: `process_groups` are no lists of numbers, or lack this process.
        OpRuntimeError, at a call: inside of a micro-batch.
    Example:
        >>> SyncBatchNorm(3)(ops.ones((2, 3, 4, 4))).shape
        (2, 3, 4, 4)
    """
    axes = (2, 3, 4, 5)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        process_groups: Any = None,
        dtype: Any = float32,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, gamma_init, beta_init, moving_mean_init, moving_var_init,
            use_batch_statistics, dtype,
        )  # fmt: skip
        self.process_groups = process_groups
        self._group = (
            world.group_of(None, "SyncBatchNorm").name if process_groups is None else _own_group(process_groups)
        )

    def construct(self, x: Tensor) -> Tensor:
        training = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        size = world.group_of(self._group).size
        if training:
            exchange.refuse_inside("SyncBatchNorm")
        if not training or size == 1:
            return super().construct(x)
        if x.ndim not in self.axes:
            raise OpValueError(f"SyncBatchNorm needs a tensor of 2 to 5 axes, but got the shape {x.shape}")
        shape = (1, self.num_features) + (1,) * (x.ndim - 2)
        over = (0, *range(2, x.ndim))
        count = size * (x.size // self.num_features)
        wide = x.astype(float32) if x.dtype.bits == 16 else x
        mean = ops.all_reduce(wide.sum(over), "sum", self._group) / count
        centred = wide - mean.reshape(shape)
        variance = ops.all_reduce((centred * centred).sum(over), "sum", self._group) / count
        for moving, batch in ((self.moving_mean, mean), (self.moving_variance, variance * (count / max(count - 1, 1)))):
            new = moving * self.momentum + ops.stop_gradient(batch) * (1.0 - self.momentum)
            ops.assign(moving, ops.stop_gradient(new))
        y = centred * ops.rsqrt(variance + self.eps).reshape(shape)
        return (y * self.gamma.reshape(shape) + self.beta.reshape(shape)).astype(x.dtype)


def _own_group(process_groups: Any) -> str:
    """The name of the group, among lists of processes, that this one is in."""
    if not isinstance(process_groups, (list, tuple)) or not all(isinstance(g, (list, tuple)) for g in process_groups):
        raise OpTypeError(f"SyncBatchNorm needs lists of numbers for `process_groups`, but got {process_groups!r}")
    rank = world.get_rank()
    own = [list(group) for group in process_groups if rank in group]
    if len(own) != 1:
        raise OpValueError(
            f"SyncBatchNorm: process {rank} is in {len(own)} of the `process_groups` {process_groups!r}, not in one",
            arg="process_groups",
        )
    name = "sync_batch_norm " + " ".join(map(str, own[0]))
    if not world.has_group(name):
        world.create_group(name, own[0])
    return name


class LayerNorm(Cell):
    """Each example is normalised over its last axes: y = (x - mean) / √(variance + epsilon) · gamma + beta.

    Args:
        normalized_shape: the shape of gamma and beta, a tuple or list.
        begin_norm_axis: the first of the axes that are normalised over.
        begin_params_axis: the axis of x that the first of gamma stands for.
        gamma_init, beta_init: see `initializer`.
        epsilon: is added to the variance.
        dtype: of the parameters.
    Parameters:
        gamma, beta (*normalized_shape).
    Source:
        Ba, Kiros & Hinton, arXiv:1607.06450 (2016).

    Example:
        >>> LayerNorm((2,))(Tensor([[1., 3.]])).asnumpy().round(3).tolist()
        [[-1.0, 1.0]]
    """

    def __init__(
        self,
        normalized_shape: Any,
        begin_norm_axis: int = -1,
        begin_params_axis: int = -1,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        epsilon: float = 1e-7,
        dtype: Any = float32,
    ) -> None:
        super().__init__()
        if not isinstance(normalized_shape, (tuple, list)):
            raise OpTypeError(
                f"LayerNorm needs a tuple or list for `normalized_shape`, but got {normalized_shape!r}",
                arg="normalized_shape",
                help=f"for the last axis alone it is ({normalized_shape},).",
            )
        self.normalized_shape = tuple(positive_int("LayerNorm", "normalized_shape", n) for n in normalized_shape)
        if not self.normalized_shape:
            raise OpValueError("LayerNorm needs at least one length in `normalized_shape`", arg="normalized_shape")
        self.begin_norm_axis = integer("LayerNorm", "begin_norm_axis", begin_norm_axis)
        self.begin_params_axis = integer("LayerNorm", "begin_params_axis", begin_params_axis)
        self.epsilon = number("LayerNorm", "epsilon", epsilon)
        self.gamma = initial.parameter("LayerNorm", "gamma_init", gamma_init, self.normalized_shape, dtype)
        self.beta = initial.parameter("LayerNorm", "beta_init", beta_init, self.normalized_shape, dtype)
        self._layer_norm = Bound(ops.layer_norm, normalized_shape=self.normalized_shape, eps=self.epsilon)

    def construct(self, input_x: Tensor) -> Tensor:
        x = input_x
        ndim, count = x.ndim, len(self.normalized_shape)
        first, of_gamma = self.begin_norm_axis, self.begin_params_axis
        first, of_gamma = first + ndim if first < 0 else first, of_gamma + ndim if of_gamma < 0 else of_gamma
        if first == of_gamma == ndim - count:
            return self._layer_norm(x, self.gamma, self.beta)
        if not 0 <= first < ndim:
            raise OpValueError(f"LayerNorm: axis {self.begin_norm_axis} is out of range for the shape {x.shape}")
        y = ops.layer_norm(x, x.shape[first:], None, None, self.epsilon)
        trailing = (1,) * (ndim - of_gamma - count)
        return y * self.gamma.reshape(self.normalized_shape + trailing) + self.beta.reshape(
            self.normalized_shape + trailing
        )

    def extend_repr(self) -> str:
        return (
            f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, epsilon={self.epsilon}"
        )


class GroupNorm(Cell):
    """Groups of neighbouring channels are normalised in each example, each with its own moments.

    Args:
        num_groups: divides num_channels.
        num_channels: the number C of channels.
        eps: is added to the variance.
        affine: whether gamma and beta are trained.
        gamma_init, beta_init: see `initializer`.
        dtype: of the parameters.
    Parameters:
        gamma, beta (C,).
    Input, output:
        (N, C, *).
    Source:
        Wu & He, arXiv:1803.08494 (2018).

    Example:
        >>> GroupNorm(2, 4)(ops.ones((1, 4, 2, 2))).shape
        (1, 4, 2, 2)
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        dtype: Any = float32,
    ) -> None:
        super().__init__()
        self.num_groups = positive_int("GroupNorm", "num_groups", num_groups)
        self.num_channels = positive_int("GroupNorm", "num_channels", num_channels)
        if num_channels % num_groups:
            raise OpValueError(f"GroupNorm: {num_groups} groups do not divide {num_channels} channels")
        self.eps = number("GroupNorm", "eps", eps)
        affine = flag("GroupNorm", "affine", affine)
        shape = (num_channels,)
        self.gamma = initial.parameter("GroupNorm", "gamma_init", gamma_init, shape, dtype, requires_grad=affine)
        self.beta = initial.parameter("GroupNorm", "beta_init", beta_init, shape, dtype, requires_grad=affine)

    def construct(self, x: Tensor) -> Tensor:
        return ops.group_norm(x, self.num_groups, self.gamma, self.beta, self.eps)

    def extend_repr(self) -> str:
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"


class _InstanceNorm(Cell):
    """Each channel of each example is normalised on its own.

    Args:
        num_features: the number C of channels.
        eps: is added to the variance.
        momentum: accepted for MindSpore programs: the moments are always those of the example.
        affine: whether gamma and beta are trained.
        gamma_init, beta_init: see `initializer`.
        dtype: of the parameters.
    Parameters:
        mean, variance (kept for checkpoints), gamma, beta (C,).
    Source:
        Ulyanov, Vedaldi & Lempitsky, arXiv:1607.08022 (2016).
    """

    axes = 0  #: of an input

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        dtype: Any = float32,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.num_features = positive_int(name, "num_features", num_features)
        self.eps = number(name, "eps", eps)
        self.momentum = probability(name, "momentum", momentum)
        affine = flag(name, "affine", affine)
        shape = (num_features,)
        self.moving_mean = initial.parameter(name, "mean", "zeros", shape, dtype, name="mean", requires_grad=False)
        self.moving_variance = initial.parameter(
            name, "variance", "ones", shape, dtype, name="variance", requires_grad=False
        )
        self.gamma = initial.parameter(name, "gamma_init", gamma_init, shape, dtype, requires_grad=affine)
        self.beta = initial.parameter(name, "beta_init", beta_init, shape, dtype, requires_grad=affine)

    def construct(self, x: Tensor) -> Tensor:
        if x.ndim != self.axes:
            raise OpValueError(f"{type(self).__name__} needs {self.axes} axes, but got the shape {x.shape}")
        return ops.group_norm(x, self.num_features, self.gamma, self.beta, self.eps)

    def extend_repr(self) -> str:
        return f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}"


_INSTANCE_ARGUMENTS = behind_the_first_line(_InstanceNorm)


class InstanceNorm1d(_InstanceNorm):
    __doc__ = f"""Instance normalisation of (N, C, L).
{_INSTANCE_ARGUMENTS}
    Example:
        >>> InstanceNorm1d(3)(ops.ones((2, 3, 8))).shape
        (2, 3, 8)
    """
    axes = 3


class InstanceNorm2d(_InstanceNorm):
    __doc__ = f"""Instance normalisation of (N, C, H, W).
{_INSTANCE_ARGUMENTS}
    Example:
        >>> InstanceNorm2d(3)(ops.ones((2, 3, 4, 4))).shape
        (2, 3, 4, 4)
    """
    axes = 4


class InstanceNorm3d(_InstanceNorm):
    __doc__ = f"""Instance normalisation of (N, C, D, H, W).
{_INSTANCE_ARGUMENTS}
    Example:
        >>> InstanceNorm3d(3)(ops.ones((2, 3, 2, 4, 4))).shape
        (2, 3, 2, 4, 4)
    """
    axes = 5


class LRN(Cell):
    """Local response normalisation: y = x / (bias + alpha · sum of the squares of 2 depth_radius + 1 channels)^beta.

    Args:
        depth_radius: how many channels on either side count, >= 0.
        bias, alpha, beta: see the formula.
        norm_region: "ACROSS_CHANNELS".
    Source:
        Krizhevsky, Sutskever & Hinton, NIPS 2012.

    Example:
        >>> LRN(depth_radius=0, alpha=3.0)(ops.ones((1, 2, 1, 1))).tolist()
        [[[[0.5]], [[0.5]]]]
    """

    def __init__(
        self,
        depth_radius: int = 5,
        bias: float = 1.0,
        alpha: float = 1.0,
        beta: float = 0.5,
        norm_region: str = "ACROSS_CHANNELS",
    ) -> None:
        super().__init__()
        self.depth_radius = integer("LRN", "depth_radius", depth_radius, least=0)
        self.bias, self.alpha = number("LRN", "bias", bias), number("LRN", "alpha", alpha)
        self.beta = number("LRN", "beta", beta)
        choice("LRN", "norm_region", norm_region, ("ACROSS_CHANNELS",))

    def construct(self, input_x: Tensor) -> Tensor:
        channels, radius = input_x.shape[1], self.depth_radius
        # the squares with a radius of zeros on either side; prefix sums would lose digits
        squares = ops.pad(input_x * input_x, (0, 0) * (input_x.ndim - 2) + (radius, radius))
        total = ops.narrow(squares, 1, 0, channels)
        for shift in range(1, 2 * radius + 1):
            total = total + ops.narrow(squares, 1, shift, channels)
        return input_x * (self.bias + self.alpha * total) ** -self.beta

    def extend_repr(self) -> str:
        return f"depth_radius={self.depth_radius}, bias={self.bias}, alpha={self.alpha}, beta={self.beta}"
