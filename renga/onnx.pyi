# Written by `renga stubs`: names that are looked up when they are used, and where each is.

from renga_onnx import export as export
from renga_onnx import export_testcase as export_testcase
from renga_onnx.load import OnnxModel as OnnxModel
from renga_onnx.load import load as load

__all__ = [
    "OnnxModel",
    "export",
    "export_testcase",
    "load",
]
