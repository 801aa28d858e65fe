"""Transforms of images with boxes, and images in pieces; beside MindSpore 2.10, or by marks in the image."""

from __future__ import annotations

import numpy as np
import pytest

import anfora.dataset as ds
from anfora.dataset import vision

BOXES = np.array([[1, 2, 4, 5], [6, 3, 5, 6]], np.float32)


def image():
    return (np.arange(10 * 12 * 3) % 256).astype(np.uint8).reshape(10, 12, 3)


def run(operation, boxes=BOXES, picture=None):
    source = [(image() if picture is None else picture, boxes.copy())]
    data = ds.GeneratorDataset(source, ["image", "boxes"], shuffle=False).map(operation, ["image", "boxes"])
    return next(data.create_tuple_iterator(output_numpy=True))


@pytest.mark.parametrize(("operation", "shape", "boxes"), [
    (vision.RandomHorizontalFlipWithBBox(1.0), (10, 12, 3), [[7, 2, 4, 5], [1, 3, 5, 6]]),
    (vision.RandomVerticalFlipWithBBox(1.0), (10, 12, 3), [[1, 3, 4, 5], [6, 1, 5, 6]]),
    (vision.RandomHorizontalFlipWithBBox(0.0), (10, 12, 3), BOXES.tolist()),
    (vision.ResizeWithBBox((7, 5)), (7, 5, 3),
     [[0.4166666567, 1.399999976, 1.666666627, 3.5], [2.5, 2.099999905, 2.083333254, 4.199999809]]),
    (vision.RandomResizeWithBBox(7), (7, 8, 3),
     [[0.6666666865, 1.399999976, 2.666666746, 3.5], [4, 2.099999905, 3.333333492, 4.199999809]]),
    (vision.RandomCropWithBBox((12, 14), (1, 1, 1, 1)), (12, 14, 3), [[2, 3, 4, 5], [7, 4, 5, 6]]),
    (vision.RandomResizedCropWithBBox((5, 6), (1, 1), (1.2, 1.2)), (5, 6, 3), [[0.5, 1, 2, 2.5], [3, 1.5, 2.5, 3]]),
])  # fmt: skip
def test_it_is_what_mindspore_gives(operation, shape, boxes):
    made, found = run(operation)
    assert made.shape == shape and found.dtype == np.float32
    np.testing.assert_allclose(found, np.array(boxes, np.float32), rtol=2e-7)


@pytest.mark.parametrize("operation", [
    vision.RandomHorizontalFlipWithBBox(1.0), vision.RandomVerticalFlipWithBBox(1.0), vision.RandomCropWithBBox((6, 7)),
    vision.RandomCropWithBBox((9, 9), 1), vision.RandomCropWithBBox((13, 15), None, True),
    vision.RandomResizedCropWithBBox((20, 24), (0.3, 0.6), (1.2, 1.2), vision.Inter.NEAREST),
], ids=lambda operation: type(operation).__name__)  # fmt: skip
def test_boxes_go_with_what_lies_in_them(operation):
    """A box of white pixels is a box of white pixels afterwards, as far as it is left."""
    for seed in range(8):
        ds.config.set_seed(seed)
        picture = np.zeros((10, 12, 3), np.uint8)
        picture[3:8, 2:6] = 255
        made, boxes = run(operation, np.array([[2, 3, 4, 5], [11, 9, 1, 1]], np.float32), picture)
        white = np.argwhere(made[..., 0] == 255)
        sides = [(top, left, top + high, left + wide) for left, top, wide, high in boxes.tolist()]
        if not len(white):
            assert all((box[2] - box[0]) * (box[3] - box[1]) < 6 for box in sides)
            continue
        wanted = np.array([*white.min(0), *white.max(0) + 1])
        within = 1.0 if made.shape[0] == 20 else 0.0  # a pixel is more than one, or a part of it
        assert min(np.abs(np.array(box) - wanted).max() for box in sides) <= within


def test_what_lies_in_boxes():
    made, boxes = run(vision.BoundingBoxAugment(vision.Invert(), 1.0))
    expected = image()
    for left, top, wide, high in BOXES.astype(int):
        expected[top : top + high, left : left + wide] = 255 - expected[top : top + high, left : left + wide]
    assert (made == expected).all() and boxes.tolist() == BOXES.tolist()
    assert (run(vision.BoundingBoxAugment(vision.Invert(), 0.2))[0] == image()).all()  # of two boxes, 0.4: none
    with pytest.raises(RuntimeError, match="should keep its shape"):
        run(vision.BoundingBoxAugment(vision.Resize((2, 2)), 1.0))


@pytest.mark.parametrize(("boxes", "error"), [
    (BOXES[0], "two-dimensional matrix"), (np.array([[1, 2, 40, 5]], np.float32), "out of bounds"),
    (np.array([[-1, 2, 4, 5]], np.float32), "negative value"), (BOXES.astype(np.int32), "should be float32"),
])  # fmt: skip
def test_boxes_that_are_refused(boxes, error):
    with pytest.raises(RuntimeError, match=error):
        run(vision.RandomHorizontalFlipWithBBox(1.0), boxes)
    with pytest.raises(RuntimeError, match="size of input should be 2"):
        vision.ResizeWithBBox(3)(image())


def test_pieces():
    """Shapes and values are those of MindSpore."""
    pieces = vision.SlicePatches(3, 2)(image())
    assert [piece.shape for piece in pieces] == [(4, 6, 3)] * 6
    whole = np.concatenate([np.concatenate(pieces[row : row + 2], 1) for row in (0, 2, 4)])
    assert (whole[:10] == image()).all() and not whole[10:].any()
    pieces = vision.SlicePatches(3, 5, vision.SliceMode.PAD, 7)(image())
    assert len(pieces) == 15 and (pieces[-1] == 7).all() and pieces[-1].shape == (4, 3, 3)
    pieces = vision.SlicePatches(3, 5, vision.SliceMode.DROP)(image())
    assert pieces[-1][:, :, 0].tolist() == [[240, 243], [20, 23], [56, 59]]
    with pytest.raises(RuntimeError, match="pieces of an image of"):
        vision.SlicePatches(11, 1)(image())
