"""Opens a port and runs a server on it, for both commands of this package."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING

from renga_core.command_line import Parser, UsageError, word
from renga_core.errors import RengaError

if TYPE_CHECKING:
    from starlette.applications import Starlette

__all__ = ["add_address", "check_port", "require_server", "serve_at"]


def require_server(command: str) -> None:
    """Raise RengaError, with the command that installs the extra ``serve``, if one of its modules is missing."""
    for name in ("uvicorn", "starlette", "python_multipart"):
        if find_spec(name) is None:
            raise RengaError(
                f"renga {command} needs the module {name!r}, which is not installed.\nNext: pip install 'renga[serve]'"
            )


def add_address(parser: Parser, port: int) -> None:
    """Add the options ``--host`` and ``--port``."""
    parser.add_argument("--host", type=word, default="127.0.0.1", help="address to listen on (default: this machine)")
    parser.add_argument("--port", type=int, default=port, help=f"port; 0 takes a free one (default: {port})")


def check_port(port: int) -> None:
    """Raise UsageError if the port number is out of range."""
    if not 0 <= port < 65536:
        raise UsageError(f"--port must be from 0 to 65535, not {port}.")


def serve_at(host: str, port: int, application: Starlette, announce: Callable[[str], None], most: int) -> int:
    """Serve an application until a signal ends it.

    Args:
        host: Address to listen on.
        port: Port number; 0 takes a free port.
        application: ASGI application that answers the requests.
        announce: Called with the URL once the port is open.
        most: Largest number of simultaneous connections.

    Returns:
        The exit status.

    Raises:
        RengaError: The address is in use or not an address of this machine.
    """
    import uvicorn

    with _bound(host, port) as listening:
        host, port = listening.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        announce(f"http://{shown}:{port}/")
        server = uvicorn.Server(
            uvicorn.Config(
                application,
                log_level="warning",
                timeout_keep_alive=5,
                timeout_graceful_shutdown=5,
                limit_concurrency=most,
            )
        )
        try:
            server.run(sockets=[listening])
        except KeyboardInterrupt:  # Uvicorn raises the signal again after its shutdown
            return 128 + signal.SIGINT
    return 0


def _bound(host: str, port: int) -> socket.socket:
    """Return a listening socket."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise RengaError(
            f"cannot listen on {host}, port {port}: {error.strerror or error}.\n"
            "Next: choose another port with --port (0 takes a free one), or another address with --host."
        ) from error
