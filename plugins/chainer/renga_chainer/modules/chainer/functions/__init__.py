"""``chainer.functions``: besides Renga's, classes of functions under Chainer's names, and functions behind operators.

The classes are Renga's. They answer ``isinstance(variable.creator, LinearFunction)``; to compute, call the functions.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from typing import Any

from renga_chainer.additions.old_arguments import refusing
from renga_core.graph import Variable
from renga_nn import functions as F

_NN = "renga_nn.functions."
_CORE = "renga_core.graph.operators."

_CLASSES = {
    "Absolute": f"{_CORE}arithmetic:Absolute",
    "Add": f"{_CORE}arithmetic:Add",
    "AddConstant": f"{_CORE}arithmetic:AddConstant",
    "Arccos": f"{_NN}math.trigonometric:ArcCos",
    "Arcsin": f"{_NN}math.trigonometric:ArcSin",
    "Arctan": f"{_NN}math.trigonometric:ArcTan",
    "Arctan2": f"{_NN}math.trigonometric:ArcTan2",
    "Arctanh": f"{_NN}math.hyperbolic:ArcTanh",
    "AveragePooling2D": f"{_NN}pooling.window_sum:WindowSum",
    "AveragePoolingND": f"{_NN}pooling.window_sum:WindowSum",
    "BatchL2NormSquared": f"{_NN}math.square:BatchL2NormSquared",
    "BatchMatMul": f"{_CORE}product:MatMul",
    "BatchNormalization": f"{_NN}normalization.batch_normalization:BatchNormalization",
    "BroadcastTo": f"{_CORE}shape:BroadcastTo",
    "Cast": f"{_CORE}shape:Cast",
    "Cholesky": f"{_NN}math.linear_algebra:Cholesky",
    "Clip": f"{_NN}math.extremes:Clip",
    "ClippedReLU": f"{_NN}activation.clipped_relu:ClippedReLU",
    "Concat": f"{_NN}array.concat:Concat",
    "Convolution2DFunction": f"{_NN}connection.convolution:Convolution",
    "ConvolutionND": f"{_NN}connection.convolution:Convolution",
    "Copy": f"{_NN}array.copy:Copy",
    "Cos": f"{_NN}math.trigonometric:Cos",
    "Cosh": f"{_NN}math.hyperbolic:Cosh",
    "Cumprod": f"{_NN}math.cumulative:CumProd",
    "Cumsum": f"{_NN}math.cumulative:CumSum",
    "Deconvolution2DFunction": f"{_NN}connection.convolution:Deconvolution",
    "DeconvolutionND": f"{_NN}connection.convolution:Deconvolution",
    "DiGamma": f"{_NN}math.gamma_function:Digamma",
    "Div": f"{_CORE}arithmetic:Divide",
    "DivFromConstant": f"{_CORE}arithmetic:DivideConstant",
    "Dropout": f"{_NN}noise.dropout:Dropout",
    "ELU": f"{_NN}activation.elu:ELU",
    "EmbedIDFunction": f"{_NN}connection.embed_id:EmbedID",
    "Erf": f"{_NN}math.error_function:Erf",
    "Erfc": f"{_NN}math.error_function:Erfc",
    "ErfcInv": f"{_NN}math.error_function:Erfcinv",
    "Erfcx": f"{_NN}math.error_function:Erfcx",
    "ErfInv": f"{_NN}math.error_function:Erfinv",
    "Exp": f"{_NN}math.exponential:Exp",
    "Expm1": f"{_NN}math.exponential:Expm1",
    "FFT": f"{_NN}math.fourier:Fft",
    "FixedBatchNormalization": f"{_NN}normalization.batch_normalization:FixedBatchNormalization",
    "Flip": f"{_NN}array.flip:Flip",
    "Fmod": f"{_NN}math.rounding:FMod",
    "GetItem": f"{_CORE}shape:GetItem",
    "GetItemGrad": f"{_CORE}shape:GetItemGrad",
    "HardSigmoid": f"{_NN}activation.hard_sigmoid:HardSigmoid",
    "HuberLoss": f"{_NN}loss.huber_loss:HuberLoss",
    "Identity": f"{_NN}array.copy:Identity",
    "Im2Col": f"{_NN}array.im2col:Im2Col",
    "Inv": f"{_NN}math.linear_algebra:Inv",
    "LayerNormalization": f"{_NN}normalization.layer_normalization:LayerNormalization",
    "LeakyReLU": f"{_NN}activation.leaky_relu:LeakyReLU",
    "LGamma": f"{_NN}math.gamma_function:LGamma",
    "LinearFunction": f"{_NN}connection.linear:Linear",
    "LinearInterpolate": f"{_NN}math.arithmetic:LinearInterpolate",
    "Log": f"{_CORE}arithmetic:Log",
    "Log10": f"{_NN}math.exponential:Log10",
    "Log1p": f"{_NN}math.exponential:Log1p",
    "Log2": f"{_NN}math.exponential:Log2",
    "LogNdtr": f"{_NN}math.normal_distribution:LogNdtr",
    "LogSoftmax": f"{_NN}activation.log_softmax:LogSoftmax",
    "LogSumExp": f"{_NN}math.reduction:LogSumExp",
    "LSTM": f"{_NN}rnn.lstm:LSTM",
    "MatMul": f"{_CORE}product:MatMul",
    "Max": f"{_NN}math.reduction:Max",
    "Maximum": f"{_NN}math.extremes:Maximum",
    "MaxPoolingND": f"{_NN}pooling.max_pooling:MaxPooling",
    "MeanAbsoluteError": f"{_NN}loss.mean_error:MeanAbsoluteError",
    "MeanSquaredError": f"{_NN}loss.mean_error:MeanSquaredError",
    "Min": f"{_NN}math.reduction:Min",
    "Minimum": f"{_NN}math.extremes:Minimum",
    "Mul": f"{_CORE}arithmetic:Multiply",
    "MulConstant": f"{_CORE}arithmetic:MultiplyConstant",
    "Ndtr": f"{_NN}math.normal_distribution:Ndtr",
    "Ndtri": f"{_NN}math.normal_distribution:Ndtri",
    "Neg": f"{_CORE}arithmetic:Negative",
    "Pad": f"{_NN}array.pad:Pad",
    "PadSequence": f"{_NN}array.pad_sequence:PadSequence",
    "Permutate": f"{_NN}array.permutate:Permutate",
    "PolyGamma": f"{_NN}math.gamma_function:Polygamma",
    "PowConstVar": f"{_CORE}arithmetic:PowerOfConstant",
    "PowVarConst": f"{_CORE}arithmetic:PowerOfVariable",
    "PowVarVar": f"{_CORE}arithmetic:Power",
    "PReLUFunction": f"{_NN}activation.prelu:PReLU",
    "Prod": f"{_NN}math.cumulative:Prod",
    "ReLU": f"{_NN}activation.relu:ReLU",
    "Reshape": f"{_CORE}shape:Reshape",
    "ResizeImages": f"{_NN}array.resize_images:Resample",
    "Separate": f"{_NN}array.stack:Separate",
    "Shift": f"{_NN}connection.shift:Shift",
    "Sigmoid": f"{_NN}activation.sigmoid:Sigmoid",
    "SigmoidCrossEntropy": f"{_NN}loss.sigmoid_cross_entropy:SigmoidCrossEntropy",
    "Sin": f"{_NN}math.trigonometric:Sin",
    "Sinh": f"{_NN}math.hyperbolic:Sinh",
    "SLSTM": f"{_NN}rnn.tree_lstm:SLSTM",
    "Softmax": f"{_NN}activation.softmax:Softmax",
    "SoftmaxCrossEntropy": f"{_NN}loss.softmax_cross_entropy:SoftmaxCrossEntropy",
    "Softplus": f"{_NN}activation.softplus:Softplus",
    "SplitAxis": f"{_NN}array.concat:Split",
    "Sqrt": f"{_NN}math.exponential:Sqrt",
    "Square": f"{_NN}math.square:Square",
    "Stack": f"{_NN}array.stack:Stack",
    "Sub": f"{_CORE}arithmetic:Subtract",
    "Sum": f"{_CORE}reduction:Sum",
    "SumTo": f"{_CORE}shape:SumTo",
    "Tan": f"{_NN}math.trigonometric:Tan",
    "Tanh": f"{_NN}activation.tanh:Tanh",
    "Transpose": f"{_CORE}shape:Transpose",
    "TreeLSTM": f"{_NN}rnn.tree_lstm:TreeLSTM",
    "Where": f"{_NN}array.where:Where",
    "Zeta": f"{_NN}math.gamma_function:Zeta",
}
"""Renga's class for each name of Chainer's that has one."""

_OPERATORS = [
    "argone",
    "div",
    "fbeta_score",
    "floordiv",
    "mul",
    "neg",
    "n_step_gru_base",
    "n_step_lstm_base",
    "n_step_rnn_base",
    "pow",
    "rdiv",
    "rfloordiv",
    "rmatmul",
    "rpow",
    "rsub",
    "sub",
]
_OLD_ARGUMENTS = {
    "batch_normalization": ("train",),
    "convolution_2d": ("deterministic",),
    "deconvolution_2d": ("deterministic",),
    "dropout": ("train",),
    "n_step_bigru": ("train", "use_cudnn"),
    "n_step_bilstm": ("train", "use_cudnn"),
    "n_step_birnn": ("train", "use_cudnn"),
    "n_step_gru": ("train", "use_cudnn"),
    "n_step_lstm": ("train", "use_cudnn"),
    "n_step_rnn": ("train", "use_cudnn"),
    "rrelu": ("train",),
    "zoneout": ("train",),
}
"""Arguments that functions had in Chainer 1."""

__all__ = [*_CLASSES, *_OPERATORS, *_OLD_ARGUMENTS]


def __getattr__(name: str) -> Any:
    if name in _OLD_ARGUMENTS:
        return _refusing(name)
    if name not in _CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _CLASSES[name].partition(":")
    return getattr(importlib.import_module(module), attribute)


@functools.cache
def _refusing(name: str) -> Any:
    """Renga's function, made once, that refuses what it had in Chainer 1."""
    return refusing(getattr(F, name), *_OLD_ARGUMENTS[name])


