"""``chainer.cuda``: the old name of `chainer.backends.cuda`."""

from renga_chainer.modules.chainer.backends.cuda import *
from renga_chainer.modules.chainer.backends.cuda import __all__ as __all__
