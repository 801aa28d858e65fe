"""What trainings of different networks have in common."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import anfora.dataset as ds
from anfora import train

__all__ = ["Recipe", "warm_and_fall"]


class Recipe:
    """A network, its data and how it is trained. Given its settings and a seed, the weights that come out follow.

    Attributes:
        settings: what may be chosen: names to (default, what it is).
        epochs, batch, …: the settings as chosen.
        arrays: the data that `load` has read; a digest of them stands in the manifest.
    """

    settings: ClassVar[dict[str, tuple[Any, str]]] = {}
    arrays: dict[str, np.ndarray]
    epochs: int
    batch: int

    def __init__(self, **chosen: Any) -> None:
        for name, (default, _) in self.settings.items():
            setattr(self, name, chosen.get(name, default))
            if isinstance(default, int) and getattr(self, name) < 1:
                raise ValueError(f"--{name} must be at least 1")

    def load(self, folder: Path | None) -> None:
        """Read the data into `arrays`: from a folder, or from where the recipe finds them."""
        raise NotImplementedError

    def learn(self) -> ds.Dataset:
        """Rows to learn from, in batches, in another order each epoch."""
        raise NotImplementedError

    def look(self) -> ds.Dataset:
        """Rows that the network never learns from."""
        raise NotImplementedError

    def model(self, steps: int) -> train.Model:
        """The network with loss and optimizer, for so many steps in all."""
        raise NotImplementedError

    def results(self, model: train.Model) -> dict[str, float]:
        """How good it is on what it has not seen."""
        return {"accuracy": float(model.eval(self.look())["accuracy"])}

    # -- for networks that do something once they are trained ---------------------------------------------------------

    @staticmethod
    def add_arguments(parser: argparse.ArgumentParser) -> None:
        """Options for what the network does when it is trained."""

    def save_beside(self, folder: Path) -> None:
        """Write what the trained network needs besides its weights."""

    def use(self, folder: Path, weights: Path, options: argparse.Namespace) -> bool:
        """Do with the trained network what the options ask for; False if they ask for nothing."""
        return False


def warm_and_fall(peak: float, steps: int, warm: float = 0.1) -> list[float]:
    """A rate for each step: in a straight line up to `peak`, reached after the share `warm`, and down to 0."""
    rise = max(round(steps * warm), 1)
    fall = max(steps - rise, 1)
    return [peak * min((step + 1) / rise, (steps - step) / fall) for step in range(steps)]
