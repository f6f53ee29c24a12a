"""The command line: `renga COMMAND …`.

- `command_line`: finds the command among the providers of kind ``command`` and runs it; says errors without a
  traceback.
- `plugin`: Renga's own commands, described as any plugin describes its commands.
- `check`, `config`, `doctor`, `kernels`, `new`, `plugins`, `train`: one module a command, each a `run(argv) -> int`.
- `output`: what the commands share; the parser of their arguments is `renga_core.command_line`.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line, and return the exit status.

    It is imported now and not before, since `plugin` beside it is whenever somebody asks for a plugin.

    Args:
        argv: Arguments behind ``renga``; None: those of this process.
    """
    from .command_line import main

    return main(argv)
