"""Parts for tests of updaters, evaluators and tasks: batches, a link that learns, an optimizer. It needs no plugin."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from renga_core.backend import Device, get_device
from renga_core.dataset import Iterator
from renga_core.graph import Parameter, Variable
from renga_core.link import Chain
from renga_core.optimizer import GradientMethod, UpdateRule
from renga_core.reporter import report
from renga_core.serializers import AbstractSerializer

__all__ = ["Batches", "Descent", "Layer", "MeanSquares", "OnPurpose", "points", "stack", "supplied"]


class OnPurpose(Exception):
    """An error that only a kit raises."""


class Batches(Iterator):
    """Examples in order, in batches that may belong to two epochs; without `repeat`, one epoch.

    Args:
        dataset: The examples.
        batch_size: Number of examples per batch; without `repeat`, the last batch may be smaller.
        repeat: Go on for ever.

    Attributes:
        used: Number of examples returned so far.
        finalized: Number of calls of `finalize`.
    """

    def __init__(self, dataset: Sequence[Any], batch_size: int, repeat: bool = True) -> None:
        self.dataset = dataset
        self.batch_size = batch_size
        self.repeat = repeat
        self.used = 0
        self.last = 0
        self.finalized = 0

    def __next__(self) -> list[Any]:
        size = self.batch_size if self.repeat else min(self.batch_size, len(self.dataset) - self.used)
        if size <= 0:
            raise StopIteration
        batch = [self.dataset[(self.used + i) % len(self.dataset)] for i in range(size)]
        self.used, self.last = self.used + size, size
        return batch

    @property
    def epoch(self) -> int:  # type: ignore[override]  # derived, and not counted
        """Epochs completed."""
        return self.used // len(self.dataset)

    @property
    def epoch_detail(self) -> float:  # type: ignore[override]  # as above
        """Epochs completed, and the fraction of the present one."""
        return self.used / len(self.dataset)

    @property
    def previous_epoch_detail(self) -> float | None:  # type: ignore[override]  # as above
        """`epoch_detail` before the last batch; None before the first."""
        return (self.used - self.last) / len(self.dataset) if self.used else None

    @property
    def is_new_epoch(self) -> bool:  # type: ignore[override]  # as above
        """Whether the last batch completed an epoch."""
        return self.epoch > (self.used - self.last) // len(self.dataset)

    def reset(self) -> None:
        """Begin again."""
        self.used = self.last = 0

    def finalize(self) -> None:
        """Count it."""
        self.finalized += 1

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the position."""
        self.used = serializer("used", self.used)
        self.last = serializer("last", self.last)


class _Step(UpdateRule):
    """Steps that become smaller, so that a counter that was not saved changes the parameters."""

    def update_core(self, param: Parameter) -> None:
        array, grad = param.array, param.grad
        assert grad is not None  # a rule is called only for parameters with a gradient
        array -= grad * (0.05 / (1 + self.t))


class Descent(GradientMethod):
    """Gradient descent."""

    def create_update_rule(self) -> UpdateRule:
        """The same update for each parameter."""
        return _Step(self.hyperparam)


class Layer(Chain):
    """A matrix and a bias: ``(N, 4)`` to ``(N, n_out)`` in float32; each seed gives different values."""

    def __init__(self, n_out: int = 3, seed: int = 0) -> None:
        super().__init__()
        rng = np.random.default_rng(seed)
        with self.init_scope():
            self.W = Parameter(rng.normal(size=(4, n_out)).astype(np.float32))
            self.b = Parameter(rng.normal(size=(1, n_out)).astype(np.float32))

    def forward(self, x: Any) -> Variable:
        """The scores."""
        y: Variable = x @ self.W
        return y + self.b


class MeanSquares(Chain):
    """The mean squared error of a `Layer`, which it reports as ``loss``."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        with self.init_scope():
            self.predictor = Layer(1, seed)

    def forward(self, x: Any, t: Any) -> Variable:
        """The loss of points ``(N, 4)`` and numbers ``(N, 1)``."""
        error = self.predictor(Variable(x)) - t
        loss: Variable = (error * error).sum() / len(x)
        report({"loss": loss}, self)
        return loss


def points(number: int) -> list[Any]:
    """Examples: a point float32 (4,) and a number float32 (1,), no two alike."""
    rng = np.random.default_rng(1)
    return [(rng.normal(size=4).astype(np.float32), rng.normal(size=1).astype(np.float32)) for _ in range(number)]


def stack(batch: Sequence[Any], device: Device | str | None = None) -> tuple[Any, ...]:
    """Convert a batch of tuples: an array of each element, on the device."""
    columns = [np.stack(column) for column in zip(*batch, strict=True)]
    return tuple(columns if device is None else [get_device(device).send(column) for column in columns])


def supplied(target: Callable[..., Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """The known values that are parameters of a callable, as a run passes them."""
    names = inspect.signature(target).parameters
    return {name: value for name, value in known.items() if name in names}
