"""Rows of the op table: what indices name. Index expressions are tested in test_indexing.py."""

import operator

import numpy as np
from row import Bad, Row, S, bools, integers, normal, values

from anfora import ops
from anfora.ops import indexing, places

X = normal(3, 4, 5)
ROWS_OF = ("arrays", (0,), 0, (0,))
CROSS = ("arrays", (0, 2), 0, (0, 2))
MIDDLE = ("arrays", (1,), 1, (1,))
POINTS, ALONG = ("points",), ("along", 1)
HALVES = ("float16", "bfloat16", "float32", "float64")


def key_of(indices, form, shape):
    """An index expression that numpy understands, and the order in which it must be transposed."""
    index = np.asarray(indices[0])
    if form[0] == "points":
        return tuple(np.moveaxis(index, -1, 0))
    if form[0] == "along":
        grid = list(np.indices(index.shape, sparse=True))
        grid[form[1]] = index
        return tuple(grid)
    key = [slice(None)] * len(shape)
    for axis, index in zip(form[1], indices):
        key[axis] = index
    return tuple(key)


def taken(x, indices, form):
    if form == ("points",) and not indices[0].shape[-1]:
        return np.broadcast_to(x, (*indices[0].shape[:-1], *x.shape))
    return x[key_of(indices, form, x.shape)]


def summed(values, indices, form, shape):
    out = np.zeros(shape, values.dtype)
    np.add.at(out, key_of(indices, form, shape), values)
    return out


def last(x, indices, form):
    """What is taken, but zero where a later index names the same place."""
    if form == ("points",) and not indices[0].shape[-1]:
        return np.stack([*np.zeros((len(indices[0]) - 1, *x.shape)), x])
    key = key_of(indices, form, x.shape)
    taken = x[key]
    writer = np.zeros(x.shape, int)
    writer[key] = np.arange(1, taken.size + 1).reshape(taken.shape)
    return np.where(writer[key] == np.arange(1, taken.size + 1).reshape(taken.shape), taken, 0)


COMBINE = {
    "set": lambda old, new: new,
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "max": np.maximum,
    "min": np.minimum,
}


def combined(how):
    def ref(x, indices, new, form):
        """One value after the other."""
        out = np.array(x)
        key = key_of(indices, form, x.shape)
        where = np.arange(x.size).reshape(x.shape)[key]
        flat = out.reshape(-1)
        for place, value in zip(where.ravel(), np.broadcast_to(new, where.shape).ravel()):
            flat[place] = COMBINE[how](flat[place], value)
        return out

    return ref


def in_place(function):
    """A function that writes, applied to a copy."""

    def call(x, indices, new, form):
        return function(ops.copy(x), indices, new, form)

    call.__name__ = function.__name__
    return call


def combination(how):
    """The rows of `how`_at and `how`_at_."""
    apart = how in ("max", "min")  # several equal values have no gradient in the usual sense
    samples = [
        S(X, (np.array([2, 0, 2]),), normal(3, 4, 5), ROWS_OF),
        S(X, (np.array([1, -1, 1]),), normal(3, 3, 5), MIDDLE),
        S(X, (np.array([[0], [2]]), np.array([1, 1, 4])), normal(2, 3, 4), CROSS),
        S(X, (np.array([[0, 1], [2, 3], [0, 1]]),), normal(3, 5), POINTS),
        S(normal(3, 4), (np.array([[0, 1, 0], [3, 3, 3]]),), normal(2, 3), ALONG),
        S(normal(5), (np.array([1, 1, 4]),), normal(), ROWS_OF),
        S(normal(5), (np.array([1, 3]),), 2.5, ROWS_OF),
        S(normal(5, 2), (np.zeros(0, int),), normal(0, 2), ROWS_OF),
        S(integers(1, 9, 5), (np.array([1, 1, 4]),), integers(1, 9, 3), ROWS_OF, smooth=False),
        S(normal(3), (np.array(1),), normal(), ROWS_OF),
    ]
    if how == "div":  # far from zero, and no integers
        samples = [
            S(x, i, np.abs(v) + 0.5, form) for x, i, v, form in (s.args for s in samples) if x.dtype == np.float64
        ]
    errors = [
        Bad(
            X,
            (np.array([0, 3]),),
            normal(2, 4, 5),
            ROWS_OF,
            error=IndexError,
            match=r"index 3 is out of bounds.*at \[1\]",
        ),
        Bad(X, (np.array([0.5]),), normal(1, 4, 5), ROWS_OF, error=TypeError, match="integers as indices"),
        Bad(X, (np.array([0, 1]),), normal(3, 4, 5), ROWS_OF, error=ValueError, match="broadcast"),
    ]
    tol = {"float16": 4e-3, "bfloat16": 3e-2}
    return [
        Row(
            op,
            ref=combined(how),
            samples=samples,
            errors=errors,
            dtypes=dtypes,
            tol=tol,
            second=not apart,
            why="second gradients jump where a value wins" if apart else "",
        )
        for op, dtypes in (
            (getattr(places, f"{how}_at"), HALVES),
            (in_place(getattr(places, f"{how}_at_")), HALVES[2:]),
        )
    ]


