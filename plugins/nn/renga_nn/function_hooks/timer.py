"""`TimerHook`: measures functions."""

from __future__ import annotations

from operator import attrgetter

from renga_core.backend import Array, get_backend
from renga_core.graph import FunctionHook, FunctionNode
from renga_nn.call_times import CallTimes

__all__ = ["TimerHook"]


class TimerHook(CallTimes, FunctionHook):
    """Measures each function, forward and backward, and reports sums by name.

    It synchronizes the device before and after each function, so that an accelerator's time is measured; this makes the
    program slower. Methods and attributes: `renga_nn.call_times.CallTimes`.

    >>> import numpy as np
    >>> from renga_nn.functions import relu
    >>> with TimerHook() as hook:
    ...     y = relu(np.ones(2))
    >>> {name: row["occurrence"] for name, row in hook.summary().items()}
    {'ReLU': 1}
    """

    name = "TimerHook"
    of = "Function"
    _name_of = staticmethod(attrgetter("label"))

    def forward_preprocess(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:
        """Start."""
        _wait(in_data)
        self._start()

    def forward_postprocess(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:
        """Stop."""
        _wait(in_data)
        self._stop(self._name_of(function))

    def forward_aborted(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:
        """Discard the call."""
        self._running.pop()

    def backward_preprocess(
        self, function: FunctionNode, in_data: tuple[Array | None, ...], out_grad: tuple[Array | None, ...]
    ) -> None:
        """Start."""
        _wait(out_grad)
        self._start()

    def backward_postprocess(
        self, function: FunctionNode, in_data: tuple[Array | None, ...], out_grad: tuple[Array | None, ...]
    ) -> None:
        """Stop."""
        _wait(out_grad)
        self._stop(self._name_of(function))

    def backward_aborted(
        self, function: FunctionNode, in_data: tuple[Array | None, ...], out_grad: tuple[Array | None, ...]
    ) -> None:
        """Discard the call."""
        self._running.pop()


def _wait(arrays: tuple[Array | None, ...]) -> None:
    """Wait until the device of the arrays has finished."""
    for array in arrays:
        if array is not None:
            get_backend(array).synchronize()
            return
