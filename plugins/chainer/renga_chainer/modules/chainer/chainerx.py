"""``chainer.chainerx``, as ``import chainer`` binds it: the module ``chainerx``."""

from renga_chainer.modules.chainerx import is_available, ndarray

__all__ = ["is_available", "ndarray"]
