"""The state that each Python thread keeps between calls: primitives by shape, the stream, and scratch memory.

A primitive takes 0.3 to 10 ms to make and some microseconds to execute. Two threads must not execute the same primitive
at once, so each thread has its own cache.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from renga_kernels_onednn import threads
from renga_kernels_onednn.handles import Handle
from renga_kernels_onednn.library import library

__all__ = ["BOUND", "LITTLE", "find", "passing", "same_bits", "scratch", "stream"]

BOUND = 256
"""Number of cached plans per thread; beyond it, the least recently used plans are deleted."""

_ALIGNMENT = 64

LITTLE = 1 << 17
"""Number of elements that one thread processes before another one has woken up."""

_local = threading.local()
_Plan = TypeVar("_Plan")
_Make = TypeVar("_Make", bound=Callable[..., Any])
_same_bits: set[Callable[..., Any]] = set()


def same_bits(make: _Make) -> _Make:
    """Mark functions that make plans whose results do not depend on the number of threads, with AVX-512.

    With AVX2 the results of some of them (pooling) do depend on it. Convolutions are not marked: on processors with
    large caches, oneDNN divides the sums of some shapes by the number of threads.
    """
    _same_bits.add(make)
    return make


def find(work: int, make: Callable[..., _Plan], *key: Hashable) -> _Plan:
    """The plan kept for `make` and its arguments, or else ``make(*key)``.

    The number of OpenMP's threads is fixed when a primitive is made, so it belongs to the key. That number is constant,
    unless `make` is marked with `same_bits` and oneDNN uses AVX-512: such a plan uses fewer threads while other
    programs need the cores.

    Args:
        work: Approximate number of elements; for little work one thread is best.
        make: Makes the plan.
        key: Everything that the plan depends on.
    """
    plans: OrderedDict[Hashable, Any] = _kept("plans", OrderedDict)
    if work <= LITTLE:
        count = 1
    elif make in _same_bits and library().has_avx512:
        count = threads.free()
    else:
        count = threads.count()
    whole = make, key, count
    plan: _Plan | None = plans.get(whole)
    if plan is None:
        before = threads.use(count)
        try:
            plan = plans[whole] = make(*key)
        finally:
            threads.use(before)
        if len(plans) > BOUND:
            plans.popitem(last=False)
    else:
        plans.move_to_end(whole)
    return plan


def stream() -> Handle:
    """oneDNN's stream of this thread."""

    def make() -> Handle:
        return Handle("dnnl_stream_create", "dnnl_stream_destroy", "a stream", library().engine, 1)

    return _kept("stream", make)


def scratch(use: str, size: int) -> int:
    """The address of scratch memory, which is not kept from one call to the next.

    There is one piece for each use, of the largest size requested so far. New memory for each call would cost one page
    fault per page.

    Args:
        use: Purpose of the memory; pieces for different uses do not overlap.
        size: Bytes.
    """
    pieces: dict[str, tuple[int, int, Any]] = _kept("scratch", dict)
    piece = pieces.get(use)
    if piece is None or piece[0] < size:
        pieces.pop(use, None)
        memory = np.empty(size + _ALIGNMENT, np.uint8)
        begin = int(memory.__array_interface__["data"][0])
        piece = pieces[use] = size, begin + -begin % _ALIGNMENT, memory
    return piece[1]


def _kept(name: str, make: Callable[[], _Plan]) -> _Plan:
    found: _Plan | None = getattr(_local, name, None)
    if found is None:
        found = make()
        setattr(_local, name, found)
    return found


@contextmanager
def passing() -> Iterator[None]:
    """In this ``with`` block, this thread's cache entries are temporary, such as primitives of shapes used once."""
    before = dict(_local.__dict__)
    _local.__dict__.clear()
    try:
        yield
    finally:
        _local.__dict__.clear()
        _local.__dict__.update(before)


def _forget() -> None:
    _local.__dict__.clear()


threads.at_fork(_forget)
