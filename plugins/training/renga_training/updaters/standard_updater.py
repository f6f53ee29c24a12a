"""`StandardUpdater`: one batch, one loss, one update."""

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
    """Takes a batch from an iterator, computes the loss, and updates the parameters with one optimizer.

    For other updates (several optimizers, several losses), override `update_core`.

    If a large batch does not fit into memory, several smaller batches can make one update (`accumulate`). The results
    equal those of an iterator with correspondingly larger batches, including epochs, triggers and means. Before an
    iterator's end, the last update may use fewer batches. Two things differ: rounding, and functions that combine
    examples, such as batch normalization, which sees the small batches. Each example has the same weight; the loss must
    be a mean over examples.

    Args:
        iterator: Yields the batches; or a dictionary of iterators, of which ``"main"`` is used.
        optimizer: The optimizer, set up with the model; or a dictionary of optimizers, of which ``"main"`` is used.
        converter: Makes arrays from a batch: ``converter(batch, device)``.
        device: Device for models and batches; None: leave them where they are.
        loss_func: Called with the arrays, returns the loss; None: the target of the main optimizer.
        loss_scale: Factor on the loss, undone before the update; see `Optimizer.set_loss_scale`.
        auto_new_epoch: Call the optimizer's `new_epoch` at the end of each epoch.
        accumulate: Number of batches per update.

    Attributes:
        converter, device, loss_func, loss_scale, auto_new_epoch, accumulate: The arguments.
        iteration: Number of updates so far.

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
            raise ValueError(f"accumulate must be at least 1, not {accumulate}")
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
        """The iterator with this name; a single iterator is named ``"main"``."""
        return self._iterators[name]

    def get_optimizer(self, name: str) -> Any:
        """The optimizer with this name; a single optimizer is named ``"main"``."""
        return self._optimizers[name]

    def get_all_optimizers(self) -> dict[str, Any]:
        """All optimizers by name."""
        return dict(self._optimizers)

    @property
    def epoch(self) -> int:  # type: ignore[override]  # the iterator counts
        """Number of epochs that the main iterator has completed."""
        return self._iterators["main"].epoch

    @property
    def epoch_detail(self) -> float:  # type: ignore[override]  # as above
        """Number of epochs as a fraction."""
        return self._iterators["main"].epoch_detail

    @property
    def previous_epoch_detail(self) -> float:  # type: ignore[override]  # as above
        """`epoch_detail` before the last update, whatever its number of batches."""
        return self._previous_epoch_detail

    @property
    def is_new_epoch(self) -> bool:  # type: ignore[override]  # as above
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
        """If the ``with`` block ends with `StoppedWaiting`, reset the iterators to their state at its start."""
        ordered = [(each, each.state) for each in self._iterators.values() if isinstance(each, OrderedIterator)]
        try:
            yield
        except StoppedWaiting:
            for iterator, state in ordered:
                iterator.state = state
            raise

    def update_core(self) -> None:
        """Make the update. Raises RuntimeError if the iterator has ended."""
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
        """Take batches from the main iterator; fewer if it ends.

        Returns:
            The batches, and the number of epochs that they completed.

        Raises:
            RuntimeError: The iterator has ended.
        """
        iterator, batches, completed = self._iterators["main"], [], 0
        for batch in islice(iterator, number):
            batches.append(batch)
            completed += iterator.is_new_epoch
        if not batches:
            raise RuntimeError("the training iterator has ended; make it with repeat=True, and use a stop trigger")
        return batches, completed

    def _parts(self, batches: Sequence[Any]) -> list[Part]:
        """Return the parts of one update."""
        return [Part(self._optimizers["main"].target, self.device, batch) for batch in batches]

    def _loss_of(self, model: Link) -> Callable[..., Any]:
        """Return the loss function for a model: the optimizer's target, or a copy of it."""
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
            # The model first: an optimizer's state needs the parameters, because it has their shapes.
            optimizer.target.serialize(serializer["model:" + name])
            optimizer.serialize(serializer["optimizer:" + name])
        self.iteration = serializer("iteration", self.iteration)
        self._previous_epoch_detail = serializer("previous_epoch_detail", self._previous_epoch_detail)
