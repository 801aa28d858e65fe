"""A Siamese network: shared weights, a contrastive loss, gradients by `GradOperation`, a checkpoint with more in it."""

import os
import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, load_checkpoint, load_param_into_net, nn, ops, save_checkpoint

ms.set_context(mode=ms.PYNATIVE_MODE)


class Pairs:
    def __init__(self, n):
        rng = np.random.RandomState(1)
        self.centres = rng.randn(4, 12).astype(np.float32)
        self.rng = rng
        self.items = []
        for i in range(n):
            k = rng.randint(4)
            other = k if i % 2 else (k + 1) % 4
            a = self.centres[k] + 0.1 * rng.randn(12)
            b = self.centres[other] + 0.1 * rng.randn(12)
            self.items.append((a.astype(np.float32), b.astype(np.float32), np.float32(k == other)))

    def __getitem__(self, i):
        return self.items[i]

    def __len__(self):
        return len(self.items)


class Branch(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(12, 16), nn.Dense(16, 8)])
        self.relu = ops.ReLU()
        self.norm = ops.L2Normalize(axis=-1)

    def construct(self, x):
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i < len(self.layers) - 1:
                x = self.relu(x)
        return self.norm(x)


class Siamese(nn.Cell):
    def __init__(self):
        super().__init__()
        self.branch = Branch()
        self.margin = Parameter(Tensor(1.0, ms.float32), name="margin", requires_grad=False)

    def construct(self, a, b):
        return ops.norm(self.branch(a) - self.branch(b) + 1e-6, dim=-1)


class Contrastive(nn.LossBase):
    def __init__(self, margin):
        super().__init__("mean")
        self.margin = margin

    def construct(self, distance, same):
        loss = same * ops.square(distance) + (1 - same) * ops.square(
            ops.maximum(self.margin - distance, Tensor(0.0, ms.float32))
        )
        return self.get_loss(loss)


class TrainStep(nn.Cell):
    def __init__(self, net, loss, opt):
        super().__init__(auto_prefix=False)
        self.net, self.loss, self.opt = net, loss, opt
        self.weights = ParameterTuple(net.trainable_params())
        self.grad = ops.GradOperation(get_by_list=True, sens_param=False)

    def forward(self, a, b, y):
        return self.loss(self.net(a, b), y)

    def construct(self, a, b, y):
        loss = self.forward(a, b, y)
        grads = self.grad(self.forward, self.weights)(a, b, y)
        grads = ops.clip_by_value(grads, Tensor(-1.0), Tensor(1.0))
        return ops.depend(loss, self.opt(grads))


net = Siamese()
rng = np.random.RandomState(7)
for p in net.trainable_params():
    p.set_data(Tensor((rng.randn(*p.shape) * 0.3).astype(np.float32)))
opt = nn.RMSProp(net.trainable_params(), learning_rate=nn.ExponentialDecayLR(0.01, 0.9, 8, is_stair=True), decay=0.9)
step = TrainStep(net, Contrastive(net.margin), opt)
data = ds.GeneratorDataset(Pairs(64), ["a", "b", "same"], shuffle=False).batch(16)
for epoch in range(5):
    for a, b, same in data:
        loss = step(a, b, same)
    print(epoch, round(float(loss.asnumpy()), 5), round(float(opt.get_lr().asnumpy()), 6), opt.global_step.asnumpy())
path = os.path.join(sys.argv[1], "siamese.ckpt")
os.makedirs(sys.argv[1], exist_ok=True)
save_checkpoint(net, path, append_dict={"epoch": 5, "lr": 0.01, "note": "siamese"})
found = load_checkpoint(path)
print(
    sorted(found),
    found["epoch"].asnumpy().item(),
)
other = Siamese()
not_loaded = load_param_into_net(other, found)
print(not_loaded)
a, b, same = next(data.create_tuple_iterator())
print(np.array_equal(other(a, b).asnumpy(), net(a, b).asnumpy()))
d = net(a, b)
print(d.asnumpy()[same.asnumpy() > 0.5].mean() < d.asnumpy()[same.asnumpy() < 0.5].mean())
sim = ops.cosine_similarity(net.branch(a), net.branch(b), dim=-1)
print(sim.shape, sim.dtype, np.allclose(sim.asnumpy(), 1 - d.asnumpy() ** 2 / 2, atol=1e-4))
