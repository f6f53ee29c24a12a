"""ONNX, out and in: a network as a file that other programs run.

- `load/`: in. Its guide says more.
- `exporting/`: out. `exporting.network`: `export`, which users call; `exporting.testcase`: `export_testcase`;
  `exporting.recording`: the network is run, and what it computes is noted; `exporting.conversion`: that, as a graph.
- `converters/`: what each function of Renga's is in ONNX, by families. Functions of others have a method ``to_onnx``.
- `replace_func`: several functions as one node. `context`, `onnx_helper`, `functions`, `testing`: what converters that
  were written for ONNX-Chainer use.
- `plugin`: what this package offers to Renga. Listing it imports neither onnx nor NumPy.
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
    """ONNX-Chainer's names, imported when they are used."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
