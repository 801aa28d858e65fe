"""Rows of the op table: running sums, products, extremes."""

import numpy as np
from row import Bad, Row, S, bools, integers, normal, spread, values

from anfora import ops
from anfora.ops import scan

inf, nan = np.inf, np.nan
HALVES = ("float16", "bfloat16", "float32", "float64")


def running(accumulate, start):
    """A numpy running reduction with the flags of ours."""

    def ref(x, axis, dtype=None, exclusive=False, reverse=False):
        if dtype:
            x = x.astype(dtype)
        shape = x.shape
        x = np.atleast_1d(x)
        x = np.flip(x, axis) if reverse else x
        y = accumulate(x, axis)
        if exclusive:
            first = np.full_like(np.take(y, [0], axis), start) if y.shape[axis] else y
            y = np.concatenate([first, np.take(y, range(y.shape[axis] - 1), axis)], axis)
        return (np.flip(y, axis) if reverse else y).reshape(shape)

    return ref


def record(better, extreme):
    """Running extremes in plain Python: of equal ones the last, NaN stays."""

    def ref(x, axis):
        shape = x.shape
        x = np.atleast_1d(x)
        places = np.zeros(x.shape, np.int64)
        for index in np.ndindex(x.shape):
            here = index[axis]
            if here:
                before = list(index)
                before[axis] = here - 1
                best = places[tuple(before)]
                at = list(index)
                at[axis] = best
                places[index] = here if better(x[index], x[tuple(at)]) or np.isnan(x[index]) else best
        return extreme.accumulate(x, axis).reshape(shape), places.reshape(shape)

    return ref


SAMPLES = [
    S(normal(5), 0),
    S(normal(3, 4), 1),
    S(normal(3, 4), -2),
    S(normal(2, 3, 4), 1, exclusive=True),
    S(normal(2, 5), 1, reverse=True),
    S(normal(5, 2), 0, exclusive=True, reverse=True),
    S(normal(), 0),
    S(normal(1), 0, exclusive=True),
    S(normal(40, 70), 0, smooth=False),
    S(normal(6, 70), 1, smooth=False),
    S(normal(3, 0), 0, smooth=False),
    S(normal(3, 0), 1, smooth=False),
    S(values(1.0, inf, nan, 2.0), 0, smooth=False),
]
WRONG = [
    Bad(normal(3), 1, error=ValueError, match="must be in"),
    Bad(normal(3), None, error=TypeError, match="integer"),
    Bad(normal(3), 0, "bool", error=TypeError, match="number type"),
]


def _recurrence(a, b, axis, reverse):
    a, b = (np.moveaxis(np.flip(v, axis) if reverse else v, axis, 0) for v in (a, b))
    y = np.zeros(b.shape)
    for i in range(len(y)):
        y[i] = (a[i] * y[i - 1] if i else 0) + b[i]
    y = np.moveaxis(y, 0, axis)
    return np.flip(y, axis) if reverse else y


