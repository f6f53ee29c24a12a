"""`AdversarialUpdater`: updates a critic and a generator in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from renga_core.backend import Device
from renga_core.dataset import Iterator
from renga_data.convert import concat_examples
from renga_training.updaters.parts import converted
from renga_training.updaters.standard_updater import StandardUpdater

if TYPE_CHECKING:
    from renga_training.tasks.adversarial import AdversarialPair

__all__ = ["AdversarialUpdater"]


class AdversarialUpdater(StandardUpdater):
    """Updates the critic several times, each with its own batch, then the generator once.

    Args:
        iterator: Yields batches of real examples, with or without labels.
        optimizer: Optimizers named ``"generator"`` and ``"critic"``.
        converter, device: See `StandardUpdater`.
        link: The link with the losses: the target of the task `adversarial`.
        n_critic: Updates of the critic per update of the generator.

    Raises:
        ValueError: `n_critic` is less than 1.
    """

    def __init__(
        self,
        iterator: Iterator,
        optimizer: Mapping[str, Any],
        link: AdversarialPair,
        converter: Callable[..., Any] = concat_examples,
        device: Device | str | None = None,
        *,
        n_critic: int = 1,
    ) -> None:
        if n_critic < 1:
            raise ValueError(f"n_critic must be at least 1, not {n_critic}")
        super().__init__(iterator, optimizer, converter, device)
        self._link = link
        self._n_critic = n_critic

    def update_core(self) -> None:
        """Make the updates."""
        batches, completed = self.take(self._n_critic)
        for each in batches:
            batch = converted(self.converter, each, self.device)
            real, *labels = batch if isinstance(batch, tuple) else (batch,)
            self.get_optimizer("critic").update(self._link.critic_loss, real, *labels)
        self.get_optimizer("generator").update(self._link.generator_loss, len(real), *labels)
        for optimizer in self.get_all_optimizers().values():
            for _ in range(completed):
                optimizer.new_epoch(auto=True)
