"""What data sets, iterators and converters are. The ones to use are in plugins (`renga_data`).

- `mixin`: `Dataset`, what everything that yields examples by index is; `DatasetMixin`, a base class that needs only
  ``__len__`` and ``get_example``.
- `iterator`: `Iterator`, which makes mini-batches of a data set and counts epochs.
- `converter`: `Converter`, which makes arrays of a mini-batch.
"""

from renga_core.dataset.converter import Converter
from renga_core.dataset.iterator import Iterator
from renga_core.dataset.mixin import Dataset, DatasetMixin

__all__ = ["Converter", "Dataset", "DatasetMixin", "Iterator"]
