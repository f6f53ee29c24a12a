"""``chainer.functions``: Renga's, function classes under Chainer's names, and functions behind operators.

The classes are Renga's, or those of `function_classes` if Chainer's have other arguments. They work in
``isinstance(variable.creator, LinearFunction)`` and ``LinearFunction().apply((x, W))``.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

from renga_chainer.function_classes import CLASSES
from renga_chainer.patches.deprecations import deprecated
from renga_chainer.patches.old_arguments import refusing
from renga_chainer.patches.single_sample import batch_normalization as batch_normalization
from renga_core.configuration import config
from renga_core.graph import Variable, as_array, as_variable
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
    "AveragePoolingND": f"{_NN}pooling.window_sum:WindowSum",
    "BatchL2NormSquared": f"{_NN}math.square:BatchL2NormSquared",
    "BatchMatMul": f"{_CORE}product:MatMul",
    "BroadcastTo": f"{_CORE}shape:BroadcastTo",
    "Cast": f"{_CORE}shape:Cast",
    "Cholesky": f"{_NN}math.linear_algebra:Cholesky",
    "Clip": f"{_NN}math.extremes:Clip",
    "ClippedReLU": f"{_NN}activation.clipped_relu:ClippedReLU",
    "Concat": f"{_NN}array.concat:Concat",
    "Copy": f"{_NN}array.copy:Copy",
    "Cos": f"{_NN}math.trigonometric:Cos",
    "Cosh": f"{_NN}math.hyperbolic:Cosh",
    "Cumprod": f"{_NN}math.cumulative:CumProd",
    "Cumsum": f"{_NN}math.cumulative:CumSum",
    "DiGamma": f"{_NN}math.gamma_function:Digamma",
    "Div": f"{_CORE}arithmetic:Divide",
    "DivFromConstant": f"{_CORE}arithmetic:DivideConstant",
    "Dropout": f"{_NN}noise.dropout:Dropout",
    "ELU": f"{_NN}activation.elu:ELU",
    "Erf": f"{_NN}math.error_function:Erf",
    "Erfc": f"{_NN}math.error_function:Erfc",
    "ErfcInv": f"{_NN}math.error_function:Erfcinv",
    "Erfcx": f"{_NN}math.error_function:Erfcx",
    "ErfInv": f"{_NN}math.error_function:Erfinv",
    "Exp": f"{_NN}math.exponential:Exp",
    "Expm1": f"{_NN}math.exponential:Expm1",
    "FFT": f"{_NN}math.fourier:Fft",
    "Flip": f"{_NN}array.flip:Flip",
    "Fmod": f"{_NN}math.rounding:FMod",
    "GetItem": f"{_CORE}shape:GetItem",
    "GetItemGrad": f"{_CORE}shape:GetItemGrad",
    "HardSigmoid": f"{_NN}activation.hard_sigmoid:HardSigmoid",
    "HuberLoss": f"{_NN}loss.huber_loss:HuberLoss",
    "Identity": f"{_NN}array.copy:Identity",
    "Inv": f"{_NN}math.linear_algebra:Inv",
    "LayerNormalization": f"{_NN}normalization.layer_normalization:LayerNormalization",
    "LeakyReLU": f"{_NN}activation.leaky_relu:LeakyReLU",
    "LGamma": f"{_NN}math.gamma_function:LGamma",
    "LinearInterpolate": f"{_NN}math.arithmetic:LinearInterpolate",
    "Log": f"{_CORE}arithmetic:Log",
    "Log10": f"{_NN}math.exponential:Log10",
    "Log1p": f"{_NN}math.exponential:Log1p",
    "Log2": f"{_NN}math.exponential:Log2",
    "LogNdtr": f"{_NN}math.normal_distribution:LogNdtr",
    "LogSoftmax": f"{_NN}activation.log_softmax:LogSoftmax",
    "LSTM": f"{_NN}rnn.lstm:LSTM",
    "MatMul": f"{_CORE}product:MatMul",
    "Maximum": f"{_NN}math.extremes:Maximum",
    "MaxPoolingND": f"{_NN}pooling.max_pooling:MaxPooling",
    "MeanAbsoluteError": f"{_NN}loss.mean_error:MeanAbsoluteError",
    "MeanSquaredError": f"{_NN}loss.mean_error:MeanSquaredError",
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
    "Sin": f"{_NN}math.trigonometric:Sin",
    "Sinh": f"{_NN}math.hyperbolic:Sinh",
    "SLSTM": f"{_NN}rnn.tree_lstm:SLSTM",
    "Softmax": f"{_NN}activation.softmax:Softmax",
    "Softplus": f"{_NN}activation.softplus:Softplus",
    "Sqrt": f"{_NN}math.exponential:Sqrt",
    "Square": f"{_NN}math.square:Square",
    "Stack": f"{_NN}array.stack:Stack",
    "Sub": f"{_CORE}arithmetic:Subtract",
    "SumTo": f"{_CORE}shape:SumTo",
    "Tan": f"{_NN}math.trigonometric:Tan",
    "Tanh": f"{_NN}activation.tanh:Tanh",
    "Transpose": f"{_CORE}shape:Transpose",
    "TreeLSTM": f"{_NN}rnn.tree_lstm:TreeLSTM",
    "Where": f"{_NN}array.where:Where",
    "Zeta": f"{_NN}math.gamma_function:Zeta",
}
"""Maps names of Chainer to Renga's classes with the same arguments."""

