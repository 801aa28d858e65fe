"""Boxes in images: how much they overlap, and how they are coded beside anchors.

A box is (left, top, right, bottom) in pixels. The pixels at its ends belong to it, so it is right - left + 1 wide, and
so high; only `nms_with_mask` measures from edge to edge, as MindSpore does there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anfora.core import exact
from anfora.core.abstract import TensorType
from anfora.core.dtype import bool_, int32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import op
from anfora.core.tensor import Tensor
from anfora.ops.arithmetic import clamp, maximum, minimum
from anfora.ops.comparison import logical_and
from anfora.ops.composite import composite
from anfora.ops.creation import arange
from anfora.ops.indexing import gather
from anfora.ops.joining import stack, unbind
from anfora.ops.mathematics import exp, log
from anfora.ops.shape import expand_dims

__all__ = ["bounding_box_decode", "bounding_box_encode", "check_valid", "iou", "nms_with_mask"]


def _check(name: str, arg: str, boxes: Any, numbers: int = 4) -> None:
    if not boxes.dtype.is_float:
        raise OpTypeError(f"{name} needs a floating-point tensor for `{arg}`, but got {boxes.dtype}", arg=arg)
    if boxes.ndim != 2 or boxes.shape[1] != numbers:
        raise OpValueError(f"{name} needs the shape (N, {numbers}) for `{arg}`, but got {list(boxes.shape)}", arg=arg)


def _four(name: str, arg: str, numbers: Any) -> tuple[float, ...]:
    if not isinstance(numbers, (tuple, list)) or len(numbers) != 4:
        raise OpValueError(f"{name} needs four numbers for `{arg}`, but got {numbers!r}", arg=arg)
    return tuple(map(float, numbers))


@composite
def iou(anchor_boxes: Tensor, gt_boxes: Tensor, mode: str = "iou") -> Tensor:
    """How much each box overlaps each other one: the common area by the area of both together.

    Args:
        anchor_boxes: float tensor (N, 4).
        gt_boxes: float tensor (M, 4).
        mode: "iou", or "iof": the common area by that of the box of `gt_boxes`.
    Returns:
        float tensor (M, N).
    Raises:
        OpTypeError: a tensor is not floating point.   OpValueError: a shape or `mode` is something else.
    Gradient:
        to the corners that bound the common area.
    Example:
        >>> iou(Tensor([[0., 0., 1., 1.]]), Tensor([[0., 0., 1., 1.], [1., 0., 2., 1.]])).tolist()
        [[1.0], [0.3333333432674408]]
    """
    _check("iou", "anchor_boxes", anchor_boxes)
    _check("iou", "gt_boxes", gt_boxes)
    if mode not in ("iou", "iof"):
        raise OpValueError(f'iou: `mode` must be "iou" or "iof", but got {mode!r}', arg="mode")
    left, top, right, bottom = unbind(anchor_boxes, 1)
    left_, top_, right_, bottom_ = (expand_dims(x, 1) for x in unbind(gt_boxes, 1))
    width = maximum(minimum(right, right_) - maximum(left, left_) + 1, 0)
    height = maximum(minimum(bottom, bottom_) - maximum(top, top_) + 1, 0)
    common = width * height
    whole = (right_ - left_ + 1) * (bottom_ - top_ + 1)
    if mode == "iou":
        whole = whole + (right - left + 1) * (bottom - top + 1) - common
    return common / whole


def _centres(boxes: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Middle, width and height of boxes."""
    left, top, right, bottom = unbind(boxes, 1)
    return (left + right) * 0.5, (top + bottom) * 0.5, right - left + 1, bottom - top + 1


@composite
def bounding_box_encode(
    anchor_box: Tensor,
    groundtruth_box: Tensor,
    means: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
    stds: Sequence[float] = (1.0, 1.0, 1.0, 1.0),
) -> Tensor:
    """What leads from anchors to boxes: by how much of its size an anchor moves, and the logarithms of its growth.

    Args:
        anchor_box, groundtruth_box: float tensors (N, 4).
        means, stds: four numbers each; the result is less these means, divided by these deviations.
    Returns:
        float tensor (N, 4): (dx, dy, dw, dh).
    Raises:
        OpTypeError: a tensor is not floating point.   OpValueError: the shapes do not fit.
    Source:
        Girshick et al., Rich feature hierarchies for accurate object detection, CVPR 2014, appendix C.
    Example:
        >>> bounding_box_encode(Tensor([[0., 0., 3., 3.]]), Tensor([[2., 0., 5., 3.]])).tolist()
        [[0.5, 0.0, 0.0, 0.0]]
    """
    name = "bounding_box_encode"
    _check(name, "anchor_box", anchor_box)
    _check(name, "groundtruth_box", groundtruth_box)
    if anchor_box.shape != groundtruth_box.shape:
        raise OpValueError(
            f"{name} needs as many boxes as anchors, but got {groundtruth_box.shape[0]} and {anchor_box.shape[0]}",
            arg="groundtruth_box",
        )
    x, y, width, height = _centres(anchor_box)
    to_x, to_y, to_width, to_height = _centres(groundtruth_box)
    deltas = ((to_x - x) / width, (to_y - y) / height, log(to_width / width), log(to_height / height))
    means, stds = _four(name, "means", means), _four(name, "stds", stds)
    return stack([(d - mean) / std for d, mean, std in zip(deltas, means, stds)], 1)


