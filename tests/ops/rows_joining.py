"""Rows of the op table: parts to wholes and back, repeated, turned around."""

import itertools

import numpy as np
from row import Bad, Row, S, bools, integers, normal

from anfora import ops

X = normal(2, 3, 4)
HALVES = ("float16", "bfloat16", "float32", "float64")


def ref_split(x, sizes, axis=0):
    n = x.shape[axis]
    if not isinstance(sizes, (tuple, list)):
        return [np.take(x, range(i, min(i + sizes, n)), axis) for i in range(0, n, sizes)] or [x]
    ends = np.cumsum(sizes)
    return np.split(x, ends[:-1], axis)


def ref_chunk(x, chunks, axis=0):
    n = x.shape[axis]
    step = max(-(-n // chunks), 1)
    return [np.take(x, range(i, min(i + step, n)), axis) for i in range(0, n, step)] or [x] * chunks


def ref_unbind(x, axis=0):
    return [np.take(x, i, axis) for i in range(x.shape[axis])]


def ref_tile(x, dims):
    return np.tile(x, dims)


def ref_repeat(x, repeats, axis=None):
    return np.repeat(x, repeats, axis)


def ref_reversed(x, counts, seq, batch=0):
    lines = np.moveaxis(np.array(x), (batch, seq), (0, 1))
    for line, n in zip(lines, counts):
        line[:n] = line[:n][::-1].copy()
    return np.moveaxis(lines, (0, 1), (batch, seq))


ROWS = [
    Row(
        ops.concat,
        ref=np.concatenate,
        samples=[
            S([normal(2, 3), normal(1, 3)]),
            S((normal(2, 3), normal(2, 1), normal(2, 2)), 1),
            S([X, X], -1),
            S([normal(2)]),
            S([normal(0, 3), normal(2, 3)]),
            S([normal(2, 0), normal(2, 0)], 1),
            S([integers(0, 9, 2), normal(3)], 0),
            S([integers(0, 9, 2, dtype=np.int8), bools(2)]),
            S([normal(40, 30), normal(40, 30)], 1, smooth=False),
        ],
        errors=[
            Bad([], error=ValueError, match="at least one"),
            Bad([normal(), normal()], error=ValueError, match="0-d"),
            Bad([normal(2, 3), normal(2, 4)], error=ValueError, match="tensor 1 has shape"),
            Bad([normal(2, 3), normal(3)], error=ValueError, match="tensor 1 has shape"),
            Bad([normal(2)], 1, error=ValueError, match="must be in"),
            Bad(3.0, error=TypeError, match="tuple or list"),
        ],
        dtypes=HALVES,
    ),
    Row(ops.cat, ref=np.concatenate, samples=[S([normal(2, 3), normal(2, 3)], 1)]),
    Row(
        ops.stack,
        ref=np.stack,
        samples=[
            S([normal(2, 3), normal(2, 3)]),
            S((normal(2), normal(2), normal(2)), -1),
            S([normal(), normal()]),
            S([X], 2),
            S([normal(0, 2), normal(0, 2)], 1),
            S([integers(0, 9, 2), normal(2)]),
        ],
        errors=[
            Bad([], error=ValueError, match="at least one"),
            Bad([normal(2), normal(3)], error=ValueError, match="tensor 1 has shape"),
            Bad([normal(2)], 2, error=ValueError, match="must be in"),
        ],
        dtypes=HALVES,
    ),
    Row(
        ops.hstack,
        ref=np.hstack,
        samples=[S([normal(2), normal(3)]), S([normal(2, 1), normal(2, 3)]), S((normal(), normal()))],
    ),
    Row(
        ops.vstack,
        ref=np.vstack,
        samples=[S([normal(3), normal(3)]), S([normal(1, 3), normal(3)]), S([normal(), normal()])],
    ),
    Row(ops.row_stack, ref=np.vstack, samples=[S([normal(3), normal(3)])]),
    Row(
        ops.dstack,
        ref=np.dstack,
        samples=[S([normal(3), normal(3)]), S([normal(2, 3), normal(2, 3)]), S([X, X]), S([normal(), normal()])],
    ),
    Row(ops.column_stack, ref=np.column_stack, samples=[S([normal(3), normal(3, 2)]), S([normal(3), normal(3)])]),
    Row(
        ops.split,
        ref=ref_split,
        samples=[
            S(X, 2, 2),
            S(X, 3, -1),
            S(X, (1, 2), 1),
            S(X, [0, 4], 2),
            S(normal(5), 9),
            S(normal(0, 2), 2),
            S(X, 1),
        ],
        errors=[
            Bad(X, 0, error=ValueError, match="positive"),
            Bad(X, (1, 2), 0, error=ValueError, match="add up"),
            Bad(X, (3, -1), 0, error=ValueError, match="add up"),
            Bad(X, 1.5, error=TypeError, match="integers"),
            Bad(X, 1, 3, error=ValueError, match="must be in"),
        ],
    ),
    Row(
        ops.chunk,
        ref=ref_chunk,
        samples=[S(X, 2, 2), S(normal(5), 3), S(normal(5), 4), S(normal(2), 5), S(normal(0), 2)],
        errors=[Bad(X, 0, error=ValueError, match="positive"), Bad(X, 1.5, error=TypeError, match="an integer")],
    ),
    Row(
        ops.tensor_split,
        ref=lambda x, at, axis=0: np.array_split(x, at, axis),
        samples=[
            S(normal(5), 3),
            S(normal(5), (1, 3)),
            S(X, (2, -1), 2),
            S(X, 2, 1),
            S(normal(3), (2, 1, 9)),
            S(normal(2), 4),
        ],
        errors=[Bad(X, 0, error=ValueError, match="positive")],
    ),
    Row(ops.vsplit, ref=np.vsplit, samples=[S(X, 2)], errors=[Bad(normal(2), 2, error=ValueError, match="2 axes")]),
    Row(
        ops.hsplit,
        ref=np.hsplit,
        samples=[S(X, 3), S(normal(4), 2)],
        errors=[Bad(normal(), 2, error=ValueError, match="1 axes")],
    ),
    Row(ops.dsplit, ref=np.dsplit, samples=[S(X, 2)], errors=[Bad(normal(2, 2), 2, error=ValueError, match="3 axes")]),
    Row(
        ops.unbind,
        ref=ref_unbind,
        samples=[S(X), S(X, 1), S(X, -1), S(normal(3))],
        errors=[Bad(normal(), error=ValueError, match="0-d"), Bad(X, 3, error=ValueError, match="must be in")],
    ),
    Row(ops.unstack, ref=ref_unbind, samples=[S(X, 1)]),
    Row(
        ops.tile,
        ref=ref_tile,
        samples=[
            S(normal(2, 3), (2, 2)),
            S(normal(2), (3, 1, 2)),
            S(normal(2, 3), 2),
            S(normal(2, 3), (1, 1)),
            S(normal(2, 3), (0, 2)),
            S(normal(), (2, 2)),
            S(normal(0), 3),
            S(normal(2, 3), ()),
            S(normal(2), (1, 1)),
        ],
        errors=[
            Bad(normal(2), -1, error=ValueError, match="negative"),
            Bad(normal(2), 1.5, error=TypeError, match="integers"),
        ],
    ),
    Row(
        ops.repeat_interleave,
        ref=ref_repeat,
        samples=[
            S(normal(2, 3), 2),
            S(normal(2, 3), 2, 1),
            S(normal(2, 3), (1, 3), 0),
            S(normal(2, 3), [2, 0, 1], -1),
            S(normal(3), 0),
            S(normal(3), 1),
            S(normal(), 3),
            S(normal(2, 3), integers(0, 3, 3), 1),
            S(normal(0, 2), 2, 0),
        ],
        errors=[
            Bad(normal(2), -1, error=ValueError, match="negative"),
            Bad(normal(2, 3), (1, 2), 1, error=ValueError, match="3 parts"),
            Bad(normal(2), 1.5, error=TypeError, match="integers"),
            Bad(normal(2), 1, 1, error=ValueError, match="must be in"),
        ],
    ),
    Row(ops.repeat_elements, ref=ref_repeat, samples=[S(normal(2, 3), 2, 1)]),
    Row(
        ops.flip,
        ref=np.flip,
        samples=[S(X, (0,)), S(X, (0, -1)), S(X, 1), S(X, ()), S(normal(0, 2), (0, 1)), S(bools(3), 0)],
        errors=[Bad(X, (0, -3), error=ValueError, match="twice"), Bad(X, 3, error=ValueError, match="must be in")],
    ),
    Row(ops.reverse, ref=np.flip, samples=[S(X, (1, 2))]),
    Row(ops.fliplr, ref=np.fliplr, samples=[S(X)], errors=[Bad(normal(2), error=ValueError, match="two axes")]),
    Row(
        ops.flipud,
        ref=np.flipud,
        samples=[S(X), S(normal(2))],
        errors=[Bad(normal(), error=ValueError, match="one axis")],
    ),
    Row(
        ops.reverse_sequence,
        ref=ref_reversed,
        samples=[
            S(X, integers(0, 4, 2), 1),
            S(X, integers(0, 3, 4), 0, 2),
            S(X, integers(0, 5, 3), -1, 1),
            S(normal(0, 3), integers(0, 3, 0), 1),
        ],
        errors=[
            Bad(X, integers(0, 3, 2), 0, error=ValueError, match="two different axes"),
            Bad(X, integers(0, 3, 3), 1, error=ValueError, match="two different axes"),
        ],
    ),
    Row(
        ops.roll,
        ref=lambda x, shifts, dims=None: np.roll(x, shifts, dims),
        samples=[
            S(X, 1),
            S(X, -5),
            S(X, 1, 2),
            S(X, (1, -2), (0, 1)),
            S(X, (1, 1), (1, 1)),
            S(X, 12, 0),
            S(normal(0, 2), 1, 0),
            S(normal(), 1),
        ],
        errors=[
            Bad(X, (1, 2), 0, error=ValueError, match="2 `shifts`"),
            Bad(X, (1, 2), error=ValueError, match="several"),
            Bad(X, 1, 3, error=ValueError, match="must be in"),
            Bad(X, 0.5, error=TypeError, match="integers"),
        ],
    ),
    Row(
        ops.rot90,
        ref=lambda x, k=1, dims=(0, 1): np.rot90(x, k, dims),
        samples=[S(X), S(X, 2), S(X, 3, (1, 2)), S(X, -1, (-1, 0)), S(X, 4), S(normal(0, 2), 1)],
        errors=[
            Bad(X, 1, (0, 0), error=ValueError, match="different"),
            Bad(normal(2), 1, (0, 0), error=ValueError, match="different"),
        ],
    ),
    Row(
        ops.cartesian_prod,
        ref=lambda *xs: xs[0] if len(xs) == 1 else np.array(list(itertools.product(*xs))),
        samples=[S(normal(2), normal(3)), S(normal(2), normal(1), normal(2)), S(normal(3))],
        errors=[Bad(normal(2, 2), error=ValueError, match="one axis")],
    ),
    Row(
        ops.combinations,
        ref=lambda x, r=2, again=False: np.array(
            list((itertools.combinations_with_replacement if again else itertools.combinations)(x, r))
        ).reshape(-1, r),
        samples=[S(normal(4)), S(normal(3), 2, True), S(normal(4), 3), S(normal(2), 3)],
        errors=[
            Bad(normal(2, 2), error=ValueError, match="one axis"),
            Bad(normal(2), -1, error=ValueError, match="r >= 0"),
        ],
    ),
]
