"""Functions are computed on the GPU that their arrays are on, also where another one is the current device.

CuPy makes arrays, and queues kernels, on the current device, whatever arrays it is given. In a process that sees one
GPU that is the one. Where it sees several, a tracer makes the device of the arguments the current one: for each
function that is applied, for each step of backward with the sums of gradients that follow, and for the sum at a leaf.
What `grad` adds up between functions is left to the program: call it within ``device.use()``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import cupy

from renga_core.configuration import global_config
from renga_core.graph import FunctionNode, Variable
from renga_core.tracer import Tracer

__all__ = ["DevicesOfArrays", "follow_arrays"]

_local = threading.local()


def follow_arrays() -> None:
    """From now on, in all threads, functions are computed where their arrays are."""
    if not any(isinstance(tracer, DevicesOfArrays) for tracer in global_config.tracers):
        global_config.tracers = (*global_config.tracers, DevicesOfArrays())


class DevicesOfArrays(Tracer):
    """Makes the device of the arrays the current one."""

    def apply(  # noqa: D102 - see the class
        self, proceed: Callable[..., tuple[Variable, ...]], function: FunctionNode, inputs: Sequence[Any]
    ) -> tuple[Variable, ...]:
        with _device_of(inputs):
            return proceed(function, inputs)

    def backward(self, proceed: Callable[..., None], outputs: list[Variable], *others: Any) -> None:  # noqa: D102
        outer, _local.in_backward = getattr(_local, "in_backward", False), True
        try:
            with _device_of(outputs):
                proceed(outputs, *others)
        finally:
            _local.in_backward = outer

    def gradients(  # noqa: D102
        self,
        proceed: Callable[..., Sequence[Any]],
        function: FunctionNode,
        targets: tuple[int, ...],
        grad_outputs: list[Any],
    ) -> Sequence[Any]:
        with _device_of(grad_outputs):
            found = proceed(function, targets, grad_outputs)
        if getattr(_local, "in_backward", False):
            # The walk adds what has come to what was there before; `backward` goes back to the device of the program.
            place = _place(found)
            if place is not None:
                cupy.cuda.Device(place).use()
        return found

    def accumulate(self, proceed: Callable[..., Any], variable: Variable, gradient: Any, *others: Any) -> Any:  # noqa: D102
        with _device_of((gradient,)):
            return proceed(variable, gradient, *others)


@contextmanager
def _device_of(values: Iterable[Any]) -> Iterator[None]:
    """On the device of the first of these that is an array of CuPy's, or a Variable with one."""
    place = _place(values)
    if place is None:
        yield
    else:
        with cupy.cuda.Device(place):
            yield


def _place(values: Iterable[Any]) -> int | None:
    for value in values:
        array = getattr(value, "_array", value)
        if isinstance(array, cupy.ndarray):
            return int(array.device.id)
    return None
