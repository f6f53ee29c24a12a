"""Chainer's labels and class names of functions, for drawings, tables of hooks and converters."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from renga_core.graph import FunctionNode
from renga_core.graph.operators import arithmetic
from renga_nn.function_hooks import TimerHook
from renga_nn.functions.connection.convolution import Convolution, Deconvolution
from renga_nn.functions.pooling.window_sum import WindowSpread, WindowSum

__all__ = ["ADDITIONS", "NAMES"]

_NAMES = {
    "renga_core.graph.operators.arithmetic": {
        "Divide": "Div",
        "DivideByConstant": "MulConstant",
        "DivideConstant": "DivFromConstant",
        "Multiply": "Mul",
        "MultiplyConstant": "MulConstant",
        "Negative": "Neg",
        "Power": "PowVarVar",
        "PowerOfConstant": "PowConstVar",
        "PowerOfVariable": "PowVarConst",
        "Subtract": "Sub",
    },
    "renga_nn.functions.activation.prelu": {"PReLU": "PReLUFunction"},
    "renga_nn.functions.array.concat": {"Split": "SplitAxis"},
    "renga_nn.functions.array.resize_images": {"Resample": "ResizeImages"},
    "renga_nn.functions.connection.convolution": {
        "Convolution": "Convolution2DFunction",
        "Deconvolution": "Deconvolution2DFunction",
    },
    "renga_nn.functions.connection.embed_id": {"EmbedID": "EmbedIDFunction"},
    "renga_nn.functions.connection.linear": {"Linear": "LinearFunction"},
    "renga_nn.functions.math.cumulative": {"CumProd": "Cumprod", "CumSum": "Cumsum"},
    "renga_nn.functions.math.error_function": {"Erfcinv": "ErfcInv", "Erfinv": "ErfInv"},
    "renga_nn.functions.math.exponential": {"Rsqrt": "DivFromConstant"},
    "renga_nn.functions.math.fourier": {"Fft": "FFT", "Ifft": "FFT"},
    "renga_nn.functions.math.gamma_function": {"Digamma": "DiGamma", "Polygamma": "PolyGamma"},
    "renga_nn.functions.math.hyperbolic": {"ArcTanh": "Arctanh"},
    "renga_nn.functions.math.rounding": {"FMod": "Fmod"},
    "renga_nn.functions.math.trigonometric": {
        "ArcCos": "Arccos",
        "ArcSin": "Arcsin",
        "ArcTan": "Arctan",
        "ArcTan2": "Arctan2",
    },
    "renga_nn.functions.pooling.max_pooling": {"MaxPooling": "MaxPoolingND"},
    "renga_nn.functions.pooling.window_sum": {"WindowSum": "AveragePooling2D", "WindowSpread": "Unpooling2D"},
}
"""Class names that differ. They are also the labels, except for the functions below."""

_LABELS = {
    "renga_core.graph.operators.arithmetic": {
        "Absolute": "|_|",
        "Add": "_ + _",
        "Divide": "_ / _",
        "Log": "log",
        "Multiply": "_ * _",
        "Negative": "__neg__",
        "Power": "_ ** _",
        "Subtract": "_ - _",
    },
    "renga_nn.functions.math.error_function": {
        "Erf": "erf",
        "Erfc": "erfc",
        "Erfcinv": "erfcinv",
        "Erfcx": "erfcx",
        "Erfinv": "erfinv",
    },
    "renga_nn.functions.math.exponential": {
        "Exp": "exp",
        "Expm1": "expm1",
        "Log": "log",
        "Log10": "log10",
        "Log1p": "log1p",
        "Log2": "log2",
        "Rsqrt": "1.0 / _",
        "Sqrt": "sqrt",
    },
    "renga_nn.functions.math.gamma_function": {"Digamma": "digamma", "LGamma": "lgamma", "Polygamma": "polygamma"},
    "renga_nn.functions.math.hyperbolic": {"Cosh": "cosh", "Sinh": "sinh"},
    "renga_nn.functions.math.normal_distribution": {"LogNdtr": "log_ndtr", "Ndtr": "ndtr", "Ndtri": "ndtri"},
    "renga_nn.functions.math.rounding": {"FMod": "fmod"},
    "renga_nn.functions.math.square": {"Square": "square"},
    "renga_nn.functions.math.trigonometric": {
        "ArcCos": "arccos",
        "ArcSin": "arcsin",
        "ArcTan": "arctan",
        "ArcTan2": "arctan2",
        "Cos": "cos",
        "Sin": "sin",
        "Tan": "tan",
    },
}


def _with_constant(pattern: str, value: Callable[[Any], Any] = lambda constant: constant) -> property:
    """A label that contains the constant, in parentheses if it is negative."""

    def label(self: arithmetic.WithConstant) -> str:
        constant = value(self.constant)
        text = str(constant)
        return pattern.format(f"({text})" if text.startswith("-") else text)

    return property(label)


def _for_images(strides: str, name: str, for_others: str) -> property:
    """One label for two spatial axes, and another for other numbers; `strides` has a value per axis."""
    read = attrgetter(strides)

    def label(self: FunctionNode) -> str:
        return name if len(read(self)) == 2 else for_others

    return property(label)


_BY_AXES = {
    Convolution: _for_images("geometry.stride", "Convolution2DFunction", "ConvolutionND"),
    Deconvolution: _for_images("geometry.stride", "Deconvolution2DFunction", "DeconvolutionND"),
    WindowSum: _for_images("window.stride", "AveragePooling2D", "AveragePoolingND"),
    WindowSpread: _for_images("window.stride", "Unpooling2D", "UnpoolingND"),
}

NAMES: dict[type, str] = {
    getattr(importlib.import_module(module), name): theirs
    for module, classes in _NAMES.items()
    for name, theirs in classes.items()
}
"""Maps Renga's classes to their names in Chainer."""

ADDITIONS: list[tuple[Any, str, Any]] = [
    *[(cls, "__name__", theirs) for cls, theirs in NAMES.items()],
    *[
        (getattr(importlib.import_module(module), name), "label", label)
        for table in (_NAMES, _LABELS)
        for module, labels in table.items()
        for name, label in labels.items()
    ],
    (arithmetic.AddConstant, "label", _with_constant("_ + {}")),
    (arithmetic.MultiplyConstant, "label", _with_constant("_ * {}")),
    (arithmetic.DivideByConstant, "label", _with_constant("_ * {}", lambda constant: 1.0 / constant)),
    (arithmetic.DivideConstant, "label", _with_constant("{} / _")),
    (arithmetic.PowerOfVariable, "label", _with_constant("_ ** {}")),
    (arithmetic.PowerOfConstant, "label", _with_constant("{} ** _")),
    *[(cls, name, value) for cls, value in _BY_AXES.items() for name in ("label", "_impl_name")],
    (TimerHook, "_name_of", staticmethod(attrgetter("_impl_name"))),
]
