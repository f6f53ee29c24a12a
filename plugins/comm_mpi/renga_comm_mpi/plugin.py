"""What the plugin ``mpi`` provides."""

from renga_core.plugin import Provider, hookimpl

_SUMMARIES = {
    "naive": "MPI: one gradient at a time, between all ranks; for debugging",
    "flat": "MPI: all gradients in one block, between all ranks",
}


@hookimpl
def renga_communicators() -> list[Provider]:
    """Communicators between processes that ``mpiexec`` has started."""
    return [
        Provider(
            name=name,
            target=f"renga_comm_mpi.{name}:{name.title().replace('_', '')}Communicator",
            revision=1,
            summary=summary,
            needs=("mpi4py",),
            install_hint="pip install 'renga[mpi]'",
            capabilities=frozenset({"ranks"}),
        )
        for name, summary in _SUMMARIES.items()
    ]
