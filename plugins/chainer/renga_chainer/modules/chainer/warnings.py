"""``chainer.warnings``."""

__all__ = ["PerformanceWarning"]


class PerformanceWarning(RuntimeWarning):
    """Never given by Renga: there for programs that filter it."""
