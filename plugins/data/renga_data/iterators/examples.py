"""Asking a data set for examples. Whatever it raises is an error: StopIteration, too, which would end an iteration."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from renga_core.dataset import Dataset
from renga_data.datasets.two_stage_dataset import TwoStageDataset
from renga_data.tabular import TabularDataset

__all__ = ["finish_examples", "get_examples", "read_examples"]


def read_examples(dataset: Dataset, indices: list[int], seed: int) -> list[Any]:
    """Return what helpers get of the examples with these indices; `finish_examples` makes examples of it.

    Args:
        dataset: Where from.
        indices: Which ones.
        seed: Of the random generator of the first of them, if the data set has two stages; the next has the next seed,
            and so on.

    Raises:
        Exception: As `get_examples`.
    """
    if not isinstance(dataset, TwoStageDataset):
        return get_examples(dataset, indices)

    return [
        _ask(dataset, index, partial(dataset.read_example, rng=np.random.default_rng(number)))
        for number, index in enumerate(indices, seed)
    ]


def finish_examples(dataset: Dataset, read: list[Any]) -> list[Any]:
    """Return the examples of a batch, of what helpers have read."""
    return dataset.finish_examples(read) if isinstance(dataset, TwoStageDataset) else read


def get_examples(dataset: Dataset, indices: list[int]) -> list[Any]:
    """Return the examples with these indices. An error that the data set raises gets a note saying which one it was.

    Raises:
        RuntimeError: The data set raised StopIteration; or one with columns, asked for several examples at once, gave
            another number of them.
    """
    if isinstance(dataset, TabularDataset) and len(indices) > 1:
        examples = list(_ask(dataset, indices, dataset.__getitem__))  # which reads them at once
        if len(examples) != len(indices):
            raise RuntimeError(
                f"a {type(dataset).__qualname__} gave {len(examples)} examples for the {len(indices)} indices {indices}"
            )
        return examples
    return [_ask(dataset, index, dataset.__getitem__) for index in indices]


def _ask(dataset: Dataset, index: int | list[int], get: Callable[[Any], Any]) -> Any:
    try:
        return get(index)
    except StopIteration as error:
        # Let through, it would say that the iterator has come to its end.
        raise RuntimeError(
            f"{_which(index)} of a {type(dataset).__qualname__} raised StopIteration: a next() in it, or in "
            "code that it calls, found no more items"
        ) from error
    except Exception as error:
        there = f" It has {len(dataset)} examples now." if isinstance(error, IndexError) else ""
        error.add_note(f"This was {_which(index)} of a {type(dataset).__qualname__}.{there}")
        raise


def _which(index: int | list[int]) -> str:
    return f"one of the examples {index}" if isinstance(index, list) else f"example {index}"
