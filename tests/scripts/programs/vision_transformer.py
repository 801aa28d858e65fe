"""A vision transformer in graph mode: patches, a rate that warms up, smoothed labels."""

import mindspore as ms
import mindspore.dataset as ds
import mindspore.dataset.vision as vision
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import Normal, initializer
from mindspore.nn.learning_rate_schedule import LearningRateSchedule

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
rng = np.random.RandomState(0)


class Attention(nn.Cell):
    def __init__(self, dim, num_heads=4, keep_prob=1.0):
        super().__init__()
        self.num_heads = num_heads
        self.scale = Tensor((dim // num_heads) ** -0.5, ms.float32)
        self.qkv = nn.Dense(dim, dim * 3)
        self.attn_drop = nn.Dropout(p=1.0 - keep_prob)
        self.out = nn.Dense(dim, dim)
        self.attn_matmul_v = ops.BatchMatMul()
        self.q_matmul_k = ops.BatchMatMul(transpose_b=True)
        self.softmax = nn.Softmax(axis=-1)

    def construct(self, x):
        b, n, c = x.shape
        qkv = self.qkv(x)
        qkv = ops.reshape(qkv, (b, n, 3, self.num_heads, c // self.num_heads))
        qkv = ops.transpose(qkv, (2, 0, 3, 1, 4))
        q, k, v = ops.unstack(qkv, axis=0)
        attn = self.q_matmul_k(q, k)
        attn = ops.mul(attn, self.scale)
        attn = self.attn_drop(self.softmax(attn))
        out = self.attn_matmul_v(attn, v)
        out = ops.transpose(out, (0, 2, 1, 3))
        out = ops.reshape(out, (b, n, c))
        return self.out(out)


class FeedForward(nn.Cell):
    def __init__(self, dim, hidden, activation=nn.GELU):
        super().__init__()
        self.dense1 = nn.Dense(dim, hidden)
        self.activation = activation()
        self.dense2 = nn.Dense(hidden, dim)

    def construct(self, x):
        return self.dense2(self.activation(self.dense1(x)))


class Residual(nn.Cell):
    def __init__(self, *cells):
        super().__init__()
        self.cell = nn.SequentialCell(*cells)

    def construct(self, x):
        return self.cell(x) + x


class ViT(nn.Cell):
    def __init__(self, image=16, patch=4, dim=24, layers=2, classes=4):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, kernel_size=patch, stride=patch, has_bias=True)
        count = (image // patch) ** 2
        self.cls_token = Parameter(initializer(Normal(0.02), (1, 1, dim), ms.float32), name="cls", requires_grad=True)
        self.pos = Parameter(initializer(Normal(0.02), (1, count + 1, dim), ms.float32), name="pos")
        self.blocks = nn.SequentialCell(
            [
                nn.SequentialCell(
                    Residual(nn.LayerNorm((dim,)), Attention(dim)), Residual(nn.LayerNorm((dim,)), FeedForward(dim, 48))
                )
                for _ in range(layers)
            ]
        )
        self.norm = nn.LayerNorm((dim,))
        self.head = nn.Dense(dim, classes)

    def construct(self, x):
        x = self.patch(x)
        b, c, h, w = x.shape
        x = ops.transpose(x.view(b, c, h * w), (0, 2, 1))
        token = ops.tile(self.cls_token, (b, 1, 1))
        x = ops.concat((token, x), axis=1) + self.pos
        x = self.norm(self.blocks(x))
        return self.head(x[:, 0])


class Warm(LearningRateSchedule):
    def __init__(self, rate, warm, total):
        super().__init__()
        self.rate, self.warm, self.cosine = rate, Tensor(warm, ms.float32), nn.CosineDecayLR(rate * 0.01, rate, total)

    def construct(self, step):
        step = step.astype(ms.float32)
        return ops.select(step < self.warm, self.rate * (step + 1) / self.warm, self.cosine(step))


class Smoothed(nn.LossBase):
    def __init__(self, smooth=0.1, classes=4):
        super().__init__()
        self.on, self.off, self.classes = (
            Tensor(1 - smooth, ms.float32),
            Tensor(smooth / (classes - 1), ms.float32),
            classes,
        )
        self.ce = nn.SoftmaxCrossEntropyWithLogits()

    def construct(self, logits, label):
        return self.get_loss(self.ce(logits, ops.one_hot(label, self.classes, self.on, self.off)))


images = rng.randint(0, 255, (48, 20, 20, 3)).astype(np.uint8)
targets = rng.randint(0, 4, 48).astype(np.int32)
for i, t in enumerate(targets):
    images[i, :, :, t % 3] = images[i, :, :, t % 3] // 4 + 60 * (t // 3)
data = ds.NumpySlicesDataset({"image": images, "label": targets}, shuffle=False)
data = data.map(
    [
        vision.Resize((16, 16)),
        vision.RandomHorizontalFlip(prob=0.0),
        vision.Normalize([127.5] * 3, [60.0] * 3),
        vision.HWC2CHW(),
    ],
    "image",
).batch(12)
net = ViT()
for p in net.get_parameters():
    if "gamma" not in p.name and "beta" not in p.name:
        p.set_data(Tensor(rng.randn(*p.shape) * 0.08, ms.float32))
print(len(net.trainable_params()), sum(p.size for p in net.trainable_params()))
opt = nn.Adam(net.trainable_params(), Warm(0.004, 4, 40), weight_decay=1e-4)
trainer = nn.TrainOneStepCell(nn.WithLossCell(net, Smoothed()), opt)
trainer.set_train()
for epoch in range(6):
    losses = [trainer(b["image"], b["label"]).asnumpy() for b in data.create_dict_iterator()]
    print(epoch, " ".join(f"{float(loss):.3f}" for loss in losses))
net.set_train(False)
hits = sum(int((net(b["image"]).argmax(1) == b["label"]).sum()) for b in data.create_dict_iterator(num_epochs=1))
print(hits)
