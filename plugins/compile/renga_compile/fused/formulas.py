"""Elementwise formulas of functions, as text.

A function is found by the path of its exact class: a subclass may compute something else. tests/compile/fused compare
each formula with the function itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from renga_compile.fused.statements import kept_axes
from renga_core.graph import FunctionNode
from renga_core.graph.operators.shape import SumTo

__all__ = ["Formula", "FusedFunction", "formula_of", "summed_axes"]


@dataclass(frozen=True)
class Formula:
    """A function of one or two operands.

    Names: ``a`` and ``b`` operands, ``y`` the result, ``gy`` its gradient; others are attributes of the function, which
    are numbers. Functions: those of `renga_compile.fused.elementary`.

    Attributes:
        value: The result.
        gradients: With respect to each operand.
    """

    value: str
    gradients: tuple[str, ...]


@dataclass(frozen=True)
class FusedFunction:
    """A function of a recorded step whose gradients may become statements.

    Attributes:
        operands: Names of its inputs.
        result: Name of its output.
        formula: Its formula; None for sums and broadcasts.
    """

    operands: list[str]
    result: str
    formula: Formula | None


_ARITHMETIC = {
    "Add": Formula("a + b", ("gy", "gy")),
    "Subtract": Formula("a - b", ("gy", "-gy")),
    "Multiply": Formula("a * b", ("gy * b", "gy * a")),
    "Divide": Formula("a / b", ("gy / b", "-gy * a / (b * b)")),
    "Negative": Formula("-a", ("-gy",)),
    "Absolute": Formula("abs(a)", ("gy * sign(a)",)),
    "AddConstant": Formula("a + constant", ("gy",)),
    "MultiplyConstant": Formula("a * constant", ("gy * constant",)),
    "DivideByConstant": Formula("a / constant", ("gy / constant",)),
    "DivideConstant": Formula("constant / a", ("gy * -constant / (a * a)",)),
    "Log": Formula("log(a)", ("gy / a",)),
}
_SQUARE = Formula("a * a", ("gy * (constant * a)",))
_ACTIVATION = {
    "relu:ReLU": Formula("maximum(a, 0)", ("gy * positive(y)",)),
    "leaky_relu:LeakyReLU": Formula(
        "maximum(a, 0) + minimum(a, 0) * slope", ("gy * (positive(a) + (1 - positive(a)) * slope)",)
    ),
    "sigmoid:Sigmoid": Formula("sigmoid(a)", ("gy * y * (1 - y)",)),
    "tanh:Tanh": Formula("tanh(a)", ("gy * (1 - y * y)",)),
}
_MATH = {
    "exponential:Exp": Formula("exp(a)", ("gy * y",)),
    "exponential:Log": Formula("log(a)", ("gy / a",)),
    "exponential:Sqrt": Formula("sqrt(a)", ("gy * 0.5 / y",)),
    "exponential:Rsqrt": Formula("1 / sqrt(a)", ("gy * y * y * y * -0.5",)),
    "square:Square": Formula("a * a", ("gy * a * 2",)),
    "extremes:Maximum": Formula("maximum(a, b)", ("gy * not_less(a, b)", "gy * (1 - not_less(a, b))")),
    "extremes:Minimum": Formula("minimum(a, b)", ("gy * not_less(b, a)", "gy * (1 - not_less(b, a))")),
}
_FORMULAS = {
    **{f"renga_core.graph.operators.arithmetic.{name}": formula for name, formula in _ARITHMETIC.items()},
    **{f"renga_nn.functions.activation.{name}".replace(":", "."): formula for name, formula in _ACTIVATION.items()},
    **{f"renga_nn.functions.math.{name}".replace(":", "."): formula for name, formula in _MATH.items()},
}


def formula_of(function: FunctionNode) -> Formula | None:
    """The formula of a function; None if it has none."""
    cls = type(function)
    path = f"{cls.__module__}.{cls.__qualname__}"
    if path == "renga_core.graph.operators.arithmetic.PowerOfVariable":
        constant: Any = vars(function)["constant"]
        return _SQUARE if constant == 2 else None
    return _FORMULAS.get(path)


def summed_axes(node: FunctionNode, shape: tuple[int, ...]) -> tuple[bool, ...]:
    """For each axis longer than 1 whether a sum keeps it."""
    if isinstance(node, SumTo):
        return kept_axes(node.shape, shape)
    axes = vars(node)["axes"]
    return tuple([axis not in axes for axis, length in enumerate(shape) if length != 1])
