"""Accepts connections of processes that know the key."""

from __future__ import annotations

import os
import socket
import struct
from multiprocessing import AuthenticationError
from multiprocessing.connection import Connection, answer_challenge, deliver_challenge
from typing import Any

__all__ = ["accepted"]

_HANDSHAKE = 3
"""Time in seconds in which a client must show that it knows the key."""
_STALLED = 30
"""Time in seconds after which an incomplete message is given up."""


def accepted(server: socket.socket, key: bytes) -> Connection[Any, Any] | None:
    """Accept the next connection; return None if its process does not know the key."""
    connected, _ = server.accept()
    _limit_reading(connected, _HANDSHAKE)
    if connected.family == socket.AF_INET:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection: Connection[Any, Any] = Connection(os.dup(connected.fileno()))
    try:
        deliver_challenge(connection, key)
        answer_challenge(connection, key)
    except (OSError, EOFError, AuthenticationError):
        connection.close()
        return None
    finally:
        _limit_reading(connected, _STALLED)
        connected.close()
    return connection


def _limit_reading(connected: socket.socket, seconds: int) -> None:
    """Limit the time of reads from a socket, also through a copy of its file descriptor."""
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", seconds, 0))
