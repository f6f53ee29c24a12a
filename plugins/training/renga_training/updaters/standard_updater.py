"""A batch, a loss, an update."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any

from renga_core.backend import Device
from renga_core.dataset import Iterator
from renga_core.link import Link
from renga_core.serializers import AbstractSerializer
from renga_core.training import Updater
from renga_data.convert import concat_examples
from renga_data.iterators.interruptible_wait import StoppedWaiting
from renga_data.iterators.ordered import OrderedIterator
from renga_training.updaters.parts import Part, backward_in_parts, call, converted

__all__ = ["StandardUpdater"]


class StandardUpdater(Updater):
    """Takes a batch from an iterator, computes the loss on it and updates the parameters by one optimizer.

    To train otherwise (several optimizers, several losses), override `update_core`.

    Where memory has no room for a batch large enough, let several smaller ones make one update (`accumulate`): training
    is that of an iterator with batches as large as all of them, epochs, triggers and means included. The last update of
    an iterator that comes to its end may be made of fewer. Two things differ: rounding, and what depends on the
    examples of a batch together, such as batch normalization, which sees the small batches. Each example counts
    alike, whatever batch it is in; the loss must be a mean over examples.

    Args:
        iterator: Gives the batches; or a dictionary of iterators, of which ``"main"`` gives them.
        optimizer: Has been set up with the model; or a dictionary of optimizers, of which ``"main"`` is used.
        converter: Makes arrays of a batch: ``converter(batch, device)``.
        device: Where models are sent to and batches are converted for; None leaves models and examples where they are.
        loss_func: Called with the arrays, returns the loss; the main optimizer's target if None.
        loss_scale: Factor on the loss, undone before the update; see `Optimizer.set_loss_scale`.
        auto_new_epoch: Tell the optimizer when an epoch is over.
        accumulate: Number of batches to an update.

    Attributes:
        converter, device, loss_func, loss_scale, auto_new_epoch, accumulate: As given.
        iteration: Updates made so far.

    Raises:
        ValueError: `accumulate` is less than 1.
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
        *,
        accumulate: int = 1,
    ) -> None:
        if accumulate < 1:
            raise ValueError(f"an update is made of at least one batch: accumulate={accumulate}")
        self._iterators = dict(iterator) if isinstance(iterator, Mapping) else {"main": iterator}
        self._optimizers = dict(optimizer) if isinstance(optimizer, Mapping) else {"main": optimizer}
        self.converter = converter
        self.device = device
        self.loss_func = loss_func
        self.loss_scale = loss_scale
        self.auto_new_epoch = auto_new_epoch
        self.accumulate = accumulate
        self.iteration = 0
        self._previous_epoch_detail = self._iterators["main"].previous_epoch_detail or 0.0
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
        """`epoch_detail` before the last update, however many batches that took."""
        return self._previous_epoch_detail

    @property
    def is_new_epoch(self) -> bool:  # type: ignore[override]
        """Whether the last update completed an epoch."""
        return self.epoch > int(self._previous_epoch_detail)

    def update(self) -> None:
        """Make one update."""
        before, self._previous_epoch_detail = self._previous_epoch_detail, self.epoch_detail
        try:
            with self.taken_back():
                self.update_core()
        except StoppedWaiting:
            self._previous_epoch_detail = before
            raise
        self.iteration += 1

    @contextmanager
    def taken_back(self) -> Generator[None]:
        """Where the ``with`` block ends by `StoppedWaiting`, put the iterators back to where they were at its start."""
        ordered = [(each, each.state) for each in self._iterators.values() if isinstance(each, OrderedIterator)]
        try:
            yield
        except StoppedWaiting:
            for iterator, state in ordered:
                iterator.state = state
            raise

    def update_core(self) -> None:
        """The update itself. Raises RuntimeError if the iterator has come to its end."""
        optimizer = self._optimizers["main"]
        batches, completed = self.take(self.accumulate)
        parts = self._parts(batches)
        if len(parts) == 1:
            arguments = converted(self.converter, parts[0].batch, parts[0].device)
            call(partial(optimizer.update, self._loss_of(optimizer.target)), arguments)
        else:
            backward_in_parts(optimizer, parts, self.converter, self._loss_of)
            optimizer.update()
        if self.auto_new_epoch:
            for _ in range(completed):
                optimizer.new_epoch(auto=True)

    def take(self, number: int) -> tuple[list[Any], int]:
        """Take batches from the main iterator, fewer where it comes to its end.

        Returns:
            The batches, and how many epochs they completed.

        Raises:
            RuntimeError: It has come to its end before.
        """
        iterator, batches, completed = self._iterators["main"], [], 0
        for batch in islice(iterator, number):
            batches.append(batch)
            completed += iterator.is_new_epoch
        if not batches:
            raise RuntimeError(
                "the training iterator has come to its end; make it with repeat=True, and stop by a stop trigger"
            )
        return batches, completed

    def _parts(self, batches: Sequence[Any]) -> list[Part]:
        """What one update is made of."""
        return [Part(self._optimizers["main"].target, self.device, batch) for batch in batches]

    def _loss_of(self, model: Link) -> Callable[..., Any]:
        """The loss function that goes with a model: the optimizer's, or a copy of it."""
        main, function = self._optimizers["main"].target, model if self.loss_func is None else self.loss_func
        if model is not main and getattr(function, "__self__", None) is main:
            method: Callable[..., Any] = getattr(model, function.__name__)
            return method
        return function

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
        self._previous_epoch_detail = serializer("previous_epoch_detail", self._previous_epoch_detail)
