"""Rows of the op table: functions that write to places that indices name. The operators under them: rows_indexing.py."""

import numpy as np
from row import Bad, Row, S, integers, normal, positive
from rows_indexing import combined

from anfora import Parameter, ops

X = normal(3, 4)
POINTS = np.array([[0, 1], [2, 3], [0, 1]])
NAMES = {"update": "set", "add": "add", "sub": "sub", "mul": "mul", "div": "div", "max": "max", "min": "min"}
KINKS = "values that win jump"


def apart(how):
    return {"second": False, "why": KINKS} if how in ("max", "min") else {}


def on_parameter(function):
    """A function that changes a Parameter, as one that gives the changed values."""

    def call(x, *args):
        parameter = Parameter(ops.copy(ops.stop_gradient(x)), requires_grad=False)
        result = function(parameter, *args)
        assert result is parameter or not result.is_leaf  # where what was written has a gradient
        return ops.copy(parameter)

    call.__name__ = function.__name__
    return call


def put(how, form):
    return lambda x, i, v, *_: combined(how)(x, [np.asarray(i)], v, form)


def elements(x, i, v, axis=0, reduction="none"):
    how = {"none": "set", "multiply": "mul"}.get(reduction, reduction)
    v = v[tuple(slice(0, n) for n in i.shape)] if np.ndim(v) else v
    return combined(how)(x, [i], v, ("along", axis % x.ndim))


def segments(how, start):
    def ref(x, ids, n):
        out = np.full((n, *x.shape[ids.ndim :]), start(x.dtype) if callable(start) else start, x.dtype)
        for place in np.ndindex(ids.shape):
            if ids[place] >= 0:
                out[ids[place]] = how(out[ids[place]], x[place])
        return out

    return ref


def along(x, axis, i, value):
    x = np.array(x)
    x[(slice(None),) * (axis % x.ndim) + (np.atleast_1d(i),)] = value
    return x


def index_put(x, indices, values, accumulate=False):
    x = np.array(x)
    if accumulate:
        np.add.at(x, tuple(indices), values)
    else:
        x[tuple(indices)] = values
    return x


def part(x, key, src):
    x = np.array(x)
    x[key] = src
    return x


def diagonal_put(x, src, offset=0, dim1=0, dim2=1):
    x = np.array(x)
    np.einsum("ii->i", np.moveaxis(x, (dim1, dim2), (0, 1))[: x.shape[dim1], max(offset, 0) :][:2, :2])[...] = src
    return x


SEGMENTS = [
    S(normal(5, 2), np.array([0, 2, 0, -1, 2]), 4),
    S(normal(2, 3), np.array([[0, 1, 1], [2, 0, 0]]), 3),
    S(normal(0, 2), np.zeros(0, int), 2),
    S(integers(0, 9, 4), np.array([1, 1, 0, 1]), 2),
]
BAD_SEGMENTS = [
    Bad(normal(3), np.array([0, 1]), 2, error=ValueError, match="number the first axes"),
    Bad(normal(2), np.array([0, 3]), 2, error=IndexError, match="index 3"),
    Bad(normal(2), np.array([0, 1]), -1, error=ValueError, match="negative"),
    Bad(normal(2), normal(2), 2, error=TypeError, match="integers"),
]


def segment_rows():
    low, high = (lambda t: np.iinfo(t).min if t.kind == "i" else 0), (lambda t: np.iinfo(t).max if t.kind == "i" else 0)
    full = [
        S(s.args[0], s.args[1], 1 + int(s.args[1].max())) for s in SEGMENTS if s.args[1].size and s.args[1].max() < 2
    ]
    full += [SEGMENTS[1]]
    return [
        Row(ops.unsorted_segment_sum, ref=segments(np.add, 0), samples=SEGMENTS, errors=BAD_SEGMENTS),
        Row(ops.unsorted_segment_prod, ref=segments(np.multiply, 1), samples=SEGMENTS),
        Row(
            ops.unsorted_segment_max,
            ref=segments(np.fmax, lambda t: low(t) if t.kind == "i" else np.nan),
            samples=full,
            **apart("max"),
        ),
        Row(
            ops.unsorted_segment_min,
            ref=segments(np.fmin, lambda t: high(t) if t.kind == "i" else np.nan),
            samples=full,
            **apart("min"),
        ),
    ]


