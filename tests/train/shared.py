"""A training that several processes share, run by test_resume.

mpiexec -n N python shared.py MODE FOLDER STEP    ends all processes after that step, with 0 at the end
"""

from __future__ import annotations

import hashlib
import os
import sys

import numpy as np

import anfora as ms
import anfora.dataset as ds
from anfora import nn, train
from anfora.communication import get_group_size, get_rank, init


class Stop(train.Callback):
    def __init__(self, step: int) -> None:
        self.step = step

    def on_train_step_end(self, run_context: train.RunContext) -> None:
        if run_context.original_args().cur_step_num == self.step:
            os._exit(3)


def main(mode: str, folder: str, stop: int) -> None:
    ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
    init()
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
    ms.set_seed(3)
    ds.config.set_seed(4)
    generator = np.random.default_rng(1)
    x, y = generator.random((64, 5), np.float32), generator.integers(0, 3, 64).astype(np.int32)
    rank, size = get_rank(), get_group_size()
    shard = {"num_shards": size, "shard_id": rank} if size > 1 else {}
    rows = ds.NumpySlicesDataset({"x": x, "y": y}, shuffle=True, **shard).batch(16 // size)
    net = nn.SequentialCell(nn.Dense(5, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(p=0.2), nn.Dense(8, 3))
    optimizer = nn.Adam(net.trainable_params(), 0.02)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    model = train.Model(net, loss, optimizer, micro_batches=4)
    saving = train.ModelCheckpoint("net", folder, train.CheckpointConfig(1, keep_checkpoint_max=2))
    model.train(3, rows, [saving, Stop(stop)], resume=folder)
    found = hashlib.sha256()
    for parameter in model.train_network.get_parameters():
        found.update(np.ascontiguousarray(parameter.asnumpy()).tobytes())
    print(f"[[{found.hexdigest()}]]", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
