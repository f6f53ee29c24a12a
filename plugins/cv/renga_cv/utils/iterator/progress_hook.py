"""Show the progress of a model on the examples of an iterator."""

from __future__ import annotations

import sys
import time
from typing import Any

from renga_training.extensions.progress_bar import tqdm_bar

__all__ = ["ProgressHook"]

_SECONDS_PER_LINE = 10.0


class ProgressHook:
    """A hook of `apply_to_iterator` that shows a progress bar on standard error, or a line every ten seconds in a file.

    Args:
        n_total: Total number of examples, if known.

    Attributes:
        n_total: As given.
        n_processed: Number of examples processed so far.
        start: Creation time of this object, in seconds (`time.time`).
    """

    def __init__(self, n_total: int | None = None) -> None:
        self.n_total = n_total
        self.n_processed = 0
        self.start = time.time()
        self._bar: Any = None

    def __call__(self, in_values: tuple[list[Any], ...], out_values: Any, rest_values: Any) -> None:
        """Count a batch."""
        if self._bar is None:
            interval = 0.1 if sys.stderr.isatty() else _SECONDS_PER_LINE
            self._bar = tqdm_bar(total=self.n_total, unit="image", file=sys.stderr, mininterval=interval)
        self.n_processed += len(in_values[0])
        self._bar.update(len(in_values[0]))
        if self.n_total is not None and self.n_processed >= self.n_total:
            self._bar.close()