@composite
def bounding_box_decode(
    anchor_box: Tensor,
    deltas: Tensor,
    max_shape: Sequence[int],
    means: Sequence[float] = (0.0, 0.0, 0.0, 0.0),
    stds: Sequence[float] = (1.0, 1.0, 1.0, 1.0),
    wh_ratio_clip: float = 0.016,
) -> Tensor:
    """The boxes to which deltas lead from anchors; undoes `bounding_box_encode`.

    Args:
        anchor_box, deltas: float tensors (N, 4).
        max_shape: (height, width) of the image, to which boxes are cut.
        means, stds: as they were coded with.
        wh_ratio_clip: an anchor grows, or shrinks, by no more than this factor.
    Returns:
        float tensor (N, 4).
    Raises:
        OpTypeError: a tensor is not floating point.   OpValueError: the shapes do not fit.
    Example:
        >>> bounding_box_decode(Tensor([[0., 0., 3., 3.]]), Tensor([[0.5, 0., 0., 0.]]), (9, 9)).tolist()
        [[2.0, 0.0, 5.0, 3.0]]
    """
    name = "bounding_box_decode"
    _check(name, "anchor_box", anchor_box)
    _check(name, "deltas", deltas)
    if anchor_box.shape != deltas.shape:
        raise OpValueError(
            f"{name} needs as many deltas as anchors, but got {deltas.shape[0]} and {anchor_box.shape[0]}", arg="deltas"
        )
    if not isinstance(max_shape, (tuple, list)) or len(max_shape) != 2:
        raise OpValueError(f"{name} needs (height, width) for `max_shape`, but got {max_shape!r}", arg="max_shape")
    x, y, width, height = _centres(anchor_box)
    means, stds = _four(name, "means", means), _four(name, "stds", stds)
    dx, dy, dw, dh = (d * std + mean for d, mean, std in zip(unbind(deltas, 1), means, stds))
    most = abs(exact.log(wh_ratio_clip))
    to_x, to_y = x + width * dx, y + height * dy
    half_width = width * exp(clamp(dw, -most, most)) * 0.5 - 0.5
    half_height = height * exp(clamp(dh, -most, most)) * 0.5 - 0.5
    last_row, last_column = (n - 1 for n in max_shape)
    return stack(
        [
            clamp(to_x - half_width, 0, last_column),
            clamp(to_y - half_height, 0, last_row),
            clamp(to_x + half_width, 0, last_column),
            clamp(to_y + half_height, 0, last_row),
        ],
        1,
    )


@composite
def check_valid(bboxes: Tensor, img_metas: Tensor) -> Tensor:
    """Whether boxes lie inside of an image.

    Args:
        bboxes: float tensor (N, 4).
        img_metas: float tensor (height, width, ratio): of the image, and by what both are multiplied.
    Returns:
        bool tensor (N,).
    Raises:
        OpTypeError: the boxes are not floating point.   OpValueError: a shape is something else.
    Example:
        >>> check_valid(Tensor([[0., 0., 9., 9.], [-1., 0., 2., 2.]]), Tensor([10., 10., 1.])).tolist()
        [True, False]
    """
    _check("check_valid", "bboxes", bboxes)
    if img_metas.shape != (3,):
        raise OpValueError(f"check_valid needs three numbers, but got {list(img_metas.shape)}", arg="img_metas")
    left, top, right, bottom = unbind(bboxes, 1)
    height, width, ratio = unbind(img_metas, 0)
    starts = logical_and(left >= 0, top >= 0)
    return logical_and(starts, logical_and(right <= width * ratio - 1, bottom <= height * ratio - 1))


@op
def kept_boxes(boxes: Tensor, iou_threshold):
    """The places of boxes by falling scores, and which of them no better box that is kept overlaps too much."""


@kept_boxes.infer
def _(boxes, *, iou_threshold):
    return TensorType(int32, (boxes.shape[0],)), TensorType(bool_, (boxes.shape[0],))


@kept_boxes.python
def _(boxes, *, iou_threshold):
    order = np.argsort(-boxes[:, 4], kind="stable")
    left, top, right, bottom = boxes[order, :4].T.astype(np.float64)
    areas = (right - left) * (bottom - top)
    keeps = np.ones(len(order), bool)
    for i in range(len(order)):
        if keeps[i]:
            width = np.maximum(np.minimum(right, right[i]) - np.maximum(left, left[i]), 0)
            height = np.maximum(np.minimum(bottom, bottom[i]) - np.maximum(top, top[i]), 0)
            common = width * height
            with np.errstate(invalid="ignore", divide="ignore"):
                worse = common / (areas + areas[i] - common) > iou_threshold
            worse[: i + 1] = False
            keeps &= ~worse
    return order, keeps


@composite
def nms_with_mask(bboxes: Tensor, iou_threshold: float = 0.5) -> tuple[Tensor, Tensor, Tensor]:
    """Of boxes that overlap, the best one: greedy non-maximum suppression.

    Args:
        bboxes: float tensor (N, 5): boxes and their scores.
        iou_threshold: a box goes when one with a higher score, which is kept, overlaps it more.
    Returns:
        the boxes by falling score, (N, 5); 0 … N - 1, int32, by which MindSpore programs name them; and whether they are
        kept, bool (N,).
    Raises:
        OpTypeError: the boxes are not floating point.   OpValueError: their shape is something else.
    Gradient:
        to the first result.
    Example:
        >>> boxes = Tensor([[0., 0., 4., 2., .5], [0., 0., 4., 4., .9], [8., 8., 9., 9., .1]])
        >>> [x.tolist() for x in nms_with_mask(boxes, 0.4)[1:]]
        [[0, 1, 2], [True, False, True]]
    """
    _check("nms_with_mask", "bboxes", bboxes, 5)
    places, keeps = kept_boxes(bboxes, float(iou_threshold))
    return gather(bboxes, places, 0), arange(bboxes.shape[0]).astype(int32), keeps
