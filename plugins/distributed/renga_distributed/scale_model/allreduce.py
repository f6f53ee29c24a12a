"""The time to sum a buffer over all devices.

Each formula is for two levels, devices within nodes. It equals the formula for one level in the literature if each node
has one device, or if there is one node. The time of additions is part of the bandwidth, as in measured bandwidths.

- Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", J. Parallel Distrib.
  Comput. 69, 2009: the ring, and the lower bound of 2 (p - 1) / p of the buffer for any algorithm.
- Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", Int. J. High
  Perform. Comput. Appl. 19, 2005: trees, halving and doubling, and their costs.
- Rabenseifner, "Optimization of collective reduction operations", ICCS 2004.
- Chan, Heimlich, Purkayastha and van de Geijn, "Collective communication: theory, practice, and experience",
  Concurrency Computat.: Pract. Exper. 19, 2007: compositions of these.
- NCCL 2.28, ``ncclTopoTuneModel`` in ``src/graph/tuning.cc``: how NCCL estimates the time of its rings and trees.
- Mikami et al., "Massively distributed SGD: ImageNet/ResNet-50 training in a flash", 2018: two dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from renga_core.errors import did_you_mean

from .cluster import Cluster, Link

__all__ = ["ALGORITHMS", "allreduce_time"]

_NCCL_STARTS = 8.4e-6
"""Seconds that NCCL adds for each operation (``baseLatencies``, protocol "Simple")."""


def allreduce_time(algorithm: str, nbytes: float, devices: int, cluster: Cluster) -> float:
    """Return the seconds that an all-reduce of a buffer of `nbytes` on each of `devices` takes; 0 for one device.

    Args:
        algorithm: One of `ALGORITHMS`.

    Raises:
        ValueError: The algorithm is unknown, `nbytes` is negative, or there is no device.
    """
    if algorithm not in ALGORITHMS:
        raise ValueError(
            f"no all-reduce algorithm named {algorithm!r}.{did_you_mean(algorithm, ALGORITHMS)} "
            f"Known: {', '.join(ALGORITHMS)}"
        )
    if not nbytes >= 0:
        raise ValueError(f"a buffer has {nbytes} bytes; it cannot have less than 0")
    nodes, local = cluster.shape(devices)
    return 0.0 if devices == 1 else ALGORITHMS[algorithm](nbytes, nodes, local, cluster)


def _ring(nbytes: float, nodes: int, local: int, cluster: Cluster) -> float:
    """2 (p - 1) steps; in each, every device sends 1/p of the buffer to the next.

    Devices of a node are consecutive, so only one message leaves a node in a step. In each step, all devices wait for
    the slowest link.
    """
    devices = nodes * local
    used = [link for link, count in ((cluster.intra, local), (cluster.inter, nodes)) if count > 1]
    return 2 * (devices - 1) * max((link.time(nbytes / devices) for link in used), default=0.0)


def _tree(nbytes: float, nodes: int, local: int, cluster: Cluster) -> float:
    """A binomial tree of nodes, with a tree of devices in each: the whole buffer goes up to the root and down again."""
    return 2 * (_rounds(local) * cluster.intra.time(nbytes) + _rounds(nodes) * cluster.inter.time(nbytes))


def _halving_doubling(nbytes: float, nodes: int, local: int, cluster: Cluster) -> float:
    """Rabenseifner: partners exchange halves, then quarters, and so on, and return the sums in the same way.

    It starts within nodes; then each device of a node has its own share to exchange with devices of other nodes.
    """
    return _exchange(nbytes, local, cluster.intra) + _exchange(nbytes, nodes, cluster.inter)


def _hierarchical(nbytes: float, nodes: int, local: int, cluster: Cluster) -> float:
    """A sum in each node, on its first device; a ring of these devices; and copies to the other devices.

    In a node the buffer is sent along a chain, in pieces so small that filling the chain costs only latency.
    """
    chain = (local - 1) * cluster.intra.latency + nbytes / cluster.intra.bandwidth if local > 1 else 0.0
    return 2 * chain + _ring_of(nbytes, nodes, cluster.inter)


def _two_dimensional(nbytes: float, nodes: int, local: int, cluster: Cluster) -> float:
    """Rings in nodes, which give each device a share; rings across nodes, one for each share; rings in nodes.

    The rings across nodes run at the same time and share the node's link, which carries the whole buffer once.
    """
    return _ring_of(nbytes, local, cluster.intra) + _ring_of(nbytes, nodes, cluster.inter)


def _nccl_ring(nbytes: float, nodes: int, local: int, cluster: Cluster) -> float:
    """A ring without waiting between steps: there are many pieces, and each is forwarded when it arrives.

    So the latencies add up along the path of a piece, including 2 N steps between nodes; in `_ring`, all wait for the
    slowest link in each step.
    """
    steps = 2 * (nodes * local - 1)
    between = min(2 * nodes, steps) if nodes > 1 else 0
    latency = _NCCL_STARTS + (steps - between) * cluster.intra.latency + between * cluster.inter.latency
    return latency + steps / (nodes * local) * nbytes / _narrowest(nodes, local, cluster)


def _nccl_tree(nbytes: float, nodes: int, local: int, cluster: Cluster) -> float:
    """A double binary tree of nodes, in pieces: each device sends and receives the buffer twice.

    In a node devices form a chain. It reaches 92 % of the bandwidth.
    """
    latency = 2 * ((local - 1) * cluster.intra.latency + _rounds(nodes) * cluster.inter.latency)
    return _NCCL_STARTS + latency + 2 * nbytes / (0.92 * _narrowest(nodes, local, cluster))


def _narrowest(nodes: int, local: int, cluster: Cluster) -> float:
    used = [link.bandwidth for link, count in ((cluster.intra, local), (cluster.inter, nodes)) if count > 1]
    return min(used)


def _ring_of(nbytes: float, count: int, link: Link) -> float:
    return 2 * (count - 1) * link.time(nbytes / count)


def _exchange(nbytes: float, count: int, link: Link) -> float:
    return 2 * (_rounds(count) * link.latency + (count - 1) / count * nbytes / link.bandwidth)


def _rounds(count: int) -> int:
    """The logarithm to base 2, rounded up."""
    return (count - 1).bit_length()


ALGORITHMS: Mapping[str, Callable[[float, int, int, Cluster], float]] = {
    "ring": _ring,
    "tree": _tree,
    "halving_doubling": _halving_doubling,
    "hierarchical": _hierarchical,
    "two_dimensional": _two_dimensional,
    "nccl_ring": _nccl_ring,
    "nccl_tree": _nccl_tree,
}
"""Algorithms by name: functions of the bytes, the number of nodes, the devices per node, and the cluster."""
