"""Asking a data set for examples. Whatever it raises is an error: StopIteration, too, which would end an iteration."""

from __future__ import annotations

from typing import Any

from renga_core.dataset import Dataset
from renga_data.tabular import TabularDataset

__all__ = ["get_examples"]


def get_examples(dataset: Dataset, indices: list[int]) -> list[Any]:
    """Return the examples with these indices. An error that the data set raises gets a note saying which one it was.

    Raises:
        RuntimeError: The data set raised StopIteration; or one with columns, asked for several examples at once, gave
            another number of them.
    """
    if isinstance(dataset, TabularDataset) and len(indices) > 1:
        examples = list(_ask(dataset, indices))  # which reads them at once
        if len(examples) != len(indices):
            raise RuntimeError(
                f"a {type(dataset).__qualname__} gave {len(examples)} examples for the {len(indices)} indices {indices}"
            )
        return examples
    return [_ask(dataset, index) for index in indices]


def _ask(dataset: Dataset, index: int | list[int]) -> Any:
    try:
        return dataset[index]
    except StopIteration as error:
        # Let through, it would say that the iterator has come to its end.
        raise RuntimeError(
            f"{_which(index)} of a {type(dataset).__qualname__} raised StopIteration: there, or in what it calls, a "
            "next() had nothing left"
        ) from error
    except Exception as error:
        there = f" It has {len(dataset)} examples now." if isinstance(error, IndexError) else ""
        error.add_note(f"This was {_which(index)} of a {type(dataset).__qualname__}.{there}")
        raise


def _which(index: int | list[int]) -> str:
    return f"one of the examples {index}" if isinstance(index, list) else f"example {index}"
