"""Transforms of images: `anfora.dataset.vision`, with MindSpore's names.

    enums.py      Inter, Border and other words         base.py     what transforms share
    geometry.py   those that move pixels                values.py   those that change what pixels hold
    with_boxes.py images with boxes, and in pieces
    cuts.py       several pieces; other perspectives    numeric.py  gamma, colour spaces, linear maps
    augment.py    those that choose among others        chance.py   those that are done sometimes
    batches.py    those that mix a batch                files.py    image files

Arrays are worked on by OpenCV, PIL images by Pillow: `pip install anfora[data]`. Random choices follow from the seed, the
epoch and the sample; a transform that a program calls itself draws from a stream that `config.set_seed` begins.
"""

import sys
from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in
from anfora.dataset.functions import not_random
from anfora.dataset.vision.augment import (
    AutoAugment,
    RandAugment,
    RandomSelectSubpolicy,
    TrivialAugmentWide,
    UniformAugment,
)  # fmt: skip
from anfora.dataset.vision.batches import (
    CutMixBatch,
    MixUp,
    MixUpBatch,
)  # fmt: skip
from anfora.dataset.vision.chance import (
    RandomAdjustSharpness,
    RandomAutoContrast,
    RandomEqualize,
    RandomLighting,
    RandomPosterize,
    RandomSolarize,
)  # fmt: skip
from anfora.dataset.vision.cuts import (
    FiveCrop,
    Perspective,
    RandomPerspective,
    TenCrop,
)  # fmt: skip
from anfora.dataset.vision.enums import (
    AutoAugmentPolicy,
    Border,
    ConvertMode,
    ImageBatchFormat,
    Inter,
    SliceMode,
)  # fmt: skip
from anfora.dataset.vision.files import (
    ImageReadMode,
    encode_jpeg,
    encode_png,
    get_image_num_channels,
    get_image_size,
    read_file,
    read_image,
    write_file,
    write_jpeg,
    write_png,
)  # fmt: skip
from anfora.dataset.vision.geometry import (
    HWC2CHW,
    Affine,
    CenterCrop,
    Crop,
    Decode,
    HorizontalFlip,
    Pad,
    PadToSize,
    RandomAffine,
    RandomCrop,
    RandomCropDecodeResize,
    RandomHorizontalFlip,
    RandomResize,
    RandomResizedCrop,
    RandomRotation,
    RandomVerticalFlip,
    Resize,
    ResizedCrop,
    Rotate,
    VerticalFlip,
)  # fmt: skip
from anfora.dataset.vision.numeric import (
    AdjustGamma,
    Erase,
    HsvToRgb,
    LinearTransformation,
    NormalizePad,
    RgbToHsv,
)  # fmt: skip
from anfora.dataset.vision.values import (
    AdjustBrightness,
    AdjustContrast,
    AdjustHue,
    AdjustSaturation,
    AdjustSharpness,
    AutoContrast,
    ConvertColor,
    CutOut,
    Equalize,
    GaussianBlur,
    Grayscale,
    Invert,
    Normalize,
    Posterize,
    RandomColor,
    RandomColorAdjust,
    RandomErasing,
    RandomGrayscale,
    RandomInvert,
    RandomSharpness,
    Rescale,
    Solarize,
    ToNumpy,
    ToPIL,
    ToTensor,
    ToType,
)  # fmt: skip
from anfora.dataset.vision.with_boxes import (
    BoundingBoxAugment,
    RandomCropWithBBox,
    RandomHorizontalFlipWithBBox,
    RandomResizedCropWithBBox,
    RandomResizeWithBBox,
    RandomVerticalFlipWithBBox,
    ResizeWithBBox,
    SlicePatches,
)

__all__ = [
    "AdjustBrightness", "AdjustContrast", "AdjustGamma", "AdjustHue", "AdjustSaturation", "AdjustSharpness", "Affine",
    "AutoAugment", "AutoAugmentPolicy", "AutoContrast", "Border", "BoundingBoxAugment", "CenterCrop", "ConvertColor",
    "ConvertMode", "Crop", "CutMixBatch", "CutOut", "Decode", "Equalize", "Erase", "FiveCrop", "GaussianBlur",
    "Grayscale", "HWC2CHW", "HorizontalFlip", "HsvToRgb", "ImageBatchFormat", "ImageReadMode", "Inter", "Invert",
    "LinearTransformation", "MixUp", "MixUpBatch", "Normalize", "NormalizePad", "Pad", "PadToSize", "Perspective",
    "Posterize", "RandAugment", "RandomAdjustSharpness", "RandomAffine", "RandomAutoContrast", "RandomColor",
    "RandomColorAdjust", "RandomCrop", "RandomCropDecodeResize", "RandomCropWithBBox", "RandomEqualize",
    "RandomErasing", "RandomGrayscale", "RandomHorizontalFlip", "RandomHorizontalFlipWithBBox", "RandomInvert",
    "RandomLighting", "RandomPerspective", "RandomPosterize", "RandomResize", "RandomResizeWithBBox",
    "RandomResizedCrop", "RandomResizedCropWithBBox", "RandomRotation", "RandomSelectSubpolicy", "RandomSharpness",
    "RandomSolarize", "RandomVerticalFlip", "RandomVerticalFlipWithBBox", "Rescale", "Resize", "ResizeWithBBox",
    "ResizedCrop", "RgbToHsv", "Rotate", "SliceMode", "SlicePatches", "Solarize", "TenCrop", "ToNumpy", "ToPIL",
    "ToTensor", "ToType", "TrivialAugmentWide", "UniformAugment", "VerticalFlip", "encode_jpeg", "encode_png",
    "get_image_num_channels", "get_image_size", "not_random", "read_file", "read_image", "write_file", "write_jpeg",
    "write_png",
]  # fmt: skip

c_transforms = py_transforms = sys.modules[__name__]  # MindSpore once kept two sets of transforms

if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
