"""An optimizer of one's own, a gradient of one's own, hooks, a parameter that counts."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.nn import Optimizer


class Lion(Optimizer):
    def __init__(self, params, learning_rate=1e-3, beta1=0.9, beta2=0.99, weight_decay=0.0):
        super().__init__(learning_rate, params, weight_decay)
        self.m = self.parameters.clone(prefix="m", init="zeros")
        self.b1, self.b2 = beta1, beta2
        self.assign = ops.Assign()

    def construct(self, gradients):
        gradients = self.decay_weight(gradients)
        lr = self.get_lr()
        for i, p in enumerate(self.parameters):
            update = ops.sign(self.b1 * self.m[i] + (1 - self.b1) * gradients[i])
            self.assign(p, p - lr * update)
            self.assign(self.m[i], self.b2 * self.m[i] + (1 - self.b2) * gradients[i])
        return True


class Clamp(nn.Cell):
    """Own gradient."""

    def __init__(self):
        super().__init__()

    def construct(self, x):
        return ops.clamp(x, -1.0, 1.0)

    def bprop(self, x, out, dout):
        return (dout * 0.5,)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Dense(3, 6), nn.Dense(6, 1)
        self.clamp = Clamp()
        self.count = Parameter(Tensor(0, ms.int32), name="count", requires_grad=False)

    def construct(self, x):
        self.count += 1
        return self.b(self.clamp(self.a(x)))


net = Net()
rng = np.random.RandomState(3)
for p in net.trainable_params():
    p.set_data(Tensor(rng.randn(*p.shape) * 0.5, ms.float32))
seen = []
handle = net.a.register_forward_hook(lambda cell, args, out: seen.append(tuple(out.shape)))
back = net.b.register_backward_hook(lambda cell, gi, go: seen.append(len(gi)))
X = rng.randn(40, 3).astype(np.float32)
Y = (X[:, :1] - X[:, 1:2]).astype(np.float32)
data = ds.NumpySlicesDataset((X, Y), ["x", "y"], sampler=ds.SubsetSampler(list(range(0, 40, 2)))).batch(5)
print(data.get_dataset_size())
opt = Lion(net.trainable_params(), learning_rate=nn.ExponentialDecayLR(0.05, 0.9, 4), weight_decay=1e-3)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.HuberLoss()), opt)
step.set_train()
for epoch in range(6):
    for x, y in data.create_tuple_iterator():
        loss = step(x, y)
    print(epoch, round(float(loss.asnumpy()), 5), int(opt.global_step.asnumpy()[0]), int(net.count.asnumpy()))
print(seen[:4], len(seen))
handle.remove()
back.remove()
net(Tensor(X[:2]))
print(len(seen), [p.name for p in opt.m])
print(np.round(net.b.weight.asnumpy(), 3).tolist())
state = {p.name: p for p in opt.get_parameters()}
print(sorted(state))
