"""``renga watch RUN``."""

from __future__ import annotations

from collections.abc import Sequence

from renga_core.command_line import Parser, word
from renga_serve.listening import add_address, check_port, require_server, serve_at

__all__ = ["run"]

_CONNECTIONS = 100


def run(argv: Sequence[str]) -> int:
    """Run ``renga watch RUN [--host ADDRESS] [--port PORT]`` until it is interrupted."""
    parser = Parser(
        "renga watch",
        "Show a run in the browser while it trains, or afterwards: curves, log, pictures and settings. The page "
        "updates itself. The command only reads the folder of the run.",
    )
    parser.add_argument("run", metavar="RUN", type=word, help="folder that `renga train` writes its results to")
    add_address(parser, 8010)
    arguments = parser.parse_all(argv)
    check_port(arguments.port)
    require_server("watch")
    from renga_serve.watch_app import application
    from renga_serve.watched_run import WatchedRun

    def announce(address: str) -> None:
        print(f"renga: {arguments.run} can be watched at {address} (Ctrl-C ends it)", flush=True)

    return serve_at(arguments.host, arguments.port, application(WatchedRun(arguments.run)), announce, _CONNECTIONS)
