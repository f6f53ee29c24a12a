"""The root of Renga's own errors, and the words «Did you mean …?»."""

from __future__ import annotations

import copyreg
from collections.abc import Iterable
from typing import Any

__all__ = ["RengaError", "did_you_mean"]


class RengaError(Exception):
    """Something the user can put right: the message says what was asked, where it came from, what there is, what next.

    The command line prints such an error without a traceback; `exit_status` is what it exits with.
    """

    exit_status: int = 1

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickle would call `__init__` with the message alone. So class, attributes and notes reach another process,
        # whatever `__init__` takes.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]  # NEWOBJ's


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return " Did you mean 'adam'?" (leading space included) with the names nearest to `name`, "" if none is near.

    A section that all names share (``run.`` in ``run.seed``, ``run.out``) does not count as likeness.
    """
    import difflib  # imported when something is wrong, not by `import renga`

    names = sorted(set(known))
    section = "".join(name.rpartition(".")[:2])
    if all(word.startswith(section) for word in names):
        name, names = name.removeprefix(section), [word.removeprefix(section) for word in names]
    else:
        section = ""

    def likeness(word: str) -> float:
        return difflib.SequenceMatcher(None, word, name).ratio()

    near = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    near = [word for word in near if likeness(word) > likeness(near[0]) - 0.1]
    return f" Did you mean {' or '.join(repr(section + word) for word in near)}?" if near else ""
