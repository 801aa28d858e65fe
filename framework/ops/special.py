"""Functions of elements that take as many terms as they need: Bessel functions, incomplete gamma and beta functions, zeta.

Their bodies are in `kernel/series.py`. Modified Bessel functions of the first kind are vectors, in `mathematics.py`.
"""

from __future__ import annotations

from anfora.core.errors import OpTypeError
from anfora.core.tensor import Tensor
from anfora.kernel import series
from anfora.ops.arithmetic import div
from anfora.ops.comparison import equal, where
from anfora.ops.families import ByAttributes, elementwise
from anfora.ops.mathematics import digamma, exp, lgamma, log, log1p, xlogy

__all__ = [
    "bessel_j0", "bessel_j1", "bessel_k0", "bessel_k0e", "bessel_k1", "bessel_k1e", "bessel_y0", "bessel_y1", "betainc",
    "igamma", "igammac", "zeta",
]  # fmt: skip


def _terms(name: str) -> ByAttributes:
    """The body of that name, made when a kernel is: it needs numba."""
    return ByAttributes(lambda kind: series.body(getattr(series, name)))


# -- Bessel functions -------------------------------------------------------------------------------------------------


@elementwise(_terms("bessel_j0"), takes="f", lift=True, cost=150.0)
def bessel_j0(input: Tensor):
    """The Bessel function of the first kind of order 0, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        -g · bessel_j1(input).
    Example:
        >>> bessel_j0(Tensor([0., 1.])).tolist()
        [1.0, 0.7651976943016052]
    """


@bessel_j0.vjp("input")
def _(input, *, g):
    return -g * bessel_j1(input)


@elementwise(_terms("bessel_j1"), takes="f", lift=True, cost=150.0)
def bessel_j1(input: Tensor):
    """The Bessel function of the first kind of order 1, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        g · (bessel_j0(input) - out / input), g / 2 at 0.
    Example:
        >>> bessel_j1(Tensor([0., 1.])).tolist()
        [0.0, 0.44005057215690613]
    """


@bessel_j1.vjp("input")
def _(input, out, *, g):
    is_zero = equal(input, 0)
    return g * (bessel_j0(input) - where(is_zero, 0.5, div(out, where(is_zero, 1, input))))


@elementwise(_terms("bessel_y0"), takes="f", lift=True, cost=150.0)
def bessel_y0(input: Tensor):
    """The Bessel function of the second kind of order 0, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; -inf at 0, NaN below.
    Gradient:
        -g · bessel_y1(input).
    Example:
        >>> bessel_y0(Tensor([1., 2.])).tolist()
        [0.08825696259737015, 0.5103756785392761]
    """


@bessel_y0.vjp("input")
def _(input, *, g):
    return -g * bessel_y1(input)


@elementwise(_terms("bessel_y1"), takes="f", lift=True, cost=150.0)
def bessel_y1(input: Tensor):
    """The Bessel function of the second kind of order 1, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; -inf at 0, NaN below.
    Gradient:
        g · (bessel_y0(input) - out / input).
    Example:
        >>> bessel_y1(Tensor([1., 2.])).tolist()
        [-0.7812128067016602, -0.10703243315219879]
    """


@bessel_y1.vjp("input")
def _(input, out, *, g):
    return g * (bessel_y0(input) - out / input)


@elementwise(_terms("bessel_k0"), takes="f", lift=True, cost=100.0)
def bessel_k0(input: Tensor):
    """The modified Bessel function of the second kind of order 0, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; infinite at 0, NaN below.
    Gradient:
        -g · bessel_k1(input).
    Example:
        >>> bessel_k0(Tensor([1., 2.])).tolist()
        [0.4210244417190552, 0.11389387398958206]
    """


@bessel_k0.vjp("input")
def _(input, *, g):
    return -g * bessel_k1(input)


@elementwise(_terms("bessel_k0e"), takes="f", lift=True, cost=100.0)
def bessel_k0e(input: Tensor):
    """The modified Bessel function of the second kind of order 0, times exp(input), element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; infinite at 0, NaN below.
    Gradient:
        g · (out - bessel_k1e(input)).
    Example:
        >>> bessel_k0e(Tensor([1., 2.])).tolist()
        [1.144463062286377, 0.8415682315826416]
    """


@bessel_k0e.vjp("input")
def _(input, out, *, g):
    return g * (out - bessel_k1e(input))


@elementwise(_terms("bessel_k1"), takes="f", lift=True, cost=100.0)
def bessel_k1(input: Tensor):
    """The modified Bessel function of the second kind of order 1, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; infinite at 0, NaN below.
    Gradient:
        -g · (bessel_k0(input) + out / input).
    Example:
        >>> bessel_k1(Tensor([1., 2.])).tolist()
        [0.6019072532653809, 0.13986587524414062]
    """


@bessel_k1.vjp("input")
def _(input, out, *, g):
    return -g * (bessel_k0(input) + out / input)


@elementwise(_terms("bessel_k1e"), takes="f", lift=True, cost=100.0)
def bessel_k1e(input: Tensor):
    """The modified Bessel function of the second kind of order 1, times exp(input), element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; infinite at 0, NaN below.
    Gradient:
        g · (out - out / input - bessel_k0e(input)).
    Example:
        >>> bessel_k1e(Tensor([1., 2.])).tolist()
        [1.6361534595489502, 1.0334768295288086]
    """


@bessel_k1e.vjp("input")
def _(input, out, *, g):
    return g * (out - out / input - bessel_k0e(input))


