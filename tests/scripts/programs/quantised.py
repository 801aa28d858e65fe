"""Training for few bits: rounding with its own gradient, bounds learned, then small weights left out."""

import sys

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

ms.set_context(mode=ms.GRAPH_MODE if "graph" in sys.argv else ms.PYNATIVE_MODE)
rng = np.random.RandomState(26)


def w(*s):
    return Tensor((rng.randn(*s) * 0.4).astype(np.float32))


class Round(nn.Cell):
    def construct(self, x):
        return ops.round(x)

    def bprop(self, x, out, dout):
        return (dout,)


class FakeQuant(nn.Cell):
    def __init__(self, bits=4, momentum=0.9):
        super().__init__()
        self.levels = 2 ** (bits - 1) - 1
        self.top = Parameter(Tensor([1.0], ms.float32), name="top", requires_grad=False)
        self.momentum = momentum
        self.round = Round()

    def construct(self, x):
        if self.training:
            self.top = self.momentum * self.top + (1 - self.momentum) * ops.stop_gradient(ops.abs(x).max()).reshape(1)
        scale = self.top / self.levels
        return self.round(ops.clamp(x / scale, -float(self.levels), float(self.levels))) * scale


class QDense(nn.Dense):
    def __init__(self, cin, cout):
        super().__init__(cin, cout, weight_init=w(cout, cin), bias_init="zeros")
        self.qw, self.qx = FakeQuant(), FakeQuant(6)

    def construct(self, x):
        return ops.matmul(self.qx(x), self.qw(self.weight).T) + self.bias


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a, self.b = QDense(5, 9), QDense(9, 3)

    def construct(self, x):
        return self.b(ops.relu(self.a(x)))


net = Net()
x, y = Tensor(rng.randn(20, 5).astype(np.float32)), Tensor(rng.randint(0, 3, 20), ms.int32)
opt = nn.Adam(net.trainable_params(), 0.02)
print([p.name for p in net.trainable_params()], [p.name for p in net.untrainable_params()])
step = ms.value_and_grad(lambda: ops.cross_entropy(net(x), y), None, opt.parameters)
net.set_train()
for i in range(6):
    v, g = step()
    opt(g)
    print(i, f"{v.asnumpy():.5f}", f"{net.a.qw.top.asnumpy()[0]:.5f}", f"{net.b.qx.top.asnumpy()[0]:.5f}")
net.set_train(False)
q = net.a.qw(net.a.weight)
print(
    len(np.unique(np.round(q.asnumpy(), 5))),
    f"{ops.cross_entropy(net(x), y).asnumpy():.5f}",
    net.a.qw.top.asnumpy().round(5).tolist(),
)
pruned = ops.topk(ops.abs(net.a.weight).reshape(-1), 20)[0].min()
mask = (ops.abs(net.a.weight) >= pruned).astype(ms.float32)
net.a.weight.set_data(net.a.weight * mask)
print(int(mask.sum()), f"{ops.cross_entropy(net(x), y).asnumpy():.5f}")
