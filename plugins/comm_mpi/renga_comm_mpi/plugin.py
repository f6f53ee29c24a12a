"""What the plugin ``mpi`` provides."""

from renga_core.plugin import Provider, hookimpl

_OFFERS = {
    "naive": ("naive_and_flat:NaiveCommunicator", "MPI; one gradient at a time, for debugging"),
    "flat": ("naive_and_flat:FlatCommunicator", "MPI; all gradients in one block"),
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
    "resilient": (
        "resilient.communicator:ResilientCommunicator",
        "MPI; goes on when ranks die (renga launch --fault-tolerant)",
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
            capabilities=frozenset({"ranks", "fault_tolerant"} if name == "resilient" else {"ranks"}),
            launcher="mpi",
        )
        for name, (target, summary) in _OFFERS.items()
    ]


@hookimpl
def renga_launchers() -> list[Provider]:
    """``mpiexec``. It says itself what is missing, as its probe does, so it needs nothing here."""
    return [
        Provider(
            name="mpi",
            target="renga_comm_mpi.job:launch",
            revision=1,
            summary="mpiexec: processes that MPI connects, here or on other hosts",
            probe="renga_comm_mpi.launching:why_no_mpiexec",
            capabilities=frozenset({"hosts", "tag", "fault_tolerant"}),
        )
    ]


@hookimpl
def renga_doctor_checks() -> list[Provider]:
    """Two ranks here, or one on each host."""
    return [
        Provider("mpi", "renga_comm_mpi.self_test:check", 1, "One MPI for mpi4py and mpiexec; ranks, hosts, clocks")
    ]
