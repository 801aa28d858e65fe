"""Images a second through pipelines of data, with 1, 2 and 4 workers: anfora, torch's DataLoader, MindSpore's dataset.

    python benchmarks/datasets.py                              all, in this Python
    python benchmarks/datasets.py --python torch=PYTHON …      contestants in other environments

Two pipelines. `mnist`: 6,000 images of 28 × 28, resized to 32 × 32, rescaled, normalised, channels first, batches of 32.
`folder`: 600 JPEG files of 256 × 256, decoded, a random rectangle resized to 224 × 224, flipped, normalised, batches of 32.
Random data, shuffled; the median of some epochs after the first, which starts the workers, and of several rounds, in which
the contestants take turns. torch has torchvision's datasets and transforms.
"""

from __future__ import annotations

import argparse
import importlib.util
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable

import numpy as np

MEAN, STD = [0.485 * 255, 0.456 * 255, 0.406 * 255], [0.229 * 255, 0.224 * 255, 0.225 * 255]
EPOCHS = 4


def write(folder: pathlib.Path) -> None:
    """The files that all read."""
    from PIL import Image

    draw = np.random.RandomState(0)
    images = draw.randint(0, 256, (6000, 28, 28), np.uint8)
    raw = folder / "MNIST" / "raw"  # where torchvision looks for them
    raw.mkdir(parents=True)
    for part in ("train", "t10k"):
        (raw / f"{part}-images-idx3-ubyte").write_bytes(struct.pack(">IIII", 2051, *images.shape) + images.tobytes())
        labels = bytes(i % 10 for i in range(6000))
        (raw / f"{part}-labels-idx1-ubyte").write_bytes(struct.pack(">II", 2049, 6000) + labels)
    for number in range(600):
        place = folder / "images" / str(number % 10)
        place.mkdir(parents=True, exist_ok=True)
        small = Image.fromarray(draw.randint(0, 256, (32, 32, 3), np.uint8))
        small.resize((256, 256), Image.Resampling.BICUBIC).save(place / f"{number}.jpg", quality=90)


def named_alike(package: str, pipeline: str, folder: pathlib.Path, workers: int) -> Iterable:
    """The pipelines of anfora and MindSpore, which have the same names."""
    ms = importlib.import_module(package)
    ds = importlib.import_module(f"{package}.dataset")
    vision, transforms = (importlib.import_module(f"{package}.dataset.{part}") for part in ("vision", "transforms"))
    if pipeline == "mnist":
        data = ds.MnistDataset(str(folder / "MNIST" / "raw"), "train", num_parallel_workers=workers)
        steps = [vision.Resize((32, 32)), vision.Rescale(1 / 255.0, 0.0), vision.Normalize([0.1307], [0.3081])]
    else:
        data = ds.ImageFolderDataset(str(folder / "images"), num_parallel_workers=workers)
        steps = [vision.RandomCropDecodeResize(224), vision.RandomHorizontalFlip(), vision.Normalize(MEAN, STD)]
    data = data.map([*steps, vision.HWC2CHW()], "image", num_parallel_workers=workers)
    data = data.map(transforms.TypeCast(ms.int32), "label", num_parallel_workers=workers)
    data = data.batch(32, num_parallel_workers=workers)
    return data.create_tuple_iterator(num_epochs=EPOCHS, output_numpy=True)


def torch_loader(pipeline: str, folder: pathlib.Path, workers: int) -> Iterable:
    import torch
    from torchvision import datasets, transforms

    if pipeline == "mnist":
        steps = [transforms.Resize((32, 32)), transforms.ToTensor(), transforms.Normalize([0.1307], [0.3081])]
        data = datasets.MNIST(str(folder), train=True, transform=transforms.Compose(steps))
    else:
        mean, std = [m / 255 for m in MEAN], [s / 255 for s in STD]
        steps = [transforms.RandomResizedCrop(224), transforms.RandomHorizontalFlip(), transforms.ToTensor()]
        steps.append(transforms.Normalize(mean, std))
        data = datasets.ImageFolder(str(folder / "images"), transform=transforms.Compose(steps))
    torch.set_num_threads(1)
    # One worker beside the program, as the others have it with one; 0 would be the program itself.
    return torch.utils.data.DataLoader(data, 32, shuffle=True, num_workers=workers, persistent_workers=True)


def measure(contestant: str, pipeline: str, folder: pathlib.Path, workers: int) -> float:
    """Images a second, the median of epochs after the first, which starts the workers."""
    if contestant == "torch":
        loader = torch_loader(pipeline, folder, workers)
    else:
        loader = named_alike(contestant, pipeline, folder, workers)
    found = []
    for _ in range(EPOCHS):
        begin = time.perf_counter()
        count = sum(len(batch[0]) for batch in loader)
        found.append(count / (time.perf_counter() - begin))
    return statistics.median(found[1:])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", action="append", default=[], metavar="CONTESTANT=PYTHON")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured, by turns")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        contestant, pipeline, folder, workers = options.one
        print(measure(contestant, pipeline, pathlib.Path(folder), int(workers)))
        return
    pythons = dict(entry.split("=", 1) for entry in options.python)
    contestants = [
        name
        for name, needed in (("anfora", "anfora"), ("torch", "torchvision"), ("mindspore", "mindspore"))
        if name in pythons or importlib.util.find_spec(needed) is not None
    ]
    with tempfile.TemporaryDirectory() as folder:
        write(pathlib.Path(folder))
        print(f"{'images/s':10}{'workers':>8}" + "".join(f"{name:>12}" for name in contestants))
        for pipeline in ("mnist", "folder"):
            for workers in options.workers:
                found: dict[str, list[float]] = {name: [] for name in contestants}
                for turn in range(options.rounds):
                    for name in contestants[turn % len(contestants) :] + contestants[: turn % len(contestants)]:
                        command = [pythons.get(name, sys.executable), __file__, "--one", name, pipeline, folder]
                        done = subprocess.run([*command, str(workers)], capture_output=True, text=True, check=False)
                        if done.returncode == 0:
                            found[name].append(float(done.stdout.split()[-1]))
                line = f"{pipeline:10}{workers:8}"
                for name in contestants:
                    line += f"{statistics.median(found[name]):12,.0f}" if found[name] else f"{'failed':>12}"
                print(line, flush=True)


if __name__ == "__main__":
    main()
