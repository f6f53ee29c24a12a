"""Links one after the other: `renga_core.link.Sequential`, where Chainer has it."""

from renga_core.link import Sequential

__all__ = ["Sequential"]
