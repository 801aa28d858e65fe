"""ResNet-20 on Fashion-MNIST."""

from __future__ import annotations

from typing import Any, ClassVar

from anfora import nn, train
from anfora.examples.recipes.fashion import FashionRecipe
from anfora.examples.recipes.recipe import warm_and_fall
from anfora.models import resnet20

__all__ = ["ResNet20"]


class ResNet20(FashionRecipe):
    """ResNet-20, 272 thousand weights, on pictures of clothes, which are flipped and moved a little."""

    settings: ClassVar[dict[str, tuple[Any, str]]] = {
        "epochs": (7, "passes over the 60,000 images"),
        "batch": (128, "images a step"),
    }
    shift = 1

    def model(self, steps: int) -> train.Model:
        net = resnet20(num_classes=10, in_channels=1)
        loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        rates = warm_and_fall(0.2, steps, warm=0.2)
        optimizer = nn.Momentum(net.trainable_params(), rates, momentum=0.9, weight_decay=5e-4, use_nesterov=True)
        return train.Model(net, loss, optimizer, metrics={"accuracy"})
