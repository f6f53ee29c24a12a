"""From the lines of a recorded program to statements."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from renga_compile.fused.expressions import NotArithmetic, expression_of, names_in, parse
from renga_compile.fused.formulas import FusedFunction, formula_of
from renga_compile.fused.statements import Arithmetic, Call, Elementwise, Operand, Reduction, Spec, kept_axes, squeezed
from renga_compile.replay.program import Program, described
from renga_core.graph import FunctionNode
from renga_core.graph.operators.reduction import Sum
from renga_core.graph.operators.shape import BroadcastTo, SumTo

__all__ = ["read"]

_NAME = re.compile(r"\b(?:[vg]\d+|c\d+|p\d+\._array)\b")
_LOCAL = re.compile(r"\b[vg]\d+\b")
_DTYPES = {np.dtype(np.float32): "f4", np.dtype(np.float64): "f8"}
_RESULTS = re.compile(r"(?:[vg]\d+(?:, |,)?)+")
_HARMLESS = re.compile(r"n\d+\._saved|forget_n\d+\(\)|p\d+\._grad = |p\d+\._loss_scale = ")
"""Lines that change no array."""


def read(program: Program, calls: Collection[str]) -> tuple[list[Arithmetic | Call], dict[str, Spec], set[str]]:
    """What the lines of a program do; what is known of its arrays; and further calls that have to remain.

    Each array gets a name of its own where a line gives its name to another one.

    Args:
        program: A recorded step.
        calls: Those of functions that are to remain: ``n3.forward``, ``n3.backward_arrays``.
    """
    reader = _Reader(program, calls)
    for line in program.lines:
        reader.line(line)
    return reader.statements, reader.specs, reader.refused


class _Reader:
    def __init__(self, program: Program, calls: Collection[str]) -> None:
        self.statements: list[Arithmetic | Call] = []
        self._program = program
        self._calls = calls
        self._names: dict[str, str] = {}  # of arrays, by their names in the lines
        self.specs: dict[str, Spec] = {}
        self.refused: set[str] = set()
        self._fused: dict[str, FusedFunction] = {}  # by name of the function
        self._made: set[str] = set()  # by arithmetic
        self._cleared: set[str] = set()  # parameters that have no gradient
        self._line = ""

    def line(self, line: str) -> None:
        self._line = text = line.strip()
        if text.startswith("with "):
            return  # written anew where it is needed
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

    # --- arithmetic ---------------------------------------------------------------------------------------------------

    def _arithmetic(self, node: ast.stmt, text: str) -> bool:
        """Whether the line is arithmetic, of which statements have been made, or does nothing."""
        match node:
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=result)])],
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=function), attr="forward"), args=[ast.Tuple(elts=inputs)]
                ),
            ):
                return self._forward(result, function, [ast.unparse(x) for x in inputs], text)
            case ast.Assign(
                targets=[ast.Tuple(elts=results)],
                value=ast.Call(
                    func=ast.Attribute(value=ast.Name(id=function), attr="backward_arrays"),
                    args=[targets, ast.List(elts=[gy])],
                ),
            ) if self._is_fused(function):
                self._backward([ast.unparse(x) for x in results], function, ast.literal_eval(targets), ast.unparse(gy))
                return True
            case ast.Assign(targets=[ast.Name(id=result)], value=ast.Call(func=ast.Name(id=called), args=args)):
                return self._library(result, called, args)
            case ast.Assign(
                targets=[ast.Name(id=result)], value=ast.Call(func=ast.Attribute(value=of, attr="copy"), args=[])
            ):
                self._elementwise(result, of, suffix=".copy()")
                return True
            case ast.Assign(targets=[ast.Name(id=result)], value=value):
                self._elementwise(result, value)
                return True
            case ast.AugAssign(target=ast.Name(id=result) as target, op=ast.Add(), value=value):
                self._elementwise(
                    result, ast.BinOp(ast.Name(target.id), ast.Add(), value), in_place=self._renamed(text)
                )
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
        operands = [self._name(x) for x in inputs]
        formula = formula_of(node)
        if formula is None and type(node) not in (BroadcastTo, SumTo, Sum):
            return False
        shapes = [self._usable(x).shape for x in operands]
        if call in self._calls:
            self._call(text)
        elif formula is not None:
            self._formula(result, call, formula.value, dict(zip("ab", operands, strict=False)))
        elif type(node) is BroadcastTo:
            self._broadcast(result, call, operands[0], kept_axes(shapes[0], node.shape), node.shape)
        else:
            self._sum(result, call, operands[0], self._recorded(result).shape, _summed_axes(node, shapes[0]))
        self._fused[function] = FusedFunction(operands, self._name(result), formula)
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
        else:
            self._broadcast(results[0], call, gy, _summed_axes(node, shape), shape)

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
            to, spec = node.inputs[index], self._usable(result)
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
        return self._names.get(name) in self._made

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
        names = [self._name(arrays.get(text, text)) for text in names_in(tree, numbers)]
        specs = {name: self._usable(name) for name in names}
        dtypes = {spec.dtype for spec in specs.values()}
        if len(dtypes) != 1:
            raise NotArithmetic("operands of several dtypes, or none")
        (dtype,) = dtypes
        expression = expression_of(
            tree,
            lambda number: f"{_DTYPES[dtype]}({float(number)!r})",
            lambda text: f"_{list(specs).index(self._name(arrays.get(text, text)))}",
            numbers,
        )
        shape = np.broadcast_shapes(*[spec.shape for spec in specs.values()])
        operands = tuple([Operand(name, kept_axes(spec.shape, shape)) for name, spec in specs.items()])
        text = "" if call else self._renamed(ast.unparse(tree)) + suffix
        self._add(result, Elementwise("", Spec(shape, dtype), call, text, in_place, expression, operands))

    def _broadcast(self, result: str, call: str, x: str, axes: tuple[bool, ...], shape: tuple[int, ...]) -> None:
        spec = Spec(shape, self._usable(x).dtype)
        self._add(result, Elementwise("", spec, call, "", "", "_0", (Operand(self._name(x), axes),)))

    def _sum(
        self, result: str, call: str, x: str, shape: tuple[int, ...], kept: tuple[bool, ...], text: str = ""
    ) -> None:
        spec, array = self._usable(x), self._name(x)
        made, text = Spec(shape, spec.dtype), text.format(array)
        if all(kept):
            self._add(result, Elementwise("", made, call, text, "", "_0", (Operand(array, kept),)))
        else:
            self._add(result, Reduction("", made, call, text, "", array, squeezed(spec.shape), kept))

    def _add(self, result: str, statement: Arithmetic) -> None:
        if statement.spec.size == 0:
            raise NotArithmetic("an empty array")
        statement.line = self._line
        statement.result = self._new(result, statement.spec)
        if statement.text:
            statement.text = f"{statement.result} = {statement.text}"
        self._made.add(statement.result)
        self.statements.append(statement)

    # --- calls --------------------------------------------------------------------------------------------------------

    def _call(self, text: str) -> None:
        """A line that stays."""
        left, _, right = text.partition(" = ")
        makes = _LOCAL.findall(left) if right and _RESULTS.fullmatch(left) else []
        line = self._renamed(right if makes else text)
        reads = set(_LOCAL.findall(line))
        if makes:
            fitted = right.startswith("fit(")
            for name in makes:
                self._new(name, replace(self._recorded(name), usable=False) if fitted else self._recorded(name))
            line = f"{self._renamed(left)} = {line}"
        harmless = bool(makes) or _HARMLESS.match(text) is not None
        without_graph = True if ".backward_arrays(" in text or "= fit(" in text else None
        if not harmless or ".forward(" in text:
            without_graph = False
        self.statements.append(Call(line, reads, not harmless, without_graph))
        self._note_cleared(text, not harmless)

    def _note_cleared(self, text: str, effect: bool) -> None:
        name, _, value = text.partition(" = ")
        if name.endswith("._grad"):
            (self._cleared.add if value == "None" else self._cleared.discard)(name)
        elif effect:
            self._cleared.clear()

    # --- names --------------------------------------------------------------------------------------------------------

    def _name(self, text: str) -> str:
        return self._names.get(text, text)

    def _renamed(self, text: str) -> str:
        return _LOCAL.sub(lambda found: self._name(found[0]), text)

    def _new(self, name: str, spec: Spec) -> str:
        """A name for the array that a line calls `name`."""
        own = name if name not in self._names else self._program.local(name[0])
        self._names[name] = own
        self.specs[own] = spec
        return own

    def _usable(self, name: str) -> Spec:
        """What is known of an array that is an operand of arithmetic."""
        name = self._name(name)
        if _NAME.fullmatch(name) is None:
            raise NotArithmetic(name)
        if name not in self.specs:
            owner = self._program.namespace[name.partition(".")[0]]
            self.specs[name] = Spec(*described(owner._array if name.startswith("p") else owner))
        spec = self.specs[name]
        if not spec.usable or spec.dtype not in _DTYPES:
            raise NotArithmetic(name)
        return spec

    def _recorded(self, name: str) -> Spec:
        return Spec(*self._program.specs[name])


def _summed_axes(node: FunctionNode, shape: tuple[int, ...]) -> tuple[bool, ...]:
    """For each axis longer than 1 whether a sum keeps it."""
    if isinstance(node, SumTo):
        return kept_axes(node.shape, shape)
    axes = vars(node)["axes"]
    return tuple([axis not in axes for axis, length in enumerate(shape) if length != 1])
