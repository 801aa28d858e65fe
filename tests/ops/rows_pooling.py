"""Rows of the op table: pooling. The reference looks at each window in turn."""

import itertools

import numpy as np
from row import Bad, Row, S, integers, normal, positive, spread, uniform

from anfora import ops


def _each(given, axes=2):
    return (given,) * axes if isinstance(given, int) else tuple(given)


def _windows(shape, kernel, stride, padding, dilation, ceil_mode):
    """For each window of a plane or volume: where it stands in the result, and the places in it, padding included."""
    axes = len(shape)
    kernel = _each(kernel, axes)
    stride, dilation = kernel if stride is None else _each(stride, axes), _each(dilation, axes)
    if padding == "same":
        total = [
            max((-(-n // s) - 1) * s + (k - 1) * d + 1 - n, 0) for n, k, s, d in zip(shape, kernel, stride, dilation)
        ]
        ends = [(t // 2, t - t // 2) for t in total]
    elif isinstance(padding, tuple) and len(padding) == 2 * axes:
        ends = [padding[2 * i : 2 * i + 2] for i in range(axes)]
    else:
        ends = [(p, p) for p in _each(padding, axes)]
    counts = []
    for n, k, s, d, (a, b) in zip(shape, kernel, stride, dilation, ends):
        room = (n + a + b - (k - 1) * d - 1) / s
        count = int(np.ceil(room) if ceil_mode else np.floor(room)) + 1
        counts.append(count - 1 if ceil_mode and (count - 1) * s >= n + a else count)
    for at in itertools.product(*map(range, counts)):
        places = [
            [i * s - a + j * d for j in range(k) if i * s - a + j * d < n + b]
            for i, s, (a, b), d, k, n in zip(at, stride, ends, dilation, kernel, shape)
        ]
        yield at, list(itertools.product(*places))


def _fractional(x, kernel, size=None, ratio=None, return_indices=False, *, samples, order):
    """Windows that begin where the random numbers say; `order` gives the axis of each of them."""
    axes = len(order)
    shape, kernel = x.shape[-axes:], _each(kernel, axes)
    planes = x.reshape(-1, *shape)
    size = tuple(int(n * r) for n, r in zip(shape, (ratio,) * axes)) if size is None else _each(size, axes)
    out, at = np.zeros((len(planes), *size), x.dtype), np.zeros((len(planes), *size), np.int64)
    for plane, random in enumerate(np.broadcast_to(samples, (*_lead(x, axes), axes)).reshape(-1, axes)):
        starts = []
        for axis, (n, k, m) in enumerate(zip(shape, kernel, size)):
            u, step = float(random[order[axis]]), (n - k) / max(m - 1, 1)
            starts.append([int((i + u) * step) - int(u * step) for i in range(m - 1)] + [n - k])
        for place in np.ndindex(size):
            begins = [starts[axis][i] for axis, i in enumerate(place)]
            inside = list(itertools.product(*(range(b, b + k) for b, k in zip(begins, kernel))))
            best = _first_largest(planes[plane], inside)
            out[(plane, *place)], at[(plane, *place)] = planes[plane][best], np.ravel_multi_index(best, shape)
    shape = (*x.shape[:-axes], *size)
    return (out.reshape(shape), at.reshape(shape)) if return_indices else out.reshape(shape)


def _lead(x, axes):
    """(N, C) of images or volumes, with or without N."""
    return x.shape[:2] if x.ndim == axes + 2 else (1, x.shape[0])


def _inside(places, shape):
    return [place for place in places if all(0 <= i < n for i, n in zip(place, shape))]


def _pool(x, windows, of_window, dtype=None):
    windows = list(windows)
    size = tuple(n + 1 for n in windows[-1][0])
    lead = x.shape[: x.ndim - len(size)]
    out = np.zeros((*lead, *size), dtype or x.dtype)
    for at, places in windows:
        for plane in np.ndindex(lead):
            out[(*plane, *at)] = of_window(x[plane], places)
    return out


def _first_largest(plane, places):
    values = [plane[p] for p in places]
    best = next((i for i, v in enumerate(values) if np.isnan(v)), None)
    return places[int(np.argmax(values)) if best is None else best]


def _max_pool(x, kernel, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False, axes=2):
    windows = list(_windows(x.shape[-axes:], kernel, stride, padding, dilation, ceil_mode))

    def place(plane, places):
        return _first_largest(plane, _inside(places, plane.shape))

    out = _pool(x, windows, lambda plane, places: plane[place(plane, places)])
    if not return_indices:
        return out
    return out, _pool(
        x, windows, lambda plane, places: np.ravel_multi_index(place(plane, places), plane.shape), np.int64
    )


def _max_pool3d(x, kernel, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    return _max_pool(x, kernel, stride, padding, dilation, return_indices, ceil_mode, 3)


def _avg_pool(x, kernel, stride=1, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=0, axes=2):
    def mean(plane, places):
        inside = _inside(places, plane.shape)
        count = len(places) if count_include_pad and padding != "same" else len(inside)
        return sum(plane[p] for p in inside) / (divisor_override or count)

    return _pool(x, _windows(x.shape[-axes:], kernel, stride, padding, 1, ceil_mode), mean)


def _adaptive_windows(shape, size):
    size = [n if s is None else s for n, s in zip(shape, _each(size, len(shape)))]
    for at in itertools.product(*map(range, size)):
        places = [range(i * n // s, -(-(i + 1) * n // s)) for i, n, s in zip(at, shape, size)]
        yield at, list(itertools.product(*places))


def _adaptive_max(x, size, return_indices=False, axes=2):
    windows = list(_adaptive_windows(x.shape[-axes:], size))
    out = _pool(x, windows, lambda plane, places: plane[_first_largest(plane, places)])
    if not return_indices:
        return out

    def place(plane, places):
        return np.ravel_multi_index(_first_largest(plane, places), plane.shape)

    return out, _pool(x, windows, place, np.int64)


def _adaptive_avg(x, size, axes=2):
    return _pool(x, _adaptive_windows(x.shape[-axes:], size), lambda plane, places: np.mean([plane[p] for p in places]))


def _flat(function):
    """A reference for sequences, from one for planes."""

    def of_sequences(x, *args, **kwargs):
        args = [(1, a) if isinstance(a, int) and not isinstance(a, bool) else a for a in args]
        kwargs = {
            k: (1, v) if isinstance(v, int) and k in ("stride", "dilation", "kernel_size") else v
            for k, v in kwargs.items()
        }
        if "padding" in kwargs and isinstance(kwargs["padding"], int):
            kwargs["padding"] = (0, kwargs["padding"])
        result = function(x[..., None, :], *args, **kwargs)
        return tuple(r[..., 0, :] for r in result) if isinstance(result, tuple) else result[..., 0, :]

    return of_sequences


def _unpool(x, indices, size):
    lead = x.shape[: x.ndim - len(size)]
    out = np.zeros((*lead, np.prod(size)))
    for plane in np.ndindex(lead):
        out[plane][indices[plane].ravel()] = x[plane].ravel()
    return out.reshape(*lead, *size)


HALVES = ("float32", "float64", "float16", "bfloat16")
NAN = np.nan
X = spread(2, 2, 5, 6)
#: Random numbers for the planes of two examples with three channels each, by the number of axes.
SHARES = {axes: uniform(0.0, 0.99, 2, 3, axes) for axes in (2, 3)}
VOLUMES = spread(1, 2, 4, 3, 5)
BAD = [
    Bad(X, 7, error=ValueError, match="larger than the plane"),
    Bad(X, (1, 1 << 40), (1, 1 << 40), ceil_mode=True, error=ValueError, match="more than 1048576 elements"),
    Bad(X, 2, padding=2, error=ValueError, match="at most half"),
    Bad(X, 0, error=ValueError, match="at least 1"),
    Bad(X, 1.5, error=TypeError, match="integers"),
    Bad(normal(5, 6), 2, error=ValueError, match=r"\(N, C, H, W\) or \(C, H, W\)"),
]

ROWS = [
    Row(
        ops.max_pool2d,
        ref=_max_pool,
        samples=[
            S(X, 2),
            S(X, (3, 2), 1),
            S(X, 3, 2, 1),
            S(X, 3, 2, (0, 1, 1, 0), return_indices=True),
            S(X, 2, 2, 0, 2),
            S(X, 3, 2, ceil_mode=True),
            S(X, 3, 2, "same", return_indices=True),
            S(spread(2, 5, 6), 2),
            S(spread(0, 2, 4, 4), 2),
            S(integers(-9, 9, 1, 2, 5, 6, dtype=np.int32), 2, return_indices=True),
            S(np.array([[[[1.0, 1.0, NAN, 2.0], [1.0, 1.0, 3.0, NAN]]]]), 2, return_indices=True, smooth=False),
            S(np.array([[[[-0.0, 0.0, -np.inf, -np.inf]]]]), (1, 2), return_indices=True, smooth=False),
        ],
        errors=BAD,
        dtypes=HALVES,
        exact=True,
        covers=["max_pool2d_gradient"],
    ),
    Row(
        ops.max_pool1d,
        ref=_flat(_max_pool),
        samples=[
            S(spread(2, 3, 9), 3),
            S(spread(3, 9), 3, 2, padding=1),
            S(spread(2, 3, 9), 2, dilation=2, return_indices=True),
        ],
        errors=[Bad(normal(4), 2, error=ValueError, match=r"\(N, C, L\)")],
    ),
    Row(
        ops.avg_pool2d,
        ref=_avg_pool,
        samples=[
            S(X, 2),
            S(X, (3, 2), 2, 1),
            S(X, 3, 2, 1, count_include_pad=False),
            S(X, 3, 2, ceil_mode=True),
            S(X, 3, 2, 1, ceil_mode=True),
            S(X, 2, 2, divisor_override=3),
            S(X, 3, 2, "same"),
            S(X, (5, 6)),
            S(normal(2, 5, 6), 2),
            S(normal(0, 2, 4, 4), 2),
        ],
        errors=[*BAD, Bad(integers(0, 5, 1, 1, 4, 4), 2, error=TypeError, match="floating-point")],
        dtypes=HALVES,
        covers=["avg_pool2d_gradient"],
    ),
    Row(
        ops.avg_pool1d,
        ref=_flat(_avg_pool),
        samples=[S(normal(2, 3, 9), 3), S(normal(3, 9), 3, 2, padding=1)],
        errors=[Bad(normal(4), 2, error=ValueError, match=r"\(N, C, L\)")],
    ),
    Row(
        ops.max_pool3d,
        ref=_max_pool3d,
        samples=[
            S(VOLUMES, 2),
            S(VOLUMES, (3, 2, 2), (1, 2, 1), (1, 0, 1), return_indices=True),
            S(VOLUMES, 2, 2, (0, 1, 1, 0, 1, 1), 1, True, True),
            S(spread(2, 4, 3, 5), (2, 3, 3), 2, "same", return_indices=True),
            S(spread(2, 5, 3, 4), 2, 1, 0, (2, 1, 3)),
            S(np.array([[[[1.0, NAN], [2.0, 3.0]], [[NAN, 3.0], [3.0, 2.0]]]]), 2, return_indices=True, smooth=False),
            S(np.ones((1, 3, 3, 3)), 2, 1, return_indices=True, smooth=False),
            S(spread(0, 2, 4, 4, 4), 2, return_indices=True),
        ],
        errors=[
            Bad(X, 7, error=ValueError, match="larger than the plane"),
            Bad(VOLUMES, 2, padding=2, error=ValueError, match="at most half"),
            Bad(normal(5, 6, 7), 2, error=ValueError, match=r"\(N, C, D, H, W\) or \(C, D, H, W\)"),
            Bad(VOLUMES, (2, 2), error=ValueError, match="one integer or 3"),
        ],
        dtypes=HALVES,
        exact=True,
    ),
    Row(
        ops.avg_pool3d,
        ref=lambda *args, **kwargs: _avg_pool(*args, **kwargs, axes=3),
        samples=[
            S(VOLUMES, 2),
            S(VOLUMES, (3, 2, 2), (1, 2, 1), (1, 0, 1)),
            S(VOLUMES, (3, 2, 2), (1, 2, 1), (1, 0, 1), count_include_pad=False),
            S(VOLUMES, (3, 2, 3), 2, 1, True),
            S(VOLUMES, 2, 2, 0, divisor_override=3),
            S(normal(2, 4, 3, 5), (2, 3, 3), 2, "same"),
        ],
        errors=[
            Bad(normal(5, 6, 7), 2, error=ValueError, match=r"\(N, C, D, H, W\) or \(C, D, H, W\)"),
            Bad(integers(0, 5, 1, 1, 4, 4), 2, error=TypeError, match="floating-point"),
        ],
        dtypes=HALVES,
    ),
    Row(
        ops.adaptive_avg_pool3d,
        ref=lambda x, size: _adaptive_avg(x, size, 3),
        samples=[S(VOLUMES, 1), S(VOLUMES, (3, None, 2)), S(normal(2, 4, 3, 5), (5, 2, 7))],
        errors=[Bad(VOLUMES, (1, 2), error=ValueError, match="one integer or 3")],
        dtypes=HALVES,
    ),
    Row(
        ops.adaptive_max_pool3d,
        ref=lambda x, size, return_indices=False: _adaptive_max(x, size, return_indices, 3),
        samples=[S(VOLUMES, 1), S(VOLUMES, (3, None, 2), True), S(spread(2, 4, 3, 5), (5, 2, 7), True)],
        errors=[Bad(normal(1, 2, 3), 1, error=ValueError, match=r"\(N, C, D, H, W\)")],
        exact=True,
    ),
    Row(
        ops.fractional_max_pool2d,
        ref=lambda x, *args, _random_samples, **kwargs: _fractional(
            x, *args, **kwargs, samples=_random_samples, order=(1, 0)
        ),
        samples=[
            S(spread(2, 3, 7, 9), (2, 3), (3, 4), return_indices=True, _random_samples=SHARES[2]),
            S(spread(2, 3, 5, 5), 2, 2, _random_samples=SHARES[2]),
            S(spread(3, 5, 6), 3, None, 0.5, _random_samples=SHARES[2][:1]),
            S(spread(2, 3, 4, 4), 1, (1, 4), _random_samples=SHARES[2][1:]),
            S(np.full((1, 3, 4, 4), np.nan), 2, 2, return_indices=True, _random_samples=SHARES[2][:1], smooth=False),
        ],
        errors=[
            Bad(normal(1, 3, 4, 4), 2, error=ValueError, match="needs `output_size` or `output_ratio`"),
            Bad(normal(1, 3, 4, 4), 2, 4, error=ValueError, match="do not fit into"),
            Bad(normal(1, 3, 4, 4), 2, None, 1.5, error=ValueError, match=r"floats in \(0, 1\)"),
            Bad(normal(3, 4), 2, 1, error=TypeError, match="3 or 4 axes"),
            Bad(integers(0, 9, 1, 3, 4, 4), 2, 1, error=TypeError, match="a floating tensor"),
            Bad(normal(1, 3, 4, 4), 2, 2, _random_samples=SHARES[2], error=ValueError, match="of shape"),
        ],
        exact=True,
    ),
    Row(
        ops.fractional_max_pool3d,
        ref=lambda x, *args, _random_samples, **kwargs: _fractional(
            x, *args, **kwargs, samples=_random_samples, order=(0, 1, 2)
        ),
        samples=[
            S(spread(2, 3, 4, 5, 3), (2, 3, 1), (2, 3, 2), return_indices=True, _random_samples=SHARES[3]),
            S(spread(3, 2, 4, 4), 1, None, 0.5, _random_samples=SHARES[3][:1]),
        ],
        errors=[Bad(normal(1, 3, 4), 2, 1, error=TypeError, match="4 or 5 axes")],
        exact=True,
    ),
    Row(
        ops.max_unpool3d,
        ref=lambda x, i, k: _unpool(x, i, (2, 2, 4)),
        samples=[S(normal(1, 2, 1, 1, 2), np.array([[[[[0, 15]]], [[[7, 2]]]]]), 2)],
        errors=[Bad(normal(2, 2, 2), np.zeros((2, 2, 2), np.int64), 2, error=ValueError, match="D, H, W")],
    ),
    Row(
        ops.lp_pool2d,
        ref=lambda x, p, k, s=None: (_avg_pool(x**p, k, k if s is None else s, divisor_override=1)) ** (1 / p),
        samples=[S(positive(1, 2, 4, 5), 2, 2), S(positive(2, 4, 5), 3.0, (2, 3), 1)],
        errors=[Bad(positive(1, 2, 4, 4), 0, 2, error=ValueError, match="must not be 0")],
        tol={"float32": 1e-5},
    ),
    Row(
        ops.lp_pool1d,
        ref=lambda x, p, k: _avg_pool((x**p)[..., None, :], (1, k), (1, k), divisor_override=1)[..., 0, :] ** (1 / p),
        samples=[S(positive(2, 3, 6), 2, 2)],
        tol={"float32": 1e-5},
    ),
    Row(
        ops.adaptive_avg_pool2d,
        ref=_adaptive_avg,
        samples=[S(X, 1), S(X, (2, 4)), S(X, (None, 3)), S(X, (7, 9)), S(normal(2, 5, 6), 2), S(normal(0, 2, 4, 4), 2)],
        errors=[
            Bad(X, (1, 2, 3), error=ValueError, match="one integer or 2"),
            Bad(integers(0, 5, 1, 1, 4, 4), 2, error=TypeError, match="floating-point"),
        ],
        dtypes=HALVES,
        covers=["adaptive_avg_pool2d_gradient"],
    ),
    Row(
        ops.adaptive_max_pool2d,
        ref=_adaptive_max,
        samples=[S(X, 1), S(X, (2, 4)), S(X, (None, 3), True), S(X, (7, 9), True), S(spread(2, 5, 6), 2)],
        errors=[
            Bad(X, (1, 2, 3), error=ValueError, match="one integer or 2"),
            Bad(normal(1, 2, 0, 3), 1, error=ValueError, match="empty"),
        ],
        dtypes=HALVES,
        exact=True,
        covers=["adaptive_max_pool2d_gradient"],
    ),
    Row(ops.adaptive_avg_pool1d, ref=_flat(_adaptive_avg), samples=[S(normal(2, 3, 9), 4), S(normal(3, 9), 2)]),
    Row(ops.adaptive_max_pool1d, ref=_flat(_adaptive_max), samples=[S(spread(2, 3, 9), 4), S(spread(3, 9), 2)]),
    Row(
        ops.max_unpool2d,
        ref=lambda x, i, k, s=None, p=0, output_size=None: _unpool(x, i, (5, 6) if output_size else (4, 4)),
        samples=[
            S(normal(2, 1, 2, 2), np.array([[[[0, 3], [9, 15]]], [[[5, 7], [8, 14]]]]), 2),
            S(normal(1, 2, 2), np.array([[[0, 3], [9, 29]]]), 2, output_size=(5, 6)),
        ],
        errors=[
            Bad(normal(1, 1, 2, 2), np.array([[[[0, 3], [9, 16]]]]), 2, error=IndexError, match="16"),
            Bad(normal(1, 1, 2, 2), np.array([[[0, 3], [9, 15]]]), 2, error=ValueError, match="must have the shape"),
        ],
    ),
    Row(
        ops.max_unpool1d,
        ref=lambda x, i, k: _unpool(x[..., None, :], i, (1, 4))[..., 0, :],
        samples=[S(normal(1, 2, 2), np.array([[[0, 3], [1, 2]]]), 2)],
    ),
]
