"""``chainer.training.util``."""

from renga_chainer.modules.chainer.training.triggers import get_trigger

__all__ = ["get_trigger"]
