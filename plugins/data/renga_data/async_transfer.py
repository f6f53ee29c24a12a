"""Sending mini-batches to a device while the program continues."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any

import numpy as np

from renga_core.backend import Array, Device, get_device
from renga_core.dataset import Converter
from renga_data.convert import concat_examples

__all__ = ["ConcatWithAsyncTransfer", "Conveyor"]


class Conveyor:
    """A queue of arrays on their way to a device: `get` returns arrays in the order of `put`, complete on the device.

    If the device's library supports it (CuPy), host arrays are copied while the program continues. Arrays of other
    libraries are sent at once by `put`.

    Args:
        device: Target device, e.g. ``"cupy:0"``. None, or a device of a host library: nothing is sent.
        stream: Stream of the device's library for the copies: a ``cupy.cuda.Stream``. Default: a stream that the
            backend keeps for this. Libraries without streams ignore it.

    Example:
        >>> conveyor = Conveyor("numpy")
        >>> conveyor.put(np.array([1, 2]))
        >>> conveyor.get()
        array([1, 2])
    """

    def __init__(self, device: Device | str | None = None, stream: Any = None) -> None:
        self._device = None if device is None else get_device(device)
        self._stream = stream
        self._on_the_way: deque[Callable[[], Array]] = deque()

    def put(self, array: Array) -> None:
        """Start sending an array."""
        device = self._device
        if device is not None and isinstance(array, np.ndarray) and device.xp is not np:
            self._on_the_way.append(device.backend.upload(array, device.index, self._stream))
        else:
            sent = array if device is None else device.send(array)
            self._on_the_way.append(lambda: sent)

    def get(self) -> Array:
        """Return the oldest array on its way; later work on the device finds it complete.

        Raises:
            IndexError: The queue is empty.
        """
        if not self._on_the_way:
            raise IndexError("get from an empty Conveyor: call put once before each get")
        return self._on_the_way.popleft()()


class ConcatWithAsyncTransfer(Converter):
    """Like `concat_examples`, but the batch is sent while the device and the program continue.

    Use it as the `converter` of an updater. All arrays of a batch are sent before the first one is waited for, and only
    the device waits, not the program. On host libraries it is `concat_examples`.

    Args:
        stream: Stream for the copies; see `Conveyor`.
        compute_stream: A context manager, such as a ``cupy.cuda.Stream``, in which the batch is used. Default: the
            current stream when the converter is called.

    Example:
        >>> convert = ConcatWithAsyncTransfer()
        >>> x, t = convert([(np.zeros(3), 0), (np.ones(3), 1)], "numpy")
        >>> x.shape, t.tolist()
        ((2, 3), [0, 1])
    """

    def __init__(self, stream: Any = None, compute_stream: Any = None) -> None:
        self._stream = stream
        self._compute_stream = nullcontext() if compute_stream is None else compute_stream

    def __call__(self, batch: list[Any], device: Device | str | None = None, padding: Any = None) -> Any:
        """Stack the examples and send them. Arguments, result and errors as for `concat_examples`."""
        stacked = concat_examples(batch, None, padding)
        conveyor = Conveyor(device, self._stream)
        arrays = _parts(stacked)
        with self._compute_stream:
            for array in arrays:
                conveyor.put(array)
            arrived = [conveyor.get() for _ in arrays]
        if isinstance(stacked, tuple):
            return tuple(arrived)
        return dict(zip(stacked, arrived, strict=True)) if isinstance(stacked, Mapping) else arrived[0]


def _parts(stacked: Any) -> list[Array]:
    if isinstance(stacked, tuple):
        return list(stacked)
    return list(stacked.values()) if isinstance(stacked, Mapping) else [stacked]
