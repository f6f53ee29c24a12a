"""``chainer._backend``: the base class of devices."""

from renga_core.backend import Device

__all__ = ["Device"]
