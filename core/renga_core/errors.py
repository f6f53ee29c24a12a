"""The root of Renga's own errors, and the words «Did you mean …?»."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["RengaError", "did_you_mean"]


class RengaError(Exception):
    """Something the user can put right: the message says what was asked, where it came from, what there is, what next.

    The command line prints such an error without a traceback; `exit_status` is what it exits with.
    """

    exit_status: int = 1


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean 'adam'?" (leading space included) with the names nearest to `name`, "" if none is near."""
    import difflib  # imported when something is wrong, not by `import renga`

    near = difflib.get_close_matches(name, sorted(set(known)), n=3, cutoff=0.6)
    return f" Did you mean {' or '.join(repr(word) for word in near)}?" if near else ""
