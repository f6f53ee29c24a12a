"""Turns the lines of a recorded program into statements."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from renga_compile.fused.arrays import DTYPES, Arrays
from renga_compile.fused.expressions import NotArithmetic, expression_of, names_in, parse
from renga_compile.fused.formulas import FusedFunction, formula_of, summed_axes
from renga_compile.fused.layouts import VIEWS, Layout, inserted, reshaped, transposed, view_of, view_text
from renga_compile.fused.statements import (
    LOCAL,
    Arithmetic,
    Call,
    Elementwise,
    Operand,
    Reduction,
    Spec,
    View,
    kept_axes,
    squeezed,
)
from renga_compile.replay.program import WITHOUT_GRAPH, Program
from renga_core.graph import FunctionNode
from renga_core.graph.operators.reduction import Sum
from renga_core.graph.operators.shape import BroadcastTo, GetItem, Reshape, SumTo, Transpose

__all__ = ["read"]

_RESULTS = re.compile(r"(?:[vg]\d+(?:, |,)?)+")
_HARMLESS = re.compile(r"n\d+\._saved|forget_n\d+\(\)|p\d+\._grad = |p\d+\._loss_scale = ")
"""Lines that change no array."""


def read(program: Program, calls: Collection[str]) -> tuple[list[Arithmetic | Call], dict[str, Spec], set[str]]:
    """The statements of a program, properties of its arrays, and calls that must remain.

    If a line reuses the name of another array, each array gets a unique name.

    Args:
        program: A recorded step.
        calls: Calls of functions that must remain: ``n3.forward``, ``n3.backward_arrays``.
    """
    reader = _Reader(program, calls)
    for line in program.lines:
        reader.line(line)
    return reader.statements, reader.arrays.specs, reader.refused


class _Reader:
    def __init__(self, program: Program, calls: Collection[str]) -> None:
        self.statements: list[Arithmetic | Call] = []
        self._program = program
        self._calls = calls
        self.arrays = Arrays(program)
        self.refused: set[str] = set()
        self._fused: dict[str, FusedFunction] = {}  # by name of the function
        self._made: set[str] = set()  # by arithmetic
        self._cleared: set[str] = set()  # parameters that have no gradient
        self._line = ""
        self._blocks: list[tuple[int, str]] = []  # those of ``with`` around the line: their indents and first lines

    def line(self, line: str) -> None:
        self._line = text = line.strip()
        indent = len(line) - len(text)
        self._blocks = [(of, header) for of, header in self._blocks if of < indent]
        if text.startswith("with "):
            if text != WITHOUT_GRAPH:  # which is written anew where it is needed
                self._blocks.append((indent, text))
            return
        count = len(self.statements)
        try:
            done = self._arithmetic(ast.parse(text).body[0], text)
        except NotArithmetic:
            del self.statements[count:]
            done = False
            call = text.partition(" = ")[2].partition("(")[0]
            if call.partition(".")[0] in self._fused:
                self.refused.add(call)  # gradients; what they need has not been kept
        if not done:
            self._call(text)

    def _arithmetic(self, node: ast.stmt, text: str) -> bool:
        """Whether the line is arithmetic, of which statements have been made, or does nothing."""
        match node:
            case ast.Assign(
                [ast.Tuple([ast.Name(result)])],
                ast.Call(ast.Attribute(ast.Name(function), "forward"), [ast.Tuple(inputs)]),
            ):
                return self._forward(result, function, [ast.unparse(x) for x in inputs], text)
            case ast.Assign(
                [ast.Tuple(results)],
                ast.Call(ast.Attribute(ast.Name(function), "backward_arrays"), [targets, ast.List([gy])]),
            ) if self._is_fused(function):
                self._backward([ast.unparse(x) for x in results], function, ast.literal_eval(targets), ast.unparse(gy))
                return True
            case ast.Assign(targets=[ast.Name(id=result)], value=ast.Call(func=ast.Name(id=called), args=args)):
                return self._library(result, called, args)
            case ast.Assign([ast.Name(result)], ast.Call(ast.Attribute(of, "copy"), args=[])):
                self._elementwise(result, of, suffix=".copy()")
                return True
            case ast.Assign([ast.Name(result)], value):
                self._elementwise(result, value)
                return True
            case ast.AugAssign(ast.Name(result), ast.Add(), value):
                total = ast.BinOp(ast.Name(result), ast.Add(), value)
                self._elementwise(result, total, in_place=self.arrays.renamed(text))
                return True
            case ast.Expr(value=ast.Call(func=ast.Name(id=name))) if name.startswith("forget_"):
                function = name.removeprefix("forget_")
                return self._is_fused(function) and f"{function}.forward" not in self._calls
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=function), attr=attribute)]):
                return attribute.startswith("_saved_") and self._is_fused(function)
        return False

    def _is_fused(self, function: str) -> bool:
        """Whether the gradients of a function become statements."""
        return function in self._fused and f"{function}.backward_arrays" not in self._calls

    def _forward(self, result: str, function: str, inputs: list[str], text: str) -> bool:
        node, call = self._program.namespace[function], f"{function}.forward"
        operands = [self.arrays.name(x) for x in inputs]
        formula = formula_of(node)
        if formula is None and type(node) not in (BroadcastTo, SumTo, Sum, *VIEWS):
            return False
        shapes = [self.arrays.usable(x).shape for x in operands]
        layout = view_of(node, self.arrays.layout(operands[0]), self.arrays.recorded(result).shape)
        if type(node) in VIEWS and layout is None and type(node) is not Reshape:
            return False
        if call in self._calls:
            self._call(text, layout)
        elif type(node) is Reshape:
            self._reshape(result, call, operands[0], self.arrays.recorded(result).shape)
        elif layout is not None:
            self._view(result, call, operands[0], layout, view_text(node, function))
        elif formula is not None:
            self._formula(result, call, formula.value, dict(zip("ab", operands, strict=False)))
        elif type(node) is BroadcastTo:
            self._broadcast(result, call, operands[0], kept_axes(shapes[0], node.shape), node.shape)
        else:
            self._sum(result, call, operands[0], self.arrays.recorded(result).shape, summed_axes(node, shapes[0]))
        self._fused[function] = FusedFunction(operands, self.arrays.name(result), formula)
        return True

    def _backward(self, results: list[str], function: str, targets: tuple[int, ...], gy: str) -> None:
        fused, node, call = self._fused[function], self._program.namespace[function], f"{function}.backward_arrays"
        shape = node.inputs[0].shape
        if fused.formula is not None:
            arrays = {**dict(zip("ab", fused.operands, strict=False)), "y": fused.result, "gy": gy}
            for i, result in zip(targets, results, strict=True):
                self._formula(result, call, fused.formula.gradients[i], arrays)
        elif type(node) is BroadcastTo:
            self._sum(results[0], call, gy, shape, kept_axes(shape, node.shape))
        elif type(node) in VIEWS:
            self._view_backward(results[0], call, gy, node)
        else:
            self._broadcast(results[0], call, gy, summed_axes(node, shape), shape)

    def _formula(self, result: str, call: str, text: str, arrays: dict[str, str]) -> None:
        node = self._program.namespace[call.partition(".")[0]]
        numbers = {name: value for name, value in vars(node).items() if name not in arrays}
        self._elementwise(result, parse(text), call, arrays, numbers)

    def _library(self, result: str, called: str, args: list[ast.expr]) -> bool:
        """A function of the library, by its name in programs."""
        if called == "as_output":
            return ast.unparse(args[1]) == result and self._is_made(result)
        if called == "fit":
            function = ast.unparse(args[1]).split(".")[0]
            node = self._program.namespace[function]
            index = int(ast.unparse(args[1]).split("[")[1][:-1])
            to, spec = node.inputs[index], self.arrays.usable(result)
            if np.dtype(to.dtype) != spec.dtype or spec.size == 0:
                return False
            text = f"fit({{}}, {ast.unparse(args[1])}, {function}, False)"
            self._sum(result, "", result, to.shape, kept_axes(to.shape, spec.shape), text)
            return True
        if called == "as_array":
            match args[0]:
                case ast.Name(id=name):
                    return name == result and self._is_made(result)
                case ast.IfExp(body=ast.Name(id=name), test=ast.Compare(left=left)):
                    return name == result and self._is_made(result) and ast.unparse(left) in self._cleared
        return False

    def _is_made(self, name: str) -> bool:
        return self.arrays.name(name) in self._made

    def _elementwise(
        self,
        result: str,
        tree: ast.expr,
        call: str = "",
        arrays: Mapping[str, str] = MappingProxyType({}),
        numbers: Mapping[str, Any] = MappingProxyType({}),
        suffix: str = "",
        in_place: str = "",
    ) -> None:
        names = [self.arrays.name(arrays.get(text, text)) for text in names_in(tree, numbers)]
        if any(map(self.arrays.is_view, names)):
            in_place = ""  # the memory is that of another array
        specs = {name: self.arrays.usable(name) for name in names}
        dtypes = {spec.dtype for spec in specs.values()}
        if len(dtypes) != 1:
            raise NotArithmetic("operands of several dtypes, or none")
        (dtype,) = dtypes
        expression = expression_of(
            tree,
            lambda number: f"{DTYPES[dtype]}({float(number)!r})",
            lambda text: f"_{list(specs).index(self.arrays.name(arrays.get(text, text)))}",
            numbers,
        )
        shape = np.broadcast_shapes(*[spec.shape for spec in specs.values()])
        operands = tuple([self.arrays.operand(name, shape) for name in specs])
        text = "" if call else self.arrays.renamed(ast.unparse(tree)) + suffix
        self._add(result, Elementwise("", Spec(shape, dtype), call, text, in_place, expression, operands))

    def _broadcast(self, result: str, call: str, x: str, axes: tuple[bool, ...], shape: tuple[int, ...]) -> None:
        spec, layout = Spec(shape, self.arrays.usable(x).dtype), self.arrays.layout(x)
        if not layout.is_in_order:
            raise NotArithmetic(x)
        self._add(result, Elementwise("", spec, call, "", "", "_0", (Operand(layout.base, axes),)))

    def _view(self, result: str, call: str, x: str, layout: Layout, text: str) -> None:
        source = self.arrays.name(x)
        view = View("", Spec(layout.shape, self.arrays.usable(x).dtype), call, text.format(source), "", source)
        self._add(result, view, layout)

    def _view_backward(self, result: str, call: str, gy: str, node: FunctionNode) -> None:
        spec, layout, shape = self.arrays.usable(gy), self.arrays.layout(gy), node.inputs[0].shape
        if isinstance(node, GetItem):
            operand = inserted(layout, node.slices, shape)
            if operand is None:
                raise NotArithmetic(gy)
            self._add(result, Elementwise("", Spec(shape, spec.dtype), call, "", "", "_0", (operand,)))
        elif isinstance(node, Transpose):
            axes = node._inverse()
            self._view(result, call, gy, transposed(layout, axes), f"{{}}.transpose({axes})")
        else:
            self._reshape(result, call, gy, shape)

    def _reshape(self, result: str, call: str, x: str, shape: tuple[int, ...]) -> None:
        if not self.arrays.layout(x).is_in_order:  # then it is a copy, whose elements lie in order
            spec = replace(self.arrays.usable(x), usable=True)
            copy = self._program.local("v")
            self._add(copy, Elementwise("", spec, call, "", "", "_0", (self.arrays.operand(x, spec.shape),)))
            x = copy
        view = reshaped(self.arrays.layout(x), shape)
        assert view is not None
        self._view(result, call, x, view, f"{{}}.reshape({shape})")

    def _sum(
        self, result: str, call: str, x: str, shape: tuple[int, ...], kept: tuple[bool, ...], text: str = ""
    ) -> None:
        spec = self.arrays.usable(x)
        made, text, operand = (
            Spec(shape, spec.dtype),
            text.format(self.arrays.name(x)),
            self.arrays.operand(x, spec.shape),
        )
        if all(kept):
            self._add(result, Elementwise("", made, call, text, "", "_0", (operand,)))
        else:
            self._add(result, Reduction("", made, call, text, "", operand, squeezed(spec.shape), kept))

    def _add(self, result: str, statement: Arithmetic, layout: Layout | None = None) -> None:
        if statement.spec.size == 0:
            raise NotArithmetic("an empty array")
        if layout is None and self.arrays.is_made_in_another_order(result):
            raise NotArithmetic("memory order")
        statement.line = self._line
        statement.result = self.arrays.new(result, statement.spec, layout)
        if statement.text:
            statement.text = f"{statement.result} = {statement.text}"
        self._made.add(statement.result)
        self.statements.append(statement)

    def _call(self, text: str, layout: Layout | None = None) -> None:
        """A line that stays, and how its result lies if that is a view."""
        left, _, right = text.partition(" = ")
        makes = LOCAL.findall(left) if right and _RESULTS.fullmatch(left) else []
        line = self.arrays.renamed(right if makes else text)
        reads = set(LOCAL.findall(line))
        if makes:
            fitted = right.startswith("fit(")
            for name in makes:
                spec = self.arrays.recorded(name)
                self.arrays.new(name, replace(spec, usable=False) if fitted else spec, layout)
            line = f"{self.arrays.renamed(left)} = {line}"
        harmless = bool(makes) or _HARMLESS.match(text) is not None
        blocks: tuple[str, ...] | None = tuple([header for _, header in self._blocks])
        if ".backward_arrays(" in text or "= fit(" in text:
            blocks = (*(blocks or ()), WITHOUT_GRAPH)
        elif harmless and ".forward(" not in text:
            blocks = None
        self.statements.append(Call(line, reads, not harmless, blocks, bool(makes)))
        self._note_cleared(text, not harmless)

    def _note_cleared(self, text: str, effect: bool) -> None:
        name, _, value = text.partition(" = ")
        if name.endswith("._grad"):
            (self._cleared.add if value == "None" else self._cleared.discard)(name)
        elif effect:
            self._cleared.clear()
