"""``chainermn.communicators.single_node_communicator``."""

from renga_chainer.modules.chainermn.communicators.classes import communicator_class

__all__ = ["SingleNodeCommunicator"]

SingleNodeCommunicator = communicator_class("single_node")
