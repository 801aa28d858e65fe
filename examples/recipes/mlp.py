"""Dense layers on the tables that come with scikit-learn, which is read here and not installed."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import math
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import anfora.dataset as ds
from anfora import nn, train
from anfora.data import DataError
from anfora.data.fetched import Wheel
from anfora.examples.recipes.recipe import Recipe, warm_and_fall
from anfora.models import MLP

__all__ = ["TableMLP"]

#: Tables: the file in scikit-learn and its SHA-256.
_FILES = {
    "breast_cancer": ("breast_cancer.csv", "fed3eb72d0575ef6192293f5093c6e801b1476b577d0386bf4455504522172ed"),
    "wine": ("wine_data.csv", "10e8a802908b34f86e5da8ce962f3c806694bc98450a18f61851af59f324bede"),
    "digits": ("digits.csv.gz", "09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22"),
}

_WHEEL = Wheel(
    "scikit-learn==1.7.2",
    "scikit_learn-1.7.2-cp312-cp312-manylinux2014_x86_64.manylinux_2_17_x86_64.whl",
    "e5bf3d930aee75a65478df91ac1225ff89cd28e9ac7bd1196853a9229b6adb0b",
    ("--python-version=3.12", "--platform=manylinux2014_x86_64"),
)


class TableMLP(Recipe):
    """Two hidden layers on a table of measurements: breast_cancer (569 x 30), wine (178 x 13) or digits (1,797 x 64)."""

    settings: ClassVar[dict[str, tuple[Any, str]]] = {
        "set": ("breast_cancer", f"the table: {', '.join(_FILES)}"),
        "epochs": (60, "passes over the four fifths of the table that it learns from"),
        "batch": (16, "rows a step"),
        "width": (32, "features of a hidden layer"),
    }
    set: str
    width: int

    def __init__(self, **chosen: Any) -> None:
        super().__init__(**chosen)
        if self.set not in _FILES:
            raise ValueError(f"--set must be one of {', '.join(_FILES)}, but is {self.set!r}")

    def load(self, folder: Path | None) -> None:
        rows = _table(self._content(folder))
        features, labels = rows[:, :-1], rows[:, -1].astype(np.int32)
        # Sums that are rounded once are the same on any machine; numpy's follow the width of its vectors.
        means = [math.fsum(column) / len(column) for column in features.T]
        widths = [
            math.sqrt(math.fsum((column - mean) ** 2) / len(column)) or 1.0
            for column, mean in zip(features.T, means)
        ]  # fmt: skip
        scaled = ((features - means) / widths).astype(np.float32)
        order = np.random.RandomState(2026).permutation(len(rows))
        held_out = len(rows) // 5
        self.arrays = {
            "train features": scaled[order[held_out:]], "train labels": labels[order[held_out:]],
            "test features": scaled[order[:held_out]], "test labels": labels[order[:held_out]],
        }  # fmt: skip

    def _content(self, folder: Path | None) -> bytes:
        """The table's file: in a folder, in the scikit-learn that is installed, or in its wheel."""
        name, digest = _FILES[self.set]
        if folder is not None:
            try:
                return (folder / name).read_bytes()
            except OSError as error:
                raise DataError(f"{folder / name}: cannot be read ({error.strerror})") from error
        found = importlib.util.find_spec("sklearn")
        for place in (found.submodule_search_locations or []) if found else []:
            file = Path(place, "datasets", "data", name)
            if file.is_file() and hashlib.sha256(content := file.read_bytes()).hexdigest() == digest:
                return content
        with _WHEEL.open() as wheel:
            return wheel.read(f"sklearn/datasets/data/{name}")

    def _rows(self, part: str) -> dict[str, np.ndarray]:
        return {"features": self.arrays[f"{part} features"], "label": self.arrays[f"{part} labels"]}

    def learn(self) -> ds.Dataset:
        return ds.NumpySlicesDataset(self._rows("train"), shuffle=True).batch(self.batch, drop_remainder=True)

    def look(self) -> ds.Dataset:
        return ds.NumpySlicesDataset(self._rows("test"), shuffle=False).batch(self.batch)

    def model(self, steps: int) -> train.Model:
        classes = int(self.arrays["train labels"].max()) + 1
        net = MLP([self.arrays["train features"].shape[1], self.width, self.width, classes])
        loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        optimizer = nn.Momentum(net.trainable_params(), warm_and_fall(0.05, steps), momentum=0.9, weight_decay=1e-3)
        return train.Model(net, loss, optimizer, metrics={"accuracy"})


def _table(content: bytes) -> np.ndarray:
    """The numbers of a file: rows of measurements with the class behind them. A first line with names is left out."""
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    lines = content.decode("utf-8").split()
    if any(character.isalpha() for character in lines[0]):
        lines = lines[1:]
    return np.array([[float(number) for number in line.split(",")] for line in lines])