def sub(self: Any, rhs: Any) -> Variable:
    """``self - rhs``."""
    made: Variable = self - rhs
    return made


def rsub(self: Any, rhs: Any) -> Variable:
    """``rhs - self``."""
    return sub(rhs, self)


def mul(self: Any, rhs: Any) -> Variable:
    """``self * rhs``."""
    made: Variable = self * rhs
    return made


def div(self: Any, rhs: Any) -> Variable:
    """``self / rhs``."""
    made: Variable = self / rhs
    return made


def rdiv(self: Any, rhs: Any) -> Variable:
    """``rhs / self``."""
    return div(rhs, self)


def floordiv(self: Any, rhs: Any) -> Variable:
    """``self // rhs``."""
    return F.floor(div(self, rhs))


def rfloordiv(self: Any, rhs: Any) -> Variable:
    """``rhs // self``."""
    return floordiv(rhs, self)


def pow(self: Any, rhs: Any) -> Variable:
    """``self ** rhs``."""
    made: Variable = self**rhs
    return made


def rpow(self: Any, rhs: Any) -> Variable:
    """``rhs ** self``."""
    return pow(rhs, self)


def neg(self: Any) -> Variable:
    """``-self``."""
    made: Variable = -self
    return made


def rmatmul(self: Any, rhs: Any) -> Variable:
    """``rhs @ self``."""
    return F.matmul(rhs, self)


