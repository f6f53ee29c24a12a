"""mpi4py's MPI, started as Renga wants it: modules of this package import MPI from here.

Where ranks are many for the cores, one that waits must let others run: `launching.crowded` says why. Open MPI reads
that from the environment as it starts, and that is when mpi4py is imported.
"""

from __future__ import annotations

import os

from renga_comm_mpi.launching import YIELD, crowded

__all__ = ["MPI"]

_ranks_here = os.environ.get("OMPI_COMM_WORLD_LOCAL_SIZE", "")
_alone = os.environ.get("OMPI_COMM_WORLD_SIZE", _ranks_here) == _ranks_here
if _ranks_here.isdigit() and crowded(int(_ranks_here), alone=_alone):
    os.environ.setdefault(YIELD, "1")

from mpi4py import MPI  # noqa: E402  (after what it reads)
