"""Networks that detect objects, and those that mask each of them."""

from renga_core.plugin import Namespace

__all__ = ["NAMESPACES"]

NAMESPACES: list[Namespace] = []
