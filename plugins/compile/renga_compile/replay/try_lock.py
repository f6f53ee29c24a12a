"""A lock without waiting, which Ctrl-C cannot leave locked."""

from __future__ import annotations

__all__ = ["TryLock"]


class TryLock:
    """A lock that knows its holder, so that releasing it twice, or without holding it, does no harm.

    A `KeyboardInterrupt` can come between any two instructions: between ``acquire()`` and the following ``try``, or in
    the ``finally``. With this lock `acquire` is inside the ``try``, and `release` is called twice::

        holder = object()
        try:
            try:
                if lock.acquire(holder):
                    ...
            finally:
                lock.release(holder)
        finally:
            lock.release(holder)
    """

    __slots__ = ("_holders",)

    def __init__(self) -> None:
        self._holders: dict[str, object] = {}

    def acquire(self, holder: object) -> bool:
        """Whether `holder` has the lock now: `setdefault` of a dictionary is atomic."""
        return self._holders.setdefault("holder", holder) is holder

    def release(self, holder: object) -> None:
        """Release the lock if `holder` has it."""
        if self._holders.get("holder") is holder:
            del self._holders["holder"]

    def locked(self) -> bool:
        """Whether the lock is held."""
        return bool(self._holders)
