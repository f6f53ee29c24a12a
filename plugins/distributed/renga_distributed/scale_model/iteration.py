"""An iteration of data-parallel training: computation and communication over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from renga_core.errors import did_you_mean

from .allreduce import allreduce_time
from .cluster import Cluster
from .stragglers import expected_maximum

__all__ = ["MODELS", "SCHEDULES", "WIRE_DTYPES", "Prediction", "Step", "predict"]

MODELS = {
    "lenet5": 61_706,
    "alexnet": 60_965_224,
    "vgg16": 138_357_544,
    "googlenet": 6_998_552,
    "inception_v3": 23_834_568,
    "resnet50": 25_557_032,
    "resnet101": 44_549_160,
    "resnet152": 60_192_808,
    "transformer_base": 65_000_000,
    "transformer_big": 213_000_000,
    "bert_large": 340_000_000,
    "llama2_7b": 6_738_415_616,
    "llama3_8b": 8_030_261_248,
    "llama3_70b": 70_553_706_496,
}
"""Numbers of parameters of well-known models. Image models have 1000 classes (LeNet-5: 10)."""

WIRE_DTYPES: Mapping[str, int] = {"float64": 8, "float32": 4, "float16": 2, "bfloat16": 2}
"""Dtypes in which gradients can be sent, with their sizes in bytes."""

SCHEDULES = ("plain", "overlap", "double_buffering", "fully_sharded")
"""When gradients are sent: after backward; in buckets during backward; during the whole next iteration.

``fully_sharded``: parameters are sent too, because each device keeps only a share of them (ZeRO-3, PyTorch's FSDP). The
parameters of a bucket are gathered for forward and again for backward, while the previous bucket is computed; its
gradients are summed and scattered while the next one is computed. Rajbhandari et al., "ZeRO: memory optimizations
toward training trillion parameter models", SC 2020; Zhao et al., "PyTorch FSDP", VLDB 2023."""


@dataclass(frozen=True)
class Step:
    """The work of a device in an iteration.

    Attributes:
        parameters: Number of parameters with gradients.
        forward: Seconds from the start of an iteration to the start of backward, plus the time of the update.
        backward: Seconds that backward takes.
        dtype: Dtype in which gradients are sent, one of `WIRE_DTYPES`.
        algorithm: Algorithm of the all-reduce, one of `ALGORITHMS`.
        schedule: One of `SCHEDULES`.
        bucket_bytes: Number of bytes that are sent together under ``overlap`` and ``fully_sharded``; default: that of
            the communicators.
        jitter: The standard deviation of a device's computing time, as a fraction of it. Times are assumed normally
            distributed and independent between devices and iterations.

    Raises:
        ValueError: A number is out of range, or a name is unknown.
    """

    parameters: int
    forward: float
    backward: float
    dtype: str = "float32"
    algorithm: str = "ring"
    schedule: str = "plain"
    bucket_bytes: float = 25 * 2**20
    jitter: float = 0.0

    def __post_init__(self) -> None:
        for name in ("parameters", "forward", "backward", "jitter"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must not be negative")
        if not self.compute > 0:
            raise ValueError("forward and backward are both 0; at least one must be positive")
        if not self.bucket_bytes > 0:
            raise ValueError(f"bucket_bytes is {self.bucket_bytes}; it must be positive")
        for what, name, known in (("dtype", self.dtype, WIRE_DTYPES), ("schedule", self.schedule, SCHEDULES)):
            if name not in known:
                raise ValueError(f"no {what} named {name!r}.{did_you_mean(name, known)} Known: {', '.join(known)}")

    @property
    def compute(self) -> float:
        """Seconds of an iteration on a single device."""
        return self.forward + self.backward

    @property
    def gradient_bytes(self) -> int:
        """Bytes that a device sends."""
        return self.parameters * WIRE_DTYPES[self.dtype]


@dataclass(frozen=True)
class Prediction:
    """The predicted time of an iteration on a number of devices.

    Attributes:
        devices: Number of devices.
        iteration: Seconds from the start of an iteration to the start of the next.
        compute: Seconds of it until the last device has computed.
        communication: Seconds of communication, hidden or not.
        efficiency: The throughput, divided by that of the same number of devices without communication and waiting.
    """

    devices: int
    iteration: float
    compute: float
    communication: float
    efficiency: float

    @property
    def exposed(self) -> float:
        """Seconds of communication without computation."""
        return self.iteration - self.compute


def predict(step: Step, cluster: Cluster, devices: int) -> Prediction:
    """Return the time of an iteration on `devices` devices, each with the same amount of work.

    Raises:
        ValueError: The algorithm is unknown, or `devices` is less than 1.
    """

    def sending(nbytes: float) -> float:
        return allreduce_time(step.algorithm, nbytes, devices, cluster)

    communication = sending(step.gradient_bytes)
    waiting = 1 + step.jitter * expected_maximum(devices)
    compute = step.compute * waiting
    if step.schedule == "plain":
        iteration = compute + communication
    elif step.schedule == "double_buffering":
        iteration = max(compute, communication)
    elif step.schedule == "fully_sharded":
        buckets = max(1, ceil(step.gradient_bytes / step.bucket_bytes))
        each = sending(step.gradient_bytes / buckets) / 2  # half an all-reduce, which is a scatter and a gather
        communication = (3 * buckets - 1) * each
        iteration = max(compute, _sharded(step.forward * waiting, step.backward * waiting, buckets, each))
    else:
        buckets = max(1, ceil(step.gradient_bytes / step.bucket_bytes))
        each = sending(step.gradient_bytes / buckets)
        communication = buckets * each
        iteration = _overlapped(compute, step.backward * waiting, buckets, each)
    return Prediction(devices, iteration, compute, communication, step.compute / iteration)


def _overlapped(compute: float, backward: float, buckets: int, each: float) -> float:
    """The time when the last bucket arrives: each waits for its gradients, which come evenly, and for the one
    before."""
    sent = 0.0
    for bucket in range(1, buckets + 1):
        sent = max(sent, compute - backward * (buckets - bucket) / buckets) + each
    return sent


def _sharded(forward: float, backward: float, buckets: int, each: float) -> float:
    """The time when all gradients are scattered; gathers and scatters take equal times, one after the other."""
    network = computed = began = 0.0
    for _ in range(buckets):
        network = max(network, began) + each
        began = max(computed, network)
        computed = began + forward / buckets
    gathered = computed  # the last bucket of forward is the first of backward, and is still in memory
    for bucket in range(buckets):
        began = max(computed, gathered)
        computed = began + backward / buckets
        if bucket + 1 < buckets:
            network = gathered = max(network, began) + each
        network = max(network, computed) + each
    return network
