"""All parts, in order of importance."""

from __future__ import annotations

from benchmarks.gpu.hour import Part
from benchmarks.gpu.networks import NETWORKS, PRECISIONS

__all__ = ["PARTS"]


def _part(name: str, title: str, minutes: float) -> Part:
    return Part(name, title, ("-m", f"benchmarks.gpu.parts.{name}"), minutes)


def _beside(network: str, precision: str) -> Part:
    return Part(
        f"{network}-{precision}",
        f"{NETWORKS[network].size.name}, {precision}: compared with PyTorch",
        ("-m", "benchmarks.gpu.parts.side_by_side", network, precision),
        4,
    )


_HALF = {"resnet50": ("mixed16", "mixed_bf16"), "transformer": ("mixed16", "mixed_bf16"), "mlp": ("mixed16",)}

PARTS = (
    _part("versions", "GPU, driver and libraries", 1),
    _part("tests", "tests that need a GPU", 6),
    _part("capture", "what can be captured as a CUDA graph", 3),
    _part("kits", "conformance kits of the backend and its kernels", 8),
    _part("sanitizer", "compute-sanitizer on our kernels", 5),
    _part("launches", "kernel launches and waits of the host in a step", 4),
    _part("bandwidth", "bytes per second of each kernel", 2),
    *[_beside(network, "float32") for network in NETWORKS],
    *[
        _beside(network, precision)
        for network in NETWORKS
        for precision in PRECISIONS
        if precision in _HALF.get(network, ())
    ],
    _part("nccl", "sums by NCCL on one device, and its kit", 3),
)
