"""`MovingAverage`: moving averages of the parameters."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from renga_core.link import Link
from renga_core.serializers import AbstractSerializer, Deserializer
from renga_core.training import PRIORITY_WRITER, Extension, TrainerLike

__all__ = ["MovingAverage", "averaged"]


class MovingAverage(Extension):
    """Keeps an exponential moving average of the parameters, which usually performs better than the parameters.

    Training itself is unchanged. Extensions that evaluate (`Evaluator`), show (`Samples`) or keep the best
    (`snapshot_best`) use the averages. Snapshots contain them, and `renga predict` uses them.

    The decay is smaller in the first updates: after `t` updates it is at most ``(1 + t) / (10 + t)``.

    Args:
        decay: Weight of the old average in each update, in [0, 1).
        optimizer: Name of the optimizer of the averaged parameters.

    Raises:
        ValueError: `decay` is not in [0, 1).

    Source: Polyak and Juditsky, *Acceleration of Stochastic Approximation by Averaging*, 1992; the smaller decay at the
    start is from TensorFlow's ``ExponentialMovingAverage``.
    """

    communicates = False
    trigger = (1, "iteration")
    priority = PRIORITY_WRITER + 1  # before extensions that evaluate

    def __init__(self, decay: float = 0.999, optimizer: str = "main") -> None:
        if not 0 <= decay < 1:
            raise ValueError(f"the decay of a moving average must be in [0, 1), not {decay}")
        self._decay = decay
        self._optimizer = optimizer
        self._t = 0
        self._target: Link | None = None
        self._averages: dict[str, Any] = {}

    @property
    def default_name(self) -> str:
        """``"moving_average"``."""
        return "moving_average"

    def __call__(self, trainer: TrainerLike) -> None:
        """Add the current parameters to the average."""
        self._connect(trainer)
        decay = min(self._decay, (1 + self._t) / (10 + self._t))
        for name, parameter in self._parameters():
            average = self._averages.get(name)
            if average is None:
                self._averages[name] = parameter.array.copy()
            else:
                average += (1 - decay) * (parameter.array - average)
        self._t += 1

    def initialize(self, trainer: TrainerLike) -> None:
        """Find the parameters, and move loaded averages to their devices."""
        self._connect(trainer)
        for name, parameter in self._parameters():
            if name in self._averages:
                self._averages[name] = parameter.device.send(self._averages[name])

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the averages, in the same structure as the link.

        When a run is loaded, the link may not exist yet: then the names come from the file.
        """
        self._t = serializer("t", self._t)
        names = json.loads(serializer("names", json.dumps(list(self._averages))))
        if isinstance(serializer, Deserializer):
            average = serializer["average"]
            loaded = {name: average(name.removeprefix("/"), self._averages.get(name)) for name in names}
            self._averages = {name: array for name, array in loaded.items() if array is not None}
        elif self._target is not None and names:
            with self.swapped():
                self._target.serialize(serializer["average"])

    @contextmanager
    def swapped(self) -> Iterator[None]:
        """Replace the link's parameters by the averages while the block runs."""
        before = []
        for name, parameter in self._parameters():
            average = self._averages.get(name)
            if average is not None:
                before.append((parameter, parameter.array))
                parameter.array = average
        try:
            yield
        finally:
            for parameter, array in before:
                parameter.array = array

    def _connect(self, trainer: TrainerLike) -> None:
        self._target = trainer.updater.get_optimizer(self._optimizer).target

    def _parameters(self) -> Iterator[tuple[str, Any]]:
        assert self._target is not None
        for name, parameter in self._target.namedparams():
            if parameter.is_initialized:
                yield name, parameter


@contextmanager
def averaged(trainer: TrainerLike | None) -> Iterator[None]:
    """Replace parameters by the averages of the trainer's `MovingAverage`, if there is one, while the block runs."""
    found = [] if trainer is None else [each for each in trainer.extensions.values() if isinstance(each, MovingAverage)]
    if not found:
        yield
        return
    with found[0].swapped():
        yield
