"""Reading examples of a data set. All errors are passed on; StopIteration, which would end the loop, is converted."""

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
    """Read the examples with these indexes in a worker; `finish_examples` completes them.

    Args:
        dataset: The data set.
        indices: The indexes.
        seed: Seed of the random generator of the first example, for a data set with two stages; the next one uses the
            next seed, and so on.

    Raises:
        Exception: See `get_examples`.
    """
    if not isinstance(dataset, TwoStageDataset):
        return get_examples(dataset, indices)

    return [
        _ask(dataset, index, partial(dataset.read_example, rng=np.random.default_rng(number)))
        for number, index in enumerate(indices, seed)
    ]


def finish_examples(dataset: Dataset, read: list[Any]) -> list[Any]:
    """Return the examples of a batch from what workers have read."""
    return dataset.finish_examples(read) if isinstance(dataset, TwoStageDataset) else read


def get_examples(dataset: Dataset, indices: list[int]) -> list[Any]:
    """Return the examples with these indexes. If the data set raises an error, a note names the example.

    Raises:
        RuntimeError: The data set raised StopIteration; or a data set with columns returned a wrong number of examples.
    """
    if isinstance(dataset, TabularDataset) and len(indices) > 1:
        examples = list(_ask(dataset, indices, dataset.__getitem__))  # reads several at once
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
        # It would look like the end of the iterator.
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
