"""Rows of the op table: copies, conversions, writes into memory."""

import numpy as np
from row import Bad, Row, S, bools, integers, normal, values

from anfora import ops
from anfora.ops import copying

X = normal(3, 4)
OUTSIDE = (("reshape", (("shape", (99,)),)),)  #: of a view that is larger than what it is a view of
PATH = (("index_view", (("items", ((0, 1, 1), (0, 2, 1))),)),)
TURNED = (("transpose", (("input_perm", (1, 0)),)), ("index_view", (("items", (2, (1, 2, -1))),)))


def written(x, v, path):
    x = np.array(x)
    if path == PATH:
        x[:1, :2] = v
    else:
        x.T[2, 1::-1] = v
    return x


def copied_to(x, value):
    """`copy_to` into a copy, so that the arguments of the sample stay."""
    y = ops.copy(x)
    return copying.copy_to(y, value)


def assembled(a, b, shape, rows):
    return copying.assemble((a, b), shape, tuple((("index_view", (("items", (row,)),)),) for row in rows))


def together(a, b, shape, rows):
    out = np.zeros(shape, a.dtype)
    for part, row in zip((a, b), rows):
        start, count, step = (row, 1, 1) if isinstance(row, int) else row
        for i in range(count):
            out[start + i * step] += part if isinstance(row, int) else part[i]
    return out


ROWS = [
    Row(
        ops.copy,
        ref=np.array,
        samples=[S(X), S(normal()), S(normal(0, 2)), S(integers(-5, 5, 4, dtype=np.int8)), S(bools(5))],
        dtypes=("float16", "bfloat16", "float32", "float64"),
        exact=True,
    ),
    Row(
        ops.cast,
        ref=lambda x, t: x.astype(t),
        samples=[
            S(X, "float64"),
            S(integers(-5, 5, 4), "float32"),
            S(integers(0, 2, 5), "bool"),
            S(normal(), "float64"),
            S(normal(0, 3), "float64"),
            S(integers(-500, 500, 7), "uint8"),
            S(bools(6), "float64"),
            S(bools(6), "int16"),
            S(values(1.7, -1.7, 0.0, -0.5, 3e4), "int32", smooth=False),
            S(values(np.nan, 0.0, -0.0, np.inf), "bool", smooth=False),
            S(integers(-(2**62), 2**62, 5), "float64"),
        ],
        errors=[Bad(normal(2), "complex256", error=TypeError, match="element type")],
    ),
    Row(  # eight bits: tests/core/test_eight_bits.py
        copying.recode,
        ref=lambda x, t: x.astype(t),
        samples=[
            S(values(1.7, -1.7, np.inf, np.nan), "float64", smooth=False),
            S(integers(-5, 5, 4), "float32", smooth=False),
            S(values(1.0), "uint8", smooth=False),
        ],
        errors=[Bad(normal(2), "complex256", error=TypeError, match="element type")],
    ),
    Row(
        copied_to,
        ref=lambda x, v: np.broadcast_to(v, x.shape).astype(x.dtype),
        samples=[
            S(X, normal(3, 4)),
            S(X, normal(4)),
            S(X, 2),
            S(X, normal()),
            S(integers(0, 9, 3), values(1.5, -1.5, 2.0), smooth=False),
            S(normal(0, 2), normal(2)),
            S(normal(), normal()),
        ],
        errors=[
            Bad(X, normal(3), error=ValueError, match="cannot be broadcast"),
            Bad(normal(3), normal(2, 3), error=ValueError, match="does not fit"),
        ],
        covers=["copy_to"],
    ),
    Row(
        copying.alias,
        ref=np.array,
        samples=[S(X), S(normal()), S(normal(0))],
    ),
    Row(
        lambda x: copying.standing_for(x * 2, x + x),  # the same values twice, with the gradients of both
        ref=lambda x: 2 * x,
        grad=False,
        why="it has that of both: tests/eager/test_gradients_of_what_was_written.py",
        samples=[S(X), S(normal(0))],
        covers=["standing_for"],
    ),
    Row(
        ops.stop_gradient,
        ref=np.array,
        samples=[S(X), S(normal(0))],
        grad=False,
        why="it has none, on purpose",
    ),
    Row(ops.identity, ref=np.array, samples=[S(X)]),
    Row(
        assembled,
        ref=together,
        samples=[
            S(normal(2, 3), normal(2, 3), (4, 3), ((0, 2, 1), (2, 2, 1))),
            S(normal(3), normal(3), (4, 3), (3, 1)),
            S(normal(2, 3), normal(2, 3), (4, 3), ((0, 2, 2), (3, 2, -2))),
            S(values(-0.0, 0.0, 1.0), values(-0.0, np.nan, -1.0), (3, 3), (2, 1), smooth=False),
            S(integers(-9, 9, 2, 3), integers(-9, 9, 1, 3), (4, 3), ((1, 2, 1), (0, 1, 1))),
            S(normal(0, 3), normal(2, 3), (2, 3), ((0, 0, 1), (0, 2, 1))),
        ],
        dtypes=("float16", "bfloat16", "float64"),
        exact=True,
        covers=["assemble"],
    ),
    Row(
        copying.place,
        ref=lambda x, shape, path: written(np.zeros(shape), x, path),
        samples=[S(normal(1, 2), (3, 4), PATH), S(normal(2), (3, 4), TURNED)],
        errors=[
            Bad(normal(2, 2), (3, 4), PATH, error=ValueError, match="does not fit the view behind `path`"),
            Bad(normal(2), (3, 4), (("exp", ()),), error=ValueError, match="no view of .* behind"),
            Bad(normal(99), (3, 4), OUTSIDE, error=ValueError, match="no view of .* behind"),
        ],
    ),
    Row(
        copying.write_back,
        ref=written,
        samples=[S(X, normal(1, 2), PATH), S(X, normal(2), TURNED)],
        errors=[
            Bad(X, normal(0), (), error=ValueError, match="does not fit the view behind `path`"),
            Bad(X, normal(99), OUTSIDE, error=ValueError, match="no view of .* behind"),
        ],
    ),
]
