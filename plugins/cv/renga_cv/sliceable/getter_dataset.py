"""Examples put together by functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_cv.sliceable.keys import Key, Keys, as_tuple
from renga_cv.sliceable.keys import key_indices as positions
from renga_cv.sliceable.sliceable_dataset import SliceableDataset

__all__ = ["GetterDataset"]


class GetterDataset(SliceableDataset):
    """A data set whose elements are computed by getters, functions of the example's index.

    A subclass defines ``__len__`` and adds a getter for each element, or for several at once. Reading an example calls
    only the getters of the requested elements, each once.

    Example:
        >>> class Squares(GetterDataset):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.add_getter("x", lambda i: i)
        ...         self.add_getter(("square", "cube"), lambda i: (i * i, i**3))
        ...
        ...     def __len__(self):
        ...         return 5
        >>> squares = Squares()
        >>> squares[2], squares.slice[3:, "cube"][:]
        ((2, 4, 8), [27, 64])
        >>> squares.keys = ("square", "x")
        >>> squares[3]
        (9, 3)
    """

    def __init__(self) -> None:
        self._all_keys: tuple[Key, ...] = ()
        self._getters: list[Callable[[int], Any]] = []
        # For each element: the number of its getter, and its position in the getter's result, or None for the whole
        # result.
        self._sources: list[tuple[int, int | None]] = []
        self._chosen: tuple[int, ...] | int | None = None

    @property
    def keys(self) -> Keys:
        """The names of the elements, in order. Set it to a tuple of names or numbers, or to one alone, to select the
        elements of examples; KeyError or IndexError for unknown ones."""
        if self._chosen is None:
            return self._all_keys
        if isinstance(self._chosen, tuple):
            return tuple(self._all_keys[i] for i in self._chosen)
        return self._all_keys[self._chosen]

    @keys.setter
    def keys(self, keys: Keys) -> None:
        self._chosen = positions(keys, self._all_keys)

    def add_getter(self, keys: Keys | list[Key], getter: Callable[[int], Any]) -> None:
        """Append elements.

        Args:
            keys: The name of an element; or a tuple or list of names. A name may be None.
            getter: Called with the index of an example. Returns the element, or one element per name.
        """
        number = len(self._getters)
        self._getters.append(getter)
        self._all_keys += as_tuple(keys)
        if isinstance(keys, (tuple, list)):
            self._sources += [(number, position) for position in range(len(keys))]
        else:
            self._sources.append((number, None))

    def get_example_by_keys(self, index: int, key_indices: tuple[int, ...]) -> tuple[Any, ...]:
        """Return some elements of example `index`, calling each needed getter once."""
        if self._chosen is not None:
            chosen = self._chosen if isinstance(self._chosen, tuple) else (self._chosen,)
            key_indices = tuple(chosen[i] for i in key_indices)
        found: dict[int, Any] = {}
        elements = []
        for i in key_indices:
            number, position = self._sources[i]
            if number not in found:
                found[number] = self._getters[number](index)
            elements.append(found[number] if position is None else found[number][position])
        return tuple(elements)
