"""Published measurements at scale, compared with the model's predictions.

Constants are fixed once for each machine, below, with their sources. Three constants could not be found, and are
computed from three of the published figures; these rows are marked as calibration, because they agree by construction.
All other rows are predictions. Figures since 2024, without any calibration, are in `published_recently`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .cluster import LINKS, Cluster, Link
from .iteration import MODELS, Step, predict
from .published_recently import RECENT_CONSTANTS, reductions, trainings

__all__ = ["CONSTANTS", "Published", "published"]

IMAGES = 1_281_167  # in the training set of ImageNet-1k
GBIT = 1e9 / 8

P100_SECONDS_PER_IMAGE = 5.74e-3
JITTER = 0.071
TCP_FRACTION = 0.6
ETHERNET_ON_MN1 = 0.1405e9
V100_SECONDS_PER_IMAGE = 1 / 278
PASCAL_IMAGES_PER_SECOND = {"inception_v3": 142, "vgg16": 154}
FUSED_BYTES = 64 * 2**20

CONSTANTS = [
    (
        "P100, ResNet-50 in Chainer",
        f"{P100_SECONDS_PER_IMAGE * 1e3:.2f} ms an image ({1 / P100_SECONDS_PER_IMAGE:.0f} images/s)",
        "calibrated: 6.96 h. TensorFlow's benchmark page has 193 and 218 images/s at batch sizes 32 and 64",
    ),
    (
        "stragglers, ChainerMN with real images",
        f"jitter {JITTER:.1%}",
        "calibrated: 96 % on AWS, where all communication is hidden and the model has no other loss",
    ),
    (
        "10 GbE, as used by MN-1",
        f"{ETHERNET_ON_MN1 / 1e9:.2f} GB/s ({ETHERNET_ON_MN1 / 1.25e9:.0%} of the wire)",
        "calibrated: 21.3 h",
    ),
    (
        "NCCL over TCP, other machines",
        f"{TCP_FRACTION:.0%} of the wire, 25 µs",
        "NCCL's issue 209 (the largest rate reached at 32 Gbit/s); the latency is assumed",
    ),
    (
        "V100, ResNet-50",
        f"{V100_SECONDS_PER_IMAGE * 1e3:.1f} ms an image (278 images/s)",
        "tensorpack: 100 epochs in 16 h on a p3.16xlarge. No ratio here depends on this value",
    ),
    (
        "InfiniBand FDR; PCIe 3.0 and QPI in a node; RoCE",
        "6 GB/s, 9.6 µs; 6 GB/s, 5.7 µs; 2.9 GB/s, 9.6 µs",
        "constants in NCCL's sources; 94 % of the wire for RoCE (see `LINKS`)",
    ),
    (
        "Pascal GPU, Inception V3 and VGG-16 in TensorFlow",
        "142 and 154 images/s at batch size 64",
        "TensorFlow's benchmark page, P100, synthetic images",
    ),
    ("Horovod's buckets", "64 MiB", "HOROVOD_FUSION_THRESHOLD, its default"),
    ("backward", "2/3 of the computing time", "assumed: two matrix products for each one of forward"),
    *RECENT_CONSTANTS,
]
"""Inputs of the model: description, value, source."""


@dataclass(frozen=True)
class Published:
    """A published figure, and the prediction of the model.

    Attributes:
        what: The measured quantity.
        published, model: The figures: hours, seconds, or a fraction.
        unit: ``"h"``, ``"s"`` or ``"%"``.
        calibration: Whether a constant was computed from the published figure, so that the model agrees by
            construction.
        assumptions: Assumptions of the model's figure.
        source: Source of the published figure.
    """

    what: str
    published: float
    model: float
    unit: str
    calibration: bool
    assumptions: str
    source: str

    @property
    def ratio(self) -> float:
        """The model's figure divided by the published one."""
        return self.model / self.published


def published() -> list[Published]:
    """Return the published figures, each with the model's."""
    return [*_supercomputer(), *_ethernet(), *_aws(), *_horovod(), *_recent()]


def _images(model: str, batch_size: int, seconds_per_image: float) -> Step:
    compute = batch_size * seconds_per_image
    return Step(MODELS[model], forward=compute / 3, backward=compute * 2 / 3)


def _mn1(network: Link) -> Cluster:
    """PFN's MN-1: nodes of 8 P100 on two sockets."""
    return Cluster(LINKS["pcie3_two_sockets"], network, devices_per_node=8)


