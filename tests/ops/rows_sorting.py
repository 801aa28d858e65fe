"""Rows of the op table: sorting, choosing by rank, searching, counting."""

import numpy as np
from row import Bad, Row, S, bools, integers, normal, spread, values

from anfora import ops

inf, nan = np.inf, np.nan
HALVES = ("float16", "bfloat16", "float32", "float64")
SPECIAL = values(2.0, nan, -inf, 0.0, -0.0, inf, nan, -1.0, 2.0, 0.0)
FIXED = "positions and counts have no gradient"


def order(x, axis, descending=False):
    """A stable permutation: Python's sort of (key, position), NaN largest, zeros equal."""
    if not x.ndim:
        return np.array(0)
    lines = np.moveaxis(x, axis, -1)
    result = np.zeros(lines.shape, np.int64)
    for index in np.ndindex(lines.shape[:-1]):
        line = [(np.isnan(v), 0 if np.isnan(v) else v) for v in lines[index].tolist()]
        ranks = {key: i for i, key in enumerate(sorted(set(line), reverse=descending))}
        result[index] = sorted(range(len(line)), key=lambda i: ranks[line[i]])
    return np.moveaxis(result, -1, axis)


def taken(x, positions, axis):
    return np.take_along_axis(x, positions, axis) if x.ndim else x


def ref_sort(x, axis=-1, descending=False):
    positions = order(x, axis, descending)
    return taken(x, positions, axis), positions


def ref_topk(x, k, dim=None, largest=True, sorted=True):
    dim = -1 if dim is None else dim
    positions = order(x, dim, largest)
    positions = np.take(positions, range(k), dim) if x.ndim else positions
    return taken(x, positions, dim), positions


def ref_rank(rank):
    def ref(x, axis=-1, keep=False):
        if not x.ndim:
            return x, np.array(0)
        positions = np.moveaxis(order(x, axis), axis, -1)
        lines = np.moveaxis(x, axis, -1)
        which = np.zeros(lines.shape[:-1], np.int64)
        for index in np.ndindex(which.shape):
            which[index] = positions[index][rank(lines[index])]
        which = np.expand_dims(which, axis)
        result = np.take_along_axis(x, which, axis)
        return (result, which) if keep else (result.squeeze(axis), which.squeeze(axis))

    return ref


def middle(line):
    numbers = len(line) - np.isnan(line).sum()
    return (len(line) - 1) // 2 if numbers == len(line) else numbers


def nan_middle(line):
    return max(len(line) - np.isnan(line).sum() - 1, 0) // 2


def ref_search(edges, values, out_int32=False, right=False, side=None, sorter=None):
    edges, values = np.asarray(edges), np.asarray(values)
    if sorter is not None:
        edges = np.take_along_axis(edges, sorter, -1)
    side = "right" if right or side == "right" else "left"
    if edges.ndim == 1:
        return np.searchsorted(edges, values, side)
    result = np.zeros(values.shape, np.int64)
    for index in np.ndindex(edges.shape[:-1]):
        result[index] = np.searchsorted(edges[index], values[index], side)
    return result


def ref_unique(x):
    flat = x.reshape(-1).tolist()
    kinds = {}
    numbers = [kinds.setdefault("nan" if v != v else v, len(kinds)) for v in flat]
    first = [numbers.index(i) for i in range(len(kinds))]
    return x.reshape(-1)[first], np.array(numbers, np.int64).reshape(x.shape)


def ref_consecutive(x, return_inverse=False, return_counts=False, dim=None):
    axis = 0 if dim is None else dim
    parts = list(x.reshape(-1)) if dim is None else list(np.moveaxis(x, dim, 0))
    runs = []
    kept, counts = [], []
    for part in parts:
        if kept and np.array_equal(kept[-1], part):
            counts[-1] += 1
        else:
            kept.append(part)
            counts.append(1)
        runs.append(len(kept) - 1)
    kept = np.array(kept).reshape(-1) if dim is None else np.moveaxis(np.array(kept), 0, axis)
    runs = np.array(runs, np.int64).reshape(x.shape if dim is None else -1)
    results = [kept] + [runs] * return_inverse + [np.array(counts, np.int64)] * return_counts
    return results[0] if len(results) == 1 else tuple(results)


