"""Model with callbacks: monitors, checkpoints, early stopping, a callback of one's own."""

import os
import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from mindspore.dataset import GeneratorDataset
from mindspore.train import (
    Callback,
    CheckpointConfig,
    EarlyStopping,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    Model,
    ModelCheckpoint,
    RunContext,
    TimeMonitor,
)

folder = sys.argv[1]


def get_data(num, w=2.0, b=3.0):
    random = np.random.default_rng(num)
    for _ in range(num):
        x = random.uniform(-10.0, 10.0)
        yield np.array([x]).astype(np.float32), np.array([x * w + b]).astype(np.float32)


def create_dataset(num_data, batch_size=16):
    dataset = GeneratorDataset(list(get_data(num_data)), column_names=["data", "label"], shuffle=False)
    return dataset.batch(batch_size)


class StopAtLoss(Callback):
    """Stops below a loss, and tells of all moments."""

    def __init__(self, threshold):
        super().__init__()
        self.threshold = threshold
        self.moments = []

    def on_train_begin(self, run_context: RunContext):
        params = run_context.original_args()
        self.moments.append(f"begin {params.epoch_num} epochs of {params.batch_num}")

    def on_train_epoch_begin(self, run_context):
        self.moments.append(f"epoch {run_context.original_args().cur_epoch_num}")

    def on_train_step_end(self, run_context):
        params = run_context.original_args()
        loss = float(params.net_outputs.asnumpy())
        self.moments.append(f"step {params.cur_step_num}")
        if loss < self.threshold:
            run_context.request_stop()

    def on_train_epoch_end(self, run_context):
        self.moments.append("end of epoch")

    def on_train_end(self, run_context):
        self.moments.append("end")


def network():
    net = nn.Dense(1, 1)
    net.weight.set_data(Tensor([[0.02]], ms.float32))
    net.bias.set_data(Tensor([0.01], ms.float32))
    return net


net = network()
loss = nn.MSELoss()
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.005, momentum=0.9)
model = Model(net, loss, optimizer, metrics={"mse": nn.MSE(), "mae": nn.MAE()})
stop = StopAtLoss(1.0)
config = CheckpointConfig(save_checkpoint_steps=5, keep_checkpoint_max=2)
keep = ModelCheckpoint(prefix="linear", directory=folder, config=config)
model.train(3, create_dataset(160), callbacks=[LossMonitor(5), keep, stop], dataset_sink_mode=False)
print(stop.moments)
print(sorted(os.listdir(folder)))
print(
    {
        name: round(float(value), 4)
        for name, value in sorted(model.eval(create_dataset(64), dataset_sink_mode=False).items())
    }
)
print(np.round(model.predict(Tensor([[2.0], [-1.0]], ms.float32)).asnumpy(), 4).tolist())

# a rate that a function gives, and an end when nothing becomes better
net = network()
optimizer = nn.SGD(net.trainable_params(), learning_rate=0.01)
model = Model(net, loss, optimizer, metrics={"mae"})
rates = []
fit = [
    LearningRateScheduler(lambda lr, step: lr * 0.8 if step % 10 == 0 else lr),
    LambdaCallback(on_train_epoch_end=lambda context: rates.append(round(float(optimizer.learning_rate.asnumpy()), 6))),
    EarlyStopping("mae", patience=1, min_delta=0.05, mode="min"),
    TimeMonitor(),
]
model.fit(8, create_dataset(160), create_dataset(32), callbacks=fit[:3], dataset_sink_mode=False)
print(rates)
print(np.round(net.weight.asnumpy(), 3).tolist(), np.round(net.bias.asnumpy(), 3).tolist())
