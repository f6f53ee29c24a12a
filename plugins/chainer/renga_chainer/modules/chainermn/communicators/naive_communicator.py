"""``chainermn.communicators.naive_communicator``."""

from renga_chainer.modules.chainermn.communicators.classes import communicator_class

__all__ = ["NaiveCommunicator"]

NaiveCommunicator = communicator_class("naive")
