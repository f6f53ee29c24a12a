"""NCCL's communicator of a group that has changed, made from the earlier one if that is possible."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from typing import NamedTuple

from renga_comm_nccl import watchdog
from renga_comm_nccl.calls import NcclError, nccl
from renga_comm_nccl.handle import Handle
from renga_comm_nccl.stream import Queued
from renga_core.communicator import CommunicatorBase, RankFailed

__all__ = ["GROW", "KEEP", "NEW", "SHRINK", "Earlier", "connected", "way"]

KEEP, SHRINK, GROW, NEW = "keep", "shrink", "grow", "new"


class Earlier(NamedTuple):
    """A rank's place in its earlier NCCL communicator.

    Attributes:
        key: Identifies that communicator.
        rank, size: Its rank there, and the number of ranks.
        healthy: Nothing has failed or was stopped there.
    """

    key: bytes
    rank: int
    size: int
    healthy: bool


def way(earlier: Sequence[Earlier | None], offers: frozenset[str]) -> str:
    """Decide how to connect the devices of a group; the same on all ranks.

    Args:
        earlier: The earlier place of each rank of the new group; None if it has none, or cannot use it.
        offers: Ways that NCCL offers on all ranks: `SHRINK`, `GROW`.
    """
    known = [one for one in earlier if one is not None]
    if not known or len({(one.key, one.size) for one in known}) > 1:
        return NEW
    ranks, size = [one.rank for one in known], known[0].size
    healthy = all(one.healthy for one in known)
    if len(known) == len(earlier):
        if len(ranks) == size:
            return KEEP if healthy and ranks == list(range(size)) else NEW
        return SHRINK if SHRINK in offers and ranks == sorted(ranks) else NEW
    at_end = None not in earlier[: len(known)]
    return GROW if GROW in offers and healthy and at_end and ranks == list(range(size)) else NEW


def connected(host: CommunicatorBase, old: Handle | None, key: bytes, loss: Callable[[], str]) -> tuple[Handle, bytes]:
    """Return NCCL's communicator for the ranks of `host`, with a new key. Collective; the device must be current.

    Args:
        host: Connects the same ranks.
        old: The earlier communicator of this rank; it is ended unless it is kept.
        key: Its key.
        loss: Returns the reason to stop waiting for other ranks.

    Raises:
        NcclError: NCCL cannot connect the ranks.
        RankFailed: A rank has died meanwhile, or did not come in time.
    """
    library = nccl()
    offers = {SHRINK} if library.has("ncclCommShrink") else set()
    offers |= {GROW} if library.has("ncclCommGrow") else set()
    usable = None if old is None or old.ended else Earlier(key, old.rank, old.size, not (old.aborted or old.error()))
    told = host.allgather_obj((usable, offers, secrets.token_bytes(8)))
    new_key: bytes = told[0][2]
    earlier = [one for one, _, _ in told]
    chosen = way(earlier, frozenset.intersection(*(frozenset(one) for _, one, _ in told)))
    if chosen == KEEP:
        assert old is not None
        return old, new_key
    made = None
    if chosen == SHRINK and old is not None:
        made = _shrunk(host, old, [one.rank for one in earlier], loss)
    elif chosen == GROW:
        made = _grown(host, old, loss)
    if old is not None:
        old.abort("another communicator has replaced it")
    if made is None:
        unique_id = host.bcast_obj(library.unique_id() if host.rank == 0 else None)
        made = Handle.make(library, unique_id, host.rank, host.size, loss)
    return made, new_key


def _shrunk(host: CommunicatorBase, old: Handle, left: Sequence[int], loss: Callable[[], str]) -> Handle | None:
    excluded = [rank for rank in range(old.size) if rank not in left]
    return _on_all(host, old, "ncclCommShrink", lambda: old.shrink(excluded), loss)


def _grown(host: CommunicatorBase, old: Handle | None, loss: Callable[[], str]) -> Handle | None:
    growth_id = host.bcast_obj(old.growth_id() if host.rank == 0 and old is not None else None)
    if old is None:
        return _on_all(
            host, None, "ncclCommGrow", lambda: Handle.join(nccl(), growth_id, host.rank, host.size, loss), loss
        )
    given = growth_id if host.rank == 0 else None
    return _on_all(host, old, "ncclCommGrow", lambda: old.grow(host.size, given), loss)


def _on_all(
    host: CommunicatorBase, old: Handle | None, what: str, make: Callable[[], Handle], loss: Callable[[], str]
) -> Handle | None:
    """Return what `make` makes, or None if it fails on any rank. Collective.

    The watchdog aborts the earlier communicator if `make` waits for a dead rank.
    """
    made = None
    try:
        if old is not None:
            watchdog.watch(old, what, lambda handle, why: handle.abort(why), loss)
            watchdog.expect(old, Queued(what, captured=False, device=-1))
        made = make()
    except (NcclError, RankFailed):
        pass
    finally:
        if old is not None:
            watchdog.forget(old)
    if all(host.allgather_obj(made is not None)):
        return made
    if made is not None:
        made.abort("other ranks could not make it")
    return None
