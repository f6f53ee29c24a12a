"""`ChainList`: a link with a list of children."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSequence
from typing import Any, Self

from renga_core.link.link import Link

__all__ = ["ChainList"]


class ChainList(Link, MutableSequence[Any]):
    """A link whose children form a list. All methods of lists work: indexing, slices, append, insert, pop, reverse …

    In paths, a child's name is its position: ``/0/W``.

    Args:
        links: The children.
    """

    def __init__(self, *links: Link) -> None:
        super().__init__()
        self._layers: list[Any] = []
        self.extend(links)

    # --- the list ----------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._layers)

    def __getitem__(self, index: Any) -> Any:
        """The child at a position, or the list of children in a slice."""
        return self._layers[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        values = list(value) if isinstance(index, slice) else [value]
        self._check_layers(values)
        self._layers[index] = values if isinstance(index, slice) else value
        self._name_children()

    def __delitem__(self, index: Any) -> None:
        del self._layers[index]
        self._name_children()

    def insert(self, index: int, link: Any) -> None:
        """Insert a link before position `index`.

        Raises:
            TypeError: `link` is not a link.
        """
        self._check_layers([link])
        self._layers.insert(index, link)
        self._name_children()

    def add_link(self, link: Link) -> None:
        """Append a link (Chainer's other name of `append`)."""
        self.append(link)

    def _check_layers(self, layers: Iterable[Any]) -> None:
        """Raise an error if this list may not contain the item."""
        for layer in layers:
            if not isinstance(layer, Link):
                raise TypeError(
                    f"{type(layer).__name__} is not a Link; a {type(self).__name__} holds links only "
                    "(a Sequential holds functions too)"
                )

    def _name_children(self) -> None:
        for name, child in self._named_children():
            child.name = name

    # --- the tree ----------------------------------------------------------------------------------------------------

    def _named_children(self) -> Iterator[tuple[str, Link]]:
        links = (layer for layer in self._layers if isinstance(layer, Link))
        return ((str(i), link) for i, link in enumerate(links))

    def _printable_parts(self) -> Iterator[tuple[str, Any]]:
        return ((str(i), layer) for i, layer in enumerate(self._layers))

    def _shared_copy(self) -> Self:
        made = super()._shared_copy()
        made._layers = [layer.copy("share") if isinstance(layer, Link) else layer for layer in self._layers]
        made._name_children()
        return made
