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
    """A data set with columns: each example has the same named elements.

    An example is a tuple of its elements, a dictionary, or, if there is one column, the element itself, depending on
    `mode`. The methods below return views: they read and compute nothing until examples are requested, and then only
    the rows and columns that are needed.

    To write one, derive from it and define ``__len__``, `keys`, `mode` and `get_examples`; or derive from
    `DelegateDataset`; or call `from_data`.

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
        """The form of an example: `tuple`, `dict`, or None for the single element itself."""
        raise NotImplementedError(f"{type(self).__name__} does not define property mode")

    def get_examples(self, indices: Rows, key_indices: tuple[int, ...] | None) -> tuple[Any, ...]:
        """Return part of the data, column by column.

        Args:
            indices: Rows: a slice, a list of integers that count from 0, or None for all.
            key_indices: Numbers of columns, from 0; None for all.

        Returns:
            An array or a list for each of these columns, with these rows.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define get_examples(indices, key_indices)")

    def __getitem__(self, index: Any) -> Any:
        """Indexing as in all data sets: an example, or a list of examples, which are read together."""
        several = isinstance(index, slice) or hasattr(index, "__len__")
        # A subclass may make its examples one by one.
        if not several or type(self).get_example is not TabularDataset.get_example:
            return super().__getitem__(index)
        columns = self.get_examples(row_positions(index, len(self)), None)
        return [self._example(elements) for elements in zip(*columns, strict=True)]

    def get_example(self, i: int) -> Any:
        """Return example `i`; negative numbers count from the end. Raises IndexError if it does not exist."""
        if not -len(self) <= i < len(self):
            raise IndexError(f"example {i} of a data set of {len(self)}")
        return self._example(tuple(column[0] for column in self.get_examples([i % len(self)], None)))

    @property
    def slice(self) -> SliceHelper:
        """Select rows and columns: ``dataset.slice[rows]`` or ``dataset.slice[rows, keys]`` returns a view.

        Rows are a slice, a list or array of integers, or a boolean mask. Keys are a tuple of names or numbers. With a
        single name or number instead of a tuple, examples of the view are the elements themselves.
        """
        return SliceHelper(self)

    def fetch(self) -> Any:
        """Return all data by column: a tuple or a dictionary of arrays and lists, or the only column."""
        return self._example(self.get_examples(None, None))

    def convert(self, data: Any) -> Any:
        """Convert the result of `fetch` to arrays, one per column. `with_converter` sets another conversion.

        If data sets were joined or concatenated, the first one's conversion is used.
        """
        if isinstance(data, tuple):
            return tuple(as_array(column) for column in data)
        if isinstance(data, dict):
            return {key: as_array(column) for key, column in data.items()}
        return as_array(data)

    def asarray(self) -> Any:
        """Return all data as arrays: the result of `fetch`, converted by `convert`."""
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
        """Return the rows of this data set followed by those of others.

        Raises:
            ValueError: Their keys differ.
        """
        from renga_data.tabular.views import Concatenated

        return Concatenated((self, *datasets))

    def join(self, *datasets: TabularDataset) -> TabularDataset:
        """Return the columns of this data set together with those of others.

        Its mode is that of the first data set that has one, or else `tuple`.

        Raises:
            ValueError: Their lengths differ, or a key occurs twice.
        """
        from renga_data.tabular.views import Joined

        return Joined((self, *datasets))

    def transform(self, keys: str | tuple[str, ...], transform: Callable[..., Any]) -> TabularDataset:
        """Return a view with a function applied to each example when it is requested.

        Args:
            keys: Names of the result's columns.
            transform: Gets the elements of an example: positional if examples are tuples, by name if they are
                dictionaries. Returns a tuple, a dictionary, or one element; this determines the mode, and must always
                be the same.

        Raises:
            ValueError: Raised by a request: the result has other elements than `keys`, or another type than before.
        """
        from renga_data.tabular.views import Transformed

        return Transformed(self, keys, transform)

    def transform_batch(self, keys: str | tuple[str, ...], transform_batch: Callable[..., Any]) -> TabularDataset:
        """As `transform`, but the function takes columns with any number of rows, and returns columns with as many."""
        from renga_data.tabular.views import BatchTransformed

        return BatchTransformed(self, keys, transform_batch)

    def with_converter(self, converter: Callable[..., Any]) -> TabularDataset:
        """Return a view whose `convert` is this function of columns.

        It gets the columns as positional arguments if examples are tuples, by name if they are dictionaries.
        """
        from renga_data.tabular.views import WithConverter

        return WithConverter(self, converter)

    def _example(self, elements: Sequence[Any]) -> Any:
        """Elements of a row, or columns, in the form of this data set's mode."""
        mode = self.mode
        if mode is tuple:
            return tuple(elements)
        return dict(zip(self.keys, elements, strict=True)) if mode is dict else elements[0]


class SliceHelper:
    """The object `dataset.slice`, which is indexed."""

    def __init__(self, dataset: TabularDataset) -> None:
        self._dataset = dataset

    def __getitem__(self, rows_and_keys: Any) -> TabularDataset:
        """Return a view; see `TabularDataset.slice`. Raises IndexError or KeyError for missing rows or columns."""
        from renga_data.tabular.views import Sliced

        rows, keys = rows_and_keys if isinstance(rows_and_keys, tuple) else (rows_and_keys, None)
        return Sliced(self._dataset, rows, keys)
