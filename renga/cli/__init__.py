"""The command line: `renga COMMAND …`.

- `command_line`: finds the command among the providers of kind ``command`` and runs it; prints errors without a
  traceback.
- `plugin`: describes Renga's own commands, as any plugin describes its commands.
- `check`, `config`, `doctor`, `kernels`, `new`, `plugins`, `train` …: one module for each command, with `run(argv) ->
  int`.
- `output`: shared by the commands; the argument parser is `renga_core.command_line`.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line, and return the exit status.

    The import is here, because `plugin` in this package is imported whenever plugins are loaded.

    Args:
        argv: Arguments after ``renga``; None: the arguments of this process.
    """
    from .command_line import main

    return main(argv)
