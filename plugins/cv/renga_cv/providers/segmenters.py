"""Networks that give each pixel a class."""

from renga_core.plugin import Namespace

__all__ = ["NAMESPACES"]

NAMESPACES: list[Namespace] = []
