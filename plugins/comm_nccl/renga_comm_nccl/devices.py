"""Chooses the device of a rank, and checks that no other rank uses it."""

from __future__ import annotations

import os
import socket

from renga_core.backend import default_device
from renga_core.communicator import CommunicatorBase

__all__ = ["current_device", "refuse_shared_device"]

_SEVERAL = "NCCL_MULTI_RANK_GPU_ENABLE"
"""If this variable is 1, NCCL (from 2.30) allows several ranks on one device."""


def current_device() -> int:
    """Return the device for received arrays if no array was given: that of `using_device`, or CuPy's current one."""
    import cupy

    device = default_device()
    return device.index if device.backend.name == "cupy" else int(cupy.cuda.Device().id)


def refuse_shared_device(host: CommunicatorBase, index: int) -> None:
    """Check that each rank has its own device. Collective.

    Raises:
        ValueError: Two ranks use one device; raised on every rank.
    """
    import cupy

    place = (socket.gethostname(), str(cupy.cuda.Device(index).pci_bus_id))
    users: dict[tuple[str, str], list[int]] = {}
    for rank, one in enumerate(host.allgather_obj(place)):
        users.setdefault(one, []).append(rank)
    if os.environ.get(_SEVERAL) == "1":
        return
    for (name, bus), ranks in users.items():
        if len(ranks) > 1:
            raise ValueError(
                f"ranks {', '.join(map(str, ranks))} use one device of {name} (PCI {bus}); NCCL needs one device "
                "per rank. Next: choose it by rank before sending arrays: f'cupy:{communicator.intra_rank}', or give "
                "each process its own by RENGA_OWN_DEVICE=0,1,2,3 (if ranks may die, only that is safe), and "
                f"start no more ranks than there are devices; this is rank {host.rank}, on cupy:{index}"
            )
