"""Views of data sets with columns. The methods of `TabularDataset` make and describe them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from renga_data.tabular import columns as column
from renga_data.tabular.rows import Rows, as_range, as_slice, compose, key_positions, number_of, row_positions
from renga_data.tabular.table import Mode, TabularDataset

__all__ = ["BatchTransformed", "Concatenated", "InMode", "Joined", "Sliced", "Transformed", "View", "WithConverter"]

_UNKNOWN: Any = object()


class View(TabularDataset):
    """All of another data set, unchanged. Subclasses change something."""

    def __init__(self, dataset: TabularDataset) -> None:
        self._dataset = dataset

    def __len__(self) -> int:
        return len(self._dataset)

    @property
    def keys(self) -> tuple[str, ...]:  # noqa: D102 - documented by the base class, here and below
        return self._dataset.keys

    @property
    def mode(self) -> Mode:  # noqa: D102
        return self._dataset.mode

    def get_examples(self, indices: Rows, key_indices: tuple[int, ...] | None) -> tuple[Any, ...]:  # noqa: D102
        return self._dataset.get_examples(indices, key_indices)

    def convert(self, data: Any) -> Any:  # noqa: D102
        return self._dataset.convert(data)


class InMode(View):
    """In another mode."""

    def __init__(self, dataset: TabularDataset, mode: Mode) -> None:
        super().__init__(dataset)
        self._mode = mode

    @property
    def mode(self) -> Mode:  # noqa: D102
        return self._mode


class WithConverter(View):
    """With another converter."""

    def __init__(self, dataset: TabularDataset, converter: Callable[..., Any]) -> None:
        super().__init__(dataset)
        self._converter = converter

    def convert(self, data: Any) -> Any:  # noqa: D102
        if isinstance(data, tuple):
            return self._converter(*data)
        return self._converter(**data) if isinstance(data, dict) else self._converter(data)


class Sliced(View):
    """Some rows, some columns."""

    def __init__(self, dataset: TabularDataset, rows: Any, keys: Any) -> None:
        super().__init__(dataset)
        self._rows = row_positions(rows, len(dataset))
        self._alone = keys is not None and not isinstance(keys, (tuple, list))
        self._columns = None if keys is None else key_positions((keys,) if self._alone else keys, dataset.keys)

    def __len__(self) -> int:
        return number_of(self._rows, len(self._dataset))

    @property
    def keys(self) -> tuple[str, ...]:  # noqa: D102
        keys = self._dataset.keys
        return keys if self._columns is None else tuple(keys[i] for i in self._columns)

    @property
    def mode(self) -> Mode:  # noqa: D102
        if self._alone:
            return None
        return self._dataset.mode if self._columns is None else self._dataset.mode or tuple

    def get_examples(self, indices: Rows, key_indices: tuple[int, ...] | None) -> tuple[Any, ...]:  # noqa: D102
        if self._columns is not None:
            key_indices = self._columns if key_indices is None else tuple(self._columns[i] for i in key_indices)
        return self._dataset.get_examples(compose(self._rows, indices, len(self._dataset)), key_indices)


class Concatenated(TabularDataset):
    """Rows of several data sets, concatenated."""

    def __init__(self, datasets: Sequence[TabularDataset]) -> None:
        for dataset in datasets:
            if dataset.keys != datasets[0].keys:
                raise ValueError(f"data sets to be concatenated must have the same keys, not {_all_keys(datasets)}")
        self._datasets = datasets
        self._starts = [0, *accumulate(len(dataset) for dataset in datasets)]

    def __len__(self) -> int:
        return self._starts[-1]

    @property
    def keys(self) -> tuple[str, ...]:  # noqa: D102
        return self._datasets[0].keys

    @property
    def mode(self) -> Mode:  # noqa: D102
        return self._datasets[0].mode

    def convert(self, data: Any) -> Any:  # noqa: D102
        return self._datasets[0].convert(data)

    def get_examples(self, indices: Rows, key_indices: tuple[int, ...] | None) -> tuple[Any, ...]:  # noqa: D102
        if isinstance(indices, list):
            return self._by_list(indices, key_indices)
        rows = as_range(indices or slice(None), len(self))
        shares = self._shares(rows)
        if not shares:
            return self._datasets[0].get_examples([], key_indices)
        return _joined([dataset.get_examples(as_slice(share), key_indices) for dataset, share in shares])

    def _shares(self, rows: range) -> list[tuple[TabularDataset, range]]:
        """The requested rows of each data set, without data sets of which none are requested."""
        upwards = rows if rows.step > 0 else rows[::-1]
        shares = []
        for dataset, (start, end) in zip(self._datasets, pairwise(self._starts), strict=True):
            share = upwards[bisect_left(upwards, start) : bisect_left(upwards, end)]
            if share:
                share = range(share.start - start, share.stop - start, share.step)
                shares.append((dataset, share if rows.step > 0 else share[::-1]))
        return shares if rows.step > 0 else shares[::-1]

    def _by_list(self, rows: list[int], key_indices: tuple[int, ...] | None) -> tuple[Any, ...]:
        positions = np.asarray(rows, np.intp)
        which = np.searchsorted(self._starts[1:], positions, side="right")
        parts: list[tuple[Any, ...]] = []
        order: list[np.ndarray[Any, Any]] = []
        for i in np.unique(which).tolist():
            asked = np.flatnonzero(which == i)
            parts.append(self._datasets[i].get_examples((positions[asked] - self._starts[i]).tolist(), key_indices))
            order.append(asked)
        if not parts:
            return self._datasets[0].get_examples([], key_indices)
        if len(parts) == 1:
            return parts[0]
        # The positions in `parts`, concatenated, of the first, second, … requested row.
        back = np.argsort(np.concatenate(order))
        return tuple(column.reordered(c, back) for c in _joined(parts))


class Joined(TabularDataset):
    """Columns of several data sets, joined."""

    def __init__(self, datasets: Sequence[TabularDataset]) -> None:
        lengths = [len(dataset) for dataset in datasets]
        if len(set(lengths)) > 1:
            raise ValueError(f"data sets to be joined must have the same length, not {lengths}")
        keys = [key for dataset in datasets for key in dataset.keys]
        if len(set(keys)) < len(keys):
            raise ValueError(f"data sets to be joined must not share a key: {_all_keys(datasets)}")
        self._datasets = datasets
        self._keys = tuple(keys)

    def __len__(self) -> int:
        return len(self._datasets[0])

    @property
    def keys(self) -> tuple[str, ...]:  # noqa: D102
        return self._keys

    @property
    def mode(self) -> Mode:  # noqa: D102
        return next((dataset.mode for dataset in self._datasets if dataset.mode is not None), tuple)

    def convert(self, data: Any) -> Any:  # noqa: D102
        return self._datasets[0].convert(data)

    def get_examples(self, indices: Rows, key_indices: tuple[int, ...] | None) -> tuple[Any, ...]:  # noqa: D102
        if key_indices is None:
            return tuple(c for dataset in self._datasets for c in dataset.get_examples(indices, None))
        found: dict[int, Any] = {}
        start = 0
        for dataset in self._datasets:
            end = start + len(dataset.keys)
            wanted = sorted({i for i in key_indices if start <= i < end})
            if wanted:
                part = dataset.get_examples(indices, tuple(i - start for i in wanted))
                found.update(zip(wanted, part, strict=True))
            start = end
        return tuple(found[i] for i in key_indices)


class _Through(View):
    """The result of a function, which determines the mode."""

    def __init__(self, dataset: TabularDataset, keys: str | tuple[str, ...], function: Callable[..., Any]) -> None:
        super().__init__(dataset)
        self._keys = (keys,) if isinstance(keys, str) else tuple(keys)
        self._function = function
        self._mode: Any = _UNKNOWN

    @property
    def keys(self) -> tuple[str, ...]:
        return self._keys

    @property
    def mode(self) -> Mode:
        """The mode; if unknown, the first example is made to determine it."""
        if self._mode is _UNKNOWN:
            if len(self) == 0:
                return tuple if len(self._keys) > 1 else None
            self.get_examples([0], None)
        mode: Mode = self._mode
        return mode

    def _call(self, elements: Sequence[Any]) -> tuple[Any, ...]:
        """Convert the function's result, for elements or columns, to the order of `keys`."""
        if self._dataset.mode is dict:
            result = self._function(**dict(zip(self._dataset.keys, elements, strict=True)))
        else:
            result = self._function(*elements)
        mode = next((kind for kind in (tuple, dict) if isinstance(result, kind)), None)
        if self._mode is not _UNKNOWN and self._mode is not mode:
            raise ValueError(f"{self._name()} returns {_word(mode)}, but has returned {_word(self._mode)} before")
        given = (result,) if mode is None else result
        fits = set(given) == set(self._keys) if isinstance(given, dict) else len(given) == len(self._keys)
        if not fits:
            has = f"keys {sorted(given)}" if isinstance(given, dict) else f"{len(given)} elements"
            raise ValueError(f"{self._name()} returns {has}; expected {', '.join(self._keys)}")
        self._mode = mode
        return tuple(given[key] for key in self._keys) if isinstance(given, dict) else tuple(given)

    def _name(self) -> str:
        return f"the transform {getattr(self._function, '__qualname__', self._function)}"