def added_in_place(x, indices, y, axis):
    return ops.inplace_index_add(ops.copy(x), indices, y, axis)


ROWS = [
    Row(
        ops.tensor_scatter_elements,
        ref=elements,
        samples=[
            S(X, integers(0, 3, 2, 4), normal(2, 4)),
            S(X, integers(-4, 4, 3, 2), normal(3, 2), 1),
            S(X, np.array([[0, 1, 1, 0]]), normal(1, 4), 0, "add"),
            S(X, np.array([[0, 0], [1, 1]]), normal(2, 2), -1, "mul"),
            S(X, np.array([[0, 1]]), 2.0, 1, "sub"),
            S(X, np.zeros((0, 4), int), normal(0, 4)),
        ],
        errors=[
            Bad(X, np.array([[0]]), normal(1, 1), 0, "mean", error=ValueError, match="reduction"),
            Bad(X, np.array([0]), normal(1), error=ValueError, match="do not fit"),
            Bad(X, np.array([[0]]), normal(1, 1), 2, error=ValueError, match="must be in"),
            Bad(X, np.array([[3]]), normal(1, 1), error=IndexError, match="index 3"),
        ],
    ),
    Row(
        ops.scatter,
        ref=lambda x, axis, i, v: elements(x, i, v, axis),
        samples=[S(X, 1, np.array([[1], [0]]), normal(3, 4)), S(X, 0, np.array([[2, 1, 0]]), 5.0)],
    ),
    Row(
        ops.scatter_nd,
        ref=lambda i, v, shape: index_put(np.zeros(shape, v.dtype), np.moveaxis(i, -1, 0), v, True),
        samples=[
            S(POINTS, normal(3), (3, 4)),
            S(np.array([[0], [2], [0]]), normal(3, 2), (3, 2)),
            S(np.zeros((0, 1), int), normal(0), (3,)),
        ],
        errors=[
            Bad(POINTS, normal(2), (3, 4), error=ValueError, match="does not fit"),
            Bad(POINTS, normal(3), (3, 3), error=IndexError, match="index 3"),
            Bad(normal(2, 1), normal(2), (3,), error=TypeError, match="integers"),
        ],
    ),
    *(
        Row(
            getattr(ops, f"tensor_scatter_{name}"),
            ref=put(how, ("points",)),
            samples=[
                S(X, POINTS, positive(3)),
                S(X, np.array([[1], [1]]), positive(2, 4)),
                S(X, np.array([0, 1]), 2.0),
            ],
            errors=[
                Bad(X, POINTS, normal(2), error=ValueError, match="shape"),
                Bad(X, POINTS + 1, normal(3), error=IndexError, match="index"),
            ],
            **apart(how),
        )
        for name, how in NAMES.items()
    ),
    *(
        Row(
            on_parameter(getattr(ops, f"scatter_{name}")),
            ref=put(how, ("arrays", (0,), 0, (0,))),
            samples=[
                S(X, np.array([2, 0, 2]), positive(3, 4)),
                S(X, np.array([[1, 0]]), 2.0),
                S(X, np.zeros(0, int), normal(0, 4)),
            ],
            errors=[
                Bad(X, np.array([0, 3]), normal(2, 4), error=IndexError, match="index 3"),
                Bad(X, np.array([0]), normal(4), error=ValueError, match="shape"),
            ],
            grad=False,
            why="it is an effect",
        )
        for name, how in NAMES.items()
    ),
    *(
        Row(
            getattr(ops, f"inplace_{name}"),
            ref=lambda x, v, i, how=how: put(how, ("arrays", (0,), 0, (0,)))(x, np.atleast_1d(i), v),
            samples=[
                S(X, normal(3, 4), np.array([2, 0, 2])),
                S(X, normal(2, 4), (1, -1)),
                S(X, normal(1, 4), 1),
                S(X, 2.0, np.zeros(0, int)),
            ],
            errors=[
                Bad(X, normal(2, 4), (0, 3), error=IndexError, match="index 3"),
                Bad(X, normal(4), 0, error=ValueError, match="shape"),
            ],
        )
        for name, how in NAMES.items()
        if name in ("update", "add", "sub")
    ),
    *(
        Row(
            on_parameter(getattr(ops, f"scatter_nd_{name}")),
            ref=put(how, ("points",)),
            samples=[S(X, POINTS, positive(3)), S(X, np.array([[1], [1]]), positive(2, 4))],
            errors=[Bad(X, POINTS, normal(2), error=ValueError, match="shape")],
            grad=False,
            why="it is an effect",
        )
        for name, how in NAMES.items()
    ),
    *(
        Row(
            on_parameter(function),
            ref=ref,
            samples=[S(X, normal(3, 4)), S(X, 2.0), S(X, normal(4))],
            grad=False,
            why="it is an effect",
            errors=[Bad(X, normal(3), error=ValueError, match="fit|broadcast")],
        )
        for function, ref in (
            (ops.assign, lambda x, v: np.broadcast_to(v, x.shape)),
            (ops.assign_add, np.add),
            (ops.assign_sub, np.subtract),
        )
    ),
    *(
        Row(
            function,
            ref=lambda x, i, y, axis: index_put(x, (slice(None),) * (axis % x.ndim) + (i,), y, True),
            samples=[S(X, np.array([1, 1, 0]), normal(3, 4), 0), S(X, np.array([-1, 0]), normal(3, 2), 1)],
            errors=[
                Bad(X, np.array([1]), normal(2, 4), 0, error=ValueError, match="must have the shape"),
                Bad(X, np.array([[1]]), normal(1, 4), 0, error=ValueError, match="must have the shape"),
                Bad(X, np.array([3]), normal(1, 4), 0, error=IndexError, match="index 3"),
            ],
            covers=covers,
        )
        for function, covers in ((ops.index_add, ()), (added_in_place, ("inplace_index_add",)))
    ),
    Row(
        ops.index_fill,
        ref=along,
        samples=[
            S(X, 1, np.array([0, 2]), 5.0),
            S(X, 0, np.array(1), normal()),
            S(X, -1, np.zeros(0, int), 1.0),
            S(integers(0, 9, 3), 0, np.array([1]), 7),
        ],
        errors=[
            Bad(X, 0, np.array([[0]]), 1.0, error=ValueError, match="1-d"),
            Bad(X, 0, np.array([0]), normal(2), error=ValueError, match="one element"),
            Bad(X, 0, np.array([3]), 1.0, error=IndexError, match="index 3"),
        ],
    ),
    Row(
        ops.index_put,
        ref=index_put,
        samples=[
            S(X, (np.array([0, 2]), np.array([1, 1])), normal(2)),
            S(X, [np.array([0, 0])], normal(4), True),
            S(X, (np.array([1]),), 2.0),
        ],
        errors=[
            Bad(X, (), 1.0, error=ValueError, match="one to 2"),
            Bad(X, (np.array([3]),), 1.0, error=IndexError, match="index 3"),
        ],
    ),
    Row(
        ops.select_scatter,
        ref=lambda x, src, axis, i: part(x, (slice(None),) * axis + (i,), src),
        samples=[S(X, normal(4), 0, 1), S(X, normal(3), 1, -1)],
        errors=[
            Bad(X, normal(3), 0, 1, error=ValueError, match="shape"),
            Bad(X, normal(4), 0, 3, error=ValueError, match="out of range"),
        ],
    ),
    Row(
        ops.slice_scatter,
        ref=lambda x, src, axis=0, start=None, end=None, step=1: part(
            x, (slice(None),) * axis + (slice(start, end, step),), src
        ),
        samples=[S(X, normal(2, 4), 0, 1), S(X, normal(3, 2), 1, 0, 4, 2), S(X, normal(3, 4))],
        errors=[
            Bad(X, normal(2, 4), error=ValueError, match="shape"),
            Bad(X, normal(3, 4), 0, None, None, 0, error=ValueError, match="positive"),
        ],
    ),
    Row(
        ops.diagonal_scatter,
        ref=diagonal_put,
        samples=[S(normal(2, 2), normal(2)), S(normal(2, 3), normal(2), 1)],
        errors=[Bad(normal(2, 2), normal(3), error=ValueError, match="shape")],
    ),
    *segment_rows(),
]
