"""``chainermn.communicators.hierarchical_communicator``."""

from renga_chainer.modules.chainermn.communicators.classes import communicator_class

__all__ = ["HierarchicalCommunicator"]

HierarchicalCommunicator = communicator_class("hierarchical")
