"""`SliceableDataset`, the base of data sets that can be sliced, and the view of one."""

from __future__ import annotations

from typing import Any

from renga_core.dataset import DatasetMixin
from renga_cv.sliceable.keys import Keys, as_tuple, key_indices
from renga_data.tabular.rows import as_range, number_of, row_positions

__all__ = ["SliceHelper", "SliceableDataset", "SlicedDataset"]


class SliceableDataset(DatasetMixin):
    """A data set whose examples have named elements; a view can select some of them.

    Derive from it and define ``__len__``, `keys` and `get_example_by_keys`; or from `GetterDataset`.
    """

    @property
    def keys(self) -> Keys:
        """The names of the elements: a tuple; or one name, if an example is the element itself."""
        raise NotImplementedError(f"{type(self).__name__} does not define the property keys")

    def get_example_by_keys(self, index: int, key_indices: tuple[int, ...]) -> tuple[Any, ...]:
        """Return some elements of example `index`.

        Args:
            index: Number of the example, from 0.
            key_indices: Positions of the elements in `keys`.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define get_example_by_keys(index, key_indices)")

    def get_example(self, index: int) -> Any:
        """Return example `index`; negative numbers count from the end. Raises IndexError if out of range."""
        if not -len(self) <= index < len(self):
            raise IndexError(f"example {index} of a data set of {len(self)}")
        keys = self.keys
        elements = self.get_example_by_keys(index % len(self), tuple(range(len(as_tuple(keys)))))
        return elements if isinstance(keys, tuple) else elements[0]

    @property
    def slice(self) -> SliceHelper:
        """``dataset.slice[rows]`` or ``dataset.slice[rows, keys]`` is a view of these examples and elements.

        Rows are a slice, a list or array of integers, or a boolean mask. Keys are a tuple of names or numbers; for one
        name or number, an example of the view is the element itself. Nothing is read until an example is accessed.
        """
        return SliceHelper(self)


class SliceHelper:
    """The object that ``dataset.slice`` returns; brackets create a view."""

    def __init__(self, dataset: SliceableDataset) -> None:
        self._dataset = dataset

    def __getitem__(self, rows_and_keys: Any) -> SlicedDataset:
        """Return a view; see `SliceableDataset.slice`. Raises IndexError or KeyError for unknown rows or keys."""
        dataset = self._dataset
        if isinstance(rows_and_keys, tuple):
            rows, keys = rows_and_keys
            chosen = key_indices(keys, dataset.keys)
        else:
            rows = rows_and_keys
            chosen = tuple(range(len(dataset.keys))) if isinstance(dataset.keys, tuple) else 0
        return SlicedDataset(dataset, row_positions(rows, len(dataset)), chosen)


class SlicedDataset(SliceableDataset):
    """A view of some examples and elements of a data set."""

    def __init__(
        self, dataset: SliceableDataset, rows: slice | list[int] | None, chosen: tuple[int, ...] | int
    ) -> None:
        self._dataset = dataset
        self._rows = rows
        self._chosen = chosen

    def __len__(self) -> int:
        return number_of(self._rows, len(self._dataset))

    @property
    def keys(self) -> Keys:
        """The names of the chosen elements."""
        known = as_tuple(self._dataset.keys)
        if isinstance(self._chosen, tuple):
            return tuple(known[i] for i in self._chosen)
        return known[self._chosen]

    def get_example_by_keys(self, index: int, key_indices: tuple[int, ...]) -> tuple[Any, ...]:
        """Return some of the chosen elements."""
        rows = self._rows
        if isinstance(rows, slice):
            index = as_range(rows, len(self._dataset))[index]
        elif rows is not None:
            index = rows[index]
        chosen = self._chosen if isinstance(self._chosen, tuple) else (self._chosen,)
        return self._dataset.get_example_by_keys(index, tuple(chosen[i] for i in key_indices))
