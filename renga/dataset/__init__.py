"""What data sets, iterators and converters are, and the usual ones.

- `convert`: converters, which make arrays on a device of a mini-batch.
- `tabular`: data sets with columns.
"""

from renga.dataset import convert, tabular
from renga_core.dataset import Converter, Dataset, DatasetMixin, Iterator, converter
from renga_data.convert import concat_examples, to_device
from renga_data.conveyor import ConcatWithAsyncTransfer
from renga_data.datasets.cached import cache_or_load_file, cached_download
from renga_data.datasets.download import get_dataset_directory, get_dataset_root, set_dataset_root
from renga_data.tabular import TabularDataset

__all__ = [
    "ConcatWithAsyncTransfer",
    "Converter",
    "Dataset",
    "DatasetMixin",
    "Iterator",
    "TabularDataset",
    "cache_or_load_file",
    "cached_download",
    "concat_examples",
    "convert",
    "converter",
    "get_dataset_directory",
    "get_dataset_root",
    "set_dataset_root",
    "tabular",
    "to_device",
]
