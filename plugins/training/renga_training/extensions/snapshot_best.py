"""Keeping the best of what a run has made."""

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
    """Saves an object whenever a value is among the best so far, and removes what no longer is. By `snapshot_best`.

    Attributes:
        best: The mean and the file's name, of each that is kept, the best first.
    """

    trigger = (1, "iteration")
    priority = -50  # after all that report, and before `snapshot`, which saves what is the best now
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
        """Add this iteration's observation; if the interval ends here with one of the best means, save.

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
        # After the new file is there: at any time there are whole files of the best.
        store.remove({name for _, name in self.best} - {name for _, name in ranked})
        self.best = ranked

    def follow(self, trainer: TrainerLike) -> None:
        """Know which are the best, and save nothing."""
        found = self._rank(trainer)
        if found is not None:
            self.best = found[1]

    def _rank(self, trainer: TrainerLike) -> tuple[str, list[tuple[float, str]]] | None:
        """Add this iteration's observation.

        Returns:
            If the interval ends here with one of the best means: the name of its file, and the best, this one included.
        """
        means = self._mean(trainer)
        if means is None:
            return None
        key = self._policy.key
        if key not in means:
            known = ", ".join(trainer.observation) or "nothing"
            raise KeyError(f"snapshot_best: {key!r} was not reported; in this iteration was: {known}")
        new = (means[key], self._names.of_trainer(trainer))
        ranked = self._policy.rank([*self.best, new])
        return (new[1], ranked) if any(each is new for each in ranked) else None

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the best values with their files' names, and the running interval."""
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
    """Return an extension that keeps the model, or another object, as it was when a value was best.

    ``trainer.extend(snapshot_best("validation/main/accuracy"))`` leaves the best model in the trainer's folder;
    `renga.serializers.load` loads it. The folder never holds more than the `n_retains` best.

    Args:
        key: Name of the value; its mean over an interval counts. NaN never is among the best.
        n_retains: Number of files to keep.
        mode: ``"max"``: the largest is the best; ``"min"``: the smallest; ``"auto"``: the largest if ``accuracy`` is in
            the name.
        target: What to save; the target of the main optimizer if None.
        filename: Name of the file in the trainer's folder; ``{.updater.iteration}`` and the like are taken from the
            trainer.
        savefun: Called with a path and the object; writes the file. None: saves in the format that the suffix of
            `filename` stands for.
        trigger: Ends an interval.

    Raises:
        ValueError: There is no such mode, `n_retains` is less than 1, or several files would have one name.
    """
    return SnapshotBest(key, n_retains, mode, target, filename, savefun, trigger)
