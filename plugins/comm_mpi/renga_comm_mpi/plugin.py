"""What the plugin ``mpi`` provides."""

from renga_core.plugin import Provider, hookimpl


@hookimpl
def renga_communicators() -> list[Provider]:
    """Communicators between processes that ``mpiexec`` has started."""
    return []
