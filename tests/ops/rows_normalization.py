"""Rows of the op table: normalisation."""

import numpy as np
from row import Bad, Row, S, integers, normal, positive, values

from anfora import Tensor, ops
from anfora.ops import normalization


def _normalised(x, axes, eps):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


def _layer_norm(x, shape, weight=None, bias=None, eps=1e-5):
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    y = _normalised(x, tuple(range(-len(shape), 0)), eps)
    return y * (1 if weight is None else weight) + (0 if bias is None else bias)


def _rms_norm(x, gamma, epsilon=1e-6):
    r = 1 / np.sqrt((x * x).mean(tuple(range(-gamma.ndim, 0)), keepdims=True) + epsilon)
    return x * r * gamma, r


def _by_channel(v, x):
    return v.reshape(-1, *(1,) * (x.ndim - 2))


def _affine(y, weight, bias):
    y = y if weight is None else y * _by_channel(weight, y)
    return y if bias is None else y + _by_channel(bias, y)


def _channel_norm(x, weight, bias, groups, eps):
    if groups == 0:
        axes = (0, *range(2, x.ndim))
        mean, variance, y = x.mean(axes), x.var(axes), _normalised(x, axes, eps)
    else:
        cells = x.reshape(x.shape[0], groups, -1)
        mean, variance, y = cells.mean(2), cells.var(2), _normalised(cells, 2, eps).reshape(x.shape)
    return _affine(y, weight, bias), mean, variance


def _batch_norm(x, mean, var, weight, bias, training=False, momentum=0.1, eps=1e-5):
    if training:
        return _channel_norm(x, weight, bias, 0, eps)[0]
    mean, var = np.asarray(mean, x.dtype), np.asarray(var, x.dtype)
    return _affine((x - _by_channel(mean, x)) / np.sqrt(_by_channel(var, x) + eps), weight, bias)


#: Running moments: they are counted and not learned, so rows have them as attributes.
MEAN, VARIANCE = (0.3, -1.2, 0.5), (0.7, 1.9, 0.2)


def batch_norm_by_moments(x, mean, var, weight, bias, *args, **kwargs):
    mean, var = (m if type(m) is not tuple else Tensor(m, x.dtype) for m in (mean, var))
    return ops.batch_norm(x, mean, var, weight, bias, *args, **kwargs)


def _with(x, mean, var, weight, bias, eps):
    return _batch_norm(x, mean, var, weight, bias, eps=eps)


def _lrn(x, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5):
    out = np.zeros_like(x)
    for c in range(x.shape[1]):
        near = x[:, max(0, c - depth_radius) : c + depth_radius + 1]
        out[:, c] = x[:, c] / (bias + alpha * (near * near).sum(1)) ** beta
    return out


HALVES = ("float32", "float64", "float16", "bfloat16")
TOL = {"float32": 4e-6, "float16": 8e-3, "bfloat16": 6e-2}

