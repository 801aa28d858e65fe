"""Images a second through pipelines of data, with 1, 2 and 4 workers: anfora, torch's DataLoader, MindSpore's dataset.

    python benchmarks/datasets.py                              all, in this Python
    python benchmarks/datasets.py --python torch=PYTHON …      contestants in other environments

Two pipelines. `mnist`: 6,000 images of 28 × 28, resized to 32 × 32, rescaled, normalised, channels first, batches of 32.
`folder`: 600 JPEG files of 256 × 256, decoded, a random rectangle resized to 224 × 224, flipped, normalised, batches of 32.
Random data, shuffled; the best of some epochs counts, the first of which starts the workers. torch gets Pillow's
transforms, written out as torchvision does them.
"""

from __future__ import annotations

import argparse
import importlib.util
import pathlib
import random
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
    (folder / "train-images-idx3-ubyte").write_bytes(struct.pack(">IIII", 2051, *images.shape) + images.tobytes())
    (folder / "train-labels-idx1-ubyte").write_bytes(
        struct.pack(">II", 2049, 6000) + bytes(i % 10 for i in range(6000))
    )
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
        data = ds.MnistDataset(str(folder), "train", num_parallel_workers=workers)
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
    from PIL import Image

    images = np.frombuffer((folder / "train-images-idx3-ubyte").read_bytes(), np.uint8, offset=16).reshape(-1, 28, 28)
    files = sorted((folder / "images").rglob("*.jpg"))
    mean, std = torch.tensor(MEAN)[:, None, None] / 255, torch.tensor(STD)[:, None, None] / 255

    class Data(torch.utils.data.Dataset):
        def __len__(self):
            return len(images if pipeline == "mnist" else files)

        def __getitem__(self, i):
            if pipeline == "mnist":
                image = np.array(Image.fromarray(images[i]).resize((32, 32), Image.Resampling.BILINEAR))
                return (torch.from_numpy(image)[None].float().div(255) - 0.1307) / 0.3081, i % 10
            image = Image.open(files[i]).convert("RGB")
            area, aspect = random.uniform(0.08, 1) * 256 * 256, np.exp(random.uniform(np.log(3 / 4), np.log(4 / 3)))
            wide, high = (min(256, round((area * r) ** 0.5)) for r in (aspect, 1 / aspect))
            left, top = random.randint(0, 256 - wide), random.randint(0, 256 - high)
            image = image.resize((224, 224), Image.Resampling.BILINEAR, (left, top, left + wide, top + high))
            if random.random() < 0.5:
                image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
            tensor = torch.from_numpy(np.array(image)).permute(2, 0, 1).contiguous().float().div(255)
            return (tensor - mean) / std, i % 10

    torch.set_num_threads(1)
    # One worker beside the program, as the others have it with one; 0 would be the program itself.
    return torch.utils.data.DataLoader(Data(), 32, shuffle=True, num_workers=workers, persistent_workers=True)


def measure(contestant: str, pipeline: str, folder: pathlib.Path, workers: int) -> float:
    if contestant == "torch":
        loader = torch_loader(pipeline, folder, workers)
    else:
        loader = named_alike(contestant, pipeline, folder, workers)
    best = 0.0
    for _ in range(EPOCHS):
        begin = time.perf_counter()
        count = sum(len(batch[0]) for batch in loader)
        best = max(best, count / (time.perf_counter() - begin))
    return best


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--python", action="append", default=[], metavar="CONTESTANT=PYTHON")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        contestant, pipeline, folder, workers = options.one
        print(measure(contestant, pipeline, pathlib.Path(folder), int(workers)))
        return
    pythons = dict(entry.split("=", 1) for entry in options.python)
    contestants = [
        name
        for name in ("anfora", "torch", "mindspore")
        if name in pythons or importlib.util.find_spec(name) is not None
    ]
    with tempfile.TemporaryDirectory() as folder:
        write(pathlib.Path(folder))
        print(f"{'images/s':10}{'workers':>8}" + "".join(f"{name:>12}" for name in contestants))
        for pipeline in ("mnist", "folder"):
            for workers in (1, 2, 4):
                line = f"{pipeline:10}{workers:8}"
                for name in contestants:
                    command = [
                        pythons.get(name, sys.executable),
                        __file__,
                        "--one",
                        name,
                        pipeline,
                        folder,
                        str(workers),
                    ]
                    done = subprocess.run(command, capture_output=True, text=True, check=False)
                    line += f"{float(done.stdout.split()[-1]):12,.0f}" if done.returncode == 0 else f"{'failed':>12}"
                print(line, flush=True)


if __name__ == "__main__":
    main()
