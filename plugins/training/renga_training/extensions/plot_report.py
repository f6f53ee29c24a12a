"""`PlotReport`: plots of curves."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from renga_core.serializers import AbstractSerializer
from renga_core.training import TrainerLike, TriggerLike
from renga_training.extensions.picture import Picture, new_figure
from renga_training.triggers.interval_mean import IntervalMean

__all__ = ["PlotReport"]


class PlotReport(Picture):
    """Plots reported values, averaged over each interval, as curves in a file.

    Curves of one quantity share a panel: for example ``main/loss`` and ``validation/main/loss``. Drawing takes at most
    a tenth of the time, so the plot may be a few seconds old; at the end of training it is complete. It needs
    Matplotlib, and does not touch the user's own figures and settings.

    Args:
        y_keys: A name to plot, or a list of names.
        x_key: The x axis: ``"epoch"``, ``"iteration"``, or a name.
        trigger: Ends an interval.
        postprocess: Called with the Matplotlib figure before it is saved.
        filename: Name of the file in the trainer's folder; the suffix sets the format.
        marker: Matplotlib marker at each point; None: lines only.
        grid: Draw grid lines.
    """

    def __init__(
        self,
        y_keys: str | Sequence[str],
        x_key: str = "iteration",
        trigger: TriggerLike = (1, "epoch"),
        postprocess: Callable[[Any], object] | None = None,
        filename: str = "plot.png",
        marker: str | None = "x",
        grid: bool = True,
    ) -> None:
        super().__init__(filename)
        self._y_keys = [y_keys] if isinstance(y_keys, str) else list(y_keys)
        self._x_key = x_key
        self._mean = IntervalMean([*self._y_keys, x_key], trigger)
        self._postprocess = postprocess
        self._marker = marker
        self._grid = grid
        self._points: list[dict[str, float]] = []

    def __call__(self, trainer: TrainerLike) -> None:
        """Add this iteration's values; draw at the end of an interval, if enough time has passed."""
        if self._add(trainer):
            self._changed()

    def follow(self, trainer: TrainerLike) -> None:
        """Add this iteration's values, and draw nothing."""
        self._add(trainer)

    def _add(self, trainer: TrainerLike) -> bool:
        """Add this iteration's values. Returns whether the interval ends here, so that there is a new point."""
        means = self._mean(trainer)
        if means is None:
            return False
        updater = trainer.updater
        self._points.append({"epoch": updater.epoch_detail, "iteration": updater.iteration, **means})
        return True

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the points so far, and the current interval."""
        self._mean.serialize(serializer)
        self._points = json.loads(serializer("points", json.dumps(self._points)))

    def _figure(self) -> Any:
        from matplotlib.ticker import MaxNLocator

        panels: dict[str, list[str]] = {}
        for key in self._y_keys:
            panels.setdefault(key.rpartition("/")[2], []).append(key)
        figure = new_figure(5.2 * len(panels), 3.9)
        for axes, (quantity, keys) in zip(
            figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True
        ):
            for key in keys:
                points = [(p[self._x_key], p[key]) for p in self._points if self._x_key in p and key in p]
                if points:
                    label = key.rpartition("/")[0] or key
                    axes.plot(*zip(*points, strict=True), label=label, marker=self._marker, markersize=5, linewidth=1.6)
            axes.set_xlabel(self._x_key)
            axes.set_ylabel(quantity)
            axes.spines[["top", "right"]].set_visible(False)
            if self._x_key in ("epoch", "iteration"):
                axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            if self._grid:
                axes.grid(alpha=0.3)
            if axes.lines:
                axes.legend(frameon=False)
        if self._postprocess is not None:
            self._postprocess(figure)
        return figure
