"""Images in folders, a residual network in graph mode, Model with a loss, a metric and a rate by schedule."""

import os
import sys

import mindspore as ms
import mindspore.dataset as ds
import mindspore.nn as nn
import numpy as np
from mindspore import context
from mindspore.common.initializer import Constant
from mindspore.dataset import transforms, vision
from mindspore.train import LossMonitor, Model
from PIL import Image

context.set_context(mode=context.GRAPH_MODE, device_target="CPU")
folder = sys.argv[1]
random = np.random.default_rng(1)
for part, count in (("train", 48), ("val", 12)):
    for number in range(count):
        kind = ("crosses", "rings", "stripes")[number % 3]
        y, x = np.mgrid[-12:12, -12:12] + random.integers(-2, 3, (2, 1, 1))
        shape = {"crosses": (abs(x) < 3) | (abs(y) < 3), "rings": abs(np.hypot(x, y) - 8) < 2, "stripes": x % 6 < 3}[
            kind
        ]
        pixels = random.integers(0, 80, (24, 24, 3)) + 150 * shape[..., None]
        os.makedirs(os.path.join(folder, part, kind), exist_ok=True)
        Image.fromarray(pixels.astype(np.uint8)).save(os.path.join(folder, part, kind, f"{number:03}.png"))


def create_dataset(part, batch_size):
    dataset = ds.ImageFolderDataset(os.path.join(folder, part), shuffle=False, decode=False)
    operations = [
        vision.Decode(),
        vision.CenterCrop(20),
        vision.Normalize(mean=[85.0, 85.0, 85.0], std=[70.0, 70.0, 70.0]),
        vision.HWC2CHW(),
    ]
    dataset = dataset.map(operations=operations, input_columns="image")
    dataset = dataset.map(operations=transforms.TypeCast(ms.int32), input_columns="label")
    order = np.argsort(np.arange(dataset.get_dataset_size()) % (dataset.get_dataset_size() // 3), kind="stable")
    rows = list(dataset.create_tuple_iterator(output_numpy=True, num_epochs=1))
    mixed = ds.GeneratorDataset([rows[i] for i in order], ["image", "label"], shuffle=False)
    return mixed.batch(batch_size, drop_remainder=True)


def conv(inputs, outputs, stride=1):
    return nn.Conv2d(inputs, outputs, 3, stride, pad_mode="same", weight_init="HeUniform")


class ResidualBlock(nn.Cell):
    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        self.body = nn.SequentialCell(
            [
                conv(inputs, outputs, stride),
                nn.BatchNorm2d(outputs),
                nn.ReLU(),
                conv(outputs, outputs),
                nn.BatchNorm2d(outputs),
            ]
        )
        self.down = None
        if stride != 1 or inputs != outputs:
            self.down = nn.SequentialCell(nn.Conv2d(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))
        self.relu = nn.ReLU()

    def construct(self, x):
        identity = x
        if self.down is not None:
            identity = self.down(x)
        return self.relu(self.body(x) + identity)


class ResNet(nn.Cell):
    def __init__(self, classes):
        super().__init__()
        self.stem = nn.SequentialCell(conv(3, 8), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2, 2))
        self.layers = nn.SequentialCell(ResidualBlock(8, 8), ResidualBlock(8, 16, 2))
        self.pool, self.flatten = nn.AdaptiveAvgPool2d(1), nn.Flatten()
        self.head = nn.Dense(16, classes, bias_init=Constant(0.0))
        start = np.random.default_rng(2)
        for _, cell in self.cells_and_names():  # the same start for every framework
            if isinstance(cell, (nn.Conv2d, nn.Dense)):
                fan = np.prod(cell.weight.shape[1:])
                values = start.standard_normal(cell.weight.shape) / np.sqrt(fan)
                cell.weight.set_data(ms.Tensor(values.astype(np.float32)))

    def construct(self, x):
        x = self.layers(self.stem(x))
        return self.head(self.flatten(self.pool(x)))


train, val = create_dataset("train", 12), create_dataset("val", 12)
print(train.get_dataset_size(), [column.shape for column in next(train.create_tuple_iterator())])
net = ResNet(3)
rate = nn.cosine_decay_lr(min_lr=0.0, max_lr=0.05, total_step=20, step_per_epoch=4, decay_epoch=5)
optimizer = nn.Momentum(net.trainable_params(), learning_rate=rate, momentum=0.9, weight_decay=1e-4)
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
model = Model(net, loss_fn=loss, optimizer=optimizer, metrics={"acc", "loss"})
model.train(5, train, callbacks=[LossMonitor(4)], dataset_sink_mode=False)
result = model.eval(val, dataset_sink_mode=False)
print(sorted(result), f"{result['acc']:.2f}", result["loss"] < 0.5)
