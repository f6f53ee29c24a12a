"""`DelegateDataset`, a base for your own data sets."""

from __future__ import annotations

from typing import Any

from renga_data.tabular.table import Mode, TabularDataset
from renga_data.tabular.views import View

__all__ = ["DelegateDataset"]


class DelegateDataset(View):
    """A data set with the examples of another one, which a subclass creates in its ``__init__``.

    Its `keys` and `mode` can be set, to select or reorder columns, or to change the form of examples.

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
        """Names of the columns. Set it to existing names or numbers; raises KeyError or IndexError for others."""
        return self._dataset.keys

    @keys.setter
    def keys(self, keys: Any) -> None:
        self._dataset = self._dataset.slice[:, keys]

    @property
    def mode(self) -> Mode:
        """The form of examples. Set it to `tuple`, `dict`, or, with one column, None; raises ValueError for others."""
        return self._dataset.mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        if mode is None and len(self.keys) != 1:
            raise ValueError(f"mode None needs exactly one column, not {len(self.keys)}: {', '.join(self.keys)}")
        if mode is None:
            self._dataset = self._dataset.slice[:, 0]
        elif mode is tuple:
            self._dataset = self._dataset.as_tuple()
        elif mode is dict:
            self._dataset = self._dataset.as_dict()
        else:
            raise ValueError(f"mode must be tuple, dict or None, not {mode!r}")
