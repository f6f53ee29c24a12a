"""``chainermn.optimizers``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga import distributed
from renga_core.communicator import CommunicatorBase

__all__ = ["create_multi_node_optimizer"]


def create_multi_node_optimizer(
    actual_optimizer: Any,
    communicator: CommunicatorBase,
    double_buffering: bool = False,
    zero_fill: bool = True,
) -> Any:
    """Like `renga.distributed.create_multi_node_optimizer`, but an update only broadcasts the parameters if some
    have got their arrays since the last update, as in the first one.
    """
    optimizer = distributed.create_multi_node_optimizer(actual_optimizer, communicator, double_buffering, zero_fill)
    average_and_update = optimizer.update
    known: list[tuple[str, bool]] = []

    def update(lossfun: Callable[..., Any] | None = None, *args: Any, **kwds: Any) -> None:
        if lossfun is not None:
            loss = lossfun(*args, **kwds)
            actual_optimizer.discard_grads()
            loss.backward(loss_scale=actual_optimizer.loss_scale)
            del loss
        target = actual_optimizer.target
        there = [(path, param.is_initialized) for path, param in sorted(target.namedparams())]
        if there != known:
            known[:] = there
            communicator.bcast_data(target)
        else:
            average_and_update()

    optimizer.__dict__["update"] = update  # an assignment would set it on the wrapped optimizer
    return optimizer
