"""Data sets with columns: every example has the same elements, each with a name.

- `table`: `TabularDataset`, the base of all, and what can be done with one. Start there.
- `construction`: `from_data`, which makes one of arrays, lists and functions.
- `delegate`: `DelegateDataset`, a base for one's own.
- `views`: what `slice`, `concat`, `join`, `transform` … return: nothing is read before it is asked for.
- `columns`: what is done with a column: taking rows, putting columns one after another, making arrays.
- `rows`: which rows are meant.
"""

from renga_data.tabular.construction import from_data
from renga_data.tabular.delegate import DelegateDataset
from renga_data.tabular.table import TabularDataset

__all__ = ["DelegateDataset", "TabularDataset", "from_data"]
