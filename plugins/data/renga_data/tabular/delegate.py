"""`DelegateDataset`, a base for data sets of one's own."""

from __future__ import annotations

from typing import Any

from renga_data.tabular.table import Mode, TabularDataset
from renga_data.tabular.views import View

__all__ = ["DelegateDataset"]


class DelegateDataset(View):
    """A data set with the examples of another one, for classes whose ``__init__`` creates that other one.

    Its `keys` and `mode` can be set: other columns, or the same in another order, and another form of examples.

    Example:
        >>> import numpy as np
        >>> from renga_data.tabular import from_data
        >>> class Squares(DelegateDataset):
        ...     def __init__(self, n):
        ...         super().__init__(from_data((("x", np.arange(n)), ("y", self.square))))
        ...
        ...     def square(self, i):
        ...         return i * i
        >>> squares = Squares(5)
        >>> squares[3]
        (np.int64(3), 9)
        >>> squares.keys = "y", "x"
        >>> squares.mode = dict
        >>> squares[3]
        {'y': 9, 'x': np.int64(3)}
    """

    def __init__(self, dataset: TabularDataset) -> None:
        super().__init__(dataset)

    @property
    def dataset(self) -> TabularDataset:
        """The other data set."""
        return self._dataset

    @dataset.setter
    def dataset(self, dataset: TabularDataset) -> None:
        self._dataset = dataset

    @property
    def keys(self) -> tuple[str, ...]:
        """Names of the columns. Set it to names or numbers of those there are; KeyError, IndexError for others."""
        return self._dataset.keys

    @keys.setter
    def keys(self, keys: Any) -> None:
        self._dataset = self._dataset.slice[:, keys]

    @property
    def mode(self) -> Mode:
        """What an example is. Set it to `tuple`, `dict`, or, where there is one column, None; ValueError for others."""
        return self._dataset.mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        if mode is None and len(self.keys) != 1:
            raise ValueError(f"mode None is for one column, not {len(self.keys)}: {', '.join(self.keys)}")
        if mode is None:
            self._dataset = self._dataset.slice[:, 0]
        elif mode is tuple:
            self._dataset = self._dataset.as_tuple()
        elif mode is dict:
            self._dataset = self._dataset.as_dict()
        else:
            raise ValueError(f"mode is tuple, dict or None, not {mode!r}")
