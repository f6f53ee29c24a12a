"""Whether MPI can be used."""

from __future__ import annotations

__all__ = ["why_no_mpi"]


def why_no_mpi() -> str | None:
    """Return why the installed mpi4py cannot start MPI (usually it finds no MPI library), or None."""
    try:
        from renga_comm_mpi.mpi import MPI  # noqa: F401  (importing starts it)
    except (ImportError, RuntimeError) as error:
        reason = str(error).partition("\n")[0]  # the other lines list the searched places
        return f"mpi4py is there, but finds no MPI library it can load: {reason}"
    return None
