"""Data sets with columns: each example has the same named elements.

- `table`: `TabularDataset`, the base class with all methods. Start there.
- `construction`: `from_data`, which makes one from arrays, lists and functions.
- `delegate`: `DelegateDataset`, a base for your own classes.
- `views`: the results of `slice`, `concat`, `join`, `transform` …: nothing is read before it is requested.
- `columns`: operations on a column: taking rows, concatenating, converting to arrays.
- `rows`: checking and combining selections of rows.
"""

from renga_data.tabular.construction import from_data
from renga_data.tabular.delegate import DelegateDataset
from renga_data.tabular.table import TabularDataset

__all__ = ["DelegateDataset", "TabularDataset", "from_data"]