ROWS = [
    Row(
        ops.cumsum,
        ref=running(np.cumsum, 0),
        samples=[
            *SAMPLES,
            S(integers(-9, 9, 4, 5, dtype=np.int32), 0),
            S(integers(0, 9, 4), 0, "float32"),
            S(bools(5), 0, "int64"),
        ],
        errors=WRONG,
        dtypes=HALVES,
        tol={"bfloat16": 4e-2, "float16": 4e-3},
    ),
    Row(
        ops.cumprod,
        ref=running(np.cumprod, 1),
        samples=[
            *SAMPLES,
            S(values(2.0, 0.0, 3.0), 0),
            S(values(2.0, 0.0, 3.0, 0.0, 4.0), 0, exclusive=True),
            S(integers(-3, 3, 4, 5), 0),
            S(integers(1, 3, 4, dtype=np.int8), 0, "int32"),
        ],
        errors=WRONG,
        dtypes=("float32", "float64"),
        tol={"float32": 1e-5},
        covers=["shift", "recurrence"],
    ),
    *(
        Row(
            op,
            ref=record(better, extreme),
            samples=[
                S(spread(7), 0),
                S(spread(3, 4), 1),
                S(spread(4, 3), 0),
                S(spread(20, 30), 0, smooth=False),
                S(spread(), 0),
                S(values(1.0, 1.0, 3.0, 2.0, 3.0), 0, smooth=False),
                S(values(1.0, nan, 3.0, nan, 5.0), 0, smooth=False),
                S(values(-0.0, 0.0, inf, -inf), 0, smooth=False),
                S(integers(0, 4, 9, 5), 0),
                S(integers(0, 4, 9, dtype=np.uint8), 0),
                S(normal(0, 3), 0, smooth=False),
            ],
            errors=WRONG[:2],
            dtypes=HALVES,
            exact=True,
        )
        for op, better, extreme in (
            (ops.cummax, np.greater_equal, np.maximum),
            (ops.cummin, np.less_equal, np.minimum),
        )
    ),
    Row(
        ops.logcumsumexp,
        ref=lambda x, axis: np.logaddexp.accumulate(np.atleast_1d(x), axis, dtype=np.float64).reshape(x.shape),
        samples=[
            S(normal(7), 0),
            S(normal(3, 4), 1),
            S(normal(3, 4), -2),
            S(normal(), 0),
            S(values(-200.0, -100.0, -300.0, -100.0), 0),
            S(values(1000.0, 0.0, 1000.0), 0, smooth=False),
            S(values(-inf, -inf, 1.0, 2.0), 0, smooth=False),
            S(values(1.0, inf, 2.0, nan), 0, smooth=False),
        ],
        errors=WRONG[:2],
        dtypes=HALVES,
        covers=["exp_decay"],
    ),
    Row(ops.logcumsumexp, ref=np.logaddexp.accumulate, samples=[S(integers(-3, 3, 5), 0)], dtypes=("float32",)),
    Row(
        scan.recurrence,
        ref=_recurrence,
        samples=[
            S(normal(5), normal(5), 0, False),
            S(normal(3, 4), normal(3, 4), 1, True),
            S(normal(3, 4), normal(3, 4), 0, False),
        ],
    ),
    Row(
        ops.diff,
        ref=lambda x, n=1, axis=-1, prepend=None, append=None: np.diff(
            x, n, axis, **{k: v for k, v in (("prepend", prepend), ("append", append)) if v is not None}
        ),
        samples=[
            S(normal(5)),
            S(normal(3, 4), 2),
            S(normal(3, 4), axis=0),
            S(normal(3, 4), 0),
            S(normal(2, 3), 1, 1, normal(2, 1), normal(2, 2)),
            S(normal(2, 1)),
            S(normal(2, 2), 3),
            S(normal(2, 0), 1),
            S(integers(-9, 9, 5)),
            S(np.array([True, False, False])),
        ],
        errors=[
            Bad(normal(3), -1, error=ValueError, match="order -1"),
            Bad(normal(), error=ValueError, match="0 axes"),
            Bad(normal(3), 1, 1, error=ValueError, match="must be in"),
            Bad(normal(3), 0.5, error=TypeError, match="integer for `n`"),
        ],
    ),
    Row(
        ops.trapz,
        ref=lambda y, x=None, dx=1.0, dim=-1: np.sum(
            (np.moveaxis(y, dim, -1)[..., 1:] + np.moveaxis(y, dim, -1)[..., :-1])
            / 2
            * (dx if x is None else np.diff(x if x.ndim < y.ndim else np.moveaxis(x, dim, -1))),
            -1,
        ),
        samples=[
            S(normal(5)),
            S(normal(3, 4), dx=0.5, dim=0),
            S(normal(3, 4), normal(4)),
            S(normal(3, 4), normal(3), dim=0),
            S(normal(3, 4), normal(3, 4), dim=0),
            S(normal(3, 1)),
            S(integers(0, 9, 4)),
        ],
        errors=[
            Bad(normal(3, 4), normal(3), error=ValueError, match="do not fit values"),
            Bad(normal(3), dim=1, error=ValueError, match="must be in"),
        ],
    ),
]
