"""Environment variables with the rank of a process, and the address of the store."""

from __future__ import annotations

import os
from typing import NamedTuple

from renga_comm_nccl.tcp.resilient.told import is_survivable
from renga_core.errors import RengaError

__all__ = ["KEY", "RANK", "SERVED", "SIZE", "STORE", "Address", "place_of_this_process", "variables_of_a_rank"]

RANK = "RENGA_RANK"
SIZE = "RENGA_SIZE"
STORE = "RENGA_STORE"
"""``HOST:PORT`` of rank 0's machine, or the path of a local socket."""
KEY = "RENGA_STORE_KEY"
"""A secret that all ranks share: anybody who knows it can make them run any code."""
SERVED = "RENGA_STORE_SERVED"
"""Set by a launcher that runs the store itself; without it, rank 0 runs the store."""


class Address(NamedTuple):
    """Rank of this process, and address of the store.

    Attributes:
        rank, size: Rank, and number of ranks. If ranks may die, later processes have higher numbers.
        store: Address for `multiprocessing.connection`: host and port, or a path.
        key: The secret.
        served: Whether another process runs the store.
    """

    rank: int
    size: int
    store: tuple[str, int] | str
    key: bytes
    served: bool


def variables_of_a_rank() -> bool:
    """Whether the environment makes this process a rank."""
    return RANK in os.environ


def place_of_this_process() -> Address | None:
    """Read the variables; return None if there are none: then this process is alone.

    Raises:
        RengaError: A variable is missing or wrong.
    """
    if not variables_of_a_rank():
        return None
    missing = [name for name in (SIZE, STORE, KEY) if not os.environ.get(name)]
    if missing:
        raise RengaError(
            f"{RANK} is set, and {', '.join(missing)} {'is' if len(missing) == 1 else 'are'} not. Next: start ranks by "
            f"`renga launch --communicator pure_nccl`, or set on each {RANK}, {SIZE}, {STORE}=HOST:PORT of rank 0 and "
            f"{KEY}, a secret that is the same on all"
        )
    rank, size = (_number(name) for name in (RANK, SIZE))
    if rank >= size and not is_survivable():
        raise RengaError(f"{RANK} is {rank} and {SIZE} is {size}; ranks go from 0 to {SIZE} - 1")
    return Address(rank, size, _store(os.environ[STORE]), os.environ[KEY].encode(), bool(os.environ.get(SERVED)))


def _number(name: str) -> int:
    text = os.environ[name]
    if not text.isdecimal():
        raise RengaError(f"{name} is {text!r}; it must be a whole number, 0 or more")
    return int(text)


def _store(text: str) -> tuple[str, int] | str:
    if text.startswith("/"):
        return text
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        raise RengaError(f"{STORE} is {text!r}; expected HOST:PORT, as in node7:29400, or a path that begins with /")
    return host, int(port)
