"""``chainermn.communicators.flat_communicator``."""

from renga_chainer.modules.chainermn.communicators.classes import communicator_class

__all__ = ["FlatCommunicator"]

FlatCommunicator = communicator_class("flat")
