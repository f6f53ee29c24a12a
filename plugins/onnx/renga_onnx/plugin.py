"""What this plugin registers: links from ONNX files, the plugin kind of converters, and the public module."""

from typing import Any

from renga_core.plugin import Kind, Namespace, Provider, hookimpl
from renga_onnx.kind import ONNX_CONVERTER


@hookimpl
def renga_kinds() -> list[Kind[Any]]:
    """Converters to ONNX."""
    return [ONNX_CONVERTER]


@hookimpl
def renga_models() -> list[Provider]:
    """The link that computes an ONNX file."""
    return [
        Provider(
            "onnx",
            "renga_onnx.load:load",
            1,
            "a network from an ONNX file, of opset 7 to 21: path",
            needs=("onnx",),
            install_hint="pip install 'renga[onnx]'",
        )
    ]


@hookimpl
def renga_namespaces() -> list[Namespace]:
    """The public module `renga.onnx`."""
    return [
        Namespace(
            "renga.onnx",
            needs=("onnx",),
            install_hint="pip install 'renga[onnx]'",
            names={
                "renga_onnx.checking": "Difference NotTheSame Report check",
                "renga_onnx.exporting.network": "MAXIMUM_OPSET_VERSION MINIMUM_OPSET_VERSION export",
                "renga_onnx.exporting.testcase": "export_testcase",
                "renga_onnx.load": "OnnxModel load",
                "renga_onnx.replace_func": "as_funcnode fake_as_funcnode",
            },
        )
    ]
