"""``chainer.training.trigger``."""

from renga_chainer.modules.chainer.training.triggers import IntervalTrigger, get_trigger

__all__ = ["IntervalTrigger", "get_trigger"]
