"""The base of iterators: the next examples, epochs, batches that cross epochs, saving and resuming."""

from __future__ import annotations

import copy
import json
import os
import threading
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np

from renga_core import random
from renga_core.communicator import CommunicatorBase
from renga_core.dataset import Dataset, Iterator
from renga_core.serializers import AbstractSerializer, Deserializer
from renga_data.iterators.order_samplers import Indices, ShuffleOrderSampler

__all__ = ["IteratorState", "OrderedIterator", "Step"]

Sampler = Callable[[Indices, int], Indices]

_NEVER = -1.0  # `previous_epoch_detail` before the first batch, in a file


class IteratorState(NamedTuple):
    """The state of an iterator, which determines the following batches. It is replaced, never changed.

    Attributes:
        position: Number of examples used in the current epoch.
        epoch: Number of epochs completed.
        is_new_epoch: Whether the last batch completed an epoch.
        previous_epoch_detail: `Iterator.epoch_detail` before the last batch; -1 before the first.
        order: Order of the current epoch; None for 0, 1, 2, …
        sampler_state: State of the order sampler just after it made `order`; None if there is no sampler.
    """

    position: int
    epoch: int
    is_new_epoch: bool
    previous_epoch_detail: float
    order: Indices | None
    sampler_state: dict[str, Any] | None


class Step(NamedTuple):
    """The next batch of an iterator.

    Attributes:
        state: The iterator's state after it.
        indices: Indexes of its examples; if ranks share batches, only this rank's.
        number: Number of earlier examples, counted from epoch 0.
    """

    state: IteratorState
    indices: list[int]
    number: int


def _told(name: str, get: Callable[[IteratorState, int], Any]) -> Any:
    """An attribute that is computed from the iterator's state and the size of an epoch."""

    def told(self: OrderedIterator) -> Any:
        return get(self._state, self._epoch_size(self._state.order))

    def refuse(self: OrderedIterator, value: object) -> None:
        raise AttributeError(
            f"{type(self).__name__}.{name} is the iterator's position and cannot be set; reset() starts again"
        )

    return property(told, refuse)


