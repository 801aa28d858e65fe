"""Triplets mined in a batch, and a loss on cosines."""

import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

ms.set_context(mode=ms.GRAPH_MODE if "graph" in sys.argv else ms.PYNATIVE_MODE)
rng = np.random.RandomState(21)


def w(*s):
    return Tensor((rng.randn(*s) * 0.3).astype(np.float32))


class Embed(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(
            2, 6, 3, pad_mode="pad", padding=1, weight_init=w(6, 2, 3), has_bias=True, bias_init="zeros"
        )
        self.bn = nn.BatchNorm1d(6)
        self.pool = nn.MaxPool1d(2, 2)
        self.fc = nn.Dense(6 * 4, 5, w(5, 24), "zeros")
        self.l2 = ops.L2Normalize(axis=1)

    def construct(self, x):
        h = self.pool(ops.relu(self.conv(x)))
        h = self.bn(h.mean(-1)).expand_dims(-1) + h
        return self.l2(self.fc(h.reshape(h.shape[0], -1)))


class Triplet(nn.Cell):
    def __init__(self, net, margin=0.4):
        super().__init__()
        self.net, self.margin = net, margin
        self.cosine = nn.CosineEmbeddingLoss(margin=0.1)

    def construct(self, x, labels):
        z = self.net(x)
        d = ((z[:, None] - z[None]) ** 2).sum(-1).clip(1e-9, None).sqrt()
        same = labels[:, None] == labels[None, :]
        eye = ops.eye(z.shape[0], z.shape[0], ms.bool_)
        positive = ops.masked_fill(d, ops.logical_or(ops.logical_not(same), eye), Tensor(-1.0, ms.float32))
        negative = ops.masked_fill(d, same, Tensor(1e4, ms.float32))
        loss = ops.relu(positive.amax(1) - negative.amin(1) + self.margin).mean()
        half = z.shape[0] // 2
        target = ops.select(labels[:half] == labels[half:], ops.ones((half,), ms.int32), -ops.ones((half,), ms.int32))
        return loss + 0.1 * self.cosine(z[:half], z[half:], target)


net = Embed()
cell = Triplet(net)
opt = nn.SGD(net.trainable_params(), learning_rate=nn.CosineDecayLR(0.01, 0.2, 8), momentum=0.9)
step = nn.TrainOneStepCell(cell, opt, sens=1.0).set_train()
labels = np.tile(np.arange(3), 4).astype(np.int32)
for i in range(8):
    x = (rng.randn(12, 2, 8) * 0.5 + labels[:, None, None]).astype(np.float32)
    print(i, f"{step(Tensor(x), Tensor(labels)).asnumpy():.5f}", opt.global_step.asnumpy().tolist())
net.set_train(False)
z = net(Tensor(x))
sim = ops.matmul(z, z.swapaxes(0, 1))
values, index = ops.topk(sim - 2 * ops.eye(12, 12, ms.float32), 1)
print(
    values.shape,
    f"{(labels[index.asnumpy()[:, 0]] == labels).mean():.3f}",
    f"{ops.norm(z, dim=1).asnumpy().mean():.4f}",
)
print(np.round(ops.norm(z[:3] - z[3:6] + 1e-6, dim=1).asnumpy(), 4).tolist())
