"""`Link`: visitors of its arrays, and hooks that keep their arrays in Chainer's shapes."""

from __future__ import annotations

from typing import Any

from renga_core.graph import Variable
from renga_core.link import Link
from renga_core.serializers.values import is_array
from renga_nn.link_hooks import SpectralNormalization

__all__ = ["ADDITIONS"]

_prepare = SpectralNormalization.prepare


def _accept(self: Link, visitor: Any) -> None:
    """Show a visitor this link, its parameters and persistent arrays, and its children."""
    visitor.visit_device_resident(self)
    for _, param in self._own_params():
        visitor.visit_variable(param)
    for name in sorted(self._persistent):
        value = self.__dict__.get(name)
        if is_array(value):
            self.__dict__[name] = visitor.visit_array(value)
    for child in self.children():
        child.device_resident_accept(visitor)  # type: ignore[attr-defined]  # added below


def _n_local_link_hooks(self: Link) -> int:
    """Number of hooks of this link."""
    return len(self.local_link_hooks)


def _prepare_vector(self: SpectralNormalization, link: Link, W: Variable) -> None:
    """As Renga's; the vector has one axis."""
    _prepare(self, link, W)
    vector = getattr(link, self.vector_name)
    if vector.ndim > 1:
        setattr(link, self.vector_name, vector.reshape(-1))


ADDITIONS: list[tuple[Any, str, Any]] = [
    (Link, "device_resident_accept", _accept),
    (Link, "_n_local_link_hooks", property(_n_local_link_hooks)),
    (SpectralNormalization, "prepare", _prepare_vector),
]
