"""Moving averages of the weights."""

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
    """Keeps an exponential moving average of the parameters, which as a rule is better than the parameters themselves.

    Training is as without it. What evaluates (`Evaluator`), shows (`Samples`) or keeps the best (`snapshot_best`) sees
    the averages; they are in snapshots, and `renga predict` uses them.

    In the first updates the average is of those that there are: after `t` of them, the decay is at most
    ``(1 + t) / (10 + t)``.

    Args:
        decay: Share of the average that remains in each update, from 0 to less than 1.
        optimizer: Name of the optimizer whose parameters are averaged.

    Raises:
        ValueError: `decay` is not from 0 to less than 1.

    Source: Polyak and Juditsky, *Acceleration of Stochastic Approximation by Averaging*, 1992; the decay at the start
    is that of TensorFlow's ``ExponentialMovingAverage``.
    """

    communicates = False
    trigger = (1, "iteration")
    priority = PRIORITY_WRITER + 1  # before what evaluates

    def __init__(self, decay: float = 0.999, optimizer: str = "main") -> None:
        if not 0 <= decay < 1:
            raise ValueError(f"the decay of a moving average must be from 0 to less than 1, not {decay}")
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
        """Take the parameters of this iteration into the average."""
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
        """Find the parameters, and send what was loaded to their devices."""
        self._connect(trainer)
        for name, parameter in self._parameters():
            if name in self._averages:
                self._averages[name] = parameter.device.send(self._averages[name])

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the averages, in the form of the link that they are of.

        A run that is loaded may not have begun: then there is no link yet, and the file tells the names.
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
        """While the block runs, the link has the averages in place of its parameters."""
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
    """While the block runs, links have the averages that a `MovingAverage` of the trainer keeps, if there is one."""
    found = [] if trainer is None else [each for each in trainer.extensions.values() if isinstance(each, MovingAverage)]
    if not found:
        yield
        return
    with found[0].swapped():
        yield
