"""How far training is."""

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
    """A bar by tqdm, which is imported only where there is one: the other extensions of this package do without."""
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[misc]  # tqdm has no types
        # No background thread: worker processes may be forked while training.
        monitor_interval = 0

    return Bar(**options)


class ProgressBar(Extension):
    """A bar on a terminal; where output goes to a file, a line at each tenth of the way or after a minute.

    Args:
        training_length: How long training lasts, such as ``(20, "epoch")``; what the stop trigger says if None.
        update_interval: Number of iterations between two looks at the clock; the bar moves ten times a second at most.
        bar_length: Length of the bar in characters; what the terminal has room for if None.
        out: Where to print; standard error if None.
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
        """Move the bar, if it is time."""
        if self._meter is not None and trainer.updater.iteration % self._interval == 0:
            self._meter.show(trainer)

    def finalize(self) -> None:
        """Leave the bar as it is."""
        if self._meter is not None:
            self._meter.close()
            self._meter = None


class _Meter:
    """Where training started, where it is, and in words."""

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
        # A millionth: 0.3 * 10 is a little less than 3 once it has been added up.
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
