"""``chainermn.communicators.non_cuda_aware_communicator``."""

from renga_chainer.modules.chainermn.communicators.classes import communicator_class

__all__ = ["NonCudaAwareCommunicator"]

NonCudaAwareCommunicator = communicator_class("non_cuda_aware")
