# Made by stubs/make.py from the live package; not to be edited.
import builtins
from typing import Any

from anfora.core.dtype import DType
from anfora.dataset.functions import not_random as not_random
from anfora.dataset.vision.augment import AutoAugment as AutoAugment
from anfora.dataset.vision.augment import RandAugment as RandAugment
from anfora.dataset.vision.augment import RandomSelectSubpolicy as RandomSelectSubpolicy
from anfora.dataset.vision.augment import TrivialAugmentWide as TrivialAugmentWide
from anfora.dataset.vision.augment import UniformAugment as UniformAugment
from anfora.dataset.vision.batches import CutMixBatch as CutMixBatch
from anfora.dataset.vision.batches import MixUp as MixUp
from anfora.dataset.vision.batches import MixUpBatch as MixUpBatch
from anfora.dataset.vision.chance import RandomAdjustSharpness as RandomAdjustSharpness
from anfora.dataset.vision.chance import RandomAutoContrast as RandomAutoContrast
from anfora.dataset.vision.chance import RandomEqualize as RandomEqualize
from anfora.dataset.vision.chance import RandomLighting as RandomLighting
from anfora.dataset.vision.chance import RandomPosterize as RandomPosterize
from anfora.dataset.vision.chance import RandomSolarize as RandomSolarize
from anfora.dataset.vision.cuts import FiveCrop as FiveCrop
from anfora.dataset.vision.cuts import Perspective as Perspective
from anfora.dataset.vision.cuts import RandomPerspective as RandomPerspective
from anfora.dataset.vision.cuts import TenCrop as TenCrop
from anfora.dataset.vision.enums import AutoAugmentPolicy as AutoAugmentPolicy
from anfora.dataset.vision.enums import Border as Border
from anfora.dataset.vision.enums import ConvertMode as ConvertMode
from anfora.dataset.vision.enums import ImageBatchFormat as ImageBatchFormat
from anfora.dataset.vision.enums import Inter as Inter
from anfora.dataset.vision.enums import SliceMode as SliceMode
from anfora.dataset.vision.files import ImageReadMode as ImageReadMode
from anfora.dataset.vision.files import encode_jpeg as encode_jpeg
from anfora.dataset.vision.files import encode_png as encode_png
from anfora.dataset.vision.files import get_image_num_channels as get_image_num_channels
from anfora.dataset.vision.files import get_image_size as get_image_size
from anfora.dataset.vision.files import read_file as read_file
from anfora.dataset.vision.files import read_image as read_image
from anfora.dataset.vision.files import write_file as write_file
from anfora.dataset.vision.files import write_jpeg as write_jpeg
from anfora.dataset.vision.files import write_png as write_png
from anfora.dataset.vision.geometry import Affine as Affine
from anfora.dataset.vision.geometry import CenterCrop as CenterCrop
from anfora.dataset.vision.geometry import Crop as Crop
from anfora.dataset.vision.geometry import Decode as Decode
from anfora.dataset.vision.geometry import HWC2CHW as HWC2CHW
from anfora.dataset.vision.geometry import HorizontalFlip as HorizontalFlip
from anfora.dataset.vision.geometry import Pad as Pad
from anfora.dataset.vision.geometry import PadToSize as PadToSize
from anfora.dataset.vision.geometry import RandomAffine as RandomAffine
from anfora.dataset.vision.geometry import RandomCrop as RandomCrop
from anfora.dataset.vision.geometry import RandomCropDecodeResize as RandomCropDecodeResize
from anfora.dataset.vision.geometry import RandomHorizontalFlip as RandomHorizontalFlip
from anfora.dataset.vision.geometry import RandomResize as RandomResize
from anfora.dataset.vision.geometry import RandomResizedCrop as RandomResizedCrop
from anfora.dataset.vision.geometry import RandomRotation as RandomRotation
from anfora.dataset.vision.geometry import RandomVerticalFlip as RandomVerticalFlip
from anfora.dataset.vision.geometry import Resize as Resize
from anfora.dataset.vision.geometry import ResizedCrop as ResizedCrop
from anfora.dataset.vision.geometry import Rotate as Rotate
from anfora.dataset.vision.geometry import VerticalFlip as VerticalFlip
from anfora.dataset.vision.numeric import AdjustGamma as AdjustGamma
from anfora.dataset.vision.numeric import Erase as Erase
from anfora.dataset.vision.numeric import HsvToRgb as HsvToRgb
from anfora.dataset.vision.numeric import LinearTransformation as LinearTransformation
from anfora.dataset.vision.numeric import NormalizePad as NormalizePad
from anfora.dataset.vision.numeric import RgbToHsv as RgbToHsv
from anfora.dataset.vision.values import AdjustBrightness as AdjustBrightness
from anfora.dataset.vision.values import AdjustContrast as AdjustContrast
from anfora.dataset.vision.values import AdjustHue as AdjustHue
from anfora.dataset.vision.values import AdjustSaturation as AdjustSaturation
from anfora.dataset.vision.values import AdjustSharpness as AdjustSharpness
from anfora.dataset.vision.values import AutoContrast as AutoContrast
from anfora.dataset.vision.values import ConvertColor as ConvertColor
from anfora.dataset.vision.values import CutOut as CutOut
from anfora.dataset.vision.values import Equalize as Equalize
from anfora.dataset.vision.values import GaussianBlur as GaussianBlur
from anfora.dataset.vision.values import Grayscale as Grayscale
from anfora.dataset.vision.values import Invert as Invert
from anfora.dataset.vision.values import Normalize as Normalize
from anfora.dataset.vision.values import Posterize as Posterize
from anfora.dataset.vision.values import RandomColor as RandomColor
from anfora.dataset.vision.values import RandomColorAdjust as RandomColorAdjust
from anfora.dataset.vision.values import RandomErasing as RandomErasing
from anfora.dataset.vision.values import RandomGrayscale as RandomGrayscale
from anfora.dataset.vision.values import RandomInvert as RandomInvert
from anfora.dataset.vision.values import RandomSharpness as RandomSharpness
from anfora.dataset.vision.values import Rescale as Rescale
from anfora.dataset.vision.values import Solarize as Solarize
from anfora.dataset.vision.values import ToNumpy as ToNumpy
from anfora.dataset.vision.values import ToPIL as ToPIL
from anfora.dataset.vision.values import ToTensor as ToTensor
from anfora.dataset.vision.values import ToType as ToType
from anfora.dataset.vision.with_boxes import BoundingBoxAugment as BoundingBoxAugment
from anfora.dataset.vision.with_boxes import RandomCropWithBBox as RandomCropWithBBox
from anfora.dataset.vision.with_boxes import RandomHorizontalFlipWithBBox as RandomHorizontalFlipWithBBox
from anfora.dataset.vision.with_boxes import RandomResizeWithBBox as RandomResizeWithBBox
from anfora.dataset.vision.with_boxes import RandomResizedCropWithBBox as RandomResizedCropWithBBox
from anfora.dataset.vision.with_boxes import RandomVerticalFlipWithBBox as RandomVerticalFlipWithBBox
from anfora.dataset.vision.with_boxes import ResizeWithBBox as ResizeWithBBox
from anfora.dataset.vision.with_boxes import SlicePatches as SlicePatches

