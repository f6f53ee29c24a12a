"""The base of extensions that draw plots."""

from __future__ import annotations

import importlib.util
import os
import time
from abc import abstractmethod
from typing import Any

from renga_core.errors import RengaError
from renga_core.training import Extension, TrainerLike
from renga_serializers.atomic import atomic_write

__all__ = ["Picture", "new_figure"]

_SHARE_OF_TIME = 0.1


class Picture(Extension):
    """Updates a plot file in the trainer's folder. A subclass defines `_figure`, and calls `_changed`.

    Drawing takes at most a tenth of the time, so the plot may be a few seconds old; at the end of training it is
    complete. It needs Matplotlib, and does not touch the user's own figures and settings.

    Args:
        filename: Name of the file in the trainer's folder; the suffix sets the format.
    """

    on_every_rank = False

    def __init__(self, filename: str) -> None:
        self._filename = filename
        self._path = ""
        self._stale = False
        self._draw_again_at = 0.0

    @staticmethod
    def available() -> bool:
        """Whether Matplotlib is installed."""
        return importlib.util.find_spec("matplotlib") is not None

    def initialize(self, trainer: TrainerLike) -> None:
        """Prepare. Raises `RengaError` if Matplotlib is not installed."""
        if not self.available():
            raise RengaError(
                f"{type(self).__name__} needs Matplotlib, which is not installed. "
                "Install it (pip install 'renga[plot]'), or leave this extension out."
            )
        self._path = os.path.join(trainer.out, self._filename)

    def finalize(self) -> None:
        """Draw the points that are not in the file yet."""
        if self._stale:
            self._draw()

    @abstractmethod
    def _figure(self) -> Any:
        """Make the Matplotlib figure."""

    def _changed(self) -> None:
        """Note that there are new points: draw, if enough time has passed."""
        self._stale = True
        if time.perf_counter() >= self._draw_again_at:
            self._draw()

    def _draw(self) -> None:
        started_at = time.perf_counter()
        figure = self._figure()
        with atomic_write(self._path) as file:
            figure.savefig(file, format=os.path.splitext(self._path)[1].lstrip(".") or "png")
        self._stale = False
        now = time.perf_counter()
        self._draw_again_at = now + (now - started_at) * (1 / _SHARE_OF_TIME - 1)


def new_figure(width: float, height: float) -> Any:
    """A Matplotlib figure without pyplot, which would choose a backend for the whole program."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    return figure
