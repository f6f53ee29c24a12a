"""`TimerHook`: measures links."""

from __future__ import annotations

from renga_core.link import ForwardPostprocessCallbackArgs, ForwardPreprocessCallbackArgs, LinkHook
from renga_nn.call_times import CallTimes

__all__ = ["TimerHook"]


class TimerHook(CallTimes, LinkHook):
    """Measures the forward computation of each link, and reports sums by class name.

    It synchronizes the device before and after each link, so that an accelerator's time is measured. The time of nested
    links counts in both rows, but only once in `total_time`. Methods and attributes: `renga_nn.call_times.CallTimes`.

    >>> import numpy as np
    >>> from renga_nn.links import Linear
    >>> link = Linear(2, 1)
    >>> with TimerHook() as hook:
    ...     y = link(np.ones((1, 2), "f"))
    >>> {name: row["occurrence"] for name, row in hook.summary().items()}
    {'Linear': 1}
    """

    name = "TimerHook"
    of = "Link"

    def forward_preprocess(self, args: ForwardPreprocessCallbackArgs) -> None:
        """Start."""
        args.link.device.backend.synchronize()
        self._start()

    def forward_postprocess(self, args: ForwardPostprocessCallbackArgs) -> None:
        """Stop."""
        args.link.device.backend.synchronize()
        self._stop(type(args.link).__name__)

    def forward_aborted(self, args: ForwardPreprocessCallbackArgs) -> None:
        """Discard the call."""
        self._running.pop()
