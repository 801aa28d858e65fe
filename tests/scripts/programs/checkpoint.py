"""Checkpoints: saved, loaded, loaded in part, with more than parameters in them."""

import os
import sys

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


class Backbone(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, has_bias=True)
        self.bn = nn.BatchNorm2d(4)

    def construct(self, x):
        return ops.relu(self.bn(self.conv(x)))


class Net(nn.Cell):
    def __init__(self, classes):
        super().__init__()
        self.backbone = Backbone()
        self.blocks = nn.CellList([nn.Dense(4, 4) for _ in range(2)])
        self.head = nn.SequentialCell(nn.Dense(4, 8), nn.ReLU(), nn.Dense(8, classes))

    def construct(self, x):
        x = self.backbone(x).mean((2, 3))
        for block in self.blocks:
            x = x + block(x)
        return self.head(x)


def filled(net, seed):
    random = np.random.default_rng(seed)
    for parameter in net.get_parameters():
        parameter.set_data(Tensor(np.abs(random.standard_normal(parameter.shape)).astype(np.float32)))
    return net


x = Tensor(np.random.default_rng(0).standard_normal((2, 1, 5, 5)).astype(np.float32))
net = filled(Net(3), 1)
net.set_train(False)
y = net(x)
print(np.round(y.asnumpy(), 4).tolist())
for name, parameter in net.parameters_and_names():
    print(name, parameter.shape, parameter.requires_grad)

file = os.path.join(folder, "net.ckpt")
ms.save_checkpoint(net, file, append_dict={"epoch": 7, "lr": 0.25, "note": "half way"})
loaded = ms.load_checkpoint(file)
print(sorted(loaded), int(loaded["epoch"]), float(loaded["lr"]), str(loaded["note"]))
other = filled(Net(3), 2)
other.set_train(False)
not_loaded, _ = ms.load_param_into_net(other, loaded)
print(not_loaded, np.array_equal(other(x).asnumpy(), y.asnumpy()))

# another head: all but it
other = filled(Net(5), 3)
before = other.head[2].weight.asnumpy().copy()
backbone = {name: value for name, value in loaded.items() if not name.startswith("head.2")}
not_loaded, _ = ms.load_param_into_net(other, backbone)
print(sorted(not_loaded), np.array_equal(before, other.head[2].weight.asnumpy()))
for parameter in other.trainable_params():
    if "backbone" in parameter.name:
        parameter.requires_grad = False
print([p.name for p in other.trainable_params()])
try:
    ms.load_param_into_net(filled(Net(5), 3), loaded)
except RuntimeError as error:
    print("RuntimeError", "head.2" in str(error))

# parts of a network, and a choice of names
ms.save_checkpoint(net.backbone, os.path.join(folder, "part.ckpt"))
print(list(ms.load_checkpoint(os.path.join(folder, "part.ckpt"))))
ms.save_checkpoint(net, os.path.join(folder, "chosen.ckpt"), choice_func=lambda name: "bn" in name)
print(list(ms.load_checkpoint(os.path.join(folder, "chosen.ckpt"))))
print(list(ms.load_checkpoint(file, filter_prefix="backbone"))[:2])
ms.save_checkpoint(
    [{"name": "a", "data": Tensor([1, 2])}, {"name": "b", "data": Tensor(0.5)}], os.path.join(folder, "list.ckpt")
)
print({name: value.asnumpy().tolist() for name, value in ms.load_checkpoint(os.path.join(folder, "list.ckpt")).items()})
ms.save_checkpoint(net, os.path.join(folder, "net.safetensors"), format="safetensors")
again = ms.load_checkpoint(os.path.join(folder, "net.safetensors"), format="safetensors")
print(all(np.array_equal(again[name].asnumpy(), p.asnumpy()) for name, p in net.parameters_and_names()))
optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
ms.save_checkpoint(optimizer, os.path.join(folder, "optimizer.ckpt"))
print(sorted(ms.load_checkpoint(os.path.join(folder, "optimizer.ckpt")))[-4:])
print(Parameter(Tensor([1.0]), name="w").name)
