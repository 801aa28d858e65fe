"""A network for segmentation with skip connections: pictures with masks, a loss and a metric of one's own."""

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.transforms as transforms
import mindspore.dataset.vision as vision
import mindspore.nn as nn
import mindspore.ops as ops
import numpy as np
from mindspore import Tensor
from mindspore.common.initializer import Constant, initializer
from mindspore.nn import Metric
from mindspore.train import Callback, Model


class ShapesDataset:
    """Discs and squares on noisy ground; the mask says which pixel belongs to what."""

    def __init__(self, n, size=32, seed=0):
        rng = np.random.RandomState(seed)
        self.images, self.masks = [], []
        yy, xx = np.mgrid[:size, :size]
        for i in range(n):
            img = rng.randint(0, 60, (size, size, 3)).astype(np.uint8)
            mask = np.zeros((size, size), np.uint8)
            cx, cy, r = rng.randint(8, 24), rng.randint(8, 24), rng.randint(4, 8)
            if i % 2:
                where = (xx - cx) ** 2 + (yy - cy) ** 2 < r * r
                mask[where] = 1
                img[where] = (200, 120, 30)
            else:
                where = (abs(xx - cx) < r) & (abs(yy - cy) < r)
                mask[where] = 2
                img[where] = (30, 140, 220)
            self.images.append(img)
            self.masks.append(mask)

    def __getitem__(self, i):
        return self.images[i], self.masks[i]

    def __len__(self):
        return len(self.images)


def flip_every_third(image, mask):
    if int(image.sum()) % 3 == 0:
        return np.ascontiguousarray(image[:, ::-1]), np.ascontiguousarray(mask[:, ::-1])
    return image, mask


def create_dataset(n, seed, batch):
    data = ds.GeneratorDataset(ShapesDataset(n, seed=seed), ["image", "mask"], shuffle=False)
    data = data.map(operations=flip_every_third, input_columns=["image", "mask"], output_columns=["image", "mask"])
    data = data.map(
        [vision.Rescale(1 / 255.0, 0.0), vision.Normalize([0.2, 0.2, 0.2], [0.3, 0.3, 0.3]), vision.HWC2CHW()], "image"
    )
    data = data.map(transforms.TypeCast(ms.int32), "mask")
    return data.batch(batch, drop_remainder=True)


def conv_block(cin, cout):
    return nn.SequentialCell(
        nn.Conv2d(cin, cout, 3, pad_mode="same", has_bias=False),
        nn.BatchNorm2d(cout),
        nn.ReLU(),
        nn.Conv2d(cout, cout, 3, pad_mode="pad", padding=1, has_bias=True),
        nn.LeakyReLU(0.1),
    )


class UNet(nn.Cell):
    def __init__(self, classes=3):
        super().__init__()
        self.down1 = conv_block(3, 8)
        self.down2 = conv_block(8, 16)
        self.pool = nn.MaxPool2d(2, 2)
        self.middle = conv_block(16, 16)
        self.up = nn.Conv2dTranspose(16, 16, 2, stride=2, pad_mode="valid")
        self.dec = conv_block(32, 8)
        self.head = nn.Conv2d(16, classes, 1)
        self.concat = ops.Concat(axis=1)

    def construct(self, x):
        a = self.down1(x)
        b = self.down2(self.pool(a))
        c = self.middle(self.pool(b))
        u = self.up(c)
        d = self.dec(self.concat((u, b)))
        d = ops.interpolate(d, size=(a.shape[2], a.shape[3]), mode="bilinear", align_corners=False)
        return self.head(ops.cat((d, a), axis=1))


class PixelLoss(nn.LossBase):
    def __init__(self, weights):
        super().__init__()
        self.ce = nn.CrossEntropyLoss(weight=Tensor(weights, ms.float32))

    def construct(self, logits, mask):
        c = logits.shape[1]
        flat = logits.transpose(0, 2, 3, 1).reshape(-1, c)
        return self.ce(flat, mask.view(-1))


class MeanIoU(Metric):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes
        self.clear()

    def clear(self):
        self.matrix = np.zeros((self.classes, self.classes), np.int64)

    def update(self, *inputs):
        logits = self._convert_data(inputs[0])
        mask = self._convert_data(inputs[1]).reshape(-1)
        guess = logits.argmax(1).reshape(-1)
        np.add.at(self.matrix, (mask, guess), 1)

    def eval(self):
        inter = np.diag(self.matrix)
        union = self.matrix.sum(0) + self.matrix.sum(1) - inter
        return float((inter / np.maximum(union, 1)).mean())


net = UNet()
rng = np.random.RandomState(3)
for p in net.trainable_params():
    if p.ndim > 1:
        fan = np.prod(p.shape[1:])
        p.set_data(Tensor(rng.randn(*p.shape) * np.sqrt(2.0 / fan), p.dtype))
    elif "gamma" in p.name:
        p.set_data(initializer(Constant(1.0), p.shape, p.dtype))
    else:
        p.set_data(initializer("zeros", p.shape, p.dtype))
print(len(net.trainable_params()), [p.name for p in net.trainable_params()][:6])

train_set, val_set = create_dataset(32, 0, 8), create_dataset(8, 9, 4)
print(train_set.get_dataset_size(), train_set.get_col_names(), train_set.output_shapes(), train_set.output_types())
steps = train_set.get_dataset_size()
lr = nn.cosine_decay_lr(1e-4, 5e-3, steps * 4, steps, 4)
opt = nn.Adam(net.trainable_params(), lr, weight_decay=1e-4)


class PrintEpoch(Callback):
    def on_train_epoch_end(self, run_context):
        p = run_context.original_args()
        print("epoch", p.cur_epoch_num, "loss", round(float(p.net_outputs.asnumpy()), 5))


model = Model(net, PixelLoss([0.5, 1.0, 1.0]), opt, metrics={"iou": MeanIoU(3)})
model.train(4, train_set, callbacks=[PrintEpoch()], dataset_sink_mode=False)
result = model.eval(val_set, dataset_sink_mode=False)
print({k: v > 0.8 for k, v in result.items()})
out = model.predict(Tensor(next(val_set.create_dict_iterator(output_numpy=True))["image"]))
print(out.shape, out.dtype, np.bincount(out.argmax(axis=1).asnumpy().ravel(), minlength=3) > 0)
