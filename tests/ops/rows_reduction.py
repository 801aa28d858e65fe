"""Rows of the op table: reductions over axes."""

import numpy as np
from row import Bad, Row, S, bools, integers, normal, spread, values
from scipy.special import logsumexp

from anfora import ops
from anfora.ops import reduction

inf, nan = np.inf, np.nan
HALVES = ("float16", "bfloat16", "float32", "float64")
TIES = values(2.0, -1.0, 2.0, 0.0, 2.0)
SPECIAL = values(1.0, -inf, 3.0, nan, -0.0, 2.0)
ODD = values(3.0, -0.0, 0.0, inf, -inf)


def axes(axis, keep=False):
    """numpy's arguments: () means all axes here."""
    axis = None if axis in (None, ()) else tuple(axis) if isinstance(axis, (tuple, list)) else axis
    return {"axis": axis, "keepdims": keep}


def samples(make, name, keep, smooth_zero=True):
    """Calls that every reduction must take: all axes, some, none, kept, negative, of length 1, 0-d."""
    return [
        S(make(2, 3, 4)),
        S(make(2, 3, 4), **{name: (0, 2)}),
        S(make(5, 3), **{name: 0}),
        S(make(5, 3), **{name: -1, keep: True}),
        S(make(3, 1, 2), **{name: (1,)}),
        S(make(2, 3, 2, 2), **{name: [1, -1], keep: True}),
        S(make(), smooth=smooth_zero),
        S(make(70), **{name: 0}, smooth=False),
        S(make(3, 70), **{name: 1}, smooth=False),
        S(make(70, 3), **{name: 0}, smooth=False),
        S(make(17, 40, 3), **{name: (0, 2)}, smooth=False),
    ]


def bad(make, name):
    return [
        Bad(make(2, 3), **{name: 2}, error=ValueError, match="must be in"),
        Bad(make(2, 3), **{name: (0, -2)}, error=ValueError, match="twice"),
        Bad(make(2, 3), **{name: 0.5}, error=TypeError, match="integer"),
    ]


def empty(make, name):
    """Reductions of nothing, and to nothing."""
    return [
        S(make(0, 3), **{name: 0}),
        S(make(0, 3)),
        S(make(3, 0), **{name: 0}),
        S(
            make(
                0,
            ),
            **{name: 0},
        ),
    ]


def ref_sum(x, axis=(), keep_dims=False, dtype=None):
    kind = dtype or (np.int64 if x.dtype == bool else x.dtype)
    return np.sum(x, dtype=kind, **axes(axis, keep_dims))


def ref_argmax(pick):
    return lambda x, axis=None, keep=False: pick(x, axis, keepdims=keep) if x.ndim else np.array(0)


def ref_with_value(pick, extreme):
    def ref(x, axis=0, keep_dims=False):
        if not x.ndim:
            return x, np.array(0)
        return extreme(x, axis, keepdims=keep_dims), pick(x, axis, keepdims=keep_dims)

    return ref


def ref_extreme(extreme, join):
    def ref(x, axis=None, keepdims=False, initial=None, where=None):
        if where is not None:
            x = np.where(where, x, initial)
        value = extreme(x, **axes(axis, keepdims))
        return value if initial is None else join(value, initial)

    return ref


def ref_both(extreme, pick, join):
    def ref(x, axis=None, keepdims=False, initial=None, where=None):
        value = ref_extreme(extreme, join)(x, axis, keepdims and axis is not None, initial, where)
        if where is not None:
            x = np.where(where, x, initial)
        return value, np.array(0) if axis is None else pick(x, axis, keepdims=keepdims)

    return ref


def ref_mean(x, axis=None, keep_dims=False):
    return np.sum(x, **axes(axis, keep_dims)) / np.sum(np.ones(x.shape), **axes(axis, keep_dims))


def ref_var(x, axis=None, ddof=0, keepdims=False):
    square = np.square(x - ref_mean(x, axis, True))
    return np.sum(square, **axes(axis, keepdims)) / np.maximum(
        np.sum(np.ones(x.shape), **axes(axis, keepdims)) - ddof, 0
    )


def ref_std(x, axis=None, ddof=0, keepdims=False):
    return np.sqrt(ref_var(x, axis, ddof, keepdims))


def ref_nanmean(x, axis=None, keepdims=False, dtype=None):
    keep = ~np.isnan(x)
    return np.nansum(x, **axes(axis, keepdims)) / np.sum(keep, **axes(axis, keepdims))


