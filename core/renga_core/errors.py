"""The base class of Renga's errors, and the suggestion «Did you mean …?»."""

from __future__ import annotations

import copyreg
from collections.abc import Iterable
from typing import Any

__all__ = ["RengaError", "did_you_mean"]


class RengaError(Exception):
    """An error that the user can fix. Its message says what was asked, where it came from, what exists, and what to do.

    The command line prints it without a traceback and exits with `exit_status`.
    """

    exit_status: int = 1

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickle would call `__init__` with the message alone. This keeps class, attributes and notes across processes,
        # whatever the arguments of `__init__`.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]  # NEWOBJ's


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean 'adam'?" (with leading space) with the names nearest to `name`, or "" if none is near.

    A section that all names share (``run.`` in ``run.seed``, ``run.out``) is ignored in the comparison.
    """
    import difflib  # imported only after an error, not by `import renga`

    names = sorted(set(known))
    section = "".join(name.rpartition(".")[:2])
    if all(word.startswith(section) for word in names):
        name, names = name.removeprefix(section), [word.removeprefix(section) for word in names]
    else:
        section = ""

    near = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    if near:  # only those that are about as near as the first
        likeness = difflib.SequenceMatcher(None, near[0], name).ratio()
        near = difflib.get_close_matches(name, near, n=3, cutoff=likeness - 0.1)
    return f" Did you mean {' or '.join(repr(section + word) for word in near)}?" if near else ""
