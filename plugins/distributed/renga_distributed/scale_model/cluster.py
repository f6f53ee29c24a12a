"""Links, and the machines that they join."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LINKS", "Cluster", "Link"]


@dataclass(frozen=True)
class Link:
    """A link for messages: a message takes `latency`, and then one second for `bandwidth` bytes (Hockney's model).

    Raises:
        ValueError: The latency is negative, or the bandwidth is not positive.

    R. Hockney, "The communication challenge for MPP: Intel Paragon and Meiko CS-2", Parallel Computing 20, 1994.
    """

    latency: float
    bandwidth: float

    def __post_init__(self) -> None:
        if not self.latency >= 0:
            raise ValueError(f"a link's latency is {self.latency} s; it must not be negative")
        if not self.bandwidth > 0:
            raise ValueError(f"a link's bandwidth is {self.bandwidth} bytes/s; it must be positive")

    def time(self, nbytes: float) -> float:
        """Seconds that a message of this number of bytes takes."""
        return self.latency + nbytes / self.bandwidth


@dataclass(frozen=True)
class Cluster:
    """Nodes with `devices_per_node` devices each; devices fill one node after the other.

    Attributes:
        intra: The link between two devices of a node.
        inter: The link between two nodes. The devices of a node share it.

    Raises:
        ValueError: A node has no device.
    """

    intra: Link
    inter: Link
    devices_per_node: int = 1

    def __post_init__(self) -> None:
        if self.devices_per_node < 1:
            raise ValueError(f"a node has {self.devices_per_node} devices; it must have at least 1")

    def shape(self, devices: int) -> tuple[int, int]:
        """The number of nodes for these devices, and the number of devices in the fullest one. All nodes count
        as equally full.

        Raises:
            ValueError: `devices` is less than 1.
        """
        if devices < 1:
            raise ValueError(f"devices is {devices}; it must be at least 1")
        return -(-devices // self.devices_per_node), min(devices, self.devices_per_node)


GBIT = 1e9 / 8

LINKS = {
    "ethernet_1g": Link(25e-6, 0.94 * 1 * GBIT),
    "ethernet_10g": Link(25e-6, 0.94 * 10 * GBIT),
    "ethernet_25g": Link(25e-6, 0.94 * 25 * GBIT),
    "ethernet_100g": Link(25e-6, 0.94 * 100 * GBIT),
    "ethernet_400g": Link(25e-6, 0.94 * 400 * GBIT),
    "roce_25g": Link(9.6e-6, 0.94 * 25 * GBIT),
    "roce_400g_8": Link(14e-6, 8 * 0.94 * 400 * GBIT),
    "infiniband_fdr": Link(9.6e-6, 6e9),
    "infiniband_edr": Link(9.6e-6, 12e9),
    "infiniband_ndr": Link(14e-6, 48e9),
    "infiniband_ndr_8": Link(14e-6, 8 * 48e9),
    "infiniband_xdr": Link(14e-6, 96e9),
    "infiniband_xdr_8": Link(14e-6, 8 * 96e9),
    "pcie3": Link(5.7e-6, 12e9),
    "pcie3_two_sockets": Link(5.7e-6, 6e9),
    "nvlink1": Link(3.4e-6, 2 * 18e9),
    "nvlink2": Link(3.4e-6, 4 * 21e9),
    "nvlink4": Link(3.4e-6, 18 * 20.6e9),
    "nvlink5": Link(3.4e-6, 18 * 40.1e9),
}
"""Links by name, for a first estimate; measure your own.

Ethernet: after the headers of TCP/IP, 94 % of the wire's rate remain with frames of 1500 bytes; the latency is that of
a TCP message between two hosts of a data centre. Other latencies, and the bandwidths of PCIe, NVLink and the link
between two sockets (QPI), are the constants with which NCCL chooses its algorithm (``src/graph/tuning.cc`` and
``topo.h`` of
NCCL 2.6 to 2.8: ring, protocol "Simple"); times 2 and 4 for the rings that NVLink of a DGX-1 makes room for. InfiniBand
FDR has 6.8 GB/s on the wire, and a PCIe 3.0 slot of 8 lanes behind it leaves 6; EDR has 12.

NVLink 4 and 5 (H100, H200; B200, GB200), and networks of today: constants of NCCL 2.28 (`ncclTunerConstantsDefaults` in
``src/graph/tuning.cc``; ``SM90_NVLINK_BW`` and ``SM100_NVLINK_BW`` in ``topo.h``, for each of 18 links; ``NET_BW``, 12
GB/s for 100 Gbit/s). On the wire are 450 and 900 GB/s in each direction (NVIDIA's page of NVLink: 900 and 1800 in
both), 50 GB/s for InfiniBand NDR and 100 for XDR (ConnectX-7: 400 Gbit/s; ConnectX-8: 800). ``_8``: eight adapters in a
node, one for each device, as in a DGX H100 or B200.
"""
