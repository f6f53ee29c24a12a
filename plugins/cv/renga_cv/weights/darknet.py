"""Darknet's tiny YOLO of the second version: ``.weights``, and beside it the ``.cfg`` with its layers.

The ``.weights`` file has numbers without names: a header, then for each convolution its biases, the values of batch
normalization, and the filters (``src/parser.c``, ``load_weights_upto`` and ``load_convolutional_weights``). So
the ``.cfg`` is read too: a text of sections. Both are bounded by the size of the files; nothing in them is run.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from renga_core.link import Link
from renga_core.serializers import FileDamaged, FileMismatched, FileRefused
from renga_cv.links.model.yolo.yolo_v2_tiny import YOLOv2Tiny
from renga_cv.weights.layout import length, split
from renga_cv.weights.recipe import Host, Recipe, Source

__all__ = ["DETECTORS", "box_by_box", "read_darknet", "tiny"]

_KIND = "weights of Darknet's"
_MOST = 1 << 20  # bytes of a .cfg; those of the largest networks have 30 000
_FILTERS = (16, 32, 64, 128, 256, 512, 1024)
_EPS = 2e-5  # default of batch normalization in Renga
_BN = ("scales", "rolling_mean", "rolling_variance")

Section = tuple[str, Mapping[str, str]]


def read_darknet(file: str) -> dict[str, Host]:
    """The arrays of a tiny YOLO: ``0.weights``, ``0.biases`` … as Darknet calls them, and ``anchors``.

    Args:
        file: The ``.weights`` file. A file of the same name that ends with ``.cfg`` lies beside it.

    Raises:
        FileRefused: There is no ``.cfg``.
        FileDamaged: One of the files is not in Darknet's format, is truncated or altered.
        FileMismatched: They belong to another network than a tiny YOLOv2; all differences are listed.
        OSError: A file cannot be read.
    """
    cfg = Path(file).with_suffix(".cfg")
    if not cfg.is_file():
        raise FileRefused(
            file,
            f"Darknet's weights have no names; {cfg}, which lists their layers, is missing. Next: put it there",
        )
    try:
        layers = _sections(cfg)
        anchors, shapes = _anchors(layers), list(_shapes(layers))
    except (KeyError, ValueError) as error:
        raise FileDamaged(str(cfg), f"{type(error).__name__}: {error}", "a .cfg of Darknet's") from error
    if differences := list(_differences(layers)):
        raise FileMismatched(str(cfg), ["as a tiny YOLO of the second version:", *differences])
    return {**split(_content(file, length(shapes), cfg), shapes), "anchors": anchors}


def _content(file: str, wanted: int, cfg: Path) -> bytes:
    """The content after the header, of the wanted length in bytes."""
    size = os.stat(file).st_size
    with open(file, "rb") as opened:
        header = opened.read(12)
        if len(header) < 12:
            raise FileDamaged(file, f"it has {size} bytes", _KIND)
        major, minor, _ = struct.unpack("<3i", header)
        start = 20 if 10 * major + minor >= 2 else 16  # the number of training images takes 8 bytes, or 4
        if size != start + wanted:
            raise FileDamaged(file, f"it has {size} bytes; the layers in {cfg} need {start + wanted}", _KIND)
        opened.seek(start)
        return opened.read(wanted)


def _sections(cfg: Path) -> list[Section]:
    with cfg.open("rb") as opened:
        text = opened.read(_MOST + 1)
    if len(text) > _MOST:
        raise ValueError(f"it has more than {_MOST} bytes")
    found: list[tuple[str, dict[str, str]]] = []
    for line in text.decode("utf-8").splitlines():
        word = line.partition("#")[0].strip()
        if word.startswith("[") and word.endswith("]"):
            found.append((word[1:-1], {}))
        elif word:
            if not found or "=" not in word:
                raise ValueError(f"a line is {word[:40]!r}")
            key, _, value = word.partition("=")
            found[-1][1][key.strip()] = value.strip()
    return [*found]


def _shapes(layers: list[Section]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Names and shapes of the arrays, in the order in which they lie in the file."""
    channels = int(dict(layers)["net"].get("channels", "3"))
    for number, options in enumerate(_convolutions(layers)):
        filters, size = int(options["filters"]), int(options["size"])
        if not (0 < filters <= 1 << 16 and 0 < size <= 16):
            raise ValueError(f"a convolution has {filters} filters of {size} × {size}")
        yield f"{number}.biases", (filters,)
        if _normalized(options):
            yield from ((f"{number}.{name}", (filters,)) for name in _BN)
        yield f"{number}.weights", (filters, channels, size, size)
        channels = filters


