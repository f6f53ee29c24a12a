"""`renga evaluate`: metrics of a trained network on the test data."""

from __future__ import annotations

from collections.abc import Sequence

from renga.run.evaluating import evaluate
from renga_core.command_line import Parser

from .output import print_json, print_table
from .trained import add_arguments, loaded

__all__ = ["run"]


def run(argv: Sequence[str]) -> int:
    """Run ``renga evaluate RUN [options]``."""
    parser = Parser("renga evaluate", "Evaluate a trained network on the test data of its run.")
    add_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_all(argv)
    with loaded(arguments) as trained:
        figures, number = evaluate(trained)
    if arguments.json:
        print_json({"weights": trained.weights, "examples": number, **figures})
        return 0
    print_table(
        [
            ("weights", trained.weights),
            ("data", f"{trained.description.data.use}, {number} examples to test"),
            *((name.replace("_", " "), f"{value:.6g}") for name, value in figures.items()),
        ]
    )
    return 0
