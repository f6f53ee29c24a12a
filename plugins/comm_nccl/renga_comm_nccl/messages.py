"""Messages with arrays from one rank to another.

Shapes and dtypes travel between hosts, in a letter. So do arrays of up to `EAGER` bytes, and all host arrays. A larger
device array travels between devices: a letter announces it, and the receiver takes it from NCCL in the order of
sending, whatever its tag.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from renga_core.backend import get_device_of, to_host
from renga_core.communicator import CommunicatorBase

__all__ = ["EAGER", "Messages"]

EAGER = 64 * 1024
"""Largest device array in bytes that travels in its letter. For these, NCCL's start takes longer than the copies, and
the sender need not wait for the receiver."""


class Messages:
    """Letters between the ranks of a group, and letters that arrived before they were needed.

    Args:
        host: Group of the same ranks, used only for this.
    """

    def __init__(self, host: CommunicatorBase) -> None:
        self._host = host
        self._waiting: dict[tuple[int, int], deque[tuple[bool, list[Any]]]] = {}

    def send(
        self, arrays: tuple[Any, ...], is_tuple: bool, dest: int, tag: int, by_nccl: Callable[[Any], None] | None
    ) -> None:
        """Send arrays to a rank, which receives them by the same tag.

        Args:
            arrays: Host arrays, or arrays on this communicator's device.
            is_tuple: Whether the caller passed a tuple.
            dest: Receiving rank; it may be this rank.
            tag: Tag of the message.
            by_nccl: Function that sends a device array by NCCL; None if not possible.
        """
        to_myself = dest == self._host.rank
        least = float("inf") if by_nccl is None or to_myself else EAGER
        contents: list[tuple[str, Any, Any]] = []
        large = []
        for array in arrays:
            device = get_device_of(array).backend.name
            if device == "cupy" and array.nbytes > least:
                contents.append((device, (array.shape, array.dtype.str), None))
                large.append(array)
            else:
                contents.append((device, None, to_host(array).copy()))
        if to_myself:
            self._keep(dest, tag, is_tuple, [(device, host) for device, _, host in contents])
            return
        self._host.send_obj((tag, is_tuple, contents), dest, 0)
        for array in large:
            assert by_nccl is not None
            by_nccl(array)

    def recv(self, source: int, tag: int, by_nccl: Callable[[tuple[int, ...], str], Any]) -> tuple[bool, list[Any]]:
        """Wait for a message from a rank with this tag.

        Args:
            source: Sending rank.
            tag: Tag of the message.
            by_nccl: Function that receives the next device array by NCCL, with this shape and dtype.

        Returns:
            Whether it is a tuple; for each array, the backend of the sender, and the array: on the host, or on the
            device if it came by NCCL.
        """
        while not self._waiting.get((source, tag)):
            if source == self._host.rank:
                raise RuntimeError(f"rank {source} waits for itself, but has sent itself no message with tag {tag}")
            found, is_tuple, contents = self._host.recv_obj(source, 0)
            arrays = [(device, by_nccl(*about) if host is None else host) for device, about, host in contents]
            self._keep(source, found, is_tuple, arrays)
        waiting = self._waiting[source, tag]
        first = waiting.popleft()
        if not waiting:
            del self._waiting[source, tag]
        return first

    def _keep(self, source: int, tag: int, is_tuple: bool, arrays: list[Any]) -> None:
        self._waiting.setdefault((source, tag), deque()).append((is_tuple, arrays))

    def forget(self) -> None:
        """Drop messages that nobody has asked for."""
        self._waiting.clear()

    def finalize(self) -> None:
        """Finalize the group."""
        self._host.finalize()
