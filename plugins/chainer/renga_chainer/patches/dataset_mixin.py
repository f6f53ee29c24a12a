"""A ``for`` loop over a data set ends with IndexError, as in Chainer: data sets may lack a length."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from renga_core.dataset import DatasetMixin

__all__ = ["ADDITIONS"]


def iterate(self: DatasetMixin) -> Iterator[Any]:
    """Iterate over all examples. StopIteration inside the data set is an error here; Chainer would drop the rest."""
    for i in count():
        try:
            example = self[i]
        except IndexError:
            return
        yield example


ADDITIONS: list[tuple[Any, str, Any]] = [(DatasetMixin, "__iter__", iterate)]
