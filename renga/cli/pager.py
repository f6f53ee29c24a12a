"""Show long output in a pager, as git does, if standard output is a terminal and the output does not fit."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator

__all__ = ["paged"]


@contextlib.contextmanager
def paged() -> Iterator[None]:
    """Collect the output of the block, and show it with ``$RENGA_PAGER``, ``$PAGER`` or ``less -FRX`` on a terminal.

    A process started by a launcher may have a terminal but no keyboard: it prints without a pager.
    """
    from renga_comm_base.launched import launched

    if not sys.stdout.isatty() or launched().size > 1:
        yield
        return
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        yield
    lines = text.getvalue().count("\n")
    command = shlex.split(os.environ.get("RENGA_PAGER") or os.environ.get("PAGER") or "less -FRX")
    if lines < shutil.get_terminal_size().lines or not command or shutil.which(command[0]) is None:
        print(text.getvalue(), end="")
        return
    with contextlib.suppress(BrokenPipeError):
        subprocess.run(command, input=text.getvalue(), text=True, check=False)
