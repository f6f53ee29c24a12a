"""Running a step once, and noting what it does.

While a recorder is at work, the methods through which everything passes (a function is applied, gradients flow, an
optimizer updates) are replaced by ones that do the same and note it as a line of a program. What the step sees of
arrays are `Unread` ones, so whatever else it does with values comes to light. The first thing that a replay could not
repeat ends the recording, with a reason; the step itself goes on as if nothing had been.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any
from weakref import ref

import numpy as np

from renga_core.backend import get_backend
from renga_core.backend.lookup import array_types
from renga_core.configuration import config, using_config
from renga_core.graph import FunctionNode, Parameter, Variable, backprop
from renga_core.graph.function_node import functions_behind
from renga_core.link import ForwardPostprocessCallbackArgs, ForwardPreprocessCallbackArgs, Link, LinkHook
from renga_core.optimizer import GradientMethod
from renga_core.replay.effects import recording
from renga_core.replay.program import Program
from renga_core.replay.unread import Unread
from renga_core.reporter import Reporter, get_current_reporter

__all__ = ["Recorder"]


class Recorder:
    """Notes one run of a step.

    Args:
        statics: The arrays that stand for the arguments, in this run and in all replays.
        watched: Parameters that the step is known to use: reading their values is noticed from the start.

    Attributes:
        program: What was noted.
        reason: Why it cannot be replayed; None if it can.
    """

    def __init__(self, statics: Sequence[Any], watched: Sequence[Variable] = ()) -> None:
        self.program = Program()
        self.reason: str | None = None
        self._thread = threading.get_ident()
        self._depth = 0
        self._originals: list[tuple[Any, str, Callable[..., Any]]] = []
        self._statics = list(statics)
        self._nodes: dict[FunctionNode, str] = {}  # by name
        self._inputs: dict[FunctionNode, list[str]] = {}
        self._names: dict[int, str] = {}  # of arrays that are what they are without an `Unread` around them
        self._made: set[int] = set()  # ids of Variables
        self._variables: list[tuple[ref[Variable], str]] = []
        self._unread: list[ref[Unread]] = []
        self._sealed: list[tuple[FunctionNode, str, Any]] = []
        self._watched = list(watched)
        self._links: dict[Link, dict[str, Any]] = {}
        self._results: set[int] = set()
        self._kept_before: list[tuple[Variable, Any]] = []
        self._closes = True  # what it has opened; no more once it is through with the arrays

    # --- running --------------------

    def run(self, step: Callable[..., Any], arguments: Callable[[Callable[[Any], Any]], Sequence[Any]]) -> Any:
        """Run the step, and complete the program.

        Args:
            step: The step.
            arguments: Called with what stands for an array, gives the arguments of `step`.

        Returns:
            What the step returned.
        """
        self._kept_before = [(p, p._array) for p in self._watched]
        links = _Links(self)
        try:
            try:
                self._replace()
                with links:
                    result = self._run(step, arguments)
            finally:
                self._restore(links)
        finally:
            self._restore(links)  # again: Ctrl-C may have come in the middle of the first
        self._end()
        return result

    def _run(self, step: Callable[..., Any], arguments: Callable[[Callable[[Any], Any]], Sequence[Any]]) -> Any:
        given = arguments(lambda static: self._unread_one(static, self.program.constant(static)))
        self._seal_parameters()
        try:
            result = step(*given)
        finally:
            del given
            self._unseal()
        if self.reason is None:
            self._conclude(result)
        return self._own(result)

    def refuse(self, reason: str) -> None:
        """Something was done that a replay could not repeat. From now on everything is as without a recorder."""
        if self.reason is None:
            self.reason = reason + _place()
            self._unseal()

    @property
    def parameters(self) -> list[Variable]:
        """What the step takes by reference: parameters, and other Variables from outside."""
        return [v for v in self.program.namespace.values() if isinstance(v, Variable)]

    def _replace(self) -> None:
        """Listen where everything passes. Other threads, and calls within noted ones, get what was there before."""
        places: list[tuple[Any, str, Callable[..., Any]]] = [
            (FunctionNode, "apply", self._apply),
            (Variable, "__init__", self._make),
            (Variable, "cleargrad", self._clear),
            (Variable, "unchain", self._unchain),
            (Variable, "unchain_backward", self._unchain),
            (FunctionNode, "unchain", self._unchain),
            (Link, "cleargrads", self._clear),
            (Link, "zerograds", self._effect_of),
            (GradientMethod, "update", self._update),
            (Reporter, "report", self._report),
            (backprop, "run_backward", self._backward),
            (backprop, "_walk", self._walk),
        ]
        self._originals = [(owner, name, getattr(owner, name)) for owner, name, _ in places]
        for (owner, name, instead), (_, _, original) in zip(places, self._originals, strict=True):
            setattr(owner, name, self._listening(original, instead))
        array_types[Unread] = get_backend("numpy")
        recording.recorder = self

    def _restore(self, links: _Links) -> None:
        """Put everything back that is there. To be called twice, so that it does not matter where Ctrl-C comes."""
        for owner, name, original in self._originals:
            setattr(owner, name, original)
        array_types.pop(Unread, None)
        recording.recorder = None
        links.leave()
        self._unseal()

    def _listening(self, original: Callable[..., Any], instead: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if self._depth or threading.get_ident() != self._thread:
                return original(*args, **kwargs)
            return instead(original, *args, **kwargs)

        return call

    @contextmanager
    def _within(self) -> Iterator[None]:
        """What happens in this block is part of what has been noted."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    # --- arrays and names --------------------

    def _unread_one(self, plain: Any, name: Any) -> Unread:
        made = Unread(plain, name, self._read, self._view)
        self._unread.append(ref(made))
        return made

    def _read(self, how: str) -> None:
        if not self._depth:
            self.refuse(f"it reads values of an array ({how}) outside of functions")

    def _view(self, found: Any, of: Unread) -> Any:
        if self.reason is not None or self._depth:
            return found
        if found is of.plain:
            return of
        if isinstance(found, np.ndarray) and np.may_share_memory(found, of.plain):
            fixed = isinstance(of.ref, str) and of.ref.startswith("c")
            # A view of an argument is one in each replay. One of something computed is another array each time.
            return self._unread_one(found, self.program.constant(found) if fixed else None)
        self._read("copied, or taken out of it")
        return found

    def _name(self, array: Any) -> str:
        """What an input is called in the program."""
        if type(array) is Unread:
            if isinstance(array.ref, Variable):
                return self._by_reference(array.ref)
            if array.ref is None:
                self.refuse("it uses an array in a function that comes neither from an argument nor from a function")
                return "None"
            return str(array.ref)
        return self._names.get(id(array)) or self.program.constant(array)

    def _name_of_input(self, x: Any) -> str:
        if not isinstance(x, Variable):
            return self._name(x)
        array = _plain(x._array)
        outside = id(x) not in self._made and id(array) not in self._names
        if isinstance(x, Parameter) or (outside and x._requires_grad and type(x._array) is not Unread):
            return self._by_reference(x)
        return self._name(x._array)

    def _by_reference(self, variable: Variable) -> str:
        """The array of a Variable that was there before, whatever it is then."""
        name = f"{self.program.object('p', variable)}._array"
        array = _plain(variable._array)
        self._names.setdefault(id(array), name)
        self.program.keep(array)
        return name

    # --- functions --------------------

    def _make(self, original: Callable[..., None], variable: Variable, *args: Any, **kwargs: Any) -> None:
        original(variable, *args, **kwargs)
        self._made.add(id(variable))
        if isinstance(variable, Parameter):
            self.refuse("it makes a Parameter")

    def _apply(self, original: Callable[..., Any], function: FunctionNode, inputs: Sequence[Any]) -> Any:
        self._open_attributes(function)
        given = [x.plain if type(x) is Unread else x for x in inputs]
        if self.reason is not None:
            return original(function, given)
        if function._hooks is not None:
            self.refuse(f"{function.label} has a hook of its own")
            return original(function, given)
        attributes = dict(vars(function))
        names = [self._name_of_input(x) for x in inputs]
        closed = [(x, x._array) for x in inputs if isinstance(x, Variable) and type(x._array) is Unread]
        for x, array in closed:
            x._array = array.plain
        try:
            with self._within():
                outputs = original(function, given)
        finally:
            if self._closes:
                for x, array in closed:
                    x._array = array
        if self.reason is None:
            self._note_function(function, attributes, names, outputs)
        return outputs

    def _open_attributes(self, function: FunctionNode) -> None:
        """Arguments may have become attributes of a function: labels, indexes."""
        for key, value in vars(function).items():
            if isinstance(value, Variable):
                self.refuse(f"{function.label} keeps a Variable")
            if _holds_unread(value, lambda ref: not (isinstance(ref, str) and ref.startswith("c"))):
                self.refuse(f"{function.label} takes values that were computed as a constant")
            vars(function)[key] = _without_unread(value)

    def _note_function(
        self, function: FunctionNode, attributes: dict[str, Any], names: list[str], outputs: tuple[Variable, ...]
    ) -> None:
        program = self.program
        node = program.function(function, attributes)
        self._nodes[function] = node
        results = [program.local("v") for _ in outputs]
        self._inputs[function] = names
        formula = _formula(function)
        if formula is not None:
            program.line(f"{results[0]} = {formula[0].format(*names)}")
        else:
            program.line(f"{', '.join(results)}, = {node}.forward(({', '.join(names)},))")
        for y, name in zip(outputs, results, strict=True):
            array = y._array
            if array.ndim == 0:
                program.line(f"{name} = as_output({node}, {name})")
            program.keep(array)
            self._names.setdefault(id(array), name)
            self._made.add(id(y))
            self._variables.append((ref(y), name))
            y._array = self._unread_one(array, name)
        if function._order >= 0 and formula is None:
            if function._input_indexes:
                program.line(f"{node}._saved_inputs = ({', '.join([names[i] for i in function._input_indexes])},)")
            if function._output_indexes:
                program.line(f"{node}._saved_outputs = ({', '.join([results[i] for i in function._output_indexes])},)")
        for key, value in vars(function).items():
            if isinstance(value, np.ndarray) and attributes.get(key) is not value:
                self._sealed.append((function, key, value))
                vars(function)[key] = self._unread_one(value, None)

    # --- gradients --------------------

    def _walk(self, original: Callable[..., Any], *args: Any) -> Any:
        if not args[-1]:  # differentiable
            self.refuse("it calls grad(…) without enable_double_backprop")
        return original(*args)

    def _backward(
        self,
        original: Callable[..., None],
        outputs: list[Variable],
        grad_outputs: Sequence[Any] | None,
        retain_grad: bool,
        differentiable: bool,
        loss_scale: float | None,
    ) -> None:
        creators = [y.creator_node for y in outputs if y.creator_node is not None]
        asked = {"grad_outputs": grad_outputs, "retain_grad": retain_grad, "loss_scale": loss_scale}
        asked["enable_double_backprop"] = differentiable
        unusual = [name for name, value in asked.items() if value is not None and value is not False]
        if unusual:
            self.refuse(f"it calls backward with {', '.join(unusual)}")
        elif config.gradient_listener is not None:
            self.refuse("it has gradients told of as they arrive")
        elif len({id(y) for y in outputs}) < len(outputs) or any(y._grad is None and y.size != 1 for y in outputs):
            self.refuse("it calls backward of outputs some of which have no gradient, or are given twice")
        elif any(function not in self._nodes for function in functions_behind(creators)):
            self.refuse("backward goes back to functions of an earlier call")
        if self.reason is not None:
            original(outputs, grad_outputs, retain_grad, differentiable, loss_scale)
            return
        starts = []
        for y in outputs:
            if y._grad is None:
                y._grad = get_backend("numpy").xp.full(y.shape, 1.0, y.dtype)
            gradient = y._grad
            starts.append((y.node, _plain(getattr(gradient, "_array", gradient)), self._name_of_input(gradient)))
        used = [y for y in outputs if y.creator_node is not None]
        outputs.clear()
        with self._opened(), self._within(), using_config("enable_backprop", False):
            self.program.line("with using_config('enable_backprop', False):")
            self.program.indent = "    "
            try:
                leaves = _Walk(self.program, self._nodes, self._inputs).run(starts)
            finally:
                self.program.indent = ""
        for y in used:
            y._grad = None
        self._give(leaves)

    def _give(self, leaves: dict[Any, tuple[Any, str]]) -> None:
        """Add to the `grad` of leaves what has arrived there."""
        for node, (gradient, name) in leaves.items():
            variable = node.get_variable_or_none()
            if variable is None:
                continue
            before = _plain(getattr(variable._grad, "_array", variable._grad))
            found = backprop._as_array(gradient if before is None else before + gradient)
            if id(variable) in self._made:
                if variable._grad is not None:
                    self.refuse("it adds to the gradient of a Variable twice")
            elif before is not None and variable._factor_to(1.0) != 1:
                self.refuse("it adds to a gradient of another loss scale")
                found = backprop._accumulated(variable, gradient, False, 1.0)
            else:
                owner = self._by_reference(variable).removesuffix("._array")
                self.program.line(f"{name} = as_array({name} if {owner}._grad is None else {owner}._grad + {name})")
                self.program.line(f"{owner}._grad = {name}")
                if isinstance(variable, Parameter):
                    self.program.line(f"{owner}._loss_scale = 1.0")
            variable._note_loss_scale(1.0)
            variable._grad = found if self.reason is not None else self._unread_one(found, name)
            self.program.keep(found)

    # --- what else a step does --------------------

    def effect(self, do: Callable[[], object]) -> None:
        """Do something that is to be done again in each replay."""
        with self._opened(), self._within():
            do()
        if self.reason is None and not self._depth:
            self.program.line(f"{self.program.object('e', do)}()")

    def _unchain(self, original: Callable[..., None], what: Any) -> None:
        self.refuse("it cuts the graph (unchain)")
        original(what)

    def _clear(self, original: Callable[..., None], owner: Any) -> None:
        with self._opened(), self._within():
            original(owner)
        for variable in owner.params() if isinstance(owner, Link) else (owner,):
            if self.reason is None and id(variable) not in self._made:
                self.program.line(f"{self.program.object('p', variable)}._grad = None")
        if isinstance(owner, Link):
            self.meet(owner)

    def _effect_of(self, original: Callable[..., None], owner: Any) -> None:
        self.effect(partial(original, owner))

    def _update(
        self, original: Callable[..., None], optimizer: Any, lossfun: Any = None, *args: Any, **kwargs: Any
    ) -> None:
        if lossfun is not None and self.reason is None:
            loss = lossfun(*args, **kwargs)
            del args, kwargs
            optimizer.discard_grads()
            loss.backward(loss_scale=optimizer.loss_scale)
            del loss
            self.effect(partial(original, optimizer))
        elif lossfun is not None:
            original(optimizer, lossfun, *args, **kwargs)
        else:
            self.effect(partial(original, optimizer))

    def _report(self, original: Callable[..., None], reporter: Reporter, values: Any, observer: Any = None) -> None:
        if reporter is not get_current_reporter():
            self.refuse("it reports to a reporter that is not the current one")
        if config.keep_graph_on_report:
            self.refuse("config.keep_graph_on_report is set")
        told = {}
        for key, value in values.items():
            if isinstance(value, Variable):
                told[key] = f"outside({self._fresh(value._array, self._name_of_input(value))})"
            elif isinstance(value, (np.ndarray, Unread)):
                told[key] = self._fresh(value, self._name(value))
            else:
                told[key] = self.program.object("o", value)
        rows = ", ".join([f"{key!r}: {name}" for key, name in told.items()])
        self.program.line(f"report({{{rows}}}, {self.program.object('o', observer)})")
        plain = {
            key: Variable(self._own(value._array), requires_grad=False)
            if isinstance(value, Variable)
            else self._own(value)
            for key, value in values.items()
        }
        with self._within():
            original(reporter, plain, observer)

    # --- opening and closing --------------------

    def _seal_parameters(self) -> None:
        for p in self._watched:
            if type(p._array) is not Unread:
                p._array = self._unread_one(p._array, p)
            if p._grad is not None and type(p._grad) is np.ndarray:
                p._grad = self._unread_one(p._grad, None)

    @contextmanager
    def _opened(self) -> Iterator[None]:
        """Everything is as it is without a recorder while the block runs: the library itself is at work."""
        closed: list[tuple[Any, str, Any]] = []
        owners = {id(p): p for p in [*self._watched, *self.parameters]}
        for variable in [*owners.values(), *[v for of, _ in self._variables if (v := of()) is not None]]:
            for slot in ("_array", "_grad"):
                value = getattr(variable, slot)
                if type(value) is Unread:
                    closed.append((variable, slot, value))
                    setattr(variable, slot, value.plain)
        for function, key, value in self._sealed:
            if type(vars(function).get(key)) is Unread:
                vars(function)[key] = value
        try:
            yield
        finally:
            # Where Ctrl-C came while this block was being entered, this runs when the block is forgotten: too late.
            if self._closes:
                for variable, slot, value in closed:
                    if getattr(variable, slot) is value.plain:
                        setattr(variable, slot, value)

    def _unseal(self) -> None:
        """For good."""
        self._closes = False
        with self._opened():
            pass

    # --- the end --------------------

    def _conclude(self, result: Any) -> None:
        """The rest of the program, if nothing of what was computed has gone where a replay could not put it."""
        program = self.program
        for variable, array in self._kept_before:
            if variable._array is not array:
                self.refuse("it gives a Parameter another array")
        returned = self._result(result)
        self._leave_attributes()
        if any(id(kept) not in self._results for of, _ in self._variables if (kept := of()) is not None):
            self.refuse("a Variable that it computes is kept for later")
        if any(id(unread) not in self._results for of_unread in self._unread if (unread := of_unread()) is not None):
            self.refuse("an array is kept for later")
        if any(link._local_link_hooks for link in self._links):
            self.refuse("a link has a hook of its own")
        walked = program.walked
        for function, node in self._nodes.items():
            if node not in walked:
                program.forget(function, node)
        program.line(f"return {returned}")

    def _result(self, value: Any) -> str:
        """An expression for what the step returns."""
        self._results.add(id(value))
        if isinstance(value, Variable):
            if value.creator_node is not None and value.creator_node not in self._walked_functions():
                self.refuse("it returns a Variable of which gradients may be asked; call backward in the step")
            return f"outside({self._fresh(value._array, self._name_of_input(value))})"
        if isinstance(value, (np.ndarray, Unread)):
            return self._fresh(value, self._name(value))
        if type(value) in (tuple, list):
            rows = ", ".join([self._result(each) for each in value])
            return f"[{rows}]" if type(value) is list else f"({rows}{',' if value else ''})"
        if type(value) is dict:
            return f"{{{', '.join([f'{key!r}: {self._result(each)}' for key, each in value.items()])}}}"
        if value is not None and not isinstance(value, (bool, int, float, str)):
            self.refuse(f"it returns a {type(value).__name__}")
        return self.program.object("o", value)

    def _walked_functions(self) -> set[FunctionNode]:
        return {function for function, node in self._nodes.items() if node in self.program.walked}

    def _fresh(self, array: Any, name: str) -> str:
        """Nobody may hold memory that the next replay writes into."""
        return f"{name}.copy()" if name.startswith("c") or self._is_static(array) else name

    def _is_static(self, array: Any) -> bool:
        return any(np.may_share_memory(_plain(array), static) for static in self._statics)

    def _own(self, value: Any) -> Any:
        """What the step returned, without the recorder's arrays in it."""
        if isinstance(value, Variable):
            if self._is_static(value._array):
                value._array = _plain(value._array).copy()
            return value
        if isinstance(value, (np.ndarray, Unread)):
            return _plain(value).copy() if self._is_static(value) else _plain(value)
        if type(value) in (tuple, list):
            return type(value)([self._own(each) for each in value])
        if type(value) is dict:
            return {key: self._own(each) for key, each in value.items()}
        return value

    def _leave_attributes(self) -> None:
        """Links may keep what they computed, as `Classifier` does its loss; other changes cannot be replayed."""
        known = {id(v): (v, name) for of, name in self._variables if (v := of()) is not None}
        for link, before in self._links.items():
            for key, value in list(vars(link).items()):
                if before.get(key) is value:
                    continue
                if id(value) in known:
                    self._results.add(id(value))
                    name = self._fresh(value._array, known[id(value)][1])
                    self._own(value)
                    self.program.line(f"{self.program.object('l', link)}.__dict__[{key!r}] = outside({name})")
                    self.program.left.add((id(link), key))
                elif not (isinstance(value, (bool, int, float, str, type(None))) and before.get(key, self) == value):
                    self.refuse(f"the attribute {key} of {type(link).__name__} is another in each call")
            if len(vars(link)) != len(before):
                self.refuse(f"attributes of {type(link).__name__} come or go in each call")
        self.program.watch(self._links)

    def _end(self) -> None:
        self._unread.clear()
        self._variables.clear()
        self._sealed.clear()
        self._kept_before.clear()
        if self.reason is not None:
            self._nodes.clear()
            self.program = Program()

    def meet(self, link: Link) -> None:
        """A link is called: it and those below are to be what they are, in each replay."""
        for each in link.links():
            self._links.setdefault(each, dict(vars(each)))


