"""Data sets for training with several processes.

- `scattering`: `scatter_dataset`, which sends each rank its part; `scatter_index`, which computes the part's bounds.
- `empty`: `create_empty_dataset`, for ranks with a part of a model that has no input.
"""

from renga_distributed.datasets.empty import create_empty_dataset
from renga_distributed.datasets.scattering import DataSizeError, scatter_dataset, scatter_index

__all__ = ["DataSizeError", "create_empty_dataset", "scatter_dataset", "scatter_index"]
