"""Run manifests: what a training was, what it ran with, and digests of what came out at some of its steps.

A manifest is a JSON file beside the weights:

    recipe, settings, seed      what was trained; given these and the data, the weights follow
    data                        SHA-256 of the arrays that were learnt from and tested with
    versions, machine, run      with what, on what and how: none of these should matter
    steps                       how many there were
    digests                     SHA-256 of the weights behind some steps, early ones among them
    weights                     the file, and its SHA-256, which is the digest behind the last step
    results                     accuracy or loss on data that the network never saw

The digest of weights is that of the file that `save_checkpoint` writes for the network, so `sha256sum` gives it as well.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import anfora
from anfora import train
from anfora.commands.info import processor
from anfora.core.cell import Cell
from anfora.core.files import DAMAGE, write_whole

__all__ = ["Digests", "ManifestError", "data_sha256", "file_sha256", "machine", "read", "versions", "write"]

VERSION = 1
_NEEDED = ("recipe", "settings", "seed", "versions", "data", "steps", "digests", "weights", "results")


class ManifestError(ValueError):
    """A manifest is missing, damaged or of another kind; the message is one line."""


def write(file: Path, manifest: dict[str, Any]) -> None:
    """Write a manifest, whole."""
    text = json.dumps({"anfora manifest": VERSION, **manifest}, indent=2, ensure_ascii=False)
    write_whole(file, (text + "\n").encode())


def read(file: Path) -> dict[str, Any]:
    """What `write` was given.

    Raises:
        ManifestError: it cannot be read, or is no manifest.
    """
    try:
        found = json.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ManifestError(f"{file}: cannot be read ({error.strerror})") from error
    except DAMAGE as error:
        raise ManifestError(f"{file}: is no manifest: it is not JSON ({error})") from error
    if not isinstance(found, dict) or "anfora manifest" not in found:
        raise ManifestError(f"{file}: is no manifest of a training")
    if found["anfora manifest"] != VERSION:
        raise ManifestError(
            f"{file}: is a manifest of version {found['anfora manifest']}, but this anfora knows {VERSION}"
        )
    missing = [name for name in _NEEDED if name not in found]
    if missing:
        raise ManifestError(f"{file}: lacks {', '.join(missing)}")
    for name in ("settings", "versions", "digests", "weights", "results", "data"):
        if not isinstance(found[name], dict):
            raise ManifestError(f"{file}: `{name}` should be an object, but is {found[name]!r}")
    if not all(step.isdigit() for step in found["digests"]):
        raise ManifestError(f"{file}: `digests` should be named by steps, but has {', '.join(found['digests'])}")
    return found


def versions() -> dict[str, str]:
    """What could make a difference."""
    libraries = {name: importlib.metadata.version(name) for name in ("numpy", "numba", "llvmlite")}
    return {"anfora": anfora.__version__, "python": platform.python_version(), **libraries}


def machine() -> dict[str, Any]:
    """The processor, and what kernels are compiled for."""
    from anfora.kernel.target import target

    aim = target()
    features = " ".join(sorted(name[1:] for name in aim.features.split(",") if name.startswith("+")))
    return {
        "processor": processor(), "kernels for": aim.cpu, "vector bits": 8 * aim.vector_bytes, "features": features,
    }  # fmt: skip


def data_sha256(arrays: dict[str, np.ndarray]) -> str:
    """The digest of arrays with their names, types and shapes."""
    found = hashlib.sha256()
    for name, array in arrays.items():
        plain = np.ascontiguousarray(array)
        plain = plain.astype(plain.dtype.newbyteorder("<"), copy=False)
        found.update(f"{name} {plain.dtype.str} {plain.shape}\n".encode())
        found.update(plain.data)
    return found.hexdigest()


def file_sha256(file: Path) -> str:
    """The digest of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def weights_sha256(network: Cell) -> str:
    """The digest of the file that a network would be saved as."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "weights.ckpt"
        anfora.save_checkpoint(network, file)
        return file_sha256(file)


class Digests(train.Callback):
    """Notes the digest of a network's weights behind the steps 1, 2, 5, 10, 20, 50, … and the last one, where it ends.

    Args:
        network: whose weights.
        last: the last step.
        of: what is trained, names to numbers and strings: a state of something else is not resumed.
    Attributes:
        digests: steps as strings to digests.
        steps: how many steps were done.
        seconds: how long they took, also before the training was stopped and resumed.
    """

    kept = ("of", "digests", "steps", "seconds")

    def __init__(self, network: Cell, last: int, of: dict[str, Any] | None = None) -> None:
        super().__init__()
        self.network, self.last, self.of = network, last, of or {}
        self.digests: dict[str, str] = {}
        self.steps = 0
        self.seconds = 0.0
        self._since = time.perf_counter()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        was = state["of"]
        others = [f"{name} {was.get(name)}, not {value}" for name, value in self.of.items() if was.get(name) != value]
        if others:
            raise ManifestError(f"what was stopped here is another training, with {', '.join(others)}")
        super().load_state_dict(state)

    def on_train_begin(self, run_context: train.RunContext) -> None:
        self._since = time.perf_counter()

    def on_train_step_end(self, run_context: train.RunContext) -> None:
        self.steps += 1
        now = time.perf_counter()
        self.seconds, self._since = self.seconds + now - self._since, now
        if str(self.steps).rstrip("0") in ("1", "2", "5") or self.steps == self.last:
            self.digests[str(self.steps)] = weights_sha256(self.network)
        if self.steps >= self.last:
            run_context.request_stop()
