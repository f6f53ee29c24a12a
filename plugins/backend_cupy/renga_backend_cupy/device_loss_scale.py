"""A dynamic loss scale that replays of captured steps adapt on the GPU, and that the host follows without waiting."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import cupy
import cupyx
import numpy as np

from renga_backend_cupy.kernels import loss_scale as kernels
from renga_core.backend import Array
from renga_core.optimizer import UpdateRule
from renga_core.optimizer.loss_scale import HIGHEST, DynamicLossScale

__all__ = ["DeviceLossScale"]


class _Replay(NamedTuple):
    """A replay whose result has not reached the host yet: scale and number of skipped updates after it."""

    host: np.ndarray[Any, Any]
    copied: Any
    rules: Sequence[UpdateRule]
    updates: int


class DeviceLossScale(DynamicLossScale):
    """Takes the place of an optimizer's dynamic loss scale, once a step with it has been captured.

    The GPU adapts the scale and counts skipped updates; after each replay both are copied to the host, which looks at
    them when they are there. Until then the count `t` of update rules is as if no update had been skipped. Reading
    `value` waits for all replays, and then these counts are right.

    Args:
        of: The one that it replaces.

    Attributes:
        state: The scale and the number of skipped updates, on the GPU, in float64.
        finite: Whether the gradients of the update that is being made are finite, on the GPU; one truth value.
        skipped: How many updates were skipped, as far as the host knows.
        in_capture: While a step is captured: gives what `value` is then.
    """

    def __init__(self, of: DynamicLossScale) -> None:
        self._growth, self._value = of._growth, of.value
        self._on_device = self._value
        self.state = cupy.array(np.array([self._value, 0.0]))
        self.finite = cupy.array(np.ones(1, np.uint8))
        self.skipped = 0.0
        self.in_capture: Callable[[], Any] | None = None
        self._replays: deque[_Replay] = deque()
        self._free: list[np.ndarray[Any, Any]] = []

    @property
    def value(self) -> Any:
        """The factor, from 1 to 65504. Waits for the replays that have been queued."""
        if self.in_capture is not None:
            return self.in_capture()
        self.catch_up(most=0)
        return self._value

    @value.setter
    def value(self, value: float) -> None:
        self.catch_up(most=0)
        self._value = value

    # --- in a graph ---------------------------------------------------------------------------------------------------

    def choose_numbers(self, table: Array, numbers: Array) -> None:
        """See `renga_backend_cupy.kernels.loss_scale.choose_numbers`."""
        kernels.choose_numbers(self.state, self.finite, table, numbers)

    def adjust_there(self) -> None:
        """End an update."""
        kernels.adjust(self.state, self.finite, self._growth, HIGHEST)

    # --- around replays -----------------------------------------------------------------------------------------------

    def before_replay(self, rules: Sequence[UpdateRule], most: int) -> int:
        """Get ready for a replay on the current stream.

        Args:
            rules: The rules of the parameters that it updates.
            most: Wait if it is unknown of more updates than these whether they were skipped.

        Returns:
            The number of updates of which it is not known yet whether they were skipped.
        """
        if self._replays and self._replays[-1].rules is not rules and _ids(self._replays[-1].rules) != _ids(rules):
            most = 0  # a skipped update counts for its own rules only
        self.catch_up(most)
        if not self._replays and self._value != self._on_device:
            self.state[:1].set(np.array([self._value]), stream=cupy.cuda.get_current_stream())
            self._on_device = self._value
        return self._unknown()

    def after_replay(self, rules: Sequence[UpdateRule], updates: int) -> None:
        """Let the result of a replay, which was queued on the current stream, be copied to the host."""
        stream = cupy.cuda.get_current_stream()
        host = self._free.pop() if self._free else cupyx.empty_pinned((2,), np.float64)
        self.state.get(stream=stream, out=host, blocking=False)
        self._replays.append(_Replay(host, stream.record(), rules, updates))

    def catch_up(self, most: int) -> None:
        """Take in the results that have arrived, and wait for those of all but `most` updates."""
        needed, unknown = 0, self._unknown()
        while unknown > most:
            unknown -= self._replays[needed].updates
            needed += 1
        if needed and not (last := self._replays[needed - 1].copied).done:
            last.synchronize()  # usually those before it have arrived then
        while self._replays and (needed > 0 or self._replays[0].copied.done):
            host, copied, rules, _ = self._replays.popleft()
            if not copied.done:
                copied.synchronize()
            needed -= 1
            skipped = float(host[1]) - self.skipped
            self._value = self._on_device = float(host[0])
            self.skipped += skipped
            self._free.append(host)
            for rule in rules if skipped else ():
                rule.t -= int(skipped)

    def _unknown(self) -> int:
        return sum(replay.updates for replay in self._replays)

    # --- copies -------------------------------------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Any, ...]:
        return _plain, (self.value, self._growth)


def _plain(value: float, growth: float) -> DynamicLossScale:
    """A copy of one on a GPU is on the host."""
    made = DynamicLossScale(1, value)
    made._growth = growth
    return made


def _ids(rules: Sequence[UpdateRule]) -> list[int]:
    return [id(rule) for rule in rules]