PICKS = [
    S(X, (np.array([2, 0, -1]),), ROWS_OF),
    S(X, (np.array([[1, 1], [3, -4]]),), MIDDLE),
    S(X, (np.array(1),), MIDDLE),
    S(X, (np.array([[0], [2]]), np.array([1, 1, 4])), CROSS),
    S(X, (np.array([[0, 1], [2, 3], [0, 1]]),), POINTS),
    S(X, (np.zeros((2, 0), int),), POINTS),
    S(normal(3, 4), (np.array([[0, 1, 0], [3, 3, 3]]),), ALONG),
    S(normal(3, 4), (np.array([[0, 1, 0]], np.int8),), ("along", 0)),
    S(X, (np.zeros((0,), np.int32),), ROWS_OF),
    S(X, (np.array([0, 2], np.uint8),), ROWS_OF),
    S(normal(3, 0), (np.array([2, 1]),), ROWS_OF),
    S(normal(100, 300), (np.array([5, 99, 5, 0]),), ROWS_OF, smooth=False),
]
BAD = [
    Bad(
        X,
        (np.array([0, -4]),),
        ROWS_OF,
        error=IndexError,
        match=r"index -4 is out of bounds for axis 0 with length 3, at \[1\]",
    ),
    Bad(X, (np.array([[0, 4]]),), POINTS, error=IndexError, match="index 4 is out of bounds for axis 1"),
    Bad(X, (values(1.0),), ROWS_OF, error=TypeError, match="integers as indices"),
    Bad(X, (np.zeros((1, 4), int),), POINTS, error=ValueError, match="4 coordinates"),
    Bad(X, (np.array([0, 1]), np.array([0, 1, 2])), CROSS, error=IndexError, match="one shape"),
    Bad(normal(3, 4), (np.zeros((4, 1), int),), ALONG, error=ValueError, match="do not fit"),
    Bad(normal(3, 4), (np.array([[4]]),), ALONG, error=IndexError, match="index 4"),
]


def write_where(x, mask, value):
    return indexing.write_where(ops.copy(x), mask, value)


def put_where(x, mask, values):
    result = x.copy()
    result[mask] = values[: mask.sum()]
    return result


def take_where(x, mask, size):
    return np.concatenate([x[mask], np.zeros(size - mask.sum(), x.dtype)])


def embedded(i, w, padding_idx=None, max_norm=None, norm_type=2.0, scale=False):
    if max_norm is not None:
        norm = (np.abs(w) ** norm_type).sum(1, keepdims=True) ** (1 / norm_type)
        w = np.where(norm > max_norm, w / np.maximum(norm, 1e-30) * max_norm, w)
    return w[i]


def gathered(x, i, axis, batch_dims=0):
    if not batch_dims:
        return np.take(x, i, axis)
    return np.stack([gathered(a, b, axis % x.ndim - 1, batch_dims - 1) for a, b in zip(x, i)])


