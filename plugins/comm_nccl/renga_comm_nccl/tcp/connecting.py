"""Connects to the store, and runs it in rank 0's process if no launcher does."""

from __future__ import annotations

import atexit
import os
import socket
import sys
import time
from functools import cache
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client
from typing import Any

from renga_comm_nccl.tcp.address import STORE, Address, place_of_this_process
from renga_comm_nccl.tcp.store import Store
from renga_core.communicator import RankFailed
from renga_core.errors import RengaError
from renga_core.settings import lookup

__all__ = ["connect", "node_of", "run_store"]

_CONNECT = 120.0
"""Time in seconds in which a rank tries to connect to the store."""
_ATTEMPT = 0.05
_LAST = 10.0
"""Time in seconds that the process of the store waits for the others at its end."""
_LAST_WORDS = 3.0
"""The same after an error: others learn of it at their next call."""


def node_of(rank: int) -> str:
    """Name shared by all processes of one machine; the setting ``distributed.ranks_per_node`` overrides it."""
    pretended = lookup("distributed.ranks_per_node").value
    if pretended is not None:
        address = place_of_this_process()
        return f"pretended {(rank if address is None else address.rank) // pretended}"
    return socket.gethostname()


def connect(address: Address) -> Any:
    """A connection to the store.

    Raises:
        RankFailed: There is no answer.
        RengaError: The key is wrong.
    """
    deadline = time.monotonic() + _CONNECT
    while True:
        try:
            return Client(address.store, authkey=address.key)
        except AuthenticationError:
            raise RengaError(
                "RENGA_STORE_KEY is not the key of the store. Next: set it to the same value on all ranks"
            ) from None
        except (OSError, EOFError) as error:
            if time.monotonic() > deadline:
                raise RankFailed(
                    f"rank {address.rank} of {address.size}: no store answers at {address.store} in {_CONNECT:g} s: "
                    f"{error}. Next: has rank 0 been started, and can its machine be reached from here at that port?"
                ) from None
            time.sleep(_ATTEMPT)


@cache
def run_store(address: Address) -> None:
    """Run the store in this process until it ends.

    Raises:
        RengaError: This process cannot listen at the address.
    """
    try:
        store = Store(address.store, address.key, float(lookup("distributed.timeout").value))
    except OSError as error:
        raise RengaError(
            f"rank 0 cannot listen at {STORE}={os.environ.get(STORE)}: {error}. Next: set {STORE}, on all ranks, to "
            "the name or address of rank 0's machine and a port that is free there"
        ) from None

    def close() -> None:
        failed = getattr(sys, "last_type", None) is not None
        store.close(_LAST_WORDS if failed else _LAST)

    atexit.register(close)
