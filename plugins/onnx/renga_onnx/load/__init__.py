"""Imports ONNX files as links.

`load` reads a file and returns a link that computes the graph and can be trained.

- `reading`: turns a file into a `graph` and validates it; `tensors`: its arrays, also those in other files; `inlining`:
  functions that the file defines.
- `model`: `OnnxModel`, the link with the parameters, which computes the graph.
- `operators`: implementations of the operators; start there to add one.
"""

from __future__ import annotations

import os

from renga_onnx.load.model import NodeFailed, OnnxModel
from renga_serializers.optional import require

__all__ = ["NodeFailed", "OnnxModel", "load"]


def load(path: str | os.PathLike[str]) -> OnnxModel:
    """Load a network from an ONNX file.

    The whole file is checked first, and nothing in it is executed. Weights may be in other files, in the same folder or
    below.

    Args:
        path: The file, of opset 7 to 21.

    Returns:
        A link. It takes the inputs by position or by name, of any size that the file leaves open.

    Raises:
        RengaError: The package onnx is not installed.
        FileDamaged: The file is not an ONNX file, or its content is invalid.
        OperatorsNotSupported: Some operators are not supported; the message lists all. It is a FileRefused.
        OSError: The file cannot be opened.
    """
    require("onnx", "renga.onnx.load", "onnx")
    from renga_onnx.load.reading import read

    return OnnxModel(read(path), os.fspath(path))
