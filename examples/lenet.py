"""Train LeNet on handwritten digits, as a MindSpore user would write it.

    python -m anfora lenet                     the digits that come with the package
    python -m anfora lenet --data FOLDER       MNIST or Fashion-MNIST, as IDX files
    python -m anfora lenet --mode graph        compiled as a whole; the trained network is the same to the last bit

At the end stand the accuracy on images the network never saw, a table of what was taken for what, a checkpoint and (with
matplotlib) a picture. Ctrl-C stops after the current step and saves what there is; `--resume FILE` goes on from there.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import anfora as ms
from anfora import Tensor, nn, ops
from anfora.data import DataError, digits, read_idx_folder
from anfora.models import LeNet5
from anfora.train.callback.monitors import progress_bar


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    ms.set_context(mode=ms.GRAPH_MODE if options.mode == "graph" else ms.PYNATIVE_MODE)
    ms.set_seed(options.seed)
    if options.threads:
        ms.set_num_threads(options.threads)
    try:
        train, test, names = load(options)
        trainer = Trainer(options, steps=-(-len(train[0]) // options.batch))
        if options.resume:
            trainer.load(options.resume)
        return run(options, trainer, train, test, names)
    except (DataError, ValueError, OSError) as error:
        print(f"lenet: {getattr(error, 'message', None) or error}", file=sys.stderr)
        return 2


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m anfora lenet", description="Train LeNet on handwritten digits.")
    parser.add_argument("--data", metavar="FOLDER", help="folder with IDX files of MNIST or Fashion-MNIST")
    parser.add_argument("--epochs", type=int, help="passes over the images (30 for the digits, 5 for a folder)")
    parser.add_argument("--batch", type=int, default=32, help="images a step (%(default)s)")
    parser.add_argument("--rate", type=float, default=0.02, help="first learning rate (%(default)s)")
    parser.add_argument(
        "--mode", choices=["pynative", "graph", "mixed"], default="pynative",
        help="operator by operator, compiled as a whole, or only the dense layers compiled (%(default)s)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=1, help="of everything random (%(default)s)")
    parser.add_argument("--threads", type=int, help="for large operators (all cores)")
    parser.add_argument(
        "--out", type=Path, default=Path("lenet"), metavar="FOLDER", help="for the results (%(default)s)"
    )
    parser.add_argument("--resume", type=Path, metavar="FILE", help="a checkpoint to go on from")
    parser.add_argument("--no-plot", action="store_true", help="draw no picture")
    options = parser.parse_args(arguments)
    if options.epochs is None:
        options.epochs = 5 if options.data else 30
    if options.epochs < 1 or options.batch < 1:
        parser.error("--epochs and --batch must be at least 1")
    return options


def load(options: argparse.Namespace) -> tuple[Any, Any, list[str]]:
    """Images and labels to train on and to test with, and the names of the classes."""
    if options.data:
        parts = read_idx_folder(options.data)
        fashion = "fashion" in str(options.data)
        clothes = ["t-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "boot"]
        return parts["train"], parts["test"], clothes if fashion else [str(i) for i in range(10)]
    images, labels = digits(32)
    order = np.random.default_rng(2026).permutation(len(images))
    held_out, rest = order[:360], order[360:]
    return (images[rest], labels[rest]), (images[held_out], labels[held_out]), [str(i) for i in range(10)]


class MixedLeNet5(LeNet5):
    """LeNet whose dense layers are compiled, while all else runs operator by operator."""

    @ms.jit
    def head(self, x: Tensor) -> Tensor:
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        return self.fc3(x)

    def construct(self, x: Tensor) -> Tensor:
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        return self.head(self.flatten(x))


class Trainer:
    """A network, its loss and optimizer, and one training step."""

    def __init__(self, options: argparse.Namespace, steps: int) -> None:
        total = steps * options.epochs
        self.net = (MixedLeNet5 if options.mode == "mixed" else LeNet5)(num_class=10, num_channel=1)
        self.loss = nn.CrossEntropyLoss()
        rates = nn.cosine_decay_lr(0.0, options.rate, total, steps, options.epochs)
        self.optimizer = nn.Momentum(self.net.trainable_params(), rates, momentum=0.9, weight_decay=1e-4)
        self.gradients = ms.value_and_grad(self.forward, None, self.optimizer.parameters, has_aux=True)
        self.epoch = 0

    def forward(self, images: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
        logits = self.net(images)
        return self.loss(logits, labels), logits

    def step(self, images: np.ndarray, labels: np.ndarray) -> tuple[float, int]:
        """Learn from some images: the loss, and how many were recognised."""
        (loss, logits), gradients = self.gradients(Tensor(images), Tensor(labels))
        self.optimizer(gradients)
        return loss.item(), int((logits.asnumpy().argmax(1) == labels).sum())

    def predict(self, images: np.ndarray, batch: int = 500) -> np.ndarray:
        """Probabilities of the classes, (N, 10)."""
        self.net.set_train(False)
        with ms.no_grad():
            parts = [
                ops.softmax(self.net(Tensor(images[i : i + batch]))).asnumpy() for i in range(0, len(images), batch)
            ]
        self.net.set_train(True)
        return np.concatenate(parts)

    def save(self, file: Path) -> None:
        # The optimizer holds the parameters of the network as well as its own state.
        ms.save_checkpoint(self.optimizer, str(file), append_dict={"epoch": self.epoch})

    def load(self, file: Path) -> None:
        found = ms.load_checkpoint(file)
        missing, _ = ms.load_param_into_net(self.optimizer, found)
        if missing:
            raise ValueError(f"{file}: has no parameter {missing[0]}")
        self.epoch = int(found["epoch"])


def run(options: argparse.Namespace, trainer: Trainer, train: Any, test: Any, names: list[str]) -> int:
    """Train, save, and tell how well it went."""
    images, labels = train
    print(trainer.net)
    print(f"{len(images)} images to learn from, {len(test[0])} that it never sees\n")
    curve: list[tuple[float, float]] = []
    interrupted = False
    first_loss = None
    began = time.perf_counter()
    trainer.net.set_train()
    try:
        for epoch in range(trainer.epoch, options.epochs):
            order = np.random.default_rng((options.seed, epoch)).permutation(len(images))
            total, right, seen = 0.0, 0, 0
            with progress_bar(f"epoch {epoch + 1:2}/{options.epochs}", len(images)) as bar:
                for start in range(0, len(images), options.batch):
                    chosen = order[start : start + options.batch]
                    loss, recognised = trainer.step(images[chosen], labels[chosen])
                    if first_loss is None:
                        first_loss = since_start()
                    total, right, seen = total + loss * len(chosen), right + recognised, seen + len(chosen)
                    bar.update(len(chosen))
                    if start % (10 * options.batch) == 0 or seen == len(images):
                        bar.set_postfix_str(f"loss {total / seen:.3f} acc {right / seen:.1%}", refresh=False)
            curve.append((total / seen, right / seen))
            trainer.epoch = epoch + 1
    except KeyboardInterrupt:
        interrupted = True
        print("\nstopped; saving what there is", file=sys.stderr)
    took = time.perf_counter() - began
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "lenet.safetensors"
    trainer.save(file)
    if interrupted:
        print(f"go on with: python -m anfora lenet --resume {file}", file=sys.stderr)
        return 130
    report(options, trainer, test, names, curve)
    if first_loss is not None:
        print(f"training took {took:.2f} s; the first loss came {first_loss:.2f} s after the start of the process")
    print(f"checkpoint: {file}")
    return 0


def since_start() -> float:
    """Seconds since this process was started."""
    try:
        ticks = float(Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19])
        uptime = float(Path("/proc/uptime").read_text().split()[0])
        return uptime - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return time.process_time()


# -- what came out ----------------------------------------------------------------------------------------------------


def report(options: argparse.Namespace, trainer: Trainer, test: Any, names: list[str], curve: list) -> None:
    images, labels = test
    probabilities = trainer.predict(images)
    predicted = probabilities.argmax(1)
    accuracy = (predicted == labels).mean()
    print("\n" + confusion(labels, predicted, names))
    print(f"\naccuracy on images it never saw: {accuracy:.2%}")
    if options.no_plot:
        return
    try:
        import matplotlib
    except ImportError:
        print("(no picture: matplotlib is not installed; pip install 'anfora[plot]')")
        return
    matplotlib.use("Agg")
    file = options.out / "lenet.png"
    draw(file, images, labels, probabilities, names, curve, accuracy)
    print(f"picture: {file}")


def confusion(labels: np.ndarray, predicted: np.ndarray, names: list[str]) -> str:
    """How often each class (a row) was taken for each (a column)."""
    table = np.zeros((len(names), len(names)), int)
    np.add.at(table, (labels, predicted), 1)
    width = max(5, len(str(table.max())) + 2)
    left = max(map(len, names)) + 2
    lines = [" " * left + "".join(f"{name[: width - 1]:>{width}}" for name in names) + "   taken for"]
    for name, row in zip(names, table):
        cells = "".join(f"{count if count else '·':>{width}}" for count in row)
        lines.append(f"{name:>{left - 2}}  {cells}")
    return "\n".join(lines)


def draw(
    file: Path,
    images: np.ndarray,
    labels: np.ndarray,
    probabilities: np.ndarray,
    names: list[str],
    curve: list,
    accuracy: float,
) -> None:
    """The curve of the training, and the twelve worst mistakes (or the least certain images)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 5), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1, 1.1], squeeze=False)[0]
    axes = left.subplots()
    epochs = np.arange(1, len(curve) + 1)
    axes.plot(epochs, [loss for loss, _ in curve], color="tab:blue")
    axes.set_xlabel("epoch")
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set_ylabel("loss (nats)", color="tab:blue")
    axes.set_yscale("log")
    other = axes.twinx()
    other.plot(epochs, [100 * share for _, share in curve], color="tab:orange")
    other.set_ylabel("recognised in training (%)", color="tab:orange")
    left.suptitle(f"{accuracy:.2%} of the unseen images recognised")
    certainty = probabilities[np.arange(len(labels)), labels]
    worst = np.argsort(certainty)[:12]
    for axis, i in zip(right.subplots(3, 4).flat, worst):
        axis.imshow(images[i, 0], cmap="gray_r")
        guess = probabilities[i].argmax()
        axis.set_title(f"{names[labels[i]]} → {names[guess]} ({probabilities[i, guess]:.0%})", fontsize=8,
                       color="black" if guess == labels[i] else "tab:red")  # fmt: skip
        axis.axis("off")
    right.suptitle("least certain: what it is → what it was taken for")
    figure.savefig(file, dpi=120)


if __name__ == "__main__":
    sys.exit(main())
