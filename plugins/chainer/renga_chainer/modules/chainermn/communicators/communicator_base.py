"""``chainermn.communicators.communicator_base``."""

from renga_core.communicator import CommunicatorBase

__all__ = ["CommunicatorBase"]
