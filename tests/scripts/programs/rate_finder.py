"""A learning rate is looked for: a callback that writes the optimizer's rate, ends the training and puts weights back."""

import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.train import Callback, LambdaCallback, LearningRateScheduler, Model

ms.set_context(mode=ms.GRAPH_MODE if "graph" in sys.argv else ms.PYNATIVE_MODE)
rng = np.random.RandomState(6)
x = rng.randn(64, 5).astype(np.float32)
y = (x @ rng.randn(5, 1) + 0.05 * rng.randn(64, 1)).astype(np.float32)


def data():
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(8)


class Finder(Callback):
    def __init__(self, low, high, steps):
        super().__init__()
        self.rates = np.geomspace(low, high, steps)
        self.losses = []

    def on_train_begin(self, run_context):
        cb = run_context.original_args()
        self.kept = {p.name: p.asnumpy().copy() for p in cb.train_network.get_parameters()}
        print("network", type(cb.train_network).__name__, cb.epoch_num, cb.batch_num, cb.mode)

    def step_begin(self, run_context):
        cb = run_context.original_args()
        ops.assign(cb.optimizer.learning_rate, Tensor(self.rates[len(self.losses)], ms.float32))

    def on_train_step_end(self, run_context):
        cb = run_context.original_args()
        loss = cb.net_outputs
        loss = loss[0] if isinstance(loss, (tuple, list)) else loss
        self.losses.append(float(loss.asnumpy()))
        if (len(self.losses) > 3 and self.losses[-1] > 4 * min(self.losses)) or len(self.losses) == len(self.rates):
            run_context.request_stop()

    def on_train_end(self, run_context):
        cb = run_context.original_args()
        for p in cb.train_network.get_parameters():
            if "learning_rate" not in p.name:
                p.set_data(Tensor(self.kept[p.name]))
        print("stopped", run_context.get_stop_requested(), cb.cur_step_num)


net = nn.Dense(5, 1, weight_init=Tensor(np.zeros((1, 5), np.float32)), bias_init="zeros")
opt = nn.SGD(net.trainable_params(), 1e-3, momentum=0.0)
finder = Finder(1e-3, 3.0, 30)
model = Model(net, nn.MSELoss(), opt)
model.train(6, data(), callbacks=finder, dataset_sink_mode=False)
best = finder.rates[int(np.argmin(finder.losses))]
print(len(finder.losses), f"{best:.5f}", [f"{v:.4f}" for v in finder.losses])
print(net.weight.asnumpy().tolist())
opt = nn.SGD(net.trainable_params(), float(best) / 3)
seen = []
schedule = LearningRateScheduler(lambda lr, step: lr * 0.9 if step % 8 == 0 else lr)
begin = LambdaCallback(
    on_train_epoch_begin=lambda ctx: seen.append(ctx.original_args().cur_epoch_num),
    on_train_epoch_end=lambda ctx: print(
        "lr",
        f"{float(ctx.original_args().optimizer.learning_rate.asnumpy()):.6f}",
        f"{float(ctx.original_args().net_outputs.asnumpy()):.6f}",
    ),
)
Model(net, nn.MSELoss(), opt).train(3, data(), callbacks=[schedule, begin], dataset_sink_mode=False)
print(seen)
