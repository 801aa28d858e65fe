"""Data for training: `anfora.dataset`, with MindSpore's names.

node.py         what a pipeline is: a tree of nodes, and a run over it
blocks.py       rows on their way through it
seeds.py        random choices, which follow from (seed, epoch, sample)
sources.py      nodes that give rows            samplers.py    in which order
arranging.py    nodes that arrange rows         mapping.py     functions on fields
gathering.py    batches                         functions.py   the program's functions, and their errors
executor.py     who computes rows               parallel.py    which executor a run gets; threads
processes.py    worker processes                shared.py      the memory in which they answer
gate.py         threads and forks take turns    cache.py        rows that are kept
iterators.py    rows for the program            datasets.py    what the program holds: Dataset and its methods
user_defined.py, images.py, lines.py, records.py, clue.py    the datasets by where their data are
schema.py       names and types of columns      tfrecord.py    how TFRecord files hold rows
transforms.py   transforms of any field         vision/        transforms of images
text.py         transforms of words and texts   tokens.py      of rows of tokens
config.py       seed, workers and other settings               checks.py    checks of arguments
"""

from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in
from anfora.dataset import config, text, transforms, vision
from anfora.dataset.cache import DatasetCache
from anfora.dataset.clue import CLUEDataset
from anfora.dataset.datasets import Dataset
from anfora.dataset.datasets import zip_datasets as zip
from anfora.dataset.functions import SampleError, pure
from anfora.dataset.gathering import BatchInfo
from anfora.dataset.images import (
    Cifar10Dataset,
    Cifar100Dataset,
    FashionMnistDataset,
    ImageFolderDataset,
    KMnistDataset,
    MnistDataset,
)
from anfora.dataset.lines import CSVDataset, Shuffle, TextFileDataset
from anfora.dataset.records import MindDataset, TFRecordDataset
from anfora.dataset.samplers import (
    DistributedSampler,
    PKSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    SubsetSampler,
    WeightedRandomSampler,
)
from anfora.dataset.schema import Schema
from anfora.dataset.user_defined import GeneratorDataset, NumpySlicesDataset, PaddedDataset

__all__ = [
    "BatchInfo", "CLUEDataset", "CSVDataset", "Cifar100Dataset", "Cifar10Dataset", "Dataset", "DatasetCache",
    "DistributedSampler", "FashionMnistDataset", "GeneratorDataset", "ImageFolderDataset", "KMnistDataset",
    "MindDataset", "MnistDataset", "NumpySlicesDataset", "PKSampler", "PaddedDataset", "RandomSampler",
    "SampleError", "Sampler", "Schema", "SequentialSampler", "Shuffle", "SubsetRandomSampler", "SubsetSampler",
    "TFRecordDataset", "TextFileDataset", "WeightedRandomSampler", "config", "pure", "text", "transforms", "vision",
    "zip",
]  # fmt: skip

if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
