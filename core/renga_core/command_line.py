"""The parser of commands (kind ``command``), whose errors are Renga's: in one line, with the nearest right option."""

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
    """`argparse.ArgumentParser` that raises `UsageError` where that one prints its usage and exits.

    Options are not abbreviated: a script that says ``--back`` would break on the day ``--backup`` is added.
    """

    def __init__(self, prog: str, description: str, add_help: bool = True) -> None:
        super().__init__(prog=prog, description=description, add_help=add_help, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Raise `UsageError` with argparse's message and where to read more."""
        raise UsageError(f"{message}. See '{self.prog} --help'.")

    def parse_all(self, argv: Sequence[str], intermixed: bool = False) -> argparse.Namespace:
        """Parse `argv`.

        Args:
            argv: The words.
            intermixed: Whether options may stand between the arguments of a list: ``RUN --out FILE A B``.

        Raises:
            UsageError: A word is none of the options and arguments, or one of them is missing or wrong.
        """
        arguments, rest = (self.parse_known_intermixed_args if intermixed else self.parse_known_args)(argv)
        if rest:
            options = [option for action in self._actions for option in action.option_strings]
            near = did_you_mean(rest[0], options) if rest[0].startswith("-") else ""
            raise UsageError(f"unrecognized argument '{rest[0]}'.{near} See '{self.prog} --help'.")
        return arguments


def assignment(text: str) -> tuple[str, str]:
    """Read ``key=value``, as an argparse type."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise argparse.ArgumentTypeError(f"expected KEY=VALUE, got '{text}'")
    return key.strip(), value.strip()


def word(text: str) -> str:
    """Read text that is not empty, as an argparse type: a script's variable that is not set must not go unnoticed."""
    if not text.strip():
        raise argparse.ArgumentTypeError("expected a word, got ''")
    return text
