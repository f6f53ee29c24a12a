"""What the plugin ``nccl`` registers. Imports neither CuPy nor NCCL."""

from renga_core.plugin import Provider, hookimpl

_OFFERS = {
    "pure_nccl": ("pure:PureNcclCommunicator", "NCCL between all devices"),
    "resilient_nccl": (
        "resilient.communicator:ResilientNcclCommunicator",
        "NCCL between all devices; continues when ranks die",
    ),
    "nccl_hierarchical": (
        "across_machines:NcclHierarchicalCommunicator",
        "NCCL inside a machine; one rank of each sends to others, through the host",
    ),
    "nccl_two_dimensional": (
        "across_machines:NcclTwoDimensionalCommunicator",
        "NCCL inside a machine; each rank sends its part to others, through the host",
    ),
}


@hookimpl
def renga_communicators() -> list[Provider]:
    """Communicators between devices, and between hosts without MPI."""
    by_nccl = [
        Provider(
            name=name,
            target=f"renga_comm_nccl.{target}",
            revision=1,
            summary=summary,
            needs=("cupy",),
            probe="renga_comm_nccl.probing:why_no_nccl",
            install_hint="pip install 'renga[cuda13,nccl13]' (or 'renga[cuda12,nccl12]', for a driver of CUDA 12)",
            capabilities=frozenset({"ranks", "fault_tolerant"} if name == "resilient_nccl" else {"ranks"}),
            launcher="local",
        )
        for name, (target, summary) in _OFFERS.items()
    ]
    tcp = Provider(
        name="tcp",
        target="renga_comm_nccl.tcp.communicator:TcpCommunicator",
        revision=1,
        summary="TCP through one process, without MPI; for objects and small host arrays",
        capabilities=frozenset({"ranks"}),
        launcher="local",
    )
    return [*by_nccl, tcp]


@hookimpl
def renga_launchers() -> list[Provider]:
    """The launcher for processes of this machine."""
    return [
        Provider(
            name="local",
            target="renga_comm_nccl.tcp.launching:launch",
            revision=1,
            summary="processes of this machine, without MPI",
            capabilities=frozenset({"fault_tolerant"}),
        )
    ]


@hookimpl
def renga_doctor_checks() -> list[Provider]:
    """The check of NCCL."""
    return [Provider("nccl", "renga_comm_nccl.doctor:check", 1, "NCCL's library; driver, peer access and MIG of GPUs")]
