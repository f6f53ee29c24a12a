"""Selecting some examples of a data set without the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_core.dataset import Dataset
from renga_data.datasets.dict_dataset import DictDataset
from renga_data.datasets.sub_dataset import SubDataset
from renga_data.datasets.transform_dataset import TransformDataset
from renga_data.datasets.tuple_dataset import TupleDataset

__all__ = ["take"]

Indices = np.ndarray[Any, np.dtype[np.intp]]


def take(dataset: Dataset, indices: Indices) -> Dataset | None:
    """Return a data set of the examples with these indexes, without the others, to be sent or saved.

    Args:
        dataset: A list, a tuple, a NumPy array; or a `TupleDataset`, `DictDataset`, `TransformDataset` or `SubDataset`
            of these.
        indices: Indexes of shape (n,), not negative.

    Returns:
        A data set of the same type; None for other types, which may read their examples on request.
    """
    # Exactly these types, because a subclass may read its examples in its own way.
    taker = _TAKERS.get(type(dataset))
    return None if taker is None else taker(dataset, indices)


def _take_all(datasets: list[Dataset], indices: Indices) -> list[Dataset] | None:
    taken = [take(dataset, indices) for dataset in datasets]
    found = [part for part in taken if part is not None]
    return found if len(found) == len(taken) else None


def _of_sequence(dataset: Any, indices: Indices) -> Dataset:
    sequence: Dataset = type(dataset)(dataset[i] for i in indices.tolist())
    return sequence


def _of_array(dataset: Any, indices: Indices) -> Dataset:
    array: Dataset = dataset[indices]
    return array


def _of_tuples(dataset: TupleDataset, indices: Indices) -> Dataset | None:
    parts = _take_all(list(dataset._datasets), indices)
    return None if parts is None else TupleDataset(*parts)


def _of_dicts(dataset: DictDataset, indices: Indices) -> Dataset | None:
    parts = _take_all(list(dataset._datasets.values()), indices)
    return None if parts is None else DictDataset(**dict(zip(dataset._datasets, parts, strict=True)))


def _of_transformed(dataset: TransformDataset, indices: Indices) -> Dataset | None:
    part = take(dataset._dataset, indices)
    return None if part is None else TransformDataset(part, dataset._transform)


def _of_part(dataset: SubDataset, indices: Indices) -> Dataset | None:
    positions = dataset._start + indices
    part = take(dataset._dataset, positions if dataset._order is None else np.asarray(dataset._order)[positions])
    return None if part is None else SubDataset(part, 0, len(indices))


_TAKERS: dict[type, Callable[[Any, Indices], Dataset | None]] = {
    list: _of_sequence,
    tuple: _of_sequence,
    np.ndarray: _of_array,
    TupleDataset: _of_tuples,
    DictDataset: _of_dicts,
    TransformDataset: _of_transformed,
    SubDataset: _of_part,
}
