"""Rows of the op table: other axes for the same elements."""

import numpy as np
from row import Bad, Row, S, integers, normal

from anfora import ops

X = normal(2, 3, 4)


def basic(x, items):
    """Items of `index_view` in numpy."""
    key = []
    for item in items:
        if isinstance(item, tuple):
            start, length, step = item
            key.append([start + i * step for i in range(length)])
        else:
            key.append(item)
    for axis, item in reversed([(i, k) for i, k in enumerate(k for k in key if k is not None)]):
        x = np.take(x, np.array(item, int), axis)
    out = [i for i, k in enumerate(k for k in key if not isinstance(k, int)) if k is None]
    for axis in out:
        x = np.expand_dims(x, axis)
    return x


def ones_among(shape, axis):
    """Those of the named axes that have length 1."""
    named = range(len(shape)) if axis is None else axis if isinstance(axis, (list, tuple)) else (axis,)
    return tuple(i for i in named if shape[i] == 1)


def flattened(x, order="C", *, start_dim=1, end_dim=-1):
    x = x.transpose() if order == "F" else x
    if x.ndim < 2:
        return x.reshape(-1)
    first, last = start_dim % x.ndim, end_dim % x.ndim
    return x.reshape(*x.shape[:first], -1, *x.shape[last + 1 :])


def strided(x, begin, end, strides, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0):
    key = []
    for i, (b, e, s) in enumerate(zip(begin, end, strides)):
        bit = 1 << i
        key.append(
            ... if ellipsis_mask & bit else None if new_axis_mask & bit else b if shrink_axis_mask & bit
            else slice(None if begin_mask & bit else b, None if end_mask & bit else e, s)
        )  # fmt: skip
    return x[tuple(key)]


