"""Charts of the measured comparisons, from the results in benchmarks/results: `python docs/site/charts.py`."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from svg import WIDTH, Drawing

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT))

from benchmarks.workloads import WORKLOADS  # noqa: E402 - in no package that is installed

RESULTS = ROOT / "benchmarks" / "results"
IMAGES = ROOT / "docs" / "images"

STYLES = {"renga": "c0", "torch": "c1", "torch best": "c2", "jax": "c3", "chainer": "c4", "numpy": "c4"}
NAMES = {"renga": "Renga", "torch": "PyTorch", "torch best": "PyTorch, best setting", "jax": "JAX"}
NAMES |= {"chainer": "Chainer", "numpy": "NumPy alone"}
LEFT, RIGHT = 8, WIDTH - 130
BAR, GAP = 15, 3

Row = tuple[str, list[tuple[str, float, str]]]
"""A title, and for each bar its style, its length and the text beside it."""

TITLES = {
    "resnet50_predict": "ResNet-50, predicting",
    "resnet50_train": "ResNet-50, a training step",
    "mobilenet_v2_predict": "MobileNetV2, predicting",
    "mobilenet_v2_train": "MobileNetV2, a training step",
    "ssd300_predict": "SSD300, predicting",
    "ssd300_train": "SSD300, a training step",
    "faster_rcnn_predict": "Faster R-CNN, predicting",
    "faster_rcnn_train": "Faster R-CNN, a training step",
    "mask_rcnn_predict": "Mask R-CNN, predicting",
    "mask_rcnn_train": "Mask R-CNN, a training step",
    "overhead_1": "1 element, forward and backward",
    "overhead_1_forward": "1 element, forward",
    "overhead_32": "32 elements, forward and backward",
    "overhead_32_forward": "32 elements, forward",
}
RECOVERY = {
    "renga-spare": ("c0", "Renga, a spare process takes the place"),
    "renga-shrink": ("c0", "Renga, the others continue with fewer"),
    "renga-respawn": ("c0", "Renga, all wait for a new process"),
    "renga-restart": ("c0", "Renga, all restart from a checkpoint"),
    "torchft-1s": ("c2", "torchft, heartbeat 1 s"),
    "torchft": ("c2", "torchft, heartbeat 5 s (its default)"),
    "torchrun": ("c1", "torchrun, all restart from a checkpoint"),
}


def pictures() -> Iterator[tuple[str, str]]:
    """Yield the file name and the text of each chart."""
    titles = {name: workload.title for name, workload in WORKLOADS.items()} | TITLES
    whole = _results("training")
    peers: tuple[str, ...] = ("renga", "torch", "torch best", "jax")
    rows = [_ratios(titles[name], whole[name]["entries"], peers) for name in titles if name in whole]
    yield "comparison-training.svg", _chart("Time of a training step, PyTorch = 1", rows, peers, 2.2)
    vision = {name.removeprefix("vision/"): record for name, record in _results("vision").items()}
    known = [name for name in vision if name in TITLES]
    rows = [_ratios(TITLES[name], vision[name]["entries"], ("renga", "torch")) for name in known]
    yield "comparison-vision.svg", _chart("Time, PyTorch with torchvision = 1", rows, ("renga", "torch"), 1.35)
    chain = _results("overhead")
    peers = ("renga", "torch", "numpy")
    rows = [_times(TITLES[name], record["entries"], peers, 1e6 / 100, "µs") for name, record in chain.items()]
    yield "comparison-overhead.svg", _chart("Time of one operation, µs", rows, peers)
    importing = _results("import")["import"]["entries"]
    peers = ("renga", "torch", "jax", "chainer", "numpy")
    rows = [(NAMES[peer], _times("", importing, (peer,), 1, "s")[1]) for peer in peers]
    yield "comparison-import.svg", _chart("Time to import, seconds", rows, ())
    yield "comparison-recovery.svg", _chart("Seconds lost when a process dies, median", list(_recovery()), ())


def _results(group: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"{group}.json").read_text(encoding="utf-8"))
    return found


def _ratios(title: str, entries: Mapping[str, Any], peers: tuple[str, ...]) -> Row:
    """Minimum times divided by PyTorch's."""
    unit = entries["torch"]["minimum"]
    times = [(peer, entries[peer]["minimum"]) for peer in peers if entries.get(peer, {}).get("minimum")]
    return title, [(STYLES[peer], time / unit, f"{time / unit:.2f}  ({_duration(time)})") for peer, time in times]


def _times(title: str, entries: Mapping[str, Any], peers: tuple[str, ...], scale: float, unit: str) -> Row:
    times = [(peer, entries[peer]["minimum"] * scale) for peer in peers if entries.get(peer, {}).get("minimum")]
    return title, [(STYLES[peer], time, f"{time:.2f} {unit}") for peer, time in times]


def _recovery() -> Iterator[Row]:
    for name, (style, title) in RECOVERY.items():
        seconds = [kill["seconds"] for kill in _results("recovery")[name] if kill["seconds"] is not None]
        median = statistics.median(seconds)
        yield title, [(style, median, f"{median:.2f} s")]


def _duration(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.2f} s"


def _chart(title: str, rows: list[Row], peers: tuple[str, ...], longest: float | None = None) -> str:
    """Bars by rows. Those longer than `longest` are cut, and end in an arrow."""
    top = 34 if not peers else 58
    height = top + sum((20 if name else 6) + len(bars) * (BAR + GAP) + 9 for name, bars in rows) + 4
    limit = longest or max(length for _, bars in rows for _, length, _ in bars)
    label = "; ".join(f"{name}: {', '.join(text for _, _, text in bars)}" for name, bars in rows)
    drawing = Drawing(height, f"{title}. {label}")
    drawing.text(LEFT, 20, f"{title}: shorter is better", "bold")
    x = float(LEFT)
    for peer in peers:
        drawing.bar(x, 33, 11, 11, STYLES[peer])
        drawing.text(x + 16, 43, NAMES[peer], "small")
        x += 34 + 6.3 * len(NAMES[peer])
    if longest:
        at = LEFT + (RIGHT - LEFT) / limit
        drawing.line(at, top - 4, at, height - 6)
    y = top
    for name, bars in rows:
        if name:
            drawing.text(LEFT, y + 14, name, "value")
        y += 20 if name else 6
        for style, length, text in bars:
            width = (RIGHT - LEFT) * min(length / limit, 1)
            drawing.bar(LEFT, y, max(width, 1.5), BAR, style)
            drawing.text(LEFT + width + 6, y + BAR - 3.5, f"→ {text}" if length > limit else text, "small muted value")
            y += BAR + GAP
        y += 9
    return str(drawing)


def main() -> None:
    """Write the charts to docs/images."""
    for name, text in pictures():
        (IMAGES / name).write_text(text, encoding="utf-8")
        print(IMAGES / name)


if __name__ == "__main__":
    main()
