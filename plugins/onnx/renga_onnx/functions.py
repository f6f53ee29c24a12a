"""Converters under ONNX-Chainer's names, for converters of programs that call them.

ONNX-Chainer has one per function class of Chainer. Renga's functions have other classes, and many are composed of
simpler functions. So each of these converts any function that Renga can export.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onnx import NodeProto

from renga_onnx.context import Context
from renga_onnx.exporting.conversion import convert

_NAMES = """
    Absolute Add AddConstant Arccos Arcsin Arctan ArgMax ArgMin AveragePooling2D AveragePoolingND
    BatchNormalization BroadcastTo Cast Clip ClippedReLU Concat Convolution2DFunction ConvolutionND Copy Cos
    Cosh Deconvolution2DFunction DeconvolutionND Depth2Space Div DivFromConstant Dropout Dstack ELU
    EmbedIDFunction Exp ExpandDims FixedBatchNormalization GetItem GroupNormalization HardSigmoid Hstack
    Identity LeakyReLU LinearFunction LinearInterpolate LocalResponseNormalization Log LogSoftmax LogSumExp
    MatMul Max MaxPooling2D MaxPoolingND Maximum Mean Min Minimum Moveaxis Mul MulConstant Neg NormalizeL2
    PReLUFunction Pad Permutate PowConstVar PowVarConst PowVarVar Prod ROIPooling2D ReLU Repeat Reshape
    ResizeImages Rollaxis RsqrtGPU SelectItem Selu Separate Shape Sigmoid Sin Sinh Softmax SoftmaxCrossEntropy
    Softplus Space2Depth SplitAxis Sqrt Square Squeeze Stack Sub SubFromConstant Sum Swapaxes Tan Tanh Tile
    Transpose TransposeSequence Unpooling2D Vstack Where n_step_gru sign
"""

__all__ = [f"convert_{name}" for name in _NAMES.split()]


def _convert(
    func: Any, opset_version: int, input_names: Sequence[str], output_names: Sequence[str], context: Context
) -> tuple[NodeProto, ...]:
    """Return the nodes of a function that is being exported.

    Args:
        func: The function, as passed to an external converter.
        opset_version: Opset to write.
        input_names, output_names: Names of its arrays.
        context: The graph.
    """
    return convert(func, opset_version, input_names, output_names, context)


globals().update(dict.fromkeys(__all__, _convert))