ODD = [
    S(SPECIAL, smooth=False),
    S(integers(0, 4, 5, 60), 1),
    S(integers(0, 4, 60, 3, dtype=np.int8), 0),
    S(integers(0, 250, 90, dtype=np.uint8)),
    S(integers(-(2**62), 2**62, 90)),
    S(integers(0, 2**31, 90, dtype=np.uint32)),
    S(values(0.0, -0.0, 0.0), smooth=False),
    S(bools(70)),
    S(normal(0, 3), 0, smooth=False),
    S(normal(3, 0), smooth=False),
]
AXES = [
    S(spread(7)),
    S(spread(3, 4)),
    S(spread(4, 3), 0),
    S(spread(2, 3, 4), 1),
    S(spread()),
    S(spread(1), 0),
    S(spread(3, 200), 1, smooth=False),
]
WRONG = [
    Bad(normal(3), 1, error=ValueError, match="must be in"),
    Bad(normal(3), None, error=TypeError, match="integer"),
]


def _histogram(x, bins=100, low=0.0, high=0.0):
    x = x[~np.isnan(x)]
    if low == high and x.size:
        low, high = x.min(), x.max()
    if low == high:
        low, high = low - 1, high + 1
    return np.histogram(x, bins, (low, high))[0]


ROWS = [
    Row(
        ops.sort,
        ref=ref_sort,
        samples=[
            *AXES,
            *ODD,
            S(spread(3, 4), 0, True),
            S(SPECIAL, 0, descending=True, smooth=False),
            S(integers(0, 4, 60), 0, True),
            S(integers(0, 9, 60, dtype=np.uint16), 0, True),
            S(bools(9), 0, True),
        ],
        errors=WRONG,
        dtypes=HALVES,
        exact=True,
    ),
    Row(
        ops.argsort,
        ref=lambda x, axis=-1, descending=False: order(x, axis, descending),
        samples=[*AXES, *ODD, S(spread(3, 4), 0, True)],
        errors=WRONG,
        grad=False,
        why=FIXED,
    ),
    Row(ops.msort, ref=lambda x: ref_sort(x, 0)[0], samples=[S(spread(4, 3))]),
    Row(
        ops.topk,
        ref=ref_topk,
        samples=[
            S(spread(7), 3),
            S(spread(7), 7),
            S(spread(3, 6), 2, 1, False),
            S(spread(6, 3), 2, 0),
            S(spread(2, 6, 3), 1, dim=1, sorted=False),
            S(spread(), 1),
            S(SPECIAL, 5, smooth=False),
            S(SPECIAL, 2, largest=False, smooth=False),
            S(SPECIAL, 1, smooth=False),
            S(integers(0, 9, 5, 300), 10),
            S(integers(0, 9, 300, 5, dtype=np.int8), 10, 0, False),
            S(integers(-(2**62), 2**62, 300), 10),
            S(integers(0, 2**16, 300, dtype=np.uint16), 70),
            S(normal(3, 900), 65, smooth=False),
            S(normal(2, 900), 64, smooth=False),
            S(normal(3, 4), 0, smooth=False),
            S(normal(0, 4), 2, smooth=False),
        ],
        errors=[
            Bad(normal(3), 4, error=ValueError, match="`k` must be in"),
            Bad(normal(3), -1, error=ValueError, match="`k` must be in"),
            Bad(normal(3), 1.0, error=TypeError, match="integer"),
            Bad(normal(3), 1, 1, error=ValueError, match="must be in"),
        ],
        dtypes=HALVES,
        exact=True,
    ),
    *(
        Row(
            op,
            ref=ref_rank(rank),
            samples=[
                S(spread(7)),
                S(spread(4, 3), 0),
                S(spread(2, 3, 4), 1, True),
                S(spread()),
                S(SPECIAL, smooth=False),
                S(values(nan, nan), smooth=False),
                S(values(3.0, nan, 1.0), smooth=False),
                S(integers(0, 9, 5, 60)),
                S(integers(0, 9, 5, 60, dtype=np.uint8), 0),
            ],
            errors=[*WRONG, Bad(normal(0, 3), 0, error=ValueError, match="length 0")],
            dtypes=HALVES,
            exact=True,
            covers=["ranked"],
        )
        for op, rank in ((ops.median, middle), (ops.nanmedian, nan_middle))
    ),
    Row(
        ops.kthvalue,
        ref=lambda x, k, dim=-1, keep=False: ref_rank(lambda line: k - 1)(x, dim, keep),
        samples=[
            S(spread(7), 1),
            S(spread(7), 7),
            S(spread(4, 3), 2, 0, True),
            S(SPECIAL, 9, smooth=False),
            S(normal(200), 100, smooth=False),
            S(spread(), 1),
        ],
        errors=[
            Bad(normal(3), 0, error=ValueError, match="`k` must be in"),
            Bad(normal(3), 4, error=ValueError, match="`k` must be in"),
            Bad(normal(3), 0.5, error=TypeError, match="integer"),
        ],
        exact=True,
    ),
    Row(
        ops.searchsorted,
        ref=ref_search,
        samples=[
            S(values(1.0, 3.0, 3.0, 5.0), values(0.0, 1.0, 3.0, 4.0, 6.0, nan, -inf)),
            S(values(1.0, 3.0, 3.0, inf, nan), values(3.0, nan, inf, 5.0), right=True),
            S(values(1.0, 3.0, 5.0), 3.0, side="right"),
            S(integers(0, 1, 4), integers(-1, 2, 3, 4), out_int32=True),
            S(np.sort(normal(2, 3, 9)), normal(2, 3, 4)),
            S(values(5.0, 1.0, 3.0), values(2.0, 4.0), sorter=np.array([1, 2, 0])),
            S(normal(0), normal(3)),
            S(normal(3), normal(0)),
            S(np.sort(normal(3000)), normal(3000)),
            S(np.array([False, True]), np.array([True, False])),
        ],
        errors=[
            Bad(normal(2, 3), normal(3, 4), error=ValueError, match="one for each row"),
            Bad(normal(), normal(3), error=ValueError, match="one sorted row"),
            Bad(normal(3), normal(3), side="middle", error=ValueError, match="side"),
            Bad(normal(3), normal(3), right=True, side="left", error=ValueError, match="side"),
        ],
        dtypes=HALVES,
        grad=False,
        why=FIXED,
        covers=["search_rows"],
    ),
    Row(
        ops.bucketize,
        ref=lambda x, edges, right=False: np.searchsorted(np.asarray(edges), x, "right" if right else "left"),
        samples=[S(values(1.0, 3.0, 4.0, 9.0), [3.0, 5.0]), S(integers(0, 9, 5), [3, 5], right=True)],
        grad=False,
        why=FIXED,
    ),
    Row(
        ops.bincount,
        ref=lambda x, w=None, minlength=0: np.bincount(x, w, minlength),
        samples=[
            S(integers(0, 9, 50)),
            S(integers(0, 9, 50, dtype=np.uint8), minlength=20),
            S(integers(0, 5, 8), normal(8)),
            S(integers(0, 5, 8), normal(8), 9),
            S(integers(0, 5, 8), integers(0, 9, 8)),
            S(integers(0, 5, 0)),
            S(integers(0, 5, 0), normal(0), 3),
        ],
        errors=[
            Bad(np.array([1, -2]), error=ValueError, match="-2 at 1"),
            Bad(np.array([1, 2]), normal(3), error=ValueError, match="3 weights"),
            Bad(np.array([1, 2]), minlength=-1, error=ValueError, match="minlength"),
            Bad(np.array([[1, 2]]), error=ValueError, match="one axis"),
            Bad(normal(3), error=TypeError, match="integers"),
        ],
        covers=["count_equal"],
    ),
    Row(
        ops.histc,
        ref=_histogram,
        samples=[
            S(normal(200), 10, -1.0, 1.5),
            S(normal(20, 10), 7),
            S(values(0.0, 0.1, 0.2, 0.3, 0.7, 1.0, 1.1, nan), 10, 0.0, 1.0),
            S(integers(0, 9, 50), 4, 1, 7),
            S(integers(0, 9, 50, dtype=np.int32), 3),
            S(values(2.0, 2.0), 4),
            S(normal(0), 3),
            S(normal(30)),
        ],
        errors=[
            Bad(normal(3), 0, error=ValueError, match="bins"),
            Bad(normal(3), 3, 2.0, 1.0, error=ValueError, match="min <= max"),
            Bad(values(inf, 1.0), 3, error=ValueError, match="finite"),
        ],
        grad=False,
        why=FIXED,
        covers=["count_between"],
    ),
    Row(
        ops.unique,
        ref=ref_unique,
        samples=[
            S(values(3.0, 1.0, 3.0, 2.0, 1.0), smooth=False),
            S(spread(2, 3)),
            S(integers(0, 5, 4, 6)),
            S(integers(0, 5, 30, dtype=np.int8)),
            S(values(nan, 1.0, nan), smooth=False),
            S(normal(0)),
            S(normal()),
        ],
        covers=["number_kinds"],
    ),
    Row(
        ops.unique_consecutive,
        ref=ref_consecutive,
        samples=[
            S(values(1.0, 1.0, 2.0, 1.0), smooth=False),
            S(spread(5)),
            S(integers(0, 2, 4, 6), True, True),
            S(np.repeat(integers(0, 2, 6, 2), 2, 0), True, True, 0),
            S(np.repeat(normal(2, 3), 2, 1), return_counts=True, dim=1, smooth=False),
            S(SPECIAL, True, True, smooth=False),
            S(np.stack([SPECIAL, SPECIAL], 1), True, True, 0, smooth=False),
            S(np.repeat(integers(0, 9, 3000), 2), True, True),
            S(bools(3, 7).T, True, True),
            S(np.zeros((3, 0)), True, True, 0, smooth=False),
            S(integers(0, 2, 0), True, True),
            S(normal(1)),
        ],
        errors=[Bad(normal(3), dim=1, error=ValueError, match="must be in")],
        covers=["number_runs"],
    ),
    *(
        Row(
            op,
            ref=lambda x, q, axis=None, keepdims=False, ref=ref: ref(x, q, axis, keepdims=keepdims),
            samples=[
                S(spread(5), 0.3),
                S(spread(3, 4), 0.5),
                S(spread(3, 4), 0.0, 0),
                S(spread(3, 4), 0.7, -1, True),
                S(spread(2, 3, 4), 0.9, 1),
                S(spread(6), np.array([0.0, 0.25, 1.0], np.float32), smooth=False),
                S(spread(3, 4), np.array([0.125, 0.625], np.float32), 1, True, smooth=False),
                S(spread(2, 2), 0.5, keepdims=True),
                S(spread(), 0.5),
                S(values(1.0, nan, 3.0, 2.0), 0.4, smooth=False),
                S(values(2.0, 2.0, 5.0, inf), 0.5, smooth=False),
                S(normal(0, 3), 0.5, 1, smooth=False),
            ],
            errors=[
                Bad(spread(3), 1.5, error=ValueError, match=r"in \[0, 1\]"),
                Bad(spread(3), nan, error=ValueError, match=r"in \[0, 1\]"),
                Bad(normal(0), 0.5, error=ValueError, match="no element"),
                Bad(integers(0, 3, 4), 0.5, error=TypeError, match="floating-point"),
                Bad(spread(3), 0.5, 1, error=ValueError, match="must be in"),
            ],
        )
        for op, ref in ((ops.quantile, np.quantile), (ops.nanquantile, np.nanquantile))
    ),
    Row(
        ops.unique_with_pad,
        ref=lambda x, pad: (
            (np.array([3, 1, 2, pad, pad][: x.size], x.dtype), np.array([[0, 1, 0, 2, 1]]))
            if x.size
            else (x, x.astype(int))
        ),
        samples=[
            S(np.array([[3, 1, 3, 2, 1]]), 7),
            S(values(3, 1, 3, 2, 1).reshape(1, 5), -1.0, smooth=False),
            S(normal(0), 0.0),
        ],
    ),
]
