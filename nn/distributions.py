"""Probability distributions: densities, moments, entropies, divergences and random numbers, with gradients.

A distribution is a Cell that holds its parameters. Each method takes others behind its own arguments, in the order in
which the class takes them, or by name; a distribution made without parameters needs them there. What a class has to say is
a formula for each (`_log_prob`, `_cdf`, …); the rest follows from these here.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from anfora import ops
from anfora.core.cell import Cell
from anfora.core.dtype import DType, as_dtype, float32, int32, int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.exact import LN2, LN_PI, LN_TAU
from anfora.core.random import Generator
from anfora.core.tensor import Tensor
from anfora.nn.bijectors import Bijector
from anfora.nn.checks import integer

__all__ = [
    "Bernoulli", "Beta", "Categorical", "Cauchy", "Distribution", "Exponential", "Gamma", "Geometric", "Gumbel",
    "HalfNormal", "Laplace", "LogNormal", "Logistic", "Normal", "Poisson", "StudentT",
    "TransformedDistribution", "Uniform",
]  # fmt: skip

_LOG_SQRT_TWO_PI = 0.5 * LN_TAU
_EULER = 0.57721566490153286
_METHODS = (
    "prob", "log_prob", "cdf", "log_cdf", "survival_function", "log_survival", "mean", "mode", "var", "sd", "entropy",
    "kl_loss", "cross_entropy", "sample", "get_dist_args", "get_dist_type",
)  # fmt: skip


class Distribution(Cell):
    """Base of distributions.

    Args:
        seed: an integer for random numbers of a stream of their own; the default generator gives them if it is None or 0.
        dtype: type of random numbers, and of the mode.
        name: of the distribution.
        parameters: numbers, arrays or tensors by name, whose shapes broadcast; None for those that each call gives.
    Raises:
        OpTypeError: `seed` or `dtype` has another type.   OpValueError: a parameter is out of its range.
    Example:
        >>> Normal(0.0, 2.0)("mean", 3.0).item()
        3.0
    """

    names: ClassVar[tuple[str, ...]] = ()  #: of the parameters, in the order of arguments
    ranges: ClassVar[dict[str, tuple[float, float]]] = {}  #: between which numbers parameters must be
    is_discrete: ClassVar[bool] = False

    def __init__(self, seed: int | None, dtype: Any, name: str, **parameters: Any) -> None:
        super().__init__()
        kind = type(self).__name__
        self.dtype = _checked_dtype(kind, dtype, self.is_discrete)
        self.label = name
        seed = 0 if seed is None else integer(kind, "seed", seed, least=0)
        self.generator = Generator().manual_seed(seed) if seed else None
        #: the type of parameters, and of all results that are no random numbers
        self.parameter_type = self.dtype if self.dtype.is_float else float32
        self.given: dict[str, Tensor | None] = {}
        for each, value in parameters.items():
            self.given[each] = None if value is None else self._checked(kind, each, value)
            if not hasattr(type(self), each):  # `mean` and `sd` are methods
                setattr(self, each, self.given[each])

    def _checked(self, kind: str, name: str, value: Any) -> Tensor:
        tensor = value if isinstance(value, Tensor) else Tensor(np.asarray(value), self.parameter_type)
        low, high = self.ranges.get(name, (-math.inf, math.inf))
        numbers = tensor.asnumpy()
        if not ((numbers > low) & (numbers < high)).all():
            raise OpValueError(f"{kind} needs `{name}` between {low:g} and {high:g}, but got {numbers}", arg=name)
        return tensor

    def _parameters(self, given: tuple, named: dict[str, Any], suffix: str = "") -> list[Tensor]:
        """The parameters of a call, given or its own."""
        kind = type(self).__name__
        if len(given) > len(self.names):
            raise OpTypeError(
                f"{kind} has {len(self.names)} parameters ({', '.join(self.names)}), but got {len(given)}"
            )
        values = dict(zip(self.names, given))
        for name, value in named.items():
            plain = name.removesuffix("_b" if suffix else "_a")
            if plain not in self.names or plain in values:
                raise OpTypeError(f"{kind} has the parameters {', '.join(self.names)}, but got `{name}`", arg=name)
            values[plain] = value
        found = []
        for name in self.names:
            value = values.get(name)
            if value is None and not suffix:
                value = self.given[name]
            if value is None:
                raise OpTypeError(
                    f"{kind} needs `{name}{suffix}`, which is given neither here nor at its making", arg=name
                )
            found.append(self._floating(value))
        return found

    def _floating(self, value: Any) -> Tensor:
        if isinstance(value, Tensor):
            return value if value.dtype is self.parameter_type else value.astype(self.parameter_type)
        return Tensor(np.asarray(value), self.parameter_type)

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """A method by its name."""
        if name not in _METHODS:
            raise OpValueError(f"a distribution has the methods {', '.join(_METHODS)}, but got {name!r}", arg="name")
        return getattr(self, name)(*args, **kwargs)

    def get_dist_type(self) -> str:
        """The name of the kind, which `kl_loss` and `cross_entropy` are told."""
        return type(self).__name__

    def get_dist_args(self, *parameters: Any, **named: Any) -> tuple[Tensor, ...]:
        """The parameters, those that are not given its own."""
        return tuple(self._parameters(parameters, named))

    def log_prob(self, value: Any, *parameters: Any, **named: Any) -> Tensor:
        """Logarithm of the density, or of the probability of a discrete value; -inf where there is none.

        Args:
            value: tensor or numbers, whose shape broadcasts with those of the parameters.
        """
        return self._log_prob(self._floating(value), *self._parameters(parameters, named))

    def prob(self, value: Any, *parameters: Any, **named: Any) -> Tensor:
        """The density, or the probability of a discrete value."""
        return ops.exp(self.log_prob(value, *parameters, **named))

    def cdf(self, value: Any, *parameters: Any, **named: Any) -> Tensor:
        """The probability of numbers up to `value`."""
        return self._cdf(self._floating(value), *self._parameters(parameters, named))

    def log_cdf(self, value: Any, *parameters: Any, **named: Any) -> Tensor:
        """Logarithm of `cdf`."""
        return ops.log(self.cdf(value, *parameters, **named))

    def survival_function(self, value: Any, *parameters: Any, **named: Any) -> Tensor:
        """The probability of numbers above `value`."""
        return 1.0 - self.cdf(value, *parameters, **named)

    def log_survival(self, value: Any, *parameters: Any, **named: Any) -> Tensor:
        """Logarithm of `survival_function`."""
        return ops.log1p(-self.cdf(value, *parameters, **named))

    def mean(self, *parameters: Any, **named: Any) -> Tensor:
        """The expected value."""
        return self._mean(*self._parameters(parameters, named))

    def mode(self, *parameters: Any, **named: Any) -> Tensor:
        """The most likely value."""
        return self._mode(*self._parameters(parameters, named)).astype(self.dtype)

    def var(self, *parameters: Any, **named: Any) -> Tensor:
        """The variance."""
        return self._var(*self._parameters(parameters, named))

    def sd(self, *parameters: Any, **named: Any) -> Tensor:
        """The standard deviation."""
        return ops.sqrt(self.var(*parameters, **named))

    def entropy(self, *parameters: Any, **named: Any) -> Tensor:
        """The entropy, in nats."""
        return self._entropy(*self._parameters(parameters, named))

    def kl_loss(self, dist: str, *parameters: Any, **named: Any) -> Tensor:
        """The Kullback-Leibler divergence from this distribution, a, to another one of its kind, b.

        Args:
            dist: the name of the kind.
            parameters: those of b, and behind them others for a; by name they end in `_b` and `_a`.
        Raises:
            OpValueError: `dist` is another kind.
        """
        a, b = self._both(dist, parameters, named)
        return self._divergence(*a, *b)

    def cross_entropy(self, dist: str, *parameters: Any, **named: Any) -> Tensor:
        """The entropy of this distribution and its divergence to another one; arguments are those of `kl_loss`."""
        a, b = self._both(dist, parameters, named)
        return self._entropy(*a) + self._divergence(*a, *b)

    def _both(self, dist: str, given: tuple, named: dict[str, Any]) -> tuple[list[Tensor], list[Tensor]]:
        if dist != self.get_dist_type():
            raise OpValueError(f"{self.get_dist_type()}: `dist` is its own kind, but got {dist!r}", arg="dist")
        count = len(self.names)
        of_b = {name: value for name, value in named.items() if name.endswith("_b")}
        of_a = {name: value for name, value in named.items() if name not in of_b}
        return self._parameters(given[count:], of_a), self._parameters(given[:count], of_b, "_b")

    def sample(self, shape: Any = (), *parameters: Any, **named: Any) -> Tensor:
        """Random numbers.

        Args:
            shape: tuple of how many; the shape of the parameters comes behind it.
        Returns:
            tensor of type `dtype`; for floating types with gradients to those parameters by which numbers are moved and
            scaled.
        """
        taken = self._parameters(parameters, named)
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        return self._sample((*shape, *self._batch(*taken)), *taken).astype(self.dtype)

    @staticmethod
    def _batch(*parameters: Tensor) -> tuple[int, ...]:
        return np.broadcast_shapes(*(each.shape for each in parameters))

    def _units(self, shape: tuple[int, ...]) -> Tensor:
        """Numbers from 0 to 1, 1 excluded."""
        return ops.rand(*shape, dtype=self.parameter_type, seed=self.generator)

    def _normals(self, shape: tuple[int, ...]) -> Tensor:
        return ops.randn(*shape, dtype=self.parameter_type, seed=self.generator)

    def _exponentials(self, shape: tuple[int, ...]) -> Tensor:
        """Positive numbers of mean 1."""
        return ops.exponential(shape, 1.0, seed=self.generator, dtype=self.parameter_type)

    def _gammas(self, shape: tuple[int, ...], concentration: Tensor) -> Tensor:
        wide = ops.broadcast_to(concentration, shape)
        return ops.random_gamma((), wide.astype(float32), seed=self.generator).astype(self.parameter_type)

    def _missing(self, what: str) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no {what}")

    def _log_prob(self, value: Tensor, *parameters: Tensor) -> Tensor:
        return self._missing("density")

    def _cdf(self, value: Tensor, *parameters: Tensor) -> Tensor:
        return self._missing("cdf")

    def _mean(self, *parameters: Tensor) -> Tensor:
        return self._missing("mean")

    def _mode(self, *parameters: Tensor) -> Tensor:
        return self._missing("mode")

    def _var(self, *parameters: Tensor) -> Tensor:
        return self._missing("variance")

    def _entropy(self, *parameters: Tensor) -> Tensor:
        return self._missing("entropy by a formula")

    def _divergence(self, *parameters: Tensor) -> Tensor:
        return self._missing("divergence by a formula")

    def _sample(self, shape: tuple[int, ...], *parameters: Tensor) -> Tensor:
        return self._missing("random numbers")


def _checked_dtype(kind: str, dtype: Any, is_discrete: bool) -> DType:
    found = as_dtype(dtype)
    if not (found.is_float or (is_discrete and found.kind in "iu")):
        need = "a type of numbers" if is_discrete else "a floating-point type"
        raise OpTypeError(f"{kind} needs {need} for `dtype`, but got {found.name}", arg="dtype")
    return found


def _where(inside: Tensor, formula: Any, value: Tensor, other: float, safe: float) -> Tensor:
    """What a formula gives inside, another number outside; it sees no number from there, whose gradient might be NaN."""
    return ops.where(inside, formula(ops.where(inside, value, safe)), other)


def _wide(value: Tensor, *parameters: Tensor) -> Tensor:
    """A value in the shape that it has together with all parameters."""
    return ops.broadcast_to(value, np.broadcast_shapes(value.shape, *(each.shape for each in parameters)))


class _Moved(Distribution):
    """A distribution of a fixed form, moved and scaled: `(x - location) / scale` is of the standard one."""

    ranges: ClassVar[dict[str, tuple[float, float]]] = {"sd": (0, math.inf), "scale": (0, math.inf)}

    def _log_prob(self, value, location, scale):
        return self._standard_log_prob((value - location) / scale) - ops.log(scale)

    def _cdf(self, value, location, scale):
        return self._standard_cdf((value - location) / scale)

    def _mean(self, location, scale):
        return _wide(location, scale)

    def _mode(self, location, scale):
        return _wide(location, scale)

    def _entropy(self, location, scale):
        return _wide(ops.log(scale) + self._standard_entropy, location)

    def _sample(self, shape, location, scale):
        return location + scale * self._standard_sample(shape)


def _normal_divergence(mean_a: Tensor, sd_a: Tensor, mean_b: Tensor, sd_b: Tensor) -> Tensor:
    ratio, shift = sd_a / sd_b, (mean_a - mean_b) / sd_b
    return 0.5 * (ratio * ratio + shift * shift - 1.0) - ops.log(ratio)


class Normal(_Moved):
    """The normal distribution, of density exp(-z² / 2) / (sd √2π) with z = (x - mean) / sd.

    Args:
        mean: where it lies.
        sd: the standard deviation, positive.
        seed, dtype, name: see `Distribution`.
    Example:
        >>> Normal(1.0, 2.0).cdf(Tensor([1.0])).tolist()
        [0.5]
    """

    names = ("mean", "sd")
    _standard_entropy = 0.5 + _LOG_SQRT_TWO_PI

    def __init__(
        self, mean: Any = None, sd: Any = None, seed: int | None = None, dtype: Any = float32, name: str = "Normal"
    ) -> None:
        super().__init__(seed, dtype, name, mean=mean, sd=sd)

    def _standard_log_prob(self, z):
        return -0.5 * z * z - _LOG_SQRT_TWO_PI

    def _standard_cdf(self, z):
        return 0.5 * ops.erfc(z * -math.sqrt(0.5))

    def _standard_sample(self, shape):
        return self._normals(shape)

    def _var(self, mean, sd):
        return _wide(sd * sd, mean)

    def _divergence(self, mean_a, sd_a, mean_b, sd_b):
        return _normal_divergence(mean_a, sd_a, mean_b, sd_b)


class LogNormal(Distribution):
    """The distribution of exp(x) for normal x.

    Args:
        loc, scale: mean and standard deviation of the logarithm; scale > 0.
        seed, dtype, name: see `Distribution`.
    Example:
        >>> LogNormal(0.0, 1.0).cdf(Tensor([1.0])).tolist()
        [0.5]
    """

    names = ("loc", "scale")
    ranges: ClassVar[dict[str, tuple[float, float]]] = {"scale": (0, math.inf)}

    def __init__(
        self, loc: Any = None, scale: Any = None, seed: int | None = 0, dtype: Any = float32, name: str = "LogNormal"
    ) -> None:
        super().__init__(seed, dtype, name, loc=loc, scale=scale)

    def _log_prob(self, value, loc, scale):
        def inside(x):
            z = (ops.log(x) - loc) / scale
            return -0.5 * z * z - _LOG_SQRT_TWO_PI - ops.log(scale) - ops.log(x)

        return _where(value > 0, inside, value, -math.inf, 1.0)

    def _cdf(self, value, loc, scale):
        return _where(value > 0, lambda x: 0.5 * ops.erfc((loc - ops.log(x)) / (scale * math.sqrt(2))), value, 0.0, 1.0)

    def _mean(self, loc, scale):
        return ops.exp(loc + 0.5 * scale * scale)

    def _mode(self, loc, scale):
        return ops.exp(loc - scale * scale)

    def _var(self, loc, scale):
        return ops.expm1(scale * scale) * ops.exp(2.0 * loc + scale * scale)

    def _entropy(self, loc, scale):
        return loc + 0.5 + _LOG_SQRT_TWO_PI + ops.log(scale)

    def _divergence(self, loc_a, scale_a, loc_b, scale_b):
        return _normal_divergence(loc_a, scale_a, loc_b, scale_b)

    def _sample(self, shape, loc, scale):
        return ops.exp(loc + scale * self._normals(shape))


class HalfNormal(Distribution):
    """The distribution of mean + |x| for normal x of mean 0.

    Args:
        mean: where it begins.
        sd: the standard deviation of x, positive.
        seed, dtype, name: see `Distribution`.
    Example:
        >>> HalfNormal(1.0, 2.0).prob(Tensor([0.0])).tolist()
        [0.0]
    """

    names = ("mean", "sd")
    ranges: ClassVar[dict[str, tuple[float, float]]] = {"sd": (0, math.inf)}

    def __init__(
        self, mean: Any = None, sd: Any = None, seed: int | None = None, dtype: Any = float32, name: str = "HalfNormal"
    ) -> None:
        super().__init__(seed, dtype, name, mean=mean, sd=sd)

    def _log_prob(self, value, mean, sd):
        z = (value - mean) / sd
        return ops.where(z >= 0, LN2 - _LOG_SQRT_TWO_PI - 0.5 * z * z - ops.log(sd), -math.inf)

    def _cdf(self, value, mean, sd):
        z = (value - mean) / sd
        return ops.where(z > 0, ops.erf(z * math.sqrt(0.5)), 0.0)

    def _mean(self, mean, sd):
        return mean + sd * math.sqrt(2 / math.pi)

    def _mode(self, mean, sd):
        return _wide(mean, sd)

    def _var(self, mean, sd):
        return _wide(sd * sd * (1 - 2 / math.pi), mean)

    def _entropy(self, mean, sd):
        return _wide(ops.log(sd) + (0.5 + _LOG_SQRT_TWO_PI - LN2), mean)

    def _sample(self, shape, mean, sd):
        return mean + sd * ops.abs(self._normals(shape))


class Laplace(_Moved):
    """The Laplace distribution, of density exp(-|x - mean| / sd) / (2 sd).

    Args:
        mean: where it lies.
        sd: the scale, positive; the standard deviation is √2 times as large.
        seed, dtype, name: see `Distribution`.
    Example:
        >>> Laplace(0.0, 2.0).prob(Tensor([0.0])).tolist()
        [0.25]
    """

    names = ("mean", "sd")
    _standard_entropy = 1.0 + LN2

    def __init__(
        self, mean: Any = None, sd: Any = None, seed: int | None = None, dtype: Any = float32, name: str = "Laplace"
    ) -> None:
        super().__init__(seed, dtype, name, mean=mean, sd=sd)

    def _standard_log_prob(self, z):
        return -ops.abs(z) - LN2

    def _standard_cdf(self, z):
        tail = 0.5 * ops.exp(-ops.abs(z))
        return ops.where(z > 0, 1.0 - tail, tail)

    def _standard_sample(self, shape):
        return self._exponentials(shape) - self._exponentials(shape)

    def _var(self, mean, sd):
        return _wide(2.0 * sd * sd, mean)

    def _divergence(self, mean_a, sd_a, mean_b, sd_b):
        apart = ops.abs(mean_a - mean_b)
        return ops.log(sd_b / sd_a) + (sd_a * ops.exp(-apart / sd_a) + apart) / sd_b - 1.0


class Logistic(_Moved):
    """The logistic distribution, whose cdf is the sigmoid function of (x - loc) / scale.

    Args:
        loc: where it lies.
        scale: positive; the standard deviation is π / √3 times as large.
        seed, dtype, name: see `Distribution`.
    Example:
        >>> Logistic(1.0, 2.0).cdf(Tensor([1.0])).tolist()
        [0.5]
    """

    names = ("loc", "scale")
    _standard_entropy = 2.0

    def __init__(
        self, loc: Any = None, scale: Any = None, seed: int | None = None, dtype: Any = float32, name: str = "Logistic"
    ) -> None:
        super().__init__(seed, dtype, name, loc=loc, scale=scale)

    def _standard_log_prob(self, z):
        near = -ops.abs(z)
        return near - 2.0 * ops.log1p(ops.exp(near))

    def _standard_cdf(self, z):
        return ops.sigmoid(z)

    def _standard_sample(self, shape):
        return ops.log(self._exponentials(shape)) - ops.log(self._exponentials(shape))

    def _var(self, loc, scale):
        return _wide(scale * scale * (math.pi**2 / 3), loc)


class Gumbel(_Moved):
    """The Gumbel distribution of largest values, whose cdf is exp(-exp(-(x - loc) / scale)).

    Args:
        loc: the mode.
        scale: positive.
        seed, dtype, name: see `Distribution`.
    Example:
        >>> Gumbel(1.0, 2.0).mode().item()
        1.0
    """

    names = ("loc", "scale")
    _standard_entropy = 1.0 + _EULER

    def __init__(
        self, loc: Any = None, scale: Any = None, seed: int | None = 0, dtype: Any = float32, name: str = "Gumbel"
    ) -> None:
        super().__init__(seed, dtype, name, loc=loc, scale=scale)

    def _standard_log_prob(self, z):
        return -z - ops.exp(-z)

    def _standard_cdf(self, z):
        return ops.exp(-ops.exp(-z))

    def _standard_sample(self, shape):
        return -ops.log(self._exponentials(shape))

    def _mean(self, loc, scale):
        return loc + scale * _EULER

    def _var(self, loc, scale):
        return _wide(scale * scale * (math.pi**2 / 6), loc)

    def _divergence(self, loc_a, scale_a, loc_b, scale_b):
        ratio, shift = scale_a / scale_b, (loc_a - loc_b) / scale_b
        return shift + _EULER * (ratio - 1.0) - ops.log(ratio) - 1.0 + ops.exp(ops.lgamma(1.0 + ratio) - shift)


class Cauchy(_Moved):
    """The Cauchy distribution, of density 1 / (π scale (1 + z²)) with z = (x - loc) / scale. It has no moments.

    Args:
        loc: the median.
        scale: half of the width at half of the height, positive.
        seed, dtype, name: see `Distribution`.
    Example:
        >>> Cauchy(1.0, 2.0).cdf(Tensor([1.0, 3.0])).tolist()
        [0.5, 0.75]
    """

    names = ("loc", "scale")
    _standard_entropy = 2 * LN2 + LN_PI

    def __init__(
        self, loc: Any = None, scale: Any = None, seed: int | None = None, dtype: Any = float32, name: str = "Cauchy"
    ) -> None:
        super().__init__(seed, dtype, name, loc=loc, scale=scale)

    def _standard_log_prob(self, z):
        return -LN_PI - ops.log1p(z * z)

    def _standard_cdf(self, z):
        return ops.atan(z) * (1 / math.pi) + 0.5

    def _standard_sample(self, shape):
        return ops.tan((self._units(shape) - 0.5) * math.pi)

    def _mean(self, loc, scale):
        return self._missing("mean")

    def _mode(self, loc, scale):
        return _wide(loc, scale)

    def _divergence(self, loc_a, scale_a, loc_b, scale_b):
        apart, together = loc_a - loc_b, scale_a + scale_b
        return ops.log((together * together + apart * apart) / (4.0 * scale_a * scale_b))


class StudentT(Distribution):
    """Student's t distribution, moved and scaled.

    Args:
        df: degrees of freedom, positive.
        mean: where it lies.
        sd: the scale, positive.
        seed, dtype, name: see `Distribution`.
    Example:
        >>> StudentT(1.0, 0.0, 1.0).cdf(Tensor([1.0])).tolist()
        [0.75]
    """

    names = ("df", "mean", "sd")
    ranges: ClassVar[dict[str, tuple[float, float]]] = {"df": (0, math.inf), "sd": (0, math.inf)}

    def __init__(
        self,
        df: Any = None,
        mean: Any = None,
        sd: Any = None,
        seed: int | None = None,
        dtype: Any = float32,
        name: str = "StudentT",
    ) -> None:
        super().__init__(seed, dtype, name, df=df, mean=mean, sd=sd)

    def _log_prob(self, value, df, mean, sd):
        z = (value - mean) / sd
        shape = -0.5 * (df + 1.0) * ops.log1p(z * z / df)
        return shape + ops.lgamma(0.5 * (df + 1.0)) - ops.lgamma(0.5 * df) - 0.5 * ops.log(df * math.pi) - ops.log(sd)

    def _cdf(self, value, df, mean, sd):
        z = (value - mean) / sd
        tail = 0.5 * ops.betainc(0.5 * df, 0.5, df / (df + z * z))
        return ops.where(z > 0, 1.0 - tail, tail)

    def _mean(self, df, mean, sd):
        return ops.where(df > 1, _wide(mean, df, sd), math.nan)

    def _mode(self, df, mean, sd):
        return _wide(mean, df, sd)

    def _var(self, df, mean, sd):
        return ops.where(df > 2, _wide(sd * sd * df / (df - 2.0), mean), ops.where(df > 1, math.inf, math.nan))

    def _entropy(self, df, mean, sd):
        half = 0.5 * (df + 1.0)
        form = half * (ops.digamma(half) - ops.digamma(0.5 * df)) + ops.lgamma(0.5 * df) - ops.lgamma(half)
        return _wide(form + 0.5 * ops.log(df * math.pi) + ops.log(sd), mean)

    def _sample(self, shape, df, mean, sd):
        return mean + sd * self._normals(shape) * ops.sqrt(0.5 * df / self._gammas(shape, 0.5 * df))


class Uniform(Distribution):
    """The uniform distribution from `low` to `high`.

    Args:
        low, high: the ends; low < high.
        seed, dtype, name: see `Distribution`.
    Example:
        >>> Uniform(1.0, 5.0).prob(Tensor([0.0, 2.0])).tolist()
        [0.0, 0.25]
    """

    names = ("low", "high")

    def __init__(
        self, low: Any = None, high: Any = None, seed: int | None = None, dtype: Any = float32, name: str = "Uniform"
    ) -> None:
        super().__init__(seed, dtype, name, low=low, high=high)
        if low is not None and high is not None and not (self.low < self.high).all():
            raise OpValueError(f"Uniform needs low < high, but got {low} and {high}", arg="low")

    def _log_prob(self, value, low, high):
        return ops.where((value >= low) & (value <= high), -ops.log(high - low), -math.inf)

    def _cdf(self, value, low, high):
        return ops.clamp((value - low) / (high - low), 0.0, 1.0)

    def _mean(self, low, high):
        return 0.5 * (low + high)

    def _mode(self, low, high):
        return 0.5 * (low + high)

    def _var(self, low, high):
        return (high - low) * (high - low) / 12.0

    def _entropy(self, low, high):
        return ops.log(high - low)

    def _divergence(self, low_a, high_a, low_b, high_b):
        inside = (low_a >= low_b) & (high_a <= high_b)
        return ops.where(inside, ops.log((high_b - low_b) / (high_a - low_a)), math.inf)

    def _sample(self, shape, low, high):
        return low + (high - low) * self._units(shape)


class Exponential(Distribution):
    """The exponential distribution, of density rate · exp(-rate x) for x ≥ 0.

    Args:
        rate: positive.
        seed, dtype, name: see `Distribution`.
    Example:
        >>> Exponential(2.0).mean().item()
        0.5
    """

    names = ("rate",)
    ranges: ClassVar[dict[str, tuple[float, float]]] = {"rate": (0, math.inf)}

    def __init__(
        self, rate: Any = None, seed: int | None = None, dtype: Any = float32, name: str = "Exponential"
    ) -> None:
        super().__init__(seed, dtype, name, rate=rate)

    def _log_prob(self, value, rate):
        return ops.where(value >= 0, ops.log(rate) - rate * value, -math.inf)

    def _cdf(self, value, rate):
        return ops.where(value > 0, -ops.expm1(-rate * value), 0.0)

    def _mean(self, rate):
        return 1.0 / rate

    def _mode(self, rate):
        return ops.zeros_like(rate)

    def _var(self, rate):
        return 1.0 / (rate * rate)

    def _entropy(self, rate):
        return 1.0 - ops.log(rate)

    def _divergence(self, rate_a, rate_b):
        return ops.log(rate_a / rate_b) + rate_b / rate_a - 1.0

    def _sample(self, shape, rate):
        return self._exponentials(shape) / rate


class Gamma(Distribution):
    """The gamma distribution, of density proportional to x ** (concentration - 1) · exp(-rate x) for x > 0.

    Args:
        concentration, rate: positive.
        seed, dtype, name: see `Distribution`. Random numbers have a gradient to `rate` alone.
    Example:
        >>> Gamma(3.0, 2.0).mean().item()
        1.5
    """

    names = ("concentration", "rate")
    ranges: ClassVar[dict[str, tuple[float, float]]] = {"concentration": (0, math.inf), "rate": (0, math.inf)}

    def __init__(
        self,
        concentration: Any = None,
        rate: Any = None,
        seed: int | None = None,
        dtype: Any = float32,
        name: str = "Gamma",
    ) -> None:
        super().__init__(seed, dtype, name, concentration=concentration, rate=rate)

    def _log_prob(self, value, concentration, rate):
        def inside(x):
            return (
                concentration * ops.log(rate) + ops.xlogy(concentration - 1.0, x) - rate * x - ops.lgamma(concentration)
            )

        return _where(value > 0, inside, value, -math.inf, 1.0)

    def _cdf(self, value, concentration, rate):
        return _where(value > 0, lambda x: ops.igamma(concentration, rate * x), value, 0.0, 1.0)

    def _mean(self, concentration, rate):
        return concentration / rate

    def _mode(self, concentration, rate):
        return ops.where(concentration >= 1, (concentration - 1.0) / rate, 0.0)

    def _var(self, concentration, rate):
        return concentration / (rate * rate)

    def _entropy(self, concentration, rate):
        form = concentration + ops.lgamma(concentration) + (1.0 - concentration) * ops.digamma(concentration)
        return form - ops.log(rate)

    def _divergence(self, concentration_a, rate_a, concentration_b, rate_b):
        return (
            (concentration_a - concentration_b) * ops.digamma(concentration_a)
            - ops.lgamma(concentration_a)
            + ops.lgamma(concentration_b)
            + concentration_b * ops.log(rate_a / rate_b)
            + concentration_a * (rate_b / rate_a - 1.0)
        )

    def _sample(self, shape, concentration, rate):
        return self._gammas(shape, concentration) / rate


class Beta(Distribution):
    """The beta distribution, of density proportional to x ** (concentration1 - 1) · (1 - x) ** (concentration0 - 1).

    Args:
        concentration1, concentration0: positive.
        seed, dtype, name: see `Distribution`. Random numbers have no gradient.
    Example:
        >>> Beta(2.0, 2.0).cdf(Tensor([0.5])).tolist()
        [0.5]
    """

    names = ("concentration1", "concentration0")
    ranges: ClassVar[dict[str, tuple[float, float]]] = {
        "concentration1": (0, math.inf),
        "concentration0": (0, math.inf),
    }

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        seed: int | None = None,
        dtype: Any = float32,
        name: str = "Beta",
    ) -> None:
        super().__init__(seed, dtype, name, concentration1=concentration1, concentration0=concentration0)

    @staticmethod
    def _log_beta(a, b):
        return ops.lgamma(a) + ops.lgamma(b) - ops.lgamma(a + b)

    def _log_prob(self, value, a, b):
        def inside(x):
            return ops.xlogy(a - 1.0, x) + (b - 1.0) * ops.log1p(-x) - self._log_beta(a, b)

        return _where((value > 0) & (value < 1), inside, value, -math.inf, 0.5)

    def _cdf(self, value, a, b):
        return ops.betainc(a, b, ops.clamp(value, 0.0, 1.0))

    def _mean(self, a, b):
        return a / (a + b)

    def _mode(self, a, b):
        return ops.where((a > 1) & (b > 1), (a - 1.0) / (a + b - 2.0), math.nan)

    def _var(self, a, b):
        total = a + b
        return a * b / (total * total * (total + 1.0))

    def _entropy(self, a, b):
        tilt = (a - 1.0) * ops.digamma(a) + (b - 1.0) * ops.digamma(b) - (a + b - 2.0) * ops.digamma(a + b)
        return self._log_beta(a, b) - tilt

    def _divergence(self, a1, a0, b1, b0):
        moved = (a1 - b1) * ops.digamma(a1) + (a0 - b0) * ops.digamma(a0) + (b1 - a1 + b0 - a0) * ops.digamma(a1 + a0)
        return self._log_beta(b1, b0) - self._log_beta(a1, a0) + moved

    def _sample(self, shape, a, b):
        first = self._gammas(shape, a)
        return first / (first + self._gammas(shape, b))


class Bernoulli(Distribution):
    """1 with the probability `probs`, else 0.

    Args:
        probs: between 0 and 1.
        seed, dtype, name: see `Distribution`.
    Example:
        >>> Bernoulli(0.25).prob(Tensor([0, 1])).tolist()
        [0.75, 0.25]
    """

    names = ("probs",)
    ranges: ClassVar[dict[str, tuple[float, float]]] = {"probs": (0, 1)}
    is_discrete = True

    def __init__(self, probs: Any = None, seed: int | None = None, dtype: Any = int32, name: str = "Bernoulli") -> None:
        super().__init__(seed, dtype, name, probs=probs)

    def _log_prob(self, value, probs):
        return ops.xlogy(value, probs) + ops.xlogy(1.0 - value, 1.0 - probs)

    def _cdf(self, value, probs):
        return ops.where(value < 0, 0.0, ops.where(value < 1, 1.0 - probs, 1.0))

    def _mean(self, probs):
        return probs

    def _mode(self, probs):
        return probs > 0.5

    def _var(self, probs):
        return probs * (1.0 - probs)

    def _entropy(self, probs):
        return -(ops.xlogy(probs, probs) + ops.xlogy(1.0 - probs, 1.0 - probs))

    def _divergence(self, a, b):
        return ops.xlogy(a, a / b) + ops.xlogy(1.0 - a, (1.0 - a) / (1.0 - b))

    def _sample(self, shape, probs):
        return self._units(shape) < probs


class Geometric(Distribution):
    """How many fail before the first that succeeds: k with the probability probs · (1 - probs) ** k.

    Args:
        probs: the probability of success, between 0 and 1.
        seed, dtype, name: see `Distribution`.
    Example:
        >>> Geometric(0.5).prob(Tensor([0, 1, 2])).tolist()
        [0.5, 0.25, 0.125]
    """

    names = ("probs",)
    ranges: ClassVar[dict[str, tuple[float, float]]] = {"probs": (0, 1)}
    is_discrete = True

    def __init__(self, probs: Any = None, seed: int | None = None, dtype: Any = int32, name: str = "Geometric") -> None:
        super().__init__(seed, dtype, name, probs=probs)

    def _log_prob(self, value, probs):
        return ops.where(value >= 0, ops.log(probs) + value * ops.log1p(-probs), -math.inf)

    def _cdf(self, value, probs):
        return ops.where(value >= 0, -ops.expm1((ops.floor(value) + 1.0) * ops.log1p(-probs)), 0.0)

    def _mean(self, probs):
        return (1.0 - probs) / probs

    def _mode(self, probs):
        return ops.zeros_like(probs)

    def _var(self, probs):
        return (1.0 - probs) / (probs * probs)

    def _entropy(self, probs):
        return -(ops.xlogy(1.0 - probs, 1.0 - probs) + ops.xlogy(probs, probs)) / probs

    def _divergence(self, a, b):
        return ops.log(a / b) + (1.0 - a) / a * ops.log((1.0 - a) / (1.0 - b))

    def _sample(self, shape, probs):
        return ops.floor(self._exponentials(shape) / -ops.log1p(-probs))


class Poisson(Distribution):
    """The Poisson distribution: k with the probability rate ** k · exp(-rate) / k!.

    Args:
        rate: the mean, positive.
        seed, dtype, name: see `Distribution`.
    Example:
        >>> Poisson(2.5).mode().item()
        2.0
    """

    names = ("rate",)
    ranges: ClassVar[dict[str, tuple[float, float]]] = {"rate": (0, math.inf)}
    is_discrete = True

    def __init__(self, rate: Any = None, seed: int | None = None, dtype: Any = float32, name: str = "Poisson") -> None:
        super().__init__(seed, dtype, name, rate=rate)

    def _log_prob(self, value, rate):
        return _where(value >= 0, lambda k: ops.xlogy(k, rate) - rate - ops.lgamma(k + 1.0), value, -math.inf, 0.0)

    def _cdf(self, value, rate):
        return _where(value >= 0, lambda k: 1.0 - ops.igamma(ops.floor(k) + 1.0, rate), value, 0.0, 0.0)

    def _mean(self, rate):
        return rate

    def _var(self, rate):
        return rate

    def _mode(self, rate):
        return ops.floor(rate)

    def _divergence(self, rate_a, rate_b):
        return rate_a * ops.log(rate_a / rate_b) + rate_b - rate_a

    def _sample(self, shape, rate):
        return ops.random_poisson((), ops.broadcast_to(rate, shape), seed=self.generator)


class Categorical(Distribution):
    """An index into the last axis of `probs`, with these probabilities.

    Args:
        probs: (…, n), between 0 and 1; they are divided by their sum along the last axis.
        seed, dtype, name: see `Distribution`.
    Example:
        >>> Categorical([0.25, 0.75]).prob(Tensor([0, 1])).tolist()
        [0.25, 0.75]
    """

    names = ("probs",)
    ranges: ClassVar[dict[str, tuple[float, float]]] = {"probs": (0, 1)}
    is_discrete = True

    def __init__(
        self, probs: Any = None, seed: int | None = None, dtype: Any = int32, name: str = "Categorical"
    ) -> None:
        super().__init__(seed, dtype, name, probs=probs)

    @staticmethod
    def _batch(*parameters: Tensor) -> tuple[int, ...]:
        return parameters[0].shape[:-1]

    @staticmethod
    def _parts(probs):
        return probs / ops.sum(probs, -1, keepdim=True)

    def _places(self, probs):
        return ops.arange(probs.shape[-1]).astype(self.parameter_type)

    def _log_prob(self, value, probs):
        logs = ops.log(self._parts(probs))
        shape = np.broadcast_shapes(value.shape, probs.shape[:-1])
        index = ops.broadcast_to(value, shape).astype(int64)
        return ops.gather_elements(ops.broadcast_to(logs, (*shape, probs.shape[-1])), -1, index.unsqueeze(-1)).squeeze(
            -1
        )

    def _cdf(self, value, probs):
        reached = self._places(probs) <= value.unsqueeze(-1)
        return ops.sum(ops.where(reached, self._parts(probs), 0.0), -1)

    def _mean(self, probs):
        return ops.sum(self._parts(probs) * self._places(probs), -1)

    def _mode(self, probs):
        return ops.argmax(probs, -1)

    def _var(self, probs):
        apart = self._places(probs) - self._mean(probs).unsqueeze(-1)
        return ops.sum(self._parts(probs) * apart * apart, -1)

    def _entropy(self, probs):
        parts = self._parts(probs)
        return -ops.sum(ops.xlogy(parts, parts), -1)

    def _divergence(self, a, b):
        a, b = self._parts(a), self._parts(b)
        return ops.sum(ops.xlogy(a, a / b), -1)

    def _sample(self, shape, probs):
        races = (
            self._exponentials((*shape, probs.shape[-1])) / probs
        )  # whose first one is an index of these probabilities
        return ops.argmin(races, -1)


class TransformedDistribution(Distribution):
    """The distribution of what a mapping makes of another one's values: p(y) = p_x(g⁻¹(y)) · |slope of g⁻¹ at y|.

    Methods take the parameters of the distribution that is mapped. A mean is known where the slope is the same everywhere;
    mode, variance, entropy and divergences are not.

    Args:
        bijector: the mapping g, one that gets larger with its argument for `cdf`.
        distribution: of x.
        seed: taken as in MindSpore; random numbers are those of the distribution, by its own seed.
        name: of the new one.
    Raises:
        OpTypeError: an argument of another type.
    Example:
        >>> from anfora.nn.probability import bijector
        >>> TransformedDistribution(bijector.Exp(), Normal(0.0, 1.0)).cdf(Tensor([1.0])).tolist()
        [0.5]
    """

    def __init__(
        self,
        bijector: Bijector,
        distribution: Distribution,
        seed: int | None = None,
        name: str = "TransformedDistribution",
    ) -> None:
        for arg, value, kind in (("bijector", bijector, Bijector), ("distribution", distribution, Distribution)):
            if not isinstance(value, kind):
                raise OpTypeError(f"TransformedDistribution needs a {kind.__name__}, but got {value!r}", arg=arg)
        super().__init__(seed, distribution.dtype, name)
        self.names = distribution.names  # type: ignore[misc]  # those of the one that is mapped
        self.given, self.parameter_type = distribution.given, distribution.parameter_type
        self.bijector, self.distribution = bijector, distribution
        self.is_linear_transformation = bijector.is_constant_jacobian

    def _log_prob(self, value, *parameters):
        before = self.distribution.log_prob(self.bijector.inverse(value), *parameters)
        after = before + self.bijector.inverse_log_jacobian(value)
        return ops.where(before == -math.inf, before, after)

    def _cdf(self, value, *parameters):
        return self.distribution.cdf(self.bijector.inverse(value), *parameters)

    def _mean(self, *parameters):
        if not self.is_linear_transformation:
            return self._missing("mean by a formula")
        return self.bijector.forward(self.distribution.mean(*parameters))

    def _sample(self, shape, *parameters):
        shape = shape[: len(shape) - len(self._batch(*parameters))]
        return self.bijector.forward(self.distribution.sample(shape, *parameters))
