"""Executes several primitives in a row, on arrays at fixed addresses, with one library call each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from renga_backend_numpy.arrays import address
from renga_core.backend import Array
from renga_kernels_onednn import threads
from renga_kernels_onednn.handles import Handle
from renga_kernels_onednn.library import check, library
from renga_kernels_onednn.primitive import Primitive

__all__ = ["Bound", "Prepared", "Steps"]


class Bound:
    """A primitive with arrays.

    Args:
        primitive: The primitive; a copy of it executes.
        arrays: In the order of the primitive's arguments.
    """

    def __init__(self, primitive: Primitive, arrays: Sequence[Array]) -> None:
        self.primitive, self.arrays = primitive.twin(), arrays
        self.primitive.place(*map(address, arrays))


class Prepared(NamedTuple):
    """A computation whose arrays are not known yet; see `renga_inference.engine.Prepared`."""

    bind: Callable[[Sequence[Array]], Bound]
    weights: Callable[[], Array] | None = None


class Steps:
    """Executes the primitives when it is called. Only one thread at a time may call it.

    Args:
        bound: What it computes, in this order. They share one piece of scratch memory, and a stream.
    """

    def __init__(self, bound: Sequence[Bound]) -> None:
        primitives = [each.primitive for each in bound]
        memory = np.empty(max(primitive.scratchpad for primitive in primitives) + 64, np.uint8)
        scratch = address(memory) + -address(memory) % 64
        stream = Handle("dnnl_stream_create", "dnnl_stream_destroy", "a stream", library().engine, 1)
        self._alive = bound, memory, stream
        self._threads = primitives[0].threads
        self._calls: list[Callable[[], int | None]] = []
        now = self._threads
        for primitive in primitives:
            if primitive.threads != now:
                now = primitive.threads
                self._calls.append(partial(threads.put, now))
            self._calls.append(primitive.prepared(scratch, stream))

    def __call__(self) -> None:
        """Compute.

        Raises:
            OneDNNError: It failed.
        """
        before = threads.use(self._threads)
        try:
            for call in self._calls:
                if status := call():
                    check(status, "a step of a frozen model")
        finally:
            threads.put(before)
