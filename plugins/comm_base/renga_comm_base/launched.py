"""Whether a launcher started this process as one of several."""

from __future__ import annotations

import os
from typing import NamedTuple

__all__ = ["Launched", "launched"]

_LAUNCHERS = (
    ("RENGA_SIZE", "RENGA_RANK"),
    ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
    ("PMI_SIZE", "PMI_RANK"),
    ("MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"),
    ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
)


class Launched(NamedTuple):
    """How this process was started, as one of several."""

    rank: int
    size: int


def launched() -> Launched:
    """What a launcher (``mpiexec``, ``srun``, ``local``) says by the environment; rank 0 of 1 without one."""
    for size, rank in _LAUNCHERS:
        if os.environ.get(size, "").isdigit() and os.environ.get(rank, "").isdigit():
            return Launched(int(os.environ[rank]), int(os.environ[size]))
    return Launched(0, 1)
