"""Callbacks of users' scripts: old names of the moments, stopping at a time, saving the best, the parameters they see."""

import os

import mindspore.dataset as ds
import numpy as np
from mindspore import nn, save_checkpoint
from mindspore.train import Model
from mindspore.train.callback import (
    Callback,
    CheckpointConfig,
    LearningRateScheduler,
    LossMonitor,
    ModelCheckpoint,
)


class Trace(Callback):
    def begin(self, run_context):
        p = run_context.original_args()
        print(
            "begin", p.epoch_num, p.batch_num, p.mode, type(p.train_network).__name__, p.device_number, p.parallel_mode
        )
        print(p.dataset_sink_mode, p.list_callback is not None)

    def epoch_begin(self, run_context):
        print("epoch_begin", run_context.original_args().cur_epoch_num)

    def step_begin(self, run_context):
        self.step = run_context.original_args().cur_step_num

    def step_end(self, run_context):
        p = run_context.original_args()
        print(
            "step_end",
            self.step,
            p.cur_step_num,
            p.net_outputs.shape,
            len(p.train_dataset_element) if p.get("train_dataset_element") is not None else None,
        )

    def epoch_end(self, run_context):
        p = run_context.original_args()
        print("epoch_end", p["cur_epoch_num"], p.cur_step_num)

    def end(self, run_context):
        p = run_context.original_args()
        print(
            "end",
            p.cur_epoch_num,
            p.cur_step_num,
            sorted(k for k in p if k in ("loss_fn", "network", "optimizer", "metrics")),
        )


class EvalCallback(Callback):
    def __init__(self, model, eval_dataset, save_path="best.ckpt"):
        super().__init__()
        self.model, self.eval_dataset, self.path, self.best = model, eval_dataset, save_path, float("inf")

    def on_train_epoch_end(self, run_context):
        cb_param = run_context.original_args()
        value = self.model.eval(self.eval_dataset, dataset_sink_mode=False)["mse"]
        if value < self.best:
            self.best = value
            save_checkpoint(cb_param.train_network, self.path)
            print(f"best {value:.4f} at epoch {cb_param.cur_epoch_num}")
        if value < 0.2:
            run_context.request_stop()


class StopAt(Callback):
    def __init__(self, steps):
        super().__init__()
        self.steps = steps

    def on_train_step_end(self, run_context):
        if run_context.original_args().cur_step_num >= self.steps:
            run_context.request_stop()
            print("stop requested", run_context.get_stop_requested())

    def __enter__(self):
        print("enter")
        return self

    def __exit__(self, *args):
        print("exit")


x = np.linspace(-1, 1, 32).astype(np.float32).reshape(-1, 1)
y = (2 * x + 0.5).astype(np.float32)


def data():
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(8)


net = nn.Dense(1, 1, weight_init=0.1, bias_init="zeros")
opt = nn.SGD(net.trainable_params(), 0.1)
model = Model(net, nn.MSELoss(), opt, metrics={"mse"})
config = CheckpointConfig(save_checkpoint_steps=3, keep_checkpoint_max=2, saved_network=net)
model.train(
    2,
    data(),
    callbacks=[Trace(), EvalCallback(model, data()), ModelCheckpoint("lin", "out", config), LossMonitor(2)],
    dataset_sink_mode=False,
)
print(sorted(f for f in os.listdir("out") if f.endswith(".ckpt")), os.path.exists("best.ckpt"))
model.train(5, data(), [StopAt(6), LearningRateScheduler(lambda lr, step: lr * 0.5 if step == 2 else lr)])
print(f"{float(opt.learning_rate.asnumpy()):.4f}", model.train_network is not None)