class OrderedIterator(Iterator):
    """Base of iterators that differ only in how they get examples.

    A data set may grow; without an order sampler, new examples belong to the current epoch. If it shrinks, that is an
    error, except between two epochs without an order sampler.

    A subclass defines ``__next__`` using `_advance` and `_arrive`, and `_forget` if it works ahead. Threads may share
    an iterator: each batch goes to one of them. Code that reads or changes the state holds `_alone`.

    Args:
        dataset: Examples by index.
        batch_size: Number of examples in a batch.
        repeat: Continue for ever; a batch at the end of an epoch is filled up from the next epoch. Otherwise there is
            one epoch, whose last batch may be smaller.
        shuffle: A new random order for each epoch. None: yes, unless there is an `order_sampler`.
        order_sampler: Returns the order of each epoch; see `OrderSampler`. Only without `shuffle`.
        seed: Seed of the random orders. Default: the next seed of `renga_core.random`.
        communicator: Share each batch among the ranks: `batch_size` counts the examples of all ranks, and each rank
            gets those between the bounds `CommunicatorBase.share`. All ranks make the iterator with the same arguments
            and data; the seed is that of rank 0 (an `order_sampler` must return the same orders on all ranks). Together
            they use the data exactly as a single process, so a saved state can be resumed with another number of ranks.

    Raises:
        MismatchError: Ranks that share batches have data sets of different lengths, or different arguments.
        ValueError: `batch_size` is not positive, or less than the number of ranks that share it; the data set is empty,
            but `repeat` is set; or arguments exclude each other.
        TypeError: `dataset` is no data set, or `batch_size` no whole number.
    """

    def __init__(
        self,
        dataset: Dataset,
        batch_size: int,
        repeat: bool = True,
        shuffle: bool | None = None,
        order_sampler: Sampler | None = None,
        *,
        seed: int | None = None,
        communicator: CommunicatorBase | None = None,
    ) -> None:
        if not hasattr(dataset, "__len__") or not hasattr(dataset, "__getitem__"):
            raise TypeError(
                f"{type(self).__name__} takes a data set, which has a length and examples by number; given: "
                f"{type(dataset).__name__}. Next: list(...) of something that is iterated."
            )
        if not isinstance(batch_size, int | np.integer):
            raise TypeError(f"batch_size must be a whole number, not {batch_size!r}")
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, not {batch_size}")
        if order_sampler is not None and (shuffle is not None or seed is not None):
            raise ValueError("order_sampler decides the order: leave out shuffle and seed")
        if repeat and not len(dataset):
            raise ValueError("the data set is empty: there is nothing to repeat")
        self.dataset = dataset
        self.batch_size = batch_size
        self.repeat = repeat
        # Always draw it, so that later objects get the same seed whichever iterator this is.
        self._seed = random.spawn_seed() if seed is None else seed
        self._communicator = communicator
        if communicator is not None:
            self._agree(communicator)
        if order_sampler is None and shuffle is not False:
            order_sampler = ShuffleOrderSampler(self._seed)
        self._own_nothing()
        self._sampler = order_sampler
        self._examples = 0
        self._arrive(self._start())

    current_position = _told("current_position", lambda state, size: state.position)
    epoch = _told("epoch", lambda state, size: state.epoch)
    is_new_epoch = _told("is_new_epoch", lambda state, size: state.is_new_epoch)
    epoch_detail = _told("epoch_detail", lambda state, size: _detail(state, size))
    previous_epoch_detail = _told(
        "previous_epoch_detail",
        lambda state, size: None if state.previous_epoch_detail < 0 else state.previous_epoch_detail,
    )

    @property
    def order_sampler(self) -> Sampler | None:
        """The order sampler; None if the order is always 0, 1, 2, …"""
        return self._sampler

    def reset(self) -> None:
        """Start again at epoch 0, in a new order."""
        with self._alone():
            self._return_to(self._state)
            self._arrive(self._start())

    @property
    def state(self) -> IteratorState:
        """The current state. Set it to an earlier state to continue from there."""
        return self._state

    @state.setter
    def state(self, state: IteratorState) -> None:
        with self._alone():
            self._return_to(state)

    @property
    def shares_batches(self) -> bool:
        """Whether ranks share each batch: then all have the same position, whatever their number."""
        return self._communicator is not None

    def seek(self, epoch_detail: float) -> None:
        """Go to a point in time, a number of epochs with a fraction, in a new order.

        Used for a part of a data set, to replace an iterator over a part of another length.
        """
        with self._alone():
            start = self._start()
            epoch = int(epoch_detail)
            position = int((epoch_detail - epoch) * self._epoch_size(start.order) + 1e-6)
            self._return_to(start._replace(position=position, epoch=epoch, previous_epoch_detail=epoch_detail))

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the position. Batches made ahead are made again after loading.

        Raises:
            ValueError: Only one of the saved iterator and this one has an order sampler; or its position is beyond the
                end of this data set.
        """
        state = self._state
        position = serializer("current_position", state.position)
        epoch = serializer("epoch", state.epoch)
        is_new_epoch = serializer("is_new_epoch", state.is_new_epoch)
        previous = serializer("previous_epoch_detail", state.previous_epoch_detail)
        sampler_state = json.loads(serializer("order_sampler", json.dumps(state.sampler_state)))
        if (sampler_state is None) != (state.order is None):
            there, here = ("in no", "in one") if sampler_state is None else ("in one", "in no")
            raise ValueError(f"the saved iterator was {there} order made by a sampler, this one is {here}")
        seed = serializer("seed", self._seed)
        order = None if state.order is None else serializer("order", state.order.copy())
        if isinstance(serializer, Deserializer):
            if not 0 <= position <= self._epoch_size(order):
                raise ValueError(f"position {position} is outside a data set of {self._epoch_size(order)} examples")
            with self._alone():
                self._seed = seed
                self._return_to(IteratorState(position, epoch, is_new_epoch, previous, order, sampler_state))

    def __copy__(self) -> Self:
        """Return a separate iterator over the same data set, which continues as this one would.

        It gets its own copy of an order sampler with a state; a sampler without a state is shared.
        """
        twin = type(self).__new__(type(self))
        with self._alone():
            twin.__dict__.update(self.__dict__)
            twin._own_nothing()
            twin._sampler = copy.deepcopy(self._sampler) if self._state.sampler_state else self._sampler
            twin._return_to(self._state)
        return twin

    def __getstate__(self) -> dict[str, Any]:
        """The data set, the arguments and the position, without workers and batches made ahead."""
        return {name: value for name, value in copy.copy(self).__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._own_nothing()
        self._return_to(self._state)

    # --- for subclasses ---

    def _advance(self, state: IteratorState) -> Step | None:
        """Return the batch that follows `state`; None if there is none."""
        self._require_no_fewer(state)
        size = self._epoch_size(state.order)
        if size == 0 or (not self.repeat and state.epoch > 0):
            return None
        position, epoch, order, sampler_state = state.position, state.epoch, state.order, state.sampler_state
        begin = position
        indices: list[int] = []
        while True:
            taken = range(position, min(position + self.batch_size - len(indices), size))
            indices += taken if order is None else order[taken.start : taken.stop].tolist()
            position += len(taken)
            if position < size:
                break
            position, epoch = 0, epoch + 1
            if not self.repeat:
                break
            order, sampler_state = self._sample(order, begin)
            begin = 0
            if len(indices) == self.batch_size:
                break
        new = IteratorState(position, epoch, epoch > state.epoch, _detail(state, size), order, sampler_state)
        number = state.epoch * size + state.position
        if self._communicator is None:
            return Step(new, indices, number)
        first, last = self._communicator.share(len(indices))
        return Step(new, indices[first:last], number + first)

    def _arrive(self, state: IteratorState) -> None:
        """Set the state."""
        self._state = state

    def _return_to(self, state: IteratorState) -> None:
        """Set the state, and update the order sampler and the batches made ahead."""
        self._forget()
        sampler = self._sampler
        if state.sampler_state and sampler is not None and hasattr(sampler, "set_state"):
            sampler.set_state(state.sampler_state)
        self._arrive(state)

    @abstractmethod
    def _forget(self) -> None:
        """Drop the batches made ahead."""

    def _own_nothing(self) -> None:
        """Initialize, also as a copy: without workers and batches made ahead."""
        self._owner = os.getpid()
        self._lock = threading.RLock()

    def _alone(self) -> threading.RLock:
        """The lock for reading or changing the state."""
        if self._owner != os.getpid():
            # In a forked process the owner's workers do not exist, and a missing thread may hold its lock.
            self._own_nothing()
            self._return_to(self._state)
        return self._lock

    # --- private ---

    def _agree(self, communicator: CommunicatorBase) -> None:
        arguments = {"examples": len(self.dataset), "batch_size": self.batch_size, "repeat": self.repeat}
        communicator.agree(f"{type(self).__name__} that shares its batches", arguments)
        if self.batch_size < communicator.size:
            raise ValueError(f"a batch of {self.batch_size} examples cannot be shared by {communicator.size} ranks")
        self._seed = communicator.bcast_obj(self._seed)

    def _start(self) -> IteratorState:
        self._examples = self._length()
        order, sampler_state = self._sample(None, 0)
        return IteratorState(0, 0, False, _NEVER, order, sampler_state)

    def _sample(self, order: Indices | None, position: int) -> tuple[Indices | None, dict[str, Any] | None]:
        """Return the order of the epoch after the one in `order` (None before the first), and the sampler's state."""
        if self._sampler is None:
            return None, None
        try:
            new = np.asarray(self._sampler(np.arange(self._length()) if order is None else order, position))
        except StopIteration as error:  # it would look like the end of the iterator
            raise RuntimeError(f"the order sampler {self._sampler!r} raised StopIteration") from error
        if order is not None and new.shape != order.shape:
            raise ValueError(f"the order sampler gave {len(new)} indices after {len(order)} for the epoch before")
        state = self._sampler.get_state() if hasattr(self._sampler, "get_state") else {}
        return new, state

    def _epoch_size(self, order: Indices | None) -> int:
        return self._length() if order is None else len(order)

    def _length(self) -> int:
        try:
            return len(self.dataset)
        except StopIteration as error:  # as above
            raise RuntimeError(f"len() of a {type(self.dataset).__qualname__} raised StopIteration") from error

    def _require_no_fewer(self, state: IteratorState) -> None:
        """Raise an error if the data set has lost examples: then it is unknown which ones were used.

        It may shrink between two epochs, if there is no order sampler.
        """
        before, self._examples = self._examples, self._length()
        if self._examples < before and (state.order is not None or state.position > 0):
            now, self._examples = self._examples, before
            raise RuntimeError(
                f"a {type(self.dataset).__qualname__} has {now} examples, and had {before} before: it became shorter "
                f"while {type(self).__name__} was in epoch {state.epoch}, at position {state.position}. Next: do not "
                "remove examples during an epoch, or call reset() to start again with the remaining examples"
            )


def _detail(state: IteratorState, size: int) -> float:
    return state.epoch + state.position / size if size else float(state.epoch)
