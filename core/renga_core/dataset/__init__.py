"""Protocols of data sets, iterators and converters. Plugins provide the implementations (`renga_data`).

- `mixin`: `Dataset`, the protocol of indexed collections of examples; `DatasetMixin`, a base class that needs only
  ``__len__`` and ``get_example``.
- `iterator`: `Iterator`, which makes mini-batches from a data set and counts epochs.
- `converter`: `Converter`, which makes arrays from a mini-batch.
"""

from renga_core.dataset.converter import Converter
from renga_core.dataset.iterator import Iterator
from renga_core.dataset.mixin import Dataset, DatasetMixin

__all__ = ["Converter", "Dataset", "DatasetMixin", "Iterator"]
