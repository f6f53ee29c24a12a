"""Evaluations, as functions and as trainer extensions."""

from renga_core.plugin import Namespace

__all__ = ["NAMESPACES"]

NAMESPACES: list[Namespace] = []
