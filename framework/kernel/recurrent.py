"""Scalar bodies of recurrent cells and of their gradients: all that happens to one unit in one step.

A body gets the unit's share of each gate, from the input (`a`) and from the state (`b`), which are added first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anfora.kernel.bodies import fma, sigmoid, tanh
from anfora.kernel.emit import Value
from anfora.kernel.plan import Buffer

__all__ = ["gates_of", "gru", "gru_gradient", "lstm", "lstm_gradient", "lstm_gradient_to_c", "lstm_gradient_to_h"]


def gates_of(buffer: Buffer, count: int) -> list[Buffer]:
    """A buffer (N, count · H) as `count` of (N, H), side by side."""
    rows, width = buffer.shape
    units = width // count
    return [
        replace(buffer, shape=(rows, units), offset=buffer.offset + i * units * buffer.strides[1]) for i in range(count)
    ]


def lstm(
    ai: Value, af: Value, ag: Value, ao: Value, bi: Value, bf: Value, bg: Value, bo: Value, c: Value
) -> tuple[Value, Value]:  # fmt: skip
    """(h, c) after a step of an LSTM."""
    new = fma(sigmoid(af + bf), c, sigmoid(ai + bi) * tanh(ag + bg))
    return sigmoid(ao + bo) * tanh(new), new


def lstm_gradient(
    ai: Value, af: Value, ag: Value, ao: Value, bi: Value, bf: Value, bg: Value, bo: Value, c: Value,
    gh: Value | float, gc: Value | float,
) -> tuple[Value, Value, Value, Value, Value]:  # fmt: skip
    """The gradients to the four gates and to c, from those of h and of the new c."""
    i, f, g, o = sigmoid(ai + bi), sigmoid(af + bf), tanh(ag + bg), sigmoid(ao + bo)
    t = tanh(fma(f, c, i * g))
    k = fma(gh * o, fma(-t, t, 1.0), gc)
    di = k * g * (i * (1.0 - i))
    df = k * c * (f * (1.0 - f))
    dg = k * i * fma(-g, g, 1.0)
    do = gh * t * (o * (1.0 - o))
    return di, df, dg, do, k * f


def lstm_gradient_to_h(*values: Value) -> tuple[Value, ...]:
    """`lstm_gradient` where the new c has no gradient of its own."""
    arguments: list[Any] = [*values, 0.0]
    return lstm_gradient(*arguments)


def lstm_gradient_to_c(*values: Value) -> tuple[Value, ...]:
    """`lstm_gradient` where h has no gradient."""
    arguments: list[Any] = [*values[:-1], 0.0, values[-1]]
    return lstm_gradient(*arguments)


def gru(ar: Value, az: Value, an: Value, br: Value, bz: Value, bn: Value, h: Value) -> Value:
    """h after a step of a GRU."""
    n = tanh(fma(sigmoid(ar + br), bn, an))
    return fma(sigmoid(az + bz), h - n, n)


def gru_gradient(
    ar: Value, az: Value, an: Value, br: Value, bz: Value, bn: Value, h: Value, g: Value
) -> tuple[Value, Value, Value, Value, Value]:  # fmt: skip
    """The gradients to the gates r, z and n, to the state's share of n, and to h itself."""
    r, z = sigmoid(ar + br), sigmoid(az + bz)
    n = tanh(fma(r, bn, an))
    dn = g * (1.0 - z) * fma(-n, n, 1.0)
    dz = g * (h - n) * (z * (1.0 - z))
    dr = dn * bn * (r * (1.0 - r))
    return dr, dz, dn, dn * r, g * z