# -- incomplete gamma functions ---------------------------------------------------------------------------------------


@elementwise(_terms("igamma"), takes="f", lift=True, cost=200.0)
def igamma(input: Tensor, other: Tensor):
    """The regularised lower incomplete gamma function: the integral of exp(-t) t^(input - 1) from 0 to `other`, divided by
    gamma(input); element by element.

    Args:
        input: the shapes, tensor or number.
        other: where to, tensor or number; shapes broadcast, integers are computed as float32.
    Returns:
        floating tensor of the broadcast shape, from 0 to 1; NaN where an argument is negative, and where both are 0.
    Gradient:
        to both; that to `input` has itself a gradient by `other` only.
    Example:
        >>> igamma(Tensor([2., 4.]), Tensor([2., 3.])).tolist()
        [0.593994140625, 0.3527681231498718]
    """


@igamma.vjp("input")
def _(input, other, *, g):
    return g * igamma_by_shape(input, other)


@igamma.vjp("other")
def _(input, other, *, g):
    return g * igamma_by_end(input, other)


@elementwise(_terms("igammac"), takes="f", lift=True, cost=200.0)
def igammac(input: Tensor, other: Tensor):
    """The regularised upper incomplete gamma function, 1 - igamma(input, other), exact where it is small, element by
    element.

    Args:
        input: the shapes, tensor or number.
        other: where from, tensor or number; shapes broadcast, integers are computed as float32.
    Returns:
        floating tensor of the broadcast shape, from 0 to 1; NaN where an argument is negative, and where both are 0.
    Gradient:
        that of `igamma`, with the other sign.
    Example:
        >>> igammac(Tensor([2., 4.]), Tensor([2., 3.])).tolist()
        [0.406005859375, 0.6472318768501282]
    """


@igammac.vjp("input")
def _(input, other, *, g):
    return -g * igamma_by_shape(input, other)


@igammac.vjp("other")
def _(input, other, *, g):
    return -g * igamma_by_end(input, other)


@elementwise(_terms("igamma_by_shape"), takes="f", lift=True, cost=300.0)
def igamma_by_shape(input: Tensor, other: Tensor):
    """The derivative of `igamma` by its first argument."""


igamma_by_shape.jvp_rule = None  # that of all elements would ask for the derivative that is refused below


@igamma_by_shape.vjp("input")
def _(input, *, g):
    raise OpTypeError("the second derivative of igamma by `input` is not known", arg="input")


@igamma_by_shape.vjp("other")
def _(input, other, *, g):
    return g * igamma_by_end(input, other) * (log(other) - digamma(input))


@elementwise(_terms("igamma_by_end"), takes="f", lift=True, cost=60.0)
def igamma_by_end(input: Tensor, other: Tensor):
    """The derivative of `igamma` by its second argument, exp(-other) other^(input - 1) / gamma(input)."""


@igamma_by_end.vjp("input")
def _(input, other, out, *, g):
    return g * out * (log(other) - digamma(input))


@igamma_by_end.vjp("other")
def _(input, other, out, *, g):
    return g * out * ((input - 1) / other - 1)


# -- others -----------------------------------------------------------------------------------------------------------


@elementwise(_terms("betainc"), takes="f", lift=True, cost=200.0)
def betainc(a: Tensor, b: Tensor, x: Tensor):
    """The regularised incomplete beta function: the integral of t^(a - 1) (1 - t)^(b - 1) from 0 to x, divided by that from
    0 to 1; element by element.

    Args:
        a, b: positive tensors or numbers.
        x: tensor or number from 0 to 1; shapes broadcast, integers are computed as float32.
    Returns:
        floating tensor of the broadcast shape, from 0 to 1; NaN outside of the domain.
    Gradient:
        to x alone; one that is asked to `a` or `b` is refused.
    Example:
        >>> betainc(Tensor([1., 2.]), Tensor([2., 2.]), Tensor([0.5, 0.25])).tolist()
        [0.75, 0.15625]
    """


@betainc.vjp("a")
def _(a, *, g):
    raise OpTypeError("the derivative of betainc by `a` is not known", arg="a")


@betainc.vjp("b")
def _(b, *, g):
    raise OpTypeError("the derivative of betainc by `b` is not known", arg="b")


@betainc.vjp("x")
def _(a, b, x, *, g):
    beta = lgamma(a) + lgamma(b) - lgamma(a + b)
    return g * exp(xlogy(a - 1, x) + (b - 1) * log1p(-x) - beta)


@elementwise(_terms("zeta"), takes="f", lift=True, cost=150.0)
def zeta(input: Tensor, other: Tensor):
    """Hurwitz's zeta function, the sum of (other + k)^-input for k = 0, 1, 2, …; element by element.

    Args:
        input: exponents above 1, tensor or number.
        other: tensor or number; shapes broadcast, integers are computed as float32.
    Returns:
        floating tensor of the broadcast shape; infinite where `input` is 1 or `other` is 0, -1, …; NaN where `input` is
        below 1, and where it is no whole number while `other` is negative.
    Gradient:
        -g · input · zeta(input + 1, other) to `other`; one that is asked to `input` is refused.
    Example:
        >>> zeta(Tensor([2., 10.]), Tensor([1., 1.])).tolist()
        [1.644934058189392, 1.0009945631027222]
    """


@zeta.vjp("input")
def _(input, *, g):
    raise OpTypeError("the derivative of zeta by `input` is not known", arg="input")


@zeta.vjp("other")
def _(input, other, *, g):
    return -g * input * zeta(input + 1, other)
