"""Data sets of empty examples."""

from __future__ import annotations

from renga_core.dataset import Dataset

__all__ = ["create_empty_dataset"]


def create_empty_dataset(dataset: Dataset) -> list[tuple[()]]:
    """Return a data set of empty tuples, with the same length as another data set.

    A part of a model that gets its input from one rank and sends its output to another is called without arguments.
    With this data set it is called as often as the others, and its epochs have the same length.

    Source: ChainerMN's documentation, *Model parallel*.
    """
    return [()] * len(dataset)
