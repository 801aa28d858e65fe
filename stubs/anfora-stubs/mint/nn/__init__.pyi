# Made by stubs/make.py from the live package; not to be edited.
import builtins
from typing import Any

from anfora.core.dtype import DType
from . import functional as functional
from anfora.core.cell import Cell as Cell
from anfora.nn.activation import HShrink as Hardshrink
from anfora.nn.activation import HSigmoid as Hardsigmoid
from anfora.nn.activation import HSwish as Hardswish
from anfora.nn.activation import LogSigmoid as LogSigmoid
from anfora.nn.activation import SeLU as SELU
from anfora.nn.activation import Sigmoid as Sigmoid
from anfora.nn.activation import SoftShrink as Softshrink
from anfora.nn.activation import Tanh as Tanh
from anfora.nn.basic import Flatten as Flatten
from anfora.nn.basic import Identity as Identity
from anfora.nn.basic import Linear as Linear
from anfora.nn.image import Fold as Fold
from anfora.nn.image import PixelShuffle as PixelShuffle
from anfora.nn.image import Upsample as Upsample
from anfora.nn.loss import L1Loss as L1Loss
from anfora.nn.loss import SoftMarginLoss as SoftMarginLoss
from anfora.nn.padding import ConstantPad1d as ConstantPad1d
from anfora.nn.padding import ConstantPad2d as ConstantPad2d
from anfora.nn.padding import ConstantPad3d as ConstantPad3d
from anfora.nn.padding import ReflectionPad1d as ReflectionPad1d
from anfora.nn.padding import ReflectionPad2d as ReflectionPad2d
from anfora.nn.padding import ReflectionPad3d as ReflectionPad3d
from anfora.nn.padding import ReplicationPad1d as ReplicationPad1d
from anfora.nn.padding import ReplicationPad2d as ReplicationPad2d
from anfora.nn.padding import ReplicationPad3d as ReplicationPad3d
from anfora.nn.padding import ZeroPad2d as ZeroPad2d
from anfora.nn.pooling import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from anfora.nn.pooling import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from anfora.nn.pooling import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from anfora.nn.pooling import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from anfora.nn.pooling import MaxUnpool2d as MaxUnpool2d

AdaptiveMaxPool1d: builtins.type

AvgPool1d: builtins.type

AvgPool2d: builtins.type

AvgPool3d: builtins.type

BCELoss: builtins.type

BCEWithLogitsLoss: builtins.type

BatchNorm1d: builtins.type

BatchNorm2d: builtins.type

BatchNorm3d: builtins.type

Conv1d: builtins.type

Conv2d: builtins.type

Conv3d: builtins.type

ConvTranspose2d: builtins.type

CosineEmbeddingLoss: builtins.type

CrossEntropyLoss: builtins.type

Dropout: builtins.type

Dropout2d: builtins.type

ELU: builtins.type

Embedding: builtins.type

GELU: builtins.type

GroupNorm: builtins.type

Hardtanh: builtins.type

KLDivLoss: builtins.type

LayerNorm: builtins.type

LogSoftmax: builtins.type

MSELoss: builtins.type

MaxPool2d: builtins.type

Mish: builtins.type

NLLLoss: builtins.type

PReLU: builtins.type

ReLU: builtins.type

ReLU6: builtins.type

SiLU: builtins.type

SmoothL1Loss: builtins.type

Softmax: builtins.type

Threshold: builtins.type

Unfold: builtins.type

UpsamplingBilinear2d: builtins.type

UpsamplingNearest2d: builtins.type

ZeroPad1d: builtins.type

ZeroPad3d: builtins.type
