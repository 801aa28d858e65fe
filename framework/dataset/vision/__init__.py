"""Transforms of images: `anfora.dataset.vision`, with MindSpore's names.

    enums.py      Inter, Border and other words         base.py     what transforms share
    geometry.py   those that move pixels                values.py   those that change what pixels hold
    augment.py    those that choose among others

Arrays are worked on by OpenCV, PIL images by Pillow: `pip install anfora[data]`. Random choices follow from the seed, the
epoch and the sample; a transform that a program calls itself draws from a stream that `config.set_seed` begins.
"""

import sys
from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in
from anfora.dataset.functions import not_random
from anfora.dataset.vision.augment import RandomSelectSubpolicy, UniformAugment
from anfora.dataset.vision.enums import AutoAugmentPolicy, Border, ConvertMode, ImageBatchFormat, Inter
from anfora.dataset.vision.geometry import (
    HWC2CHW,
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
from anfora.dataset.vision.values import (
    AdjustBrightness,
    AdjustContrast,
    AdjustHue,
    AdjustSaturation,
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

__all__ = [
    "AdjustBrightness", "AdjustContrast", "AdjustHue", "AdjustSaturation", "AutoAugmentPolicy", "AutoContrast", "Border",
    "CenterCrop", "ConvertColor", "ConvertMode", "Crop", "CutOut", "Decode", "Equalize", "GaussianBlur", "Grayscale",
    "HWC2CHW", "HorizontalFlip", "ImageBatchFormat", "Inter", "Invert", "Normalize", "Pad", "PadToSize", "Posterize",
    "RandomAffine", "RandomColor", "RandomColorAdjust", "RandomCrop", "RandomCropDecodeResize", "RandomErasing",
    "RandomGrayscale", "RandomHorizontalFlip", "RandomInvert", "RandomResize", "RandomResizedCrop", "RandomRotation",
    "RandomSelectSubpolicy", "RandomSharpness", "RandomVerticalFlip", "Rescale", "Resize", "ResizedCrop", "Rotate",
    "Solarize", "ToNumpy", "ToPIL", "ToTensor", "ToType", "UniformAugment", "VerticalFlip", "not_random",
]  # fmt: skip

c_transforms = py_transforms = sys.modules[__name__]  # MindSpore once kept two sets of transforms

if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
