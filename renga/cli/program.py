"""The command line of a program that a user names, for `renga launch`."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from renga_core.errors import RengaError

__all__ = ["NoProgram", "find_program"]


class NoProgram(RengaError):
    """The program does not exist."""

    exit_status = 2


def find_program(program: Sequence[str]) -> list[str]:
    """Return the command that runs a program; Python programs run in this Python.

    Args:
        program: ``FILE.py …``, ``python …``, ``-m MODULE …``, ``renga COMMAND …``, or any other command. A folder with
            a ``__main__.py`` and an archive ``FILE.pyz`` count as Python. A leading ``--``, with which other launchers
            end their options, is removed.

    Raises:
        NoProgram: The program does not exist.
    """
    if program and program[0] == "--":
        program = program[1:]
    if not program or not program[0]:
        raise NoProgram("no program to run")
    name, *rest = program
    if name == "-m":
        if not rest:
            raise NoProgram("-m: no module to run")
        return [sys.executable, "-m", *rest]
    if name in ("python", "python3"):
        return [sys.executable, *rest]
    if name == "renga":
        return [sys.executable, "-m", "renga", *rest]
    path = Path(name)
    if path.suffix in (".py", ".pyz") or (path / "__main__.py").is_file():
        if not path.exists():
            raise NoProgram(f"there is no file {name!r}")
        return [sys.executable, name, *rest]
    if shutil.which(name) is None:
        there = f"; the file {name!r} is not executable" if path.exists() else ""
        raise NoProgram(f"there is no program {name!r}{there}")
    return [name, *rest]
