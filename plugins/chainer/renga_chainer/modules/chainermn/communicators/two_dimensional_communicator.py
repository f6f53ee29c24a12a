"""``chainermn.communicators.two_dimensional_communicator``."""

from renga_chainer.modules.chainermn.communicators.classes import communicator_class

__all__ = ["TwoDimensionalCommunicator"]

TwoDimensionalCommunicator = communicator_class("two_dimensional")
