"""Arguments that `renga evaluate`, `renga predict` and `renga export` share."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from renga.run.trained import Trained, load_trained, using_run_folder
from renga_core.command_line import Parser, assignment, word

__all__ = ["OF_RUNS", "WEIGHTS", "add_arguments", "add_settings", "loaded", "words"]

OF_RUNS = ("best", "last")
WEIGHTS = "best: the best weights, if the run kept them (run.keep_best or snapshot_best); last: the newest weights"


def add_arguments(parser: Parser) -> None:
    """Add the arguments that choose the run, its weights and the backend."""
    parser.add_argument("run", metavar="RUN", type=word, help="folder with the results of `renga train`")
    parser.add_argument("--weights", choices=OF_RUNS, default="best", help=WEIGHTS)
    add_settings(parser)


def add_settings(parser: Parser) -> None:
    """Add the arguments for the backend and for other settings."""
    parser.add_argument("--backend", type=word, metavar="NAME", help="backend to compute on: numpy, cupy:0, …")
    parser.add_argument(
        "--set", action="append", type=assignment, default=[], metavar="KEY=VALUE", help="change a setting of the run"
    )


@contextmanager
def loaded(arguments: argparse.Namespace) -> Iterator[Trained]:
    """Load the network that the arguments name, ready to compute while the block runs."""
    with using_run_folder(arguments.run, words(arguments)) as run:
        trained = load_trained(run, arguments.run, arguments.weights)
        with trained.using():
            yield trained


def words(arguments: argparse.Namespace) -> dict[str, tuple[str, Any]]:
    """The settings of the command line."""
    found: dict[str, tuple[str, Any]] = {key: (f"--set {key}", value) for key, value in arguments.set}
    if arguments.backend is not None:
        found["run.backend"] = ("--backend", arguments.backend)
    return found
