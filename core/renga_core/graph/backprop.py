"""Backpropagation.

Functions are visited in the reverse of the order of application, which is a topological order, because a function only
uses variables that earlier functions made. A heap holds the functions whose outputs have received a gradient. When a
function is taken from it, all functions that use its outputs have been visited, so its gradients are complete.

A pending gradient is stored by (function, output) and dropped once that function has run, so the number of live
gradients is at most the width of the graph. The pass keeps no reference to visited functions: if the user holds none
either, the graph and the retained arrays are freed on the way.

`grad` is written only after the pass has ended: a pass that fails leaves every `grad` unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any
from weakref import ref

from renga_core.backend import Array, as_array_of, get_backend
from renga_core.backend.lookup import array_types
from renga_core.configuration import config, unusual, using_config
from renga_core.graph.addition import LARGE, add_large
from renga_core.graph.errors import GraphError, WrongGradient, describe_array, describe_arrays
from renga_core.graph.function_node import FunctionNode, functions_behind, functions_since, require_gradients
from renga_core.graph.gradient_notifier import GradientNotifier
from renga_core.tracepoints import traced, traced_backward

if TYPE_CHECKING:
    from renga_core.graph.node import VariableNode
    from renga_core.graph.variable import Variable

__all__ = ["backward", "grad"]

Start = tuple["VariableNode", Any]


def backward(
    outputs: Sequence[Variable],
    grad_outputs: Sequence[Variable | Array | None] | None = None,
    *,
    retain_grad: bool = False,
    enable_double_backprop: bool = False,
    loss_scale: float | None = None,
) -> None:
    """Backpropagate from several variables at once; see `Variable.backward`.

    Args:
        outputs: Variables to start from, a tuple or list. Duplicates count once, unless `grad_outputs` are given.
        grad_outputs: A gradient for each output, Variable or array, to start from. If it or an element is None: the
            variable's own `grad`, or 1 for a variable with at most one element. Larger variables without a `grad` are
            skipped, unless all are skipped.
        retain_grad, enable_double_backprop, loss_scale: See `Variable.backward`.

    Raises:
        GraphError: No variable has a gradient to start from.
        TypeError: `outputs` or `grad_outputs` is not a tuple or list, or a gradient does not fit its variable.
        ValueError: `grad_outputs` and `outputs` have different lengths.
    """
    _require_variables("backward: outputs", outputs)
    run_backward(list(outputs), grad_outputs, retain_grad, enable_double_backprop, loss_scale)


def grad(
    outputs: Sequence[Variable],
    inputs: Sequence[Variable],
    grad_outputs: Sequence[Variable | Array | None] | None = None,
    grad_inputs: Sequence[Variable | Array | None] | None = None,
    set_grad: bool = False,
    retain_grad: bool = False,
    enable_double_backprop: bool = False,
    loss_scale: float | None = None,
) -> list[Variable | None]:
    """Return gradients of some variables with respect to others, without changing any other `grad`.

    Only functions on a path between the variables are visited.

    Args:
        outputs: Variables to differentiate. The differentiated value is the sum of all their elements, weighted by
            `grad_outputs`.
        inputs: Variables to differentiate with respect to: leaves or intermediate variables.
        grad_outputs: Weights of the outputs, Variables or arrays; default: ones.
        grad_inputs: Values to add to the gradients of the inputs, Variables or arrays. A value added at an intermediate
            variable also flows to the inputs behind it.
        set_grad: Also set the `grad` of `inputs`.
        retain_grad: Also set the `grad` of intermediate variables.
        enable_double_backprop: Build a graph of the gradients.
        loss_scale: Factor on the default weights.

    Returns:
        One gradient for each input; None if no output depends on it.

    Raises:
        TypeError: One of these arguments is not a tuple or list, or a gradient does not fit its variable.
        ValueError: The number of `grad_outputs` or `grad_inputs` differs from the number of variables.
    """
    _require_variables("grad: outputs", outputs)
    _require_variables("grad: inputs", inputs)
    _require_one_each("grad: grad_outputs", grad_outputs, outputs)
    _require_one_each("grad: grad_inputs", grad_inputs, inputs)
    wanted = {node_key(x.node) for x in inputs}
    starts = []
    for i, y in enumerate(outputs):
        gy: Any = None if grad_outputs is None else grad_outputs[i]
        given = _given_gradient(y, _initial_gradient(y, loss_scale) if gy is None else gy)
        starts.append((y.node, given if enable_double_backprop else given._array))
    for x, extra in zip(inputs, grad_inputs or (), strict=False):
        if extra is not None:
            # Treat it as a gradient from an output, so that it flows on.
            given = _given_gradient(x, extra)
            starts.append((x.node, given if enable_double_backprop else given._array))
    retained: list[tuple[Variable, Any]] | None = [] if retain_grad else None
    found = _walk(starts, _relevant_targets(starts, wanted), wanted, retained, enable_double_backprop)
    results = [_as_variable(found.get(node_key(x.node))) for x in inputs]
    for variable, gradient in retained or ():
        variable._grad = gradient
    if set_grad:
        for x, gx in zip(inputs, results, strict=True):
            x.grad_var = gx
    return results


def walk_within(starts: list[Start], since: int, wanted: Sequence[VariableNode], differentiable: bool) -> list[Any]:
    """Return gradients with respect to the variables of some nodes, through functions applied since a given time only.

    Args:
        starts: Nodes with their gradients: Variables if `differentiable`, otherwise arrays. Emptied by the call.
        since: The value of `next_order` at that time.
        wanted: Nodes of variables. Paths through functions that made them earlier do not count.
        differentiable: Build a graph of the gradients.

    Returns:
        For each wanted node a Variable if `differentiable`, otherwise an array; None if nothing depends on it.
    """
    creators = [node.creator_node for node, _ in starts if node.creator_node is not None]
    targets_of = {function: function._targets for function in functions_since(creators, since)}
    del creators
    found = _walk(starts, targets_of, {node_key(node) for node in wanted}, None, differentiable)
    return [found.get(node_key(node)) for node in wanted]


def run_backward(
    outputs: list[Variable],
    grad_outputs: Sequence[Variable | Array | None] | None,
    retain_grad: bool,
    differentiable: bool,
    loss_scale: float | None,
) -> None:
    """Backpropagate from `outputs`, and add the gradients that arrive at leaves to the `grad` of their Variables.

    Empties `outputs`, so that only this pass holds the graph. Starting gradients taken from `grad` are cleared at the
    end, unless `retain_grad` is set.
    """
    if unusual and config.tracers:
        traced_backward(_run_backward, outputs, grad_outputs, retain_grad, differentiable, loss_scale)
    else:
        _run_backward(outputs, grad_outputs, retain_grad, differentiable, loss_scale)


def _run_backward(
    outputs: list[Variable],
    grad_outputs: Sequence[Variable | Array | None] | None,
    retain_grad: bool,
    differentiable: bool,
    loss_scale: float | None,
) -> None:
    """`run_backward` after tracers have been notified."""
    if grad_outputs is not None:
        _require_one_each("backward: grad_outputs", grad_outputs, outputs)
    starts, used = _starts(outputs, grad_outputs, retain_grad, differentiable, loss_scale)
    outputs.clear()
    scale = 1.0 if loss_scale is None else float(loss_scale)
    retained: list[tuple[Variable, Any]] | None = [] if retain_grad else None
    notifier = (
        None
        if config.gradient_listener is None
        else GradientNotifier(starts, config.gradient_listener, partial(_accumulated, scale=scale))
    )
    leaves = _walk(starts, None, frozenset(), retained, differentiable, notifier)
    traces = bool(unusual and config.tracers)
    arrived = []
    for node, gradient in leaves.items():
        variable = None if node._variable is None else node._variable()
        if variable is not None:
            total = None if notifier is None else notifier.notified.get(node)
            if total is None:
                if traces:
                    total = traced("accumulate", _accumulated, variable, gradient, differentiable, scale)
                elif variable._grad is None and gradient.__class__ in array_types:
                    total = gradient  # the usual case, without calling `_accumulated`
                else:
                    total = _accumulated(variable, gradient, differentiable, scale)
            arrived.append((variable, total))
    for of, gradient in used:
        variable = of()
        if variable is not None:
            variable._grad = gradient
    for variable, gradient in retained or ():
        variable._grad = gradient
    for variable, gradient in arrived:
        variable._grad = gradient
        variable._note_loss_scale(scale)


def _accumulated(variable: Variable, gradient: Any, differentiable: bool, scale: float) -> Any:
    """The new `grad` of a leaf: the sum of the old one, in the new scale, and the gradient that arrived."""
    factor = variable._factor_to(scale)
    if differentiable:
        # Adding 0 copies: two leaves may have received the same array, and an optimizer hook may change it in place.
        earlier = variable.grad_var
        if earlier is None:
            return gradient + 0
        return gradient + (earlier if factor == 1 else earlier * factor)
    before = _grad_array(variable)
    if before is None:
        return as_gradient_array(gradient)
    return as_gradient_array((before if factor == 1 else before * factor) + gradient)


def _walk(
    starts: list[Start],
    targets_of: dict[FunctionNode, tuple[int, ...]] | None,
    wanted: set[Any] | frozenset[Any],
    retained: list[tuple[Variable, Any]] | None,
    differentiable: bool,
    notifier: GradientNotifier | None = None,
) -> dict[Any, Any]:
    """Visit the functions that `starts` depend on.

    Args:
        starts: Nodes with their gradients; emptied by the call.
        targets_of: For each function to visit, the inputs to follow; default: all that require a gradient. Emptied.
        wanted: Keys of gradients to return besides the gradients of leaves: see `node_key`.
        retained: Receives intermediate Variables that the user still holds, with their gradients; None: not wanted.
        differentiable: Gradients are Variables, and computing them builds a graph.
        notifier: Is called for each visited function.

    Returns:
        Gradients by key: Variables if `differentiable`, otherwise arrays.
    """
    pending: dict[FunctionNode, list[Any]] = {}
    heap: list[tuple[int, FunctionNode]] = []
    found: dict[Any, Any] = {}
    on_the_way: dict[FunctionNode, dict[VariableNode, None]] = {}
    for node, gradient in starts:
        creator = node.creator_node
        if creator is None:
            found[node] = gradient + 0 if node not in found else found[node] + gradient
            continue
        if creator not in pending:
            pending[creator] = [None] * creator._output_count
            heappush(heap, (-creator._order, creator))
        given = pending[creator][node.index]
        pending[creator][node.index] = gradient if given is None else given + gradient
    starts.clear()
    node = creator = gradient = given = None  # type: ignore[assignment]  # the walk must not hold the graph
    watched = bool(unusual and (config.debug or config.function_hooks or config.tracers))
    with using_config("enable_backprop", differentiable):
        try:
            while heap:
                function = heappop(heap)[1]
                gys = pending.pop(function)
                if wanted:
                    for i, gy in enumerate(gys):
                        if (function, i) in wanted:
                            found[function, i] = gy
                if retained is not None:
                    retained += _alive(on_the_way.pop(function, ()), gys, differentiable)
                targets = function._targets if targets_of is None else targets_of.pop(function, ())
                if not targets:
                    continue
                if watched or function._hooks is not None:
                    gxs = _watched_step(function, targets, gys, differentiable)
                elif differentiable:
                    gxs = require_gradients(function, function.backward(targets, tuple(gys)))
                else:
                    gxs = function.backward_arrays(targets, gys)
                inputs = function.inputs
                if len(gxs) != len(targets):
                    if len(gxs) != len(inputs):
                        raise WrongGradient(
                            f"the backward of {function.label} returned {len(gxs)} gradients for {len(targets)} inputs"
                        )
                    gxs = [gxs[i] for i in targets]
                for i, gx in zip(targets, gxs):  # noqa: B905 - checked above, and this is the hot loop
                    if gx is None:
                        continue
                    node = inputs[i]
                    if gx.shape != node.shape or gx.dtype is not node.dtype:
                        gx = fit_gradient(gx, node, function, differentiable)
                        if gx is None:
                            continue
                    creator = node.creator_node
                    if creator is not None:
                        slots = pending.get(creator)
                        if slots is None:
                            heappush(heap, (-creator._order, creator))
                            if creator._output_count == 1:
                                pending[creator] = [gx]
                            else:
                                pending[creator] = slots = [None] * creator._output_count
                                slots[node.index] = gx
                        elif (before := slots[node.index]) is None:
                            slots[node.index] = gx
                        elif differentiable or (gx.size < LARGE and not function.fresh_gradients):
                            slots[node.index] = before + gx
                        elif gx.size >= LARGE:
                            slots[node.index] = add_large(before, gx)
                        else:
                            gx += before  # in place, since nothing else refers to it
                            slots[node.index] = gx
                        if retained is not None:
                            on_the_way.setdefault(creator, {})[node] = None
                    elif node in found:
                        found[node] += gx
                    elif differentiable or function.fresh_gradients:
                        found[node] = gx
                    else:
                        # It may share memory with another gradient, and the sum is computed in place.
                        found[node] = gx.copy()
                if notifier is not None:
                    notifier.visited(function, found, differentiable)
                gx = gxs = before = None  # type: ignore[assignment]  # freed before the next function computes
        except Exception as error:
            _explain_failure(function, error)
            raise
    return found


def _watched_step(
    function: FunctionNode, targets: tuple[int, ...], gys: list[Any], differentiable: bool
) -> Sequence[Any]:
    """Compute the gradients of one function, with tracers, hooks and debug mode."""
    from renga_core.graph.debug import instrumented_backward

    if config.tracers and not differentiable:
        return traced("gradients", _gradient_arrays, function, targets, gys)
    return instrumented_backward(function, targets, gys, differentiable)


def _gradient_arrays(function: FunctionNode, targets: tuple[int, ...], gys: list[Any]) -> Sequence[Any]:
    return _watched_step(function, targets, gys, False)


def _explain_failure(function: FunctionNode, error: Exception) -> None:
    """Add a note that names the function whose backward raised an error."""
    from renga_core.graph.debug import call_site

    inputs = describe_arrays(function.inputs)
    error.add_note(f"In the backward of {function.label}, which was called with {inputs}.{call_site(function)}")


def fit_gradient(gx: Any, node: VariableNode, function: FunctionNode, differentiable: bool) -> Any:
    """Return a gradient in the shape and dtype of its input, summed over the axes that broadcasting added.

    Doing this here for all functions means that they need not undo broadcasts; it also catches wrong gradients.

    Returns:
        The gradient; None if the input holds integers, for which a real function has no derivative.

    Raises:
        WrongGradient: Its shape is not a broadcast of the input's shape, or its dtype cannot be a gradient's.
    """
    from renga_core.graph.operators.axes import is_broadcast_of, sum_array_to
    from renga_core.graph.operators.shape import cast, sum_to

    kind, given = node.dtype.kind, gx.dtype.kind
    if kind in "biu" and given not in "biu":
        return None
    if not is_broadcast_of(gx.shape, node.shape) or (given != kind and given in "biuc" and kind not in "biu"):
        raise WrongGradient(
            f"the backward of {function.label} returned a gradient of {describe_array(gx)} for an input of "
            f"{describe_array(node)}"
        )
    if gx.shape != node.shape:
        gx = sum_to(gx, node.shape) if differentiable else sum_array_to(gx, node.shape)
    if gx.dtype != node.dtype:
        gx = cast(gx, node.dtype) if differentiable else gx.astype(node.dtype)
    return gx


def _alive(nodes: Iterable[VariableNode], gys: list[Any], differentiable: bool) -> list[tuple[Variable, Any]]:
    """The Variables of some outputs of one function, if the user holds them, with their gradients."""
    found = []
    for node in nodes:
        variable = node.get_variable_or_none()
        if variable is not None:
            gy = gys[node.index]
            found.append((variable, gy if differentiable else as_gradient_array(gy)))
    return found


def node_key(node: VariableNode) -> Any:
    """The key of a gradient: the node of a leaf, or the function and output that a variable came from."""
    return node if node.creator_node is None else (node.creator_node, node.index)


def _relevant_targets(starts: list[Start], wanted: set[Any]) -> dict[FunctionNode, tuple[int, ...]]:
    """For each function on a path from `starts` to a wanted key, return the inputs that lead there."""
    creators = {node.creator_node for node, _ in starts if node.creator_node is not None}
    relevant: dict[FunctionNode, tuple[int, ...]] = {}
    for function in reversed(functions_behind(list(creators))):
        targets = tuple(
            [
                i
                for i in function._targets
                if node_key(function.inputs[i]) in wanted or function.inputs[i].creator_node in relevant
            ]
        )
        if targets:
            relevant[function] = targets
    return relevant


def _starts(
    outputs: Sequence[Variable],
    grad_outputs: Sequence[Any] | None,
    retain_grad: bool,
    differentiable: bool,
    loss_scale: float | None,
) -> tuple[list[Start], list[tuple[ref[Variable], Any]]]:
    """Prepare the start of a pass.

    Returns:
        The start nodes with their gradients; and the outputs whose `grad` changes at the end of the pass, with the new
        value. A leaf with a `grad` is not a start node: it would receive its gradient twice.
    """
    starts: list[Start] = []
    used: list[tuple[ref[Variable], Any]] = []
    without = None
    if grad_outputs is None:
        outputs = list({id(y): y for y in outputs}.values())
    for i, y in enumerate(outputs):
        gradient: Any
        own = grad_outputs is None or grad_outputs[i] is None
        if not own:
            given = _given_gradient(y, grad_outputs[i])  # type: ignore[index]  # not None, see above
            gradient = given if differentiable else given._array
        elif y._grad is not None:
            if y.creator_node is None:
                continue
            gradient = y.grad_var if differentiable else _grad_array(y)
        elif y.size > 1:  # the gradient of an empty variable is empty
            without = y
            continue
        else:
            gradient = _initial_gradient(y, loss_scale)
            gradient = _as_variable(gradient) if differentiable else gradient
        starts.append((y.node, gradient))
        if y.creator_node is not None and (retain_grad or own):
            used.append((ref(y), gradient if retain_grad else None))
    if without is not None and not starts:
        raise GraphError(
            f"backward cannot start from {without._describe()}: it has several elements and no `grad`. "
            "Reduce it first (sum, mean), or assign its `grad`."
        )
    return starts, used


def _grad_array(variable: Variable) -> Any:
    """Return the `grad` of a Variable without the notification of tracers that the attribute sends."""
    from renga_core.graph.variable import Variable

    grad = variable._grad
    return grad._array if isinstance(grad, Variable) else grad


def _given_gradient(variable: Variable, gradient: Any) -> Variable:
    """Return a gradient that the user passed as a Variable; raise an error if it does not fit."""
    from renga_core.graph.variable import Variable

    if isinstance(gradient, Variable):
        variable._check_grad(gradient._array)
        return gradient
    return Variable(variable._check_grad(gradient), requires_grad=False)


def _initial_gradient(y: Variable, loss_scale: float | None) -> Any:
    """Return ones, or `loss_scale`, in the shape of `y`."""
    array = y._array
    return get_backend(array).xp.full(array.shape, 1.0 if loss_scale is None else loss_scale, array.dtype)


def _require_variables(name: str, given: Any) -> None:
    from renga_core.graph.variable import Variable

    if not isinstance(given, (tuple, list)):
        raise TypeError(f"{name} must be a tuple or list of Variables, not {type(given).__name__}")
    for i, each in enumerate(given):
        if not isinstance(each, Variable):
            raise TypeError(f"{name}[{i}] must be a Variable, not {type(each).__name__}")


def _require_one_each(name: str, gradients: Any, variables: Sequence[Any]) -> None:
    if gradients is not None and not isinstance(gradients, (tuple, list)):
        raise TypeError(f"{name} must be a tuple or list, or None, not {type(gradients).__name__}")
    if gradients is not None and len(gradients) != len(variables):
        raise ValueError(f"{name} has {len(gradients)} entries for {len(variables)} variables")


def _as_variable(gradient: Any) -> Variable | None:
    from renga_core.graph.variable import Variable

    if gradient is None or isinstance(gradient, Variable):
        return gradient
    return Variable(gradient, requires_grad=False)


def as_gradient_array(gradient: Any) -> Any:
    """Return a gradient as an array: some libraries return scalars as sums of zero-dimensional arrays."""
    return gradient if gradient.__class__ in array_types else as_array_of(get_backend(gradient), gradient)
