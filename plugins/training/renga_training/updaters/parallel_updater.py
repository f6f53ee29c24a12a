"""`ParallelUpdater`: splits batches over several devices of one process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from renga_core.backend import Device
from renga_core.dataset import Iterator
from renga_core.link import Link
from renga_core.training import TrainerLike
from renga_data.convert import concat_examples
from renga_training.updaters.parts import Part
from renga_training.updaters.standard_updater import StandardUpdater

__all__ = ["ParallelUpdater"]


class ParallelUpdater(StandardUpdater):
    """Splits each batch over several devices; the update is the same as for the whole batch.

    Each device has a copy of the model, computes the gradient for its examples, and sends it to the main model, whose
    parameters are updated. Gradients and reported values are averaged over examples. On any number of devices the
    results equal those of `StandardUpdater`, except for rounding and for functions that combine examples: batch
    normalization normalizes each part separately, and its running statistics come from the main part. The loss must be
    a mean over examples.

    One Python process serves all devices. For more than two devices, one process for each (`renga.distributed`) is
    faster.

    Args:
        iterator, optimizer, converter, loss_scale, auto_new_epoch, accumulate: See `StandardUpdater`.
        models: Models by name: ``"main"`` is the optimizer's target, the others are copies of it on their devices.
            None: make the copies.
        devices: Devices by name, including ``"main"``; None: the devices of the models.
        loss_func: Called with the arrays, returns the loss; None: the model. For a method of the main model, the same
            method of each copy is called; any other function must find the model of its device itself.

    Raises:
        ValueError: Neither models nor devices are given, their names differ, ``"main"`` is missing, or the main model
            is not the optimizer's target.
    """

    def __init__(
        self,
        iterator: Iterator | Mapping[str, Iterator],
        optimizer: Any,
        converter: Callable[..., Any] = concat_examples,
        models: Mapping[str, Link] | None = None,
        devices: Mapping[str, Device | str] | None = None,
        loss_func: Callable[..., Any] | None = None,
        loss_scale: float | None = None,
        auto_new_epoch: bool = True,
        *,
        accumulate: int = 1,
    ) -> None:
        names = models if devices is None else devices
        if names is None:
            raise ValueError("ParallelUpdater: give devices, {'main': 'cupy:0', 'second': 'cupy:1'}, or models")
        if "main" not in names:
            raise ValueError(f"ParallelUpdater: 'main' is missing in {', '.join(names)}")
        super().__init__(
            iterator, optimizer, converter, None, loss_func, loss_scale, auto_new_epoch, accumulate=accumulate
        )
        target = self.get_optimizer("main").target
        if models is None:
            models = {name: target if name == "main" else target.copy("copy") for name in names}
            for name, model in models.items():
                model.to_device((devices or {})[name])
        if models.keys() != names.keys():
            raise ValueError(f"ParallelUpdater: models {', '.join(models)} but devices {', '.join(names)}")
        if models["main"] is not target:
            raise ValueError("ParallelUpdater: the main model is not the target of the main optimizer")
        # The main model first, because the copies get their parameters from it.
        order = ["main", *(name for name in names if name != "main")]
        self._replicas = [(models[name], (devices or {}).get(name, models[name].device)) for name in order]

    def connect_trainer(self, trainer: TrainerLike) -> None:
        """Let the copies report under the main model's names."""
        for model, _ in self._replicas[1:]:
            trainer.reporter.add_observer("main", model)
            trainer.reporter.add_observers("main", model.namedlinks(skipself=True))

    def _parts(self, batches: Sequence[Any]) -> list[Part]:
        count = len(self._replicas)
        return [
            Part(model, device, batch[i::count])
            for batch in batches
            for i, (model, device) in enumerate(self._replicas)
            if i < len(batch)
        ]
