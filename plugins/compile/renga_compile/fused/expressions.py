"""Arithmetic as text: from a formula to an expression of operands."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Mapping

__all__ = ["FUNCTIONS", "NotArithmetic", "expression_of", "names_in", "parse"]

FUNCTIONS = {"abs", "exp", "log", "maximum", "minimum", "not_less", "positive", "sigmoid", "sign", "sqrt", "tanh"}


class NotArithmetic(Exception):
    """The text is not arithmetic on arrays."""


@functools.cache
def parse(text: str) -> ast.expr:
    """The syntax tree of an expression."""
    return ast.parse(text, mode="eval").body


def names_in(tree: ast.expr, numbers: Mapping[str, object]) -> list[str]:
    """The names of arrays in an expression, each once."""
    found: list[str] = []

    def name(text: str) -> str:
        if text not in found:
            found.append(text)
        return text

    expression_of(tree, str, name, numbers)
    return found


def expression_of(
    tree: ast.expr, constant: Callable[[float], str], name: Callable[[str], str], numbers: Mapping[str, object]
) -> str:
    """Return an expression for a loop.

    Args:
        tree: Arithmetic on names and numbers.
        constant: Writes a number in the dtype of the loop.
        name: Writes the element of an array, by its name.
        numbers: Names that stand for numbers.

    Raises:
        NotArithmetic: The tree contains something else.
    """

    def written(node: ast.expr) -> str:
        number = _number(node, numbers)
        if number is not None:
            return constant(number)
        match node:
            case ast.Name() | ast.Attribute():
                return name(ast.unparse(node))
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as op, right=right):
                sign = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}[type(op)]
                return f"({written(left)} {sign} {written(right)})"
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"(-{written(operand)})"
            case ast.Call(func=ast.Name(id=function), args=args, keywords=[]) if function in FUNCTIONS:
                return f"{function}({', '.join(map(written, args))})"
        raise NotArithmetic(ast.unparse(node))

    return written(tree)


def _number(node: ast.expr, numbers: Mapping[str, object]) -> float | None:
    """Return the number of an expression, computed by Python as in the function; None if it contains arrays."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name) if name in numbers:
            found = numbers[name]
            if not isinstance(found, (int, float)):
                raise NotArithmetic(name)
            return found
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            found = _number(operand, numbers)
            return None if found is None else -found
    return None