ROWS = [
    Row(
        ops.layer_norm,
        ref=_layer_norm,
        samples=[
            S(normal(3, 5), 5),
            S(normal(3, 5), (5,), normal(5), normal(5)),
            S(normal(2, 3, 4), (3, 4), normal(3, 4)),
            S(normal(2, 9), [9], None, normal(9), eps=0.1),
            S(normal(70, 3), (3,), normal(3), normal(3)),  # several blocks of rows
            S(normal(4), (4,), normal(4), normal(4)),
            S(normal(0, 4), (4,), normal(4), normal(4)),
            S(np.array([[1.0, 1.0, 1.0], [np.inf, 0.0, 1.0], [np.nan, 0.0, 1.0]]), 3, smooth=False),
        ],
        errors=[
            Bad(normal(3, 5), 3, error=ValueError, match="do not have the lengths"),
            Bad(normal(3, 5), 5, normal(4), error=ValueError, match="of shape"),
            Bad(integers(0, 5, 3), 3, error=TypeError, match="floating-point"),
            Bad(normal(3), (), error=ValueError, match="lengths"),
        ],
        dtypes=HALVES,
        tol=TOL,
        covers=["layer_norm_gradient"],
    ),
    Row(
        ops.rms_norm,
        ref=_rms_norm,
        samples=[
            S(normal(3, 5), normal(5)),
            S(normal(2, 3, 4), normal(3, 4), 0.1),
            S(normal(40, 3), normal(3)),
            S(normal(4), normal(4)),
            S(normal(0, 4), normal(4)),
        ],
        errors=[
            Bad(normal(3, 5), normal(3), error=ValueError, match="shape of `gamma`"),
            Bad(normal(3, 5), integers(0, 2, 5), error=TypeError, match="floating-point"),
        ],
        dtypes=HALVES,
        tol=TOL,
        covers=["rms_norm_gradient"],
    ),
    Row(
        normalization.channel_norm,
        ref=_channel_norm,
        samples=[
            S(normal(3, 2), normal(2), normal(2), 0, 1e-5),  # channels that are columns, copied together
            S(normal(4, 10), normal(10), normal(10), 0, 1e-5),
            S(normal(4, 10), None, normal(10), 0, 0.1),
            S(normal(4, 10), normal(10), None, 0, 1e-5),
            S(normal(3, 2, 5), normal(2), normal(2), 0, 1e-5),  # short runs
            S(normal(2, 3, 4, 4), normal(3), normal(3), 0, 1e-5),  # runs that share a block
            S(normal(2, 3, 17), None, None, 0, 1e-5),
            S(normal(2, 3, 17), normal(3), None, 0, 1e-5),
            S(normal(2, 4, 3), normal(4), normal(4), 2, 1e-5),
            S(normal(2, 4, 1), normal(4), normal(4), 1, 1e-5),
            S(normal(2, 3, 3, 2), None, normal(3), 3, 0.1),
            S(normal(1, 2, 17), None, None, 1, 1e-5),
            S(1e3 + normal(2, 3, 5000), normal(3), normal(3), 0, 1e-5, smooth=False),  # several blocks a run
            S(1e3 + normal(2, 4, 5000), normal(4), normal(4), 2, 1e-5, smooth=False),
            S(1e3 + normal(2, 9, 5000), normal(9), normal(9), 0, 1e-5, smooth=False),
        ],
        dtypes=HALVES,
        tol={"float32": 1e-4, "float16": 1e-2, "bfloat16": 1e-1},
        covers=["channel_norm_gradient"],
    ),
    Row(
        batch_norm_by_moments,
        ref=_batch_norm,
        samples=[
            S(normal(4, 3), MEAN, VARIANCE, normal(3), normal(3)),
            S(normal(4, 3, 5), MEAN, VARIANCE, None, None),
            S(normal(2, 3, 2, 9), MEAN, VARIANCE, normal(3), None, eps=0.1),
            S(normal(2, 3, 2, 9), MEAN, VARIANCE, None, normal(3)),
            S(normal(4, 3), None, None, normal(3), normal(3), training=True),
            S(normal(0, 3, 2), MEAN, VARIANCE, normal(3), normal(3)),
        ],
        errors=[
            Bad(normal(4, 3), normal(2), positive(3), None, None, error=ValueError, match="running_mean"),
            Bad(normal(4, 3), None, None, None, None, error=ValueError, match="unless it is training"),
            Bad(normal(4), None, None, None, None, True, error=ValueError, match="2 axes"),
            Bad(integers(0, 3, 4, 3), None, None, None, None, True, error=TypeError, match="floating"),
        ],
        dtypes=HALVES,
        tol={"float16": 8e-3, "bfloat16": 1e-1},
        covers=["norm_with", "batch_norm"],
    ),
    Row(
        ops.group_norm,
        ref=lambda x, n, w=None, b=None, eps=1e-5: _channel_norm(x, w, b, n, eps)[0],
        samples=[S(normal(2, 4, 3), 2, normal(4), normal(4)), S(normal(2, 4), 1)],
        errors=[
            Bad(normal(2, 4, 3), 3, error=ValueError, match="divide"),
            Bad(normal(2, 4, 3), 2, normal(3), error=ValueError, match="of shape"),
        ],
        tol=TOL,
    ),
    Row(
        ops.instance_norm,
        ref=lambda x, w=None, b=None, eps=1e-5: _channel_norm(x, w, b, x.shape[1], eps)[0],
        samples=[S(normal(2, 3, 5), normal(3), normal(3)), S(normal(2, 3, 2, 2))],
        tol=TOL,
    ),
    Row(
        ops.l2_normalize,
        ref=lambda x, axis=0, epsilon=1e-4: x / np.sqrt(np.maximum((x * x).sum(axis, keepdims=True), epsilon)),
        samples=[
            S(normal(3, 4)),
            S(normal(2, 3, 4), -1, 1e-12),
            S(normal(2, 3, 4), (0, 2), 100.0),
            S(np.zeros((2, 3)), smooth=False),
            S(values(3e3, 4e3), smooth=False),  # squares that float16 cannot hold
        ],
        errors=[
            Bad(integers(0, 3, 4, 3), error=TypeError, match="floating"),
            Bad(normal(3), 1, error=ValueError, match="axis"),
        ],
        dtypes=HALVES,
        tol=TOL,
    ),
    Row(
        ops.lrn,
        ref=_lrn,
        samples=[
            S(np.array([[[[0.1], [0.2]], [[0.3], [0.4]]]])),
            S(normal(2, 5, 2, 3), 1, 2.0, 0.5, 0.75),
            S(normal(1, 3, 2, 2), 0),
            S(normal(1, 3, 2, 2), 2**31),
            S(normal(0, 3, 2, 2)),
        ],
        errors=[
            Bad(normal(1, 3, 2), error=ValueError, match=r"\(N, C, H, W\)"),
            Bad(normal(1, 3, 2, 2), norm_region="WITHIN", error=ValueError, match="ACROSS_CHANNELS"),
            Bad(normal(1, 3, 2, 2), -1, error=ValueError, match="at least 0"),
        ],
        dtypes=HALVES,
        tol=TOL,
    ),
    Row(
        normalization.move_average,
        ref=lambda a, v, keep, take: keep * a + take * v,
        samples=[S(normal(5), normal(5), 0.9, 0.1)],
        grad=False,
        strided=False,
        why="it writes in place; running statistics have no gradient",
    ),
]
