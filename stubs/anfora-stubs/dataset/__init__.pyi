# Made by stubs/make.py from the live package; not to be edited.
import builtins
from typing import Any

from anfora.core.dtype import DType
from . import config as config
from . import text as text
from . import transforms as transforms
from . import vision as vision
from anfora.dataset.boxes import CocoDataset as CocoDataset
from anfora.dataset.boxes import KITTIDataset as KITTIDataset
from anfora.dataset.boxes import VOCDataset as VOCDataset
from anfora.dataset.boxes import WIDERFaceDataset as WIDERFaceDataset
from anfora.dataset.cache import DatasetCache as DatasetCache
from anfora.dataset.callbacks import DSCallback as DSCallback
from anfora.dataset.clue import CLUEDataset as CLUEDataset
from anfora.dataset.corpora import AGNewsDataset as AGNewsDataset
from anfora.dataset.corpora import AmazonReviewDataset as AmazonReviewDataset
from anfora.dataset.corpora import CoNLL2000Dataset as CoNLL2000Dataset
from anfora.dataset.corpora import DBpediaDataset as DBpediaDataset
from anfora.dataset.corpora import EnWik9Dataset as EnWik9Dataset
from anfora.dataset.corpora import IMDBDataset as IMDBDataset
from anfora.dataset.corpora import Multi30kDataset as Multi30kDataset
from anfora.dataset.corpora import PennTreebankDataset as PennTreebankDataset
from anfora.dataset.corpora import SQuADDataset as SQuADDataset
from anfora.dataset.corpora import SST2Dataset as SST2Dataset
from anfora.dataset.corpora import SogouNewsDataset as SogouNewsDataset
from anfora.dataset.corpora import UDPOSDataset as UDPOSDataset
from anfora.dataset.corpora import WikiTextDataset as WikiTextDataset
from anfora.dataset.corpora import YahooAnswersDataset as YahooAnswersDataset
from anfora.dataset.corpora import YelpReviewDataset as YelpReviewDataset
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
from anfora.dataset.made_up import FakeImageDataset as FakeImageDataset
from anfora.dataset.made_up import RandomDataset as RandomDataset
from anfora.dataset.photographs import Caltech256Dataset as Caltech256Dataset
from anfora.dataset.photographs import CelebADataset as CelebADataset
from anfora.dataset.photographs import DIV2KDataset as DIV2KDataset
from anfora.dataset.photographs import FlickrDataset as FlickrDataset
from anfora.dataset.photographs import Food101Dataset as Food101Dataset
from anfora.dataset.photographs import LFWDataset as LFWDataset
from anfora.dataset.photographs import ManifestDataset as ManifestDataset
from anfora.dataset.photographs import OmniglotDataset as OmniglotDataset
from anfora.dataset.photographs import Places365Dataset as Places365Dataset
from anfora.dataset.photographs import RenderedSST2Dataset as RenderedSST2Dataset
from anfora.dataset.photographs import SBUDataset as SBUDataset
from anfora.dataset.photographs import SUN397Dataset as SUN397Dataset
from anfora.dataset.pixels import EMnistDataset as EMnistDataset
from anfora.dataset.pixels import QMnistDataset as QMnistDataset
from anfora.dataset.pixels import STL10Dataset as STL10Dataset
from anfora.dataset.pixels import SVHNDataset as SVHNDataset
from anfora.dataset.pixels import SemeionDataset as SemeionDataset
from anfora.dataset.pixels import USPSDataset as USPSDataset
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
from anfora.dataset.sounds import CMUArcticDataset as CMUArcticDataset
from anfora.dataset.sounds import GTZANDataset as GTZANDataset
from anfora.dataset.sounds import LJSpeechDataset as LJSpeechDataset
from anfora.dataset.sounds import LibriTTSDataset as LibriTTSDataset
from anfora.dataset.sounds import SpeechCommandsDataset as SpeechCommandsDataset
from anfora.dataset.sounds import YesNoDataset as YesNoDataset
from anfora.dataset.user_defined import GeneratorDataset as GeneratorDataset
from anfora.dataset.user_defined import NumpySlicesDataset as NumpySlicesDataset
from anfora.dataset.user_defined import PaddedDataset as PaddedDataset

__all__ = [
    "AGNewsDataset", "AmazonReviewDataset", "BatchInfo", "CLUEDataset", "CMUArcticDataset", "CSVDataset",
    "Caltech256Dataset", "CelebADataset", "Cifar100Dataset", "Cifar10Dataset", "CoNLL2000Dataset", "CocoDataset",
    "DBpediaDataset", "DIV2KDataset", "DSCallback", "Dataset", "DatasetCache", "DistributedSampler", "EMnistDataset",
    "EnWik9Dataset", "FakeImageDataset", "FashionMnistDataset", "FlickrDataset", "Food101Dataset", "GTZANDataset",
    "GeneratorDataset", "IMDBDataset", "ImageFolderDataset", "KITTIDataset", "KMnistDataset", "LFWDataset",
    "LJSpeechDataset", "LibriTTSDataset", "ManifestDataset", "MindDataset", "MnistDataset", "Multi30kDataset",
    "NumpySlicesDataset", "OmniglotDataset", "PKSampler", "PaddedDataset", "PennTreebankDataset", "Places365Dataset",
    "QMnistDataset", "RandomDataset", "RandomSampler", "RenderedSST2Dataset", "SBUDataset", "SQuADDataset", "SST2Dataset",
    "STL10Dataset", "SUN397Dataset", "SVHNDataset", "SampleError", "Sampler", "Schema", "SemeionDataset",
    "SequentialSampler", "Shuffle", "SogouNewsDataset", "SpeechCommandsDataset", "SubsetRandomSampler", "SubsetSampler",
    "TFRecordDataset", "TextFileDataset", "UDPOSDataset", "USPSDataset", "VOCDataset", "WIDERFaceDataset",
    "WeightedRandomSampler", "WikiTextDataset", "YahooAnswersDataset", "YelpReviewDataset", "YesNoDataset", "config",
    "pure", "text", "transforms", "vision", "zip",
]
