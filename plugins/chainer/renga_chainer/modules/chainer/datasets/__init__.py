"""``chainer.datasets``: also finds the files that Chainer has downloaded."""

from renga_chainer.modules.chainer.datasets._files import *
from renga_chainer.modules.chainer.datasets._files import __all__ as __all__
