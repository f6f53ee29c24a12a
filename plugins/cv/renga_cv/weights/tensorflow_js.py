"""The arrays of a network in the layout of TensorFlow.js: ``model.json`` has their names, files beside it their values.

``weightsManifest`` in ``model.json`` is a list of groups: ``paths``, the files whose bytes are joined, and ``weights``,
the name, shape and dtype of each array, in their order. The graph in the same file is ignored.
"""

from __future__ import annotations

import json
import os
from pathlib import Path, PurePosixPath
from typing import Any

from renga_core.serializers import FileDamaged, FileRefused
from renga_cv.weights.layout import length, split
from renga_cv.weights.recipe import Host

__all__ = ["read_tensorflow_js"]

_KIND = "a model.json of TensorFlow.js"
_MOST = 1 << 26  # bytes of a model.json: those of the largest networks have a few millions


def read_tensorflow_js(file: str) -> dict[str, Host]:
    """The arrays, by name.

    Args:
        file: ``model.json``.

    Raises:
        FileDamaged: It has another format, or the files beside it have a wrong length.
        FileRefused: An array is not float32, or is quantized; or a file is in another folder.
        OSError: A file cannot be read.
    """
    with open(file, "rb") as opened:
        text = opened.read(_MOST + 1)
    arrays: dict[str, Host] = {}
    try:
        if len(text) > _MOST:
            raise ValueError(f"it has more than {_MOST} bytes")
        groups = [(group["paths"], _shapes(file, group["weights"])) for group in json.loads(text)["weightsManifest"]]
        for paths, shapes in groups:
            arrays |= split(_joined(file, paths, length(shapes)), shapes)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        if isinstance(error, FileRefused):
            raise
        raise FileDamaged(file, f"{type(error).__name__}: {error}", _KIND) from error
    return arrays


def _shapes(file: str, weights: Any) -> list[tuple[str, tuple[int, ...]]]:
    found = []
    for each in weights:
        name, shape = str(each["name"]), tuple(each["shape"])
        if each["dtype"] != "float32" or "quantization" in each:
            kind = "quantized" if "quantization" in each else each["dtype"]
            raise FileRefused(file, f"{name} is {kind}; only float32 can be converted")
        if not all(isinstance(size, int) and size >= 0 for size in shape):
            raise ValueError(f"{name} has shape {shape}")
        found.append((name, shape))
    return found


def _joined(file: str, paths: Any, wanted: int) -> bytes:
    """The joined contents of files beside `file`."""
    for path in paths:
        if PurePosixPath(path).name != path or "\\" in path:
            raise FileRefused(file, f"it names the file {path!r}, which is not in the same folder")
    beside = [Path(file).with_name(path) for path in paths]
    size = sum(os.stat(path).st_size for path in beside)
    if size != wanted:
        raise ValueError(f"the {len(beside)} files that it names have {size} bytes, but its arrays need {wanted}")
    return b"".join(path.read_bytes() for path in beside)
