"""MindRecord files, MindSpore's own format: `anfora.mindrecord`.

format.py   how rows lie in a file: header, pages, numbers in few bytes
writer.py   FileWriter                  reader.py   FileReader, and the files by their rows
pages.py    MindPage                    converters.py   files of data in other formats

`anfora.dataset.MindDataset` reads them for training. Files of MindSpore are read here, and those of this package by
MindSpore. Encrypted files are not read.
"""

import enum
from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in
from anfora.mindrecord.converters import Cifar10ToMR, Cifar100ToMR, CsvToMR, ImageNetToMR, MnistToMR, TFRecordToMR
from anfora.mindrecord.pages import MindPage
from anfora.mindrecord.reader import FileReader
from anfora.mindrecord.writer import FileWriter

__all__ = [
    "Cifar100ToMR", "Cifar10ToMR", "CsvToMR", "FAILED", "FileReader", "FileWriter", "ImageNetToMR", "MindPage",
    "MnistToMR", "SUCCESS", "TFRecordToMR",
]  # fmt: skip


class MSRStatus(enum.IntEnum):
    """How something has ended. Methods here, as MindSpore's, give nothing back and raise errors; older programs compare."""

    SUCCESS = 0
    FAILED = 1


SUCCESS, FAILED = MSRStatus.SUCCESS, MSRStatus.FAILED


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
