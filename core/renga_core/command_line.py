"""The parser of commands (kind ``command``): its errors take one line and suggest the nearest option."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn

from renga_core.errors import RengaError, did_you_mean

__all__ = ["Parser", "UsageError", "assignment", "word"]


class UsageError(RengaError):
    """The command line cannot be understood."""

    exit_status = 2


class Parser(argparse.ArgumentParser):
    """`argparse.ArgumentParser` that raises `UsageError`, where argparse prints the usage and exits.

    Options cannot be abbreviated: a script that uses ``--back`` would break once ``--backup`` is added.
    """

    def __init__(self, prog: str, description: str, add_help: bool = True) -> None:
        super().__init__(prog=prog, description=description, add_help=add_help, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError` with argparse's message, without Python's names of types, and where to read more."""
        message = message.replace("invalid int value: ", "expected an integer, got ")
        message = message.replace("invalid float value: ", "expected a number, got ")
        raise UsageError(f"{message}. See '{self.prog} --help'.")

    def parse_all(self, argv: Sequence[str], intermixed: bool = False) -> argparse.Namespace:
        """Parse `argv`.

        Args:
            argv: The arguments.
            intermixed: Whether options may appear between positional arguments: ``RUN --out FILE A B``.

        Raises:
            UsageError: An argument is unknown, missing or invalid.
        """
        arguments, rest = (self.parse_known_intermixed_args if intermixed else self.parse_known_args)(argv)
        if rest:
            options = [option for action in self._actions for option in action.option_strings]
            asked = "--backend" if rest[0].partition("=")[0] in ("--device", "--gpu", "-d", "-g") else rest[0]
            near = did_you_mean(asked, options) if asked.startswith("-") else ""
            raise UsageError(f"unrecognized argument '{rest[0]}'.{near} See '{self.prog} --help'.")
        return arguments


def assignment(text: str) -> tuple[str, str]:
    """Read ``key=value``, as an argparse type."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise argparse.ArgumentTypeError(f"expected KEY=VALUE, got '{text}'")
    return key.strip(), value.strip()


def word(text: str) -> str:
    """Read text that is not empty, as an argparse type, so that an unset variable in a script is noticed."""
    if not text.strip():
        raise argparse.ArgumentTypeError("expected a word, got ''")
    return text
