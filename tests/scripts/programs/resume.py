"""A training that is stopped and goes on from its checkpoint ends where one that was not stopped does."""

import os
import sys

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn
from mindspore.dataset import NumpySlicesDataset
from mindspore.train import CheckpointConfig, LossMonitor, Model, ModelCheckpoint

folder = sys.argv[1]
random = np.random.default_rng(0)
images = random.standard_normal((64, 6)).astype(np.float32)
labels = (images.sum(1) > 0).astype(np.int32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc2, self.relu = nn.Dense(6, 8), nn.Dense(8, 2), nn.ReLU()
        start = np.random.default_rng(4)
        for parameter in self.get_parameters():
            parameter.set_data(Tensor((start.standard_normal(parameter.shape) * 0.4).astype(np.float32)))

    def construct(self, x):
        return self.fc2(self.relu(self.fc1(x)))


def dataset():
    return NumpySlicesDataset({"x": images, "y": labels}, shuffle=False).batch(16)


def made():
    net = Net()
    optimizer = nn.Momentum(net.trainable_params(), nn.CosineDecayLR(0.01, 0.1, 16), 0.9)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return net, optimizer, Model(net, loss, optimizer)


net, _, model = made()
model.train(4, dataset(), callbacks=[LossMonitor(4)], dataset_sink_mode=False)
whole = {p.name: p.asnumpy().copy() for p in net.get_parameters()}

# two epochs, with a checkpoint after each
net, _, model = made()
config = CheckpointConfig(save_checkpoint_steps=4, keep_checkpoint_max=5, append_info=["epoch_num", "step_num"])
keep = ModelCheckpoint(prefix="net", directory=folder, config=config)
model.train(2, dataset(), callbacks=[keep], dataset_sink_mode=False)
names = sorted(name for name in os.listdir(folder) if name.endswith(".ckpt"))
print(names)
values = ms.load_checkpoint(os.path.join(folder, names[-1]))
print(int(values["epoch_num"]), int(values["step_num"]), [n for n in sorted(values) if n.startswith("moments")])

# another process would begin here
net, optimizer, model = made()
print(ms.load_param_into_net(net, values)[0], ms.load_param_into_net(optimizer, values)[0])
model.train(4, dataset(), callbacks=[LossMonitor(4)], dataset_sink_mode=False, initial_epoch=int(values["epoch_num"]))
print(all(np.array_equal(whole[p.name], p.asnumpy()) for p in net.get_parameters()))
