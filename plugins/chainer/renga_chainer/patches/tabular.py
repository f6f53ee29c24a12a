"""Methods of `TabularDataset` under Chainer's names."""

from __future__ import annotations

from typing import Any

from renga_data.tabular import TabularDataset

__all__ = ["ADDITIONS"]

ADDITIONS: list[tuple[Any, str, Any]] = [
    (TabularDataset, "asdict", TabularDataset.as_dict),
    (TabularDataset, "astuple", TabularDataset.as_tuple),
]
