"""The entry point: reads global options, chooses the command, and handles errors and interrupts."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentTypeError
from collections.abc import Sequence
from contextlib import redirect_stdout
from typing import Any

from renga_core.command_line import Parser, UsageError
from renga_core.kinds import COMMAND
from renga_core.plugin import registry
from renga_core.settings import lookup, using_command_line

from .docstrings import summary_of
from .output import print_error, print_table, warnings_in_one_line

__all__ = ["main"]

DESCRIPTION = "Define-by-run deep learning in which every part is a plugin."
OPTIONS = [
    ("-p no:NAME", "disable the plugin NAME, or one thing that it provides (PLUGIN:NAME); may be repeated"),
    ("--traceback", "print the traceback of an error"),
    ("--version", "print the version"),
]
RUNS_PROGRAMS = ("run-chainer", "launch")
"""Commands that run a user's program: the arguments after it belong to the program."""
INTERRUPTED = 130  # what a shell reports for a program ended by SIGINT


def main(argv: Sequence[str] | None = None) -> int:
    """Run `renga` with `argv` (default: the arguments of this process) and return the exit status.

    0: success; 1: failure; 2: the command line, a setting or a name is wrong; 130: interrupted.
    """
    argv = sys.argv[1:] if argv is None else argv
    own = _own(argv)
    try:
        arguments, rest = _parser().parse_known_args(argv[:own])
        with warnings_in_one_line(), using_command_line(_disable(arguments.plugin)):
            return _dispatch([*rest, *argv[own:]])
    except KeyboardInterrupt:
        print("renga: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has closed the pipe (`renga plugins list | head`). Python must not flush into it again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        print_error(error, with_traceback="--traceback" in argv[:own])
        return int(getattr(error, "exit_status", 1))


def _own(argv: Sequence[str]) -> int:
    """Return how many leading arguments may be global options: all, or those before a command of `RUNS_PROGRAMS`."""
    at = 0
    while at < len(argv) and argv[at].startswith("-"):
        at += 2 if argv[at] == "-p" else 1
    return at if at < len(argv) and argv[at] in RUNS_PROGRAMS else len(argv)


def _parser() -> Parser:
    # Without --help: if there is a command, that option belongs to the command.
    parser = Parser("renga", DESCRIPTION, add_help=False)
    parser.add_argument("-p", dest="plugin", metavar="no:NAME", action="append", type=_disabled)
    parser.add_argument("--traceback", action="store_true")
    return parser


def _disabled(text: str) -> str:
    command, _, name = text.partition(":")
    if command != "no" or not name:
        raise ArgumentTypeError(f"expected no:NAME, got '{text}'")
    return name


def _disable(names: Sequence[str] | None) -> dict[str, tuple[str, Any]]:
    """Return the settings that ``-p no:NAME`` means. Plugins disabled elsewhere stay disabled."""
    return {"plugins.disable": ("-p", (*lookup("plugins.disable").value, *names))} if names else {}


def _dispatch(argv: Sequence[str]) -> int:
    if argv and argv[0] == "--version":
        from importlib.metadata import version

        print(f"renga {version('renga')}")
        return 0
    if not argv or argv[0] in ("-h", "--help", "help"):
        _print_help()
        return 0
    if argv[0].startswith("-"):
        raise UsageError(f"unrecognized argument '{argv[0]}' before the command. See 'renga --help'.")
    with redirect_stdout(sys.stderr):  # loading plugins may print; that is not part of the command's output
        command = registry(COMMAND).load(argv[0], origin="command line")
    return command(argv[1:])


def _print_help() -> None:
    print(f"usage: renga [-p no:NAME] [--traceback] COMMAND …\n\n{DESCRIPTION}\n\nCommands:")
    with redirect_stdout(sys.stderr):
        commands = registry(COMMAND)
        found = [(f"  {name}", summary_of(commands.get(name))) for name in commands.names()]
    print_table(found)
    print("\nOptions, before or after the command:")
    print_table([(f"  {option}", meaning) for option, meaning in OPTIONS])
    print("\n'renga COMMAND --help' describes a command.")
