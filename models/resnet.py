"""Residual networks for images.

Every block adds what it computes to its input; where the shape changes, the input goes through a convolution of 1 x 1.

Source:
    He, Zhang, Ren & Sun, arXiv:1512.03385 (2015); with the stride in the 3 x 3 convolution, as is usual now.
"""

from __future__ import annotations

from collections.abc import Sequence

from anfora import nn, ops
from anfora.core.tensor import Tensor

__all__ = ["BasicBlock", "Bottleneck", "ResNet", "SmallResNet", "resnet18", "resnet20", "resnet34", "resnet50"]


def _conv(in_channels: int, out_channels: int, kernel_size: int, stride: int = 1) -> nn.Conv2d:
    return nn.Conv2d(in_channels, out_channels, kernel_size, stride, weight_init="HeNormal")


class _Block(nn.Cell):
    """A shortcut around what `residual` computes."""

    expansion = 1  #: how many times as many channels come out as the block is wide

    def __init__(self, in_channels: int, width: int, stride: int) -> None:
        super().__init__()
        self.relu = nn.ReLU()
        self.down_sample: nn.Cell | None = None
        out_channels = width * self.expansion
        if stride != 1 or in_channels != out_channels:
            self.down_sample = nn.SequentialCell(
                _conv(in_channels, out_channels, 1, stride), nn.BatchNorm2d(out_channels)
            )

    def residual(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def construct(self, x: Tensor) -> Tensor:
        shortcut = x if self.down_sample is None else self.down_sample(x)
        return self.relu(self.residual(x) + shortcut)


class BasicBlock(_Block):
    """Two convolutions of 3 x 3.

    Args:
        in_channels: channels of the input.
        width: channels of the convolutions.
        stride: of the first one.
    """

    def __init__(self, in_channels: int, width: int, stride: int = 1) -> None:
        super().__init__(in_channels, width, stride)
        self.conv1 = _conv(in_channels, width, 3, stride)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = _conv(width, width, 3)
        self.bn2 = nn.BatchNorm2d(width)

    def residual(self, x: Tensor) -> Tensor:
        x = self.relu(self.bn1(self.conv1(x)))
        return self.bn2(self.conv2(x))


class Bottleneck(_Block):
    """Convolutions of 1 x 1, 3 x 3 and 1 x 1, of which the last has four times as many channels.

    Args:
        in_channels: channels of the input.
        width: channels of the first two convolutions.
        stride: of the second one.
    """

    expansion = 4

    def __init__(self, in_channels: int, width: int, stride: int = 1) -> None:
        super().__init__(in_channels, width, stride)
        self.conv1 = _conv(in_channels, width, 1)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = _conv(width, width, 3, stride)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = _conv(width, width * self.expansion, 1)
        self.bn3 = nn.BatchNorm2d(width * self.expansion)

    def residual(self, x: Tensor) -> Tensor:
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.relu(self.bn2(self.conv2(x)))
        return self.bn3(self.conv3(x))


class ResNet(nn.Cell):
    """A stem, four stages of blocks of which each halves the image and doubles the width, the mean, and a dense layer.

    Args:
        block: BasicBlock or Bottleneck.
        layer_nums: blocks of the stages.
        num_classes: classes.
        in_channels: channels of an image.
        width: of the first stage; those of the others are 2, 4 and 8 times as wide.
    Input, output:
        images (N, in_channels, H, W), logits (N, num_classes).

    Example:
        >>> ResNet(BasicBlock, [1, 1, 1, 1], num_classes=5, width=8)(ops.ones((2, 3, 32, 32))).shape
        (2, 5)
    """

    def __init__(
        self,
        block: type[_Block],
        layer_nums: Sequence[int],
        num_classes: int = 1000,
        in_channels: int = 3,
        width: int = 64,
    ) -> None:
        super().__init__()
        self.conv1 = _conv(in_channels, width, 7, 2)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU()
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, pad_mode="same")
        channels = width
        stages = []
        for stage, count in enumerate(layer_nums):
            blocks = []
            for i in range(count):
                blocks.append(block(channels, width, 2 if stage and not i else 1))
                channels = width * block.expansion
            stages.append(nn.SequentialCell(blocks))
            width *= 2
        self.layer1, self.layer2, self.layer3, self.layer4 = stages
        self.end_point = nn.Dense(channels, num_classes)

    def construct(self, x: Tensor) -> Tensor:
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.end_point(ops.reduce_mean(x, (2, 3)))


class SmallResNet(nn.Cell):
    """For small images: a convolution of 3 x 3, three stages of blocks of which each but the first halves the image and
    doubles the width, the mean, and a dense layer.

    Args:
        blocks: blocks of a stage.
        num_classes: classes.
        in_channels: channels of an image.
        width: of the first stage.
    Input, output:
        images (N, in_channels, H, W), logits (N, num_classes).

    Example:
        >>> SmallResNet(1, num_classes=5, width=4)(ops.ones((2, 3, 32, 32))).shape
        (2, 5)
    """

    def __init__(self, blocks: int, num_classes: int = 10, in_channels: int = 3, width: int = 16) -> None:
        super().__init__()
        self.conv1 = _conv(in_channels, width, 3)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU()
        layers: list[nn.Cell] = []
        channels = width
        for stage in range(3):
            for i in range(blocks):
                layers.append(BasicBlock(channels, width << stage, 2 if stage and not i else 1))
                channels = width << stage
        self.layers = nn.SequentialCell(layers)
        self.end_point = nn.Dense(channels, num_classes)

    def construct(self, x: Tensor) -> Tensor:
        x = self.layers(self.relu(self.bn1(self.conv1(x))))
        return self.end_point(ops.reduce_mean(x, (2, 3)))


def resnet18(num_classes: int = 1000, in_channels: int = 3) -> ResNet:
    """The network of 18 layers: 11.7 million parameters for 1000 classes.

    Example:
        >>> resnet18(num_classes=10)(ops.ones((1, 3, 32, 32))).shape
        (1, 10)
    """
    return ResNet(BasicBlock, [2, 2, 2, 2], num_classes, in_channels)


def resnet20(num_classes: int = 10, in_channels: int = 3) -> SmallResNet:
    """The network of 20 layers for small images: 272 thousand parameters.

    Example:
        >>> resnet20()(ops.ones((1, 3, 32, 32))).shape
        (1, 10)
    """
    return SmallResNet(3, num_classes, in_channels)


def resnet34(num_classes: int = 1000, in_channels: int = 3) -> ResNet:
    """The network of 34 layers: 21.8 million parameters for 1000 classes.

    Example:
        >>> resnet34(num_classes=10)(ops.ones((1, 3, 32, 32))).shape
        (1, 10)
    """
    return ResNet(BasicBlock, [3, 4, 6, 3], num_classes, in_channels)


def resnet50(num_classes: int = 1000, in_channels: int = 3) -> ResNet:
    """The network of 50 layers: 25.6 million parameters for 1000 classes.

    Example:
        >>> resnet50(num_classes=10)(ops.ones((1, 3, 32, 32))).shape
        (1, 10)
    """
    return ResNet(Bottleneck, [3, 4, 6, 3], num_classes, in_channels)