class _Walk:
    """Gradients, by the order of `backprop._walk`, computed and noted."""

    def __init__(self, program: Program, nodes: dict[FunctionNode, str], inputs: dict[FunctionNode, list[str]]) -> None:
        self.program = program
        self.nodes = nodes
        self.inputs = inputs
        self.found: dict[Any, tuple[Any, str]] = {}
        self.pending: dict[FunctionNode, list[tuple[Any, str]]] = {}

    def run(self, starts: list[tuple[Any, Any, str]]) -> dict[Any, tuple[Any, str]]:
        for node, gradient, name in starts:
            if node.creator_node is not None:
                self._arrive(node, gradient, name)
        while self.pending:
            function = max(self.pending, key=lambda each: each._order)
            self._visit(function, self.pending.pop(function))
        for gradient, name in self.found.values():
            if not isinstance(gradient, np.ndarray):
                self.program.line(f"{name} = as_array({name})")
        return self.found

    def _visit(self, function: FunctionNode, gys: list[tuple[Any, str]]) -> None:
        program, node, targets = self.program, self.nodes[function], function._targets
        if not targets:
            return
        gxs = function.backward_arrays(targets, [gradient for gradient, _ in gys])
        names = [program.local("g") for _ in gxs]
        incoming = ", ".join([name for _, name in gys])
        formula = _formula(function)
        if formula is not None:
            for i, name in zip(targets, names, strict=True):
                program.line(f"{name} = {formula[1][i].format(*self.inputs[function], gy=incoming)}")
            program.walked.add(node)
        else:
            program.line(f"{', '.join(names)}, = {node}.backward_arrays({targets!r}, [{incoming}])")
            program.forget(function, node)
        if len(gxs) != len(targets):
            gxs, names = [gxs[i] for i in targets], [names[i] for i in targets]
        for i, gx, name in zip(targets, gxs, names, strict=True):
            to = function.inputs[i]
            if gx is None:
                continue
            if gx.shape != to.shape or gx.dtype is not to.dtype:
                gx = backprop._fit(gx, to, function, False)
                program.line(f"{name} = fit({name}, {node}.inputs[{i}], {node}, False)")
                if gx is None:
                    continue
            if to.creator_node is not None:
                self._arrive(to, gx, name)
            elif to in self.found:
                before, known = self.found[to]
                before += gx
                program.line(f"{known} += {name}")
                self.found[to] = before, known
            elif function.fresh_gradients:
                self.found[to] = gx, name
            else:
                program.line(f"{name} = {name}.copy()")
                self.found[to] = gx.copy(), name

    def _arrive(self, node: Any, gradient: Any, name: str) -> None:
        slots = self.pending.setdefault(node.creator_node, [(None, "None")] * node.creator_node._output_count)
        before, known = slots[node.index]
        if before is None:
            slots[node.index] = gradient, name
        else:
            total = self.program.local("g")
            self.program.line(f"{total} = {known} + {name}")
            slots[node.index] = before + gradient, total


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


def _plain(array: Any) -> Any:
    return array.plain if type(array) is Unread else array


def _without_unread(value: Any) -> Any:
    """The same with plain arrays, in tuples, lists and dictionaries too."""
    if type(value) is Unread:
        return value.plain
    if type(value) in (tuple, list):
        return type(value)([_without_unread(each) for each in value])
    if type(value) is dict:
        return {key: _without_unread(each) for key, each in value.items()}
    return value


def _holds_unread(value: Any, which: Callable[[Any], bool]) -> bool:
    if type(value) is Unread:
        return which(value.ref)
    rows = value.values() if type(value) is dict else value if type(value) in (tuple, list) else ()
    return any(_holds_unread(each, which) for each in rows)


def _place() -> str:
    """Where in the user's program that was."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("renga"):
        frame = frame.f_back
    return "" if frame is None else f", in {frame.f_code.co_filename}:{frame.f_lineno}"
