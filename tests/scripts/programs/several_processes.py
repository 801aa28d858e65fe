"""Data parallel training: each process has its share of the data, gradients are averaged; process 0 tells."""

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.communication import get_group_size, get_rank, init

ms.set_context(mode=ms.PYNATIVE_MODE)
init()
rank_id, rank_size = get_rank(), get_group_size()
ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True, device_num=rank_size)
ms.set_seed(1)


def tell(*words):
    if rank_id == 0:
        print(*words, flush=True)


def create_dataset(batch_size):
    random = np.random.RandomState(3)
    labels = np.arange(96) % 3
    points = (random.rand(96, 4) + np.eye(3, 4)[labels]).astype(np.float32)
    data = ds.NumpySlicesDataset(
        (points, labels.astype(np.int32)), ["point", "label"], shuffle=False, num_shards=rank_size, shard_id=rank_id
    )
    return data.batch(batch_size // rank_size)


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        random = np.random.RandomState(4)
        self.layer1 = nn.Dense(
            4, 16, weight_init=Tensor(random.randn(16, 4).astype(np.float32) * 0.3), bias_init="zeros"
        )
        self.relu = nn.ReLU()
        self.layer2 = nn.Dense(
            16, 3, weight_init=Tensor(random.randn(3, 16).astype(np.float32) * 0.3), bias_init="zeros"
        )

    def construct(self, x):
        return self.layer2(self.relu(self.layer1(x)))


data_set = create_dataset(32)
tell("processes:", rank_size, "batches of each:", data_set.get_dataset_size(), "of", data_set.get_batch_size(), "rows")
net = Network()
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), 0.2, 0.9)
grad_reducer = nn.DistributedGradReducer(optimizer.parameters)
all_reduce = ops.AllReduce(ops.ReduceOp.SUM)
all_gather = ops.AllGather()


def forward_fn(data, target):
    logits = net(data)
    return loss_fn(logits, target), logits


grad_fn = ms.value_and_grad(forward_fn, None, net.trainable_params(), has_aux=True)


def train_step(inputs, targets):
    (loss_value, _), grads = grad_fn(inputs, targets)
    grads = grad_reducer(grads)
    optimizer(grads)
    return loss_value


for epoch in range(4):
    for step, (image, label) in enumerate(data_set.create_tuple_iterator()):
        loss_output = all_reduce(train_step(image, label)) / rank_size
        tell(f"epoch: {epoch}, step: {step}, loss is {float(loss_output.asnumpy()):.4f}")

correct = Tensor(0.0, ms.float32)
for image, label in data_set.create_tuple_iterator():
    correct += (net(image).argmax(1) == label).astype(ms.float32).sum()
tell("recognised:", int(all_reduce(correct).asnumpy()), "of 96")
sums = all_gather(net.layer2.weight.value().sum().reshape((1,)))
tell("the same weights:", bool((sums.asnumpy() == sums.asnumpy()[0]).all()), sums.shape)
first = ops.Broadcast(0)((Tensor([float(rank_id) + 5]),))[0]
tell("from process 0:", first.asnumpy().tolist())
