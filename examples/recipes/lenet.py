"""LeNet-5 on Fashion-MNIST."""

from __future__ import annotations

from typing import Any, ClassVar

from anfora import nn, train
from anfora.examples.recipes.fashion import FashionRecipe
from anfora.examples.recipes.recipe import warm_and_fall
from anfora.models import LeNet5

__all__ = ["LeNet"]


class LeNet(FashionRecipe):
    """LeNet-5, 62 thousand weights, on pictures of clothes."""

    settings: ClassVar[dict[str, tuple[Any, str]]] = {
        "epochs": (20, "passes over the 60,000 images"),
        "batch": (64, "images a step"),
    }
    margin = 2  # LeNet takes 32 x 32 pixels

    def model(self, steps: int) -> train.Model:
        net = LeNet5(num_class=10, num_channel=1)
        loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        rates = warm_and_fall(0.05, steps)
        optimizer = nn.Momentum(net.trainable_params(), rates, momentum=0.9, weight_decay=2e-4)
        return train.Model(net, loss, optimizer, metrics={"accuracy"})
