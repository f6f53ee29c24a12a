"""Giving a state to ranks that have none, from memory to memory."""

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
"""Bytes from which on an array is sent as it is; smaller ones are packed into one block. From here on, NumPy asks for
huge pages, without which the page faults of the memory that receives take longer than the message."""
_ALIGNED = 64
"""Arrays in the block begin at multiples of so many bytes."""
_TAG = 0


def transfer(communicator: CommunicatorBase, state: Callable[[], T], source: int, receivers: Sequence[int]) -> T | None:
    """Give an object to ranks that have none, and let the others alone.

    The arrays in it are not pickled (out-of-band data of pickle's protocol 5, PEP 574). Large ones are sent from where
    they are, and received where they stay; so they must not change meanwhile.

    Args:
        communicator: The group; all its ranks call this.
        state: Returns the object. Called on the source only, and only if there are receivers.
        source: The rank that has it.
        receivers: The ranks that have not, the same ones on every rank. They get it one after the other.

    Returns:
        The object, on receivers; None on all others, the source too.

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
    """One block in which they stand one after the other."""
    places = _places([array.nbytes for array in arrays])
    block = np.empty(places[-1], np.uint8)
    for array, begin in zip(arrays, places, strict=False):
        block[begin : begin + array.nbytes] = array
    return block


def _unpacked(block: Any, sizes: Sequence[int]) -> list[Any]:
    """The arrays of so many bytes, in the memory of the block."""
    return [block[begin : begin + size] for begin, size in zip(_places(sizes), sizes, strict=False)]


def _places(sizes: Sequence[int]) -> list[int]:
    """Where arrays of so many bytes begin in a block, and, last, where it ends."""
    return list(accumulate((-(-size // _ALIGNED) * _ALIGNED for size in sizes), initial=0))
