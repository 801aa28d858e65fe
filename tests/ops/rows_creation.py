"""Rows of the op table: tensors from nothing."""

import numpy as np
from row import Bad, Row, S, integers, normal, values

from anfora import ops

inf = np.inf


def scalar(value):
    return np.asarray(value).item() if np.size(value) == 1 else value


def ref_full(size, fill_value, dtype=None):
    return np.full(size, scalar(fill_value), dtype)


def ref_arange(start=0, end=None, step=1, *, dtype=None):
    start, end = (0, start) if end is None else (start, end)
    start, end, step = map(scalar, (start, end, step))
    return np.arange(start, end, step).astype(dtype or np.result_type(start, end, step))


def ref_logspace(start, end, steps, base=10, *, dtype=None):
    return base ** np.linspace(start, end, steps)


def ref_one_hot(indices, depth, on_value=1, off_value=0, axis=-1):
    hot = indices[..., None] == np.arange(depth)
    return np.moveaxis(np.where(hot, on_value, off_value), -1, axis)


def ref_grid(*inputs, indexing="xy"):
    if isinstance(inputs[0], (tuple, list)):
        inputs = inputs[0]
    return tuple(np.meshgrid(*inputs, indexing=indexing))


ROWS = [
    Row(
        ops.full,
        ref=ref_full,
        samples=[
            S((2, 3), 7.0),
            S(3, 2),
            S((), True),
            S((0, 2), 1.5),
            S([2], 2.7, "int32"),
            S((2,), 300.0, dtype="float64"),
            S((2, 2), normal()),
            S((3,), normal(1)),
            S((), normal(1, 1)),
            S((2,), integers(0, 9, 1)),
        ],
        errors=[
            Bad((-1,), 0, error=ValueError, match="negative"),
            Bad((1.5,), 0, error=TypeError, match="integers"),
            Bad((2,), normal(2), error=ValueError, match="one element"),
            Bad((2,), 0, "text", error=TypeError, match="element type"),
        ],
    ),
    Row(
        ops.zeros,
        ref=lambda size, dtype="float32": np.zeros(size, dtype),
        samples=[S((2, 3)), S(4, "int8"), S((), "bool"), S((0,))],
    ),
    Row(
        ops.ones,
        ref=lambda size, dtype="float32": np.ones(size, dtype),
        samples=[S((2, 3)), S(4, "int8"), S(()), S((2, 0))],
    ),
    Row(
        ops.empty, ref=lambda *size, dtype="float32": np.zeros(size, dtype), samples=[S(2, 3), S(2, dtype="int8"), S()]
    ),
    Row(
        ops.zeros_like,
        ref=lambda x, *, dtype=None: np.zeros_like(x, dtype),
        samples=[S(normal(2, 3)), S(integers(0, 9, 3), dtype="float32"), S(normal())],
    ),
    Row(
        ops.ones_like,
        ref=lambda x, *, dtype=None: np.ones_like(x, dtype),
        samples=[S(normal(2, 3)), S(integers(0, 9, 3, dtype=np.int8))],
    ),
    Row(ops.empty_like, ref=lambda x: np.zeros_like(x), samples=[S(normal(2, 3))]),
    Row(
        ops.full_like,
        ref=lambda x, v, *, dtype=None: np.full_like(x, scalar(v), dtype),
        samples=[S(integers(0, 2, 2, 3), 5), S(integers(0, 9, 3), 2.5, dtype="float32")],
    ),
    Row(ops.fill, ref=lambda t, s, v: np.full(s, v, t), samples=[S("float32", (2, 3), 1.5), S("int64", 2, 3)]),
    Row(ops.fills, ref=lambda x, v: np.full_like(x, v), samples=[S(integers(0, 9, 3), 7)]),
    Row(
        ops.arange,
        ref=ref_arange,
        samples=[
            S(5),
            S(2, 9, 3),
            S(9, 2, -2),
            S(0),
            S(5, 2),
            S(0.0, 1.0, 0.1),
            S(1.0, dtype="int32"),
            S(3, dtype="float32"),
            S(5, 0, -0.75),
            S(integers(3, 9)),
            S(-3, -9, -1),
            S(10, dtype="uint8"),
            S(2**53, 2**53 + 3),
            S(1000),
            S(np.int64(4)),
        ],
        errors=[
            Bad(0, 3, 0, error=ValueError, match="zero"),
            Bad(0, inf, error=ValueError, match="finite"),
            Bad("a", error=TypeError, match="number"),
        ],
    ),
    Row(
        ops.range,
        ref=ref_arange,
        samples=[S(0, 6, 2), S(3, 0, -1)],
        errors=[
            Bad(0, 10, 1, 5, error=ValueError, match="maxlen"),
            Bad(0, 1 << 50, error=ValueError, match="1125899906842624 elements are more than `maxlen`, 1000000"),
            Bad(0, 1e30, error=ValueError, match="elements are more than `maxlen`"),
            Bad(0, 4, 0, error=ValueError, match="range: `step` must not be zero"),
            Bad(0, "4", error=TypeError, match="range needs a number for `end`, but got '4'"),
            Bad(0, 4, 1, (5, 6), error=TypeError, match=r"an integer for `maxlen`, but got \(5, 6\)"),
        ],
    ),
    Row(
        ops.make_range,
        ref=lambda *a: tuple(range(*a)),
        samples=[S(3), S(2, 8, 3)],
        errors=[Bad(0, 3, 0, error=ValueError, match="zero"), Bad(0.5, error=TypeError, match="integers")],
    ),
    Row(
        ops.linspace,
        ref=lambda a, b, n: np.linspace(scalar(a), scalar(b), n),
        samples=[
            S(0, 1, 5),
            S(-1.5, 3, 8),
            S(5, 5, 3),
            S(3, -3, 1),
            S(normal(), normal(), 7),
            S(normal(1), normal(1), 4),
            S(normal(1, 1), 2.0, 3),
            S(0.1, 0.7, 300),
        ],
        errors=[
            Bad(0, 1, 0, error=ValueError, match="positive"),
            Bad(0, 1, 1.5, error=TypeError, match="an integer for `steps`, but got 1.5"),
            Bad(0, 1, [3, 4], error=TypeError, match=r"an integer for `steps`, but got \(3, 4\)"),
            Bad(normal(2), 1.0, 3, error=ValueError, match="one element"),
        ],
    ),
    Row(ops.logspace, ref=ref_logspace, samples=[S(0, 2, 3), S(-1, 1.5, 6, 2), S(3, 1, 1)]),
    Row(
        ops.eye,
        ref=lambda n, m=None, dtype=None: np.eye(n, m, dtype=dtype or "float32"),
        samples=[S(3), S(2, 4), S(4, 2, "int32"), S(0), S(3, 0), S(1), S(3, dtype="float16")],
        errors=[Bad(-1, error=ValueError, match="negative"), Bad(1.5, error=TypeError, match="integers")],
    ),
    Row(
        ops.meshgrid,
        ref=ref_grid,
        samples=[
            S(normal(2), normal(3)),
            S(normal(2), normal(3), normal(4), indexing="ij"),
            S((normal(2), normal())),
            S(normal(3)),
            S(normal(2), normal(0)),
        ],
        errors=[
            Bad(normal(2), indexing="yx", error=ValueError, match="indexing"),
            Bad(normal(2, 2), error=ValueError, match="one axis"),
        ],
    ),
    Row(
        ops.one_hot,
        ref=ref_one_hot,
        samples=[
            S(integers(0, 3, 4), 3),
            S(integers(-1, 4, 2, 3), 3, 2.5, -1.0),
            S(integers(0, 3, 2, 3), 4, axis=0),
            S(integers(0, 3), 3),
            S(integers(0, 3, 2, 3, dtype=np.int32), 3, axis=1),
            S(integers(0, 9, 3), 0),
            S(integers(0, 2, 0), 2),
            S(integers(0, 3, 3), 3, 1, 0.5),
            S(integers(0, 3, 4), 3, values(2.0)[0:1].reshape(()), 0.5, smooth=False),
            S(integers(0, 3, 4), 3, True, False),
        ],
        errors=[
            Bad(normal(2), 3, error=TypeError, match="integers"),
            Bad(integers(0, 3, 2), -1, error=ValueError, match="negative"),
            Bad(integers(0, 3, 2), 3, axis=2, error=ValueError, match="must be in"),
            Bad(integers(0, 3, 2), 3, normal(2), normal(2), error=ValueError, match="one element"),
            Bad(integers(0, 3, 2), 3, normal(), integers(0, 3), error=TypeError, match="types"),
        ],
        covers=["_one_hot"],
    ),
    Row(
        ops.sequence_mask,
        ref=lambda n, maxlen=None: np.arange(n.max() if maxlen is None else maxlen) < n[..., None],
        samples=[
            S(integers(0, 5, 4)),
            S(integers(0, 5, 2, 3), 3),
            S(integers(1, 5)),
            S(integers(0, 5, 0), 2),
            S(integers(0, 5, 3), 0),
        ],
        errors=[
            Bad(normal(2), error=TypeError, match="integers"),
            Bad(integers(0, 3, 0), error=ValueError, match="maxlen"),
            Bad(integers(0, 3, 2), -1, error=ValueError, match="negative"),
        ],
    ),
]
