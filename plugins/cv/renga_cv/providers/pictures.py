"""Pictures: transforms, utilities, visualizations."""

from renga_core.plugin import Namespace

__all__ = ["NAMESPACES"]

NAMESPACES: list[Namespace] = []
