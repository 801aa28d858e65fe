# Made by stubs/make.py from the live package; not to be edited.
import builtins
from typing import Any

from anfora.core.dtype import DType
from . import config as config
from . import text as text
from . import transforms as transforms
from . import vision as vision
from anfora.dataset.cache import DatasetCache as DatasetCache
from anfora.dataset.clue import CLUEDataset as CLUEDataset
from anfora.dataset.datasets import Dataset as Dataset
from anfora.dataset.datasets import zip_datasets as zip
from anfora.dataset.functions import SampleError as SampleError
from anfora.dataset.functions import pure as pure
from anfora.dataset.gathering import BatchInfo as BatchInfo
from anfora.dataset.images import Cifar100Dataset as Cifar100Dataset
from anfora.dataset.images import Cifar10Dataset as Cifar10Dataset
from anfora.dataset.images import FashionMnistDataset as FashionMnistDataset
from anfora.dataset.images import ImageFolderDataset as ImageFolderDataset
from anfora.dataset.images import KMnistDataset as KMnistDataset
from anfora.dataset.images import MnistDataset as MnistDataset
from anfora.dataset.lines import CSVDataset as CSVDataset
from anfora.dataset.lines import TextFileDataset as TextFileDataset
from anfora.dataset.records import MindDataset as MindDataset
from anfora.dataset.records import TFRecordDataset as TFRecordDataset
from anfora.dataset.samplers import DistributedSampler as DistributedSampler
from anfora.dataset.samplers import PKSampler as PKSampler
from anfora.dataset.samplers import RandomSampler as RandomSampler
from anfora.dataset.samplers import Sampler as Sampler
from anfora.dataset.samplers import SequentialSampler as SequentialSampler
from anfora.dataset.samplers import Shuffle as Shuffle
from anfora.dataset.samplers import SubsetRandomSampler as SubsetRandomSampler
from anfora.dataset.samplers import SubsetSampler as SubsetSampler
from anfora.dataset.samplers import WeightedRandomSampler as WeightedRandomSampler
from anfora.dataset.schema import Schema as Schema
from anfora.dataset.user_defined import GeneratorDataset as GeneratorDataset
from anfora.dataset.user_defined import NumpySlicesDataset as NumpySlicesDataset
from anfora.dataset.user_defined import PaddedDataset as PaddedDataset

__all__ = [
    "BatchInfo", "CLUEDataset", "CSVDataset", "Cifar100Dataset", "Cifar10Dataset", "Dataset", "DatasetCache",
    "DistributedSampler", "FashionMnistDataset", "GeneratorDataset", "ImageFolderDataset", "KMnistDataset", "MindDataset",
    "MnistDataset", "NumpySlicesDataset", "PKSampler", "PaddedDataset", "RandomSampler", "SampleError", "Sampler", "Schema",
    "SequentialSampler", "Shuffle", "SubsetRandomSampler", "SubsetSampler", "TFRecordDataset", "TextFileDataset",
    "WeightedRandomSampler", "config", "pure", "text", "transforms", "vision", "zip",
]
