"""`TensorBoardReport`: curves for TensorBoard."""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Sequence
from typing import Any

from renga_core.errors import RengaError
from renga_core.serializers import AbstractSerializer
from renga_core.training import Extension, TrainerLike, TriggerLike
from renga_training.triggers.interval_mean import IntervalMean

__all__ = ["TensorBoardReport"]


class TensorBoardReport(Extension):
    """Writes reported values, averaged over each interval, to files for TensorBoard.

    ``tensorboard --logdir result`` shows them during training. A resumed run replaces values that were written after
    its snapshot. Needs tensorboardX.

    Args:
        keys: Names to write; None: all.
        trigger: Ends an interval.
        folder: Subfolder of the trainer's folder for the files.
    """

    on_every_rank = False

    def __init__(
        self, keys: Sequence[str] | None = None, trigger: TriggerLike = (1, "epoch"), folder: str = "tensorboard"
    ) -> None:
        self._mean = IntervalMean(keys, trigger)
        self._folder = folder
        self._writer: Any = None

    @staticmethod
    def available() -> bool:
        """Whether tensorboardX is installed."""
        return importlib.util.find_spec("tensorboardX") is not None

    def initialize(self, trainer: TrainerLike) -> None:
        """Open a file. Raises `RengaError` if tensorboardX is not installed."""
        if not self.available():
            raise RengaError(
                "TensorBoardReport needs tensorboardX, which is not installed. "
                "Install it (pip install 'renga[tensorboard]'), or leave this extension out."
            )
        from tensorboardX.event_file_writer import EventsWriter
        from tensorboardX.proto.event_pb2 import Event, SessionLog

        self.finalize()
        folder, done = os.path.join(trainer.out, self._folder), trainer.updater.iteration
        os.makedirs(folder, exist_ok=True)
        # Not SummaryWriter: it writes in a separate thread, so it is unknown when a value is in the file.
        self._writer = EventsWriter(os.path.join(folder, "events"), f".{os.getpid()}.{done}")
        # TensorBoard ignores later iterations in earlier files of the folder.
        start = SessionLog(status=SessionLog.START)
        self._writer.write_event(Event(wall_time=time.time(), step=done + 1, session_log=start))
        self._writer.flush()

    def __call__(self, trainer: TrainerLike) -> None:
        """Add this iteration's values; write the means at the end of an interval."""
        means = self._mean(trainer)
        if means is None:
            return
        if self._writer is None:
            raise RuntimeError("TensorBoardReport was called before training started")
        from tensorboardX.proto.event_pb2 import Event
        from tensorboardX.proto.summary_pb2 import Summary

        values = [Summary.Value(tag=key, simple_value=value) for key, value in means.items()]
        step = trainer.updater.iteration
        self._writer.write_event(Event(wall_time=time.time(), step=step, summary=Summary(value=values)))
        self._writer.flush()

    def finalize(self) -> None:
        """Close the file."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the current interval."""
        self._mean.serialize(serializer)
