"""Rows of the op table: losses other than cross entropy."""

import itertools

import numpy as np
from row import Bad, Row, S, bools, integers, normal, positive, spread, uniform, values
from scipy import special

from anfora import ops

INF, NAN = np.inf, np.nan
HALVES = ("float32", "float64", "float16", "bfloat16")
TOL = {"float16": 4e-3, "bfloat16": 3e-2}


def _reduced(losses, reduction):
    with np.errstate(all="ignore"):
        return {"none": losses, "sum": np.sum(losses), "mean": np.sum(losses) / np.size(losses)}[reduction]


def _mse(x, t, reduction="mean"):
    return _reduced((x - t) ** 2, reduction)


def _l1(x, t, reduction="mean"):
    return _reduced(np.abs(x - t), reduction)


def _smooth_l1(x, t, beta=1.0, reduction="none"):
    d = np.abs(x - t)
    return _reduced(np.where(d < beta, d**2 / (2 * (beta or 1)), d - beta / 2), reduction)


def _huber(x, t, reduction="mean", delta=1.0):
    d = np.abs(x - t)
    return _reduced(np.where(d <= delta, d**2 / 2, delta * (d - delta / 2)), reduction)


def _bce(x, t, weight=None, reduction="mean"):
    floor = lambda p: np.where(np.isnan(p), p, np.maximum(np.log(p), -100))  # noqa: E731
    losses = -(t * floor(x) + (1 - t) * floor(1 - x))
    return _reduced(losses if weight is None else losses * weight, reduction)


def _bce_logits(x, t, weight=None, pos_weight=None, reduction="mean"):
    weight, pos_weight = (1.0 if w is None else w for w in (weight, pos_weight))
    losses = weight * (pos_weight * t * np.logaddexp(0, -x) + (1 - t) * np.logaddexp(0, x))
    return _reduced(losses, reduction)


def _kl(x, t, reduction="mean"):
    losses = special.xlogy(t, t) - np.where(t == 0, 0, t * x)
    return losses.sum() / x.shape[0] if reduction == "batchmean" else _reduced(losses, reduction)


def _gaussian(x, t, var, full=False, eps=1e-6, reduction="mean"):
    var = np.maximum(var[..., None] if var.ndim < x.ndim else var, eps)
    return _reduced((np.log(var) + (x - t) ** 2 / var + (np.log(2 * np.pi) if full else 0)) / 2, reduction)


def _poisson(x, t, log_input=True, full=False, eps=1e-8, reduction="mean"):
    losses = np.exp(x) - t * x if log_input else x - t * np.log(x + eps)
    if full:
        with np.errstate(all="ignore"):
            losses = losses + np.where(t > 1, t * np.log(t) - t + np.log(2 * np.pi * t) / 2, 0)
    return _reduced(losses, reduction)


def _multi_margin(x, t, p=1, margin=1, weight=None, reduction="mean"):
    rows, labels = np.atleast_2d(x), np.atleast_1d(t)
    weight = np.ones(rows.shape[1]) if weight is None else weight
    losses = [
        sum(weight[y] * max(0, margin - row[y] + row[i]) ** p for i in range(len(row)) if i != y) / len(row)
        for row, y in zip(rows, labels)
    ]
    return _reduced(np.reshape(losses, t.shape), reduction)


def _multilabel_margin(x, t, reduction="mean"):
    losses = []
    for row, labels in zip(np.atleast_2d(x), np.atleast_2d(t)):
        labels = list(labels)
        labels = labels[: labels.index(-1)] if -1 in labels else labels
        pairs = [(j, i) for j in labels for i in range(len(row)) if i not in labels]
        losses.append(sum(max(0, 1 - row[j] + row[i]) for j, i in pairs) / len(row))
    return _reduced(np.reshape(losses, x.shape[:-1]), reduction)


def _multilabel_soft_margin(x, t, weight=None, reduction="mean"):
    return _reduced(_bce_logits(x, t, weight, None, "none").mean(-1), reduction)


def _cosine(a, b, dim=1, eps=1e-8):
    lengths = np.linalg.norm(a, axis=dim) * np.linalg.norm(b, axis=dim)
    return (a * b).sum(dim) / np.maximum(lengths, eps)


def _cosine_embedding(a, b, t, margin=0.0, reduction="mean"):
    cosine = _cosine(a, b, min(1, a.ndim - 1))
    return _reduced(np.where(t == 1, 1 - cosine, np.maximum(0, cosine - margin)), reduction)


