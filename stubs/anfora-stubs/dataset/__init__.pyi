# Made by stubs/make.py from the live package; not to be edited.
import builtins
from typing import Any

from anfora.core.dtype import DType
from . import config as config
from . import text as text
from . import transforms as transforms
from . import vision as vision
from anfora.dataset.boxes import CocoDataset as CocoDataset
from anfora.dataset.boxes import KITTIDataset as _KITTIDataset
from anfora.dataset.boxes import VOCDataset as VOCDataset
from anfora.dataset.boxes import WIDERFaceDataset as _WIDERFaceDataset
from anfora.dataset.cache import DatasetCache as DatasetCache
from anfora.dataset.callbacks import DSCallback as DSCallback
from anfora.dataset.clue import CLUEDataset as CLUEDataset
from anfora.dataset.corpora import AGNewsDataset as AGNewsDataset
from anfora.dataset.corpora import AmazonReviewDataset as AmazonReviewDataset
from anfora.dataset.corpora import CoNLL2000Dataset as CoNLL2000Dataset
from anfora.dataset.corpora import DBpediaDataset as DBpediaDataset
from anfora.dataset.corpora import EnWik9Dataset as EnWik9Dataset
from anfora.dataset.corpora import IMDBDataset as _IMDBDataset
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
from anfora.dataset.images import Cifar100Dataset as _Cifar100Dataset
from anfora.dataset.images import Cifar10Dataset as _Cifar10Dataset
from anfora.dataset.images import FashionMnistDataset as _FashionMnistDataset
from anfora.dataset.images import ImageFolderDataset as ImageFolderDataset
from anfora.dataset.images import KMnistDataset as _KMnistDataset
from anfora.dataset.images import MnistDataset as _MnistDataset
from anfora.dataset.lines import CSVDataset as CSVDataset
from anfora.dataset.lines import TextFileDataset as TextFileDataset
from anfora.dataset.made_up import FakeImageDataset as FakeImageDataset
from anfora.dataset.made_up import RandomDataset as RandomDataset
from anfora.dataset.outlines import Caltech101Dataset as _Caltech101Dataset
from anfora.dataset.outlines import CityscapesDataset as _CityscapesDataset
from anfora.dataset.outlines import Flowers102Dataset as _Flowers102Dataset
from anfora.dataset.outlines import SBDataset as _SBDataset
from anfora.dataset.photographs import Caltech256Dataset as _Caltech256Dataset
from anfora.dataset.photographs import CelebADataset as CelebADataset
from anfora.dataset.photographs import DIV2KDataset as _DIV2KDataset
from anfora.dataset.photographs import FlickrDataset as _FlickrDataset
from anfora.dataset.photographs import Food101Dataset as _Food101Dataset
from anfora.dataset.photographs import LFWDataset as LFWDataset
from anfora.dataset.photographs import LSUNDataset as _LSUNDataset
from anfora.dataset.photographs import ManifestDataset as ManifestDataset
from anfora.dataset.photographs import OmniglotDataset as _OmniglotDataset
from anfora.dataset.photographs import Places365Dataset as Places365Dataset
from anfora.dataset.photographs import RenderedSST2Dataset as _RenderedSST2Dataset
from anfora.dataset.photographs import SBUDataset as _SBUDataset
from anfora.dataset.photographs import SUN397Dataset as _SUN397Dataset
from anfora.dataset.pixels import EMnistDataset as _EMnistDataset
from anfora.dataset.pixels import PhotoTourDataset as _PhotoTourDataset
from anfora.dataset.pixels import QMnistDataset as _QMnistDataset
from anfora.dataset.pixels import STL10Dataset as _STL10Dataset
from anfora.dataset.pixels import SVHNDataset as _SVHNDataset
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
from anfora.dataset.sounds import CMUArcticDataset as _CMUArcticDataset
from anfora.dataset.sounds import GTZANDataset as _GTZANDataset
from anfora.dataset.sounds import LJSpeechDataset as _LJSpeechDataset
from anfora.dataset.sounds import LibriTTSDataset as _LibriTTSDataset
from anfora.dataset.sounds import SpeechCommandsDataset as _SpeechCommandsDataset
from anfora.dataset.sounds import TedliumDataset as _TedliumDataset
from anfora.dataset.sounds import YesNoDataset as YesNoDataset
from anfora.dataset.translations import IWSLT2016Dataset as IWSLT2016Dataset
from anfora.dataset.translations import IWSLT2017Dataset as IWSLT2017Dataset
from anfora.dataset.user_defined import GeneratorDataset as GeneratorDataset
from anfora.dataset.user_defined import NumpySlicesDataset as NumpySlicesDataset
from anfora.dataset.user_defined import PaddedDataset as PaddedDataset

