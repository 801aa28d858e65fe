# Made by stubs/make.py from the live package; not to be edited.
import builtins
from typing import Any

from anfora.core.dtype import DType
from anfora.mindrecord.converters import Cifar100ToMR as Cifar100ToMR
from anfora.mindrecord.converters import Cifar10ToMR as Cifar10ToMR
from anfora.mindrecord.converters import CsvToMR as CsvToMR
from anfora.mindrecord.converters import ImageNetToMR as ImageNetToMR
from anfora.mindrecord.converters import MnistToMR as MnistToMR
from anfora.mindrecord.converters import TFRecordToMR as TFRecordToMR
from anfora.mindrecord.pages import MindPage as MindPage
from anfora.mindrecord.reader import FileReader as FileReader
from anfora.mindrecord.writer import FileWriter as FileWriter

FAILED: Any

SUCCESS: Any
