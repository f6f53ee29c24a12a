"""ONNX export and import: networks as files that other programs run.

- `load/`: import. Its guide says more.
- `exporting/`: export. `exporting.network`: `export`, for users; `exporting.testcase`: `export_testcase`;
  `exporting.recording`: runs the network and records its functions; `exporting.conversion`: turns the record into a
  graph.
- `converters/`: ONNX equivalents of Renga's functions, by families. Functions of other packages have a method
  ``to_onnx``.
- `replace_func`: exports several functions as one node. `context`, `onnx_helper`, `functions`, `testing`: the interface
  for converters that were written for ONNX-Chainer.
- `plugin`: what this package registers. Listing it imports neither onnx nor NumPy.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "MAXIMUM_OPSET_VERSION": "exporting.network",
    "MINIMUM_OPSET_VERSION": "exporting.network",
    "convert_parameter": "context",
    "export": "exporting.network",
    "export_testcase": "exporting.testcase",
}


def __getattr__(name: str) -> Any:
    """ONNX-Chainer's names, imported at first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