def _triplet(a, b, c, margin=1.0, p=2, eps=1e-6, swap=False, reduction="mean"):
    def distance(x, y):
        return np.linalg.norm(x - y + eps, ord=p, axis=-1)

    far = np.minimum(distance(a, c), distance(b, c)) if swap else distance(a, c)
    return _reduced(np.maximum(distance(a, b) - far + margin, 0), reduction)


def ctc_loss(*args, **kwargs):
    return ops.ctc_loss(*args, **kwargs)[0]


def _best_paths(x, lengths, merge_repeated=True):
    """The best classes of each example, time by time."""
    places, labels, widest, scores = [], [], 0, []
    for row, length in enumerate(lengths):
        path = [max(range(x.shape[2]), key=lambda c: x[t, row, c]) for t in range(length)]
        scores.append([-sum(x[t, row, c] for t, c in enumerate(path))])
        runs = [c for c, _ in itertools.groupby(path)] if merge_repeated else path
        read = [c for c in runs if c != x.shape[2] - 1]
        places += [(row, i) for i in range(len(read))]
        labels += read
        widest = max(widest, len(read))
    return (
        np.array(places, np.int64).reshape(-1, 2), np.array(labels, np.int64), np.array([len(lengths), widest]),
        np.array(scores, x.dtype).reshape(-1, 1),
    )  # fmt: skip


def _ctc(x, targets, times, counts, blank=0, reduction="mean", zero_infinity=False):
    """The sum over all paths that read as the labels, path by path."""
    if x.ndim == 2:
        x, targets, times, counts = x[:, None], targets[None], np.reshape(times, -1), np.reshape(counts, -1)
        if reduction == "none":
            return _ctc(x, targets, times, counts, blank, reduction, zero_infinity)[0]
    losses = []
    for n, (length, count) in enumerate(zip(times, counts)):
        total = 0.0
        for path in itertools.product(range(x.shape[2]), repeat=int(length)):
            read = [c for c, _ in itertools.groupby(path) if c != blank]
            if read == list(targets[n, :count]):
                total += np.exp(sum(x[t, n, c] for t, c in enumerate(path)))
        losses.append(-np.log(total) if total or not zero_infinity else 0.0)
    losses = np.array(losses)
    return _reduced(losses / np.maximum(counts, 1) if reduction == "mean" else losses, reduction)


def _signs(*shape):
    return 2 * integers(0, 2, *shape) - 1


PAIRS = [
    S(spread(3, 4), np.zeros((3, 4))),
    S(normal(3, 4), normal(4), reduction="sum"),
    S(normal(2, 1, 3), normal(2, 3), reduction="none"),
    S(normal(3, 4), integers(-9, 9, 4)),
    S(np.array(0.3), np.array(-0.4)),
    S(normal(0, 3), normal(0, 3), reduction="sum"),
    S(normal(0, 3), normal(0, 3), reduction="mean", smooth=False),
    S(values(INF, -INF, NAN, 0.0, -0.0), values(0.0, 1.0, 1.0, -0.0, 0.0), reduction="none", smooth=False),
    S(normal(300, 70), normal(70), reduction="mean", smooth=False),
]
REFUSED = [
    Bad(normal(3), normal(4), error=ValueError, match="cannot be broadcast"),
    Bad(normal(3), normal(3), reduction="avg", error=ValueError, match="`reduction` must be one of"),
    Bad("text", normal(3), error=TypeError, match="needs a tensor"),
]


def _pair(op, ref, more=(), errors=(), **rest):
    return Row(op, ref=ref, samples=[*PAIRS, *more], errors=[*REFUSED, *errors], dtypes=HALVES, tol=TOL, **rest)


def _row(op, ref, samples, errors=(), **rest):
    return Row(op, ref=ref, samples=samples, errors=errors, dtypes=HALVES, tol=rest.pop("tol", TOL), **rest)


REDUCTION = "`reduction` must be one of"

