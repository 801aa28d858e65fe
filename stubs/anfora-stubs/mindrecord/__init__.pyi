# Made by stubs/make.py from the live package; not to be edited.
import builtins
from typing import Any

from anfora.core.dtype import DType
from anfora.mindrecord.reader import FileReader as FileReader
from anfora.mindrecord.writer import FileWriter as FileWriter

__all__ = [
    "FileReader", "FileWriter",
]
