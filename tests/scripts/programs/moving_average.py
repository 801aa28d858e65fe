"""Gradients added up over steps, moving averages of weights, scaled losses: by hand."""

import sys

import mindspore as ms
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops
from mindspore.amp import DynamicLossScaler, StaticLossScaler, all_finite

ms.set_context(mode=ms.GRAPH_MODE if "graph" in sys.argv else ms.PYNATIVE_MODE)
rng = np.random.RandomState(12)
accumulate = ops.MultitypeFuncGraph("accumulate")
clear = ops.MultitypeFuncGraph("clear")


@accumulate.register("Tensor", "Tensor", "Number")
def _add(total, grad, n):
    return ops.assign_add(total, ops.cast(grad, ops.dtype(total)) / n)


@clear.register("Tensor")
def _zero(total):
    return ops.assign(total, ops.zeros_like(total))


class Trainer(nn.Cell):
    def __init__(self, network, optimizer, n):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.optimizer = optimizer
        self.weights = optimizer.parameters
        self.inner = self.weights.clone(prefix="accum", init="zeros")
        self.n = n
        self.step = Parameter(Tensor(0, ms.int32), name="own_step")
        self.hyper_map = ops.HyperMap()
        self.grad = ops.GradOperation(get_by_list=True)

    def construct(self, *data):
        loss = self.network(*data)
        grads = self.grad(self.network, self.weights)(*data)
        loss = ops.depend(
            loss, self.hyper_map(ops.partial(accumulate), self.inner, grads, (float(self.n),) * len(grads))
        )
        self.step += 1
        if self.step % self.n == 0:
            self.optimizer(self.inner)
            self.hyper_map(clear, self.inner)
        return loss


class EMA:
    def __init__(self, params, decay):
        self.params, self.decay = params, decay
        self.shadow = ParameterTuple(
            [Parameter(p.value().copy(), name="ema." + p.name, requires_grad=False) for p in params]
        )

    def update(self):
        for s, p in zip(self.shadow, self.params):
            s.set_data(s * self.decay + p * (1 - self.decay))

    def swap(self):
        for s, p in zip(self.shadow, self.params):
            kept = p.value().copy()
            ops.assign(p, s)
            ops.assign(s, kept)


def w(*s):
    return Tensor((rng.randn(*s) * 0.3).astype(np.float32))


net = nn.SequentialCell(nn.Dense(5, 7, w(7, 5), "zeros"), nn.Sigmoid(), nn.Dense(7, 1, w(1, 7), "zeros"))
loss_net = nn.WithLossCell(net, nn.L1Loss())
trainer = Trainer(loss_net, nn.AdaMax(net.trainable_params(), 0.05), 3)
ema = EMA(net.trainable_params(), 0.8)
x, y = w(32, 5), w(32, 1)
for i in range(9):
    loss = trainer(x[i * 3 : i * 3 + 4], y[i * 3 : i * 3 + 4])
    ema.update()
    print(i, f"{loss.asnumpy():.5f}", trainer.step.asnumpy(), f"{np.abs(trainer.inner[0].asnumpy()).sum():.5f}")
a = net(x).asnumpy().sum()
ema.swap()
b = net(x).asnumpy().sum()
ema.swap()
print(f"{a:.4f} {b:.4f} {net(x).asnumpy().sum():.4f}", [p.name for p in ema.shadow])

scaler = DynamicLossScaler(scale_value=2**10, scale_factor=2, scale_window=2)
static = StaticLossScaler(4.0)
opt = nn.Momentum(net.trainable_params(), 0.01, 0.9, loss_scale=1.0)


def forward(x, y):
    return scaler.scale(ops.mse_loss(net(x), y))


grad_fn = ops.value_and_grad(forward, None, opt.parameters)
for i in range(5):
    bad = Tensor(np.full((2, 5), 1e38, np.float32)) if i == 2 else x[:2]
    value, grads = grad_fn(bad * (1e10 if i == 2 else 1), y[:2] * (1e30 if i == 2 else 1))
    finite = all_finite(grads)
    value = scaler.unscale(value)
    if finite:
        opt(scaler.unscale(grads))
    changed = scaler.adjust(finite)
    print(i, bool(finite), float(scaler.scale_value.asnumpy()), f"{float(value.asnumpy()):.5f}" if i != 2 else "")
print(static.unscale(static.scale(Tensor([1.5, 2.0]))).asnumpy().tolist(), static.adjust(False))
