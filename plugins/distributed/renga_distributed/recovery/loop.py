"""Loops written by hand that go on when ranks die."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from renga_comm_base.resilience import ResilientBase
from renga_core.dataset import Iterator
from renga_core.optimizer import Optimizer
from renga_core.serializers import AbstractSerializer
from renga_distributed.recovery.capture import Undo, nothing, serialized
from renga_distributed.recovery.updates import Updates
from renga_serializers.npz import DictionarySerializer, NpzDeserializer

__all__ = ["Recovery"]


class Recovery(Updates):
    """Runs a training loop of your own so that it survives the death of ranks.

    ::

        iterator = SerialIterator(examples, 64, communicator=communicator)
        optimizer = create_multi_node_optimizer(Adam(), communicator).setup(model)
        recovery = Recovery(communicator, {"iterator": iterator, "optimizer": optimizer})

        def step():
            x, t = concat_examples(next(iterator))
            optimizer.update(model, x, t)

        if recovery.run(step, iterations=1000):
            print(f"rank {communicator.rank} of {communicator.size} is through")

    A step in which a rank dies is undone and made again by all that are left, in the new group. A spare waits in `run`
    for a place, gets the state, and goes on with the step of the others. What else a step does before its optimizer
    changes parameters (printing, counting) is done again with it.

    Args:
        communicator: The group.
        parts: What steps change, by name: iterators made with ``communicator=``, optimizers made by
            `create_multi_node_optimizer` (their models are saved with them), and other objects with ``serialize``.
        seed: Of random numbers, which are drawn anew in each step from it, the rank and the iteration; that of
            `renga.random` if None.
        on_change: Called, on each rank, at the beginning and whenever the group has changed, to adapt to its size.

    Attributes:
        iteration: Steps made so far.

    Raises:
        RengaError: A part is not one that can be repeated.
    """

    def __init__(
        self,
        communicator: ResilientBase,
        parts: Mapping[str, Any],
        *,
        seed: int | None = None,
        on_change: Callable[[], object] | None = None,
    ) -> None:
        optimizers = {name: part for name, part in parts.items() if isinstance(part, Optimizer)}
        iterators = [part for part in parts.values() if isinstance(part, Iterator)]
        super().__init__(communicator, optimizers, iterators, seed)
        self.iteration = 0
        self._parts = dict(parts)
        self._others = [each for each in parts.values() if each not in iterators and each not in optimizers.values()]
        self._on_change = on_change
        self.position = "begin" if self._may_differ else "step"

    def run(self, step: Callable[[], object], iterations: int) -> bool:
        """Make steps until there have been so many.

        Args:
            step: Makes one update, or several.
            iterations: How many steps, those that were made before included.

        Returns:
            Whether this process is in the group at the end. It is not if it was a spare that nobody needed, or has left
            because it was asked to.

        Raises:
            RengaError: It cannot go on after a rank has died.
        """
        if not self.enter():
            return False
        while self.iteration < iterations:
            if self.position == "begin":
                self.attempt(nothing, self._begin)
            elif self.position == "step":
                self.attempt(self._begin_step, lambda: self._make_update(step))
                self.iteration += 1
            elif not self.attempt(nothing, self._admit):
                return False
            self.position = "admit" if self.position == "step" else "step"
        return True

    def _begin(self) -> None:
        self._check_models()
        self._commit()

    def _begin_step(self) -> Undo:
        return self._begin_update([serialized(each) for each in self._others])

    def _share_knowledge(self) -> None:
        """What a step finds out for itself is the program's affair."""

    def _iteration(self) -> int:
        return self.iteration + (self.position == "step")

    def _regroup(self) -> None:
        super()._regroup()
        if self._on_change is not None:
            self._on_change()

    def _settled(self) -> None:
        """Nothing is left to do."""

    def _serialize_part(self, serializer: AbstractSerializer) -> None:
        for name, part in self._parts.items():
            if name in self._optimizers:
                part.target.serialize(serializer[name]["target"])
            part.serialize(serializer[name])

    def _state(self) -> Any:
        saving = DictionarySerializer()
        if not self._in_parts:
            with self._serializing_own():
                self._serialize_part(saving)
        return saving.target, self.iteration, self._update_state()

    def _load(self, state: Any) -> None:
        arrays, self.iteration, updates = state
        if not self._in_parts:
            with self._serializing_own():
                self._serialize_part(NpzDeserializer(arrays))
        self._take_update_state(updates)
