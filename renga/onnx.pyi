# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_onnx.checking import Difference as Difference
from renga_onnx.checking import NotTheSame as NotTheSame
from renga_onnx.checking import Report as Report
from renga_onnx.checking import check as check
from renga_onnx.exporting.network import MAXIMUM_OPSET_VERSION as MAXIMUM_OPSET_VERSION
from renga_onnx.exporting.network import MINIMUM_OPSET_VERSION as MINIMUM_OPSET_VERSION
from renga_onnx.exporting.network import export as export
from renga_onnx.exporting.testcase import export_testcase as export_testcase
from renga_onnx.load import OnnxModel as OnnxModel
from renga_onnx.load import load as load
from renga_onnx.replace_func import as_funcnode as as_funcnode
from renga_onnx.replace_func import fake_as_funcnode as fake_as_funcnode

__all__ = [
    "Difference",
    "MAXIMUM_OPSET_VERSION",
    "MINIMUM_OPSET_VERSION",
    "NotTheSame",
    "OnnxModel",
    "Report",
    "as_funcnode",
    "check",
    "export",
    "export_testcase",
    "fake_as_funcnode",
    "load",
]
