"""`import onnx_chainer` finds `renga_onnx`."""

import subprocess
import sys

import pytest

pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")

PROGRAM = """
import renga_chainer
renga_chainer.install()
import numpy as np
import chainer.functions as F
import onnx_chainer
from onnx_chainer import onnx_helper, replace_func
from onnx_chainer.functions import convert_ReLU
from onnx_chainer.testing import input_generator

x = input_generator.increasing(2, 3)
model = onnx_chainer.export(F.relu, x, opset_version=17)
assert [node.op_type for node in model.graph.node] == ["Relu", "Identity"]
assert set(onnx_chainer.__all__) >= {"export", "export_testcase"}
"""


def test_a_program_of_onnx_chainers():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
