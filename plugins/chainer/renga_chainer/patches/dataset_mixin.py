"""A ``for`` loop over a data set ends by IndexError, as in Chainer: programs' data sets need not know their length."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from renga_core.dataset import DatasetMixin

__all__ = ["ADDITIONS"]


def iterate(self: DatasetMixin) -> Iterator[Any]:
    """All examples. StopIteration out of the data set is an error, which it is not in Chainer: the rest was missing."""
    for i in count():
        try:
            example = self[i]
        except IndexError:
            return
        yield example


ADDITIONS: list[tuple[Any, str, Any]] = [(DatasetMixin, "__iter__", iterate)]
