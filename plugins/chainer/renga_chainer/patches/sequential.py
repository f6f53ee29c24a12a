"""`Sequential` as in Chainer: errors, and the numbers of its links after changes.

The number of a link in Chainer depends on the layers before it at the time of insertion. Keys in files and the order of
`params()` depend on it, so the order of the links is stored.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from typing import Any

from renga_core.link import Link
from renga_core.link.sequential import Sequential, _type_name

__all__ = ["ADDITIONS", "count_anew"]

_count = Sequential._named_children
_forward = Sequential.forward

_ORDER = "links_as_chainer_counts_them"
"""Key in the `__dict__` of a Sequential: its links in the order of their numbers."""


def _links(self: Sequential) -> list[Link]:
    """The links in the order of their numbers; for a Sequential created elsewhere, as if its layers had been
    appended."""
    if _ORDER not in self.__dict__:
        self.__dict__[_ORDER] = [link for _, link in _count(self)]
    order: list[Link] = self.__dict__[_ORDER]
    return order


def count_anew(self: Sequential) -> None:
    """Number the links as if they had been appended one after another."""
    self.__dict__.pop(_ORDER, None)
    self._name_children()


def _place(before: list[Any]) -> int:
    """The number of a link that is inserted after these layers."""
    if not before:
        return 0
    return 1 + next((i for i, layer in enumerate(before) if isinstance(layer, Link)), 0)


def _named_children(self: Sequential) -> Iterator[tuple[str, Link]]:
    """Pairs of number and link."""
    return ((str(i), link) for i, link in enumerate(_links(self)))


def forward(self: Sequential, *x: Any) -> Any:
    """Like Renga's.

    Raises:
        RuntimeError: There are no layers.
    """
    if not self._layers:
        raise RuntimeError("This Sequential is empty and computes nothing; append layers first")
    return _forward(self, *x)


def get_item(self: Sequential, index: Any) -> Any:
    """Return the layer at a position, or a list of the layers in a slice."""
    return self._layers[index]


def set_item(self: Sequential, index: int, layer: Any) -> None:
    """Replace a layer.

    As in Chainer, a negative index applies to the list without the removed layer.

    Raises:
        ValueError: There is no layer at this position, or the new layer is not callable.
    """
    if index >= len(self):
        raise ValueError(f"{index} should be less than {len(self)}")
    check_layers(self, [layer])
    if self._layers[index] is not layer:
        del self[index]
        self.insert(index, layer)


def delete_item(self: Sequential, index: int) -> None:
    """Remove a layer."""
    links = _links(self)
    layer = self._layers.pop(index)
    if isinstance(layer, Link):
        del links[next(i for i, link in enumerate(links) if link is layer)]
        self._name_children()


def insert(self: Sequential, index: int, layer: Any) -> None:
    """Insert a layer before another.

    Raises:
        IndexError: There is no layer at this position.
    """
    if not -len(self) <= index <= len(self):
        raise IndexError(f"Index out of range: {index}")
    check_layers(self, [layer])
    links = _links(self)
    index += len(self) if index < 0 else 0
    if isinstance(layer, Link):
        links.insert(_place(self._layers[:index]), layer)
    self._layers.insert(index, layer)
    self._name_children()


def remove_by_layer_type(self: Sequential, type_name: str) -> None:
    """Remove all layers whose class or function has this name."""
    for layer in [layer for layer in self._layers if _type_name(layer) == type_name]:
        self.remove(layer)


def copy_layers(self: Sequential, mode: str = "share") -> Sequential:
    """Copy as other links do; links of the copy are numbered as if appended."""
    made: Sequential = Link.copy(self, mode)
    made.name = None
    return made


def made_of(layers: Iterable[Any]) -> Sequential:
    """Return a Sequential of these layers, with new names for its links."""
    return Sequential(*layers)


def add(self: Sequential, other: Any) -> Sequential:
    """Return a Sequential of the layers of both.

    Raises:
        ValueError: `other` is not a Sequential.
    """
    if not isinstance(other, Sequential):
        raise ValueError(f"a Sequential can only be joined with another Sequential, not with {other!r}")
    return made_of([*self, *other])


def extend_by(self: Sequential, other: Any) -> Sequential:
    """Append the layers of another.

    Raises:
        ValueError: `other` is not a Sequential.
    """
    if not isinstance(other, Sequential):
        raise ValueError(f"a Sequential can only be joined with another Sequential, not with {other!r}")
    self.extend(other)
    return self


def check_layers(self: Sequential, layers: Iterable[Any]) -> None:
    """Check that all layers are callable.

    Raises:
        ValueError: A layer is not callable.
    """
    for layer in layers:
        if not callable(layer):
            raise ValueError(f"All elements of the argument should be callable. But given {layer} is not callable.")


def shallow_copy(self: Sequential) -> Sequential:
    """Return another Sequential with the same layers; lambdas are allowed."""
    made = type(self).__new__(type(self))
    made.__dict__.update(self.__dict__)
    return made


def deep_copy(self: Sequential, memo: dict[int, Any]) -> Sequential:
    """Return a deep copy; lambdas are allowed."""
    made = memo[id(self)] = type(self).__new__(type(self))
    made.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return made


def reduce(self: Sequential) -> Any:
    """Pickle as any object.

    Raises:
        ValueError: A layer is a lambda.
    """
    if any(getattr(layer, "__name__", None) == "<lambda>" for layer in self._layers):
        raise ValueError(
            "This Sequential contains a lambda, which cannot be pickled. Next: use functools.partial or a named "
            "function instead"
        )
    return super(Sequential, self).__reduce__()


ADDITIONS: list[tuple[type, str, Any]] = [
    (Sequential, "_children", property(_links)),
    (Sequential, "_named_children", _named_children),
    (Sequential, "_of", staticmethod(made_of)),
    (Sequential, "forward", forward),
    (Sequential, "__getitem__", get_item),
    (Sequential, "__setitem__", set_item),
    (Sequential, "__delitem__", delete_item),
    (Sequential, "insert", insert),
    (Sequential, "remove_by_layer_type", remove_by_layer_type),
    (Sequential, "copy", copy_layers),
    (Sequential, "__copy__", shallow_copy),
    (Sequential, "__deepcopy__", deep_copy),
    (Sequential, "__reduce__", reduce),
    (Sequential, "__add__", add),
    (Sequential, "__iadd__", extend_by),
    (Sequential, "_check_layers", check_layers),
]
