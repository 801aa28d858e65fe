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
callbacks.py    what is done at the moments of a pipeline
iterators.py    rows for the program            datasets.py    what the program holds: Dataset and its methods
user_defined.py, images.py, lines.py, records.py, clue.py    the datasets by where their data are
samples.py      what datasets in files share    pixels.py, photographs.py, outlines.py, boxes.py    more of images
corpora.py, translations.py     more of texts   sounds.py       of recordings
made_up.py      of random numbers
schema.py       names and types of columns      tfrecord.py    how TFRecord files hold rows
transforms.py   transforms of any field         vision/        transforms of images
text.py         transforms of words and texts   tokens.py      of rows of tokens
vectors.py      words as vectors that others have trained      pieces.py   words in pieces
chinese.py      texts without spaces cut into words
config.py       seed, workers and other settings               checks.py    checks of arguments
"""

from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in
from anfora.dataset import config, text, transforms, vision
from anfora.dataset.boxes import CocoDataset, KITTIDataset, VOCDataset, WIDERFaceDataset
from anfora.dataset.cache import DatasetCache
from anfora.dataset.callbacks import DSCallback
from anfora.dataset.clue import CLUEDataset
from anfora.dataset.corpora import (
    AGNewsDataset,
    AmazonReviewDataset,
    CoNLL2000Dataset,
    DBpediaDataset,
    EnWik9Dataset,
    IMDBDataset,
    Multi30kDataset,
    PennTreebankDataset,
    SogouNewsDataset,
    SQuADDataset,
    SST2Dataset,
    UDPOSDataset,
    WikiTextDataset,
    YahooAnswersDataset,
    YelpReviewDataset,
)
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
from anfora.dataset.made_up import FakeImageDataset, RandomDataset
from anfora.dataset.outlines import Caltech101Dataset, CityscapesDataset, Flowers102Dataset, SBDataset
from anfora.dataset.photographs import (
    Caltech256Dataset,
    CelebADataset,
    DIV2KDataset,
    FlickrDataset,
    Food101Dataset,
    LFWDataset,
    LSUNDataset,
    ManifestDataset,
    OmniglotDataset,
    Places365Dataset,
    RenderedSST2Dataset,
    SBUDataset,
    SUN397Dataset,
)
from anfora.dataset.pixels import (
    EMnistDataset,
    PhotoTourDataset,
    QMnistDataset,
    SemeionDataset,
    STL10Dataset,
    SVHNDataset,
    USPSDataset,
)
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
from anfora.dataset.sounds import (
    CMUArcticDataset,
    GTZANDataset,
    LibriTTSDataset,
    LJSpeechDataset,
    SpeechCommandsDataset,
    TedliumDataset,
    YesNoDataset,
)
from anfora.dataset.translations import IWSLT2016Dataset, IWSLT2017Dataset
from anfora.dataset.user_defined import GeneratorDataset, NumpySlicesDataset, PaddedDataset

__all__ = [
    "Caltech101Dataset", "CityscapesDataset", "Flowers102Dataset", "IWSLT2016Dataset", "IWSLT2017Dataset", "LSUNDataset",
    "PhotoTourDataset", "SBDataset", "TedliumDataset",
    "AGNewsDataset", "AmazonReviewDataset", "BatchInfo", "CLUEDataset", "CMUArcticDataset", "CSVDataset",
    "Caltech256Dataset", "CelebADataset", "Cifar100Dataset", "Cifar10Dataset", "CoNLL2000Dataset", "CocoDataset",
    "DBpediaDataset", "DIV2KDataset", "DSCallback", "Dataset", "DatasetCache", "DistributedSampler", "EMnistDataset",
    "EnWik9Dataset", "FakeImageDataset", "FashionMnistDataset", "FlickrDataset", "Food101Dataset", "GTZANDataset",
    "GeneratorDataset", "IMDBDataset", "ImageFolderDataset", "KITTIDataset", "KMnistDataset", "LFWDataset",
    "LJSpeechDataset", "LibriTTSDataset", "ManifestDataset", "MindDataset", "MnistDataset", "Multi30kDataset",
    "NumpySlicesDataset", "OmniglotDataset", "PKSampler", "PaddedDataset", "PennTreebankDataset", "Places365Dataset",
    "QMnistDataset", "RandomDataset", "RandomSampler", "RenderedSST2Dataset", "SBUDataset", "SQuADDataset",
    "SST2Dataset", "STL10Dataset", "SUN397Dataset", "SVHNDataset", "SampleError", "Sampler", "Schema", "SemeionDataset",
    "SequentialSampler", "Shuffle", "SogouNewsDataset", "SpeechCommandsDataset", "SubsetRandomSampler", "SubsetSampler",
    "TFRecordDataset", "TextFileDataset", "UDPOSDataset", "USPSDataset", "VOCDataset", "WIDERFaceDataset",
    "WeightedRandomSampler", "WikiTextDataset", "YahooAnswersDataset", "YelpReviewDataset",
    "YesNoDataset", "config", "pure", "text", "transforms", "vision", "zip",
]  # fmt: skip

if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__, "anfora.train.callback.waited")
