"""``renga serve RUN``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from renga_core.command_line import Parser, UsageError, word
from renga_serve.limits import Limits
from renga_serve.listening import add_address, check_port, require_server, serve_at

__all__ = ["run"]


def run(argv: Sequence[str]) -> int:
    """Run ``renga serve RUN [options]`` until it is interrupted."""
    arguments = _parser().parse_all(argv)
    limits = _limits(arguments)
    require_server("serve")
    from renga import load
    from renga_serve.app import application

    predictor = load(arguments.run, weights=arguments.weights, backend=arguments.backend)
    _try(predictor)
    predictor.freeze()

    def announce(address: str) -> None:
        print(f"renga: weights: {predictor.network.weights}")
        print(f"renga: serving at {address} (Ctrl-C ends it)", flush=True)

    # Allow more connections than waiting requests, so that /health and the page always answer.
    most = 2 * limits.waiting + 50
    return serve_at(arguments.host, arguments.port, application(predictor, limits), announce, most)


def _parser() -> Parser:
    parser = Parser(
        "renga serve",
        "Answer HTTP requests with the network that a run trained. The printed address is a page where you can try "
        "it in a browser; POST /predict takes a file and answers with JSON. There is no password and no "
        "encryption: if others can reach the service, put a web server in front of it.",
    )
    parser.add_argument("run", metavar="RUN", type=word, help="folder with the results of `renga train`")
    parser.add_argument("--weights", choices=("best", "last"), default="best", help="best or last (default: best)")
    parser.add_argument("--backend", type=word, metavar="NAME", help="backend to compute on: numpy, cupy:0, …")
    add_address(parser, 8000)
    default = Limits()
    for option, kind, what in (
        ("--max-bytes", int, f"largest body of a request in bytes (default: {default.request_bytes:,})"),
        ("--max-examples", int, f"most images or rows per request (default: {default.request_examples})"),
        (
            "--max-waiting",
            int,
            f"most waiting requests; further ones are refused (default: {default.waiting})",
        ),
        ("--seconds", float, f"time for a request to arrive, and to be computed (default: {default.seconds:g})"),
        ("--batch", int, f"most examples per batch (default: {default.batch})"),
    ):
        parser.add_argument(option, type=kind, metavar="N", help=what)
    return parser


def _limits(arguments: argparse.Namespace) -> Limits:
    """Return the limits that the command line sets."""
    given = {
        "request_bytes": arguments.max_bytes,
        "request_examples": arguments.max_examples,
        "waiting": arguments.max_waiting,
        "seconds": arguments.seconds,
        "batch": arguments.batch,
    }
    assert set(given) <= {field.name for field in fields(Limits)}
    if wrong := next((name for name, value in given.items() if value is not None and not value > 0), None):
        option = {"request_bytes": "max-bytes", "request_examples": "max-examples", "waiting": "max-waiting"}
        raise UsageError(f"--{option.get(wrong, wrong)} must be more than 0.")
    check_port(arguments.port)
    return Limits(**{name: value for name, value in given.items() if value is not None})


def _try(predictor: Any) -> None:
    """Raise RengaError at the start if the network takes no input that a request can contain."""
    from renga.training import Task

    task = predictor.task
    if task.preprocessing is None and type(task).generate is Task.generate:
        predictor.prepare(None)
