"""``chainer._version``."""

from renga_chainer.mirror import VERSION

__all__ = ["__version__"]

__version__ = VERSION
