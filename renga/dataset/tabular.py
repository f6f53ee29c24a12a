"""Data sets with columns: `renga_data.tabular`."""

from renga_data.tabular import DelegateDataset, TabularDataset, from_data

__all__ = ["DelegateDataset", "TabularDataset", "from_data"]
