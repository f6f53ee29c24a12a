"""Errors and warnings of iterators whose examples are made by other processes."""

from __future__ import annotations

from renga_core.errors import RengaError

__all__ = ["StalledDatasetWarning", "WorkerDied"]


class WorkerDied(RengaError):
    """A worker process has ended unexpectedly.

    No example is lost: the iterator keeps its position, and its next call starts new processes.
    """


class StalledDatasetWarning(RuntimeWarning):
    """A batch is late by more than `dataset_timeout` seconds."""
