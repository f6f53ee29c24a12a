"""What can go wrong while examples are made by other processes."""

from __future__ import annotations

from renga_core.errors import RengaError

__all__ = ["StalledDatasetWarning", "WorkerDied"]


class WorkerDied(RengaError):
    """A process that makes examples has ended without being asked to.

    No example is lost: the iterator is where it was, and its next call starts new processes.
    """


class StalledDatasetWarning(RuntimeWarning):
    """A batch has been waited for longer than `dataset_timeout` seconds."""
