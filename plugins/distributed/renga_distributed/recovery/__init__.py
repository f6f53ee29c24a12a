"""Training that goes on when ranks die."""

from renga_distributed.recovery.building import build_and_run
from renga_distributed.recovery.training import TrainerRecovery

__all__ = ["TrainerRecovery", "build_and_run"]
