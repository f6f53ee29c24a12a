"""Data sets for training by several processes.

- `scattering`: `scatter_dataset`, which gives each rank its part; `scatter_index`, which tells it where its part is.
- `empty`: `create_empty_dataset`, for ranks that hold a part of a model without input.
"""

from renga_distributed.datasets.empty import create_empty_dataset
from renga_distributed.datasets.scattering import DataSizeError, scatter_dataset, scatter_index

__all__ = ["DataSizeError", "create_empty_dataset", "scatter_dataset", "scatter_index"]
