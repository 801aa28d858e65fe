"""Rows of the op table: convolution. The reference correlates position by position."""

import itertools

import numpy as np
from row import Bad, Row, S, integers, normal

from anfora import ops


def _each(given, axes):
    return (given,) * axes if isinstance(given, int) else tuple(given) * (axes if len(given) == 1 else 1)


def _ends(mode, padding, sizes, windows, stride, dilation):
    if mode == "same":
        total = [
            max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0) for n, k, s, d in zip(sizes, windows, stride, dilation)
        ]
        return [(t // 2, t - t // 2) for t in total]
    axes = len(sizes)
    if isinstance(padding, tuple) and len(padding) == 2 * axes:
        return [(padding[2 * i], padding[2 * i + 1]) for i in range(axes)]
    return [(p, p) for p in _each(padding, axes)]


def _correlate(x, w, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1):
    axes = x.ndim - 2
    stride, dilation = _each(stride, axes), _each(dilation, axes)
    x = np.pad(x, [(0, 0), (0, 0), *_ends(pad_mode, padding, x.shape[2:], w.shape[2:], stride, dilation)])
    size = [(n - (k - 1) * d - 1) // s + 1 for n, k, s, d in zip(x.shape[2:], w.shape[2:], stride, dilation)]
    out = np.zeros((x.shape[0], w.shape[0], *size))
    of_group, kept = w.shape[1], w.shape[0] // groups
    for k in range(w.shape[0]):
        first = k // kept * of_group
        for at in itertools.product(*map(range, size)):
            window = tuple(
                slice(i * s, i * s + (n - 1) * d + 1, d) for i, s, d, n in zip(at, stride, dilation, w.shape[2:])
            )
            part = x[(slice(None), slice(first, first + of_group), *window)]
            out[(slice(None), k, *at)] = (part * w[k]).sum(tuple(range(1, x.ndim)))
    return out if bias is None else out + bias.reshape(-1, *(1,) * axes)


def _transposed(x, w, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """Spread each element over its window."""
    if x.ndim < w.ndim:
        return _transposed(x[None], w, bias, stride, padding, output_padding, groups, dilation)[0]
    axes = x.ndim - 2
    stride, dilation, extra = _each(stride, axes), _each(dilation, axes), _each(output_padding, axes)
    full = [(n - 1) * s + (k - 1) * d + 1 for n, k, s, d in zip(x.shape[2:], w.shape[2:], stride, dilation)]
    out = np.zeros((x.shape[0], w.shape[1] * groups, *(n + e for n, e in zip(full, extra))))
    kept = w.shape[0] // groups
    for k in range(w.shape[0]):
        first = k // kept * w.shape[1]
        for at in itertools.product(*map(range, x.shape[2:])):
            window = tuple(
                slice(i * s, i * s + (n - 1) * d + 1, d) for i, s, d, n in zip(at, stride, dilation, w.shape[2:])
            )
            values = x[(slice(None), k, *at)].reshape(-1, *(1,) * (axes + 1)) * w[k]
            out[(slice(None), slice(first, first + w.shape[1]), *window)] += values
    ends = _ends("pad", padding, full, w.shape[2:], stride, dilation)
    out = out[(..., *(slice(a, n + e - b) for (a, b), n, e in zip(ends, full, extra)))]
    return out if bias is None else out + bias.reshape(-1, *(1,) * axes)


HALVES = ("float32", "float64", "float16", "bfloat16")
TOL = {"float32": 1e-5, "float16": 1e-2, "bfloat16": 6e-2}
X, W = normal(2, 4, 5, 6), normal(6, 4, 3, 2)

ROWS = [
    Row(
        ops.conv2d,
        ref=_correlate,
        samples=[
            S(X, W),
            S(X, W, normal(6), stride=2, pad_mode="same"),
            S(X, W, stride=(2, 1), pad_mode="pad", padding=(1, 2)),
            S(X, W, pad_mode="pad", padding=(0, 1, 2, 3), dilation=(2, 1)),
            S(X, normal(6, 2, 3, 2), normal(6), groups=2),
            S(X, normal(4, 1, 1, 1), groups=4),
            S(X, normal(13, 4, 1, 1)),
            S(normal(1, 1, 5, 6), normal(2, 1, 5, 6), normal(2)),
            S(normal(0, 4, 5, 6), W),
            S(normal(1, 3, 20, 33), normal(16, 3, 3, 3), pad_mode="same", smooth=False),
        ],
        errors=[
            Bad(X, normal(6, 3, 3, 2), error=ValueError, match="made for 3 channels but `input` has 4"),
            Bad(X, normal(6, 4, 6, 2), error=ValueError, match="larger than the image"),
            Bad(X, W, normal(5), error=ValueError, match="`bias`"),
            Bad(X, W, padding=1, error=ValueError, match="must be 0 when"),
            Bad(X, W, pad_mode="full", error=ValueError, match="'same'"),
            Bad(X, W, groups=3, error=ValueError, match="divide the 4 input channels"),
            Bad(X, W, stride=0, error=ValueError, match="at least 1"),
            Bad(X, W, stride=1.5, error=TypeError, match="integers for `stride`"),
            Bad(X, W, stride=(1, 1, 1), error=ValueError, match="one integer or 2"),
            Bad(normal(4, 5, 6), W, error=ValueError, match=r"\(N, C, H, W\)"),
            Bad(integers(0, 5, 2, 4, 5, 6), W, error=TypeError, match="floating-point"),
        ],
        dtypes=HALVES,
        tol=TOL,
        covers=["conv2d_input_gradient", "conv2d_weight_gradient"],
    ),
    Row(
        ops.conv_transpose2d,
        ref=_transposed,
        samples=[
            S(normal(2, 3, 3, 4), normal(3, 2, 2, 3)),
            S(normal(2, 3, 3, 4), normal(3, 2, 2, 3), normal(2), stride=2, padding=1),
            S(normal(1, 4, 3, 4), normal(4, 3, 3, 3), normal(6), stride=(3, 2), output_padding=(2, 1), groups=2),
            S(normal(1, 2, 3, 4), normal(2, 1, 3, 3), dilation=2, padding=(0, 1, 2, 1)),
            S(normal(3, 3, 4), normal(3, 2, 2, 3), stride=2),
        ],
        errors=[
            Bad(normal(2, 3, 3, 4), normal(2, 2, 2, 3), error=ValueError, match="made for 2 channels"),
            Bad(normal(2, 3, 3, 4), normal(3, 2, 2, 3), output_padding=1, error=ValueError, match="less than `stride`"),
            Bad(normal(2, 3, 1, 1), normal(3, 2, 2, 3), padding=2, error=ValueError, match="would have the size"),
            Bad(normal(3, 4), normal(3, 2, 2, 3), error=ValueError, match=r"\(N, C, H, W\)"),
        ],
        dtypes=HALVES,
        tol=TOL,
    ),
    Row(
        ops.conv1d,
        ref=_correlate,
        samples=[
            S(normal(2, 4, 9), normal(6, 4, 3)),
            S(
                normal(2, 4, 9),
                normal(6, 2, 3),
                normal(6),
                stride=(2,),
                pad_mode="pad",
                padding=1,
                dilation=2,
                groups=2,
            ),
            S(normal(2, 4, 9), normal(6, 4, 4), pad_mode="same"),
            S(normal(2, 4, 9), normal(6, 4, 4), pad_mode="pad", padding=(2, 0)),
        ],
        errors=[Bad(normal(4, 9), normal(6, 4, 3), error=ValueError, match="3 axes")],
        tol=TOL,
    ),
    Row(
        ops.conv_transpose1d,
        ref=_transposed,
        samples=[
            S(normal(2, 3, 5), normal(3, 2, 3)),
            S(normal(2, 3, 5), normal(3, 2, 3), normal(2), stride=2, padding=1, output_padding=1),
        ],
        errors=[Bad(normal(4, 9), normal(6, 4, 3), error=ValueError, match="3 axes")],
        tol=TOL,
    ),
    Row(
        ops.conv3d,
        ref=_correlate,
        samples=[
            S(normal(1, 2, 4, 3, 4), normal(3, 2, 2, 2, 3)),
            S(normal(2, 2, 4, 3, 4), normal(2, 1, 3, 2, 2), normal(2), stride=(2, 1, 1), pad_mode="same", groups=2),
            S(normal(1, 2, 4, 3, 4), normal(3, 2, 2, 2, 2), pad_mode="pad", padding=(1, 0, 1), dilation=(2, 1, 1)),
        ],
        errors=[
            Bad(normal(1, 2, 4, 3), normal(3, 2, 2, 2, 3), error=ValueError, match="5 axes"),
            Bad(normal(1, 2, 1, 3, 4), normal(3, 2, 2, 2, 3), error=ValueError, match="larger than the volume"),
        ],
        tol=TOL,
    ),
]
