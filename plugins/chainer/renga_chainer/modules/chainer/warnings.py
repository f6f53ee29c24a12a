"""``chainer.warnings``."""

__all__ = ["PerformanceWarning"]


class PerformanceWarning(RuntimeWarning):
    """Renga never emits this warning; programs may filter it."""
