"""``chainermn.iterators``."""

from __future__ import annotations

from typing import Any

from renga_core.communicator import CommunicatorBase

__all__ = ["create_multi_node_iterator", "create_synchronized_iterator"]


def create_multi_node_iterator(actual_iterator: Any, communicator: CommunicatorBase, rank_master: int = 0) -> Any:
    """The iterator itself: one process shares its batches with nobody.

    Raises:
        RuntimeError: There are several processes.
    """
    return _alone("create_multi_node_iterator", actual_iterator, communicator)


def create_synchronized_iterator(actual_iterator: Any, communicator: CommunicatorBase) -> Any:
    """The iterator itself: one process has nobody to agree with on an order.

    Raises:
        RuntimeError: There are several processes.
    """
    return _alone("create_synchronized_iterator", actual_iterator, communicator)


def _alone(name: str, iterator: Any, communicator: CommunicatorBase) -> Any:
    if communicator.size > 1:
        raise RuntimeError(f"chainermn.{name}: Renga does not train by several processes yet")
    return iterator
