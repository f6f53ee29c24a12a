"""Records backward: gradients of functions, their sums, and gradients of leaves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from renga_compile.replay.function_recorder import FunctionRecorder, formula_of, is_recomputation
from renga_compile.replay.program import WITHOUT_GRAPH
from renga_compile.replay.traced_gradient import TracedGradient, array_of
from renga_core.configuration import config, using_config
from renga_core.graph import FunctionNode, Parameter, Variable
from renga_core.graph.backprop import fit_gradient, node_key
from renga_core.graph.function_node import functions_behind
from renga_core.optimizer import Optimizer

__all__ = ["GradientRecorder"]


class GradientRecorder(FunctionRecorder):
    """Writes a line for each function in backward, and for each operation on its gradients."""

    def __init__(self) -> None:
        super().__init__()
        self._walks = False
        self._scale = ""  # the name of the loss scale of the walk
        self._scales: list[
            tuple[str, float, int]
        ] = []  # name, value and number of the line, where it is not known of whom
        self._scaled: Any = None  # the optimizer whose loss scale changes

    def backward(
        self,
        proceed: Callable[..., None],
        outputs: list[Variable],
        grad_outputs: Sequence[Any] | None,
        retain_grad: bool,
        differentiable: bool,
        loss_scale: float | None,
    ) -> None:
        """Record a call of backward."""
        asked = {"grad_outputs": grad_outputs, "retain_grad": retain_grad, "enable_double_backprop": differentiable}
        unusual = [name for name, value in asked.items() if value is not None and value is not False]
        creators = [y.creator_node for y in outputs if y.creator_node is not None]
        if unusual:
            self.refuse(f"it calls backward with {', '.join(unusual)}")
        elif config.gradient_listener is not None:
            self.refuse("it has gradients told of as they arrive")
        elif len(creators) < len(outputs) or len({node_key(y.node) for y in outputs}) < len(outputs):
            self.refuse("it calls backward of a Variable twice, or of one that no function has computed")
        elif any(y._grad is None and y.size != 1 for y in outputs):
            self.refuse("it calls backward of outputs some of which have no gradient")
        elif loss_scale is not None and any(y._grad is not None for y in outputs):
            self.refuse("it calls backward with a loss scale and a gradient")
        elif any(function not in self._functions for function in functions_behind(creators)):
            self.refuse("backward goes back to functions of an earlier call")
        if self.reason is not None:
            proceed(outputs, grad_outputs, retain_grad, differentiable, loss_scale)
            return
        del creators
        self._scale = ""
        if loss_scale is not None:
            self._scale = f"scale{len(self.program.lines)}"
            self._scales.append((self._scale, loss_scale, len(self.program.lines)))
            self.program.line(f"{self._scale} = {float(loss_scale)!r}")
        self._walks = True
        try:
            with self.program.block(WITHOUT_GRAPH):
                proceed(outputs, grad_outputs, retain_grad, differentiable, loss_scale)
        finally:
            self._walks = False

    def gradients(
        self, proceed: Callable[..., Sequence[Any]], function: FunctionNode, targets: tuple[int, ...], gys: list[Any]
    ) -> Sequence[Any]:
        """Record the gradients of a function."""
        if not self._walks:
            self.refuse("it calls grad(…) without enable_double_backprop")
            return proceed(function, targets, gys)
        if is_recomputation(function):
            return self._recomputed(function, targets, gys)
        program, node = self.program, self._functions[function]
        incoming = ", ".join([self._name_of_gradient(gy) for gy in gys])
        with self._revealed([function]):
            gxs = proceed(function, targets, [array_of(gy) for gy in gys])
        names = [program.local("g", gx) for gx in gxs]
        formula = formula_of(function)
        if formula is not None:
            for i, name in zip(targets, names, strict=True):
                program.line(f"{name} = {formula[1][i].format(*self._inputs[function], gy=incoming)}")
            program.walked.add(node)
        else:
            program.line(f"{', '.join(names)}, = {node}.backward_arrays({targets!r}, [{incoming}])")
            program.forget(function, node)
        if len(gxs) == len(targets):
            return [self._fitted(function, i, gx, name) for i, gx, name in zip(targets, gxs, names, strict=True)]
        return [self._fitted(function, i, gx, name) for i, (gx, name) in enumerate(zip(gxs, names, strict=True))]

    def _recomputed(self, function: FunctionNode, targets: tuple[int, ...], gys: list[Any]) -> Sequence[Any]:
        """Record a forgotten part of the graph: the functions that are computed again, and their gradients."""
        count = len(self._functions)
        with using_config("tracers", (*config.tracers, self)):
            gxs = function.backward_arrays(targets, gys)
        self._release_since(count)
        return gxs

    def _fitted(self, function: FunctionNode, index: int, gradient: Any, name: str) -> TracedGradient | None:
        """Return a gradient in the shape and dtype of its input, as backward would."""
        to = function.inputs[index]
        if gradient is not None and (gradient.shape != to.shape or gradient.dtype is not to.dtype):
            node = self._functions[function]
            gradient = fit_gradient(gradient, to, function, False)
            self.program.line(f"{name} = fit({name}, {node}.inputs[{index}], {node}, False)")
        return None if gradient is None else TracedGradient(gradient, name, self.program, self._name_of_gradient)

    def _name_of_gradient(self, gradient: Any) -> str:
        if isinstance(gradient, TracedGradient):
            return gradient.name
        if gradient is None:
            return "None"
        if self._scale and gradient.size == 1 and not self.is_named(gradient):
            name = self.program.local("g", gradient)
            self.program.line(f"{name} = full({gradient.shape}, {self._scale}, {gradient.dtype.str!r})")
            self.name(gradient, name)
            return name
        return self.name_of(gradient)

    def note_dynamic_scale(self, optimizer: Optimizer) -> None:
        """The walks before an update have the loss scale of its optimizer, which is another one in each replay."""
        if self._scaled not in (None, optimizer):
            self.refuse("two of its optimizers have dynamic loss scales")
        self._scaled = optimizer
        for name, value, number in self._scales:
            if value != optimizer.loss_scale:
                self.refuse("backward has another loss scale than the optimizer")
            self.program.lines[number] = f"{name} = {self.program.object('o', optimizer)}.loss_scale"
        self._scales.clear()

    def accumulate(
        self,
        proceed: Callable[..., Any],
        variable: Variable,
        gradient: Any,
        differentiable: bool,
        loss_scale: float,
    ) -> Any:
        """Record the gradient of a leaf."""
        total = proceed(variable, array_of(gradient), differentiable, loss_scale)
        if self.reason is None:
            self._note_accumulated(variable, gradient, total, loss_scale)
        return total

    def _note_accumulated(self, variable: Variable, gradient: TracedGradient, total: Any, loss_scale: float) -> None:
        program, name = self.program, gradient.name
        before = variable._grad
        if id(variable) in self._made:
            if before is not None:
                self.refuse("it adds to the gradient of a Variable twice")
            elif gradient.array is not total:
                program.line(f"{name} = as_array({name})")
        elif before is not None and variable._factor_to(loss_scale) != 1:
            self.refuse("it adds to a gradient of another loss scale")
        else:
            owner = program.object("p", variable)
            program.line(f"{name} = as_array({name} if {owner}._grad is None else {owner}._grad + {name})")
            program.line(f"{owner}._grad = {name}")
            if isinstance(variable, Parameter):
                program.line(f"{owner}._loss_scale = {self._scale or repr(loss_scale)}")
        self.name(total, name)
