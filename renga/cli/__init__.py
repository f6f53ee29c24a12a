"""The command line: `renga COMMAND …`.

- `main`: finds the command among the providers of kind ``command`` and runs it; says errors without a traceback.
- `plugin`: Renga's own commands, described as any plugin describes its commands.
- `check`, `config`, `doctor`, `kernels`, `new`, `plugins`, `train`: one module a command, each a `run(argv) -> int`.
- `parser`, `output`: what the commands share.
"""

from .main import main

__all__ = ["main"]
