"""`TabularDataset`, the base of data sets with columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from renga_core.dataset import DatasetMixin
from renga_data.tabular.columns import as_array
from renga_data.tabular.rows import Rows, row_positions

__all__ = ["Mode", "SliceHelper", "TabularDataset"]

Mode = type[tuple[Any, ...]] | type[dict[str, Any]] | None


class TabularDataset(DatasetMixin):
    """A data set with columns: each example has the same elements, and each element a name.

    An example is a tuple of its elements, or a dictionary of them by name, or, where there is one column, may be the
    element itself: `mode` says which. The methods below return views: they read nothing, and compute nothing, until
    they are asked for examples, and then only the rows and columns that are needed.

    Derive from it and define ``__len__``, `keys`, `mode` and `get_examples`; or from `DelegateDataset`; or take
    `from_data`.

    Example:
        >>> import numpy as np
        >>> from renga_data.tabular import from_data
        >>> dataset = from_data({"a": np.arange(4), "b": ["w", "x", "y", "z"]})
        >>> dataset[1]
        {'a': np.int64(1), 'b': 'x'}
        >>> view = dataset.slice[[3, 2], ("b", "a")].as_tuple()
        >>> view.keys, view.fetch()
        (('b', 'a'), (['z', 'y'], array([3, 2])))
    """

    @property
    def keys(self) -> tuple[str, ...]:
        """Names of the columns."""
        raise NotImplementedError(f"{type(self).__name__} does not define property keys")

    @property
    def mode(self) -> Mode:
        """What an example is: `tuple`, `dict`, or None for the only element itself."""
        raise NotImplementedError(f"{type(self).__name__} does not define property mode")

    def get_examples(self, indices: Rows, key_indices: tuple[int, ...] | None) -> tuple[Any, ...]:
        """Return part of the data, column by column.

        Args:
            indices: Rows: a slice, a list of integers that count from 0, or None for all.
            key_indices: Numbers of columns, which count from 0; None for all.

        Returns:
            An array or a list for each of these columns, with these rows.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define get_examples(indices, key_indices)")

    def __getitem__(self, index: Any) -> Any:
        """As of all data sets: an example, or a list of examples, which are read at once."""
        several = isinstance(index, slice) or hasattr(index, "__len__")
        # A derived class may make its examples one by one.
        if not several or type(self).get_example is not TabularDataset.get_example:
            return super().__getitem__(index)
        columns = self.get_examples(row_positions(index, len(self)), None)
        return [self._example(elements) for elements in zip(*columns, strict=True)]

    def get_example(self, i: int) -> Any:
        """Return example `i`; negative numbers count from the end. Raises IndexError where there is none."""
        if not -len(self) <= i < len(self):
            raise IndexError(f"example {i} of a data set of {len(self)}")
        return self._example(tuple(column[0] for column in self.get_examples([i % len(self)], None)))

    @property
    def slice(self) -> SliceHelper:
        """Rows and columns: ``dataset.slice[rows]`` or ``dataset.slice[rows, keys]`` is a view of them.

        Rows are a slice, a list or array of integers, or a boolean mask. Keys are a tuple of names or numbers; for one
        name or number that is in no tuple, an example of the view is the element itself.
        """
        return SliceHelper(self)

    def fetch(self) -> Any:
        """Return all data, column by column: a tuple or a dictionary of arrays and lists, or the only column."""
        return self._example(self.get_examples(None, None))

    def convert(self, data: Any) -> Any:
        """Make arrays of what `fetch` returns: of each column one. `with_converter` gives a view another way to do it.

        Of data sets that were joined or concatenated the first decides.
        """
        if isinstance(data, tuple):
            return tuple(as_array(column) for column in data)
        if isinstance(data, dict):
            return {key: as_array(column) for key, column in data.items()}
        return as_array(data)

    def asarray(self) -> Any:
        """Return all data as arrays: what `convert` makes of what `fetch` returns."""
        return self.convert(self.fetch())

    def as_tuple(self) -> TabularDataset:
        """Return a view whose examples are tuples."""
        from renga_data.tabular.views import InMode

        return InMode(self, tuple)

    def as_dict(self) -> TabularDataset:
        """Return a view whose examples are dictionaries."""
        from renga_data.tabular.views import InMode

        return InMode(self, dict)

    def concat(self, *datasets: TabularDataset) -> TabularDataset:
        """Return the rows of this data set, and after them those of others.

        Raises:
            ValueError: Their keys differ.
        """
        from renga_data.tabular.views import Concatenated

        return Concatenated((self, *datasets))

    def join(self, *datasets: TabularDataset) -> TabularDataset:
        """Return the columns of this data set, and beside them those of others.

        Its mode is that of the first one that has one, else `tuple`.

        Raises:
            ValueError: Their lengths differ, or two have a key in common.
        """
        from renga_data.tabular.views import Joined

        return Joined((self, *datasets))

    def transform(self, keys: str | tuple[str, ...], transform: Callable[..., Any]) -> TabularDataset:
        """Return a view of examples seen through a function, which is called for each when it is asked for.

        Args:
            keys: Names of the columns of its results.
            transform: Takes the elements of an example: by position where examples are tuples, by name where they are
                dictionaries. Returns a tuple, a dictionary, or one element; that becomes the mode, and must always be
                the same.

        Raises:
            ValueError: When examples are asked for: what it returned has other elements than `keys`, or another type
                than before.
        """
        from renga_data.tabular.views import Transformed

        return Transformed(self, keys, transform)

    def transform_batch(self, keys: str | tuple[str, ...], transform_batch: Callable[..., Any]) -> TabularDataset:
        """As `transform`, but the function takes columns with any number of rows, and returns columns with as many."""
        from renga_data.tabular.views import BatchTransformed

        return BatchTransformed(self, keys, transform_batch)

    def with_converter(self, converter: Callable[..., Any]) -> TabularDataset:
        """Return a view whose `convert` is this function of columns.

        It takes them as a transform takes elements: by position where examples are tuples, by name where they are
        dictionaries.
        """
        from renga_data.tabular.views import WithConverter

        return WithConverter(self, converter)

    def _example(self, elements: Sequence[Any]) -> Any:
        """Elements of a row, or columns, in this data set's mode."""
        mode = self.mode
        if mode is tuple:
            return tuple(elements)
        return dict(zip(self.keys, elements, strict=True)) if mode is dict else elements[0]


class SliceHelper:
    """What is between ``dataset.slice`` and the brackets."""

    def __init__(self, dataset: TabularDataset) -> None:
        self._dataset = dataset

    def __getitem__(self, rows_and_keys: Any) -> TabularDataset:
        """Return a view; see `TabularDataset.slice`. Raises IndexError or KeyError for what is not there."""
        from renga_data.tabular.views import Sliced

        rows, keys = rows_and_keys if isinstance(rows_and_keys, tuple) else (rows_and_keys, None)
        return Sliced(self._dataset, rows, keys)
