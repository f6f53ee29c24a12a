"""The curves of a model of scale."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from renga_core.errors import RengaError
from renga_serializers.atomic import atomic_write
from renga_training.extensions.picture import new_figure

from .failures import WAYS, Recovery
from .iteration import Prediction

__all__ = ["DrawingError", "draw"]


class DrawingError(RengaError):
    """The picture cannot be drawn."""


def draw(
    curves: Mapping[str, Sequence[Prediction]],
    path: str,
    losses: Mapping[str, Sequence[Sequence[Recovery]]] | None = None,
) -> None:
    """Write a picture with two panels: milliseconds of an iteration, and efficiency, over the number of devices.

    Args:
        curves: Predictions by label; dotted lines show communication that is not hidden.
        path: The file. Its suffix selects the format, one of Matplotlib's.
        losses: Costs of failures for each prediction of each curve. They give a third panel: the fraction of time lost
            by each way of continuing, on a logarithmic scale.

    Raises:
        DrawingError: Matplotlib is not installed, or does not know the format.
    """
    try:
        from matplotlib.ticker import FuncFormatter, PercentFormatter
    except ImportError as error:
        raise DrawingError("drawing a picture needs Matplotlib: pip install 'renga[plot]'") from error
    figure = new_figure(10.4 if losses is None else 15.6, 4.2)
    known = figure.canvas.get_supported_filetypes()
    form = os.path.splitext(path)[1].lstrip(".").lower()
    if form not in known:
        raise DrawingError(f"cannot draw to '{path}': its suffix is none of {', '.join(sorted(known))}")
    times, efficiency, *others = panels = figure.subplots(1, 2 if losses is None else 3)
    for name, predictions in curves.items():
        devices = [prediction.devices for prediction in predictions]
        (line,) = times.plot(devices, [p.iteration * 1e3 for p in predictions], marker=".", label=name)
        exposed = [p.exposed * 1e3 for p in predictions]
        times.plot(devices, exposed, linestyle=":", color=line.get_color())
        efficiency.plot(devices, [p.efficiency for p in predictions], marker=".", label=name)
    if losses is not None:
        _draw_losses(others[0], losses)
        others[0].yaxis.set_major_formatter(
            FuncFormatter(lambda value, _: f"{value:.3%}".rstrip("0%").rstrip(".") + "%")
        )
    for axes in panels:
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.set_xlabel("devices")
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.3)
    for axes in (times, efficiency):
        axes.set_ylim(bottom=0)
    times.set_ylabel("ms an iteration; dotted: communication not hidden")
    efficiency.set_ylabel("efficiency")
    efficiency.yaxis.set_major_formatter(PercentFormatter(1))
    efficiency.set_ylim(top=1.05)
    efficiency.legend(frameon=False)
    with atomic_write(path) as file:
        figure.savefig(file, format=form)


def _draw_losses(axes: Any, losses: Mapping[str, Sequence[Sequence[Recovery]]]) -> None:
    """One line for each way; curves differ only in the length of an iteration, so only the first is drawn."""
    rows = next(iter(losses.values()))
    for way in WAYS:
        found = [next(each for each in row if each.way == way) for row in rows]
        axes.plot([each.devices for each in found], [1 - each.efficiency for each in found], marker=".", label=way)
    axes.set_yscale("log")
    axes.set_ylabel("time lost to failures")
    axes.legend(frameon=False)
