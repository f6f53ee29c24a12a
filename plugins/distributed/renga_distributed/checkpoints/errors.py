"""Why there is no going on from a checkpoint, or no saving one."""

from renga_core.errors import RengaError

__all__ = ["CheckpointError"]


class CheckpointError(RengaError):
    """A generation could not be written, or none can be gone on from. Every rank gets it."""