def _supercomputer() -> list[Published]:
    source = "Akiba, Suzuki and Fukuda 2017"
    fdr = _mn1(LINKS["infiniband_fdr"])
    rows = []
    for jitter, assumptions in ((0.0, "float16, ring; no stragglers"), (JITTER, "float16, ring; stragglers")):
        step = replace(_images("resnet50", 32, P100_SECONDS_PER_IMAGE), dtype="float16", jitter=jitter)
        node, all_of_it = (predict(step, fdr, devices) for devices in (8, 1024))
        pair = [
            ("1024 P100 against one", 0.70, all_of_it.efficiency, "%"),
            ("1024 P100 against a node of 8", 0.80, all_of_it.efficiency / node.efficiency, "%"),
        ]
        if jitter:
            pair.append(("1024 P100, 90 epochs", 900.0, 90 * IMAGES / (32 * 1024) * all_of_it.iteration, "s"))
        rows += [Published(*figures, False, assumptions, source) for figures in pair]
    return rows


def _ethernet() -> list[Published]:
    source = "Suzuki 2018"

    def hours(network: Link, dtype: str = "float32", schedule: str = "plain") -> float:
        """90 epochs on 32 P100: batches of 64 per device for 30 epochs, then of 128."""
        seconds = 0.0
        for batch_size, epochs in ((64, 30), (128, 60)):
            step = _images("resnet50", batch_size, P100_SECONDS_PER_IMAGE)
            step = replace(step, dtype=dtype, schedule=schedule, jitter=JITTER)
            seconds += epochs * IMAGES / (32 * batch_size) * predict(step, _mn1(network), 32).iteration
        return seconds / 3600

    fdr = hours(LINKS["infiniband_fdr"])
    rows = [Published("32 P100, InfiniBand FDR, plain", 6.96, fdr, "h", True, "float32, ring; stragglers", source)]
    for bandwidth, calibrated, assumptions in (
        (TCP_FRACTION * 10 * GBIT, False, f"ring at {TCP_FRACTION:.0%} of the wire; stragglers"),
        (ETHERNET_ON_MN1, True, "ring at the calibrated bandwidth; stragglers"),
    ):
        network = Link(25e-6, bandwidth)
        plain, hidden = hours(network), hours(network, "float16", "double_buffering")
        what = "32 P100, 10 GbE, double buffering, float16"
        rows.append(Published("32 P100, 10 GbE, plain", 21.3, plain, "h", calibrated, assumptions, source))
        rows.append(Published(what, 7.71, hidden, "h", False, assumptions, source))
    return rows


def _aws() -> list[Published]:
    cluster = Cluster(LINKS["nvlink2"], Link(25e-6, TCP_FRACTION * 25 * GBIT), devices_per_node=8)
    step = replace(_images("resnet50", 64, V100_SECONDS_PER_IMAGE), dtype="float16", schedule="double_buffering")
    rows = []
    for jitter, assumptions in ((0.0, "ring; no stragglers"), (JITTER, "ring; stragglers")):
        node, four = (predict(replace(step, jitter=jitter), cluster, devices) for devices in (8, 32))
        ratio = four.efficiency / node.efficiency
        what = "32 V100 against a node of 8, 25 Gbit/s, double buffering, float16"
        rows.append(Published(what, 0.96, ratio, "%", jitter > 0, assumptions, "Suzuki 2018"))
    return rows


def _horovod() -> list[Published]:
    cluster = Cluster(LINKS["pcie3_two_sockets"], LINKS["roce_25g"], devices_per_node=4)
    rows = []
    for model, name, devices, efficiency in (
        ("inception_v3", "Inception V3", 128, 0.90),
        ("inception_v3", "Inception V3", 512, 0.90),
        ("vgg16", "VGG-16", 128, 0.79),
        ("vgg16", "VGG-16", 512, 0.68),
    ):
        step = _images(model, 64, 1 / PASCAL_IMAGES_PER_SECOND[model])
        found = predict(replace(step, schedule="overlap", bucket_bytes=FUSED_BYTES), cluster, devices).efficiency
        rows.append(
            Published(
                f"{devices} Pascal GPUs, 25 Gbit/s RoCE, {name}",
                efficiency,
                found,
                "%",
                False,
                "float32, ring, buckets; synthetic images, no stragglers",
                "Horovod",
            )
        )
    return rows


def _recent() -> list[Published]:
    fastest, sharded = "the faster of NCCL's ring and tree", "FSDP, bfloat16, NCCL's ring; no stragglers"
    return [
        *(
            Published(
                f"all-reduce of {row.nbytes >> 20} MiB by 32 B200 in 4 nodes",
                row.seconds,
                row.predicted,
                "s",
                False,
                fastest,
                "Bekman 2026",
            )
            for row in reductions()
        ),
        *(Published(row.what, row.published, row.predicted, "%", False, sharded, row.source) for row in trainings()),
    ]
