"""`Model.fit`: validation between epochs, a schedule as a callback, moments, early stopping."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, train

x = np.random.RandomState(1).rand(64, 5).astype(np.float32)
y = (x @ np.array([1, -2, 3, 0.5, 0], np.float32) + 0.3)[:, None].astype(np.float32)
train_set = ds.NumpySlicesDataset((x[:48], y[:48]), ["x", "y"], shuffle=False).batch(12)
valid_set = ds.NumpySlicesDataset((x[48:], y[48:]), ["x", "y"], shuffle=False).batch(8)

net = nn.SequentialCell([nn.Dense(5, 8), nn.Tanh(), nn.Dense(8, 1)])
rng = np.random.RandomState(2)
for p in net.trainable_params():
    p.set_data(ms.Tensor(rng.randn(*p.shape) * 0.4, ms.float32))
opt = nn.SGD(net.trainable_params(), learning_rate=0.2, momentum=0.0)
model = train.Model(net, nn.MSELoss(), opt, metrics={"mae": train.MAE(), "loss": train.Loss()})


def halve_each_fourth(lr, step):
    if step % 4 == 0:
        lr = lr * 0.9
    return lr


class Moments(train.Callback):
    def __init__(self):
        super().__init__()
        self.seen = []

    def on_train_begin(self, run_context):
        self.seen.append("train begin")

    def on_train_epoch_begin(self, run_context):
        self.seen.append(f"epoch {run_context.original_args().cur_epoch_num}")

    def on_eval_begin(self, run_context):
        self.seen.append("eval")

    def on_eval_end(self, run_context):
        found = run_context.original_args().metrics
        self.seen.append(sorted(found))

    def on_train_end(self, run_context):
        self.seen.append("train end")


class Printing(train.Callback):
    def on_train_epoch_end(self, run_context):
        args = run_context.original_args()
        rate = args.optimizer.learning_rate
        loss = float(args.net_outputs.asnumpy())
        print(f"epoch {args.cur_epoch_num} lr {float(rate.asnumpy()):.6f} loss {loss:.5f}")


history = train.History()
moments = Moments()
stop = train.EarlyStopping(monitor="mae", patience=2, mode="min", min_delta=0.003, verbose=False)
lam = train.LambdaCallback(
    on_train_end=lambda run_context: print("lambda: end at epoch", run_context.original_args().cur_epoch_num)
)
model.fit(
    30,
    train_set,
    valid_set,
    valid_frequency=2,
    callbacks=[train.LearningRateScheduler(halve_each_fourth), moments, Printing(), history, stop, lam],
    dataset_sink_mode=False,
    valid_dataset_sink_mode=False,
)
print(moments.seen)
print(sorted(history.history), len(history.epoch["epoch"]))
print([round(float(v), 4) for v in history.history["mae"]][:6])
print("params", [round(float(p.asnumpy().sum()), 4) for p in net.trainable_params()])
