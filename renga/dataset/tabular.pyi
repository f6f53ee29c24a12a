# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_data.tabular.construction import from_data as from_data
from renga_data.tabular.delegate import DelegateDataset as DelegateDataset
from renga_data.tabular.table import TabularDataset as TabularDataset

__all__ = [
    "DelegateDataset",
    "TabularDataset",
    "from_data",
]
