"""Data sets side by side."""

from __future__ import annotations

from typing import Any

from renga_core.dataset import Dataset
from renga_cv.sliceable.keys import Key, as_tuple
from renga_cv.sliceable.sliceable_dataset import SliceableDataset

__all__ = ["TupleDataset"]


class TupleDataset(SliceableDataset):
    """Combines the elements of several data sets into one example.

    Args:
        datasets: A sliceable data set contributes all its elements. Any other data set, array or list contributes one
            element, without a name; a pair ``("name", dataset)`` gives it a name.

    Raises:
        ValueError: No data set is given, or lengths differ.

    Example:
        >>> dataset = TupleDataset(("a", [1, 2, 3]), "xyz")
        >>> dataset.keys, dataset[1]
        (('a', None), (2, 'y'))
        >>> dataset.slice[:, (1, "a")][0]
        ('x', 1)
    """

    def __init__(self, *datasets: Dataset | tuple[str, Dataset]) -> None:
        if not datasets:
            raise ValueError("a TupleDataset is made of at least one data set")
        self._datasets: list[Dataset] = []
        keys: list[Key] = []
        # For each element: its data set, and its position in that; None in one that is not sliceable.
        self._sources: list[tuple[int, int | None]] = []
        for number, given in enumerate(datasets):
            name, dataset = given if isinstance(given, tuple) and _is_named(given) else (None, given)
            self._datasets.append(dataset)
            if isinstance(dataset, SliceableDataset) and name is None:
                own = as_tuple(dataset.keys)
                keys += own
                self._sources += [(number, position) for position in range(len(own))]
            else:
                keys.append(name)
                self._sources.append((number, None))
        self._keys = tuple(keys)
        lengths = [len(dataset) for dataset in self._datasets]
        if len(set(lengths)) > 1:
            raise ValueError(f"the data sets of a TupleDataset have one length, not {lengths}")

    def __len__(self) -> int:
        return len(self._datasets[0])

    @property
    def keys(self) -> tuple[Key, ...]:
        """The names of the elements; None for those without one."""
        return self._keys

    def get_example_by_keys(self, index: int, key_indices: tuple[int, ...]) -> tuple[Any, ...]:
        """Return some elements; each needed data set is read once."""
        wanted: dict[int, list[int | None]] = {}
        for i in key_indices:
            number, position = self._sources[i]
            wanted.setdefault(number, []).append(position)
        found: dict[tuple[int, int | None], Any] = {}
        for number, positions in wanted.items():
            dataset = self._datasets[number]
            if positions[0] is None:
                found[number, None] = dataset[index]
            else:
                known = tuple(dict.fromkeys(positions))
                elements = dataset.get_example_by_keys(index, known)  # type: ignore[attr-defined]  # it is sliceable
                found.update({(number, p): e for p, e in zip(known, elements, strict=True)})
        return tuple(found[self._sources[i]] for i in key_indices)


def _is_named(given: tuple[Any, ...]) -> bool:
    return len(given) == 2 and isinstance(given[0], str) and hasattr(given[1], "__getitem__")