class CMUArcticDataset(_CMUArcticDataset):
    def __init__(self, dataset_dir: builtins.str, name: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class Caltech101Dataset(_Caltech101Dataset):
    def __init__(self, dataset_dir: builtins.str, target_type: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = 1, shuffle: builtins.bool | None = None, decode: builtins.bool = False, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None) -> None: ...

class Caltech256Dataset(_Caltech256Dataset):
    def __init__(self, dataset_dir: builtins.str, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, decode: builtins.bool = False, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class Cifar100Dataset(_Cifar100Dataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class Cifar10Dataset(_Cifar10Dataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class CityscapesDataset(_CityscapesDataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str = 'train', quality_mode: builtins.str = 'fine', task: builtins.str = 'instance', num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, decode: builtins.bool = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class DIV2KDataset(_DIV2KDataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str = 'train', downgrade: builtins.str = 'bicubic', scale: builtins.int = 2, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, decode: builtins.bool = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class EMnistDataset(_EMnistDataset):
    def __init__(self, dataset_dir: builtins.str, name: builtins.str, usage: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class FashionMnistDataset(_FashionMnistDataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class FlickrDataset(_FlickrDataset):
    def __init__(self, dataset_dir: builtins.str, annotation_file: builtins.str, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, decode: builtins.bool = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class Flowers102Dataset(_Flowers102Dataset):
    def __init__(self, dataset_dir: builtins.str, task: builtins.str = 'Classification', usage: builtins.str = 'all', num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = 1, shuffle: builtins.bool | None = None, decode: builtins.bool = False, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None) -> None: ...

class Food101Dataset(_Food101Dataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, decode: builtins.bool = False, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class GTZANDataset(_GTZANDataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class IMDBDataset(_IMDBDataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class KITTIDataset(_KITTIDataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, decode: builtins.bool = False, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class KMnistDataset(_KMnistDataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class LJSpeechDataset(_LJSpeechDataset):
    def __init__(self, dataset_dir: builtins.str, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class LSUNDataset(_LSUNDataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str | None = None, classes: Any = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, decode: builtins.bool = False, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class LibriTTSDataset(_LibriTTSDataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class MnistDataset(_MnistDataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class OmniglotDataset(_OmniglotDataset):
    def __init__(self, dataset_dir: builtins.str, background: builtins.bool | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, decode: builtins.bool = False, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class PhotoTourDataset(_PhotoTourDataset):
    def __init__(self, dataset_dir: builtins.str, name: builtins.str, usage: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class QMnistDataset(_QMnistDataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str | None = None, compat: builtins.bool = True, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class RenderedSST2Dataset(_RenderedSST2Dataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, decode: builtins.bool = False, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class SBDataset(_SBDataset):
    def __init__(self, dataset_dir: builtins.str, task: builtins.str = 'Boundaries', usage: builtins.str = 'all', num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = 1, shuffle: builtins.bool | None = None, decode: builtins.bool = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None) -> None: ...

class SBUDataset(_SBUDataset):
    def __init__(self, dataset_dir: builtins.str, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, decode: builtins.bool = False, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class STL10Dataset(_STL10Dataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class SUN397Dataset(_SUN397Dataset):
    def __init__(self, dataset_dir: builtins.str, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, decode: builtins.bool = False, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class SVHNDataset(_SVHNDataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = 1, shuffle: builtins.bool | None = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None) -> None: ...

class SpeechCommandsDataset(_SpeechCommandsDataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class TedliumDataset(_TedliumDataset):
    def __init__(self, dataset_dir: builtins.str, release: builtins.str, usage: builtins.str | None = None, extensions: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...

class WIDERFaceDataset(_WIDERFaceDataset):
    def __init__(self, dataset_dir: builtins.str, usage: builtins.str | None = None, num_samples: builtins.int | None = None, num_parallel_workers: builtins.int | None = None, shuffle: builtins.bool | None = None, decode: builtins.bool = False, sampler: Any = None, num_shards: builtins.int | None = None, shard_id: builtins.int | None = None, cache: Any = None) -> None: ...
