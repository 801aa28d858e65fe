"""Random tensors.

Each operator takes `seed` and `offset`, which say where in the stream it reads (`core/random.py`); the functions that users
call take both from the default generator, in the order of the program. Given `seed=…`, a function reads the stream of that
seed from its start, and gives the same numbers each time.

The numbers depend on seed, offset, shape and element type, and not on the number of threads. See `kernel/philox.py` for
the order in which a stream is laid out.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from anfora.core import random as streams
from anfora.core import slots
from anfora.core.abstract import TensorType
from anfora.core.dtype import DType, as_dtype, bool_, float32, float64, int32, int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import op
from anfora.core.random import Generator
from anfora.core.tensor import Tensor
from anfora.kernel import bodies, memory
from anfora.kernel.emit import Value
from anfora.kernel.loops import plan_copy
from anfora.kernel.memory import compute_elem
from anfora.kernel.philox import Draw, counters, normals, plan_draw, scaled, uniform64
from anfora.kernel.philox import uniform as uniform32
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.sampling import plan_choose, plan_gamma, plan_poisson, plan_shuffle
from anfora.ops.comparison import less, logical_not
from anfora.ops.composite import composite
from anfora.ops.copying import cast
from anfora.ops.creation import arange, integer, lengths, ones, zeros
from anfora.ops.indexing import gather
from anfora.ops.joining import concat, stack
from anfora.ops.shape import broadcast_to, reshape
from anfora.ops.sorting import argsort

__all__ = [
    "bernoulli", "choice_with_mask", "dropout", "dropout1d", "dropout2d", "dropout3d", "exponential", "gamma", "laplace",
    "multinomial", "multinomial_with_replacement", "normal", "poisson", "rand", "rand_like", "randint", "randint_like",
    "randn", "randn_like", "random_categorical", "random_gamma", "random_poisson", "randperm", "shuffle",
    "standard_laplace", "standard_normal", "truncated_normal", "uniform",
]  # fmt: skip


# -- from random bits to a distribution ------------------------------------------------------------------------------


def _below(values: list[Value], low: Value, high: Value, code: str) -> list[Value]:
    """Values that rounding has lifted to the open end of [low, high) become the other end."""
    results = []
    for value in values:
        stored = memory.widen(memory.narrow(value, code), code, value.type.elem) if code in ("f16", "bf16") else value
        results.append(bodies.select(stored < high, value, low))
    return results


def _units(draw: Draw, code: str) -> list[Value]:
    """Numbers in [0, 1) with as many bits as the type holds."""
    if code == "f64":
        return [uniform64(pair) for pair in draw.pairs]
    return [uniform32(word, {"f16": 11, "bf16": 8}.get(code, 24)) for word in draw.words]


def _uniform_body(code: str) -> Callable:
    def body(draw: Draw, inputs: list) -> list:
        elem = compute_elem(code)
        low, high = draw.real(0).to(elem), draw.real(1).to(elem)
        return [_below([u * (high - low) + low for u in _units(draw, code)], low, high, code)]

    return body


def _normal_body(code: str) -> Callable:
    def body(draw: Draw, inputs: list) -> list:
        elem = compute_elem(code)
        mean, deviation = draw.real(0).to(elem), draw.real(1).to(elem)
        return [[z * deviation + mean for z in normals(draw, code == "f64")]]

    return body


_EDGE = 0.9544997361036416  #: erf(√2)


def _truncated_body(code: str) -> Callable:
    """The inverse of the distribution function, at a number between the values that it has at -2 and 2."""

    def body(draw: Draw, inputs: list) -> list:
        elem = compute_elem(code)
        mean, deviation = draw.real(0).to(elem), draw.real(1).to(elem)
        results = []
        for u in _units(draw, "f64" if code == "f64" else "f32"):
            z = _inverse_erf((u * 2.0 - 1.0) * _EDGE) * math.sqrt(2.0)
            results.append(bodies.select(z > 2.0, 2.0, bodies.select(z < -2.0, -2.0, z)) * deviation + mean)
        return [results]

    return body


_GILES = [
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164,
    0.246640727, 1.50140941,
]  # fmt: skip


def _inverse_erf(y: Value) -> Value:
    """The inverse error function for |y| <= erf(sqrt 2): Giles' polynomial (GPU Computing Gems, 2011), good to 4e-7, in
    float64 followed by two steps of Newton."""
    w = -bodies.log((1.0 - y) * (1.0 + y))
    x = bodies.horner(w - 2.5, _GILES) * y
    if y.type.elem == "f64":
        for _ in range(2):
            erf = x * bodies.horner(x * x, _ERF)
            x = x - (erf - y) * (math.sqrt(math.pi) / 2.0) * bodies.exp(x * x)
    return x


#: The series of erf(x) / x in x², which for |x| <= √2 ends here: 2 / √π (-1)ᵏ / (k! (2 k + 1)).
_ERF = [2.0 / math.sqrt(math.pi) * (-1) ** k / (math.factorial(k) * (2 * k + 1)) for k in range(27, -1, -1)]


def _positive_units(draw: Draw, code: str) -> list[Value]:
    """Numbers in (0, 1]."""
    if code == "f64":
        return [1.0 - u for u in _units(draw, code)]
    return [(word.to("f32") + 0.5) * 2.0**-32 for word in draw.words]


def _exponential_body(code: str) -> Callable:
    def body(draw: Draw, inputs: list) -> list:
        rate = draw.real(0).to(compute_elem(code))
        return [[-bodies.log(u) / rate for u in _positive_units(draw, code)]]

    return body


def _laplace_body(code: str) -> Callable:
    """mean ± scale · log u: one bit is the sign, others make u in (0, 1]."""

    def body(draw: Draw, inputs: list) -> list:
        elem = compute_elem(code)
        mean, scale = draw.real(0).to(elem), draw.real(1).to(elem)
        if code == "f64":
            bits = [(pair & 1, ((pair >> 11).to("i64").to(elem) + 0.5) * 2.0**-53) for pair in draw.pairs]
        else:
            bits = [(word & 1, ((word >> 1).to("i32").to(elem) + 0.5) * 2.0**-31) for word in draw.words]
        sizes = [(sign, bodies.log(u)) for sign, u in bits]
        return [[bodies.select(sign != 0, size, -size) * scale + mean for sign, size in sizes]]

    return body


def _integers_body(code: str) -> Callable:
    def body(draw: Draw, inputs: list) -> list:
        low, width = (number.bitcast("u64") for number in draw.numbers)
        lanes = draw.pairs[0].type.lanes
        bound = draw.fn.splat(width, lanes)
        return [[(scaled(pair, bound) + low).to(compute_elem(code)) for pair in draw.pairs]]

    return body


_BODIES = {
    "uniform": _uniform_body, "normal": _normal_body, "truncated": _truncated_body, "exponential": _exponential_body,
    "laplace": _laplace_body, "integers": _integers_body,
}  # fmt: skip


@functools.cache
def _body(kind: str, code: str) -> Callable:
    """One function object for each kind and type, by which kernels are found again."""
    return _BODIES[kind](code)


def _is_wide(dtype: DType) -> bool:
    """Whether an element takes 64 random bits."""
    return dtype is float64 or dtype.is_integer


# -- operators --------------------------------------------------------------------------------------------------------


@op
def sample(seed: Tensor, offset: Tensor, kind, shape, a, b, dtype):
    """Numbers from a distribution with parameters `a` and `b`, from counter `offset` of the stream of `seed` on.

    Args:
        seed, offset: integers; 64 bits that are taken as they are.
        kind: "uniform" in [a, b); "normal" with mean a and standard deviation b; "truncated", normal without what is more
            than two standard deviations from the mean; "exponential" with rate a; "laplace" with mean a and scale b;
            "integers" in [a, a + b).
        shape: of the result.
        dtype: element type: integers for "integers", else floating point.
    """


sample.is_random = True


@sample.normalize
def _(seed, offset, *, kind, shape, a, b, dtype):
    number = int if kind == "integers" else float
    return {"kind": kind, "shape": shape, "a": number(a), "b": number(b), "dtype": as_dtype(dtype)}


@sample.infer
def _(seed, offset, *, kind, shape, a, b, dtype):
    if not (dtype.is_integer if kind == "integers" else dtype.is_float):
        wanted = "an integer" if kind == "integers" else "a floating-point"
        raise OpTypeError(f"random numbers of this distribution need {wanted} `dtype`, but got {dtype}", arg="dtype")
    return TensorType(dtype, shape)


@sample.scalars
def _(seed, offset, **attributes):
    return int64


_NANOSECONDS = {"uniform": 0.5, "normal": 1.0, "truncated": 1.5, "exponential": 1.0, "laplace": 1.0, "integers": 1.0}


@sample.kernel
def _(p: Planner, seed: Buffer, offset: Buffer, out: Buffer, *, kind, shape, a, b, dtype):
    wide = _is_wide(dtype)
    numbers = (streams.signed(a), streams.signed(b)) if kind == "integers" else (a, b)
    cost = _NANOSECONDS[kind] * (3 if wide else 1)
    plan_draw(p, _body(kind, out.code), seed, offset, [], [(out, compute_elem(out.code))], wide, cost, numbers)


@op
def drop(input: Tensor, seed: Tensor, offset: Tensor, kept: Tensor):
    """The input with some elements set to 0: `kept` of 2 ** 32 stay, on average, and are divided by that fraction.

    Which ones is not remembered but drawn again where the gradient needs it.
    """


drop.is_random = True


@drop.infer
def _(input, seed, offset, kept):
    if not input.dtype.is_float:
        raise OpTypeError(f"dropout needs a floating-point tensor, but got {input!r}", arg="input")
    return TensorType(input.dtype, input.shape)


@drop.scalars
def _(input, seed, offset, kept):
    return int64


@functools.cache
def _drop_body(elem: str) -> Callable:
    def body(draw: Draw, inputs: list) -> list:
        values, [count, *_] = inputs
        scale = 2.0**32 / count.to(elem)
        limit = count.to("u32")
        return [[bodies.select(word < limit, x * scale, 0) for x, word in zip(values, draw.words)]]

    return body


@drop.kernel
def _(p: Planner, input: Buffer, seed: Buffer, offset: Buffer, kept: Buffer, out: Buffer):
    elem = compute_elem(out.code)
    inputs = [(input, elem), (kept, "i64")]
    plan_draw(p, _drop_body(elem), seed, offset, inputs, [(out, elem)], False, 0.7)


@drop.vjp("input")
def _(seed, offset, kept, *, g):
    return drop(g, seed, offset, kept)


@op
def shuffled(seed: Tensor, offset: Tensor, n, dtype):
    """The integers from 0 to n - 1 in random order."""


shuffled.is_random = True


@shuffled.normalize
def _(seed, offset, *, n, dtype):
    return {"n": n, "dtype": as_dtype(dtype)}


@shuffled.infer
def _(seed, offset, *, n, dtype):
    return TensorType(dtype, (n,))


@shuffled.scalars
def _(seed, offset, **attributes):
    return int64


@shuffled.kernel
def _(p: Planner, seed: Buffer, offset: Buffer, out: Buffer, *, n, dtype):
    target = out if dtype.is_integer else p.workspace(int64, n)
    plan_shuffle(p, seed, offset, target)
    if target is not out:
        plan_copy(p, target, out)


@op
def choose(weights: Tensor, seed: Tensor, offset: Tensor, count, replacement):
    """`count` columns of each row of the weights (rows, n), drawn with probabilities proportional to these."""


choose.is_random = True


@choose.infer
def _(weights, seed, offset, *, count, replacement):
    if count and weights.shape[0] and not weights.shape[1]:
        raise OpValueError(f"multinomial: {count} are to be drawn from {weights!r}, which has no weights", arg="input")
    return TensorType(int64, (weights.shape[0], count))


@choose.scalars
def _(weights, seed, offset, **attributes):
    return int64


@choose.kernel
def _(p: Planner, weights: Buffer, seed: Buffer, offset: Buffer, out: Buffer, *, count, replacement):
    plan_choose(p, weights, seed, offset, out, replacement)


@choose.fault
def _(position, weights, seed, offset, *, count, replacement):
    row, column = divmod(position, weights.shape[1])
    weight = float(weights[row, column])
    if not 0 <= weight < math.inf:
        return OpValueError(f"multinomial: the weight at {(row, column)} is {weight}", arg="input")
    return OpValueError(
        f"multinomial: {count} are to be drawn from row {row}, which has {np.count_nonzero(weights[row])} positive weights",
        arg="num_samples" if not replacement else "input",
    )


@op
def sample_gamma(alpha: Tensor, seed: Tensor, offset: Tensor, shape, dtype):
    """Numbers from gamma distributions with shapes `alpha`, broadcast to `shape`, and scale 1."""


@op
def sample_poisson(rate: Tensor, seed: Tensor, offset: Tensor, shape, dtype):
    """Numbers from Poisson distributions with means `rate`, broadcast to `shape`."""


def _define_varying(made: Any, plan: Callable, what: str) -> None:
    """The rules that both share."""
    made.is_random = True

    @made.normalize
    def normalize(parameter: Any, seed: Any, offset: Any, *, shape: tuple, dtype: Any) -> dict:
        return {"shape": shape, "dtype": as_dtype(dtype)}

    @made.infer
    def infer(parameter: Any, seed: Any, offset: Any, *, shape: tuple, dtype: DType) -> TensorType:
        return TensorType(dtype, shape)

    @made.scalars
    def scalars(parameter: Any, seed: Any, offset: Any, **attributes: Any) -> DType:
        return int64

    @made.kernel
    def kernel(p: Planner, parameter: Buffer, seed: Buffer, offset: Buffer, out: Buffer, *, shape, dtype) -> None:
        wide = p.workspace(float64, *shape)
        plan(p, parameter, seed, offset, wide, dtype)
        plan_copy(p, wide, out)

    @made.fault
    def fault(position: int, parameter: Any, seed: Any, offset: Any, *, shape: tuple, dtype: DType) -> OpValueError:
        place = np.unravel_index(position, shape)
        return OpValueError(f"{what}, but is {np.broadcast_to(parameter, shape)[place]} at {[*map(int, place)]}")


_define_varying(sample_gamma, plan_gamma, "gamma: `alpha` must be positive and finite")
_define_varying(
    sample_poisson, plan_poisson, "poisson: the mean must be finite, not negative and within the result's type"
)


# -- where in the stream ----------------------------------------------------------------------------------------------


def _place(seed: Any, count: int, wide: bool) -> tuple[int, int]:
    """Where a draw of so many numbers reads: seed and offset, as signed integers.

    Given None it goes on in the default generator, given a Generator in that; an integer is a stream of its own.
    """
    used = counters(count, wide)
    if seed is None or isinstance(seed, Generator):
        slots.need_examples()
        return streams.draw_signed(used, seed)
    return streams.draw_signed(used, Generator().manual_seed(seed))


def _sample(kind: str, shape: tuple[int, ...], dtype: Any, seed: Any, a: float = 0.0, b: float = 1.0) -> Tensor:
    dtype = as_dtype(dtype)
    return sample(*_place(seed, math.prod(shape), _is_wide(dtype)), kind, shape, a, b, dtype)


def drawn(kind: str, a: float, b: float, shape: tuple[int, ...], dtype: DType) -> Tensor:
    """The numbers with which `core.random.fill` fills an array, as a tensor: the next ones of the default generator."""
    return _sample(kind, shape, dtype, None, a, b)


def _fill(array: np.ndarray, kind: str, a: float, b: float, generator: Generator | None) -> None:
    """See `core.random.fill`."""
    array[...] = _sample(kind, array.shape, as_dtype(array.dtype), generator, a, b).asnumpy()


streams._filler = _fill


def _joined(name: str, shape: Any, *parameters: Any) -> tuple[int, ...]:
    """The shape that is asked for, broadcast with those of parameters."""
    size = lengths(name, shape, "shape")
    shapes = [x.shape for x in parameters if isinstance(x, Tensor)]
    try:
        return np.broadcast_shapes(size, *shapes)
    except ValueError:
        raise OpValueError(
            f"{name}: `shape` {size} and the shapes {', '.join(map(str, shapes))} of the parameters cannot be broadcast",
            arg="shape",
        ) from None


def _number(name: str, value: Any, arg: str) -> float | None:
    """A parameter that is a plain number; None for a tensor."""
    if isinstance(value, Tensor):
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise OpTypeError(f"{name} needs a number or tensor for `{arg}`, but got {value!r}", arg=arg)
    return float(value)


def _moved(name: str, kind: str, shape: Any, a: tuple[str, Any], b: tuple[str, Any], seed: Any) -> Tensor:
    """Numbers of a distribution with a place `a` and a width `b`, each a number or a tensor."""
    (first, place), (second, width) = a, b
    size = _joined(name, shape, place, width)
    numbers = _number(name, place, first), _number(name, width, second)
    if numbers[0] is not None and numbers[1] is not None:
        return _sample(kind, size, float32, seed, numbers[0], numbers[1])
    dtype = float64 if any(isinstance(x, Tensor) and x.dtype is float64 for x in (place, width)) else float32
    return _sample(kind, size, dtype, seed) * width + place


# -- uniform ----------------------------------------------------------------------------------------------------------


@composite
def uniform(shape, minval, maxval, seed=None, dtype=float32) -> Tensor:
    """Numbers from the uniform distribution on [minval, maxval).

    Args:
        shape: of the result, broadcast with the shapes of the bounds.
        minval, maxval: numbers or tensors.
        seed: an integer, which gives the same numbers at each call, or a Generator; without it the default generator.
        dtype: element type; with an integer one the bounds are integers and so are the numbers.
    Raises:
        OpTypeError: `dtype` is bool, or a bound is no number.
        OpValueError: the shapes cannot be broadcast, or there is no integer between the bounds.
    Example:
        >>> x = uniform((2, 3), 0.0, 4.0)
        >>> x.shape, bool((0 <= x).all() and (x < 4).all())
        ((2, 3), True)
    """
    dtype = as_dtype(dtype)
    size = _joined("uniform", shape, minval, maxval)
    numbers = _number("uniform", minval, "minval"), _number("uniform", maxval, "maxval")
    if dtype.is_integer:
        if numbers[0] is None and minval.size == 1:
            minval = minval.item()
        if numbers[1] is None and maxval.size == 1:
            maxval = maxval.item()
        if isinstance(minval, Tensor) or isinstance(maxval, Tensor):
            fractions = _sample("uniform", size, float64, seed)
            return cast(cast(fractions * (maxval - minval), int64) + minval, dtype)
        return _integers("uniform", int(minval), int(maxval), size, dtype, seed)
    if numbers[0] is not None and numbers[1] is not None:
        return _sample("uniform", size, dtype, seed, numbers[0], numbers[1])
    return cast(_sample("uniform", size, dtype, seed) * (maxval - minval) + minval, dtype)


@composite
def rand(*size, dtype=None, seed=None) -> Tensor:
    """Numbers from the uniform distribution on [0, 1).

    Args:
        size: the lengths of the axes.
        dtype: floating-point type; float32 when not given.
        seed: see `uniform`.
    Raises:
        OpTypeError: `dtype` is no floating-point type, or a length no integer.   OpValueError: a length is negative.
    Example:
        >>> rand(2, 3).shape
        (2, 3)
    """
    return _sample("uniform", _size("rand", size), float32 if dtype is None else dtype, seed)


def _size(name: str, size: tuple) -> tuple[int, ...]:
    """A shape that is given as several arguments or as one."""
    return lengths(name, size, "size") if size else ()


@composite
def rand_like(input: Tensor, seed=None, *, dtype=None) -> Tensor:
    """Numbers from the uniform distribution on [0, 1), in the shape, and the type unless another is given, of a tensor.

    Example:
        >>> rand_like(zeros((2, 3))).shape
        (2, 3)
    """
    return _sample("uniform", input.shape, input.dtype if dtype is None else dtype, seed)


@composite
def randint(low, high, size, seed=None, *, dtype=None) -> Tensor:
    """Integers from low to high - 1, all equally likely.

    Args:
        low, high: integers, low < high.
        size: the shape.
        seed: see `uniform`.
        dtype: integer type; int64 when not given.
    Raises:
        OpTypeError: an argument is no integer, or `dtype` no integer type.
        OpValueError: `high` is not larger than `low`, or the integers do not fit into `dtype`.
    Example:
        >>> randint(5, 6, (3,)).tolist()
        [5, 5, 5]
    """
    return _integers("randint", low, high, lengths("randint", size, "size"), dtype, seed)


@composite
def randint_like(input: Tensor, low, high, seed=None, *, dtype=None) -> Tensor:
    """Integers from low to high - 1, in the shape, and the type unless another is given, of a tensor.

    Example:
        >>> randint_like(Tensor([1, 2]), 5, 6).tolist()
        [5, 5]
    """
    return _integers("randint_like", low, high, input.shape, input.dtype if dtype is None else dtype, seed)


def _integers(name: str, low: Any, high: Any, shape: tuple[int, ...], dtype: Any, seed: Any) -> Tensor:
    low = integer(name, low, "low")
    high = integer(name, high, "high")
    kind = as_dtype(int64 if dtype is None else dtype)
    if not kind.is_integer:
        raise OpTypeError(f"{name} needs an integer type for `dtype`, but got {kind}", arg="dtype")
    bounds = np.iinfo(kind.numpy)
    if low >= high:
        raise OpValueError(f"{name} needs low < high, but got {low} and {high}", arg="high")
    if low < bounds.min or high - 1 > bounds.max:
        raise OpValueError(f"{name}: integers from {low} to {high - 1} do not fit into {kind}", arg="dtype")
    return _sample("integers", shape, kind, seed, low, high - low)


# -- normal -----------------------------------------------------------------------------------------------------------


@composite
def standard_normal(shape, seed=None) -> Tensor:
    """Numbers from the standard normal distribution, float32.

    Args:
        shape: of the result.
        seed: see `uniform`.
    Source:
        Box & Muller, Annals of Mathematical Statistics 29 (1958).
    Example:
        >>> standard_normal((2, 3)).shape
        (2, 3)
    """
    return _sample("normal", lengths("standard_normal", shape, "shape"), float32, seed)


@composite
def normal(shape, mean, stddev, seed=None) -> Tensor:
    """Numbers from normal distributions.

    Args:
        shape: of the result, broadcast with the shapes of the parameters.
        mean, stddev: numbers or tensors.
        seed: see `uniform`.
    Returns:
        float32 tensor; float64 if a parameter is.
    Raises:
        OpTypeError: a parameter is no number.   OpValueError: the shapes cannot be broadcast.
    Gradient:
        g to `mean`, and g · (x - mean) / stddev to `stddev`.
    Example:
        >>> normal((3, 2), Tensor([0.0, 100.0]), 1.0).shape
        (3, 2)
    """
    return _moved("normal", "normal", shape, ("mean", mean), ("stddev", stddev), seed)


@composite
def randn(*size, dtype=None, seed=None) -> Tensor:
    """Numbers from the standard normal distribution.

    Args:
        size: the lengths of the axes.
        dtype: floating-point type; float32 when not given.
        seed: see `uniform`.
    Raises:
        OpTypeError: `dtype` is no floating-point type, or a length no integer.   OpValueError: a length is negative.
    Example:
        >>> randn(2, 3).shape
        (2, 3)
    """
    return _sample("normal", _size("randn", size), float32 if dtype is None else dtype, seed)


@composite
def randn_like(input: Tensor, seed=None, *, dtype=None) -> Tensor:
    """Numbers from the standard normal distribution, in the shape, and the type unless another is given, of a tensor.

    Example:
        >>> randn_like(zeros((2, 3))).shape
        (2, 3)
    """
    return _sample("normal", input.shape, input.dtype if dtype is None else dtype, seed)


@composite
def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=float32, seed=None) -> Tensor:
    """Numbers from a normal distribution without what is more than two standard deviations from the mean.

    Args:
        shape: of the result.
        mean, stddev: numbers.
        dtype: floating-point type.
        seed: see `uniform`.
    Example:
        >>> bool((truncated_normal(100).abs() <= 2).all())
        True
    """
    size = lengths("truncated_normal", shape, "shape")
    return _sample("truncated", size, dtype, seed, mean, stddev)


# -- other distributions ----------------------------------------------------------------------------------------------


@composite
def exponential(shape, rate=1.0, seed=None, dtype=float32) -> Tensor:
    """Numbers from the exponential distribution.

    Args:
        shape: of the result.
        rate: a positive number; the mean is 1 / rate.
        seed: see `uniform`.
        dtype: floating-point type.
    Example:
        >>> bool((exponential(100) >= 0).all())
        True
    """
    if not rate > 0:
        raise OpValueError(f"exponential needs a positive `rate`, but got {rate}", arg="rate")
    return _sample("exponential", lengths("exponential", shape, "shape"), dtype, seed, rate)


@composite
def standard_laplace(shape, seed=None) -> Tensor:
    """Numbers from the Laplace distribution with mean 0 and scale 1, float32.

    Example:
        >>> standard_laplace((2, 3)).shape
        (2, 3)
    """
    return _sample("laplace", lengths("standard_laplace", shape, "shape"), float32, seed)


@composite
def laplace(shape, mean, lambda_param, seed=None) -> Tensor:
    """Numbers from Laplace distributions, of density exp(-|x - mean| / λ) / (2 λ).

    Args:
        shape: of the result, broadcast with the shapes of the parameters.
        mean, lambda_param: numbers or tensors; λ > 0.
        seed: see `uniform`.
    Example:
        >>> laplace((2, 3), 0.0, 1.0).shape
        (2, 3)
    """
    return _moved("laplace", "laplace", shape, ("mean", mean), ("lambda_param", lambda_param), seed)


def _varying(made: Any, parameter: Any, shape: tuple[int, ...], dtype: Any, seed: Any) -> Tensor:
    """Numbers that take a varying number of draws."""
    if not isinstance(parameter, Tensor):
        parameter = Tensor(parameter, float32)
    return made(parameter, *_place(seed, math.prod(shape), True), shape, as_dtype(dtype))


@composite
def gamma(shape, alpha, beta, seed=None) -> Tensor:
    """Numbers from gamma distributions, of density proportional to x ** (alpha - 1) · exp(-beta x).

    Args:
        shape: of the result, broadcast with the shapes of the parameters.
        alpha, beta: tensors or numbers, positive.
        seed: see `uniform`.
    Returns:
        float32 tensor; no gradient flows to `alpha`.
    Raises:
        OpValueError: `alpha` is not positive, or the shapes cannot be broadcast.
    Source:
        Marsaglia & Tsang, ACM TOMS 26 (2000).
    Example:
        >>> gamma((3, 2), Tensor([1.0, 2.0]), 1.0).shape
        (3, 2)
    """
    return _varying(sample_gamma, alpha, _joined("gamma", shape, alpha, beta), float32, seed) / beta


@composite
def random_gamma(shape, alpha: Tensor, seed=None) -> Tensor:
    """Numbers from gamma distributions with scale 1, `shape` of them for each element of `alpha`.

    Args:
        shape: in front of that of `alpha`.
        alpha: floating-point tensor, positive.
        seed: see `uniform`.
    Returns:
        tensor of shape `shape` + alpha.shape and the type of `alpha`.
    Raises:
        OpValueError: `alpha` is not positive.
    Example:
        >>> random_gamma((2, 3), Tensor([1.0, 2.0])).shape
        (2, 3, 2)
    """
    size = (*lengths("random_gamma", shape, "shape"), *alpha.shape)
    return _varying(sample_gamma, alpha, size, alpha.dtype, seed)


@composite
def poisson(shape, mean, seed=None) -> Tensor:
    """Numbers from Poisson distributions, float32.

    Args:
        shape: of the result, broadcast with that of `mean`.
        mean: tensor or number, not negative.
        seed: see `uniform`.
    Raises:
        OpValueError: a mean is negative or not finite, or the shapes cannot be broadcast.
    Source:
        Hörmann, Insurance: Mathematics and Economics 12 (1993).
    Example:
        >>> poisson((3,), 0.0).tolist()
        [0.0, 0.0, 0.0]
    """
    return _varying(sample_poisson, mean, _joined("poisson", shape, mean), float32, seed)


@composite
def random_poisson(shape, rate: Tensor, seed=None, dtype=float32) -> Tensor:
    """Numbers from Poisson distributions, `shape` of them for each element of `rate`.

    Args:
        shape: in front of that of `rate`.
        rate: tensor of means, not negative.
        seed: see `uniform`.
        dtype: element type of the result.
    Returns:
        tensor of shape `shape` + rate.shape.
    Raises:
        OpValueError: a mean is negative or not finite.
    Example:
        >>> random_poisson((3,), Tensor([0.0, 0.0])).shape
        (3, 2)
    """
    size = (*lengths("random_poisson", shape, "shape"), *getattr(rate, "shape", ()))
    return _varying(sample_poisson, rate, size, dtype, seed)


@composite
def bernoulli(input: Tensor, p=0.5, seed=None) -> Tensor:
    """Ones with probability p, else zeros.

    Args:
        input: tensor, whose shape and type the result has.
        p: a number in [0, 1], or a tensor of them that broadcasts to the shape.
        seed: see `uniform`.
    Raises:
        OpValueError: p is a number that is not in [0, 1], or a tensor that does not fit.
    Example:
        >>> bernoulli(zeros(3), 1.0).tolist()
        [1.0, 1.0, 1.0]
    """
    number = _number("bernoulli", p, "p")
    if number is not None and not 0 <= number <= 1:
        raise OpValueError(f"bernoulli needs a probability in [0, 1] for `p`, but got {p}", arg="p")
    chance = p if number is not None else broadcast_to(p, input.shape)
    return cast(less(_sample("uniform", input.shape, float32, seed), chance), input.dtype)


# -- choices ----------------------------------------------------------------------------------------------------------


@composite
def randperm(n, seed=0, offset=0, dtype=int64) -> Tensor:
    """The integers from 0 to n - 1 in random order.

    Args:
        n: how many, not negative.
        seed, offset: a stream and a place in it, which give the same order at each call; the default generator goes on if
            both are 0.
        dtype: element type.
    Raises:
        OpTypeError: `n` is no integer.   OpValueError: `n` is negative, or does not fit into `dtype`.
    Example:
        >>> sorted(randperm(4).tolist())
        [0, 1, 2, 3]
    """
    [count] = lengths("randperm", n, "n")
    kind = as_dtype(dtype)
    if kind.is_bool or (kind.is_integer and count - 1 > np.iinfo(kind.numpy).max):
        raise OpValueError(f"randperm: the integers up to {count - 1} do not fit into {kind}", arg="dtype")
    if isinstance(seed, int) and offset:
        place = streams.signed(seed), streams.signed(offset)
    else:
        place = _place(None if isinstance(seed, int) and seed == 0 else seed, count, True)
    return shuffled(*place, count, kind)


@composite
def shuffle(x: Tensor, seed=None) -> Tensor:
    """The parts along the first axis in random order.

    Example:
        >>> sorted(shuffle(Tensor([3, 1, 2])).tolist())
        [1, 2, 3]
    """
    if not x.ndim:
        return x.copy()
    count = x.shape[0]
    return gather(x, shuffled(*_place(seed, count, True), count, int64), 0)


@composite
def multinomial(input: Tensor, num_samples, replacement=True, seed=None) -> Tensor:
    """Indices drawn with probabilities proportional to weights.

    Args:
        input: floating-point tensor (n,) or (rows, n) of weights, finite and not negative.
        num_samples: how many are drawn from each row.
        replacement: whether an index may be drawn again.
        seed: see `uniform`.
    Returns:
        int64 tensor (num_samples,) or (rows, num_samples).
    Raises:
        OpTypeError: the weights are not of floating point.
        OpValueError: a weight is negative or not finite; fewer weights are positive than are to be drawn.
    Source:
        without replacement: Efraimidis & Spirakis, Information Processing Letters 97 (2006).
    Example:
        >>> multinomial(Tensor([0.0, 1.0, 0.0]), 2).tolist()
        [1, 1]
    """
    if not input.dtype.is_float:
        raise OpTypeError(f"multinomial needs floating-point weights, but got {input.dtype}", arg="input")
    if input.ndim not in (1, 2):
        raise OpValueError(f"multinomial needs weights (n,) or (rows, n), but got the shape {input.shape}", arg="input")
    [count] = lengths("multinomial", num_samples, "num_samples")
    rows = input if input.ndim == 2 else reshape(input, (1, input.size))
    draws = rows.shape[0] * (count if replacement else rows.shape[1])
    result = choose(rows, *_place(seed, draws, True), count, bool(replacement))
    return result if input.ndim == 2 else reshape(result, (count,))


@composite
def multinomial_with_replacement(x: Tensor, seed=None, offset=0, numsamples=1, replacement=False) -> Tensor:
    """Indices drawn, with replacement, with probabilities proportional to weights; see `multinomial`.

    Args:
        x: as `input` of `multinomial`.
        seed, offset: as for `randperm`.
        numsamples: how many are drawn from each row.
        replacement: accepted for MindSpore programs; has no effect here, as there.
    Example:
        >>> multinomial_with_replacement(Tensor([0.0, 1.0]), 1, 0, 3).tolist()
        [1, 1, 1]
    """
    if isinstance(seed, int) and (seed or offset):
        generator = Generator().manual_seed(seed)
        generator.draw(offset)
        seed = generator
    return multinomial(x, numsamples, True, seed if seed else None)


@composite
def random_categorical(logits: Tensor, num_sample, seed=0, dtype=int64) -> Tensor:
    """Indices drawn with probabilities softmax(logits).

    Args:
        logits: floating-point tensor (rows, n).
        num_sample: how many are drawn from each row.
        seed: an integer for the same numbers at each call; the default generator goes on if it is 0.
        dtype: integer type of the result.
    Returns:
        tensor (rows, num_sample).
    Raises:
        OpTypeError: the logits are not of floating point.   OpValueError: they have not two axes.
    Example:
        >>> random_categorical(Tensor([[0.0, 1000.0]]), 3).tolist()
        [[1, 1, 1]]
    """
    from anfora.ops.softmaxes import softmax

    if logits.ndim != 2:
        raise OpValueError(f"random_categorical needs logits (rows, n), but got the shape {logits.shape}", arg="logits")
    return cast(multinomial(softmax(logits, -1), num_sample, True, seed or None), dtype)


@composite
def choice_with_mask(input_x: Tensor, count=256, seed=None) -> tuple[Tensor, Tensor]:
    """Coordinates of true elements, drawn without replacement.

    Args:
        input_x: bool tensor of at least one axis.
        count: how many; where there are fewer, zeros follow.
        seed: see `uniform`.
    Returns:
        int32 tensor (count, ndim) of coordinates, and bool tensor (count,) that says which were drawn.
    Raises:
        OpTypeError: the tensor is not of type bool.   OpValueError: it has no axis, or `count` is negative.
    Example:
        >>> index, mask = choice_with_mask(Tensor([[False, True], [False, False]]), 2)
        >>> index.tolist(), mask.tolist()
        ([[0, 1], [0, 0]], [True, False])
    """
    if not input_x.dtype.is_bool:
        raise OpTypeError(f"choice_with_mask needs a tensor of type bool, but got {input_x.dtype}", arg="input_x")
    if not input_x.ndim:
        raise OpValueError("choice_with_mask needs a tensor of at least one axis, but got a 0-d one", arg="input_x")
    [wanted] = lengths("choice_with_mask", count, "count")
    # All places in random order, the true ones brought to the front: no shape depends on the data.
    order = shuffle(arange(input_x.size), seed)
    drawn = reshape(input_x, (-1,))[order]
    front = argsort(logical_not(drawn))[:wanted]
    order, drawn = order[front], drawn[front]
    found = [
        order // math.prod(input_x.shape[axis + 1 :]) % n * drawn if n else order
        for axis, n in enumerate(input_x.shape)
    ]
    filler = wanted - order.shape[0]
    return (
        concat([cast(stack(found, 1), int32), zeros((filler, input_x.ndim), int32)], 0),
        concat([drawn, zeros(filler, bool_)], 0),
    )


# -- dropout ----------------------------------------------------------------------------------------------------------


def _kept(name: str, p: Any) -> int:
    """Of 2 ** 32 elements, how many stay."""
    if isinstance(p, bool) or not isinstance(p, (int, float)):
        raise OpTypeError(f"{name} needs a number for `p`, but got {p!r}", arg="p")
    if not 0 <= p <= 1:
        raise OpValueError(f"{name} needs a probability in [0, 1] for `p`, but got {p}", arg="p")
    return round((1.0 - p) * 2**32)


@composite
def dropout(input: Tensor, p=0.5, training=True, seed=None) -> Tensor:
    """Each element becomes 0 with probability p, and is divided by 1 - p otherwise.

    Args:
        input: floating-point tensor.
        p: a probability.
        training: whether anything is done; else the result is `input`.
        seed: see `uniform`.
    Returns:
        tensor of the shape and type of `input`.
    Raises:
        OpTypeError: `input` is not of floating point, or p no number.   OpValueError: p is not in [0, 1].
    Gradient:
        g / (1 - p) where the elements have stayed, else 0.
    Source:
        Srivastava et al., JMLR 15 (2014).
    Example:
        >>> dropout(ones(3), 1.0).tolist(), dropout(ones(3), 0.5, training=False).tolist()
        ([0.0, 0.0, 0.0], [1.0, 1.0, 1.0])
    """
    kept = _kept("dropout", p)
    if not training or kept == 2**32:
        return input
    return drop(input, *_place(seed, input.size, False), kept)


def _drop_channels(name: str, input: Tensor, p: Any, training: bool, spatial: int, unbatched: bool) -> Tensor:
    """Set whole channels, all that lies behind the axes of examples and channels, to 0."""
    kept = _kept(name, p)
    if input.ndim != spatial + 2 and not (unbatched and input.ndim == spatial + 1):
        wanted = f"{spatial + 1} or {spatial + 2}" if unbatched else spatial + 2
        raise OpValueError(f"{name} needs {wanted} axes, but got the shape {input.shape}", arg="input")
    if not training or kept == 2**32:
        return input
    lead = input.shape[: input.ndim - spatial]
    channels = ones((*lead, *[1] * spatial), input.dtype)
    return input * drop(channels, *_place(None, channels.size, False), kept)


@composite
def dropout1d(input: Tensor, p=0.5, training=True) -> Tensor:
    """Each channel (n, c, ·) becomes 0 with probability p, and is divided by 1 - p otherwise.

    Args:
        input: floating-point tensor (n, c, l) or (c, l).
        p: a probability.
        training: whether anything is done; else the result is `input`.
    Raises:
        OpTypeError: `input` is not of floating point, or p no number.   OpValueError: p is not in [0, 1], or the number of
        axes is another.
    Source:
        Tompson et al., CVPR 2015.
    Example:
        >>> dropout1d(ones((1, 2, 3)), 1.0).tolist()
        [[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]
    """
    return _drop_channels("dropout1d", input, p, training, 1, True)


@composite
def dropout2d(input: Tensor, p=0.5, training=True) -> Tensor:
    """Each channel (n, c, ·, ·) becomes 0 with probability p, and is divided by 1 - p otherwise; see `dropout1d`.

    Example:
        >>> dropout2d(ones((1, 1, 1, 2)), 1.0).tolist()
        [[[[0.0, 0.0]]]]
    """
    return _drop_channels("dropout2d", input, p, training, 2, False)


@composite
def dropout3d(input: Tensor, p=0.5, training=True) -> Tensor:
    """Each channel (n, c, ·, ·, ·) becomes 0 with probability p, and is divided by 1 - p otherwise; see `dropout1d`.

    Example:
        >>> dropout3d(ones((1, 1, 1, 1, 2)), 1.0).tolist()
        [[[[[0.0, 0.0]]]]]
    """
    return _drop_channels("dropout3d", input, p, training, 3, False)
