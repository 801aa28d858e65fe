"""Loops of one's own: a compiled step, gradients added up, groups of parameters, a loss of one's own."""

import mindspore as ms
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops
from mindspore.ops import composite as C
from mindspore.ops import functional as F
from mindspore.ops import operations as P

random = np.random.default_rng(8)
x = random.standard_normal((96, 5)).astype(np.float32)
y = np.stack([np.sin(x[:, 0]) + x[:, 1], x[:, 2] * x[:, 3]], 1).astype(np.float32)


class Loss(nn.LossBase):
    """Smooth near 0, linear far away."""

    def __init__(self, reduction="mean"):
        super().__init__(reduction)
        self.abs = P.Abs()

    def construct(self, base, target):
        distance = self.abs(base - target)
        return self.get_loss(ops.select(distance < 1, 0.5 * distance**2, distance - 0.5))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2 = nn.Dense(5, 24, activation="tanh"), nn.Dense(24, 2)
        self.scale = Parameter(Tensor(1.0, ms.float32), name="scale")

    def construct(self, x):
        return self.fc2(self.fc1(x)) * self.scale


def start(net):
    first = np.random.default_rng(6)
    for parameter in net.trainable_params():
        if parameter.name != "scale":
            parameter.set_data(Tensor((first.standard_normal(parameter.shape) * 0.4).astype(np.float32)))
    return net


# a compiled step over groups of parameters, with a schedule
net, loss_fn = start(Net()), Loss()
decayed = [p for p in net.trainable_params() if "weight" in p.name]
others = [p for p in net.trainable_params() if "weight" not in p.name]
groups = [
    {"params": decayed, "weight_decay": 0.01},
    {"params": others, "lr": 0.02},
    {"order_params": net.trainable_params()},
]
rate = nn.piecewise_constant_lr([10, 20, 60], [0.1, 0.05, 0.01])
optimizer = nn.Momentum(groups, learning_rate=rate, momentum=0.9)


def forward(data, label):
    return loss_fn(net(data), label)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def step(data, label):
    loss, gradients = grad_fn(data, label)
    loss = ops.depend(loss, optimizer(gradients))
    return loss


losses = []
for _ in range(5):
    for at in range(0, 96, 16):
        losses.append(float(step(Tensor(x[at : at + 16]), Tensor(y[at : at + 16])).asnumpy()))
print([f"{v:.4f}" for v in losses[::6]])

# the older way: a Cell that differentiates, and gradients added up over steps
add = C.MultitypeFuncGraph("add")


@add.register("Tensor", "Tensor")
def _add(total, gradient):
    return F.depend(gradient, F.assign_add(total, gradient))


class Accumulate(nn.Cell):
    def __init__(self, network, optimizer, steps):
        super().__init__(auto_prefix=False)
        self.network = network
        self.weights = ParameterTuple(network.trainable_params())
        self.optimizer, self.steps = optimizer, steps
        self.totals = self.weights.clone(prefix="total", init="zeros")
        self.zeros = self.weights.clone(prefix="zero", init="zeros")
        self.grad = C.GradOperation(get_by_list=True, sens_param=False)
        self.map = C.HyperMap()

    def construct(self, data, label):
        loss = self.network(data, label)
        gradients = self.grad(self.network, self.weights)(data, label)
        return F.depend(loss, self.map(F.partial(add), self.totals, gradients))

    def update(self):
        self.optimizer(tuple(total / self.steps for total in self.totals))
        for total, zero in zip(self.totals, self.zeros):
            total.set_data(zero.value())


net = start(Net())
network = nn.WithLossCell(net, Loss())
accumulate = Accumulate(network, nn.SGD(net.trainable_params(), 0.2), 3)
for round_ in range(6):
    values = [accumulate(Tensor(x[at : at + 32]), Tensor(y[at : at + 32])) for at in range(0, 96, 32)]
    accumulate.update()
    if round_ % 2 == 0:
        print(round_, f"{np.mean([v.asnumpy() for v in values]):.4f}")

# the same as one step with the mean of all
whole = start(Net())
loss_of = ms.value_and_grad(lambda data, label: Loss()(whole(data), label), None, whole.trainable_params())
optimizer = nn.SGD(whole.trainable_params(), 0.2)
for _ in range(6):
    optimizer(loss_of(Tensor(x), Tensor(y))[1])
print(
    all(
        np.allclose(a.asnumpy(), b.asnumpy(), atol=1e-5)
        for a, b in zip(net.trainable_params(), whole.trainable_params())
    )
)
