"""`renga config`: every setting, its value and where the value comes from."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from renga.run.shipped import read_run
from renga.run.toml import dumps_value
from renga_core.command_line import Parser, assignment
from renga_core.settings import SCHEMA, all_settings, using_command_line, using_run_file

from .output import print_json, print_table

__all__ = ["run"]


def run(argv: Sequence[str]) -> int:
    """Run ``renga config [FILE.toml | NAME] [--set KEY=VALUE] [--keys] [--json]``."""
    parser = Parser("renga config", "List every setting with its value and where the value comes from.")
    parser.add_argument("run", nargs="?", metavar="FILE.toml | NAME", help="include the settings of this run file")
    parser.add_argument(
        "--set", action="append", type=assignment, default=[], metavar="KEY=VALUE", help="change a setting"
    )
    parser.add_argument("--keys", action="store_true", help="describe each key instead of showing values")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_all(argv)
    if arguments.keys:
        return _explain(arguments.json)
    with ExitStack() as layers:
        if arguments.run:
            layers.enter_context(using_run_file(read_run(arguments.run)))
        layers.enter_context(using_command_line({key: (f"--set {key}", value) for key, value in arguments.set}))
        found = all_settings()
    if arguments.json:
        print_json([setting._asdict() for setting in found])
        return 0
    table = [(key, "-" if value is None else dumps_value(value), origin) for key, value, origin in found]
    print_table(table, head=("KEY", "VALUE", "FROM"))
    return 0


def _explain(as_json: bool) -> int:
    if as_json:
        print_json([{"key": row.name, "environment": row.environment, "help": row.help} for row in SCHEMA])
    else:
        table = [(row.name, row.environment or "-", row.help) for row in SCHEMA]
        print_table(table, head=("KEY", "ENVIRONMENT", "ABOUT"))
    return 0
