"""The workloads, in groups with one page each in `benchmarks/results/`, and their names."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.programs.convolutions import CASES
from benchmarks.programs.initial import CHAIN_LENGTH

__all__ = ["GROUPS", "IMPORT", "WORKLOADS", "Workload", "named"]


@dataclass(frozen=True)
class Workload:
    """A piece of work that is the same with every library.

    Attributes:
        name: Name on the command line and in the `PROGRAMS` of `benchmarks/programs/with_*.py`.
        title: In tables.
        group: The page with its results.
        tolerance: Allowed relative difference of a library's first three results from Renga's.
        per: Number of operations in a run; divides its time.
        unit: Unit of times in tables, and its number per second.
    """

    name: str
    title: str
    group: str
    tolerance: float = 1e-3
    per: int = 1
    unit: tuple[str, float] = ("ms", 1e3)


def _training() -> list[Workload]:
    titles = {
        "mlp": "MLP 784-1000-1000-10, batch 100, Adam",
        "lenet": "LeNet, batch 64",
        "vgg": "VGG-small (64-128-256, BN), 32×32, batch 32",
        "resnet50": "ResNet-50, 224×224, batch 4",
        "resnet50_inference_1": "ResNet-50, inference, batch 1",
        "resnet50_inference_8": "ResNet-50, inference, batch 8",
        "lstm_loop": "LSTM 2×256 as a Python loop, length 35, batch 20",
        "lstm_fused": "LSTM 2×256 in one call, length 35, batch 20",
        "gradient_penalty": "gradient penalty (double backward) on the MLP",
        "transformer": "transformer, 4 layers, d 256, 4 heads, length 128, batch 8",
        "adam": "Adam on 25 M parameters",
    }
    return [Workload(name, title, "training") for name, title in titles.items()]


def _overhead() -> list[Workload]:
    return [
        Workload(
            f"overhead_{size}{suffix}",
            f"{size} element{'s' if size > 1 else ''}, {phase}",
            "overhead",
            per=2 * CHAIN_LENGTH,
            unit=("µs", 1e6),
        )
        for size in (1, 32)
        for suffix, phase in (("_forward", "forward"), ("", "forward + backward"))
    ]


def _convolution() -> list[Workload]:
    return [
        Workload(f"{name}{suffix}", f"{case.title}, {phase}", "convolution")
        for name, case in CASES.items()
        for suffix, phase in (("_forward", "forward"), ("", "forward + backward"))
    ]


def _plain() -> list[Workload]:
    # Each library draws its own dropout.
    return [
        Workload("plain/transformer", "transformer: matmul, softmax, dropout, GELU by erf", "plain", tolerance=0.03),
        Workload("plain/cells", "LSTM 2×256, cells by F.lstm, length 35, batch 20", "plain"),
        Workload("plain/words", "LSTM by sigmoid and tanh, 10,000 words, length 35, batch 20", "plain"),
    ]


def _vision() -> list[Workload]:
    # Each library resizes pictures, rounds anchors and draws regions in its own way.
    exact, alike = 1e-3, 0.3
    return [
        Workload(f"vision/{name}", title, "vision", tolerance)
        for name, (title, tolerance) in {
            "resnet50_predict": ("ResNet-50, predict, 4 pictures", exact),
            "resnet50_train": ("ResNet-50, training step, batch 4", exact),
            "mobilenet_v2_predict": ("MobileNetV2, predict, 4 pictures", exact),
            "mobilenet_v2_train": ("MobileNetV2, training step, batch 4", exact),
            "ssd300_predict": ("SSD300, predict", alike),
            "ssd300_train": ("SSD300, training step, batch 2", alike),
            "faster_rcnn_predict": ("Faster R-CNN FPN, predict", alike),
            "faster_rcnn_train": ("Faster R-CNN FPN, training step", alike),
            "mask_rcnn_predict": ("Mask R-CNN FPN, predict", alike),
            "mask_rcnn_train": ("Mask R-CNN FPN, training step", alike),
            "nms_1000": ("NMS of 1,000 boxes", exact),
            "nms_10000": ("NMS of 10,000 boxes", exact),
            "nms_classes": ("NMS of 8,732 boxes in 80 classes", exact),
            "roi_align_forward": ("RoIAlign of 1,000 regions, forward", exact),
            "roi_align": ("RoIAlign of 1,000 regions, forward + backward", exact),
            "roi_pooling": ("RoI pooling of 1,000 regions, forward + backward", exact),
            "resize": ("bilinear resizing to twice the size, 8 × 64 × 56², forward + backward", exact),
            "mobilenet_block_8": ("MobileNetV2 block, 24 channels, 56², training, batch 8", exact),
            "mobilenet_block_32": ("MobileNetV2 block, 24 channels, 56², training, batch 32", exact),
        }.items()
    ]


def _inference() -> list[Workload]:
    titles = {
        "resnet50_1": "ResNet-50, batch 1",
        "resnet50_8": "ResNet-50, batch 8",
        "mobilenet_v2_1": "MobileNetV2, batch 1",
        "mobilenet_v2_8": "MobileNetV2, batch 8",
        "lenet_1": "LeNet, batch 1",
        "lenet_64": "LeNet, batch 64",
        "mlp_1": "MLP 784-1000-1000-10, batch 1",
        "mlp_100": "MLP 784-1000-1000-10, batch 100",
        "transformer_1": "transformer, 4 layers, d 256, length 128, batch 1",
        "transformer_8": "transformer, 4 layers, d 256, length 128, batch 8",
    }
    return [Workload(f"inference/{name}", title, "inference") for name, title in titles.items()]


def _language() -> list[Workload]:
    return [
        Workload("language/generate", "64 tokens after 64, time of one", "language", per=64),
        Workload("language/prefill", "reading 256 tokens", "language"),
        Workload("language/train", "training step, 4 texts of 255 tokens, Adam", "language"),
        Workload("language/attention", "attention, 8 heads of 4,096, causal, with gradients", "language"),
        Workload("language/vocabulary", "cross entropy of 4,096 × 32,000 scores, with gradients", "language"),
    ]


GROUPS = {
    "training": "Whole training steps (and inference): forward, backward and update.",
    "plain": "Training steps whose formulas are written out in plain operations, as older programs are.",
    "overhead": f"A chain of {CHAIN_LENGTH} y = y * w + b: time for each operation.",
    "convolution": "Convolutions alone: y = conv(x), and its three gradients.",
    "vision": "Vision networks compared with torchvision's: prediction, and training steps.",
    "inference": "Inference: frozen models (`renga.inference`), and unfrozen models, compared with other libraries.",
    "language": "A Llama with the sizes of stories15M (15 M parameters, 32,000 tokens), and its parts.",
    "import": "Importing, in a fresh process, bytecode cached; without the start of Python itself.",
}
IMPORT = Workload("import", "import", "import")
WORKLOADS = {
    w.name: w
    for w in (*_training(), *_plain(), *_overhead(), *_convolution(), *_vision(), *_inference(), *_language(), IMPORT)
}


def named(name: str) -> list[Workload]:
    """Return the workload with this name, or those of the group; none if the name is unknown."""
    if name in WORKLOADS:
        return [WORKLOADS[name]]
    return [workload for workload in WORKLOADS.values() if workload.group == name]
