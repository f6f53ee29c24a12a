"""`Recovery`: lets hand-written loops continue when ranks die."""

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
    """Runs your own training loop so that it survives failures of ranks.

    ::

        iterator = SerialIterator(examples, 64, communicator=communicator)
        optimizer = create_multi_node_optimizer(Adam(), communicator).setup(model)
        recovery = Recovery(communicator, {"iterator": iterator, "optimizer": optimizer})

        def step():
            x, t = concat_examples(next(iterator))
            optimizer.update(model, x, t)

        if recovery.run(step, iterations=1000):
            print(f"rank {communicator.rank} of {communicator.size} is through")

    If a rank dies in a step, the step is undone and repeated by all remaining ranks, in the new group. A spare waits in
    `run`, gets the state, and continues with the step of the others. Other effects of a step before its optimizer
    changes parameters (printing, counting) are repeated too.

    Args:
        communicator: The group.
        parts: Objects that steps change, by name: iterators made with ``communicator=``, optimizers made by
            `create_multi_node_optimizer` (their models are saved with them), and other objects with ``serialize``.
        seed: Seed of random numbers, which are set for each step from it, the rank and the iteration; None: the seed of
            `renga.random`.
        on_change: Called on each rank at the start and whenever the group has changed.

    Attributes:
        iteration: Number of steps so far.

    Raises:
        RengaError: A part cannot be repeated.
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
        """Run steps until their number is reached.

        Args:
            step: Makes one or several updates.
            iterations: Total number of steps, including earlier ones.

        Returns:
            Whether this process is in the group at the end. It is not, if it was a spare that was not needed, or has
            left on request.

        Raises:
            RengaError: Training cannot continue after a rank has died.
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
        """Step-specific reports are up to the program."""

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
