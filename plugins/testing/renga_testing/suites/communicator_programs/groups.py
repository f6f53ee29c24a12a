"""Groups, and groups of groups."""

from __future__ import annotations

import numpy as np

from renga_core.backend import get_device
from renga_core.communicator import CommunicatorBase
from renga_testing.suites.communicator_programs.arrays import check


def split(comm: CommunicatorBase, device: str) -> None:
    """Ranks with the same colour form a group, ordered by keys; groups are independent of each other."""
    color = comm.rank % 2
    members = [rank for rank in range(comm.size) if rank % 2 == color][::-1]
    group = comm.split(color, -comm.rank)
    _check_group(group, members, comm.rank, device)
    if group.size > 1:  # a message in the group is not a message between the same ranks outside of it
        there, here = (group.rank + 1) % group.size, (group.rank - 1) % group.size
        group.send_obj("inside", there, 0)
        comm.send_obj("outside", members[there], 0)
        found = comm.recv_obj(members[here], 0), group.recv_obj(here, 0)
        assert found == ("outside", "inside"), f"messages in a group and outside of it are mixed up: {found}"
    group.finalize()
    same = comm.split(0, 0)
    _check_group(same, list(range(comm.size)), comm.rank, device)
    same.finalize()


def split_of_split(comm: CommunicatorBase, device: str) -> None:
    """A group can be divided again, and all groups stay usable."""
    half = comm.split(comm.rank // 2, comm.rank)
    members = [rank for rank in range(comm.size) if rank // 2 == comm.rank // 2]
    single = half.split(half.rank, 0)
    _check_group(single, [comm.rank], comm.rank, device)
    _check_group(half, members, comm.rank, device)
    _check_group(comm, list(range(comm.size)), comm.rank, device)
    single.finalize()
    half.finalize()


def finalizing(comm: CommunicatorBase, device: str) -> None:
    """`finalize` waits for running operations, and does not affect other groups."""
    group = comm.split(0, comm.rank)
    own = get_device(device).send(np.full(3, comm.rank, np.float32))
    requests = [group.imean([own]) for _ in range(3)]
    group.finalize()
    for request in requests:
        assert request.test(), "finalize returned before a running mean had ended"
        check(request.wait()[0], own, np.full(3, (comm.size - 1) / 2, np.float32), "a mean, after finalize")
    _check_group(comm, list(range(comm.size)), comm.rank, device)


def _check_group(group: CommunicatorBase, members: list[int], rank: int, device: str) -> None:
    assert group.size == len(members), f"the group has {group.size} ranks; it should have {len(members)}"
    assert members[group.rank] == rank, f"rank {rank} became {group.rank}, which is not the order of the keys"
    assert group.intra_size <= group.size, f"intra_size is {group.intra_size}, in a group of {group.size}"
    own = get_device(device).send(np.array([2.0**rank]))
    check(group.allreduce(own), own, np.array([sum(2.0**rank for rank in members)]), "allreduce in a group")