ROWS = [
    Row(places.take_at, ref=taken, samples=PICKS, errors=BAD, dtypes=HALVES, exact=True),
    Row(places.last_at, ref=last, samples=PICKS, errors=BAD[:1], exact=True),
    Row(
        places.pick,
        ref=lambda x, i, kind, axis=0: np.take(x, i, axis) if kind == "parts" else taken(x, [i], (kind, axis)),
        samples=[
            S(X, np.array([2, 0, 2]), "parts"),
            S(X, np.array([[3], [-1]]), "parts", 1),
            S(X, np.array([[2, 3], [0, 0]]), "points"),
            S(normal(3, 4), np.array([[0, 1, 0], [3, 3, 3]]), "along", 1),
            S(normal(1), np.array([0, 0]), "along"),
        ],
        errors=[Bad(X, np.array([3]), "parts", error=IndexError, match="index 3")],
    ),
    Row(
        places.sum_at,
        ref=summed,
        samples=[
            S(normal(3, 4, 5), (np.array([2, 0, 2]),), ROWS_OF, (3, 4, 5)),
            S(normal(3, 3, 5), (np.array([1, -1, 1]),), MIDDLE, (3, 4, 5)),
            S(normal(2, 3, 4), (np.array([[0], [2]]), np.array([1, 1, 4])), CROSS, (3, 4, 5)),
            S(normal(3), (np.array([[0, 1], [2, 3], [0, 1]]),), POINTS, (3, 4)),
            S(normal(0, 2), (np.zeros(0, int),), ROWS_OF, (3, 2)),
            S(integers(0, 9, 3, dtype=np.int32), (np.array([1, 1, 0]),), ROWS_OF, (2,)),
        ],
        errors=[
            Bad(normal(2), (np.array([0, 3]),), ROWS_OF, (3,), error=IndexError, match="index 3"),
            Bad(normal(3), (np.array([0, 1]),), ROWS_OF, (3,), error=ValueError, match="does not fit"),
        ],
    ),
    *(row for how in ("set", "add", "sub", "mul", "div", "max", "min") for row in combination(how)),
    Row(
        write_where,
        ref=lambda x, m, v: np.where(m, v, x),
        samples=[
            S(normal(3, 4), bools(3, 4), normal(4)),
            S(normal(3, 4), bools(3, 1), 2.0),
            S(normal(3), bools(3), normal()),
            S(integers(0, 9, 3), bools(3), 7),
            S(normal(0), bools(0), 1.0),
        ],
        errors=[Bad(normal(3), bools(3), normal(2, 3), error=ValueError, match="does not fit")],
        covers=["write_where"],
    ),
    Row(
        indexing.keep_where,
        ref=lambda x, m: np.where(m, x, 0),
        samples=[
            S(normal(3, 4), bools(3, 4)),
            S(normal(3, 4), bools(3, 1)),
            S(values(np.inf, np.nan), np.array([True, False]), smooth=False),
        ],
    ),
    Row(
        indexing.drop_where,
        ref=lambda x, m: np.where(m, 0, x),
        samples=[
            S(normal(3, 4), bools(3, 4)),
            S(normal(3, 4), bools(3, 1)),
            S(values(np.inf, np.nan), np.array([True, False]), smooth=False),
        ],
    ),
    Row(
        indexing.put_where,
        ref=put_where,
        samples=[
            S(normal(3, 4), bools(3, 4), normal(12)),
            S(normal(40, 5), bools(5, 40).T, normal(200)),
            S(integers(0, 9, 4, 2), np.ones((4, 2), bool), integers(0, 9, 8)),
            S(normal(2, 3), np.zeros((2, 3), bool), normal(0)),
            S(normal(0, 3), bools(0, 3), normal(2)),
            S(normal(), np.array(True), normal(1)),
        ],
        errors=[
            Bad(normal(3), np.ones(3, bool), normal(2), error=ValueError, match="needs 3 elements, but got 2"),
            Bad(normal(3), np.array(True), normal(3), error=ValueError, match="mask of shape"),
            Bad(normal(3), np.ones(3, bool), normal(3, 1), error=ValueError, match="one axis"),
            Bad(normal(3), np.ones(3, bool), integers(0, 9, 3), error=ValueError, match="one axis of Float"),
        ],
    ),
    Row(
        indexing.take_where,
        ref=take_where,
        samples=[
            S(normal(3, 4), bools(3, 4), 12),
            S(normal(3, 4).T, np.eye(4, 3, dtype=bool), 3),
            S(integers(0, 9, 40), bools(40), 50),
            S(normal(0), bools(0), 2),
        ],
        errors=[
            Bad(normal(3), np.ones(3, bool), 2, error=RuntimeError, match="written to by another thread"),
            Bad(normal(3, 2), np.ones(2, bool), 2, error=ValueError, match="mask of shape"),
        ],
    ),
    Row(
        ops.nonzero,
        ref=lambda x, *, as_tuple=False: x.nonzero() if as_tuple else np.argwhere(x),
        samples=[
            S(bools(3, 4)),
            S(integers(0, 2, 2, 3, 2)),
            S(integers(0, 2, 9), as_tuple=True),
            S(bools(0, 2)),
            S(bools(80, 60)),
            S(bools(60, 80).T, as_tuple=True),
            S(values(0.0, -0.0, np.nan, 2.0)),
            S(np.array(True)),
            S(np.zeros((3, 3), bool)),
            S(bools(5000)),
            S(bools(70, 90)),
            S(values(0.0, np.nan, -0.0, 1e-40), smooth=False),
        ],
        grad=False,
        why="coordinates have no gradient",
        covers=["count_set", "positions_set"],
    ),
    Row(ops.argwhere, ref=np.argwhere, samples=[S(integers(0, 2, 2, 3))]),
    Row(
        ops.masked_select,
        ref=lambda x, m: np.broadcast_arrays(x, m)[0][np.broadcast_to(m, np.broadcast_shapes(x.shape, m.shape))],
        samples=[
            S(normal(3, 4), bools(3, 4)),
            S(normal(4), bools(3, 1)),
            S(normal(3), np.zeros(3, bool)),
            S(normal(0), bools(0)),
            S(normal(), np.array(True)),
        ],
        errors=[
            Bad(normal(3), integers(0, 2, 3), error=TypeError, match="bool"),
            Bad(normal(3), bools(2), error=ValueError, match="broadcast"),
        ],
    ),
    Row(
        ops.gather,
        ref=gathered,
        samples=[
            S(X, np.array([2, 0]), 0),
            S(X, np.array([[1, -1]]), 1),
            S(X, np.array(4), -1),
            S(X, np.zeros(0, int), 1),
            S(X, np.array([[0, 1], [2, 3], [1, 1]]), 1, 1),
            S(X, np.array([[0, 1], [2, 3], [1, 1]]), 2, 1),
            S(normal(2, 3, 4), integers(0, 4, 2, 3, 2), 2, 2),
        ],
        errors=[
            Bad(X, np.array([3]), 0, error=IndexError, match="index 3"),
            Bad(X, values(1.0), 0, error=TypeError, match="integers"),
            Bad(X, np.array([0]), 3, error=ValueError, match="must be in"),
            Bad(normal(), np.array([0]), 0, error=ValueError, match="0-d"),
            Bad(X, integers(0, 2, 2, 2), 1, 1, error=ValueError, match="equal lengths"),
        ],
    ),
    Row(
        ops.gather_elements,
        ref=lambda x, dim, i: taken(x, [i], ("along", dim % x.ndim)),
        samples=[
            S(X, 1, integers(0, 4, 3, 2, 5)),
            S(X, -1, integers(-5, 5, 2, 4, 9)),
            S(normal(3), 0, integers(0, 3, 5)),
        ],
        errors=[
            Bad(X, 0, integers(0, 2, 2, 2), error=ValueError, match="do not fit"),
            Bad(X, 3, integers(0, 2, 3, 4, 5), error=ValueError, match="in"),
        ],
    ),
    Row(ops.gather_d, ref=lambda x, dim, i: taken(x, [i], ("along", dim)), samples=[S(X, 1, integers(0, 4, 3, 2, 5))]),
    Row(
        ops.gather_nd,
        ref=lambda x, i: taken(x, [i], POINTS),
        samples=[S(X, np.array([[0, 1], [2, 3]])), S(X, np.array([1, 2, 3])), S(X, np.array([[[0]], [[2]]]))],
        errors=[Bad(X, np.zeros((1, 4), int), error=ValueError, match="coordinates")],
    ),
    Row(ops.take, ref=np.take, samples=[S(X, np.array([[59, 0], [-1, 7]])), S(normal(), np.array([0, 0]))]),
    Row(
        ops.index_select,
        ref=lambda x, axis, i: np.take(x, i, axis),
        samples=[S(X, 1, np.array([3, 3, 0])), S(X, -1, np.zeros(0, int))],
        errors=[Bad(X, 0, np.array([[0]]), error=ValueError, match="1-d")],
    ),
    Row(
        ops.embedding,
        ref=embedded,
        samples=[
            S(integers(0, 5, 2, 3), normal(5, 4)),
            S(np.array(2, np.int32), normal(5, 4)),
            S(np.array([-1, 4]), normal(5, 4)),
            S(np.array([0, 1]), normal(3, 2) * 5, None, 1.0, smooth=False),
            S(np.array([0, 1]), normal(3, 2) * 5, None, 1.0, 1.0, smooth=False),
            S(integers(0, 5, 0), normal(5, 4)),
            S(np.array([0, 1]), normal(3, 2), 1, smooth=False),
        ],
        errors=[
            Bad(np.array([5]), normal(5, 4), error=IndexError, match="index 5"),
            Bad(np.array([0]), normal(5), error=ValueError, match="two axes"),
            Bad(values(0.0), normal(5, 4), error=TypeError, match="integers"),
            Bad(np.array([0]), normal(5, 4), 5, error=ValueError, match="padding_idx"),
            Bad(np.array([0]), normal(5, 4), 0.5, error=TypeError, match="padding_idx"),
        ],
        covers=["lookup"],
    ),
]
