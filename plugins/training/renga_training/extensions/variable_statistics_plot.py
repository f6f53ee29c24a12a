"""`VariableStatisticsPlot`: plots statistics of parameters."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from renga_core.backend import to_host
from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_core.serializers import AbstractSerializer
from renga_core.training import TrainerLike, TriggerLike
from renga_training.extensions.picture import Picture, new_figure
from renga_training.triggers import get_trigger

__all__ = ["VariableStatisticsPlot"]

_COLOR = "#1f77b4"


class VariableStatisticsPlot(Picture):
    """Plots mean, standard deviation and percentiles of all elements of some variables, and of their gradients.

    They are computed in each iteration in which the extension is called. At most `max_sample_size` points are kept.
    When there are more, every second point is dropped, and then only every second call counts, so that points are
    spread evenly over the run.

    Args:
        targets: A variable, a link (all its parameters), or a list of these.
        max_sample_size: Number of points to keep; at least 2.
        report_data: Plot elements.
        report_grad: Plot elements of gradients.
        plot_mean: Plot the mean.
        plot_std: Plot the standard deviation, as error bars if the mean is plotted.
        percentile_sigmas: Percentiles to plot, as nested bands; default: those of a normal distribution at integer
            multiples of the standard deviation.
        trigger: When to draw.
        filename: Name of the file in the trainer's folder; None: ``statistics.png``.
        figsize: Width and height in inches.
        marker: Matplotlib marker at each point.
        grid: Draw grid lines.

    Raises:
        ValueError: There is no variable, or nothing to plot, or `max_sample_size` is less than 2.
    """

    def __init__(
        self,
        targets: Variable | Link | Sequence[Variable | Link],
        max_sample_size: int = 1000,
        report_data: bool = True,
        report_grad: bool = True,
        plot_mean: bool = True,
        plot_std: bool = True,
        percentile_sigmas: float | Sequence[float] = (0, 0.13, 2.28, 15.87, 50, 84.13, 97.72, 99.87, 100),
        trigger: TriggerLike = (1, "epoch"),
        filename: str | None = None,
        figsize: tuple[float, float] | None = None,
        marker: str | None = None,
        grid: bool = True,
    ) -> None:
        super().__init__("statistics.png" if filename is None else filename)
        self._variables = list(_variables(targets))
        sigmas = [percentile_sigmas] if isinstance(percentile_sigmas, (int, float)) else list(percentile_sigmas)
        if not self._variables:
            raise ValueError("VariableStatisticsPlot: there is no variable in `targets`")
        if not (report_data or report_grad) or not (plot_mean or plot_std or sigmas):
            raise ValueError("VariableStatisticsPlot: all plots are switched off")
        if max_sample_size < 2:
            raise ValueError(f"VariableStatisticsPlot: max_sample_size must be at least 2, not {max_sample_size}")
        self._most = max_sample_size
        self._kinds = [kind for kind, wanted in (("data", report_data), ("grad", report_grad)) if wanted]
        self._names = [name for name, wanted in (("mean", plot_mean), ("std", plot_std)) if wanted]
        self._sigmas = sigmas
        self._trigger = get_trigger(trigger)
        self._figsize = figsize
        self._marker = marker
        self._grid = grid
        self._calls = 0
        self._stride = 1
        self._points: list[tuple[int, list[list[float]]]] = []

    def __call__(self, trainer: TrainerLike) -> None:
        """Compute the statistics; draw if the trigger fires."""
        if self._calls % self._stride == 0:
            if len(self._points) == self._most:
                self._points = self._points[::2]
                self._stride *= 2
            if self._calls % self._stride == 0:
                self._points.append((trainer.updater.iteration, [self._compute(kind) for kind in self._kinds]))
        self._calls += 1
        if self._trigger(trainer):
            self._changed()

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the points, and the trigger."""
        state = {"calls": self._calls, "stride": self._stride, "points": self._points}
        state = json.loads(serializer("state", json.dumps(state)))
        self._calls, self._stride, self._points = state["calls"], state["stride"], state["points"]
        trigger: Any = self._trigger
        if hasattr(trigger, "serialize"):
            trigger.serialize(serializer["trigger"])

    def _compute(self, kind: str) -> list[float]:
        """The requested statistics of an array; NaN if there is none."""
        for variable in self._variables:
            if isinstance(variable, Parameter):
                variable.unscale_grad()  # an update in float32 leaves the gradient of the scaled loss
        found = [variable.array if kind == "data" else variable.grad for variable in self._variables]
        arrays = [np.ravel(to_host(array)).astype(np.float64) for array in found if array is not None and array.size]
        if not arrays:
            return [float("nan")] * (len(self._names) + len(self._sigmas))
        x = np.concatenate(arrays)
        moments = {"mean": float(x.mean()), "std": float(x.std())}
        return [moments[name] for name in self._names] + [float(value) for value in np.percentile(x, self._sigmas)]

    def _figure(self) -> Any:
        rows = bool(self._names) + bool(self._sigmas)
        columns = len(self._kinds)
        figure = new_figure(*(self._figsize or (5.2 * columns, 3.2 * rows)))
        panels = figure.subplots(rows, columns, squeeze=False, sharex=True)
        iterations = [iteration for iteration, _ in self._points]
        for column, kind in enumerate(self._kinds):
            series = np.array([values[column] for _, values in self._points]).T
            panels[0][column].set_title(kind)
            if self._names:
                self._draw_moments(panels[0][column], iterations, series[: len(self._names)])
            if self._sigmas:
                self._draw_percentiles(panels[-1][column], iterations, series[len(self._names) :])
            panels[-1][column].set_xlabel("iteration")
        for axes in panels.flat:
            axes.spines[["top", "right"]].set_visible(False)
            axes.legend(frameon=False)
            if self._grid:
                axes.grid(alpha=0.3)
        return figure

    def _draw_moments(self, axes: Any, iterations: list[int], series: Any) -> None:
        label = ", ".join(self._names)
        if len(series) == 2:
            axes.errorbar(iterations, *series, color=_COLOR, ecolor=(_COLOR, 0.2), label=label, marker=self._marker)
        else:
            axes.plot(iterations, series[0], color=_COLOR, label=label, marker=self._marker)

    def _draw_percentiles(self, axes: Any, iterations: list[int], series: Any) -> None:
        """Bands between pairs of percentiles, from the outermost pair inwards; a middle one is drawn as a line."""
        ordered = series[np.argsort(self._sigmas)]
        count = len(ordered)
        for i in range(count // 2):
            label = "percentiles" if i == 0 else None
            axes.fill_between(iterations, ordered[i], ordered[-1 - i], color=_COLOR, alpha=0.2, lw=0, label=label)
        if count % 2:
            label = f"percentile {sorted(self._sigmas)[count // 2]:g}"
            axes.plot(iterations, ordered[count // 2], color=_COLOR, label=label, marker=self._marker)


def _variables(targets: Any) -> Iterator[Variable]:
    if isinstance(targets, Variable):
        yield targets
    elif isinstance(targets, Link):
        yield from targets.params()
    else:
        for target in targets:
            yield from _variables(target)
