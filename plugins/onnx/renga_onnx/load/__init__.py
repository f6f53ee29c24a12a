"""ONNX files as links.

`load` reads a file; what comes out is a link that computes what the file says, and can be trained.

- `reading`: from a file to a `graph`, checked as a whole; `tensors`: its arrays, and those in files beside it;
  `inlining`: functions that the file defines.
- `model`: `OnnxModel`, the link: parameters, and how a graph is computed.
- `operators`: what computes each operator; start there to add one.
"""

from __future__ import annotations

import os

from renga_onnx.load.model import NodeFailed, OnnxModel
from renga_serializers.optional import require

__all__ = ["NodeFailed", "OnnxModel", "load"]


def load(path: str | os.PathLike[str]) -> OnnxModel:
    """A network from an ONNX file.

    All that is in the file is checked first, and nothing in it is executed. Weights may stand in other files, in the
    folder of this one or below.

    Args:
        path: The file, of opset 7 to 21.

    Returns:
        A link. It takes the inputs of the file by position or by name, of any size where the file leaves it open.

    Raises:
        RengaError: The package onnx is not installed.
        FileDamaged: The file is not an ONNX file, or something in it makes no sense.
        OperatorsNotSupported: It has operators that are not known; all of them are listed. It is a FileRefused.
        OSError: It cannot be opened.
    """
    require("onnx", "renga.onnx.load", "onnx")
    from renga_onnx.load.reading import read

    return OnnxModel(read(path), os.fspath(path))
