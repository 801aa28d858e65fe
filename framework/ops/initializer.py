"""Initial values of parameters.

    initializer(HeUniform(5**0.5), (64, 3, 3, 3))         a tensor
    initializer("normal", (10, 4)), initializer(0.5, 3)   by name, by value
    Tensor(shape=(2, 3), dtype=float32, init=One())

A class of initializers fills an array in `_initialize`; that is all that a subclass has to write. The random ones draw
from the default generator: after `set_seed` the same calls give the same values, on any number of threads.

Fans are counted as for weights (out, in, *kernel): fan_in = in · kernel size, fan_out = out · kernel size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anfora.core import exact, random
from anfora.core.arguments import answers
from anfora.core.docs import behind_the_first_line
from anfora.core.dtype import DType, as_dtype, bfloat16, float32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor, from_buffer, numpy_to_bfloat16
from anfora.ops.mathematics import exp
from anfora.ops.random import drawn

__all__ = [
    "Initializer", "initializer", "Zero", "One", "Constant", "Uniform", "Normal", "TruncatedNormal", "XavierUniform",
    "XavierNormal", "HeUniform", "HeNormal", "VarianceScaling", "Orthogonal", "Sparse", "Identity", "Dirac",
]  # fmt: skip


class Initializer:
    """Base of initializers. A subclass writes `_initialize(arr)`, which fills a numpy array in place.

    Args:
        kwargs: hyperparameters, kept for `repr`.

    Example:
        >>> class Ramp(Initializer):
        ...     def _initialize(self, arr):
        ...         arr[...] = np.arange(arr.size).reshape(arr.shape)
        >>> initializer(Ramp(), (2, 2)).tolist()
        [[0.0, 1.0], [2.0, 3.0]]
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        answers(cls)

    def __init__(self, **kwargs: Any) -> None:
        self._kwargs = kwargs

    def _initialize(self, arr: np.ndarray) -> None:
        """Fill the array."""
        raise NotImplementedError(f"{type(self).__name__} has no _initialize()")

    def __call__(self, shape: Any, dtype: DType = float32) -> np.ndarray:
        """A filled buffer of an element type's storage. Given an array it fills that, and gives it."""
        if isinstance(shape, np.ndarray):
            self._initialize(shape)
            return shape
        array = np.zeros(shape, dtype.numpy)
        self._initialize(array)
        return numpy_to_bfloat16(array) if dtype is bfloat16 else array

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in getattr(self, '_kwargs', {}).items())})"


# -- constants --------------------------------------------------------------------------------------------------------


class Zero(Initializer):
    """Zeros."""

    def _initialize(self, arr: np.ndarray) -> None:
        arr[...] = 0


class One(Initializer):
    """Ones."""

    def _initialize(self, arr: np.ndarray) -> None:
        arr[...] = 1


class Constant(Initializer):
    """One value everywhere, or an array of values that broadcasts.

    Args:
        value: a number, a numpy array or a Tensor.
    """

    def __init__(self, value: Any) -> None:
        super().__init__(value=value)
        self.value = value

    def _initialize(self, arr: np.ndarray) -> None:
        arr[...] = self.value.asnumpy() if isinstance(self.value, Tensor) else self.value


class Identity(Initializer):
    """The identity matrix; rectangular ones have zeros beside it."""

    def _initialize(self, arr: np.ndarray) -> None:
        _need_axes(self, arr, 2, 2)
        arr[...] = np.eye(*arr.shape)


