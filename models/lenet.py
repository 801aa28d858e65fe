"""LeNet-5: the small convolutional network for handwritten digits.

Source:
    LeCun, Bottou, Bengio & Haffner, Proc. IEEE 86 (1998); with ReLU and maxima, as MindSpore's model zoo has it.
"""

from __future__ import annotations

from anfora import nn
from anfora.core.tensor import Tensor

__all__ = ["LeNet5"]


class LeNet5(nn.Cell):
    """Two convolutions with pooling, and three dense layers.

    Args:
        num_class: classes.
        num_channel: channels of an image.
    Input, output:
        images (N, num_channel, 32, 32), logits (N, num_class).

    Example:
        >>> from anfora import ops
        >>> LeNet5()(ops.zeros((2, 1, 32, 32))).shape
        (2, 10)
    """

    def __init__(self, num_class: int = 10, num_channel: int = 1) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(num_channel, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(16 * 5 * 5, 120)
        self.fc2 = nn.Dense(120, 84)
        self.fc3 = nn.Dense(84, num_class)

    def construct(self, x: Tensor) -> Tensor:
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)
