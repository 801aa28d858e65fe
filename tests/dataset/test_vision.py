"""Transforms of images: bits as MindSpore 2.10 computes them (checksums of its results), and Pillow's for PIL images."""

from __future__ import annotations

import copy
import io
import zlib

import numpy as np
import pytest
from PIL import Image

import anfora.dataset as ds
import anfora.dataset.transforms as transforms
import anfora.dataset.vision as vision
from anfora.core.errors import AnforaError
from anfora.dataset.vision import Border, ConvertMode, Inter
from anfora.dataset.vision.base import Sometimes, cv

RANDOM = np.random.RandomState(0)
COLOUR = RANDOM.randint(0, 256, (37, 53, 3)).astype(np.uint8)
GREY = RANDOM.randint(0, 256, (28, 28, 1)).astype(np.uint8)
FLOATS = (COLOUR / 255).astype(np.float32)
FLOAT_GREY = (GREY / 255).astype(np.float32)
MASK = GREY > 127
CORNERS = [[0, 0], [9, 0], [9, 9], [0, 9]], [[0, 1], [9, 0], [8, 9], [0, 9]]
PICTURE = Image.fromarray(COLOUR)


def png(image):
    data = io.BytesIO()
    Image.fromarray(image).save(data, "PNG")
    return np.frombuffer(data.getvalue(), np.uint8)


def checksum(array):
    return str(array.dtype), array.shape, zlib.crc32(np.ascontiguousarray(array).tobytes())


