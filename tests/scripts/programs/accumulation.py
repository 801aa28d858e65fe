"""Gradient accumulation over small batches, as the tutorial writes it."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, nn, ops


class Accumulator:
    def __init__(self, optimizer, accumulate_step, clip_norm=1.0):
        self.optimizer = optimizer
        self.clip_norm = clip_norm
        self.inner_grads = optimizer.parameters.clone(prefix="accumulate_", init="zeros")
        self.zeros = optimizer.parameters.clone(prefix="zeros_", init="zeros")
        self.counter = Parameter(Tensor(1, ms.int32), "counter_")
        assert accumulate_step > 0
        self.accumulate_step = accumulate_step
        self.map = ops.HyperMap()

    def __call__(self, grads):
        self.map(ops.partial(ops.assign_add), self.inner_grads, grads)
        if self.counter % self.accumulate_step == 0:
            self.optimizer(self.inner_grads)
            self.map(ops.partial(ops.assign), self.inner_grads, self.zeros)
        ops.assign_add(self.counter, Tensor(1, ms.int32))
        return True


class TrainForwardBackward(nn.Cell):
    """The older way."""

    def __init__(self, network, optimizer, grad_sum, sens=1.0):
        super().__init__(auto_prefix=False)
        self.network = network
        self.network.set_grad()
        self.weights = ParameterTuple(network.trainable_params())
        self.grad_sum = grad_sum
        self.grad = ops.GradOperation(get_by_list=True, sens_param=True)
        self.sens = sens
        self.hyper_map = ops.HyperMap()

    def construct(self, *inputs):
        loss = self.network(*inputs)
        sens = ops.Fill()(ops.DType()(loss), ops.Shape()(loss), self.sens)
        grads = self.grad(self.network, self.weights)(*inputs, sens)
        return ops.depend(loss, self.hyper_map(ops.partial(_sum_op), self.grad_sum, grads))


_sum_op = ops.MultitypeFuncGraph("grad_sum_op")
_clear_op = ops.MultitypeFuncGraph("clear_op")


@_sum_op.register("Tensor", "Tensor")
def _cumulative_grad(grad_sum, grad):
    return ops.assign_add(grad_sum, grad)


@_clear_op.register("Tensor", "Tensor")
def _clear_grad_sum(grad_sum, zero):
    return ops.assign(grad_sum, zero)


r = np.random.RandomState(0)
x, y = r.rand(24, 1, 8, 8).astype(np.float32), r.randint(0, 4, 24).astype(np.int32)


def build(seed):
    net = nn.SequentialCell(
        nn.Conv2d(1, 3, 3, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(), nn.Dense(27, 4)
    )
    q = np.random.RandomState(seed)
    for p in net.trainable_params():
        p.set_data(Tensor(q.randn(*p.shape) * 0.3, ms.float32))
    return net


data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(4)
net = build(2)
opt = nn.SGD(net.trainable_params(), 0.05)
loss_fn = nn.CrossEntropyLoss()
accumulator = Accumulator(opt, 3)


def forward(a, b):
    return loss_fn(net(a), b) / 3


grad_fn = ms.value_and_grad(forward, None, net.trainable_params())
for epoch in range(3):
    total = 0
    for a, b in data.create_tuple_iterator(num_epochs=1):
        loss, grads = grad_fn(a, b)
        accumulator(grads)
        total += float(loss)
    print(f"{epoch}: {total:.5f}", int(accumulator.counter.asnumpy()))
print([round(float(p.sum()), 4) for p in net.trainable_params()])

ms.set_context(mode=ms.GRAPH_MODE)
net = build(2)
opt = nn.Momentum(net.trainable_params(), 0.05, 0.9)
sums = opt.parameters.clone(prefix="grad_sum", init="zeros")
zeros = opt.parameters.clone(prefix="zeros", init="zeros")
fb = TrainForwardBackward(nn.WithLossCell(net, loss_fn), opt, sums)
fb.set_train(True)
hyper = ops.HyperMap()
for epoch in range(2):
    for i, (a, b) in enumerate(data.create_tuple_iterator(num_epochs=1)):
        loss = fb(a, b)
        if (i + 1) % 2 == 0:
            opt(sums)
            hyper(ops.partial(_clear_op), sums, zeros)
    print("graph", epoch, f"{float(loss):.5f}", [p.name for p in sums][:2])