class Transformed(_Through):
    """The result of a function of an example."""

    def get_examples(self, indices: Rows, key_indices: tuple[int, ...] | None) -> tuple[Any, ...]:  # noqa: D102
        made = [self._call(elements) for elements in _rows_of(self._dataset.get_examples(indices, None))]
        wanted = range(len(self._keys)) if key_indices is None else key_indices
        return tuple([example[i] for example in made] for i in wanted)


class BatchTransformed(_Through):
    """The result of a function of columns."""

    def get_examples(self, indices: Rows, key_indices: tuple[int, ...] | None) -> tuple[Any, ...]:  # noqa: D102
        made = self._call(self._dataset.get_examples(indices, None))
        expected = number_of(indices, len(self))
        for key, c in zip(self._keys, made, strict=True):
            if len(c) != expected:
                raise ValueError(f"{self._name()} returns {len(c)} rows of {key!r} for {expected}")
        return made if key_indices is None else tuple(made[i] for i in key_indices)


def _joined(parts: Sequence[tuple[Any, ...]]) -> tuple[Any, ...]:
    return parts[0] if len(parts) == 1 else tuple(column.joined(cs) for cs in zip(*parts, strict=True))


def _rows_of(columns: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    return zip(*columns, strict=True)


def _all_keys(datasets: Sequence[TabularDataset]) -> str:
    return " and ".join(f"({', '.join(dataset.keys)})" for dataset in datasets)


def _word(mode: type | None) -> str:
    return "one element" if mode is None else f"a {mode.__name__}"