MINDSPORE = [
    (vision.Rescale(1 / 0.3081, -1 * 0.1307 / 0.3081), FLOATS, ("float32", (37, 53, 3), 3568974029)),
    (vision.Rescale(1 / 255, -0.5), GREY.astype(np.int32), ("float32", (28, 28, 1), 4136041019)),
    (vision.Rotate(30, Inter.BILINEAR), FLOAT_GREY, ("float32", (28, 28, 1), 1196108903)),
    (vision.Rotate(30, Inter.BILINEAR, True), FLOAT_GREY[..., 0], ("float32", (38, 38), 1316824197)),
    (vision.Rotate(30, Inter.NEAREST), FLOAT_GREY, ("float32", (28, 28, 1), 651004549)),
    (vision.Affine(15, [0.1, -0.2], 1.1, [5, 10], Inter.BILINEAR, 1), FLOAT_GREY, ("float32", (28, 28, 1), 4128704509)),
    (vision.Perspective(*CORNERS, Inter.BILINEAR), FLOAT_GREY, ("float32", (28, 28, 1), 2531269705)),
    (vision.AdjustSharpness(1.3), COLOUR, ("uint8", (37, 53, 3), 2533384615)),
    (vision.AdjustSharpness(0.3), COLOUR, ("uint8", (37, 53, 3), 2333073319)),
    (vision.RandomSharpness((1.3, 1.3)), COLOUR, ("uint8", (37, 53, 3), 2533384615)),
    (vision.Resize((20, 33), Inter.NEAREST), MASK, ("bool", (20, 33, 1), 3253223530)),
    (vision.Resize((20, 33)), MASK, ("bool", (20, 33, 1), 1264079183)),
    (vision.Rotate(30), MASK, ("bool", (28, 28, 1), 1112931056)),
    (vision.Affine(15, [0.1, -0.2], 1.1, [5, 10]), MASK, ("bool", (28, 28, 1), 670650457)),
    (vision.Resize(32, Inter.NEAREST), COLOUR, ("uint8", (32, 45, 3), 118557327)),
    (vision.Resize((20, 40), Inter.NEAREST), COLOUR, ("uint8", (20, 40, 3), 3234481139)),
    (vision.Resize((64, 64), Inter.NEAREST), GREY, ("uint8", (64, 64, 1), 2875040146)),
    (vision.Resize(32), COLOUR, ("uint8", (32, 45, 3), 2230905795)),
    (vision.Resize((20, 40)), COLOUR, ("uint8", (20, 40, 3), 2229690234)),
    (vision.Resize((64, 64)), COLOUR, ("uint8", (64, 64, 3), 167423879)),
    (vision.Resize(32), GREY, ("uint8", (32, 32, 1), 4216648932)),
    (vision.Resize((32, 32)), GREY[..., 0], ("uint8", (32, 32), 4216648932)),
    (vision.Rescale(1 / 255.0, 0.1), COLOUR, ("float32", (37, 53, 3), 1007718084)),
    (vision.Rescale(1 / 0.3081, -1 * 0.1307 / 0.3081), COLOUR, ("float32", (37, 53, 3), 1935317544)),
    (vision.Normalize([121.0, 115.0, 100.0], [70.0, 68.0, 71.0]), COLOUR, ("float32", (37, 53, 3), 3188963073)),
    (vision.Normalize([0.1307], [0.3081]), GREY, ("float32", (28, 28, 1), 3859279125)),
    (vision.HWC2CHW(), COLOUR, ("uint8", (3, 37, 53), 2594066183)),
    (vision.CenterCrop(20), COLOUR, ("uint8", (20, 20, 3), 516039740)),
    (vision.CenterCrop((60, 70)), COLOUR, ("uint8", (60, 70, 3), 1263290047)),
    (vision.HorizontalFlip(), COLOUR, ("uint8", (37, 53, 3), 2506856994)),
    (vision.VerticalFlip(), COLOUR, ("uint8", (37, 53, 3), 4007429089)),
    (vision.Crop((1, 2), (5, 6)), COLOUR, ("uint8", (5, 6, 3), 785222846)),
    (vision.Pad((1, 2, 3, 4), 7), COLOUR, ("uint8", (43, 57, 3), 1088057494)),
    (vision.Pad((1, 2, 3, 4), 7, Border.EDGE), COLOUR, ("uint8", (43, 57, 3), 682931375)),
    (vision.Pad((1, 2, 3, 4), 7, Border.REFLECT), COLOUR, ("uint8", (43, 57, 3), 2442226280)),
    (vision.Pad((1, 2, 3, 4), 7, Border.SYMMETRIC), COLOUR, ("uint8", (43, 57, 3), 3926267009)),
    (vision.Pad((1, 2), (7, 8, 9)), COLOUR, ("uint8", (41, 55, 3), 131954614)),
    (vision.PadToSize((64, 70)), COLOUR, ("uint8", (64, 70, 3), 3665624082)),
    (vision.ToTensor(), COLOUR, ("float32", (3, 37, 53), 2668079984)),
    (vision.ToTensor(), GREY, ("float32", (1, 28, 28), 2652585253)),
    (vision.Invert(), COLOUR, ("uint8", (37, 53, 3), 942735488)),
    (vision.Equalize(), COLOUR, ("uint8", (37, 53, 3), 4293142066)),
    (vision.AutoContrast(), COLOUR, ("uint8", (37, 53, 3), 1178398856)),
    (vision.Solarize((10, 100)), COLOUR, ("uint8", (37, 53, 3), 1568842744)),
    (vision.Posterize(3), COLOUR, ("uint8", (37, 53, 3), 1765411753)),
    (vision.AdjustBrightness(1.3), COLOUR, ("uint8", (37, 53, 3), 3728157229)),
    (vision.GaussianBlur(3, 1.5), COLOUR, ("uint8", (37, 53, 3), 3569433714)),
    (vision.ResizedCrop(1, 2, 8, 7, (16, 18)), COLOUR, ("uint8", (16, 18, 3), 2561687774)),
    (vision.ConvertColor(ConvertMode.COLOR_RGB2GRAY), COLOUR, ("uint8", (37, 53), 3454224734)),
    (vision.ConvertColor(ConvertMode.COLOR_RGB2BGR), COLOUR, ("uint8", (37, 53, 3), 847370058)),
    (vision.Rotate(33), COLOUR, ("uint8", (37, 53, 3), 452551044)),
    (vision.Rotate(33, Inter.BILINEAR), COLOUR, ("uint8", (37, 53, 3), 1263237580)),
    (vision.RandomHorizontalFlip(1.0), COLOUR, ("uint8", (37, 53, 3), 2506856994)),
    (vision.RandomRotation((33, 33)), COLOUR, ("uint8", (37, 53, 3), 452551044)),
    (vision.Affine(15.0, (0.1, -0.2), 1.1, (5.0, 3.0), Inter.BILINEAR, (3, 4, 5)), COLOUR,
     ("uint8", (37, 53, 3), 24897417)),
    (vision.Affine(15.0, (0.1, -0.2), 1.1, (5.0, 3.0)), GREY, ("uint8", (28, 28, 1), 3060937476)),
    (vision.RandomAffine((15, 15), (0.1, 0.1, -0.2, -0.2), (1.1, 1.1), (5, 5, 3, 3)), COLOUR,
     ("uint8", (37, 53, 3), 2657067854)),
    (vision.Rotate(33, Inter.NEAREST, True), COLOUR, ("uint8", (60, 65, 3), 1517204125)),
    (vision.Rotate(33, Inter.BILINEAR, True), GREY, ("uint8", (39, 39, 1), 3512773303)),
    (vision.AdjustContrast(1.3), COLOUR, ("uint8", (37, 53, 3), 2966836940)),
    (vision.AdjustSaturation(0.4), COLOUR, ("uint8", (37, 53, 3), 3097591363)),
    (vision.AdjustGamma(0.7, 1.2), COLOUR, ("uint8", (37, 53, 3), 186921289)),
    (vision.AutoContrast(10.0, [10, 20]), COLOUR, ("uint8", (37, 53, 3), 2640680870)),
    (vision.Solarize(100), COLOUR, ("uint8", (37, 53, 3), 3001130662)),
    (vision.GaussianBlur((5, 3)), COLOUR, ("uint8", (37, 53, 3), 3727668849)),
    (vision.Erase(1, 2, 30, 20, (5, 6, 7)), COLOUR, ("uint8", (37, 53, 3), 1292297662)),
    (vision.Perspective([[0, 52], [52, 52], [52, 0], [0, 0]], [[0, 32], [32, 32], [32, 0], [0, 0]]), COLOUR,
        ("uint8", (37, 53, 3), 3851309958)),
    (vision.RandomAutoContrast(prob=1.0), COLOUR, ("uint8", (37, 53, 3), 1178398856)),
    (vision.RandomEqualize(1.0), COLOUR, ("uint8", (37, 53, 3), 4293142066)),
    (vision.RandomPosterize((3, 3)), COLOUR, ("uint8", (37, 53, 3), 1765411753)),
    (vision.Resize((64, 64)), FLOATS, ("float32", (64, 64, 3), 2942388607)),
    (vision.Resize((20, 40)), FLOATS.astype(np.float64), ("float64", (20, 40, 3), 2573333927)),
    (vision.Resize((20, 40), Inter.BICUBIC), COLOUR, ("uint8", (20, 40, 3), 3671978767)),
    (vision.ResizedCrop(1, 2, 8, 7, (16, 18)), FLOATS, ("float32", (16, 18, 3), 3117565499)),
    (vision.AdjustBrightness(1.3), FLOATS, ("float32", (37, 53, 3), 1919108469)),
    (vision.AdjustSharpness(0.5), COLOUR, ("uint8", (37, 53, 3), 1232823034)),
    (vision.AdjustSharpness(2.5), GREY, ("uint8", (28, 28, 1), 1525270814)),
    (vision.RandomSharpness((1.5, 1.5)), COLOUR, ("uint8", (37, 53, 3), 2997343112)),
    (vision.RandomAdjustSharpness(2.0, 1.0), COLOUR, ("uint8", (37, 53, 3), 119007920)),
    (vision.RandomColor((0.3, 0.3)), COLOUR, ("uint8", (37, 53, 3), 2693067654)),
    (vision.ToTensor(), FLOATS, ("float32", (3, 37, 53), 3004687129)),
    (vision.ToTensor(), FLOATS.astype(np.float64), ("float32", (3, 37, 53), 3004687129)),
    (vision.ToTensor(np.float64), COLOUR, ("float64", (3, 37, 53), 223100333)),
    (vision.RandomResizedCrop((20, 20), (1.0, 1.0), (1.0, 1.0)), GREY[:21], ("uint8", (20, 20, 1), 2088034905)),
    (vision.Decode(), png(COLOUR), ("uint8", (37, 53, 3), 1178398856)),
    (vision.Decode(), png(GREY[..., 0]), ("uint8", (28, 28, 3), 3525360468)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("transform", "image", "expected"),
    MINDSPORE,
    ids=[f"{type(t).__name__}{i}" for i, (t, _, _) in enumerate(MINDSPORE)],
)
def test_bits_of_mindspore(transform, image, expected):
    assert checksum(transform(image)) == expected
    if not transform.random:
        alike = transform.many(np.stack([image, image]))
        mixed = transform.many([image, image])
        assert [checksum(x) for x in (*alike, *mixed)] == [expected] * 4


#: What comes of a PIL image: of transforms that MindSpore has for arrays alone an array, of the others a PIL image.
MINDSPORE_OF_PICTURES = [
    (vision.ToTensor(), ("float32", (3, 37, 53), 1547065644), np.ndarray),
    (vision.Crop((1, 2), (5, 6)), ("uint8", (5, 6, 3), 785222846), np.ndarray),
    (vision.HorizontalFlip(), ("uint8", (37, 53, 3), 2506856994), np.ndarray),
    (vision.VerticalFlip(), ("uint8", (37, 53, 3), 4007429089), np.ndarray),
    (vision.Rotate(33, Inter.BILINEAR), ("uint8", (37, 53, 3), 1263237580), np.ndarray),
    (vision.Affine(15.0, (0.1, -0.2), 1.1, (5.0, 3.0)), ("uint8", (37, 53, 3), 2657067854), np.ndarray),
    (vision.PadToSize((64, 70)), ("uint8", (64, 70, 3), 3665624082), np.ndarray),
    (vision.Posterize(3), ("uint8", (37, 53, 3), 1765411753), np.ndarray),
    (vision.Solarize((10, 100)), ("uint8", (37, 53, 3), 1568842744), np.ndarray),
    (vision.GaussianBlur(3, 1.5), ("uint8", (37, 53, 3), 3569433714), np.ndarray),
    (vision.Erase(1, 2, 30, 20, (5, 6, 7)), ("uint8", (37, 53, 3), 1292297662), np.ndarray),
    (vision.AdjustSharpness(2.5), ("uint8", (37, 53, 3), 2183466936), np.ndarray),
    (vision.ResizedCrop(1, 2, 8, 7, (16, 18)), ("uint8", (16, 18, 3), 2561687774), np.ndarray),
    (vision.RandomInvert(1.0), ("uint8", (37, 53, 3), 942735488), np.ndarray),
    (vision.RandomEqualize(1.0), ("uint8", (37, 53, 3), 4293142066), np.ndarray),
    (vision.RandomAutoContrast(prob=1.0), ("uint8", (37, 53, 3), 1178398856), np.ndarray),
    (vision.RandomPosterize((3, 3)), ("uint8", (37, 53, 3), 1765411753), np.ndarray),
    (vision.CenterCrop((60, 20)), ("uint8", (60, 20, 3), 259627185), Image.Image),
    (vision.CenterCrop((20, 60)), ("uint8", (20, 60, 3), 312470843), Image.Image),
    (vision.RandomHorizontalFlip(1.0), ("uint8", (37, 53, 3), 2506856994), Image.Image),
]  # fmt: skip


@pytest.mark.parametrize(
    ("transform", "expected", "kind"),
    MINDSPORE_OF_PICTURES,
    ids=[f"{type(t).__name__}{i}" for i, (t, _, _) in enumerate(MINDSPORE_OF_PICTURES)],
)
def test_bits_of_mindspore_of_pictures(transform, expected, kind):
    made = transform(PICTURE)
    assert isinstance(made, kind) and checksum(np.asarray(made)) == expected
    if isinstance(transform, Sometimes):  # the same kind where nothing is done
        never = copy.copy(transform)
        never.prob = 0.0
        assert isinstance(never(PICTURE), kind)


def test_pieces_of_pictures():
    found = [checksum(np.asarray(piece))[2] for piece in vision.TenCrop((6, 9), True)(PICTURE)]
    assert found == [1764998313, 2535974436, 2968000631, 578609840, 2040350177, 1500416422, 1618942089, 3055106660,
                     2669578113, 2566513021]  # fmt: skip
    grey = vision.RandomGrayscale(1.0)(PICTURE.convert("RGBA"))
    assert grey.mode == "RGB" and checksum(np.asarray(grey)) == ("uint8", (37, 53, 3), 1965265522)


def test_pil_images_are_pillows():
    assert vision.Resize((20, 40))(PICTURE).tobytes() == PICTURE.resize((40, 20), Image.BILINEAR).tobytes()
    assert vision.CenterCrop(20)(PICTURE).tobytes() == COLOUR[8:28, 16:36].tobytes()
    assert isinstance(vision.ToPIL()(GREY), Image.Image) and vision.ToPIL()(GREY).mode == "L"
    assert vision.Grayscale()(PICTURE).tobytes() == PICTURE.convert("L").tobytes()
    assert np.array_equal(vision.Decode(to_pil=True)(png(COLOUR)), COLOUR)
    expected = PICTURE.rotate(30, Image.BILINEAR, fillcolor=(9, 9, 9)).tobytes()
    assert vision.RandomRotation((30, 30), Inter.BILINEAR, fill_value=9)(PICTURE).tobytes() == expected


SHAPES = {
    "RandomCrop": (vision.RandomCrop(16, padding=2), (16, 16, 3)),
    "RandomCrop, larger": (vision.RandomCrop(60, pad_if_needed=True), (60, 60, 3)),
    "RandomResizedCrop": (vision.RandomResizedCrop((8, 9)), (8, 9, 3)),
    "RandomRotation": (vision.RandomRotation(30), (37, 53, 3)),
    "RandomAffine": (vision.RandomAffine(10, (-0.1, 0.1), (0.9, 1.1), 5), (37, 53, 3)),
    "RandomColorAdjust": (vision.RandomColorAdjust(0.4, 0.4, 0.4, 0.1), (37, 53, 3)),
    "RandomColor": (vision.RandomColor(), (37, 53, 3)),
    "RandomSharpness": (vision.RandomSharpness(), (37, 53, 3)),
    "RandomResize": (vision.RandomResize((8, 9)), (8, 9, 3)),
    "RandomErasing": (vision.RandomErasing(1.0), (37, 53, 3)),
    "CutOut": (vision.CutOut(9), (37, 53, 3)),
    "RandomVerticalFlip": (vision.RandomVerticalFlip(), (37, 53, 3)),
    "RandomInvert": (vision.RandomInvert(), (37, 53, 3)),
    "RandomSelectSubpolicy": (
        vision.RandomSelectSubpolicy([[(vision.Invert(), 0.5)], [(vision.RandomRotation(9), 1.0)]]), (37, 53, 3),
    ),
    "UniformAugment": (vision.UniformAugment([vision.Invert(), vision.Equalize()], 1), (37, 53, 3)),
    "AutoAugment": (vision.AutoAugment(), (37, 53, 3)),
    "AutoAugment, SVHN": (vision.AutoAugment(vision.AutoAugmentPolicy.SVHN, Inter.BILINEAR, (9, 8, 7)), (37, 53, 3)),
    "RandAugment": (vision.RandAugment(), (37, 53, 3)),
    "TrivialAugmentWide": (vision.TrivialAugmentWide(), (37, 53, 3)),
    "RandomAutoContrast": (vision.RandomAutoContrast(10.0), (37, 53, 3)),
    "RandomEqualize": (vision.RandomEqualize(), (37, 53, 3)),
    "RandomPosterize": (vision.RandomPosterize((1, 8)), (37, 53, 3)),
    "RandomSolarize": (vision.RandomSolarize(), (37, 53, 3)),
    "RandomAdjustSharpness": (vision.RandomAdjustSharpness(2.0), (37, 53, 3)),
    "RandomLighting": (vision.RandomLighting(0.3), (37, 53, 3)),
    "RandomPerspective": (vision.RandomPerspective(), (37, 53, 3)),
    "RandomChoice": (transforms.RandomChoice([vision.Invert(), vision.Equalize()]), (37, 53, 3)),
    "RandomApply": (transforms.RandomApply([vision.Invert()]), (37, 53, 3)),
    "RandomOrder": (transforms.RandomOrder([vision.Invert(), vision.RandomRotation(9)]), (37, 53, 3)),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_random_transforms_follow_the_seed(name):
    transform, shape = SHAPES[name]

    def drawn(seed):
        ds.config.set_seed(seed)
        dataset = ds.NumpySlicesDataset([COLOUR] * 12, ["image"], shuffle=False).map(transform, "image")
        return [row["image"] for row in dataset.create_dict_iterator(output_numpy=True, num_epochs=1)]

    first, again, other = drawn(1), drawn(1), drawn(2)
    assert all(x.shape == shape and x.dtype == np.uint8 for x in first)
    assert all(map(np.array_equal, first, again)) and not all(map(np.array_equal, first, other))
    assert len({x.tobytes() for x in first}) > 1


def test_a_whole_pipeline():
    ds.config.set_seed(1)
    dataset = ds.NumpySlicesDataset({"image": np.stack([GREY] * 5), "label": np.arange(5)}, shuffle=False)
    steps = [vision.Resize((32, 32)), vision.Rescale(1 / 255.0, 0.0), vision.Normalize([0.1], [0.3]), vision.HWC2CHW()]
    one = dataset.map(steps, "image").map(transforms.TypeCast(np.int32), "label").batch(2)
    by_steps = dataset
    for step in steps:
        by_steps = by_steps.map(lambda x, step=step: step(x), "image")
    for row, other in zip(
        one.create_dict_iterator(output_numpy=True, num_epochs=1),
        by_steps.batch(2).create_dict_iterator(output_numpy=True, num_epochs=1),
    ):
        assert row["image"].flags.c_contiguous and row["image"].dtype == np.float32 and row["label"].dtype == np.int32
        assert row["image"].tobytes() == other["image"].tobytes()


ENDS = {
    "normal, channels first": [vision.Normalize([121.0, 115.0, 100.0], [70.0, 68.0, 71.0]), vision.HWC2CHW()],
    "normal": [vision.HorizontalFlip(), vision.Normalize([121.0], [70.0])],
    "channels first": [vision.VerticalFlip(), vision.HWC2CHW()],
    "random at the end": [vision.Normalize([1.0] * 3, [2.0] * 3), vision.RandomHorizontalFlip(), vision.HWC2CHW()],
    "cast at the end": [vision.Normalize([1.0] * 3, [2.0] * 3), vision.HWC2CHW(), transforms.TypeCast(np.float16)],
    "margins": [vision.Pad(2, 7)],
    "a turn": [vision.Rotate(30, fill_value=9)],
    "padded": [vision.NormalizePad([1.0] * 3, [2.0] * 3), vision.HWC2CHW()],
    "tensor": [vision.ToTensor(), vision.Normalize([0.5] * 3, [0.25] * 3, is_hwc=False)],
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_rows_together_have_the_bits_of_single_rows(name):
    """Many rows go through transforms piece by piece, and the last of them may write where the batch will be."""
    steps = ENDS[name]
    images = [RANDOM.randint(0, 256, (30, 40, 3)).astype(np.uint8) for _ in range(9)]
    ds.config.set_seed(4)
    source = ds.GeneratorDataset(images, "image", shuffle=False)
    together = source.map(steps, "image").batch(9)
    [[found]] = together.create_tuple_iterator(num_epochs=1, output_numpy=True)
    alone = [row[0] for row in source.map(steps, "image").create_tuple_iterator(num_epochs=1, output_numpy=True)]
    assert found.tobytes() == np.stack(alone).tobytes() and found.flags.c_contiguous
    if not any(step.random for step in steps):
        for image, row in zip(images, alone):
            for step in steps:
                image = step(image)
            assert np.ascontiguousarray(image).tobytes() == row.tobytes()


OTHERS = {
    "OneHot": (transforms.OneHot(4), 2, [0, 0, 1, 0]),
    "OneHot, smooth": (transforms.OneHot(4, 0.1), np.array([2]), [[0.025, 0.025, 0.925, 0.025]]),
    "TypeCast": (transforms.TypeCast(np.int32), np.array([1.7, -1.7]), [1, -1]),
    "TypeCast, wraps": (transforms.TypeCast(np.uint8), np.array([300.0, -1.0]), [44, 255]),
    "PadEnd": (transforms.PadEnd([5], -1), np.array([1, 2]), [1, 2, -1, -1, -1]),
    "PadEnd, cut": (transforms.PadEnd([1]), np.array([1, 2]), [1]),
    "PadEnd, words": (transforms.PadEnd([3], "z"), np.array(["a"]), ["a", "z", "z"]),
    "Fill": (transforms.Fill(7), np.ones((2,), np.float32), [7.0, 7.0]),
    "Fill, words": (transforms.Fill("z"), np.array(["a", "bb"]), ["z", "z"]),
    "Mask": (transforms.Mask(transforms.Relational.GE, 2), np.array([1, 2, 3]), [False, True, True]),
    "Concatenate": (transforms.Concatenate(0, np.array([9]), np.array([8])), np.array([1, 2]), [9, 1, 2, 8]),
    "Slice": (transforms.Slice(slice(0, 2), slice(1, 2)), np.arange(12).reshape(4, 3), [[1], [4]]),
    "Slice, list": (transforms.Slice([0, 2]), np.arange(4), [0, 2]),
    "Slice, one": (transforms.Slice(-1), np.arange(4), [3]),
    "Compose": (transforms.Compose([transforms.Fill(1), transforms.OneHot(3)]), np.array(5), [0, 1, 0]),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_transforms(name):
    transform, given, expected = OTHERS[name]
    assert transform(given).tolist() == expected


@pytest.mark.parametrize("kind", ["int8", "uint8", "int32", "uint32", "int64"])
def test_one_hot_keeps_the_type(kind):
    assert transforms.OneHot(3)(np.array([1, 0], kind)).dtype == kind
    assert transforms.OneHot(3, 0.1)(np.array([1, 0], kind)).dtype == np.float64


def test_transforms_of_several_fields():
    assert [x.tolist() for x in transforms.Duplicate()(np.array([1]))] == [[1], [1]]
    assert [x.tolist() for x in transforms.Unique()(np.array([3, 1, 3, 2]))] == [[3, 1, 2], [0, 1, 0, 2], [2, 1, 1]]
    image, mask = vision.RandomCrop(9)(COLOUR, COLOUR[..., :1])
    assert np.array_equal(image[..., :1], mask)


@pytest.mark.parametrize("prob", [0.0, 1.0])
def test_what_is_done_sometimes_keeps_all_fields(prob):
    made = [
        vision.RandomHorizontalFlip(prob), vision.RandomVerticalFlip(prob), vision.RandomInvert(prob),
        vision.RandomEqualize(prob), vision.RandomAutoContrast(prob=prob), vision.RandomAdjustSharpness(2.0, prob),
        vision.RandomGrayscale(prob),
    ]  # fmt: skip
    for transform in made:
        assert len(transform(PICTURE, PICTURE)) == 2, transform


ERRORS = {
    "size": (lambda: vision.Resize("a"), TypeError, "single integer or a list/tuple"),
    "size 0": (lambda: vision.Resize(0), ValueError, r"\[1, 16777216\]"),
    "sizes": (lambda: vision.Resize((1, 2, 3)), TypeError, "of length 2"),
    "interpolation": (lambda: vision.Resize(3, "a"), TypeError, "interpolation with value a"),
    "mean": (lambda: vision.Normalize([1.0], [1.0, 2.0]), ValueError, "mean and std must be equal"),
    "std": (lambda: vision.Normalize([1.0], [0.0]), ValueError, r"std\[0\] is not within .* \(0, 255\]"),
    "prob": (lambda: vision.RandomHorizontalFlip(2), ValueError, r"\[0.0, 1.0\]"),
    "prob word": (lambda: vision.RandomHorizontalFlip("a"), TypeError, "prob with value a"),
    "rescale": (lambda: vision.Rescale("a", 1), TypeError, "rescale with value a"),
    "padding": (lambda: vision.Pad(-1), ValueError, r"padding is not within .* \[0, 2147483647\]"),
    "scale": (lambda: vision.RandomResizedCrop(3, scale=(2, 1)), ValueError, r"\(min,max\) format. Got \(max,min\)"),
    "classes": (lambda: transforms.OneHot(0), ValueError, "greater than 0"),
    "auto": (lambda: vision.AutoAugment("imagenet"), TypeError, "policy with value imagenet"),
    "magnitude": (lambda: vision.RandAugment(magnitude=31), ValueError, "smaller than num_magnitude_bins"),
    "grey auto": (lambda: vision.AutoAugment()(GREY), RuntimeError, "should be 3, but got: 1"),
    "labels": (lambda: vision.MixUpBatch()(np.zeros((2, 3, 3, 3)), np.zeros(2)), RuntimeError, "labels one-hot"),
    "one column": (lambda: vision.MixUpBatch()(np.zeros((2, 3, 3, 3))), RuntimeError, "both image and label columns"),
    "alpha": (lambda: vision.MixUpBatch(0.0), ValueError, "alpha must be greater than 0"),
    "points": (lambda: vision.Perspective([1], [2]), TypeError, "start_points should be .* four points"),
    "translate": (lambda: vision.Affine(1.0, (2, 0), 1.0, 0), ValueError, r"within the required interval of \[-1.0"),
    "list": (lambda: transforms.Compose(3), TypeError, "transforms list with value 3"),
    "empty": (lambda: transforms.RandomChoice([]), ValueError, "can not be empty"),
    "policy": (lambda: vision.RandomSelectSubpolicy([]), ValueError, "policy can not be empty"),
    "operator": (lambda: transforms.Mask(3, 2), TypeError, "operator with value 3"),
    "no image": (lambda: vision.Resize(3)("a"), TypeError, "NumPy or PIL image"),
    "channels": (lambda: vision.Normalize([1.0, 1], [1.0, 1])(COLOUR), RuntimeError, "number of channels"),
    "crop": (lambda: vision.RandomCrop(99)(COLOUR), RuntimeError, "smaller than the rectangle 99 x 99"),
    "bytes": (lambda: vision.Decode()(np.zeros(9, np.uint8)), RuntimeError, "decode failed"),
    "decoded": (lambda: vision.Decode()(COLOUR), TypeError, "should be 1, but got 3"),
    "class": (lambda: transforms.OneHot(4)(np.array(5)), RuntimeError, r"must be in \[0, 3\]"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    make, kind, text = ERRORS[name]
    with pytest.raises(kind, match=text):
        make()


def test_a_part_that_is_said_to_be_gigabytes_long_takes_no_memory(tmp_path, monkeypatch):
    data = png(COLOUR).copy()
    data[33:37] = 0xC9, 0, 0, 0  # the length of the part behind the header
    data.tofile(tmp_path / "it.png")
    monkeypatch.setattr(cv(), "imdecode", None)  # not asked: it would take them
    for read in (lambda: vision.Decode()(data), lambda: vision.read_image(str(tmp_path / "it.png"))):
        with pytest.raises(RuntimeError, match="OpenCV knows"):
            read()


def test_what_pillow_says_of_damage_is_an_error_of_ours():
    data = png(COLOUR).copy()
    data[8:12] = 0  # the header is said to be empty
    with pytest.raises(RuntimeError, match="are no image that Pillow knows"):
        vision.Decode(to_pil=True)(data)


def test_the_sample_that_fails_among_many_is_told():
    images = [np.zeros((9, 9, 3), np.uint8)] * 20 + [np.zeros((2, 2, 3), np.uint8)]
    dataset = ds.GeneratorDataset(images, "image", shuffle=False).map(vision.RandomCrop(5), "image").batch(7)
    with pytest.raises(ds.SampleError, match="map: RandomCrop failed at sample 20 of epoch 0"):
        list(dataset)


# --- AutoAugment ------------------------------------------------------------------------------------------------------

SMOOTH = np.stack([np.add.outer(np.arange(60), np.arange(80)) % 256] * 3, 2).astype(np.uint8)


def test_steps_of_policies():
    """Each step at a strength, against Pillow or what it means."""
    augment = vision.AutoAugment(interpolation=Inter.NEAREST)
    wide = vision.TrivialAugmentWide()
    picture = Image.fromarray(SMOOTH)

    def step(*args, by=augment):
        return by.step(SMOOTH, *args)

    def same(found, expected, apart=1):
        assert np.abs(found.astype(int) - np.asarray(expected).astype(int)).max() <= apart

    same(step("Posterize", 1.0, False), SMOOTH & 0xF0, 0)
    same(step("Posterize", 1.0, False, by=wide), SMOOTH & 0xC0, 0)
    same(step("Solarize", 0.0, False), np.where(SMOOTH >= 255, 255 - SMOOTH, SMOOTH), 0)
    same(step("Solarize", 1.0, True), 255 - SMOOTH, 0)
    same(step("Invert", 0.5, True), 255 - SMOOTH, 0)
    same(step("Identity", 0.5, True), SMOOTH, 0)
    same(step("Brightness", 1.0, True), SMOOTH * 0.1)
    same(step("Contrast", 0.0, True), SMOOTH)
    same(step("Rotate", 1.0, False), Image.fromarray(SMOOTH).rotate(30, Image.NEAREST), 255)
    assert np.mean(step("Rotate", 1.0, False) != np.asarray(picture.rotate(30, Image.NEAREST))) < 0.05
    shift = int(80 * 150 / 331)
    expected = np.zeros_like(SMOOTH)
    expected[:, shift:] = SMOOTH[:, :-shift]
    same(step("TranslateX", 1.0, False), expected, 0)
    expected = np.zeros_like(SMOOTH)
    expected[:-32] = SMOOTH[32:]
    same(step("TranslateY", 1.0, True, by=wide), expected, 0)
    sheared = step("ShearX", 1.0, False)
    rows = [np.flatnonzero(sheared[y].sum(1))[[0, -1]] for y in (0, 59)]
    assert rows[0][1] < 78 and rows[0][0] == 0 and rows[1][0] > 5  # the top went left, the bottom right
    same(step("AutoContrast", 0.0, False), np.asarray(Image.fromarray(SMOOTH).point(lambda v: v * 255 // 138)), 1)


def test_policies_have_25_pairs_of_steps():
    for policy in vision.AutoAugmentPolicy:
        steps = vision.AutoAugment(policy).steps
        assert len(steps) == 25 and all(len(pair) == 2 for pair in steps)
        names = {name for pair in steps for name, _, _ in pair}
        assert names <= {*vision.RandAugment.names, "Invert"}
        assert all(0 <= prob <= 1 and 0 <= strength <= 9 for pair in steps for _, prob, strength in pair)


# --- batches ----------------------------------------------------------------------------------------------------------


def batch():
    return np.stack([np.full((8, 8, 3), 20 * i, np.uint8) for i in range(5)]), np.eye(5, dtype=np.int32)


def test_mixed_batches():
    images, labels = batch()
    mixed, shares = vision.MixUpBatch(1.0)(images, labels)
    assert mixed.dtype == np.uint8 and shares.dtype == np.float32
    np.testing.assert_allclose(shares.sum(1), 1, rtol=1e-6)
    np.testing.assert_allclose(mixed[:, 0, 0, 0], shares @ (20 * np.arange(5)), atol=1)
    for layout in vision.ImageBatchFormat:
        given = images if layout is vision.ImageBatchFormat.NHWC else images.transpose(0, 3, 1, 2)
        cut, shares = vision.CutMixBatch(layout, 1.0, 1.0)(given, labels)
        means = cut.mean(axis=(2, 3) if layout is vision.ImageBatchFormat.NCHW else (1, 2))[:, 0]
        np.testing.assert_allclose(means, shares @ (20 * np.arange(5)), rtol=1e-5)
        assert set(np.unique(cut)) <= {0, 20, 40, 60, 80}
        same, kept = vision.CutMixBatch(layout, 1.0, 0.0)(given, labels)
        assert np.array_equal(same, given) and np.array_equal(kept, labels)
    mixed, shares = vision.MixUp(5, 0.2)(images, labels)
    assert [sorted(np.flatnonzero(row)) for row in shares] == [[i, i + 1] for i in range(4)] + [[0, 4]]
    np.testing.assert_allclose(mixed[:, 0, 0, 0], shares @ (20 * np.arange(5)))
    dataset = ds.NumpySlicesDataset({"image": images, "label": labels}, shuffle=False).batch(5)
    both = ["image", "label"]
    ds.config.set_seed(3)
    found = []
    for workers in (1, 2):
        mapped = dataset.map(vision.MixUpBatch(), both, num_parallel_workers=workers)
        found.append(next(mapped.create_dict_iterator(output_numpy=True))["label"].tolist())
    assert found[0] == found[1]


# --- pieces, colours, files -------------------------------------------------------------------------------------------


def test_pieces():
    five = vision.FiveCrop((10, 20))(COLOUR)
    corners = COLOUR[:10, :20], COLOUR[:10, -20:], COLOUR[-10:, :20], COLOUR[-10:, -20:]
    assert [x.tobytes() for x in five] == [x.tobytes() for x in (*corners, COLOUR[13:23, 16:36])]
    ten = vision.TenCrop((10, 20), use_vertical_flip=True)(PICTURE)
    assert len(ten) == 10 and ten[5].tobytes() == COLOUR[::-1][:10, :20].tobytes()
    dataset = ds.GeneratorDataset([COLOUR], "a").map(vision.FiveCrop(5), "a", list("abcde"))
    assert [x.shape for x in next(dataset.create_tuple_iterator(output_numpy=True))] == [(5, 5, 3)] * 5
    with pytest.raises(ValueError, match="larger than input image"):
        vision.FiveCrop(99)(COLOUR)


def test_colour_spaces():
    import colorsys

    image = np.random.RandomState(3).rand(6, 7, 3)
    image[0, 0] = image[0, 0, 0]  # grey
    hsv = vision.RgbToHsv(is_hwc=True)(image)
    expected = [[colorsys.rgb_to_hsv(*pixel) for pixel in row] for row in image]
    np.testing.assert_allclose(hsv, expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(vision.HsvToRgb(is_hwc=True)(hsv), image, rtol=1e-12)
    planes = vision.RgbToHsv()(image.transpose(2, 0, 1)[None])
    np.testing.assert_array_equal(planes[0].transpose(1, 2, 0), hsv)
    padded = vision.NormalizePad([121.0, 115.0, 100.0], [70.0, 68.0, 71.0])(COLOUR)
    np.testing.assert_array_equal(padded[..., :3], vision.Normalize([121.0, 115.0, 100.0], [70.0, 68.0, 71.0])(COLOUR))
    assert padded.shape == (37, 53, 4) and not padded[..., 3].any()
    flat = np.arange(12.0).reshape(3, 2, 2)
    whitened = vision.LinearTransformation(np.eye(12) * 2, np.ones(12))(flat)
    np.testing.assert_array_equal(whitened, (flat - 1) * 2)


def test_image_files(tmp_path):
    for ending, write in ((".png", vision.write_png), (".jpg", vision.write_jpeg)):
        path = str(tmp_path / f"ü{ending}")
        write(path, COLOUR)
        data = vision.read_file(path)
        assert np.array_equal(vision.Decode()(data), vision.read_image(path))
        assert np.abs(vision.read_image(path).astype(int) - np.asarray(Image.open(path))).max() <= 3
    assert np.array_equal(vision.read_image(str(tmp_path / "ü.png")), COLOUR)
    grey = vision.read_image(str(tmp_path / "ü.png"), vision.ImageReadMode.GRAYSCALE)
    assert grey.shape == (37, 53, 1)
    assert np.array_equal(vision.Decode()(vision.encode_png(GREY)), np.repeat(GREY, 3, 2))
    assert vision.get_image_size(PICTURE) == vision.get_image_size(COLOUR) == [37, 53]
    assert vision.get_image_num_channels(PICTURE) == vision.get_image_num_channels(COLOUR) == 3
    vision.write_file(str(tmp_path / "a"), np.arange(3, dtype=np.uint8))
    assert vision.read_file(str(tmp_path / "a")).tolist() == [0, 1, 2]
    with pytest.raises(RuntimeError, match="does not exist"):
        vision.read_image(str(tmp_path / "none"))
    with pytest.raises(RuntimeError, match="should be uint8"):
        vision.encode_png(np.zeros((3, 3)))


@pytest.mark.parametrize("dtype", ["int8", "uint32", "int64", "float16", "bool"])
def test_what_opencv_does_not_do_is_said(dtype):
    """Transforms give something, or say which type they got: no error of OpenCV or numpy comes through."""
    image, refused = COLOUR.astype(dtype), 0
    others = [vision.GaussianBlur(3), vision.Solarize((60, 180)), vision.Posterize(3)]
    for transform in [case[0] for case in MINDSPORE] + others:
        try:
            transform(image)
        except AnforaError as error:
            refused += dtype in str(error)
    assert refused
