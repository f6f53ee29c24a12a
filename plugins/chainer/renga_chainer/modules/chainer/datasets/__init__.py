"""``chainer.datasets``: those that Chainer has downloaded are found where it has put them."""

from renga_chainer.modules.chainer.datasets._files import *
from renga_chainer.modules.chainer.datasets._files import __all__ as __all__
