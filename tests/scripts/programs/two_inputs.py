"""A Model with two inputs and two labels: Cells for loss and evaluation, metrics, groups of parameters, an early stop."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.train import LossMonitor, Metric, Model, rearrange_inputs
from mindspore.train.callback import Callback

ms.set_context(mode=ms.GRAPH_MODE)


def rows():
    rng = np.random.RandomState(5)
    for _ in range(80):
        a = rng.randn(6).astype(np.float32)
        b = rng.randn(4).astype(np.float32)
        price = np.array([a.sum() * 0.5 + b[0]], np.float32)
        kind = np.int32(int(a[0] + b[1] > 0))
        yield a, b, price, kind


data = ds.GeneratorDataset(list(rows()), ["wide", "deep", "price", "kind"], shuffle=False)
train, test = data.split([0.8, 0.2], randomize=False)
train, test = train.batch(8), test.batch(8)
print(train.get_dataset_size(), test.get_dataset_size())


class TwoTowers(nn.Cell):
    def __init__(self):
        super().__init__()
        self.left = nn.Dense(6, 8, activation="relu")
        self.right = nn.Dense(4, 8, activation=nn.Tanh())
        self.price = nn.Dense(16, 1)
        self.kind = nn.Dense(16, 2)

    def construct(self, wide, deep):
        both = ops.concat((self.left(wide), self.right(deep)), 1)
        return self.price(both), self.kind(both)


class WithTwoLosses(nn.Cell):
    def __init__(self, net, share=0.7):
        super().__init__(auto_prefix=False)
        self.net = net
        self.mse = nn.MSELoss()
        self.ce = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        self.share = share

    def construct(self, wide, deep, price, kind):
        p, k = self.net(wide, deep)
        return self.share * self.mse(p, price) + (1 - self.share) * self.ce(k, kind)


class WithTwoEvals(nn.Cell):
    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net = net

    def construct(self, wide, deep, price, kind):
        p, k = self.net(wide, deep)
        return p, price, k, kind


class PriceError(Metric):
    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        self.total, self.count = 0.0, 0

    @rearrange_inputs
    def update(self, *inputs):
        p, price = self._convert_data(inputs[0]), self._convert_data(inputs[1])
        self.total += np.abs(p - price).sum()
        self.count += p.shape[0]

    def eval(self):
        return self.total / self.count


class KindAccuracy(Metric):
    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        self.right, self.count = 0, 0

    def update(self, *inputs):
        k, kind = inputs[2].asnumpy(), inputs[3].asnumpy()
        self.right += int((k.argmax(1) == kind).sum())
        self.count += len(kind)

    def eval(self):
        return self.right / self.count


net = TwoTowers()
rng = np.random.RandomState(0)
for p in net.get_parameters():
    p.set_data(Tensor(rng.randn(*p.shape).astype(np.float32) * 0.3))
loss_net = WithTwoLosses(net)
no_decay = [p for p in net.trainable_params() if p.name.endswith("bias")]
decay = [p for p in net.trainable_params() if not p.name.endswith("bias")]
opt = nn.Momentum(
    [
        {"params": decay, "weight_decay": 0.01},
        {"params": no_decay, "lr": 0.02},
        {"order_params": net.trainable_params()},
    ],
    learning_rate=0.05,
    momentum=0.9,
)
model = Model(
    loss_net,
    optimizer=opt,
    eval_network=WithTwoEvals(net),
    metrics={"price": PriceError().set_indexes([0, 1]), "kind": KindAccuracy()},
    eval_indexes=None,
)


class Steps(Callback):
    def __init__(self):
        self.losses = []

    def step_end(self, run_context):
        args = run_context.original_args()
        self.losses.append(float(args.net_outputs.asnumpy()))
        if args.cur_step_num == 40:
            print("stop asked at epoch", args.cur_epoch_num, "of", args.epoch_num, "batch_num", args.batch_num)
            run_context.request_stop()


steps = Steps()
model.train(20, train, callbacks=[steps, LossMonitor(8)], dataset_sink_mode=False)
print(len(steps.losses), [round(v, 5) for v in steps.losses[::8]])
print({k: round(float(v), 5) for k, v in model.eval(test, dataset_sink_mode=False).items()})
