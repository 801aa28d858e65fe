"""VGG: stacks of 3 x 3 convolutions with pooling between them.

Source:
    Simonyan & Zisserman, arXiv:1409.1556 (2014); with batch normalisation where it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

from anfora import nn
from anfora.core.tensor import Tensor

__all__ = ["VGG", "vgg11", "vgg16"]


class VGG(nn.Cell):
    """Stacks of convolutions, each followed by a maximum over squares of two by two; then three dense layers.

    Args:
        stacks: for each stack, how many convolutions it has.
        num_classes: classes.
        in_channels: channels of an image.
        batch_norm: whether each convolution is normalised.
        width: channels of the first stack; each of the others has twice as many as the one before, up to 8 times these.
        features: of the two hidden dense layers.
        dropout: probability of 0 behind these, while training.
    Input, output:
        images (N, in_channels, H, W) of any size from 32 on, logits (N, num_classes).

    Example:
        >>> from anfora import ops
        >>> VGG([1, 1], num_classes=5, width=8, features=16)(ops.ones((2, 3, 32, 32))).shape
        (2, 5)
    """

    def __init__(
        self,
        stacks: Sequence[int],
        num_classes: int = 1000,
        in_channels: int = 3,
        batch_norm: bool = True,
        width: int = 64,
        features: int = 4096,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        layers: list[nn.Cell] = []
        most = 8 * width
        for count in stacks:
            for _ in range(count):
                layers.append(nn.Conv2d(in_channels, width, 3, has_bias=not batch_norm, weight_init="HeNormal"))
                if batch_norm:
                    layers.append(nn.BatchNorm2d(width))
                layers.append(nn.ReLU())
                in_channels = width
            layers.append(nn.MaxPool2d(kernel_size=2, stride=2))
            width = min(2 * width, most)
        self.layers = nn.SequentialCell(layers)
        self.pool = nn.AdaptiveAvgPool2d(7)
        self.flatten = nn.Flatten()
        self.classifier = nn.SequentialCell(
            nn.Dense(in_channels * 7 * 7, features), nn.ReLU(), nn.Dropout(p=dropout),
            nn.Dense(features, features), nn.ReLU(), nn.Dropout(p=dropout),
            nn.Dense(features, num_classes),
        )  # fmt: skip

    def construct(self, x: Tensor) -> Tensor:
        return self.classifier(self.flatten(self.pool(self.layers(x))))


def vgg11(num_classes: int = 1000, batch_norm: bool = True) -> VGG:
    """The network of 11 layers: 132.9 million parameters for 1000 classes.

    Example:
        >>> vgg11(num_classes=10)(ops.ones((1, 3, 224, 224))).shape  # doctest: +SKIP
        (1, 10)
    """
    return VGG([1, 1, 2, 2, 2], num_classes, batch_norm=batch_norm)


def vgg16(num_classes: int = 1000, batch_norm: bool = True) -> VGG:
    """The network of 16 layers: 138.4 million parameters for 1000 classes.

    Example:
        >>> vgg16(num_classes=10)(ops.ones((1, 3, 224, 224))).shape  # doctest: +SKIP
        (1, 10)
    """
    return VGG([2, 2, 3, 3, 3], num_classes, batch_norm=batch_norm)
