"""A graph network that tells the parts of a graph apart: gathering, segment sums, a compiled step."""

import mindspore as ms
import mindspore.nn as nn
import mindspore.ops as ops
import numpy as np
from mindspore import Parameter, Tensor, jit

rng = np.random.RandomState(1)
groups, size = 4, 6
n = groups * size
edges = [
    (a, b)
    for g in range(groups)
    for a in range(g * size, (g + 1) * size)
    for b in range(g * size, (g + 1) * size)
    if a != b
]
edges += [(g * size, ((g + 1) % groups) * size) for g in range(groups)] + [(i, i) for i in range(n)]
src, dst = (Tensor(np.array(c), ms.int32) for c in zip(*edges))
labels = Tensor(np.repeat(np.arange(groups), size), ms.int32)
features = Tensor(rng.randn(n, 8) * 0.5 + np.eye(groups, 8)[np.repeat(np.arange(groups), size)], ms.float32)
mask = np.zeros(n, np.float32)
mask[::3] = 1
mask = Tensor(mask)


class GCNConv(nn.Cell):
    def __init__(self, inputs, outputs, n):
        super().__init__()
        self.fc = nn.Dense(inputs, outputs, has_bias=False)
        self.bias = Parameter(ops.zeros((outputs,), ms.float32), name="bias")
        self.n = n

    def construct(self, x, src, dst):
        ones = ops.ones((src.shape[0], 1), ms.float32)
        degree = ops.unsorted_segment_sum(ones, dst, self.n)
        norm = ops.pow(ops.clamp(degree, min=1.0), -0.5)
        x = self.fc(x) * norm
        messages = ops.gather(x, src, 0)
        summed = ops.unsorted_segment_sum(messages, dst, self.n)
        return summed * norm + self.bias


class GCN(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([GCNConv(8, 12, n), GCNConv(12, groups, n)])
        self.act = nn.ELU()

    def construct(self, x, src, dst):
        for i, layer in enumerate(self.layers):
            x = layer(x, src, dst)
            if i + 1 < len(self.layers):
                x = self.act(x)
        return x


net = GCN()
for p in net.get_parameters():
    p.set_data(Tensor(rng.randn(*p.shape) * 0.2, ms.float32))
opt = nn.SGD(net.trainable_params(), 0.5, momentum=0.9, nesterov=True)


def loss_fn(x):
    logits = net(x, src, dst)
    each = ops.cross_entropy(logits, labels, reduction="none", label_smoothing=0.05)
    return (each * mask).sum() / mask.sum(), logits


grad_fn = ms.value_and_grad(loss_fn, None, opt.parameters, has_aux=True)


@jit
def step(x):
    (loss, logits), grads = grad_fn(x)
    opt(grads)
    return loss, logits


for i in range(30):
    loss, logits = step(features)
    if i % 6 == 0:
        right = ops.equal(logits.argmax(axis=1), labels).astype(ms.float32)
        print(i, f"{loss.asnumpy():.4f}", f"{right.mean().asnumpy():.4f}")
top, where = ops.topk(ops.softmax(logits, -1), 2)
print(top.shape, where[:4].asnumpy().tolist())
print({k: v.shape for k, v in net.parameters_dict().items()})
