"""``chainer._version``."""

__all__ = ["__version__"]

__version__ = "7.8.1"