ROWS = [
    Row(
        ops.reshape,
        ref=lambda x, s: np.reshape(x, s),
        samples=[
            S(normal(2, 6), (3, 4)),
            S(normal(2, 6), (-1,)),
            S(normal(4), [2, -1]),
            S(normal(0, 3), (3, 0)),
            S(normal(1), ()),
            S(normal(), (1, 1)),
            S(integers(0, 9, 2, 2, dtype=np.int8), (4,)),
            S(normal(0), (-1, 2)),
            S(normal(2, 1, 3), (1, 6, 1)),
        ],
        errors=[
            Bad(normal(2, 3), (4,), error=ValueError, match="6 elements"),
            Bad(normal(2, 3), (-1, -1), error=ValueError, match="at most one"),
            Bad(normal(2, 3), (-1, 4), error=ValueError, match="does not divide"),
            Bad(normal(0), (-1, 0), error=ValueError, match="does not divide"),
            Bad(normal(2, 3), (1.5,), error=TypeError, match="integers"),
        ],
        covers=["place"],
    ),
    Row(ops.reshape_as, ref=lambda x, y: x.reshape(y.shape), samples=[S(normal(2, 3), integers(0, 2, 3, 2))]),
    Row(ops.ravel, ref=np.ravel, samples=[S(X), S(normal()), S(normal(0, 2))]),
    Row(
        ops.flatten,
        ref=flattened,
        samples=[
            S(X),
            S(X, "F"),
            S(X, start_dim=0),
            S(X, start_dim=-2),
            S(X, start_dim=0, end_dim=1),
            S(normal(3)),
            S(normal()),
            S(normal(2, 0, 3)),
        ],
        errors=[
            Bad(X, "A", error=ValueError, match="order"),
            Bad(X, start_dim=2, end_dim=1, error=ValueError, match="stands behind"),
            Bad(X, start_dim=3, error=ValueError, match="must be in"),
        ],
    ),
    Row(
        ops.unflatten,
        ref=lambda x, dim, sizes: x.reshape(*x.shape[: dim % x.ndim], *sizes, *x.shape[dim % x.ndim + 1 :]),
        samples=[S(normal(2, 6), 1, (2, 3)), S(normal(6, 2), 0, (2, -1)), S(normal(2, 6), -1, (6,))],
        errors=[
            Bad(normal(2, 6), 1, (4, 2), error=ValueError, match="length 6"),
            Bad(normal(2), 1, (2,), error=ValueError, match="in"),
        ],
    ),
    Row(
        ops.transpose,
        ref=np.transpose,
        samples=[
            S(normal(2, 3), (1, 0)),
            S(X, (2, 0, 1)),
            S(X, (-1, 0, 1)),
            S(normal(0, 3), (1, 0)),
            S(normal(), ()),
            S(normal(3), (0,)),
            S(integers(0, 9, 2, 3, dtype=np.uint8), [1, 0]),
            S(normal(33, 70), (1, 0), smooth=False),
        ],
        errors=[
            Bad(normal(2, 3), (0, 0), error=ValueError, match="once"),
            Bad(normal(2, 3), (0,), error=ValueError, match="once"),
            Bad(normal(2), (1,), error=ValueError, match="in"),
            Bad(normal(2), (0.0,), error=TypeError, match="integers"),
        ],
    ),
    Row(ops.permute, ref=np.transpose, samples=[S(X, (2, 0, 1))]),
    Row(
        ops.swapaxes,
        ref=np.swapaxes,
        samples=[S(X, 0, 2), S(X, -1, 1), S(normal(3), 0, 0)],
        errors=[Bad(X, 0, 3, error=ValueError, match="axis1"), Bad(X, 0.5, 1, error=TypeError, match="axis0")],
    ),
    Row(ops.swapdims, ref=np.swapaxes, samples=[S(X, 0, 2)]),
    Row(
        ops.moveaxis,
        ref=np.moveaxis,
        samples=[S(X, 0, -1), S(X, (0, 1), (2, 0)), S(X, [2, -2], [-3, 1]), S(X, (), ())],
        errors=[
            Bad(X, (0, 0), (1, 2), error=ValueError, match="twice"),
            Bad(X, (0, 1), (2, -1), error=ValueError, match="twice"),
            Bad(X, (0, 1), (2,), error=ValueError, match="cannot move"),
            Bad(X, 3, 0, error=ValueError, match="source"),
        ],
    ),
    Row(ops.movedim, ref=np.moveaxis, samples=[S(X, 0, -1)]),
    Row(
        ops.broadcast_to,
        ref=lambda x, s: np.broadcast_to(
            x,
            [x.shape[i - len(s)] if n == -1 else n for i, n in enumerate(s)]
            if len(s) == x.ndim or -1 not in s
            else [*s[: len(s) - x.ndim], *(m if n == -1 else n for n, m in zip(s[len(s) - x.ndim :], x.shape))],
        ),
        samples=[
            S(normal(3), (2, 3)),
            S(normal(2, 1), (2, 4)),
            S(normal(1, 3), (2, -1)),
            S(normal(3), (2, -1)),
            S(normal(), (2, 2)),
            S(normal(1), (0,)),
            S(normal(2, 3), (2, 3)),
            S(normal(0, 1), (0, 2)),
            S(normal(), ()),
        ],
        errors=[
            Bad(normal(2), (3,), error=ValueError, match="cannot be stretched"),
            Bad(normal(2, 3), (3,), error=ValueError, match="cannot be stretched"),
            Bad(normal(2), (-1, 2), error=ValueError, match="cannot be stretched"),
            Bad(normal(2), ("a",), error=TypeError, match="integers"),
        ],
    ),
    Row(ops.expand, ref=lambda x, s: np.broadcast_to(x, (3, *x.shape)), samples=[S(normal(2), (3, -1))]),
    Row(ops.expand_as, ref=lambda x, y: np.broadcast_to(x, y.shape), samples=[S(normal(1, 2), integers(0, 2, 3, 2))]),
    Row(
        ops.sum_to,
        ref=lambda x, s: (
            x.sum(tuple(range(x.ndim - len(s))))
            .sum(tuple(i for i, n in enumerate(s) if n == 1), keepdims=True)
            .reshape(s)
        ),
        samples=[
            S(X, (3, 4)),
            S(X, (1, 4)),
            S(X, ()),
            S(X, (2, 3, 4)),
            S(normal(1, 3), (1, 3)),
            S(normal(2, 0), (1, 0)),
        ],
    ),
    Row(
        ops.expand_dims,
        ref=np.expand_dims,
        samples=[S(X, 0), S(X, -1), S(X, 2), S(normal(), 0), S(normal(0), 1)],
        errors=[Bad(X, 4, error=ValueError, match="must be in"), Bad(X, 0.5, error=TypeError, match="integer")],
    ),
    Row(ops.unsqueeze, ref=np.expand_dims, samples=[S(X, -1)]),
    Row(
        ops.squeeze,
        ref=lambda x, axis=None: np.squeeze(x, ones_among(x.shape, axis)),
        samples=[
            S(normal(1, 2, 1)),
            S(normal(1, 2, 1), 0),
            S(normal(1, 2, 1), (0, -1)),
            S(normal(1, 2, 1), [2]),
            S(normal(1, 2, 1), (0, 1)),
            S(normal(1, 2), 1),
            S(normal()),
            S(normal(2, 3)),
            S(normal(1, 0)),
        ],
        errors=[
            Bad(normal(1, 2), 2, error=ValueError, match="must be in"),
            Bad(normal(1, 2), 0.5, error=TypeError, match="integer"),
        ],
    ),
    Row(
        ops.index_view,
        ref=basic,
        samples=[
            S(X, ((0, 2, 1), 1, (3, 2, -2))),
            S(X, (1, None, (0, 3, 1), (1, 0, 1))),
            S(X, (None,)),
            S(X, ()),
            S(normal(), (None,)),
        ],
    ),
    Row(
        ops.narrow,
        ref=lambda x, axis, start, n: np.take(x, np.arange(start, start + n), axis),
        samples=[S(X, 1, 1, 2), S(X, -1, 0, 0), S(X, 2, -3, 2), S(X, 0, 2, 0)],
        errors=[
            Bad(X, 1, 2, 2, error=ValueError, match="do not fit"),
            Bad(X, 1, 4, 0, error=ValueError, match="do not fit"),
            Bad(X, 1, 0, -1, error=ValueError, match="do not fit"),
            Bad(X, 3, 0, 1, error=ValueError, match="must be in"),
        ],
    ),
    Row(
        ops.slice,
        ref=lambda x, begin, size: x[tuple(slice(b, None if s == -1 else b + s) for b, s in zip(begin, size))],
        samples=[
            S(X, (0, 1, 2), (1, 2, -1)),
            S(X, (0, 0, 0), (2, 3, 4)),
            S(X, [1, 1, 1], [1, 0, 1]),
            S(normal(), (), ()),
        ],
        errors=[
            Bad(X, (0, 0), (1, 1, 1), error=ValueError, match="3 numbers"),
            Bad(X, (0, 0, 0), (3, 1, 1), error=ValueError, match="not inside"),
            Bad(X, (-1, 0, 0), (1, 1, 1), error=ValueError, match="not inside"),
        ],
    ),
    Row(
        ops.strided_slice,
        ref=strided,
        samples=[
            S(X, (0, 1), (2, 3), (1, 1)),
            S(X, (1, 2, 3), (0, 0, 0), (-1, -1, -2)),
            S(X, (0, 0), (9, 2), (1, 1), begin_mask=1, end_mask=2),
            S(X, (0, 1), (0, 3), (1, 1), ellipsis_mask=1),
            S(X, (0, 0, 1), (1, 0, 0), (1, 1, 1), new_axis_mask=2, shrink_axis_mask=4),
            S(X, (-1,), (-9,), (-1,)),
        ],
        errors=[
            Bad(X, (0,), (1, 1), (1,), error=ValueError, match="one length"),
            Bad(X, (0,), (1,), (0,), error=ValueError, match="stride"),
            Bad(X, (0, 0), (1, 1), (1, 1), ellipsis_mask=3, error=ValueError, match="one ellipsis"),
            Bad(X, (5,), (6,), (1,), shrink_axis_mask=1, error=IndexError, match="out of bounds"),
        ],
    ),
    Row(
        ops.diagonal,
        ref=np.diagonal,
        samples=[
            S(normal(3, 4)),
            S(normal(3, 4), 1),
            S(normal(3, 4), -2),
            S(X, 0, 1, 2),
            S(X, 1, -1, 0),
            S(normal(2, 2), 5),
            S(normal(0, 3)),
        ],
        errors=[
            Bad(normal(3), error=ValueError, match="two axes"),
            Bad(X, 0, 1, 1, error=ValueError, match="same axis"),
            Bad(X, 0, 0, 3, error=ValueError, match="dim2"),
            Bad(X, 0.5, error=TypeError, match="integer"),
        ],
    ),
    Row(
        ops.atleast_1d,
        ref=lambda x: np.atleast_1d(*x) if isinstance(x, tuple) else np.atleast_1d(x),
        samples=[S(normal()), S(normal(2)), S((normal(), normal(2)))],
    ),
    Row(ops.atleast_2d, ref=np.atleast_2d, samples=[S(normal()), S(normal(2)), S(X)]),
    Row(ops.atleast_3d, ref=np.atleast_3d, samples=[S(normal()), S(normal(2)), S(normal(2, 3)), S(normal(2, 1, 2, 2))]),
    Row(
        ops.shape,
        ref=np.shape,
        samples=[S(integers(0, 9, 2, 3))],
        errors=[Bad([1, 2], error=TypeError, match="needs a tensor for `input_x`, but got list")],
    ),
    Row(ops.rank, ref=np.ndim, samples=[S(integers(0, 9, 2, 3))]),
    Row(ops.size, ref=np.size, samples=[S(integers(0, 9, 2, 3))]),
    Row(ops.numel, ref=np.size, samples=[S(normal(0, 2))]),
]
