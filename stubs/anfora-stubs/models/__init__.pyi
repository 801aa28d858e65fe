# Made by stubs/make.py from the live package; not to be edited.
import builtins
from typing import Any

from anfora.core.dtype import DType
from anfora.models.gpt import GPT as GPT
from anfora.models.lenet import LeNet5 as LeNet5
from anfora.models.lstm import LSTMClassifier as LSTMClassifier
from anfora.models.mlp import MLP as MLP
from anfora.models.resnet import ResNet as ResNet
from anfora.models.resnet import SmallResNet as SmallResNet
from anfora.models.resnet import resnet18 as resnet18
from anfora.models.resnet import resnet20 as resnet20
from anfora.models.resnet import resnet34 as resnet34
from anfora.models.resnet import resnet50 as resnet50
from anfora.models.vgg import VGG as VGG
from anfora.models.vgg import vgg11 as vgg11
from anfora.models.vgg import vgg16 as vgg16