ROWS = [
    _pair(ops.mse_loss, _mse, covers=["mse_loss_gradient"]),
    _pair(ops.l1_loss, _l1, covers=["l1_loss_gradient"]),
    _pair(
        ops.smooth_l1_loss,
        _smooth_l1,
        more=[S(spread(3, 4), np.zeros(4), 0.3, "mean"), S(spread(3), np.zeros(3), beta=0)],
        errors=[
            Bad(normal(3), normal(3), -1.0, error=ValueError, match="number >= 0 for `beta`"),
            Bad(normal(3), normal(3), normal(3), error=TypeError, match="needs a number for `beta`"),
        ],
        covers=["bounded_loss", "bounded_loss_gradient"],
    ),
    _pair(
        ops.huber_loss,
        _huber,
        more=[S(spread(3, 4), np.zeros(4), "sum", 0.28), S(spread(3, 4), np.zeros(4), delta=0.42)],
        errors=[Bad(normal(3), normal(3), delta=0.0, error=ValueError, match="number > 0 for `delta`")],
    ),
    _row(
        ops.binary_cross_entropy,
        _bce,
        [
            S(uniform(0.1, 0.9, 3, 4), uniform(0, 1, 3, 4)),
            S(uniform(0.1, 0.9, 3, 4), integers(0, 2, 4), reduction="none"),
            S(uniform(0.1, 0.9, 3, 4), uniform(0, 1, 3, 4), positive(4), "sum"),
            S(uniform(0.1, 0.9, 3, 4), uniform(0, 1, 3, 4), weight=positive(3, 1)),
            S(uniform(0.1, 0.9, 4), uniform(0, 1, 3, 1), positive(2, 1, 1), "sum"),
            S(uniform(0.1, 0.9, 0, 4), uniform(0, 1, 4), reduction="none"),
            S(values(0.0, 1.0, 0.0, 1.0, NAN), values(0.0, 1.0, 1.0, 0.0, 1.0), reduction="none", smooth=False),
        ],
        errors=REFUSED,
        covers=["binary_cross_entropy_gradient"],
    ),
    _row(
        ops.binary_cross_entropy_with_logits,
        _bce_logits,
        [
            S(normal(3, 4), uniform(0, 1, 3, 4)),
            S(normal(3, 4), integers(0, 2, 4), reduction="none"),
            S(normal(3, 4), uniform(0, 1, 3, 4), positive(4), None, "sum"),
            S(normal(3, 4), uniform(0, 1, 3, 4), None, positive(4)),
            S(normal(4), uniform(0, 1, 3, 1), positive(2, 1, 1), positive(4)),
            S(normal(0, 4), uniform(0, 1, 4), reduction="none"),
            S(values(1e4, -1e4, 1e4, -1e4, NAN), values(0.0, 1.0, 1.0, 0.0, 1.0), reduction="none", smooth=False),
        ],
        errors=REFUSED,
        covers=["logistic_loss_gradient"],
    ),
    _row(
        ops.kl_div,
        _kl,
        [
            S(normal(3, 4), uniform(0.1, 1, 3, 4)),
            S(normal(3, 4), uniform(0.1, 1, 4), "sum"),
            S(normal(3, 4), uniform(0.1, 1, 3, 4), reduction="batchmean"),
            S(normal(4), uniform(0.1, 1, 3, 4)),
            S(normal(3, 4), uniform(0.1, 1, 3, 4), reduction="none"),
            S(normal(0, 4), uniform(0, 1, 4), reduction="none"),
            S(values(-INF, 0.0, NAN), values(0.0, 0.0, 0.5), reduction="none", smooth=False),
        ],
        errors=[
            *REFUSED,
            Bad(np.array(1.0), np.array(1.0), "batchmean", error=ValueError, match="a first axis"),
            Bad(normal(3), normal(3), "avg", error=ValueError, match="'batchmean'"),
        ],
        covers=["divergence"],
    ),
    _row(
        ops.gaussian_nll_loss,
        _gaussian,
        [
            S(normal(3, 4), normal(3, 4), positive(3, 4)),
            S(normal(3, 4), normal(4), positive(3), True, reduction="sum"),
            S(normal(3, 4), normal(3, 4), positive(3, 1), reduction="none"),
            S(normal(2), normal(2), values(0.0, 1e-9), eps=0.5),
        ],
        errors=[
            Bad(normal(3, 4), normal(3, 4), positive(4), error=ValueError, match="`var` of shape"),
            Bad(normal(3), normal(3), positive(3), full=1, error=TypeError, match="True or False for `full`"),
            Bad(normal(3), normal(3), positive(3), eps=0.0, error=ValueError, match="> 0 for `eps`"),
            Bad(normal(3), normal(3), positive(3), reduction="avg", error=ValueError, match=REDUCTION),
        ],
    ),
    _row(
        ops.poisson_nll_loss,
        _poisson,
        [
            S(normal(3, 4), positive(3, 4)),
            S(positive(3, 4), positive(4), False, True, reduction="sum"),
            S(positive(3), integers(0, 5, 3), False, reduction="none"),
        ],
        errors=[Bad(normal(3), normal(3), reduction="avg", error=ValueError, match=REDUCTION)],
    ),
    _row(
        ops.soft_margin_loss,
        lambda x, t, reduction="mean": _reduced(np.logaddexp(0, -t * x), reduction),
        [
            S(normal(3, 4), _signs(3, 4)),
            S(normal(3, 4), normal(4), reduction="sum"),
            S(values(1e4, -1e4), np.array([1, 1]), "none", smooth=False),
        ],
        errors=REFUSED[1:],
    ),
    _row(
        ops.hinge_embedding_loss,
        lambda x, t, margin=1.0, reduction="mean": _reduced(np.where(t == 1, x, np.maximum(0, margin - x)), reduction),
        [
            S(spread(3, 4), _signs(3, 4)),
            S(spread(3, 4), _signs(4), 0.5, "none"),
            S(spread(3), _signs(3), reduction="sum"),
        ],
        errors=REFUSED[1:],
    ),
    _row(
        ops.margin_ranking_loss,
        lambda a, b, t, margin=0.0, reduction="mean": _reduced(np.maximum(0, -t * (a - b) + margin), reduction),
        [
            S(spread(3, 4), normal(3, 4), _signs(3, 4)),
            S(spread(3, 4), normal(4), _signs(3, 4), 0.5, "none"),
            S(normal(3), normal(3), _signs(3), reduction="sum"),
        ],
        errors=[Bad(normal(3), normal(3), _signs(3), reduction="avg", error=ValueError, match=REDUCTION)],
    ),
    _row(
        ops.multi_margin_loss,
        _multi_margin,
        [
            S(normal(3, 4), np.array([0, 3, 1])),
            S(normal(3, 4), np.array([0, 3, 1], np.int32), 2, 0.5, positive(4), "none"),
            S(normal(4), np.array(2), weight=positive(4)),
            S(normal(2, 3), np.array([0, 2]), reduction="sum"),
        ],
        errors=[
            Bad(normal(2, 3), np.array([0, 3]), error=IndexError, match="3"),
            Bad(normal(2, 3), np.array([0]), error=ValueError, match="do not fit"),
            Bad(normal(2, 3), normal(2), error=TypeError, match="integer labels"),
            Bad(normal(2, 3, 4), np.array([0, 1]), error=ValueError, match="shape .N, C."),
            Bad(normal(2, 3), np.array([0, 1]), 3, error=ValueError, match="`p` must be 1 or 2"),
            Bad(normal(2, 3), np.array([0, 1]), weight=normal(2), error=ValueError, match="needs a `weight`"),
        ],
    ),
    _row(
        ops.multilabel_margin_loss,
        _multilabel_margin,
        [
            S(normal(3, 4), np.array([[0, 3, -1, 1], [-1, 0, 0, 0], [3, 2, 1, 0]])),
            S(normal(3, 4), np.array([[1, -1, -1, -1], [0, 2, -1, 3], [3, 1, 2, -1]], np.int32), "none"),
            S(normal(4), np.array([2, -1, 0, 0]), reduction="sum"),
        ],
        errors=[
            Bad(normal(3), np.array([0, 3, -1]), error=IndexError, match="3"),
            Bad(normal(3), np.array([0, -1]), error=ValueError, match="do not fit"),
        ],
    ),
    _row(
        ops.multilabel_soft_margin_loss,
        _multilabel_soft_margin,
        [
            S(normal(3, 4), integers(0, 2, 3, 4)),
            S(normal(3, 4), bools(3, 4), positive(4), "none"),
            S(normal(3, 4), uniform(0, 1, 3, 4), reduction="sum"),
        ],
        errors=[Bad(normal(3, 4), normal(4), error=ValueError, match="of one shape")],
    ),
    _row(
        ops.cosine_similarity,
        _cosine,
        [
            S(normal(3, 4), normal(3, 4)),
            S(normal(3, 4), normal(4), -1),
            S(normal(3, 4, 2), normal(3, 4, 2)),
            S(normal(4), normal(4), dim=0),
            S(np.zeros((2, 3)), normal(2, 3), smooth=False),
        ],
        errors=[Bad(normal(3), normal(3), error=ValueError, match="must be in")],
    ),
    _row(
        ops.cosine_embedding_loss,
        _cosine_embedding,
        [
            S(normal(3, 4), normal(3, 4), np.array([1, -1, 1])),
            S(normal(3, 4), normal(3, 4), np.array([-1, -1, -1]), 0.1, "none"),
            S(normal(2, 3, 2), normal(2, 3, 2), np.array([[1, -1], [1, 1]]), reduction="sum"),
            S(normal(4), normal(4), np.array(1)),
        ],
        errors=[
            Bad(normal(3, 4), normal(4), _signs(3), error=ValueError, match="of one shape"),
            Bad(normal(3, 4), normal(3, 4), _signs(3), 2.0, error=ValueError, match=r"\[-1, 1\]"),
        ],
        tol={**TOL, "float64": 1e-11},
    ),
    _row(
        ops.triplet_margin_loss,
        _triplet,
        [
            S(normal(3, 4), normal(3, 4), normal(3, 4)),
            S(normal(3, 4), normal(3, 4), normal(3, 4), 2.0, 1, reduction="none"),
            S(normal(3, 4), normal(3, 4), normal(3, 4), margin=3.0, p=3, swap=True, reduction="sum"),
            S(normal(2, 3, 4), normal(2, 3, 4), normal(2, 3, 4), p=INF, reduction="none"),
            S(normal(4), normal(4), normal(4)),
        ],
        errors=[Bad(normal(3), normal(3), normal(3), p=0, error=ValueError, match="> 0 for `p`")],
    ),
    _row(
        ctc_loss,
        _ctc,
        [
            S(normal(4, 2, 3), np.array([[1, 2], [2, 2]]), np.array([4, 3]), np.array([2, 2])),
            S(normal(4, 2, 3), np.array([[1, 0], [0, 7]], np.int32), (4, 2), (2, 1), 2, "none"),
            S(normal(3, 3, 2), np.array([[1, 1], [1, 1], [1, 1]]), (3, 2, 3), (2, 2, 0), 0, "sum", True),
            S(normal(4, 3), np.array([1, 2]), np.array(4), np.array(2), reduction="none"),
            S(normal(3, 2, 2), np.array([[1, 1], [1, 1]]), (2, 0), (2, 0), reduction="none", smooth=False),
        ],
        errors=[
            Bad(normal(2, 1, 3), np.array([[1, 3]]), (2,), (2,), error=IndexError, match="label 3 of example 0"),
            Bad(
                normal(2, 1, 3),
                np.array([[1, 0]]),
                (2,),
                (2,),
                error=IndexError,
                match="label 0 of example 0 is the blank",
            ),
            Bad(
                normal(2, 1, 3),
                np.array([[1, 2]]),
                (3,),
                (2,),
                error=ValueError,
                match=r"length 3 of example 0 .* \[0, 2\]",
            ),
            Bad(normal(2, 1, 3), np.array([[1, 2]]), (2,), (3,), error=ValueError, match="length 3 of example 0"),
            Bad(normal(2, 1, 3), np.array([[1, 2]]), (2,), (2,), 3, error=ValueError, match="`blank` must be in"),
            Bad(normal(2, 1, 3), np.array([1, 2]), (2,), (2,), error=ValueError, match="for `targets`"),
            Bad(normal(2, 1, 3), np.array([[1, 2]]), (2, 2), (2,), error=ValueError, match="for `input_lengths`"),
        ],
        second=False,
        why="the second derivative is missing, and says so",
        covers=["ctc_sums", "ctc_gradient"],
    ),
    Row(
        ops.ctc_greedy_decoder,
        _best_paths,
        [
            S(normal(9, 4, 3), np.array([9, 5, 0, 1])),
            S(normal(9, 4, 3), np.array([9, 5, 0, 1], np.int32), False),
            S(integers(0, 2, 8, 3, 4).astype(np.float32), np.array([8, 7, 8]), smooth=False),
            S(normal(1, 2, 2), np.array([1, 1]), merge_repeated=True),
            S(np.eye(3, dtype=np.float32)[np.full((4, 2), 2)], np.array([4, 2]), smooth=False),
            S(normal(0, 2, 2), np.array([0, 0])),
        ],
        errors=[
            Bad(normal(2, 1, 3), np.array([3]), error=ValueError, match=r"length 3 of example 0 is not in \[0, 2\]"),
            Bad(normal(2, 2, 3), np.array([1, -1]), error=ValueError, match="length -1 of example 1"),
            Bad(normal(2, 1, 3), np.array([1, 1]), error=ValueError, match="1 integers for `sequence_length`"),
            Bad(normal(2, 1, 3), np.array([1.0]), error=ValueError, match="integers for `sequence_length`"),
            Bad(normal(2, 3), np.array([1, 1]), error=ValueError, match="needs a tensor"),
            Bad(integers(0, 2, 2, 1, 3), np.array([1]), error=TypeError, match="float tensor"),
            Bad(normal(2, 1, 3), np.array([1]), 1, error=TypeError, match="bool for `merge_repeated`"),
        ],
        second=False,
        why="nothing but a choice has a second derivative",
    ),
]