__all__ = [
    "AdjustBrightness", "AdjustContrast", "AdjustGamma", "AdjustHue", "AdjustSaturation", "AdjustSharpness", "Affine",
    "AutoAugment", "AutoAugmentPolicy", "AutoContrast", "Border", "BoundingBoxAugment", "CenterCrop", "ConvertColor",
    "ConvertMode", "Crop", "CutMixBatch", "CutOut", "Decode", "Equalize", "Erase", "FiveCrop", "GaussianBlur", "Grayscale",
    "HWC2CHW", "HorizontalFlip", "HsvToRgb", "ImageBatchFormat", "ImageReadMode", "Inter", "Invert", "LinearTransformation",
    "MixUp", "MixUpBatch", "Normalize", "NormalizePad", "Pad", "PadToSize", "Perspective", "Posterize", "RandAugment",
    "RandomAdjustSharpness", "RandomAffine", "RandomAutoContrast", "RandomColor", "RandomColorAdjust", "RandomCrop",
    "RandomCropDecodeResize", "RandomCropWithBBox", "RandomEqualize", "RandomErasing", "RandomGrayscale",
    "RandomHorizontalFlip", "RandomHorizontalFlipWithBBox", "RandomInvert", "RandomLighting", "RandomPerspective",
    "RandomPosterize", "RandomResize", "RandomResizeWithBBox", "RandomResizedCrop", "RandomResizedCropWithBBox",
    "RandomRotation", "RandomSelectSubpolicy", "RandomSharpness", "RandomSolarize", "RandomVerticalFlip",
    "RandomVerticalFlipWithBBox", "Rescale", "Resize", "ResizeWithBBox", "ResizedCrop", "RgbToHsv", "Rotate", "SliceMode",
    "SlicePatches", "Solarize", "TenCrop", "ToNumpy", "ToPIL", "ToTensor", "ToType", "TrivialAugmentWide", "UniformAugment",
    "VerticalFlip", "encode_jpeg", "encode_png", "get_image_num_channels", "get_image_size", "not_random", "read_file",
    "read_image", "write_file", "write_jpeg", "write_png",
]
