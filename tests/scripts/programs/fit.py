"""A program for Keras, converted: a sequence of layers, fit with callbacks, evaluate, predict."""

import os
import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from mindspore import dataset as ds
from mindspore.dataset import transforms
from mindspore.train import (
    CheckpointConfig,
    EarlyStopping,
    History,
    LambdaCallback,
    LossMonitor,
    Model,
    ModelCheckpoint,
    ReduceLROnPlateau,
)

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
ms.set_seed(1)
rng = np.random.RandomState(0)
centres = rng.randn(5, 20).astype("float32") * 2
labels = rng.randint(0, 5, 600).astype("int32")
points = (centres[labels] + rng.randn(600, 20)).astype("float32")


def pipeline(start, stop, batch):
    data = ds.NumpySlicesDataset((points[start:stop], labels[start:stop]), ["x", "y"], shuffle=False)
    data = data.map(transforms.TypeCast(ms.float32), "x")
    data = data.map(lambda y: y.astype("int32"), input_columns="y")
    return data.batch(batch, drop_remainder=True)


net = nn.SequentialCell([nn.Dense(20, 32), nn.ReLU(), nn.Dropout(p=0.0), nn.Dense(32, 5)])
for p in net.get_parameters():
    p.set_data(Tensor(rng.randn(*p.shape) * 0.1, ms.float32))
print([(p.name, p.shape) for p in net.trainable_params()])
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
opt = nn.Adam(net.trainable_params(), learning_rate=0.01)
model = Model(
    net,
    loss_fn=loss,
    optimizer=opt,
    metrics={"accuracy": nn.Accuracy(), "loss": nn.Loss(), "top2": nn.TopKCategoricalAccuracy(2)},
)
train, valid = pipeline(0, 480, 32), pipeline(480, 600, 40)
history = History()
seen = []
callbacks = [
    LossMonitor(5),
    history,
    EarlyStopping(monitor="eval_loss", patience=2, min_delta=0.01, verbose=True),
    ReduceLROnPlateau(monitor="eval_loss", factor=0.5, patience=1, min_delta=0.05, verbose=True),
    ModelCheckpoint("best", folder, CheckpointConfig(save_checkpoint_steps=15, keep_checkpoint_max=2)),
    LambdaCallback(on_train_epoch_end=lambda run_context: seen.append(run_context.original_args().cur_epoch_num)),
]
model.fit(8, train, valid, callbacks=callbacks, dataset_sink_mode=False)
print(seen, sorted(history.epoch))
print(
    {
        k: [round(float(np.asarray(v.asnumpy() if hasattr(v, "asnumpy") else v)), 4) for v in vs]
        for k, vs in history.history.items()
    }
)
print(sorted(f for f in os.listdir(folder) if f.endswith(".ckpt")))
result = model.eval(valid, dataset_sink_mode=False)
print({k: round(float(v), 4) for k, v in sorted(result.items())})
out = model.predict(Tensor(points[:3]))
print(out.shape, out.dtype, np.round(out.asnumpy().argmax(1), 4).tolist(), labels[:3].tolist())
params = (
    ms.load_checkpoint(os.path.join(folder, "best-8_15.ckpt"))
    if os.path.exists(os.path.join(folder, "best-8_15.ckpt"))
    else {}
)
print(sorted(params)[:4])
