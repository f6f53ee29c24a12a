"""Sends arrays from one rank to another; large ones by NCCL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from renga_comm_base.arguments import check_arrays
from renga_comm_nccl.base import Collectives
from renga_comm_nccl.calls import UINT8
from renga_comm_nccl.devices import current_device
from renga_comm_nccl.placing import flat_bytes, is_on_device, nbytes
from renga_core.backend import get_device

if TYPE_CHECKING:
    from renga_core.backend import Array

__all__ = ["NcclCommunicator"]


class NcclCommunicator(Collectives):
    """Everything of a communicator on NCCL except the reduction."""

    def send(self, data: Array | tuple[Array, ...], dest: int, tag: int) -> None:
        """See `CommunicatorBase`. A device array of more than `messages.EAGER` bytes is sent by NCCL.

        Before the first collective with device arrays, NCCL is not connected, and all arrays go through the host.

        With NCCL, later operations of this rank wait until `dest` receives. Two ranks that send each other large
        arrays, and receive only afterwards, wait forever: let one of them receive first.
        """
        arrays = data if isinstance(data, tuple) else tuple(data) if isinstance(data, list) else (data,)
        check_arrays("send", *arrays)
        self._check_rank("dest", dest)
        self._check_device(*arrays)
        self._alive("send")

        def by_nccl(array: Any) -> None:
            with self._now("send", array) as lane:
                memory = lane.keep(flat_bytes(array))
                self._the_handle.send(memory.data.ptr, len(memory), UINT8, dest, lane.ptr)

        connected = self._handle is not None
        self._messages.send(arrays, isinstance(data, (tuple, list)), dest, tag, by_nccl if connected else None)

    def recv(self, source: int, tag: int) -> Any:
        """See `CommunicatorBase`. A device array arrives on this rank's device."""
        self._check_rank("source", source)
        self._alive("recv")

        def by_nccl(shape: tuple[int, ...], dtype: str) -> Any:
            with self._now("recv") as lane:
                found = lane.empty(shape, dtype)
                self._the_handle.recv(found.data.ptr, nbytes((shape, dtype)), UINT8, source, lane.ptr)
            return found

        is_tuple, contents = self._messages.recv(source, tag, by_nccl)
        arrays = tuple(self._delivered(device, array) for device, array in contents)
        return arrays if is_tuple else arrays[0]

    def _delivered(self, backend: str, array: Any) -> Any:
        """Return received arrays in the library of the sender."""
        if is_on_device(array) or backend == "numpy":
            return array
        index = self._device if self._device is not None else current_device()
        return get_device(f"cupy:{index}" if backend == "cupy" else backend).send(array)
