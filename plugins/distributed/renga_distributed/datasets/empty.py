"""Examples that hold nothing."""

from __future__ import annotations

from renga_core.dataset import Dataset

__all__ = ["create_empty_dataset"]


def create_empty_dataset(dataset: Dataset) -> list[tuple[()]]:
    """Return a data set of as many examples as another, each an empty tuple.

    A part of a model that gets its input from another rank and gives its output to another one is called without
    arguments. With this data set it is called as often as the others, and its epochs are as long.

    Source: ChainerMN's documentation, *Model parallel*.
    """
    return [()] * len(dataset)
