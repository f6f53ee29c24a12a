"""Labels of functions as Chainer has them, which drawings of graphs and the tables of hooks show."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from renga_core.graph.operators import arithmetic
from renga_nn.functions.connection.convolution import Convolution, Deconvolution

__all__ = ["ADDITIONS"]

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
    "renga_nn.functions.activation.prelu": {"PReLU": "PReLUFunction"},
    "renga_nn.functions.array.concat": {"Split": "SplitAxis"},
    "renga_nn.functions.array.resize_images": {"Resample": "ResizeImages"},
    "renga_nn.functions.connection.embed_id": {"EmbedID": "EmbedIDFunction"},
    "renga_nn.functions.connection.linear": {"Linear": "LinearFunction"},
    "renga_nn.functions.math.cumulative": {"CumProd": "Cumprod", "CumSum": "Cumsum"},
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
    "renga_nn.functions.math.gamma_function": {"Digamma": "digamma", "LGamma": "lgamma"},
    "renga_nn.functions.math.hyperbolic": {"ArcTanh": "Arctanh", "Cosh": "cosh", "Sinh": "sinh"},
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
    "renga_nn.functions.pooling.max_pooling": {"MaxPooling": "MaxPoolingND"},
}


def _with_constant(pattern: str, value: Callable[[Any], Any] = lambda constant: constant) -> property:
    """A label with the constant in it; in parentheses if it is negative."""

    def label(self: arithmetic.WithConstant) -> str:
        constant = value(self.constant)
        text = str(constant)
        return pattern.format(f"({text})" if text.startswith("-") else text)

    return property(label)


def _for_images(name: str, for_others: str) -> property:
    """One label where there are two spatial axes, another where there are not."""

    def label(self: Convolution | Deconvolution) -> str:
        return name if not self.inputs or len(self.inputs[0].shape) == 4 else for_others

    return property(label)


ADDITIONS: list[tuple[Any, str, Any]] = [
    *[
        (getattr(importlib.import_module(module), name), "label", label)
        for module, labels in _LABELS.items()
        for name, label in labels.items()
    ],
    (arithmetic.AddConstant, "label", _with_constant("_ + {}")),
    (arithmetic.MultiplyConstant, "label", _with_constant("_ * {}")),
    (arithmetic.DivideByConstant, "label", _with_constant("_ * {}", lambda constant: 1.0 / constant)),
    (arithmetic.DivideConstant, "label", _with_constant("{} / _")),
    (arithmetic.PowerOfVariable, "label", _with_constant("_ ** {}")),
    (arithmetic.PowerOfConstant, "label", _with_constant("{} ** _")),
    (Convolution, "label", _for_images("Convolution2DFunction", "ConvolutionND")),
    (Deconvolution, "label", _for_images("Deconvolution2DFunction", "DeconvolutionND")),
]
