"""Segmentation: image and mask changed together, a loss by weights and by overlap, a table of classes."""

import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.dataset import transforms, vision
from mindspore.train import Callback, Model

ms.set_context(mode=ms.GRAPH_MODE if "graph" in sys.argv else ms.PYNATIVE_MODE)
rng = np.random.RandomState(11)


class Shapes:
    def __init__(self, n):
        self.items = []
        for _i in range(n):
            mask = np.zeros((12, 12), np.uint8)
            a, b = rng.randint(1, 6, 2)
            mask[a : a + 5, b : b + 5] = 1
            image = (mask[..., None] * np.array([150, 90, 30]) + rng.randint(0, 60, (12, 12, 3))).astype(np.uint8)
            self.items.append((image, mask))

    def __getitem__(self, i):
        return self.items[i]

    def __len__(self):
        return len(self.items)


def together(image, mask):
    if int(image.sum()) % 2:
        image, mask = image[:, ::-1], mask[:, ::-1]
    return np.ascontiguousarray(image), np.ascontiguousarray(mask)


def weight(mask):
    edge = np.pad(mask, 1)
    return mask, (1 + (np.abs(np.diff(edge, axis=0))[:-1, 1:-1] > 0)).astype(np.float32)


def make(n):
    data = ds.GeneratorDataset(Shapes(n), ["image", "mask"], shuffle=False)
    data = data.map(together, ["image", "mask"])
    data = data.map(
        [vision.Resize((16, 16), vision.Inter.LINEAR), vision.Normalize([60.0] * 3, [50.0] * 3), vision.HWC2CHW()],
        "image",
    )
    data = data.map(
        [lambda m: m[..., None], vision.Resize((16, 16), vision.Inter.NEAREST), lambda m: m.reshape(16, 16)], "mask"
    )
    data = data.map(weight, "mask", ["mask", "weight"])
    data = data.project(["image", "mask", "weight"])
    data = data.map(transforms.TypeCast(ms.int32), "mask")
    return data.batch(4, drop_remainder=False)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()

        def w(*s):
            return Tensor((rng.randn(*s) * 0.2).astype(np.float32))

        self.conv1 = nn.Conv2d(3, 6, 3, pad_mode="same", weight_init=w(6, 3, 3, 3), has_bias=True, bias_init="zeros")
        self.conv2 = nn.Conv2d(6, 6, 3, pad_mode="pad", padding=2, dilation=2, weight_init=w(6, 6, 3, 3))
        self.bn = nn.BatchNorm2d(6)
        self.out = nn.Conv2d(12, 2, 1, weight_init=w(2, 12, 1, 1), has_bias=True, bias_init="zeros")

    def construct(self, x):
        a = ops.relu(self.conv1(x))
        b = ops.hardswish(self.bn(self.conv2(a)))
        small = ops.interpolate(ops.max_pool2d(b, 2, 2), size=(16, 16), mode="bilinear", align_corners=False)
        return self.out(ops.cat([a, small], 1))


class Loss(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.dice = nn.DiceLoss(smooth=1e-3)

    def construct(self, image, mask, weight):
        logits = self.net(image)
        ce = ops.cross_entropy(logits, mask, reduction="none")
        probs = ops.softmax(logits, 1)[:, 1]
        return (ce * weight).mean() + self.dice(probs, mask.astype(ms.float32))


data = make(14)
print(data.get_col_names(), data.output_shapes(), data.get_dataset_size())
net = Net()
opt = nn.Adam(net.trainable_params(), nn.polynomial_decay_lr(0.02, 0.001, 20, 4, 5, 0.9))
model = Model(Loss(net), optimizer=opt)


class Print(Callback):
    def on_train_epoch_end(self, ctx):
        print(ctx.original_args().cur_epoch_num, f"{float(ctx.original_args().net_outputs.asnumpy()):.4f}")


model.train(5, data, callbacks=Print(), dataset_sink_mode=False)
net.set_train(False)
iou, dice = ms.train.ConfusionMatrix(2), ms.train.Dice()
for image, mask, _w in make(6).create_tuple_iterator(num_epochs=1):
    out = net(image)
    iou.update(out.argmax(1).reshape(-1), mask.reshape(-1))
    dice.update(ops.softmax(out, 1)[:, 1], mask.astype(ms.float32))
m = iou.eval()
print(m.astype(int).tolist(), f"{dice.eval():.4f}", f"{(np.diag(m) / (m.sum(0) + m.sum(1) - np.diag(m))).mean():.4f}")
