"""What data sets, iterators and converters are, and the usual converter."""

from renga_core.dataset import Converter, Dataset, DatasetMixin, Iterator, converter
from renga_data.convert import concat_examples, to_device

__all__ = ["Converter", "Dataset", "DatasetMixin", "Iterator", "concat_examples", "converter", "to_device"]
