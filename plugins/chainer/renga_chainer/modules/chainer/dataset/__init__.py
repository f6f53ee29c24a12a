"""``chainer.dataset``."""

from renga_chainer.modules.chainer.dataset.download import *
from renga_chainer.modules.chainer.dataset.download import __all__ as __all__
