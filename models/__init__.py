"""Networks to begin with, each in a file of its own.

    mlp.py       dense layers                       lenet.py     LeNet-5 for handwritten digits
    resnet.py    ResNet-18, -20, -34 and -50        vgg.py       VGG-11 and -16
    gpt.py       a small GPT                        lstm.py      a classifier of texts

They are written as a user would write them.
"""

from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in
from anfora.models.gpt import GPT
from anfora.models.lenet import LeNet5
from anfora.models.lstm import LSTMClassifier
from anfora.models.mlp import MLP
from anfora.models.resnet import ResNet, SmallResNet, resnet18, resnet20, resnet34, resnet50
from anfora.models.vgg import VGG, vgg11, vgg16

__all__ = [
    "GPT", "MLP", "VGG", "LSTMClassifier", "LeNet5", "ResNet", "SmallResNet", "resnet18", "resnet20", "resnet34",
    "resnet50", "vgg11", "vgg16",
]  # fmt: skip


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
