"""What the plugin ``mpi`` provides."""

from renga_core.plugin import Provider, hookimpl

_OFFERS = {
    "naive": ("messages:NaiveCommunicator", "MPI; one gradient at a time, for debugging"),
    "flat": ("messages:FlatCommunicator", "MPI; all gradients in one block"),
    "hierarchical": (
        "across_nodes:HierarchicalCommunicator",
        "MPI; shared memory inside a machine, one rank of each sends to others",
    ),
    "two_dimensional": (
        "across_nodes:TwoDimensionalCommunicator",
        "MPI; shared memory inside a machine, each rank sends its part to others",
    ),
    "single_node": ("across_nodes:SingleNodeCommunicator", "MPI; shared memory, on one machine"),
    "non_cuda_aware": (
        "across_nodes:NonCudaAwareCommunicator",
        "MPI; hierarchical, by ChainerMN's name for arrays that go by way of the host",
    ),
}


@hookimpl
def renga_communicators() -> list[Provider]:
    """Communicators between processes that ``mpiexec`` has started."""
    return [
        Provider(
            name=name,
            target=f"renga_comm_mpi.{target}",
            revision=1,
            summary=summary,
            needs=("mpi4py",),
            probe="renga_comm_mpi.probing:why_no_mpi",
            install_hint="pip install 'renga[mpi]'",
            capabilities=frozenset({"ranks"}),
            launcher="renga_comm_mpi.job:launch",
        )
        for name, (target, summary) in _OFFERS.items()
    ]
