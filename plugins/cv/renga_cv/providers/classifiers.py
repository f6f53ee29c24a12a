"""Networks that classify, and links that networks are made of."""

from renga_core.plugin import Namespace

__all__ = ["NAMESPACES"]

NAMESPACES: list[Namespace] = []