def ref_norm(x, axis=(), keep_dims=False):
    return np.sqrt(np.sum(np.square(x, dtype=np.float64), **axes(axis, keep_dims)))


INTEGERS = [S(integers(-9, 9, 4, 5, dtype=kind), 1) for kind in (np.int8, np.int32, np.int64, np.uint8)]
MOMENTS = [
    *samples(normal, "axis", "keepdims", smooth_zero=False),
    S(normal(6, 2), 0, 1),
    S(normal(6, 2), axis=0, ddof=True, keepdims=True),
    S(normal(9, 20, 3) + 1000.0, (0, 1), smooth=False),
    S(values(1.0, nan, 2.0), smooth=False),
    S(normal(0, 3), 0, smooth=False),
    S(normal(1, 3), 0, 1, smooth=False),
    S(normal(3, 0), 0, smooth=False),
]
VAR_TOL = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-5}

ROWS = [
    Row(
        ops.reduce_sum,
        ref=ref_sum,
        samples=[
            *samples(normal, "axis", "keep_dims"),
            *empty(normal, "axis"),
            *INTEGERS,
            S(bools(3, 4), 0),
            S(integers(-9, 9, 3, 4, dtype=np.int8), 0, False, "int64"),
            S(integers(-9, 9, 3, 4), 0, dtype="float32"),
            S(values(-0.0, -0.0), smooth=False),
            S(SPECIAL, smooth=False),
        ],
        errors=[*bad(normal, "axis"), Bad(normal(2), dtype="bool", error=TypeError, match="number type")],
        dtypes=HALVES,
        covers=["broadcast_to"],
    ),
    Row(
        ops.sum,
        ref=lambda x, dim=None, keepdim=False, dtype=None: np.sum(
            x, dtype=dtype or (x.dtype if x.dtype.kind == "f" else np.int64), **axes(dim, keepdim)
        ),
        samples=[
            S(normal(2, 3)),
            S(normal(2, 3), 1, True),
            *INTEGERS,
            S(bools(3)),
            S(integers(0, 9, 3), dtype="float64"),
        ],
        errors=bad(normal, "dim"),
    ),
    Row(
        ops.nansum,
        ref=lambda x, axis=None, keepdims=False, dtype=None: np.nansum(x, dtype=dtype, **axes(axis, keepdims)),
        samples=[
            *samples(normal, "axis", "keepdims"),
            S(SPECIAL, smooth=False),
            S(integers(0, 9, 3)),
            S(values(2.75, np.nan, -1.5, 3.0), dtype="int64", smooth=False),
            *empty(normal, "axis"),
        ],
        errors=bad(normal, "axis"),
        covers=["equals", "sum_of_numbers"],
    ),
    Row(
        ops.nanmean,
        ref=ref_nanmean,
        samples=[
            *samples(normal, "axis", "keepdims"),
            S(values(1.0, nan, 3.0), smooth=False),
            S(values(nan), smooth=False),
        ],
    ),
    Row(
        ops.mean,
        ref=ref_mean,
        samples=[
            *samples(normal, "axis", "keep_dims"),
            S(normal(0, 3), 0, smooth=False),
            S(SPECIAL, smooth=False),
        ],
        errors=bad(normal, "axis"),
        dtypes=HALVES,
    ),
    Row(
        ops.prod,
        ref=lambda x, axis=None, keep_dims=False, dtype=None: np.prod(
            x, dtype=dtype or (x.dtype if x.dtype.kind == "f" else np.int64), **axes(axis, keep_dims)
        ),
        samples=[
            *samples(lambda *shape: 0.5 + spread(*shape) % 1.1, "axis", "keep_dims"),
            S(values(2.0, 0.0, 3.0)),
            S(values(0.0, 0.0, 3.0)),
            S(values(1e30, 1e30, 1e-30, 1e-30), smooth=False),
            S(integers(-3, 4, 3, 4, dtype=np.int32), 1),
            *empty(normal, "axis"),
        ],
        errors=[*bad(normal, "axis"), Bad(normal(2), dtype="bool", error=TypeError, match="number type")],
        dtypes=("float32", "float64"),
        tol={"float32": 1e-5},
    ),
    Row(
        ops.euclidean_norm,
        ref=ref_norm,
        samples=[
            *samples(spread, "axis", "keep_dims"),
            S(values(1e30, 1e30), smooth=False),
            S(values(3e-30, 4e-30), smooth=False),
            *empty(normal, "axis"),
        ],
        errors=bad(normal, "axis"),
        dtypes=HALVES,
        covers=["quotient_or_zero"],
    ),
    Row(
        ops.count_nonzero,
        ref=lambda x, axis=(), keep_dims=False, dtype=np.int32: np.sum(x != 0, dtype=dtype, **axes(axis, keep_dims)),
        samples=[
            S(values(0.0, -0.0, nan, 2.0)),
            S(integers(0, 2, 5, 70), 1, True),
            S(integers(0, 2, 70, 3, dtype=np.int8), 0),
            S(bools(300, 2), 0, dtype="int64"),
            S(normal(0, 3), 0),
            S(normal()),
        ],
        dtypes=HALVES,
        grad=False,
        why="a count has no gradient",
    ),
    *(
        Row(
            op,
            ref=lambda x, axis=None, keep_dims=False, ref=ref: ref(x, **axes(axis, keep_dims)),
            samples=[
                S(bools(3, 4)),
                S(bools(3, 4), 0),
                S(bools(5, 70) | True, 1, True),
                S(~bools(70, 5) & False, 0),
                S(integers(0, 2, 4, 3), (0, 1)),
                S(values(0.0, -0.0)),
                S(values(nan, 1.0)),
                S(values(1e-300)),
                *empty(normal, "axis"),
            ],
            dtypes=("float16", "bfloat16", "float64"),
            errors=bad(normal, "axis"),
            grad=False,
            why="a truth value has no gradient",
        )
        for op, ref in ((ops.all, np.all), (ops.any, np.any))
    ),
    *(
        Row(
            op,
            ref=lambda x, axis=(), keep_dims=False, ref=ref: ref(x, **axes(axis, keep_dims)),
            samples=[
                *samples(spread, "axis", "keep_dims"),
                *INTEGERS,
                S(bools(3, 4), 1),
                S(TIES, smooth=False),
                S(SPECIAL, smooth=False),
                S(ODD, smooth=False),
                S(normal(3, 0), 0, smooth=False),
            ],
            errors=[*bad(normal, "axis"), Bad(normal(0, 3), axis=0, error=ValueError, match="no element")],
            dtypes=HALVES,
            exact=True,
            covers=["matches"],
        )
        for op, ref in ((ops.reduce_max, np.max), (ops.reduce_min, np.min))
    ),
    *(
        Row(
            op,
            ref=ref_extreme(ref, join),
            samples=[
                S(spread(3, 4)),
                S(spread(3, 4), 1, True),
                S(spread(3, 4), 0, initial=0.1),
                S(spread(3, 4), (0, 1), initial=-0.1, where=bools(3, 4)),
                S(spread(3, 4), 1, initial=0.0, where=bools(4)),
            ],
            errors=[Bad(normal(2), where=bools(2), error=ValueError, match="needs `initial`")],
        )
        for op, ref, join in ((ops.amax, np.max, np.maximum), (ops.amin, np.min, np.minimum))
    ),
    Row(
        ops.aminmax,
        ref=lambda x, axis=0, keepdims=False: (np.min(x, axis, keepdims=keepdims), np.max(x, axis, keepdims=keepdims)),
        samples=[S(spread(3, 4)), S(spread(3, 4), axis=1, keepdims=True), S(spread(3, 4), axis=None)],
    ),
    *(
        Row(
            op,
            ref=ref_both(extreme, pick, join),
            samples=[
                S(spread(3, 4)),
                S(spread(3, 4), 1, True),
                S(spread(3, 4), 0, initial=0.1),
                S(spread(3, 4), 1, initial=0.0, where=bools(4)),
            ],
        )
        for op, extreme, pick, join in (
            (ops.max, np.max, np.argmax, np.maximum),
            (ops.min, np.min, np.argmin, np.minimum),
        )
    ),
    *(
        Row(
            op,
            ref=ref_with_value(pick, extreme),
            samples=[
                S(spread(5, 3)),
                S(spread(2, 3, 4), 1),
                S(spread(2, 3, 4), -1, True),
                S(spread()),
                S(spread(70, 3), smooth=False),
                S(spread(3, 70), 1, smooth=False),
                S(spread(3, 1), 1),
                *INTEGERS,
                S(bools(3, 40), 1),
                S(TIES, smooth=False),
                S(SPECIAL, smooth=False),
                S(ODD, smooth=False),
                S(values(nan, 1.0, nan), smooth=False),
                S(normal(3, 0), 0, smooth=False),
            ],
            errors=[
                Bad(normal(2, 3), 2, error=ValueError, match="must be in"),
                Bad(normal(0, 3), 0, error=ValueError, match="no element"),
                Bad(normal(2, 3), (0,), error=TypeError, match="integer"),
            ],
            dtypes=HALVES,
            exact=True,
        )
        for op, pick, extreme in (
            (ops.argmax_with_value, np.argmax, np.max),
            (ops.argmin_with_value, np.argmin, np.min),
        )
    ),
    *(
        Row(
            op,
            ref=ref_argmax(pick),
            samples=[
                S(normal(5, 3)),
                S(normal(2, 3, 4), 1),
                S(normal(2, 3, 4), -1, True),
                S(normal(2, 3), None, True),
                S(normal()),
                S(normal(300, 70), 0),
                S(normal(3, 9000), 1),
                S(integers(0, 3, 40, 50)),
                S(integers(0, 3, 40, 50, dtype=np.uint8), 0),
                S(TIES),
                S(SPECIAL),
                S(ODD),
            ],
            errors=[
                Bad(normal(2, 3), 2, error=ValueError, match="must be in"),
                Bad(normal(0, 3), error=ValueError, match="no element"),
            ],
            dtypes=HALVES,
            grad=False,
            why="a position has no gradient",
        )
        for op, pick in ((ops.argmax, np.argmax), (ops.argmin, np.argmin))
    ),
    Row(
        ops.var,
        ref=ref_var,
        samples=MOMENTS,
        errors=[*bad(normal, "axis"), Bad(normal(2), ddof=0.5, error=TypeError, match="ddof")],
        dtypes=HALVES,
        tol=VAR_TOL,
        covers=["moments"],
    ),
    Row(ops.std, ref=ref_std, samples=MOMENTS, errors=bad(normal, "axis"), dtypes=HALVES, tol=VAR_TOL),
    Row(
        ops.var_mean,
        ref=lambda x, axis=None, ddof=0, keepdims=False: (
            ref_var(x, axis, ddof, keepdims),
            ref_mean(x, axis, keepdims),
        ),
        samples=[S(normal(4, 5)), S(normal(4, 5), 1, True, True), S(values(inf, 1.0), smooth=False)],
    ),
    Row(
        ops.std_mean,
        ref=lambda x, axis=None, ddof=0, keepdims=False: (
            ref_std(x, axis, ddof, keepdims),
            ref_mean(x, axis, keepdims),
        ),
        samples=[S(normal(4, 5)), S(normal(4, 5), 0, 1)],
    ),
    Row(
        ops.logsumexp,
        ref=lambda x, dim, keepdim=False: logsumexp(x, **axes(dim, keepdim)),
        samples=[
            S(normal(2, 3, 4), ()),
            S(normal(2, 3, 4), (0, 2)),
            S(normal(5, 3), 0),
            S(normal(5, 3), -1, True),
            S(normal(), 0),
            S(normal(3, 1), 1),
            S(values(1000.0, 1000.0), 0, smooth=False),
            S(values(-1000.0, -1001.0), 0),
            S(values(-inf, -inf), 0, smooth=False),
            S(values(-inf, 2.0, 1.0), 0, smooth=False),
            S(values(inf, 2.0), 0, smooth=False),
            S(SPECIAL, 0, smooth=False),
            S(normal(3, 0), 0, smooth=False),
        ],
        errors=bad(normal, "dim"),
        dtypes=HALVES,
    ),
    *(  # integers are computed as float32
        Row(
            op,
            ref=ref,
            samples=[S(integers(-9, 9, 4, 5), 1), S(integers(0, 9, 70, 3, dtype=np.uint8), 0)],
            dtypes=("float32",),
        )
        for op, ref in (
            (ops.mean, ref_mean),
            (ops.var, ref_var),
            (ops.std, ref_std),
            (ops.euclidean_norm, ref_norm),
            (ops.logsumexp, lambda x, dim: logsumexp(x, dim)),
        )
    ),
    Row(
        reduction.exp_decay,
        ref=lambda x, y: np.where(x == -inf, 0.0, np.exp(x - y)),
        samples=[
            S(-1 - np.abs(normal(3, 4)), np.abs(normal(4))),
            S(values(-inf, -inf, 0.0), values(-inf, 1.0, 0.0), smooth=False),
        ],
    ),
]