def argone(iterable: Sequence[int]) -> list[int]:
    """Where the ones are."""
    return [i for i, x in enumerate(iterable) if x == 1]


def fbeta_score(precision: Any, recall: Any, beta: float = 1.0) -> Any:
    """``(1 + beta²) · precision · recall / (beta² · precision + recall)``."""
    square = beta * beta
    return (1 + square) * precision * recall / (square * precision + recall)


def n_step_rnn_base(
    n_layers: int,
    dropout_ratio: float,
    hx: Any,
    ws: Any,
    bs: Any,
    xs: Any,
    activation: str,
    use_bi_direction: bool,
) -> Any:
    """`n_step_birnn` or `n_step_rnn`."""
    function = F.n_step_birnn if use_bi_direction else F.n_step_rnn
    return function(n_layers, dropout_ratio, hx, ws, bs, xs, activation)


def n_step_gru_base(
    n_layers: int, dropout_ratio: float, hx: Any, ws: Any, bs: Any, xs: Any, use_bi_direction: bool
) -> Any:
    """`n_step_bigru` or `n_step_gru`."""
    return (F.n_step_bigru if use_bi_direction else F.n_step_gru)(n_layers, dropout_ratio, hx, ws, bs, xs)


def n_step_lstm_base(
    n_layers: int, dropout_ratio: float, hx: Any, cx: Any, ws: Any, bs: Any, xs: Any, use_bi_direction: bool
) -> Any:
    """`n_step_bilstm` or `n_step_lstm`."""
    return (F.n_step_bilstm if use_bi_direction else F.n_step_lstm)(n_layers, dropout_ratio, hx, cx, ws, bs, xs)
