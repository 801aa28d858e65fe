"""The best weights are saved, loaded, in part too, exported, and run from the file."""

import os
import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn
from mindspore.train import Callback, CheckpointConfig, Model, ModelCheckpoint

ms.set_context(mode=ms.GRAPH_MODE if "graph" in sys.argv else ms.PYNATIVE_MODE)
rng = np.random.RandomState(7)
x = rng.randn(48, 6).astype(np.float32)
y = (x[:, :2].sum(1) > 0).astype(np.int32)
train = ds.NumpySlicesDataset({"x": x[:32], "y": y[:32]}, shuffle=False).batch(8)
test = ds.NumpySlicesDataset({"x": x[32:], "y": y[32:]}, shuffle=False).batch(8)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.backbone = nn.SequentialCell(nn.Dense(6, 8), nn.BatchNorm1d(8), nn.LeakyReLU(0.1))
        self.classifier = nn.Dense(8, 2)
        for p in self.get_parameters():
            if p.ndim == 2:
                p.set_data(Tensor((rng.randn(*p.shape) * 0.4).astype(np.float32)))
            elif p.name.endswith("bias"):
                p.set_data(Tensor(np.zeros(p.shape, np.float32)))

    def construct(self, x):
        return self.classifier(self.backbone(x))


class Best(Callback):
    def __init__(self, path):
        super().__init__()
        self.best, self.path = -1.0, path

    def on_eval_end(self, run_context):
        cb = run_context.original_args()
        acc = cb.metrics["accuracy"]
        if acc > self.best:
            self.best = acc
            ms.save_checkpoint(
                net, self.path, append_dict={"epoch": cb.cur_epoch_num, "acc": float(acc), "name": "best"}
            )
            print("saved", cb.cur_epoch_num, round(acc, 4))


net = Net()
opt = nn.Momentum(net.trainable_params(), 0.1, 0.9)
config = CheckpointConfig(
    save_checkpoint_steps=4, keep_checkpoint_max=2, saved_network=net, append_info=[{"origin": "here", "n": 3}]
)
saver = ModelCheckpoint(prefix="net", directory="ckpt", config=config)
model = Model(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), opt, metrics={"accuracy"})
model.fit(5, train, test, callbacks=[saver, Best("best.ckpt")], dataset_sink_mode=False)
print(sorted(f for f in os.listdir("ckpt") if f.endswith(".ckpt")), os.path.basename(saver.latest_ckpt_file_name))
found = ms.load_checkpoint("best.ckpt")
print(
    sorted(found),
    [type(found[k]).__name__ for k in ("epoch", "acc", "name")],
    found["name"],
)
fresh = Net()
missing, extra = ms.load_param_into_net(fresh, found)
print(missing, sorted(extra))
inner = ms.load_checkpoint("best.ckpt", choice_func=lambda name: name.startswith("backbone"))
print(sorted(inner))
missing, extra = ms.load_param_into_net(Net(), inner)
print(sorted(missing), extra)
result = Model(
    fresh, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), metrics={"accuracy", "loss"}
).eval(test, dataset_sink_mode=False)
print({k: round(float(v), 4) for k, v in sorted(result.items())})
latest = ms.load_checkpoint(saver.latest_ckpt_file_name)
print({k: v for k, v in latest.items() if not isinstance(v, ms.Parameter)} or sorted(latest))
fresh.set_train(False)
ms.export(fresh, Tensor(x[:4]), file_name="net", file_format="MINDIR")
graph = ms.load("net.mindir")
back = nn.GraphCell(graph)
out = back(Tensor(x[:4]))
print(np.allclose(out.asnumpy(), fresh(Tensor(x[:4])).asnumpy(), atol=1e-5), out.shape)
