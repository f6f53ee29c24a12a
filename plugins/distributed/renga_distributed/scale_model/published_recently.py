"""Published figures of 2024 to 2026, compared with the model's predictions.

Nothing is fitted to them. For each training, the time of an iteration with few devices is taken as the computing time;
the model predicts the slowdown with more devices. All used fully sharded data parallelism, which hides communication if
possible. So the figures mainly show whether the model predicts correctly when it can be hidden.
"""

from __future__ import annotations

from dataclasses import dataclass

from .allreduce import allreduce_time
from .cluster import LINKS, Cluster, Link
from .iteration import MODELS, Step, predict

__all__ = ["RECENT_CONSTANTS", "Reduction", "Training", "reductions", "trainings"]

H100 = Cluster(LINKS["nvlink4"], LINKS["infiniband_ndr_8"], devices_per_node=8)
B200 = Cluster(LINKS["nvlink5"], LINKS["infiniband_ndr_8"], devices_per_node=8)
FOUR_H200 = Link(LINKS["infiniband_ndr"].latency, 4 * LINKS["infiniband_ndr"].bandwidth)
MFU, PEAK = 0.40, 989e12

RECENT_CONSTANTS = [
    (
        "NVLink 4 and 5, InfiniBand NDR",
        "371 and 722 GB/s, 3.4 µs; 48 GB/s for each device, 14 µs",
        "constants in NCCL's sources (see `LINKS`)",
    ),
    ("one bucket of FSDP", "one layer", "PyTorch's FSDP, as used by the programs"),
    ("computing time of Fernandez et al.", "0.84 s", "assumed: 2 sequences of 4096 tokens, 40 % of 989 TFLOP/s"),
    (
        "adapters of Kempner's nodes, and of the B200",
        "one adapter of 400 Gbit/s for each device",
        "assumed; not in the source",
    ),
]
"""Inputs of the model for these figures: description, value, source."""


@dataclass(frozen=True)
class Reduction:
    """An all-reduce by 32 B200 in four nodes: bytes, and measured bytes per second (``algbw``)."""

    nbytes: int
    rate: float

    @property
    def seconds(self) -> float:
        """Measured."""
        return self.nbytes / self.rate

    @property
    def predicted(self) -> float:
        """The time of the faster of NCCL's ring and tree."""
        return min(allreduce_time(name, self.nbytes, 32, B200) for name in ("nccl_ring", "nccl_tree"))


@dataclass(frozen=True)
class Training:
    """A training run with few and with many devices.

    Attributes:
        what: Description.
        few, many: Numbers of devices.
        published: Throughput per device with many devices, divided by that with few.
        model: Number of parameters that each device gathers in an iteration.
        layers: Number of buckets.
        compute: Seconds of an iteration with few devices.
        cluster: The machine. If tensor parallelism joins a node to one device, «device» means this node.
        source: Source of the published figure.
    """

    what: str
    few: int
    many: int
    published: float
    model: str
    layers: int
    compute: float
    cluster: Cluster
    source: str

    @property
    def predicted(self) -> float:
        """The model's prediction of `published`."""
        parameters = MODELS[self.model]
        step = Step(
            parameters,
            self.compute / 3,
            self.compute * 2 / 3,
            "bfloat16",
            "nccl_ring",
            "fully_sharded",
            bucket_bytes=2 * parameters / self.layers,
        )
        few, many = (predict(step, self.cluster, devices) for devices in (self.few, self.many))
        return many.efficiency / few.efficiency


def reductions() -> list[Reduction]:
    """S. Bekman, "Machine Learning Engineering", network/benchmarks, 2026."""
    return [
        Reduction(2**34, 194.43e9),
        Reduction(2**30, 188.90e9),
        Reduction(2**25, 73.76e9),
        Reduction(2**20, 6.44e9),
    ]


def trainings() -> list[Training]:
    """Computing time: the tokens of a device in an iteration, divided by its published tokens per second."""
    torchtitan, kempner = "torchtitan 2024", "KempnerForge 2026"
    node = Cluster(LINKS["nvlink4"], FOUR_H200, devices_per_node=1)  # four devices, by tensor parallelism
    in_node = Cluster(LINKS["nvlink4"], FOUR_H200, devices_per_node=4)
    guessed = 6 * MODELS["llama2_7b"] * 8192 / (MFU * PEAK)
    return [
        Training("8 to 128 H100, Llama 3 8B", 8, 128, 5605 / 5762, "llama3_8b", 32, 16384 / 5762, H100, torchtitan),
        Training(
            "8 to 128 H100, Llama 3 8B, compiled", 8, 128, 6514 / 6667, "llama3_8b", 32, 16384 / 6667, H100, torchtitan
        ),
        Training(
            "32 to 64 H200, Llama 3 8B, float8",
            32,
            64,
            10753 / 10938,
            "llama3_8b",
            32,
            16384 / 10938,
            H100,
            "Trainy 2025",
        ),
        Training("1 to 4 H200, Llama 3 8B", 1, 4, 38983 / 4 / 10471, "llama3_8b", 32, 3.13 / 2, in_node, kempner),
        Training(
            "32 to 160 H200, Llama 3 70B, tensor parallelism in nodes",
            8,
            40,
            85571 / 5 / 18688,
            "llama3_70b",
            80,
            14.03 / 4,
            node,
            kempner,
        ),
        Training(
            "128 to 2048 H100, Llama 2 7B",
            128,
            2048,
            1 - 0.3722,
            "llama2_7b",
            32,
            guessed,
            H100,
            "Fernandez et al. 2024",
        ),
    ]
