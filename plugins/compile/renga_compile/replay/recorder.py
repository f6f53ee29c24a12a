"""Running a step once, and noting what it does.

A `Recorder` is a tracer: it sees functions applied, gradients computed, parameters updated, and notes each as a line
of a program. What the step reads of arrays are `TracedArray` objects, so whatever else it does with values comes to
light. The first thing that a replay could not repeat ends the recording, with a reason; the step itself goes on as if
nothing had been.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any
from weakref import ref

import numpy as np

from renga_compile.replay.names import Names, without_traces
from renga_compile.replay.outcome import Outcome
from renga_compile.replay.program import Program
from renga_compile.replay.traced_array import TracedArray, plain
from renga_compile.replay.traced_gradient import TracedGradient, array_of
from renga_core.configuration import config
from renga_core.graph import FunctionNode, Parameter, Variable
from renga_core.graph.backprop import fit_gradient, node_key
from renga_core.graph.function_node import functions_behind
from renga_core.link import ForwardPostprocessCallbackArgs, ForwardPreprocessCallbackArgs, Link, LinkHook
from renga_core.optimizer import Optimizer
from renga_core.reporter import Reporter, get_current_reporter

__all__ = ["Recorder"]


class Recorder(Names):
    """Notes one run of a step.

    Args:
        arguments: The arrays that stand for the arguments, in this run and in all replays.

    Attributes:
        program: What was noted.
        reason: Why it cannot be replayed; None if it can.
    """

    def __init__(self, arguments: Sequence[Any]) -> None:
        super().__init__()
        self._arguments = list(arguments)
        self._functions: dict[FunctionNode, str] = {}  # by name
        self._inputs: dict[FunctionNode, list[str]] = {}
        self._outputs: list[tuple[ref[Variable], str]] = []
        self._concealed: dict[FunctionNode, list[tuple[str, Any, TracedArray]]] = {}
        self._links: dict[Link, dict[str, Any]] = {}
        self._walks = False

    # --- running ------------------------------------------------------------------------------------------------------

    def run(self, step: Callable[..., Any], arguments: Callable[[Callable[[Any], Any]], Sequence[Any]]) -> Any:
        """Run the step, and complete the program.

        Args:
            step: The step.
            arguments: Called with what stands for an array, gives the arguments of `step`.

        Returns:
            What the step returned.
        """
        links = _Links(self)
        try:
            try:
                with self, links:
                    result = step(*arguments(lambda array: self.trace(array, self.program.constant(array))))
            finally:
                self._stop(links)
        finally:
            self._stop(links)  # again: Ctrl-C may have come in the middle of the first
        outcome = Outcome(self, self._arguments, self._outputs)
        if self.reason is None:
            self._conclude(outcome, result)
        found = outcome.own(result)
        self._forget()
        return found

    def refuse(self, reason: str) -> None:
        """Something was done that a replay could not repeat. From now on nothing is noted any more."""
        if self.reason is None:
            self.reason = reason + _place()

    def _stop(self, links: _Links) -> None:
        """Leave everything as it was. To be called twice, so that it does not matter where Ctrl-C comes."""
        self.leave()
        links.leave()
        for function, rows in self._concealed.items():
            for key, array, _ in rows:
                vars(function)[key] = array

    def _forget(self) -> None:
        """Keep what comparing with another recording takes."""
        for kept in (self._traced, self._outputs, self._concealed, self._functions, self._inputs):
            kept.clear()
        if self.reason is not None:
            self.program = Program()

    # --- functions ----------------------------------------------------------------------------------------------------

    def apply(
        self, proceed: Callable[..., tuple[Variable, ...]], function: FunctionNode, inputs: Sequence[Variable | Any]
    ) -> tuple[Variable, ...]:
        """Note a function."""
        self._take_arguments(function)
        arrays = [plain(x) for x in inputs]
        if self.reason is None and function._hooks is not None:
            self.refuse(f"{function.label} has a hook of its own")
        if self.reason is not None:
            return proceed(function, arrays)
        attributes = dict(vars(function))
        names = [self.name_of_input(x) for x in inputs]
        outputs = proceed(function, arrays)
        if self.reason is None:
            self._note_function(function, attributes, names, outputs)
        return outputs

    def _take_arguments(self, function: FunctionNode) -> None:
        """Arguments of the step may have become attributes of a function: labels, indexes."""
        for key, value in vars(function).items():
            if isinstance(value, Variable):
                self.refuse(f"{function.label} keeps a Variable")
            if _holds_computed(value):
                self.refuse(f"{function.label} takes values that were computed as a constant")
            vars(function)[key] = without_traces(value)

    def _note_function(
        self, function: FunctionNode, attributes: dict[str, Any], names: list[str], outputs: tuple[Variable, ...]
    ) -> None:
        program = self.program
        node = program.function(function, attributes)
        self._functions[function] = node
        self._inputs[function] = names
        results = [program.local("v") for _ in outputs]
        formula = _formula(function)
        if formula is not None:
            program.line(f"{results[0]} = {formula[0].format(*names)}")
        else:
            program.line(f"{', '.join(results)}, = {node}.forward(({', '.join(names)},))")
        for y, name in zip(outputs, results, strict=True):
            if y._array.ndim == 0:
                program.line(f"{name} = as_output({node}, {name})")
            self.name(y._array, name)
            self._made.add(id(y))
            self._outputs.append((ref(y), name))
        if function._order >= 0 and formula is None:
            if function._input_indexes:
                program.line(f"{node}._saved_inputs = ({', '.join([names[i] for i in function._input_indexes])},)")
            if function._output_indexes:
                program.line(f"{node}._saved_outputs = ({', '.join([results[i] for i in function._output_indexes])},)")
        self._conceal(function, attributes)

    def _conceal(self, function: FunctionNode, before: dict[str, Any]) -> None:
        """Reading what a function has computed beside its outputs is to come to light, too."""
        for key, value in vars(function).items():
            if isinstance(value, np.ndarray) and before.get(key) is not value:
                traced = self.trace(value, None)
                self._concealed.setdefault(function, []).append((key, value, traced))
                vars(function)[key] = traced

    @contextmanager
    def _revealed(self, functions: Iterable[FunctionNode]) -> Iterator[None]:
        """Functions have what they have computed while the block runs: the library itself is at work."""
        rows = [(vars(function), row) for function in functions for row in self._concealed.get(function, ())]
        for attributes, (key, array, traced) in rows:
            if attributes.get(key) is traced:
                attributes[key] = array
        try:
            yield
        except Exception:
            self.refuse("an error is raised in the middle of it")
            raise
        for attributes, (key, array, traced) in rows:
            if attributes.get(key) is array:
                attributes[key] = traced

    # --- gradients ----------------------------------------------------------------------------------------------------

    def backward(
        self,
        proceed: Callable[..., None],
        outputs: list[Variable],
        grad_outputs: Sequence[Any] | None,
        retain_grad: bool,
        differentiable: bool,
        loss_scale: float | None,
    ) -> None:
        """Note a walk."""
        asked = {"grad_outputs": grad_outputs, "retain_grad": retain_grad, "loss_scale": loss_scale}
        asked["enable_double_backprop"] = differentiable
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
        elif any(function not in self._functions for function in functions_behind(creators)):
            self.refuse("backward goes back to functions of an earlier call")
        if self.reason is not None:
            proceed(outputs, grad_outputs, retain_grad, differentiable, loss_scale)
            return
        del creators
        self.program.line("with using_config('enable_backprop', False):")
        self.program.indent = "    "
        self._walks = True
        try:
            proceed(outputs, grad_outputs, retain_grad, differentiable, loss_scale)
        finally:
            self._walks = False
            self.program.indent = ""

    def gradients(
        self, proceed: Callable[..., Sequence[Any]], function: FunctionNode, targets: tuple[int, ...], gys: list[Any]
    ) -> Sequence[Any]:
        """Note the gradients of a function."""
        if not self._walks:
            self.refuse("it calls grad(…) without enable_double_backprop")
            return proceed(function, targets, gys)
        program, node = self.program, self._functions[function]
        incoming = ", ".join([self._name_of_gradient(gy) for gy in gys])
        with self._revealed([function]):
            gxs = proceed(function, targets, [array_of(gy) for gy in gys])
        names = [program.local("g") for _ in gxs]
        formula = _formula(function)
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

    def _fitted(self, function: FunctionNode, index: int, gradient: Any, name: str) -> TracedGradient | None:
        """A gradient in the shape and dtype of its input, as the walk would make it."""
        to = function.inputs[index]
        if gradient is not None and (gradient.shape != to.shape or gradient.dtype is not to.dtype):
            node = self._functions[function]
            gradient = fit_gradient(gradient, to, function, False)
            self.program.line(f"{name} = fit({name}, {node}.inputs[{index}], {node}, False)")
        return None if gradient is None else TracedGradient(gradient, name, self.program, self._name_of_gradient)

    def _name_of_gradient(self, gradient: Any) -> str:
        if isinstance(gradient, TracedGradient):
            return gradient.name
        return "None" if gradient is None else self.name_of(gradient)

    def accumulate(
        self,
        proceed: Callable[..., Any],
        variable: Variable,
        gradient: Any,
        differentiable: bool,
        loss_scale: float,
    ) -> Any:
        """Note what arrives at a leaf."""
        total = proceed(variable, array_of(gradient), differentiable, loss_scale)
        if self.reason is None:
            self._note_accumulated(variable, gradient, total)
        return total

    def _note_accumulated(self, variable: Variable, gradient: TracedGradient, total: Any) -> None:
        program, name = self.program, gradient.name
        before = variable._grad
        if id(variable) in self._made:
            if before is not None:
                self.refuse("it adds to the gradient of a Variable twice")
            elif gradient.array is not total:
                program.line(f"{name} = as_array({name})")
        elif before is not None and variable._factor_to(1.0) != 1:
            self.refuse("it adds to a gradient of another loss scale")
        else:
            owner = program.object("p", variable)
            program.line(f"{name} = as_array({name} if {owner}._grad is None else {owner}._grad + {name})")
            program.line(f"{owner}._grad = {name}")
            if isinstance(variable, Parameter):
                program.line(f"{owner}._loss_scale = 1.0")
        self.name(total, name)

    # --- what else a step does ----------------------------------------------------------------------------------------

    def changed(self, what: Any, how: str) -> None:
        """Note a change, or that it cannot be replayed."""
        if isinstance(what, Variable):
            self._unwrap(what)
        made = id(what) in self._made
        if self.reason is not None:
            return
        if how == "cleargrads":
            self.meet(what)
        elif how == "unchain":
            self.refuse("it cuts the graph (unchain)")
        elif how == "cleargrad" and not made:
            self.program.line(f"{self.program.object('p', what)}._grad = None")
        elif how == "zerograd" and not made:
            self.program.line(f"{self.program.object('p', what)}.zerograd()")
        elif how not in ("cleargrad", "zerograd") and not (made and how in ("array", "grad")):
            self.refuse(f"it changes a {type(what).__name__} ({how})")

    def update(self, proceed: Callable[[Optimizer], None], optimizer: Optimizer) -> None:
        """Note an update, which reads its hyperparameters in each replay."""
        self._note_effect(partial(proceed, optimizer))

    def side_effect(self, proceed: Callable[[Callable[[], object]], None], do: Callable[[], object]) -> None:
        """Note what a library does beside functions."""
        self._note_effect(do)

    def _note_effect(self, do: Callable[[], object]) -> None:
        with self._revealed(self._concealed):
            do()
        if self.reason is None:
            self.program.line(f"{self.program.object('e', do)}()")

    def report(
        self, proceed: Callable[..., None], reporter: Reporter, values: Mapping[str, Any], observer: object
    ) -> None:
        """Note a report."""
        if reporter is not get_current_reporter():
            self.refuse("it reports to a reporter that is not the current one")
        if config.keep_graph_on_report:
            self.refuse("config.keep_graph_on_report is set")
        outcome = Outcome(self, self._arguments, self._outputs)
        if self.reason is None:
            rows = ", ".join([f"{key!r}: {outcome.expression(value)}" for key, value in values.items()])
            self.program.line(f"report({{{rows}}}, {self.program.object('o', observer)})")
        proceed(reporter, {key: outcome.cut(value) for key, value in values.items()}, observer)

    def meet(self, link: Link) -> None:
        """A link is called: it and those below are to be what they are, in each replay."""
        for each in link.links():
            self._links.setdefault(each, dict(vars(each)))

    # --- the end ------------------------------------------------------------------------------------------------------

    def _conclude(self, outcome: Outcome, result: Any) -> None:
        """The rest of the program, if nothing of what was computed has gone where a replay could not put it."""
        program = self.program
        self._concealed.clear()  # so that what is still alive of them is kept by somebody else
        returned = outcome.result(result, {f for f, node in self._functions.items() if node in program.walked})
        outcome.leave_attributes(self._links)
        if any(id(kept) not in outcome.places for of, _ in self._outputs if (kept := of()) is not None):
            self.refuse("a Variable that it computes is kept for later")
        if any(id(traced) not in outcome.places for of in self._traced if (traced := of()) is not None):
            self.refuse("an array is kept for later")
        if any(link._local_link_hooks for link in self._links):
            self.refuse("a link has a hook of its own")
        walked = program.walked
        for function, node in self._functions.items():
            if node not in walked:
                program.forget(function, node)
        program.line(f"return {returned}")


class _Links(LinkHook):
    """Tells a recorder of links."""

    name = "Recorder"

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def forward_preprocess(self, args: ForwardPreprocessCallbackArgs) -> None:
        self._recorder.meet(args.link)

    def forward_postprocess(self, args: ForwardPostprocessCallbackArgs) -> None:
        """Nothing."""


def _formula(function: FunctionNode) -> tuple[str, tuple[str, ...]] | None:
    """The formula of this very class: a subclass may compute something else."""
    return vars(type(function)).get("formula")


def _holds_computed(value: Any) -> bool:
    """Whether there is an array in it that is not the same in each call, an argument or a view of one."""
    if type(value) is TracedArray:
        return not (isinstance(value.name, str) and value.name.startswith("c"))
    rows = value.values() if type(value) is dict else value if type(value) in (tuple, list) else ()
    return any(map(_holds_computed, rows))


def _place() -> str:
    """Where in the user's program that was."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("renga"):
        frame = frame.f_back
    return "" if frame is None else f", in {frame.f_code.co_filename}:{frame.f_lineno}"