_OPERATORS = [
    "argone",
    "batch_matmul",
    "batch_normalization",
    "broadcast_to",
    "div",
    "fbeta_score",
    "fixed_batch_renormalization",
    "floordiv",
    "forget",
    "hinge",
    "mul",
    "neg",
    "n_step_gru_base",
    "n_step_lstm_base",
    "n_step_rnn_base",
    "pow",
    "rdiv",
    "repeat",
    "reshape",
    "rfloordiv",
    "rmatmul",
    "rpow",
    "rsub",
    "select_item",
    "spatial_pyramid_pooling_2d",
    "sub",
]
_OLD_ARGUMENTS = {
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
"""Arguments of functions in Chainer 1 only."""

_AS_CHAINER_COMPUTES = {
    "as_strided": "_strided",
    "classification_summary": "_summary",
    "discriminative_margin_based_clustering_loss": "_clustering",
    "f1_score": "_summary",
    "precision": "_summary",
    "recall": "_summary",
}
"""Functions whose results differ in Renga's own API, and the modules here that define them."""

__all__ = [*_AS_CHAINER_COMPUTES, *_CLASSES, *CLASSES, *_OPERATORS, *_OLD_ARGUMENTS]


def __getattr__(name: str) -> Any:
    if name in _OLD_ARGUMENTS:
        return _refusing(name)
    if name in _AS_CHAINER_COMPUTES:
        return getattr(importlib.import_module(f"{__name__}.{_AS_CHAINER_COMPUTES[name]}"), name)
    if name in CLASSES:
        return CLASSES[name]
    if name not in _CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _CLASSES[name].partition(":")
    return getattr(importlib.import_module(module), attribute)


@functools.cache
def _refusing(name: str) -> Any:
    """Wrap Renga's function, once, so that it refuses arguments of Chainer 1."""
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


def reshape(x: Any, shape: Sequence[int]) -> Variable:
    """Reshape `x`; if it has this shape already, return `x` itself, as a Variable."""
    return as_variable(x) if _has(x, shape) else F.reshape(x, shape)


def broadcast_to(x: Any, shape: Sequence[int]) -> Variable:
    """Broadcast `x`; if it has this shape already, return `x` itself, as a Variable."""
    return as_variable(x) if _has(x, shape) else F.broadcast_to(x, shape)


def repeat(x: Any, repeats: Any, axis: int | None = None) -> Variable:
    """Like Renga's.

    Raises:
        TypeError: `axis` is True or False.
    """
    if isinstance(axis, bool):
        raise TypeError("axis must be int or None")
    return F.repeat(x, repeats, axis)


def hinge(x: Any, t: Any, norm: str = "L1", reduce: str = "mean") -> Variable:
    """Like Renga's.

    Raises:
        NotImplementedError: `norm` has another value.
    """
    if norm not in ("L1", "L2"):
        raise NotImplementedError(f"norm should be either 'L1' or 'L2', not {norm!r}")
    return F.hinge(x, t, norm, reduce)


def select_item(x: Any, t: Any) -> Variable:
    """Like Renga's, but a negative label counts from the end: programs mask what they select for padding of -1.

    Raises:
        LabelOutOfRange: A label is too large or too small; in debug mode also if it is negative.
    """
    labels = as_array(t)
    if not config.debug and x.ndim == 2 and labels.dtype.kind == "i":
        size = x.shape[1]
        labels = labels + size * ((labels < 0) & (labels >= -size)).astype(labels.dtype)
    return F.select_item(x, labels)


def spatial_pyramid_pooling_2d(x: Any, pyramid_height: int, pooling: str | None = None) -> Variable:
    """Like Renga's.

    Raises:
        ValueError: `pooling` is not ``"max"``.
    """
    if pooling != "max":
        raise ValueError(f"Unsupported pooling operation: {pooling}")
    return F.spatial_pyramid_pooling_2d(x, pyramid_height, pooling)


batch_matmul = deprecated(F.batch_matmul, "batch_matmul is deprecated. Use matmul instead.")
fixed_batch_renormalization = deprecated(
    F.fixed_batch_renormalization,
    "fixed_batch_renormalization is deprecated. Use fixed_batch_normalization instead.",
)


def _has(x: Any, shape: Any) -> bool:
    return isinstance(shape, (tuple, list)) and getattr(x, "shape", None) == tuple(shape)


def forget(func: Callable[..., Any], *xs: Any) -> Any:
    """Like Renga's, but a tuple of one Variable becomes that Variable.

    Raises:
        RuntimeError: `func` does not return Variables.
    """

    def checked(*arguments: Variable) -> Any:
        returned = func(*arguments)
        outputs = returned if isinstance(returned, tuple) else (returned,)
        if not all(isinstance(y, Variable) for y in outputs):
            raise RuntimeError(f"A tuple of Variables or a Variable are expected, but {type(returned)} is returned.")
        return outputs[0] if len(outputs) == 1 else outputs

    return F.forget(checked, *xs)


def argone(iterable: Sequence[int]) -> list[int]:
    """Return the indices of ones."""
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
