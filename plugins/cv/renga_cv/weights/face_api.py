"""The face detector of face-api.js: a tiny YOLO of the second version with one class.

Its ``.weights`` file contains the numbers of all layers in sequence, float32, without a header or names; filters are
(height, width, in, out). So it is recognized by its length (``src/tinyYolov2/extractParams.ts``, of version 0.10).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from renga_cv.weights.darknet import box_by_box, tiny
from renga_cv.weights.layout import length, split
from renga_cv.weights.recipe import Host, Recipe, Source

__all__ = ["FACES", "is_face_api", "read_face_api"]

_CHANNELS = (3, 16, 32, 64, 128, 256, 512, 1024, 1024)
_EPS = 2e-5  # default of batch normalization in Renga
# Widths and heights in cells: src/tinyYolov2/config.ts.
_ANCHORS = ((0.738768, 0.874946), (2.42204, 2.65704), (4.30971, 7.04493), (10.246, 4.59428), (12.6868, 11.8741))


def _shapes() -> Iterator[tuple[str, tuple[int, ...]]]:
    for i, (n_in, n_out) in enumerate(pairwise(_CHANNELS)):
        yield f"conv{i}/filters", (3, 3, n_in, n_out)
        yield from ((f"conv{i}/{name}", (n_out,)) for name in ("bias", "bn/sub", "bn/truediv"))
    yield "conv8/filters", (1, 1, _CHANNELS[-1], len(_ANCHORS) * 6)
    yield "conv8/bias", (len(_ANCHORS) * 6,)


def is_face_api(file: str) -> bool:
    """Whether a file has the length that these weights have."""
    return os.stat(file).st_size == length(_shapes())


def read_face_api(file: str) -> dict[str, Host]:
    """The arrays, by their names in face-api.js. Raises OSError if the file cannot be read."""
    with open(file, "rb") as opened:
        return split(opened.read(length(_shapes())), _shapes())


def _filters(array: Host) -> Host:
    return array.transpose(3, 2, 0, 1)


def _last_filters(array: Host) -> Host:
    return box_by_box(_filters(array))


def _variance(factor: Host) -> Host:
    """Values of a batch normalization that divides by 1; the factor of face-api.js is `gamma`."""
    return np.full(factor.shape, 1 - _EPS, np.float32)


def _sources() -> dict[str, Source]:
    sources: dict[str, Source] = {}
    for i in range(8):
        path, name = f"extractor/{i}", f"conv{i}"
        sources |= {
            f"{path}/conv/W": Source(f"{name}/filters", _filters),
            f"{path}/bn/gamma": Source(f"{name}/bn/truediv"),
            f"{path}/bn/beta": Source(f"{name}/bias"),
            f"{path}/bn/avg_mean": Source(f"{name}/bn/sub"),
            f"{path}/bn/avg_var": Source(f"{name}/bn/truediv", _variance),
        }
    return sources | {
        "subnet/W": Source("conv8/filters", _last_filters),
        "subnet/b": Source("conv8/bias", box_by_box),
    }


def _arguments(_: Mapping[str, Host]) -> dict[str, Any]:
    return {"anchors": np.array(_ANCHORS, np.float32)[:, ::-1], "width": _CHANNELS[-1]}


FACES: dict[str, Recipe] = {
    "face_api_tiny_yolov2": Recipe(
        network=tiny,
        sources=_sources(),
        classes="conv8/bias",
        summary="renga.cv.experimental.links.YOLOv2Tiny({network.n_fg_class}, {weights})",
        model="yolo_v2_tiny --set model.n_out={network.n_fg_class}",
        read=_arguments,
    )
}
"""The recipe, under the name of the file."""
