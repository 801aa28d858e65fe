"""Rows of the op table: boxes in images. The references work box by box."""

import math

import numpy as np
from row import Bad, Row, S, normal, uniform, values

from anfora import ops


def boxes(count):
    corner = uniform(0.0, 20.0, count, 2)
    return np.concatenate([corner, corner + uniform(2.0, 15.0, count, 2)], 1)


def ref_iou(anchors, others, mode="iou"):
    out = np.zeros((len(others), len(anchors)))
    for i, b in enumerate(others):
        for j, a in enumerate(anchors):
            width = min(a[2], b[2]) - max(a[0], b[0]) + 1
            height = min(a[3], b[3]) - max(a[1], b[1]) + 1
            common = max(width, 0) * max(height, 0)
            areas = [(c[2] - c[0] + 1) * (c[3] - c[1] + 1) for c in (a, b)]
            out[i, j] = common / (areas[1] if mode == "iof" else sum(areas) - common)
    return out


def ref_encode(anchors, targets, means=(0.0,) * 4, stds=(1.0,) * 4):
    out = []
    for a, t in zip(anchors, targets):
        w, h, u, v = a[2] - a[0] + 1, a[3] - a[1] + 1, t[2] - t[0] + 1, t[3] - t[1] + 1
        dx, dy = ((t[0] + t[2]) - (a[0] + a[2])) / 2 / w, ((t[1] + t[3]) - (a[1] + a[3])) / 2 / h
        out.append([dx, dy, math.log(u / w), math.log(v / h)])
    return (np.array(out) - means) / stds


def ref_decode(anchors, deltas, max_shape, means=(0.0,) * 4, stds=(1.0,) * 4, wh_ratio_clip=0.016):
    out = []
    for a, d in zip(anchors, deltas * stds + means):
        w, h = a[2] - a[0] + 1, a[3] - a[1] + 1
        grow = [math.exp(min(max(x, math.log(wh_ratio_clip)), -math.log(wh_ratio_clip))) for x in d[2:]]
        x, y = (a[0] + a[2]) / 2 + w * d[0], (a[1] + a[3]) / 2 + h * d[1]
        u, v = (w * grow[0] - 1) / 2, (h * grow[1] - 1) / 2
        ends = [(x - u, 1), (y - v, 0), (x + u, 1), (y + v, 0)]
        out.append([min(max(end, 0), max_shape[side] - 1) for end, side in ends])
    return np.array(out)


def ref_valid(x, image):
    height, width, ratio = image
    return (x[:, 0] >= 0) & (x[:, 1] >= 0) & (x[:, 2] <= width * ratio - 1) & (x[:, 3] <= height * ratio - 1)


def ref_nms(x, threshold=0.5):
    ranked = x[np.argsort(-x[:, 4], kind="stable")]
    keeps = []
    for i, b in enumerate(ranked):
        overlaps = []
        for j in range(i):
            a = ranked[j]
            common = max(min(a[2], b[2]) - max(a[0], b[0]), 0) * max(min(a[3], b[3]) - max(a[1], b[1]), 0)
            areas = [(c[2] - c[0]) * (c[3] - c[1]) for c in (a, b)]
            overlaps.append(keeps[j] and common / (sum(areas) - common) > threshold)
        keeps.append(not any(overlaps))
    return ranked, np.arange(len(x), dtype=np.int32), np.array(keeps)


def scored(count):
    return np.concatenate([boxes(count), np.linspace(0.1, 0.9, count)[(np.arange(count) * 3) % count, None]], 1)


SMALL = {"float32": 1e-5, "float64": 1e-12}

ROWS = [
    Row(
        ops.iou,
        ref=ref_iou,
        samples=[S(boxes(3), boxes(4)), S(boxes(2), boxes(2), "iof"), S(boxes(1), boxes(0))],
        errors=[
            Bad(normal(3, 3), boxes(2), error=ValueError, match=r"\(N, 4\)"),
            Bad(boxes(1), boxes(1), "giou", error=ValueError, match="iof"),
            Bad(np.array([[0, 0, 1, 1]]), boxes(1), error=TypeError, match="floating"),
        ],
        tol=SMALL,
    ),
    Row(
        ops.bounding_box_encode,
        ref=ref_encode,
        samples=[
            S(boxes(3), boxes(3)),
            S(boxes(2), boxes(2), means=(0.1, 0.0, -0.1, 0.2), stds=(0.1, 0.1, 0.2, 0.2)),
        ],
        errors=[
            Bad(boxes(2), boxes(3), error=ValueError, match="3 and 2"),
            Bad(boxes(2), boxes(2), (1.0, 2.0), error=ValueError, match="four numbers"),
        ],
        tol={"float32": 1e-4, "float64": 1e-11},
    ),
    Row(
        ops.bounding_box_decode,
        ref=ref_decode,
        samples=[
            S(boxes(3), 0.2 * normal(3, 4), (80, 90)),
            S(boxes(2), normal(2, 4), (80, 90), means=(0.0, 0.1, 0.0, 0.1), stds=(0.1, 0.1, 0.2, 0.2)),
            S(boxes(2), 9 * normal(2, 4), (30, 20), smooth=False),
            S(boxes(2), 9 * normal(2, 4), (30, 20), wh_ratio_clip=0.5, smooth=False),
        ],
        errors=[
            Bad(boxes(2), normal(3, 4), (8, 8), error=ValueError, match="3 and 2"),
            Bad(boxes(2), normal(2, 4), 8, error=ValueError, match="height, width"),
        ],
        tol={"float32": 2e-5, "float64": 1e-11},
    ),
    Row(
        ops.check_valid,
        ref=ref_valid,
        samples=[
            S(
                values(0, 0, 9, 9, 1, 1, 10, 5, -1, 0, 2, 2, 0, 0, 9, 19.5).reshape(4, 4),
                values(10, 10, 1),
                smooth=False,
            ),
            S(boxes(5), values(12, 10, 2), smooth=False),
        ],
        errors=[Bad(boxes(2), values(1, 2), error=ValueError, match="three numbers")],
        grad=False,
        why="truth values",
    ),
    Row(
        ops.nms_with_mask,
        ref=ref_nms,
        samples=[S(scored(7)), S(scored(8), 0.1), S(scored(8), 0.9), S(scored(1))],
        errors=[Bad(boxes(2), error=ValueError, match=r"\(N, 5\)")],
        covers=["kept_boxes"],
    ),
]
