"""A small GPT on source code: it learns to guess the next token of the `.py` files of sympy, and then writes code."""

from __future__ import annotations

import argparse
import json
import math
import zipfile
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import anfora as ms
import anfora.dataset as ds
from anfora import Tensor, nn, ops, train
from anfora.data import DataError
from anfora.data.fetched import Wheel
from anfora.examples.recipes.byte_pairs import BytePairs
from anfora.examples.recipes.recipe import Recipe, warm_and_fall
from anfora.models import GPT

__all__ = ["CodeGPT"]

_WHEEL = Wheel(
    "sympy==1.13.3", "sympy-1.13.3-py3-none-any.whl", "54612cf55a62755ee71824ce692986f23c88ffa77207b30c1368eda4a7060f73"
)
_HELD_OUT = 50  # one file of so many is not learnt from


class CodeGPT(Recipe):
    """A GPT of 2.2 million weights on 16 MB of Python: sympy 1.13.3 without its tests.

    Text is cut into tokens of some three bytes each. The result is the number of bits it takes to tell a byte of files that
    it has not seen: 8 for who knows nothing.
    """

    settings: ClassVar[dict[str, tuple[Any, str]]] = {
        "epochs": (1, "passes over the text"),
        "batch": (16, "windows a step"),
        "context": (128, "tokens of a window"),
        "vocabulary": (2048, "tokens that there are, at most"),
        "width": (192, "features of a token"),
        "layers": (4, "blocks"),
        "heads": (6, "heads of a block; they divide the width"),
    }
    context: int
    vocabulary: int
    width: int
    layers: int
    heads: int

    def load(self, folder: Path | None) -> None:
        texts = _texts(folder)
        learn = b"".join(text for i, text in enumerate(texts) if i % _HELD_OUT != _HELD_OUT // 2)
        look = b"".join(text for i, text in enumerate(texts) if i % _HELD_OUT == _HELD_OUT // 2)
        self.tokens = BytePairs.learnt(learn, max(self.vocabulary, 256))
        self.arrays = {
            "pairs": np.array(self.tokens.pairs, np.uint16).reshape(-1, 2),
            "train": self.tokens.encode(learn), "test": self.tokens.encode(look),
        }  # fmt: skip
        for part in ("train", "test"):
            if len(self._windows(part)) < (self.batch if part == "train" else 1):
                raise DataError(
                    f"there is not enough text for a batch of windows of {self.context + 1} tokens ({part})"
                )

    def _windows(self, part: str) -> np.ndarray:
        """Windows (N, context + 1) of tokens; the last one of each is the first of the next."""
        tokens = self.arrays[part].astype(np.int32)
        starts = np.arange(0, len(tokens) - self.context, self.context)
        return tokens[starts[:, None] + np.arange(self.context + 1)]

    def _rows(self, part: str) -> dict[str, np.ndarray]:
        windows = self._windows(part)
        return {"tokens": windows[:, :-1], "next": windows[:, 1:]}

    def learn(self) -> ds.Dataset:
        return ds.NumpySlicesDataset(self._rows("train"), shuffle=True).batch(self.batch, drop_remainder=True)

    def look(self) -> ds.Dataset:
        return ds.NumpySlicesDataset(self._rows("test"), shuffle=False).batch(1)

    def network(self) -> GPT:
        return GPT(len(self.tokens), self.context, self.width, self.layers, self.heads)

    def model(self, steps: int) -> train.Model:
        net = self.network()
        rates = warm_and_fall(2e-3, steps, warm=0.05)
        optimizer = nn.AdamWeightDecay(net.trainable_params(), rates, beta1=0.9, beta2=0.99, eps=1e-8)
        return train.Model(net, surprise, optimizer, metrics={"loss"})

    def results(self, model: train.Model) -> dict[str, float]:
        loss = float(model.eval(self.look())["loss"])  # nats a token
        known = self._windows("test")[:, 1:]
        size = len(self.tokens.decode(known.reshape(-1)))
        return {"loss": loss, "bits per byte": loss / math.log(2) * known.size / size}

    # -- writing ------------------------------------------------------------------------------------------------------

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        group = parser.add_argument_group("writing, once it is trained")
        group.add_argument(
            "--generate", metavar="TEXT",
            help=r"go on with this text (\n in it ends a line); a network that is in FOLDER already is not trained again",
        )  # fmt: skip
        group.add_argument("--tokens", type=int, default=300, help="how many tokens to write (%(default)s)")
        group.add_argument(
            "--temperature", type=float, default=0.7,
            help="0 always takes the likeliest token; the higher, the more daring (%(default)s)",
        )  # fmt: skip
        group.add_argument("--top-k", type=int, default=40, help="choose among so many likeliest tokens (%(default)s)")

    def save_beside(self, folder: Path) -> None:
        (folder / "gpt.tokens.json").write_text(json.dumps(self.tokens.pairs, separators=(",", ":")), encoding="utf-8")

    def use(self, folder: Path, weights: Path, options: argparse.Namespace) -> bool:
        if options.generate is None:
            return False
        self.tokens = BytePairs([tuple(pair) for pair in json.loads((folder / "gpt.tokens.json").read_text("utf-8"))])
        net = self.network()
        net.set_train(False)
        ms.load_checkpoint(str(weights), net)
        start = self.tokens.encode((options.generate.replace("\\n", "\n") or "\n").encode())
        found = net.generate(
            Tensor(start[None].astype(np.int64)), options.tokens, options.temperature, options.seed, options.top_k
        )
        print(self.tokens.decode(found.asnumpy()[0]).decode("utf-8", "replace"))
        return True


def surprise(logits: Tensor, tokens: Tensor) -> Tensor:
    """The mean of -log p over all tokens, in nats."""
    return ops.cross_entropy(ops.reshape(logits, (-1, logits.shape[-1])), ops.reshape(tokens, (-1,)))


def _texts(folder: Path | None) -> list[bytes]:
    """The files, ordered by their names: of the wheel, which may lie in a folder, or all `.py` files below a folder."""
    if folder is not None and not (folder / _WHEEL.file).is_file():
        if not folder.is_dir():
            raise DataError(f"{folder}: is no folder")
        found = [file.read_bytes() for file in sorted(folder.rglob("*.py"))]
        if len(found) < _HELD_OUT:
            raise DataError(f"{folder}: has {len(found)} .py files, but at least {_HELD_OUT} are needed")
        return found
    with _WHEEL.open(folder) as wheel:
        return [wheel.read(name) for name in sorted(wheel.namelist()) if _is_wanted(name, wheel)]


def _is_wanted(name: str, wheel: zipfile.ZipFile) -> bool:
    return name.endswith(".py") and not {"tests", "benchmarks"} & set(name.split("/"))
