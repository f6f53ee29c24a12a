"""Collectives of objects, and barriers."""

from __future__ import annotations

import time

from renga_core.communicator import CommunicatorBase, MismatchError


def objects(comm: CommunicatorBase, device: str) -> None:
    """Collectives of objects work as those of arrays do."""
    mine = {"rank": comm.rank, "list": [comm.rank] * 3}
    for root in range(comm.size):
        found = comm.bcast_obj(mine, root=root)
        assert found == {"rank": root, "list": [root] * 3}, f"bcast_obj returned {found!r}"
        gathered = comm.gather_obj(comm.rank, root)
        right = list(range(comm.size)) if comm.rank == root else None
        assert gathered == right, f"gather_obj returned {gathered!r} instead of {right!r}"
    everybody = comm.allgather_obj("x" * comm.rank)
    lengths = ["x" * rank for rank in range(comm.size)]
    assert everybody == lengths, f"allgather_obj returned {everybody!r} instead of {lengths!r}"
    total = comm.allreduce_obj([comm.rank])
    assert total == list(range(comm.size)), f"allreduce_obj returned {total!r}: it must add in the order of ranks"
    words = comm.allreduce_obj(f"{comm.size - comm.rank} ")
    in_order = "".join(f"{comm.size - rank} " for rank in range(comm.size))
    assert words == in_order, f"allreduce_obj returned {words!r} instead of {in_order!r}"
    lists = comm.allgather_obj([comm.rank])
    lists[0].append("changed by one rank")
    comm.barrier()
    changed = lists[0][1:]
    assert changed == ["changed by one rank"], f"changes of received objects on one rank are visible on others: {lists}"
    if comm.rank == 0:
        comm.send_obj(mine, comm.size - 1, 7)
    if comm.rank == comm.size - 1:
        received = comm.recv_obj(0, 7)
        assert received == {"rank": 0, "list": [0] * 3}, f"recv_obj returned {received!r}"


def barrier(comm: CommunicatorBase, device: str) -> None:
    """No rank leaves a barrier before all ranks have reached it."""
    for late in {0, comm.size - 1}:
        if comm.rank == late:
            time.sleep(0.1)
        came = time.time()
        comm.barrier()
        left = time.time()
        times = comm.allgather_obj((came, left))
        early = min(left for _, left in times) - max(came for came, _ in times)
        assert early > -0.02, "a rank left the barrier before the last rank reached it"


def agreement(comm: CommunicatorBase, device: str) -> None:
    """`agree` returns if all ranks have the same value; otherwise it raises on every rank, with all values."""
    comm.agree("this", {"of": [1, "two"]})
    if comm.size > 1:
        for odd in range(comm.size):
            said = [("this", {"of": rank == odd}) for rank in range(comm.size)]
            error = None
            try:
                comm.agree(*said[comm.rank])
            except MismatchError as raised:
                error = raised
            assert error is not None, f"agree raised nothing, although rank {odd} passed another value"
            assert error.given == said, f"agree raised with {error.given!r}; ranks gave {said!r}"
            assert error.rank == comm.rank, f"agree raised for rank {error.rank} on rank {comm.rank}"
    total = comm.allreduce_obj(1)
    assert total == comm.size, f"after a disagreement, allreduce_obj of ones returned {total!r}"