class Dirac(Initializer):
    """Weights of a convolution that passes as many input channels as there are output channels on unchanged.

    Args:
        groups: groups of the convolution; each passes on its own channels.
    Raises:
        OpValueError: the array has not 3 to 5 axes, or `groups` does not divide the first.
    """

    def __init__(self, groups: int = 1) -> None:
        super().__init__(groups=groups)
        if isinstance(groups, bool) or not isinstance(groups, int):
            raise OpTypeError(f"Dirac needs an integer for `groups`, but got {groups!r}", arg="groups")
        if groups < 1:
            raise OpValueError(f"Dirac needs a positive `groups`, but got {groups}", arg="groups")
        self.groups = groups

    def _initialize(self, arr: np.ndarray) -> None:
        _need_axes(self, arr, 3, 5)
        if arr.shape[0] % self.groups:
            raise OpValueError(f"Dirac: {self.groups} groups do not divide {arr.shape[0]} output channels")
        arr[...] = 0
        outputs = arr.shape[0] // self.groups
        middle = tuple(n // 2 for n in arr.shape[2:])
        for group in range(self.groups):
            for channel in range(min(outputs, arr.shape[1])):
                arr[(group * outputs + channel, channel, *middle)] = 1


# -- distributions ----------------------------------------------------------------------------------------------------


class _Drawn(Initializer):
    """What is drawn from one distribution and nothing else."""

    def _distribution(self, shape: tuple[int, ...]) -> tuple[str, float, float]:
        """Its kind and its two numbers, as `core.random.fill` has them."""
        raise NotImplementedError

    @property
    def _is_plain(self) -> bool:
        """Whether a subclass has no way of its own to fill arrays."""
        return type(self)._initialize is _Drawn._initialize and type(self).__call__ is Initializer.__call__

    def _initialize(self, arr: np.ndarray) -> None:
        _fill(arr, *self._distribution(arr.shape))


class Uniform(_Drawn):
    """Uniform between -scale and scale."""

    def __init__(self, scale: float = 0.07) -> None:
        super().__init__(scale=scale)
        self.scale = scale

    def _distribution(self, shape: tuple[int, ...]) -> tuple[str, float, float]:
        return "uniform", -self.scale, self.scale


class Normal(_Drawn):
    """The normal distribution with standard deviation `sigma` about `mean`."""

    def __init__(self, sigma: float = 0.01, mean: float = 0.0) -> None:
        super().__init__(sigma=sigma, mean=mean)
        self.sigma, self.mean = sigma, mean

    def _distribution(self, shape: tuple[int, ...]) -> tuple[str, float, float]:
        return "normal", self.mean, self.sigma


class TruncatedNormal(Initializer):
    """The normal distribution with standard deviation `sigma` about `mean`, given that a <= value <= b."""

    def __init__(self, sigma: float = 0.01, mean: float = 0.0, a: float = -2.0, b: float = 2.0) -> None:
        super().__init__(sigma=sigma, mean=mean, a=a, b=b)
        if not (sigma > 0 and a < b):
            raise OpValueError(f"TruncatedNormal needs sigma > 0 and a < b, but got {sigma}, {a} and {b}")
        self.sigma, self.mean, self.a, self.b = sigma, mean, a, b

    def _initialize(self, arr: np.ndarray) -> None:
        _fill_truncated(arr, self.sigma, self.mean, self.a, self.b)


class XavierUniform(_Drawn):
    """Uniform within ± gain · √(6 / (fan_in + fan_out)).

    Source:
        Glorot & Bengio, AISTATS 2010.
    """

    def __init__(self, gain: float = 1) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _distribution(self, shape: tuple[int, ...]) -> tuple[str, float, float]:
        bound = self.gain * math.sqrt(6 / sum(_fans(shape)))
        return "uniform", -bound, bound


class XavierNormal(_Drawn):
    """Normal with standard deviation gain · √(2 / (fan_in + fan_out)).

    Source:
        Glorot & Bengio, AISTATS 2010.
    """

    def __init__(self, gain: float = 1) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _distribution(self, shape: tuple[int, ...]) -> tuple[str, float, float]:
        return "normal", 0.0, self.gain * math.sqrt(2 / sum(_fans(shape)))


class _He(_Drawn):
    """What both forms share: the standard deviation gain / √fan, which keeps the variance of activations.

    Args:
        negative_slope: of the leaky ReLU that follows.
        mode: "fan_in" keeps the variance forward, "fan_out" backward.
        nonlinearity: what follows: "leaky_relu", "relu", "tanh", "sigmoid", "linear", "conv1d" … "conv3d".
    Source:
        He, Zhang, Ren & Sun, ICCV 2015.
    """

    def __init__(self, negative_slope: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> None:
        super().__init__(negative_slope=negative_slope, mode=mode, nonlinearity=nonlinearity)
        name = type(self).__name__
        if mode not in ("fan_in", "fan_out"):
            raise OpValueError(f"{name} needs 'fan_in' or 'fan_out' for `mode`, but got {mode!r}", arg="mode")
        if nonlinearity not in (*_GAINS, "leaky_relu"):
            known = ", ".join([*_GAINS, "leaky_relu"])
            raise OpValueError(f"{name}: `nonlinearity` must be one of {known}, but is {nonlinearity!r}")
        self.negative_slope, self.mode, self.nonlinearity = negative_slope, mode, nonlinearity

    def _deviation(self, shape: tuple[int, ...]) -> float:
        fan = _fans(shape)[self.mode == "fan_out"]
        gain = _GAINS.get(self.nonlinearity) or math.sqrt(2 / (1 + self.negative_slope * self.negative_slope))
        return gain / math.sqrt(fan)


_LINEAR = ("linear", "sigmoid", *(f"conv{n}d{form}" for n in (1, 2, 3) for form in ("", "_transpose")))
_GAINS = {"tanh": 5 / 3, "relu": math.sqrt(2), **dict.fromkeys(_LINEAR, 1.0)}


class HeUniform(_He):
    __doc__ = "Uniform within ± gain · √(3 / fan).\n" + behind_the_first_line(_He)

    def _distribution(self, shape: tuple[int, ...]) -> tuple[str, float, float]:
        bound = math.sqrt(3) * self._deviation(shape)
        return "uniform", -bound, bound


class HeNormal(_He):
    __doc__ = "Normal with standard deviation gain / √fan.\n" + behind_the_first_line(_He)

    def _distribution(self, shape: tuple[int, ...]) -> tuple[str, float, float]:
        return "normal", 0.0, self._deviation(shape)


class VarianceScaling(_Drawn):
    """A distribution of mean 0 and variance scale / fan.

    Args:
        scale: > 0.
        mode: "fan_in", "fan_out", or "fan_avg", the mean of both.
        distribution: "uniform"; "untruncated_normal"; or "truncated_normal", cut at two of the standard deviations
            that it has before it is cut.
    """

    def __init__(self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal") -> None:
        super().__init__(scale=scale, mode=mode, distribution=distribution)
        if not scale > 0:
            raise OpValueError(f"VarianceScaling needs a positive `scale`, but got {scale}", arg="scale")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise OpValueError(f"VarianceScaling: `mode` is fan_in, fan_out or fan_avg, but got {mode!r}", arg="mode")
        if distribution not in ("uniform", "untruncated_normal", "truncated_normal"):
            raise OpValueError(
                f"VarianceScaling: `distribution` is uniform, untruncated_normal or truncated_normal, "
                f"but got {distribution!r}",
                arg="distribution",
            )
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def _distribution(self, shape: tuple[int, ...]) -> tuple[str, float, float]:
        fan_in, fan_out = _fans(shape)
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        deviation = math.sqrt(self.scale / fan)
        if self.distribution == "uniform":
            return "uniform", -math.sqrt(3) * deviation, math.sqrt(3) * deviation
        if self.distribution == "untruncated_normal":
            return "normal", 0.0, deviation
        # divided by the standard deviation of a standard normal that is cut at ±2
        return "truncated", 0.0, deviation / 0.8796256610342398


class Orthogonal(Initializer):
    """A matrix (first axis, all others) with orthonormal rows or, if these are more, columns, times `gain`.

    Source:
        Saxe, McClelland & Ganguli, arXiv:1312.6120; uniform over such matrices: Mezzadri, Notices AMS 54 (2007).
    """

    def __init__(self, gain: float = 1.0) -> None:
        super().__init__(gain=gain)
        self.gain = gain

    def _initialize(self, arr: np.ndarray) -> None:
        _need_axes(self, arr, 2, None)
        rows, columns = arr.shape[0], math.prod(arr.shape[1:])
        q, r = np.linalg.qr(_drawn((max(rows, columns), min(rows, columns)), "normal", 0.0, 1.0))
        q *= np.where(np.diag(r) < 0, -1, 1)  # makes the factorisation unique, and q uniform
        arr[...] = self.gain * (q if rows >= columns else q.T).reshape(arr.shape)


class Sparse(Initializer):
    """A matrix from the normal distribution in which a fraction of each column is zero.

    Args:
        sparsity: the fraction, rounded up to whole elements.
        sigma: the standard deviation of the others.
    Source:
        Martens, ICML 2010.
    """

    def __init__(self, sparsity: float, sigma: float = 0.01) -> None:
        super().__init__(sparsity=sparsity, sigma=sigma)
        self.sparsity, self.sigma = sparsity, sigma

    def _initialize(self, arr: np.ndarray) -> None:
        _need_axes(self, arr, 2, 2)
        rows, columns = arr.shape
        zeros = math.ceil(self.sparsity * rows)
        _fill(arr, "normal", 0.0, self.sigma)
        order = _drawn((rows, columns), "uniform", 0.0, 1.0).argsort(0)
        arr[order[:zeros], np.arange(columns)] = 0


# -- drawing ----------------------------------------------------------------------------------------------------------


def _fill(arr: np.ndarray, kind: str, a: float, b: float) -> None:
    """Fill with numbers of the default generator; see `core/random.py`."""
    if arr.dtype.kind == "f":
        random.fill(arr, kind, a, b)
    else:
        arr[...] = _drawn(arr.shape, kind, a, b)


def _drawn(shape: Any, kind: str, a: float, b: float) -> np.ndarray:
    sample = np.empty(shape, np.float64)
    random.fill(sample, kind, a, b)
    return sample


def _fill_truncated(arr: np.ndarray, sigma: float, mean: float, a: float, b: float) -> None:
    """By rejection: from the normal distribution where much of it lies in the interval, else from the uniform.

    Source:
        Robert, Statistics and Computing 5 (1995).
    """
    low, high = (a - mean) / sigma, (b - mean) / sigma
    nearest = min(max(0.0, low), high)  # where the density is greatest
    inside = 0.5 * (exact.erf(high / math.sqrt(2)) - exact.erf(low / math.sqrt(2)))
    if inside <= 0.25:  # density beyond `reach` of the nearest point is less than exp(-40) of the greatest
        reach = math.sqrt(nearest * nearest + 80) - abs(nearest)
        low, high = max(low, nearest - reach), min(high, nearest + reach)
    sample = np.empty(arr.size, np.float64)
    done = 0
    while done < arr.size:
        count = 2 * (arr.size - done) + 16
        if inside > 0.25:
            drawn = _drawn(count, "normal", 0.0, 1.0)
            drawn = drawn[(low <= drawn) & (drawn <= high)]
        else:
            drawn = _drawn(count, "uniform", low, high)
            density = exp(Tensor((nearest * nearest - drawn * drawn) / 2)).asnumpy()
            drawn = drawn[_drawn(count, "uniform", 0.0, 1.0) <= density]
        drawn = drawn[: arr.size - done]
        sample[done : done + drawn.size] = drawn
        done += drawn.size
    arr[...] = np.clip(mean + sigma * sample, a, b).reshape(arr.shape)  # rounding may leave the interval


def _fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """fan_in and fan_out of weights (out, in, *kernel)."""
    if len(shape) < 2:
        raise OpValueError(f"fan_in and fan_out need weights of at least two axes, but the shape is {shape}")
    kernel = math.prod(shape[2:])
    return shape[1] * kernel, shape[0] * kernel


def _need_axes(self: Initializer, arr: np.ndarray, least: int, most: int | None) -> None:
    if arr.ndim < least or (most is not None and arr.ndim > most):
        span = f"{least}" if most == least else f"at least {least}" if most is None else f"{least} to {most}"
        raise OpValueError(f"{type(self).__name__} fills tensors of {span} axes, but got the shape {arr.shape}")


# -- by name ----------------------------------------------------------------------------------------------------------

_ALIASES = {"zeros": Zero, "ones": One, "truncatednormal": TruncatedNormal}
_BY_NAME = {
    kind.__name__.lower(): kind
    for kind in (Zero, One, Uniform, Normal, XavierUniform, XavierNormal, HeUniform, HeNormal, VarianceScaling,
                 Orthogonal, Identity, Dirac)
} | _ALIASES  # fmt: skip


def initializer(init: Any, shape: int | Sequence[int] | None = None, dtype: Any = float32) -> Tensor:
    """A tensor with initial values.

    Args:
        init: an Initializer; the name of one ("zeros", "ones", "normal", "uniform", "xavier_uniform", "HeUniform",
            "truncatedNormal", …, without regard to case and underscores); a number; or a tensor, which is given back.
        shape: an integer or integers, not negative.
        dtype: element type.
    Returns:
        tensor of that shape and type.
    Raises:
        OpValueError: the name is unknown, or the tensor has another shape.   OpTypeError: `init` is none of these.
    Example:
        >>> initializer("ones", (2, 3)).shape, initializer(0.5, 2).tolist()
        ((2, 3), [0.5, 0.5])
    """
    size = None if shape is None else _read_shape(shape)
    if isinstance(init, Tensor):
        if size is not None and init.shape != size:
            raise OpValueError(f"initializer: the tensor has shape {init.shape}, but `shape` says {size}", arg="shape")
        return init
    if size is None:
        raise OpValueError("initializer needs a `shape`", arg="shape")
    kind = as_dtype(dtype)
    made = initializer_of(init)
    if isinstance(made, _Drawn) and made._is_plain and kind.is_float and kind is not bfloat16:
        what, a, b = made._distribution(size)
        return drawn(what, a, b, size, kind)  # the same numbers, by an operator, which graph mode does by itself
    return from_buffer(made(size, kind), kind)


def initializer_of(init: Any) -> Initializer:
    """The Initializer that is meant by a name, a number or an Initializer."""
    if isinstance(init, Initializer):
        return init
    if isinstance(init, str):
        found = _BY_NAME.get(init.lower().replace("_", ""))
        if found is None:
            raise OpValueError(
                f"initializer: {init!r} is no initializer", help=f"the names are {', '.join(sorted(_BY_NAME))}."
            )
        return found()
    if isinstance(init, (int, float, np.generic)):
        return Constant(init)
    raise OpTypeError(
        f"initializer needs an Initializer, a name, a number or a tensor, but got {type(init).__name__}",
        help="make an object of the class, e.g. Normal(0.02)." if isinstance(init, type) else None,
    )


def _read_shape(shape: Any) -> tuple[int, ...]:
    size = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    for n in size:
        if isinstance(n, bool) or not hasattr(n, "__index__"):
            raise OpTypeError(f"initializer needs integers for `shape`, but got {shape!r}", arg="shape")
        if n.__index__() < 0:
            raise OpValueError(f"initializer: lengths must not be negative, but got {shape!r}", arg="shape")
    return tuple(n.__index__() for n in size)
