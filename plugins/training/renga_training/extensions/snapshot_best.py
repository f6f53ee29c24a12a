"""`snapshot_best`: keeps the best models of a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from renga_core.serializers import AbstractSerializer
from renga_core.training import Extension, TrainerLike, TriggerLike
from renga_training.extensions.moving_average import averaged
from renga_training.snapshots import Best, SnapshotNames, SnapshotStore
from renga_training.snapshots.formats import format_of_template
from renga_training.triggers.interval_mean import IntervalMean

__all__ = ["SnapshotBest", "snapshot_best"]


class SnapshotBest(Extension):
    """Saves an object when a value is among the best so far, and removes older ones. Made by `snapshot_best`.

    Attributes:
        best: The mean and the file name of each file that is kept, the best first.
    """

    trigger = (1, "iteration")
    priority = -50  # after extensions that report, before `snapshot`, which saves this state
    on_every_rank = False

    def __init__(
        self,
        key: str,
        n_retains: int,
        mode: Literal["auto", "min", "max"],
        target: Any,
        filename: str,
        savefun: Callable[[Path, Any], object] | None,
        trigger: TriggerLike,
    ) -> None:
        self._policy = Best(key, n_retains, mode)
        if n_retains > 1 and "{" not in filename:
            raise ValueError(f"{n_retains} files cannot all be named {filename!r}: put {{.updater.iteration}} into it")
        self.best: list[tuple[float, str]] = []
        self._target = target
        self._names = SnapshotNames(filename)
        self._savefun = savefun or format_of_template(filename).save
        self._mean = IntervalMean([key], trigger)

    @property
    def default_name(self) -> str:
        """``"snapshot_best"``."""
        return "snapshot_best"

    def __call__(self, trainer: TrainerLike) -> None:
        """Add this iteration's values; at the end of an interval, save if the mean is among the best.

        Raises:
            KeyError: The value was not reported in the interval.
        """
        found = self._rank(trainer)
        if found is None:
            return
        new, ranked = found
        target = trainer.updater.get_optimizer("main").target if self._target is None else self._target
        store = SnapshotStore(trainer.out, self._names)
        with averaged(trainer):
            store.write(new, lambda path: self._savefun(path, target))
        # After the new file is written, so that complete files of the best exist at any time.
        store.remove({name for _, name in self.best} - {name for _, name in ranked})
        self.best = ranked

    def follow(self, trainer: TrainerLike) -> None:
        """Record which are the best, and save nothing."""
        found = self._rank(trainer)
        if found is not None:
            self.best = found[1]

    def _rank(self, trainer: TrainerLike) -> tuple[str, list[tuple[float, str]]] | None:
        """Add this iteration's values.

        Returns:
            At the end of an interval with one of the best means, return its file name and the list of the best, with
                this one.
        """
        means = self._mean(trainer)
        if means is None:
            return None
        key = self._policy.key
        if key not in means:
            known = ", ".join(trainer.observation) or "nothing"
            raise KeyError(f"snapshot_best: {key!r} was not reported in this iteration. Reported: {known}")
        new = (means[key], self._names.of_trainer(trainer))
        ranked = self._policy.rank([*self.best, new])
        return (new[1], ranked) if any(each is new for each in ranked) else None

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the best values with their file names, and the current interval."""
        self._mean.serialize(serializer)
        self.best = [(value, name) for value, name in json.loads(serializer("best", json.dumps(self.best)))]


def snapshot_best(
    key: str,
    n_retains: int = 1,
    *,
    mode: Literal["auto", "min", "max"] = "auto",
    target: Any = None,
    filename: str = "best_iter_{.updater.iteration}.npz",
    savefun: Callable[[Path, Any], object] | None = None,
    trigger: TriggerLike = (1, "epoch"),
) -> SnapshotBest:
    """Return an extension that saves the model, or another object, when a value is the best so far.

    ``trainer.extend(snapshot_best("validation/main/accuracy"))`` keeps the best model in the trainer's folder;
    `renga.serializers.load` loads it. The folder contains at most the `n_retains` best.

    Args:
        key: Name of the value; its mean over an interval is compared. NaN is never among the best.
        n_retains: Number of files to keep.
        mode: ``"max"``: the largest is best; ``"min"``: the smallest is best; ``"auto"``: the largest if the name
            contains ``accuracy``.
        target: The object to save; None: the target of the main optimizer.
        filename: Name of the file in the trainer's folder; fields such as ``{.updater.iteration}`` are read from the
            trainer.
        savefun: Called with a path and the object; writes the file. None: the suffix of `filename` selects the format.
        trigger: Ends an interval.

    Raises:
        ValueError: `mode` is invalid, `n_retains` is less than 1, or several files would have the same name.
    """
    return SnapshotBest(key, n_retains, mode, target, filename, savefun, trigger)
