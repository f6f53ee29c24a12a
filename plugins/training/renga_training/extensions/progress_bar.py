"""`ProgressBar`: shows the progress of training."""

from __future__ import annotations

import sys
import time
from typing import Any, TextIO

from renga_core.training import Extension, TrainerLike

__all__ = ["ProgressBar", "tqdm_bar"]

_SECONDS_PER_REFRESH = 0.1
_SECONDS_PER_LINE = 60.0
_LINES = 10


def tqdm_bar(**options: Any) -> Any:
    """A tqdm bar. tqdm is imported here only, because other extensions of this package do not need it."""
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[misc]  # tqdm has no types
        # No background thread, because worker processes may be forked during training.
        monitor_interval = 0

    return Bar(**options)


class ProgressBar(Extension):
    """A progress bar on a terminal; in a file, a line after each tenth of training or after a minute.

    Args:
        training_length: Length of training, such as ``(20, "epoch")``; None: from the stop trigger.
        update_interval: Number of iterations between two checks of the clock; the bar moves at most ten times a second.
        bar_length: Length of the bar in characters; None: the width of the terminal.
        out: Output stream; None: standard error.
    """

    on_every_rank = False

    def __init__(
        self,
        training_length: tuple[float, str] | None = None,
        update_interval: int = 1,
        bar_length: int | None = None,
        out: TextIO | None = None,
    ) -> None:
        self._length = training_length
        self._interval = update_interval
        self._bar_length = bar_length
        self._out = out
        self._meter: _TerminalMeter | _LineMeter | None = None

    def initialize(self, trainer: TrainerLike) -> None:
        """Show the bar."""
        length = self._length
        if length is None:
            length = getattr(trainer.stop_trigger, "get_training_length", lambda: None)()
        total, unit = length if length is not None else (None, "iteration")
        out = self._out or sys.stderr
        make = _TerminalMeter if out.isatty() else _LineMeter
        self._meter = make(trainer, total, unit, out, self._bar_length)

    def __call__(self, trainer: TrainerLike) -> None:
        """Move the bar, if enough time has passed."""
        if self._meter is not None and trainer.updater.iteration % self._interval == 0:
            self._meter.show(trainer)

    def finalize(self) -> None:
        """Close the bar, and leave it on the screen."""
        if self._meter is not None:
            self._meter.close()
            self._meter = None


class _Meter:
    """The start of training, the current progress, and a text that describes it."""

    def __init__(
        self, trainer: TrainerLike, total: float | None, unit: str, out: TextIO, bar_length: int | None
    ) -> None:
        self.total = total
        self.unit = unit
        self.out = out
        self.first_iteration = trainer.updater.iteration
        self.started_at = self.shown_at = time.perf_counter()

    def position(self, trainer: TrainerLike) -> float:
        updater = trainer.updater
        return updater.epoch_detail if self.unit == "epoch" else updater.iteration

    def words(self, trainer: TrainerLike) -> str:
        updater = trainer.updater
        seconds = max(time.perf_counter() - self.started_at, 1e-9)
        rate = (updater.iteration - self.first_iteration) / seconds
        return f"epoch {updater.epoch_detail:.1f}, iteration {updater.iteration}, {rate:.4g} it/s"


class _TerminalMeter(_Meter):
    def __init__(
        self, trainer: TrainerLike, total: float | None, unit: str, out: TextIO, bar_length: int | None
    ) -> None:
        super().__init__(trainer, total, unit, out, bar_length)
        bar = "{bar}" if bar_length is None else f"{{bar:{bar_length}}}"
        known = "{percentage:3.0f}%|" + bar + "| {desc} [{elapsed}<{remaining}]"
        self.bar: Any = tqdm_bar(
            total=total,
            initial=self.position(trainer),
            file=out,
            dynamic_ncols=bar_length is None,
            bar_format="{desc} [{elapsed}]" if total is None else known,
        )

    def show(self, trainer: TrainerLike) -> None:
        now = time.perf_counter()
        position = self.position(trainer)
        at_end = self.total is not None and position >= self.total
        if now - self.shown_at < _SECONDS_PER_REFRESH and not at_end:
            return
        self.shown_at = now
        self.bar.n = position if self.total is None else min(position, self.total)
        self.bar.set_description_str(self.words(trainer))

    def close(self) -> None:
        self.bar.close()


class _LineMeter(_Meter):
    def __init__(
        self, trainer: TrainerLike, total: float | None, unit: str, out: TextIO, bar_length: int | None
    ) -> None:
        super().__init__(trainer, total, unit, out, bar_length)
        self.shown_part = self.part(trainer)

    def part(self, trainer: TrainerLike) -> float:
        return 0.0 if self.total is None else self.position(trainer) / self.total

    def show(self, trainer: TrainerLike) -> None:
        now, part = time.perf_counter(), self.part(trainer)
        # A tolerance of a millionth: ten steps of 0.3 add up to slightly less than 3.
        further = int(part * _LINES + 1e-6) > int(self.shown_part * _LINES + 1e-6)
        if not further and now - self.shown_at < _SECONDS_PER_LINE:
            return
        self.shown_at, self.shown_part = now, part
        from tqdm import tqdm

        elapsed = tqdm.format_interval(now - self.started_at)
        percentage = "" if self.total is None else f"{min(part, 1):4.0%}  "
        print(f"{percentage}{self.words(trainer)}, {elapsed}", file=self.out, flush=True)

    def close(self) -> None:
        return
