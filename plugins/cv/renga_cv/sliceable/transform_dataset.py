"""Apply a function to each example of a data set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_core.dataset import Dataset
from renga_cv.sliceable.getter_dataset import GetterDataset
from renga_cv.sliceable.keys import Keys

__all__ = ["TransformDataset"]


class TransformDataset(GetterDataset):
    """Example `i` is ``transform(dataset[i])``, computed at each access.

    Args:
        dataset: The data set; it need not be sliceable.
        keys: The names of the transform's results: a tuple, or one name. In the form ``TransformDataset(dataset,
            transform)``, the transform is called with the first example to count its results, which have no names.
        transform: A function of an example, passed as one argument.

    Raises:
        IndexError: Keys were left out, and the data set has no example.

    Example:
        >>> TransformDataset([1, 2, 3], ("x", "tenfold"), lambda x: (x, 10 * x)).slice[:, "tenfold"][:]
        [10, 20, 30]
    """

    def __init__(
        self, dataset: Dataset, keys: Keys | Callable[[Any], Any], transform: Callable[[Any], Any] | None = None
    ) -> None:
        super().__init__()
        names: Keys
        if transform is None:
            if not callable(keys):
                raise TypeError(f"the transform of a TransformDataset is a function, not {keys!r}")
            transform = keys
            example = transform(dataset[0])
            names = (None,) * len(example) if isinstance(example, tuple) else None
        else:
            names = tuple(keys) if isinstance(keys, list) else keys  # type: ignore[assignment]  # it is not a function
        self._dataset = dataset
        self._transform = transform
        self.add_getter(names, self._transformed)
        if not isinstance(names, tuple):
            self.keys = 0

    def __len__(self) -> int:
        return len(self._dataset)

    def _transformed(self, i: int) -> Any:
        return self._transform(self._dataset[i])
