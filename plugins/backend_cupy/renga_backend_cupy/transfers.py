"""Copies between host and GPU that run in the background.

`prefetch` uploads the next batch while the GPU works on this one, and `upload` an array; `fetch` downloads a result
that is not needed yet.
Both use pinned host memory, which the GPU reads and writes by itself, and streams of their own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any

import cupy
import cupyx
import numpy as np

from renga_core.backend import Array

__all__ = ["Fetched", "fetch", "prefetch", "unpinned", "upload"]


def prefetch(
    batches: Iterable[Sequence[np.ndarray[Any, Any]]], index: int = 0, ahead: int = 1
) -> Iterator[tuple[Array, ...]]:
    """Uploads batches of host arrays to GPU `index` before they are needed.

    Args:
        batches: Tuples of host arrays. CuPy copies them into pinned memory, so they may be changed afterwards.
        index: Number of the device.
        ahead: How many batches to upload in advance.

    Yields:
        Tuples of CuPy arrays, ready for the stream that is current at the next call.

    Raises:
        ValueError: `ahead` is less than 1.
    """
    if ahead < 1:
        raise ValueError(f"prefetch: ahead is {ahead}; at least one batch has to be uploaded in advance")
    device = cupy.cuda.Device(index)
    with device:
        copying = cupy.cuda.Stream(non_blocking=True)
    waiting: deque[tuple[tuple[Array, ...], Any]] = deque()
    for batch in batches:
        waiting.append(_upload(batch, device, copying))
        if len(waiting) > ahead:
            yield _ready(*waiting.popleft(), device)
    while waiting:
        yield _ready(*waiting.popleft(), device)


def upload(array: np.ndarray[Any, Any], index: int = 0, stream: Any = None) -> Callable[[], Array]:
    """Begin to copy a host array to GPU `index`, on `stream` or on one kept for that, and do not wait.

    Returns:
        A function that gives the array, ready for the stream that is current when it is called.
    """
    device = cupy.cuda.Device(index)
    arrays, uploaded = _upload((array,), device, _upload_stream(index) if stream is None else stream)
    return lambda: _ready(arrays, uploaded, device)[0]


@cache
def _upload_stream(index: int) -> Any:
    with cupy.cuda.Device(index):
        return cupy.cuda.Stream(non_blocking=True)


def unpinned(value: Any) -> Any:
    """`value`, copied if it is a host array in pinned memory.

    From pinned memory CuPy copies while the program goes on, and so might read what the program writes there next. All
    other host arrays it copies into pinned memory of its own first.
    """
    owner = value
    while isinstance(owner, np.ndarray) and not isinstance(owner, cupy.ndarray):
        owner = owner.base
    return np.array(value) if isinstance(owner, cupy.cuda.PinnedMemoryPointer) else value


def _upload(batch: Sequence[np.ndarray[Any, Any]], device: Any, copying: Any) -> tuple[tuple[Array, ...], Any]:
    with device:
        # The memory of earlier batches comes back to `copying`, and may still be read by what has been queued so far.
        copying.wait_event(cupy.cuda.get_current_stream().record())
        with copying:
            arrays = tuple(cupy.asarray(unpinned(x)) for x in batch)
            return arrays, copying.record()


def _ready(arrays: tuple[Array, ...], uploaded: Any, device: Any) -> tuple[Array, ...]:
    with device:
        cupy.cuda.get_current_stream().wait_event(uploaded)
    return arrays


class Fetched:
    """A copy on its way to the host. Made by `fetch`; to be kept until `get` has been called.

    Args:
        source: Array being copied; nothing changes it, and it is kept until the copy is complete.
        host: Where it goes, in pinned memory.
        copied: The event after the copy.
    """

    def __init__(self, source: Array, host: np.ndarray[Any, Any], copied: Any) -> None:
        self._source: Array | None = source
        self._host = host
        self._copied = copied

    def done(self) -> bool:
        """Whether `get` would return at once."""
        return bool(self._copied.done)

    def get(self) -> np.ndarray[Any, Any]:
        """The host array, once it is complete."""
        self._copied.synchronize()
        self._source = None
        return self._host


def fetch(array: Array) -> Fetched:
    """Start to copy an array to the host, after the work queued on the current stream, without waiting.

    The array may be changed at once: it is copied on the GPU first, which takes a fiftieth of the time.

    ``fetch(loss).get()`` is ``to_host(loss)``; the program can continue between the two calls.
    """
    with array.device:
        # What is queued next may change the array: an update of parameters, the next replay of a captured step.
        source = cupy.array(array, order="C")
        copying = cupy.cuda.Stream(non_blocking=True)
        copying.wait_event(cupy.cuda.get_current_stream().record())
        host = cupyx.empty_pinned(array.shape, array.dtype)
        source.get(stream=copying, out=host, blocking=False)
        return Fetched(source, host, copying.record())
