"""Train LeNet on handwritten digits in several processes, which end in the same bits as one.

    mpiexec -n 2 python -m anfora.examples.data_parallel
    mpiexec -n 4 python -m anfora.examples.data_parallel --mode graph
    python -m anfora.examples.data_parallel                                  the same, alone

Each process has its part of every batch, and the sum of the gradients of all. The batch is divided into four micro-batches,
however many processes share them; so the digest of the trained network, which is told at the end, is the same for each of
the lines above that train as long. `--save FOLDER` keeps checkpoints, from which a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import hashlib

import numpy as np

import anfora as ms
import anfora.dataset as ds
from anfora import communication, nn, train
from anfora.data import digits
from anfora.models import LeNet5

BATCH, MICRO_BATCHES = 32, 4


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    communication.init()
    rank, size = communication.get_rank(), communication.get_group_size()
    ms.set_context(mode=ms.GRAPH_MODE if options.mode == "graph" else ms.PYNATIVE_MODE)
    ms.set_seed(1)

    images, labels = digits(32)
    order = np.random.default_rng(2026).permutation(len(images))
    held_out, rest = order[:360], order[360 : 360 + len(order[360:]) // BATCH * BATCH]  # whole batches only
    columns = {"image": images[rest], "label": labels[rest].astype(np.int32)}
    data = ds.NumpySlicesDataset(columns, num_shards=size, shard_id=rank).batch(BATCH // size)
    test = ds.NumpySlicesDataset({"image": images[held_out], "label": labels[held_out].astype(np.int32)}).batch(60)

    net = LeNet5(num_class=10, num_channel=1)
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.05, momentum=0.9)
    model = train.Model(net, nn.CrossEntropyLoss(), optimizer, metrics={"accuracy"}, micro_batches=MICRO_BATCHES)
    callbacks = []
    if options.save:
        steps = train.CheckpointConfig(save_checkpoint_steps=data.get_dataset_size(), keep_checkpoint_max=2)
        callbacks.append(train.ModelCheckpoint("lenet", options.save, steps))
    model.train(options.epochs, data, callbacks, resume=options.save)

    accuracy = model.eval(test)["accuracy"]
    digest = hashlib.sha256(b"".join(parameter.asnumpy().tobytes() for parameter in net.get_parameters()))
    if rank == 0:
        print(f"processes: {size}, epochs: {options.epochs}; {accuracy:.1%} of images it never saw are recognised")
        print(f"SHA-256 of the weights: {digest.hexdigest()}")
    return 0


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m anfora.examples.data_parallel", description="Train LeNet in several processes."
    )
    parser.add_argument("--epochs", type=int, default=5, help="passes over the images (%(default)s)")
    parser.add_argument("--mode", choices=["pynative", "graph"], default="pynative", help="(%(default)s)")
    parser.add_argument(
        "--save", metavar="FOLDER", help="for checkpoints; a run that finds some goes on from the newest"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
