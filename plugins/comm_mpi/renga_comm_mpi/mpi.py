"""mpi4py's MPI with Renga's settings; modules of this package import MPI from here.

If there are more ranks than cores, waiting ranks must yield: see `launching.crowded`. Open MPI reads this from the
environment when mpi4py is imported. The import returns when all ranks are connected, or ends the rank after
``distributed.timeout`` (`connection_timeout`). Before it, one rank of each machine removes leftovers of killed jobs
(`leftovers`).
"""

from __future__ import annotations

import atexit
import os

from renga_comm_mpi.connection_timeout import guarded
from renga_comm_mpi.launching import YIELD, crowded
from renga_comm_mpi.leftovers import remove_leftovers
from renga_comm_mpi.resilient.told import note_connecting, told
from renga_core.settings import lookup

__all__ = ["MPI"]

_LAUNCHERS = (
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", "PMI_SIZE"),
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
)
_ranks_here = os.environ.get("OMPI_COMM_WORLD_LOCAL_SIZE", "")
_alone = os.environ.get("OMPI_COMM_WORLD_SIZE", _ranks_here) == _ranks_here
if _ranks_here.isdigit() and crowded(int(_ranks_here), alone=_alone):
    os.environ.setdefault(YIELD, "1")


def _rank_and_size() -> tuple[int, int]:
    """Return rank and size from the launcher's environment, before MPI is started."""
    for rank, size in _LAUNCHERS:
        if os.environ.get(rank, "").isdigit() and os.environ.get(size, "").isdigit():
            return int(os.environ[rank]), int(os.environ[size])
    return 0, 1


if os.environ.get("OMPI_COMM_WORLD_LOCAL_RANK", "0") == "0":
    remove_leftovers()
with note_connecting(), guarded(float(lookup("distributed.timeout").value), *_rank_and_size()):
    from mpi4py import MPI
if (_how := told()) is not None and _rank_and_size()[0] < _how.first_dormant:
    from renga_comm_mpi.resilient.awakening import tell

    atexit.register(tell, _how, begins=False)
