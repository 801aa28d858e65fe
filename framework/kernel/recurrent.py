"""Scalar bodies of recurrent cells and of their gradients: all that happens to one unit in one step.

A body of a cell gets the unit's share of each gate, from the input (`a`) and from the state (`b`), which are added first.
One of a layer's step gets their sums, and gives the values of the gates as well; its gradient starts from these.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anfora.kernel.bodies import fma, sigmoid, tanh
from anfora.kernel.emit import Value
from anfora.kernel.plan import Buffer

__all__ = [
    "gates_of", "gru", "gru_gradient", "gru_step", "gru_step_gradient", "lstm", "lstm_gradient", "lstm_gradient_to_c",
    "lstm_gradient_to_h", "lstm_step", "lstm_step_gradient",
]  # fmt: skip


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
    h, new, *_ = lstm_step(ai + bi, af + bf, ag + bg, ao + bo, c)
    return h, new


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


def lstm_step(ai: Value, af: Value, ag: Value, ao: Value, c: Value) -> tuple[Value, ...]:
    """(h, c) after a step of an LSTM, and the gates i, f, g and o."""
    i, f, g, o = sigmoid(ai), sigmoid(af), tanh(ag), sigmoid(ao)
    new = fma(f, c, i * g)
    return o * tanh(new), new, i, f, g, o


def lstm_step_gradient(
    i: Value, f: Value, g: Value, o: Value, c: Value, new: Value, gh: Value | float, gc: Value | float, *gates: Value
) -> tuple[Value, ...]:  # fmt: skip
    """The gradients to what the four gates are made of and to c, from those of h, of the new c and of the gates."""
    t = tanh(new)
    k = fma(gh * o, fma(-t, t, 1.0), gc)
    to = [k * g, k * c, k * i, gh * t]
    to = [x + y for x, y in zip(to, gates)] or to
    slopes = i * (1.0 - i), f * (1.0 - f), fma(-g, g, 1.0), o * (1.0 - o)
    return *(x * slope for x, slope in zip(to, slopes)), k * f


def gru(ar: Value, az: Value, an: Value, br: Value, bz: Value, bn: Value, h: Value) -> Value:
    """h after a step of a GRU."""
    return gru_step(ar, az, an, br, bz, bn, h)[0]


def gru_step(ar: Value, az: Value, an: Value, br: Value, bz: Value, bn: Value, h: Value) -> tuple[Value, ...]:
    """h after a step of a GRU; the gates r, z and n, and the state's share of n."""
    r, z = sigmoid(ar + br), sigmoid(az + bz)
    n = tanh(fma(r, bn, an))
    return fma(z, h - n, n), r, z, n, bn


def gru_step_gradient(
    r: Value, z: Value, n: Value, q: Value, h: Value, g: Value, *gates: Value
) -> tuple[Value, ...]:  # fmt: skip
    """The gradients to what the gates r, z and n are made of, to the state's share of n, and to h itself, from those of the
    new h, and of the gates and the share q."""
    to = [g * (1.0 - z), g * (h - n)]
    to_n, to_z = [x + y for x, y in zip(to, (gates[2], gates[1]))] if gates else to
    dn = to_n * fma(-n, n, 1.0)
    to = [dn * q, dn * r]
    to_r, dq = [x + y for x, y in zip(to, (gates[0], gates[3]))] if gates else to
    return to_r * (r * (1.0 - r)), to_z * (z * (1.0 - z)), dn, dq, g * z


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
