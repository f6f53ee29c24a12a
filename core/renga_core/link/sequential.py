"""`Sequential`: links and functions that are called one after another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from renga_core.link.chain_list import ChainList
from renga_core.link.link import Link

__all__ = ["Sequential"]


class Sequential(ChainList):
    """A list of links and functions; each is called with the result of the one before.

    ::

        model = Sequential(Linear(None, 100), relu, Linear(100, 10))
        y = model(x)

    If a layer returns a tuple, its elements become the arguments of the next layer. All methods of lists work; a slice
    is a Sequential with the same layers, and ``+`` joins two.

    In paths, only links are counted, not functions: the second `Linear` above has ``/1/W``, although it is
    ``model[2]``. With three or more links, the first comes first and the others are counted from the end (with four
    links: 0, 3, 2, 1; if functions come before the first link, as many more links keep their order). Chainer numbers
    them in this way, so each can read the other's files.

    Args:
        layers: Links, or other callables.
    """

    def __init__(self, *layers: Callable[..., Any]) -> None:
        super().__init__()
        self.extend(layers)

    def forward(self, *x: Any) -> Any:
        """Call the layers one after another.

        Raises:
            TypeError: There are no layers.
        """
        if not self._layers:
            raise TypeError(f"this {type(self).__name__} is empty and computes nothing; append layers first")
        y: Any = x
        for layer in self._layers:
            y = layer(*y) if isinstance(y, tuple) else layer(y)
        return y

    def __getitem__(self, index: Any) -> Any:
        """The layer at a position, or a Sequential of the layers in a slice."""
        found = self._layers[index]
        return Sequential._of(found) if isinstance(index, slice) else found

    def __add__(self, other: Any) -> Sequential:
        """Return a Sequential of the layers of both."""
        return Sequential._of([*self, *other]) if isinstance(other, Sequential) else NotImplemented

    def _named_children(self) -> Iterator[tuple[str, Link]]:
        links: list[Link] = []
        first = -1
        for position, layer in enumerate(self._layers):
            if isinstance(layer, Link):
                # As in Chainer, which uses the index of the first link among all layers as its index among the links.
                links.insert(first + 1, layer)
                first = position if first < 0 else first
        return ((str(i), link) for i, link in enumerate(links))

    @classmethod
    def _of(cls, layers: Iterable[Any]) -> Sequential:
        """Return a Sequential that shares links with another one and does not rename them."""
        made = Sequential()
        made._layers = list(layers)
        return made

    def _check_layers(self, layers: Iterable[Any]) -> None:
        for layer in layers:
            if not callable(layer):
                raise TypeError(f"a layer of a {type(self).__name__} is a link or a function, not {layer!r}")

    def count_by_layer_type(self, type_name: str) -> int:
        """Number of layers whose class or function has this name (``"Linear"``, ``"relu"``)."""
        return sum(_type_name(layer) == type_name for layer in self._layers)

    def remove_by_layer_type(self, type_name: str) -> None:
        """Remove all layers whose class or function has this name (``"Linear"``, ``"relu"``)."""
        self[:] = [layer for layer in self._layers if _type_name(layer) != type_name]

    def flatten(self) -> Sequential:
        """Return a Sequential with the same layers, in which nested Sequentials are replaced by their layers."""
        return Sequential._of(_flat(self))


def _flat(layers: Sequential) -> Iterator[Any]:
    for layer in layers:
        if isinstance(layer, Sequential):
            yield from _flat(layer)
        else:
            yield layer


def _type_name(layer: Any) -> str:
    name: str = type(layer).__name__ if isinstance(layer, Link) else getattr(layer, "__name__", type(layer).__name__)
    return name
