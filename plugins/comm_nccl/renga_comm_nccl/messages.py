"""Arrays that one rank sends to another.

What an array is like travels from host to host, in letters. So does an array of up to `EAGER` bytes, and every array of
the host. A larger one goes from device to device: the receiver learns of it by a letter, and takes it from NCCL in the
order in which it was sent, whatever its tag.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from renga_core.backend import get_device_of, to_host
from renga_core.communicator import CommunicatorBase

__all__ = ["EAGER", "Messages"]

EAGER = 64 * 1024
"""Bytes of an array of the device that travels with its letter. Below it, what NCCL needs to begin takes longer than
the copies, and the sender does not have to wait for the receiver."""


class Messages:
    """Letters between the ranks of a group, and what was received before it was asked for.

    Args:
        host: A group of the same ranks, used for nothing else.
    """

    def __init__(self, host: CommunicatorBase) -> None:
        self._host = host
        self._waiting: dict[tuple[int, int], deque[tuple[bool, list[Any]]]] = {}

    def send(
        self, arrays: tuple[Any, ...], is_tuple: bool, dest: int, tag: int, by_nccl: Callable[[Any], None] | None
    ) -> None:
        """Send arrays to a rank, to be received by the same tag.

        Args:
            arrays: Of the host, or of this communicator's device.
            is_tuple: Whether they were given as a tuple.
            dest: To whom; it may be this rank.
            tag: By which they are received.
            by_nccl: Sends one array of the device by NCCL; None: it cannot.
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
        """Wait for what a rank sends with this tag.

        Args:
            source: From whom.
            tag: As it was sent.
            by_nccl: Receives the next array of the device by NCCL, of this shape and dtype.

        Returns:
            Whether it is a tuple; for each array the backend it was sent from, and the array: of the host, or of the
            device if it came by NCCL.
        """
        while not self._waiting.get((source, tag)):
            if source == self._host.rank:
                raise RuntimeError(f"rank {source} waits for itself, and has sent itself nothing with tag {tag}")
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

    def finalize(self) -> None:
        """End the group."""
        self._host.finalize()
