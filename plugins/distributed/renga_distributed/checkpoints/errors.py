"""Errors of saving a checkpoint or resuming from one."""

from renga_core.errors import RengaError
from renga_core.serializers import FileDamaged

__all__ = ["CheckpointDamaged", "CheckpointError"]


class CheckpointError(RengaError):
    """A checkpoint could not be written, or there is none to resume from. Raised on every rank."""


class CheckpointDamaged(FileDamaged):
    """A rank's file of a generation is damaged or missing. Raised on every rank."""

    def __init__(self, file: str, iteration: int, problem: str) -> None:
        super().__init__(file, problem)
        self.args = (f"the checkpoint of iteration {iteration}: {problem}",)
