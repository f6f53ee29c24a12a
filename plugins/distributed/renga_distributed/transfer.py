"""Send a state to ranks without it, from memory to memory."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, TypeVar

import numpy as np

from renga_core.communicator import CommunicatorBase

__all__ = ["transfer"]

T = TypeVar("T")

_ALONE = 2**22
"""Size in bytes from which an array is sent by itself; smaller ones are packed into one block. From this size on, NumPy
uses huge pages; without them, page faults of the receiving memory take longer than the message."""
_ALIGNED = 64
"""Alignment of arrays in the block, in bytes."""
_TAG = 0


def transfer(communicator: CommunicatorBase, state: Callable[[], T], source: int, receivers: Sequence[int]) -> T | None:
    """Send an object to the ranks that need it; other ranks are not involved.

    Arrays are not pickled (out-of-band data of pickle's protocol 5, PEP 574). Large arrays are sent from their memory
    and received in place; so they must not change meanwhile.

    Args:
        communicator: The group; all its ranks must call.
        state: Returns the object. Called on the source only, and only if there are receivers.
        source: The rank with the object.
        receivers: The ranks that need it, the same on every rank; served one after the other.

    Returns:
        The object on receivers; None on all other ranks, including the source.

    Raises:
        RanksLost: In a resilient group: the source, or a receiver, has died.
    """
    if communicator.rank == source and receivers:
        buffers: list[pickle.PickleBuffer] = []
        message = pickle.dumps(state(), protocol=5, buffer_callback=buffers.append)
        arrays = [np.frombuffer(buffer, np.uint8) for buffer in map(pickle.PickleBuffer.raw, buffers)]
        sizes = [array.nbytes for array in arrays]
        block = _packed([array for array in arrays if array.nbytes < _ALONE])
        blocks = (block, *(array for array in arrays if array.nbytes >= _ALONE))
        for rank in receivers:
            communicator.send_obj((message, sizes), rank, _TAG)
            communicator.send(blocks, rank, _TAG)
    elif communicator.rank in receivers:
        message, sizes = communicator.recv_obj(source, _TAG)
        block, *alone = communicator.recv(source, _TAG)
        packed, large = iter(_unpacked(block, [size for size in sizes if size < _ALONE])), iter(alone)
        found: T = pickle.loads(message, buffers=[next(packed if size < _ALONE else large) for size in sizes])
        return found
    return None


def _packed(arrays: Sequence[Any]) -> Any:
    """Pack arrays one after the other into one block."""
    places = _places([array.nbytes for array in arrays])
    block = np.empty(places[-1], np.uint8)
    for array, begin in zip(arrays, places, strict=False):
        block[begin : begin + array.nbytes] = array
    return block


def _unpacked(block: Any, sizes: Sequence[int]) -> list[Any]:
    """Return views of the block with these sizes in bytes."""
    return [block[begin : begin + size] for begin, size in zip(_places(sizes), sizes, strict=False)]


def _places(sizes: Sequence[int]) -> list[int]:
    """Return the offsets of arrays with these sizes in a block, and the block's end."""
    return list(accumulate((-(-size // _ALIGNED) * _ALIGNED for size in sizes), initial=0))
