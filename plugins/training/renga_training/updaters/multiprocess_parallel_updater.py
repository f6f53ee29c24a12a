"""`MultiprocessParallelUpdater` of Chainer, which Renga does not have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from renga_core.backend import Device
from renga_core.dataset import Iterator
from renga_core.errors import RengaError
from renga_data.convert import concat_examples
from renga_training.updaters.standard_updater import StandardUpdater

__all__ = ["MultiprocessParallelUpdater"]


class MultiprocessParallelUpdater(StandardUpdater):
    """Not available in Renga: its constructor raises an error that says what to use instead.

    Chainer started a process for each further GPU from inside the program. These processes got model and iterators by
    forking, which is not allowed after a program has used a GPU. Their reports were lost, and they could not be
    resumed. A launcher that starts the same program once for each device has none of these problems: see
    `renga.distributed`. In one process, `ParallelUpdater` uses several devices.

    Args:
        iterators, optimizer, converter, devices, auto_new_epoch: Chainer's arguments.

    Raises:
        RengaError: Always.
    """

    def __init__(
        self,
        iterators: Sequence[Iterator],
        optimizer: Any,
        converter: Callable[..., Any] = concat_examples,
        devices: Sequence[Device | str] | Mapping[str, Device | str] | None = None,
        auto_new_epoch: bool = True,
    ) -> None:
        raise RengaError(
            "Renga has no MultiprocessParallelUpdater. To use one process for each device, start the program with "
            "`renga launch -n NUMBER` and use a communicator of renga.distributed. To use several devices in one "
            "process, use ParallelUpdater(iterator, optimizer, devices={'main': …, 'second': …})."
        )

    @staticmethod
    def available() -> bool:
        """False."""
        return False
