# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga_data.tabular.construction import from_data as from_data
from renga_data.tabular.delegate import DelegateDataset as DelegateDataset
from renga_data.tabular.table import TabularDataset as TabularDataset

__all__ = [
    "DelegateDataset",
    "TabularDataset",
    "from_data",
]
