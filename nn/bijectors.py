"""Mappings that can be undone, by which one distribution is made of another: each with its inverse, and the logarithms of
their slopes. All are sentences in operators and have gradients, to the values and to the mapping's own parameters.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from anfora import ops
from anfora.core.cell import Cell
from anfora.core.dtype import DType, as_dtype
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor

__all__ = ["Bijector", "Exp", "GumbelCDF", "Invert", "PowerTransform", "ScalarAffine", "Softplus"]

_METHODS = ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian")


class Bijector(Cell):
    """Base of mappings. A class of one's own has `_forward`, `_inverse`, and `_forward_log_jacobian` or
    `_inverse_log_jacobian`; of the two the one follows from the other.

    Called with the name of a method a bijector does it, called with a distribution it gives the distribution of the
    mapped values, a `TransformedDistribution`.

    Args:
        is_constant_jacobian: whether the slope is the same everywhere.
        is_injective: whether no two values are mapped to one.
        name: of the mapping.
        dtype: the floating-point type of values; None takes any.
        param: a dictionary with further settings, for programs to look at as `parameters`.
    Raises:
        OpTypeError: a setting of another type; in calls, values that are no floating-point tensors.
    Example:
        >>> ScalarAffine(2.0, 1.0)("forward", Tensor([1.0, 2.0])).tolist()
        [3.0, 5.0]
    """

    #: the parameters that must not be negative, or must be positive
    not_negative: ClassVar[tuple[str, ...]] = ()
    positive: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        is_constant_jacobian: bool = False,
        is_injective: bool = True,
        name: str | None = None,
        dtype: Any = None,
        param: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        for arg, value in (("is_constant_jacobian", is_constant_jacobian), ("is_injective", is_injective)):
            if not isinstance(value, bool):
                raise OpTypeError(f"{type(self).__name__} needs a bool for `{arg}`, but got {value!r}", arg=arg)
        self.is_constant_jacobian, self.is_injective = is_constant_jacobian, is_injective
        self.name = type(self).__name__ if name is None else name
        self.dtype: DType | None = None if dtype is None else as_dtype(dtype)
        if self.dtype is not None and not self.dtype.is_float:
            raise OpTypeError(f"{type(self).__name__} needs a floating-point `dtype`, but got {dtype}", arg="dtype")
        self.parameters: dict[str, Any] = {
            key: value for key, value in (param or {}).items() if key != "self" and not key.startswith("_")
        }
        self.batch_shape: tuple[int, ...] | None = None

    def _take(self, **parameters: Any) -> None:
        """Keep parameters as tensors of one floating-point type, with their ranges checked."""
        kind = type(self).__name__
        found: dict[str, Tensor] = {}
        for name, value in parameters.items():
            if isinstance(value, bool) or value is None:
                raise OpTypeError(f"{kind} needs numbers for `{name}`, but got {value!r}", arg=name)
            tensor = value if isinstance(value, Tensor) else Tensor(value)
            if not tensor.dtype.is_float or len({each.dtype for each in [*found.values(), tensor]}) > 1:
                raise OpTypeError(
                    f"{kind} needs one floating-point type, but got {tensor.dtype} for `{name}`", arg=name
                )
            numbers = tensor.asnumpy()
            if (name in self.positive and not (numbers > 0).all()) or (
                name in self.not_negative and (numbers < 0).any()
            ):
                need = "positive numbers" if name in self.positive else "numbers that are not negative"
                raise OpValueError(f"{kind} needs {need} for `{name}`, but got {numbers}", arg=name)
            found[name] = tensor
            setattr(self, name, tensor)
        self.parameters["param_dict"] = parameters
        self.batch_shape = np.broadcast_shapes(*(each.shape for each in found.values()))

    @property
    def is_scalar_batch(self) -> bool:
        """Whether all parameters are single numbers."""
        return self.batch_shape == ()

    def _checked(self, value: Any) -> Tensor:
        if not isinstance(value, Tensor) or not value.dtype.is_float or self.dtype not in (None, value.dtype):
            need = "a floating-point tensor" if self.dtype is None else f"a tensor of {self.dtype}"
            raise OpTypeError(f"{type(self).__name__} needs {need}, but got {value!r}", arg="value")
        return value

    def cast_param_by_value(self, value: Tensor, para: Tensor) -> Tensor:
        """A parameter in the type of a value."""
        return para if para.dtype is value.dtype else para.astype(value.dtype)

    def _of(self, value: Tensor, *names: str) -> list[Tensor]:
        return [self.cast_param_by_value(value, getattr(self, name)) for name in names]

    def forward(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """The values to which values are mapped."""
        return self._forward(self._checked(value), *args, **kwargs)

    def inverse(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """The values that are mapped to these."""
        return self._inverse(self._checked(value), *args, **kwargs)

    def forward_log_jacobian(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Logarithm of the slope at values."""
        return self._forward_log_jacobian(self._checked(value), *args, **kwargs)

    def inverse_log_jacobian(self, value: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Logarithm of the slope of the inverse at values."""
        return self._inverse_log_jacobian(self._checked(value), *args, **kwargs)

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """A method by its name."""
        if name not in _METHODS:
            raise OpValueError(f"a bijector has the methods {', '.join(_METHODS)}, but got {name!r}", arg="name")
        return getattr(self, name)(*args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from anfora.nn.distributions import Distribution, TransformedDistribution  # which import this module

        if args and isinstance(args[0], Distribution):
            return TransformedDistribution(self, *args, **kwargs)
        return super().__call__(*args, **kwargs)

    def _forward(self, value: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no forward mapping")

    def _inverse(self, value: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no inverse mapping")

    def _forward_log_jacobian(self, value: Tensor) -> Tensor:
        if type(self)._inverse_log_jacobian is Bijector._inverse_log_jacobian:
            raise NotImplementedError(f"{type(self).__name__} does not tell its slope")
        return -self._inverse_log_jacobian(self._forward(value))

    def _inverse_log_jacobian(self, value: Tensor) -> Tensor:
        if type(self)._forward_log_jacobian is Bijector._forward_log_jacobian:
            raise NotImplementedError(f"{type(self).__name__} does not tell its slope")
        return -self._forward_log_jacobian(self._inverse(value))


class ScalarAffine(Bijector):
    """y = scale · x + shift.

    Args:
        scale, shift: numbers, arrays or tensors whose shapes broadcast, of one floating-point type.
        name: of the mapping.
    Example:
        >>> ScalarAffine(2.0, 1.0).inverse(Tensor([3.0, 5.0])).tolist()
        [1.0, 2.0]
    """

    def __init__(self, scale: Any = 1.0, shift: Any = 0.0, name: str = "ScalarAffine") -> None:
        super().__init__(True, True, name)
        self._take(scale=scale, shift=shift)

    def _forward(self, value):
        scale, shift = self._of(value, "scale", "shift")
        return value * scale + shift

    def _inverse(self, value):
        scale, shift = self._of(value, "scale", "shift")
        return (value - shift) / scale

    def _forward_log_jacobian(self, value):
        (scale,) = self._of(value, "scale")
        return ops.log(ops.abs(scale))

    def _inverse_log_jacobian(self, value):
        return -self._forward_log_jacobian(value)


class PowerTransform(Bijector):
    """y = (1 + c x)^(1/c) for the power c, and exp(x) for c = 0: from [-1/c, inf] to [0, inf].

    Args:
        power: numbers that are not negative, an array or a tensor.
        name: of the mapping.
    Example:
        >>> PowerTransform(0.5).forward(Tensor([0.0, 2.0])).round(decimals=4).tolist()
        [1.0, 4.0]
    """

    not_negative = ("power",)

    def __init__(self, power: Any = 0.0, name: str = "PowerTransform") -> None:
        super().__init__(name=name)
        self._take(power=power)

    def _cases(self, value: Tensor) -> tuple[Tensor, Tensor]:
        """Where the power is zero, and powers that are not, there 1."""
        (power,) = self._of(value, "power")
        is_zero = power == 0
        return is_zero, ops.where(is_zero, ops.ones_like(power), power)

    def _forward(self, value):
        is_zero, power = self._cases(value)
        return ops.exp(ops.where(is_zero, value, ops.log1p(ops.where(is_zero, 0.0, value) * power) / power))

    def _inverse(self, value):
        is_zero, power = self._cases(value)
        logarithm = ops.log(value)
        return ops.where(is_zero, logarithm, ops.expm1(ops.where(is_zero, 0.0, logarithm) * power) / power)

    def _forward_log_jacobian(self, value):
        is_zero, power = self._cases(value)
        return ops.where(is_zero, value, (1.0 / power - 1.0) * ops.log1p(ops.where(is_zero, 0.0, value) * power))

    def _inverse_log_jacobian(self, value):
        (power,) = self._of(value, "power")
        return (power - 1.0) * ops.log(value)


class Exp(PowerTransform):
    """y = exp(x).

    Args:
        name: of the mapping.
    Example:
        >>> Exp().forward(Tensor([0.0])).tolist()
        [1.0]
    """

    def __init__(self, name: str = "Exp") -> None:
        super().__init__(name=name)


class Softplus(Bijector):
    """y = log(1 + exp(k x)) / k for the sharpness k.

    Args:
        sharpness: positive numbers, an array or a tensor.
        name: of the mapping.
    Example:
        >>> Softplus(2.0).inverse(Softplus(2.0).forward(Tensor([-1.0, 3.0]))).round(decimals=4).tolist()
        [-1.0, 3.0]
    """

    positive = ("sharpness",)

    def __init__(self, sharpness: Any = 1.0, name: str = "Softplus") -> None:
        super().__init__(name=name)
        self._take(sharpness=sharpness)

    def _forward(self, value):
        (k,) = self._of(value, "sharpness")
        return -ops.logsigmoid(-k * value) / k

    def _inverse(self, value):
        (k,) = self._of(value, "sharpness")
        return value + ops.log(-ops.expm1(-k * value)) / k

    def _forward_log_jacobian(self, value):
        (k,) = self._of(value, "sharpness")
        return ops.logsigmoid(k * value)

    def _inverse_log_jacobian(self, value):
        (k,) = self._of(value, "sharpness")
        return -ops.log(-ops.expm1(-k * value))


class GumbelCDF(Bijector):
    """y = exp(-exp(-z)) with z = (x - loc) / scale: from all numbers to those between 0 and 1.

    Args:
        loc: numbers, an array or a tensor.
        scale: positive ones, of the same type.
        name: of the mapping.
    Example:
        >>> GumbelCDF().inverse(GumbelCDF().forward(Tensor([-1.0, 2.0]))).round(decimals=4).tolist()
        [-1.0, 2.0]
    """

    positive = ("scale",)

    def __init__(self, loc: Any = 0.0, scale: Any = 1.0, name: str = "GumbelCDF") -> None:
        super().__init__(name=name)
        self._take(loc=loc, scale=scale)

    def _forward(self, value):
        loc, scale = self._of(value, "loc", "scale")
        return ops.exp(-ops.exp((loc - value) / scale))

    def _inverse(self, value):
        loc, scale = self._of(value, "loc", "scale")
        return loc - scale * ops.log(-ops.log(value))

    def _forward_log_jacobian(self, value):
        loc, scale = self._of(value, "loc", "scale")
        z = (value - loc) / scale
        return -z - ops.exp(-z) - ops.log(scale)

    def _inverse_log_jacobian(self, value):
        (scale,) = self._of(value, "scale")
        return ops.log(scale / (-value * ops.log(value)))


class Invert(Bijector):
    """A mapping the other way round.

    Args:
        bijector: the mapping.
        name: by default "Invert" and its name.
    Example:
        >>> Invert(ScalarAffine(2.0, 1.0)).forward(Tensor([3.0, 5.0])).tolist()
        [1.0, 2.0]
    """

    def __init__(self, bijector: Bijector, name: str = "") -> None:
        if not isinstance(bijector, Bijector):
            raise OpTypeError(f"Invert needs a Bijector, but got {bijector!r}", arg="bijector")
        super().__init__(
            bijector.is_constant_jacobian, bijector.is_injective, name or f"Invert{bijector.name}", bijector.dtype
        )
        self.bijector = bijector
        self.batch_shape = bijector.batch_shape

    def _forward(self, value, *args, **kwargs):
        return self.bijector.inverse(value, *args, **kwargs)

    def _inverse(self, value, *args, **kwargs):
        return self.bijector.forward(value, *args, **kwargs)

    def _forward_log_jacobian(self, value, *args, **kwargs):
        return self.bijector.inverse_log_jacobian(value, *args, **kwargs)

    def _inverse_log_jacobian(self, value, *args, **kwargs):
        return self.bijector.forward_log_jacobian(value, *args, **kwargs)
