# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga.dataset import convert as convert
from renga.dataset import tabular as tabular
from renga_core.dataset import Converter as Converter
from renga_core.dataset import Dataset as Dataset
from renga_core.dataset import DatasetMixin as DatasetMixin
from renga_core.dataset import Iterator as Iterator
from renga_data.async_transfer import ConcatWithAsyncTransfer as ConcatWithAsyncTransfer
from renga_data.convert import concat_examples as concat_examples
from renga_data.convert import to_device as to_device
from renga_data.converter import converter as converter
from renga_data.datasets.cached import cache_or_load_file as cache_or_load_file
from renga_data.datasets.cached import cached_download as cached_download
from renga_data.datasets.download import get_dataset_directory as get_dataset_directory
from renga_data.datasets.download import get_dataset_root as get_dataset_root
from renga_data.datasets.download import set_dataset_root as set_dataset_root
from renga_data.preprocessing import Column as Column
from renga_data.preprocessing import ImagePreprocessing as ImagePreprocessing
from renga_data.preprocessing import PicturePreprocessing as PicturePreprocessing
from renga_data.preprocessing import Split as Split
from renga_data.preprocessing import TablePreprocessing as TablePreprocessing
from renga_data.preprocessing import TextPreprocessing as TextPreprocessing
from renga_data.preprocessing import preprocessing_document as preprocessing_document
from renga_data.preprocessing import read_preprocessing as read_preprocessing
from renga_data.preprocessing import write_preprocessing as write_preprocessing
from renga_data.tabular.table import TabularDataset as TabularDataset

__all__ = [
    "Column",
    "ConcatWithAsyncTransfer",
    "Converter",
    "Dataset",
    "DatasetMixin",
    "ImagePreprocessing",
    "Iterator",
    "PicturePreprocessing",
    "Split",
    "TablePreprocessing",
    "TabularDataset",
    "TextPreprocessing",
    "cache_or_load_file",
    "cached_download",
    "concat_examples",
    "convert",
    "converter",
    "get_dataset_directory",
    "get_dataset_root",
    "preprocessing_document",
    "read_preprocessing",
    "set_dataset_root",
    "tabular",
    "to_device",
    "write_preprocessing",
]
