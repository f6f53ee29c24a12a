"""A batch, a loss, an update."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from renga_core.backend import Device
from renga_core.dataset import Iterator
from renga_core.serializers import AbstractSerializer
from renga_core.training import Updater
from renga_data.convert import concat_examples

__all__ = ["StandardUpdater"]


class StandardUpdater(Updater):
    """Takes a batch from an iterator, computes the loss on it and updates the parameters by one optimizer.

    To train otherwise (several optimizers, several losses), override `update_core`.

    Args:
        iterator: Gives the batches; or a dictionary of iterators, of which ``"main"`` gives them.
        optimizer: Has been set up with the model; or a dictionary of optimizers, of which ``"main"`` is used.
        converter: Makes arrays of a batch: ``converter(batch, device)``.
        device: Where models are sent to and batches are converted for; None leaves models and examples where they are.
        loss_func: Called with the arrays, returns the loss; the main optimizer's target if None.
        loss_scale: Factor on the loss, undone before the update; see `Optimizer.set_loss_scale`.
        auto_new_epoch: Tell the optimizer when an epoch is over.

    Attributes:
        converter, device, loss_func, loss_scale, auto_new_epoch: As given.
        iteration: Updates made so far.
    """

    def __init__(
        self,
        iterator: Iterator | Mapping[str, Iterator],
        optimizer: Any,
        converter: Callable[..., Any] = concat_examples,
        device: Device | str | None = None,
        loss_func: Callable[..., Any] | None = None,
        loss_scale: float | None = None,
        auto_new_epoch: bool = True,
    ) -> None:
        self._iterators = dict(iterator) if isinstance(iterator, Mapping) else {"main": iterator}
        self._optimizers = dict(optimizer) if isinstance(optimizer, Mapping) else {"main": optimizer}
        self.converter = converter
        self.device = device
        self.loss_func = loss_func
        self.loss_scale = loss_scale
        self.auto_new_epoch = auto_new_epoch
        self.iteration = 0
        for each in self._optimizers.values():
            if device is not None:
                each.target.to_device(device)
            if loss_scale is not None:
                each.set_loss_scale(loss_scale)
            if auto_new_epoch:
                each.use_auto_new_epoch = True

    def get_iterator(self, name: str) -> Iterator:
        """The iterator with this name; one that was given alone is ``"main"``."""
        return self._iterators[name]

    def get_optimizer(self, name: str) -> Any:
        """The optimizer with this name; one that was given alone is ``"main"``."""
        return self._optimizers[name]

    def get_all_optimizers(self) -> dict[str, Any]:
        """All optimizers by name."""
        return dict(self._optimizers)

    @property
    def epoch(self) -> int:  # type: ignore[override]  # the iterator counts
        """Epochs completed by the main iterator."""
        return self._iterators["main"].epoch

    @property
    def epoch_detail(self) -> float:  # type: ignore[override]
        """Epochs completed and the fraction of the present one."""
        return self._iterators["main"].epoch_detail

    @property
    def previous_epoch_detail(self) -> float:  # type: ignore[override]
        """`epoch_detail` before the last update."""
        return self._iterators["main"].previous_epoch_detail or 0.0

    @property
    def is_new_epoch(self) -> bool:  # type: ignore[override]
        """Whether the last update completed an epoch."""
        return self._iterators["main"].is_new_epoch

    def update(self) -> None:
        """Make one update."""
        self.update_core()
        self.iteration += 1

    def update_core(self) -> None:
        """The update itself. Raises RuntimeError if the iterator has come to its end."""
        iterator, optimizer = self._iterators["main"], self._optimizers["main"]
        try:
            batch = next(iterator)
        except StopIteration:
            raise RuntimeError(
                "the training iterator has come to its end; make it with repeat=True, and stop by a stop trigger"
            ) from None
        arguments = self.converter(batch, self.device)
        loss_func = self.loss_func or optimizer.target
        if isinstance(arguments, tuple):
            optimizer.update(loss_func, *arguments)
        elif isinstance(arguments, dict):
            optimizer.update(loss_func, **arguments)
        else:
            optimizer.update(loss_func, arguments)
        if self.auto_new_epoch and iterator.is_new_epoch:
            optimizer.new_epoch(auto=True)

    def finalize(self) -> None:
        """Finalize the iterators."""
        for iterator in self._iterators.values():
            iterator.finalize()

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load iterators, models, optimizers and the number of iterations."""
        for name, iterator in self._iterators.items():
            iterator.serialize(serializer["iterator:" + name])
        for name, optimizer in self._optimizers.items():
            # The model first: an optimizer's state is as large as the parameters, which must be there.
            optimizer.target.serialize(serializer["model:" + name])
            optimizer.serialize(serializer["optimizer:" + name])
        self.iteration = serializer("iteration", self.iteration)
