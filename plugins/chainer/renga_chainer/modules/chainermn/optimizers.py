"""``chainermn.optimizers``."""

from __future__ import annotations

from typing import Any

from renga_core.communicator import CommunicatorBase

__all__ = ["create_multi_node_optimizer"]


def create_multi_node_optimizer(
    actual_optimizer: Any,
    communicator: CommunicatorBase,
    double_buffering: bool = False,
    zero_fill: bool = True,
) -> Any:
    """The optimizer itself: one process has nobody to share gradients with.

    Raises:
        RuntimeError: There are several processes.
    """
    if communicator.size > 1:
        raise RuntimeError("chainermn.create_multi_node_optimizer: Renga does not train by several processes yet")
    return actual_optimizer