def _convolutions(layers: list[Section]) -> list[Mapping[str, str]]:
    return [options for name, options in layers if name == "convolutional"]


def _normalized(options: Mapping[str, str]) -> bool:
    return options.get("batch_normalize", "0") != "0"


def _anchors(layers: list[Section]) -> Host:
    """Heights and widths in cells."""
    anchors = [float(word) for word in dict(layers).get("region", {}).get("anchors", "").split(",") if word.strip()]
    return np.array(anchors, np.float32).reshape(-1, 2)[:, ::-1]


def _differences(layers: list[Section]) -> Iterator[str]:
    """The differences from a tiny YOLO, apart from anchors and numbers of filters of the last two convolutions."""
    names = [name for name, _ in layers[1:]]
    wanted = [*["convolutional", "maxpool"] * 6, *["convolutional"] * 3, "region"]
    if names != wanted:
        yield f"its layers are {', '.join(names)}; they should be {', '.join(wanted)}"
        return
    convolutions = _convolutions(layers)
    for number, (options, filters) in enumerate(zip(convolutions, (*_FILTERS, None, None), strict=True)):
        last = number == len(convolutions) - 1
        right = {"size": "1", "activation": "linear"} if last else {"size": "3", "activation": "leaky", "pad": "1"}
        right |= {"stride": "1"} | ({} if filters is None else {"filters": str(filters)})
        for key, value in right.items():
            if options.get(key) != value:
                yield f"convolution {number} has {key} = {options.get(key)}; it should be {value}"
        if _normalized(options) == last:
            yield f"convolution {number} has batch normalization{'' if last else ' not'}; it should be the opposite"
    pools = [(options.get("size"), options.get("stride")) for name, options in layers if name == "maxpool"]
    if pools != [("2", "2")] * 5 + [("2", "1")]:
        yield f"sizes and strides of its maxpool are {pools}"
    region = dict(layers)["region"]
    boxes, classes = len(_anchors(layers)), region.get("classes")
    outputs = convolutions[-1]["filters"]
    if not boxes or not (classes or "").isdecimal() or int(outputs) != boxes * (5 + int(classes or 0)):
        yield f"{outputs} filters at the end are not {boxes} anchors times 5 and {classes} classes"


def box_by_box(array: Host, n_box: int = 5) -> Host:
    """The last convolution's filters or biases: x, y, width, height of each box become y, x, height, width."""
    boxes = array.reshape(n_box, -1, *array.shape[1:])
    order = [1, 0, 3, 2, *range(4, boxes.shape[1])]
    return boxes[:, order].reshape(array.shape)


def _gamma(scales: Host, variance: Host) -> Host:
    """Darknet divides by ``sqrt(variance) + 1e-6`` (``normalize_cpu``), Renga by ``sqrt(variance + 2e-5)``."""
    wide = variance.astype(np.float64)
    made: Host = scales * np.sqrt(wide + _EPS) / (np.sqrt(wide) + 1e-6)
    return made


def tiny(n_out: int, anchors: Host, width: int) -> Link:
    """A tiny YOLO whose last convolution has `n_out` filters."""
    return YOLOv2Tiny(n_out // len(anchors) - 5, anchors=anchors, width=width)


def _arguments(arrays: Mapping[str, Host]) -> dict[str, Any]:
    return {"anchors": arrays["anchors"], "width": arrays["7.weights"].shape[0]}


def _sources() -> dict[str, Source]:
    sources: dict[str, Source] = {}
    for i in range(8):
        path = f"extractor/{i}"
        sources |= {
            f"{path}/conv/W": Source(f"{i}.weights"),
            f"{path}/bn/gamma": Source(f"{i}.scales", _gamma, (f"{i}.rolling_variance",)),
            f"{path}/bn/beta": Source(f"{i}.biases"),
            f"{path}/bn/avg_mean": Source(f"{i}.rolling_mean"),
            f"{path}/bn/avg_var": Source(f"{i}.rolling_variance"),
        }
    return sources | {
        "subnet/W": Source("8.weights", _by_anchor, ("anchors",)),
        "subnet/b": Source("8.biases", _by_anchor, ("anchors",)),
    }


def _by_anchor(array: Host, anchors: Host) -> Host:
    return box_by_box(array, len(anchors))


DETECTORS: dict[str, Recipe] = {
    "yolov2_tiny": Recipe(
        network=tiny,
        sources=_sources(),
        classes="8.biases",
        summary="renga.cv.experimental.links.YOLOv2Tiny({network.n_fg_class}, {weights})",
        model="yolo_v2_tiny --set model.n_out={network.n_fg_class}",
        read=_arguments,
    )
}
"""The recipes, under Darknet's names."""
