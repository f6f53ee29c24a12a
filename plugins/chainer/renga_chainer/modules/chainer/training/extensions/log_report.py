"""``LogReport``: the log as a JSON list."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from typing import Any

from renga_chainer.modules.chainer.training.triggers import get_trigger, is_loading, serialize_if_it_can
from renga_core.serializers import AbstractSerializer
from renga_core.training import Extension
from renga_serializers.atomic import atomic_write
from renga_training.summary import DictSummary

__all__ = ["LogReport"]


class LogReport(Extension):
    """Averages the reported values over each interval, and writes all means so far as a JSON list.

    Args:
        keys: Names of the values to log; all if None.
        trigger: Determines the end of an interval.
        postprocess: Called with each entry; may change it.
        filename: Name of the file in the trainer's folder; ``{iteration}`` and other keys of the entry are replaced.
            Default ``log``; None writes no file.
        log_name: Chainer's older name of `filename`.
    """

    def __init__(
        self,
        keys: Iterable[str] | None = None,
        trigger: Any = (1, "epoch"),
        postprocess: Callable[[dict[str, Any]], object] | None = None,
        filename: str | None = None,
        *,
        log_name: str | None = "log",
    ) -> None:
        self._keys = None if keys is None else list(keys)
        self._trigger = get_trigger(trigger)
        self._postprocess = postprocess
        self._log: list[dict[str, Any]] = []
        self._log_name = log_name if filename is None else filename
        self._summary = DictSummary()

    @property
    def log(self) -> list[dict[str, Any]]:
        """The entries so far."""
        return self._log

    def __call__(self, trainer: Any) -> None:
        """Add this iteration's observation. At the end of an interval, log the means and write the file."""
        observation = trainer.observation
        if self._keys is not None:
            observation = {key: observation[key] for key in self._keys if key in observation}
        self._summary.add(observation)
        if not (trainer.updater.iteration == 0 or self._trigger(trainer)):
            return
        entry: dict[str, Any] = {name: float(mean) for name, mean in self._summary.compute_mean().items()}
        self._summary = DictSummary()
        entry["epoch"] = trainer.updater.epoch
        entry["iteration"] = trainer.updater.iteration
        entry["elapsed_time"] = trainer.elapsed_time
        if self._postprocess is not None:
            self._postprocess(entry)
        self._log.append(entry)
        if self._log_name is not None:
            with atomic_write(os.path.join(trainer.out, self._log_name.format(**entry)), "w") as file:
                json.dump(self._log, file, indent=4)

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the entries so far, and the sums of the current interval."""
        serialize_if_it_can(self._trigger, serializer["_trigger"])
        self._summary.serialize(serializer["_summary"])
        log = serializer("_log", json.dumps(self._log))
        if is_loading(serializer):
            self._log = json.loads(log)
