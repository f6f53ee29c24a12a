"""Walking the graph backwards.

Functions are visited in the reverse of the order in which they were applied, which is a topological order: a function
uses only variables that earlier ones have made. A heap holds the functions whose outputs have received a gradient.
When a function is taken from it, every function that uses its outputs has been visited, so its gradients are complete.

A gradient on its way is kept by (function, output) and dropped as soon as that function has run; at no time are more
alive than the graph is wide there. The walk itself holds no function that it has passed: when the user holds nothing
either, graph and retained arrays are freed behind it.

No `grad` is written before the walk has come to its end: a pass that fails leaves every `grad` as it was.
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
        outputs: Where to start, a tuple or list. One that is given twice counts once, unless `grad_outputs` are given.
        grad_outputs: A gradient for each, Variable or array, to start from instead of its own. Default, also where one
            of them is None: the variable's own, or 1 for a variable with one element at most. A larger one that has
            none is left out, as long as there is one to start from.
        retain_grad, enable_double_backprop, loss_scale: As in `Variable.backward`.

    Raises:
        GraphError: No variable has a gradient to start from.
        TypeError: `outputs` or `grad_outputs` is no tuple or list, or a gradient does not fit its variable.
        ValueError: There are not as many `grad_outputs` as `outputs`.
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
    """Gradients of some variables with respect to others, leaving every other `grad` alone.

    Only functions on a path between them are visited.

    Args:
        outputs: Variables to differentiate; what is differentiated is the sum of all their elements, each weighted by
            `grad_outputs`.
        inputs: Variables to differentiate with respect to: leaves, or variables on the way.
        grad_outputs: Weight of each output, Variable or array; default: ones.
        grad_inputs: What to add to the gradient of each input, Variable or array. What is added to that of an input on
            the way counts for those behind it, too.
        set_grad: Also set the `grad` of `inputs`.
        retain_grad: Also set the `grad` of the variables on the way.
        enable_double_backprop: Build a graph of the gradients.
        loss_scale: Factor on default weights.

    Returns:
        One gradient for each input; None where no output depends on it.

    Raises:
        TypeError: One of these arguments is not a tuple or list, or a gradient does not fit its variable.
        ValueError: The number of `grad_outputs` or `grad_inputs` differs from that of the variables.
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
            # As if it had come from an output, so that it flows on.
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
    """Gradients with respect to the variables of some nodes, by way of functions applied since a certain one only.

    Args:
        starts: Nodes with their gradients: Variables if `differentiable`, otherwise arrays. Emptied.
        since: What `next_order` was then.
        wanted: Nodes of variables. What they were made from counts for nothing, unless by the same functions.
        differentiable: Build a graph of the gradients.

    Returns:
        For each of `wanted` a Variable if `differentiable`, otherwise an array; None where nothing depends on it.
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
    """Walk back from `outputs` and add what arrives at the leaves to the `grad` of their Variables.

    `outputs` is emptied, so that the walk alone holds the graph. The gradients that it started from are used up: they
    are forgotten at the end, unless `retain_grad` or they were `grad_outputs`.
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
    """`run_backward`, which tracers have been told of."""
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
                    total = gradient  # as nearly always; `_accumulated` would return it, too
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
    """What the `grad` of a leaf becomes: the sum of what it is, in the new scale, and what has arrived."""
    factor = variable._factor_to(scale)
    if differentiable:
        # Adding 0 copies: two leaves may have been given one array, and an optimizer's hook may change it in place.
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
    """Visit the functions behind `starts`.

    Args:
        starts: Nodes with their gradients; emptied.
        targets_of: For each function to visit, the inputs to go on to; default: all that require a gradient. Emptied.
        wanted: Keys of the gradients to return besides those of leaves: see `node_key`.
        retained: Receives the Variables on the way that the user still holds, with their gradients; None: not wanted.
        differentiable: Gradients are Variables, and what is done with them builds a graph.
        notifier: Is told of each function that has been visited.

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
                            gx += before  # in place, since nobody else has it
                            slots[node.index] = gx
                        if retained is not None:
                            on_the_way.setdefault(creator, {})[node] = None
                    elif node in found:
                        found[node] += gx
                    elif differentiable or function.fresh_gradients:
                        found[node] = gx
                    else:
                        # It may share memory with another gradient, and here it will be added to in place.
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
    """The gradients of one function, with tracers, hooks and debug mode."""
    from renga_core.graph.debug import instrumented_backward

    if config.tracers and not differentiable:
        return traced("gradients", _gradient_arrays, function, targets, gys)
    return instrumented_backward(function, targets, gys, differentiable)


def _gradient_arrays(function: FunctionNode, targets: tuple[int, ...], gys: list[Any]) -> Sequence[Any]:
    return _watched_step(function, targets, gys, False)


def _explain_failure(function: FunctionNode, error: Exception) -> None:
    """Say in a note in which function's backward an error came up."""
    from renga_core.graph.debug import call_site

    inputs = describe_arrays(function.inputs)
    error.add_note(f"In the backward of {function.label}, which was called with {inputs}.{call_site(function)}")


def fit_gradient(gx: Any, node: VariableNode, function: FunctionNode, differentiable: bool) -> Any:
    """A gradient in the shape and dtype of the input it belongs to: summed over the axes that broadcasting has added.

    Doing it here, for all functions, spares each of them the undoing of its broadcasts, and catches wrong gradients.

    Returns:
        The gradient; None where the input holds integers, with respect to which a real function has no derivative.

    Raises:
        WrongGradient: It has a shape that is no broadcast of the input's, or a dtype that no gradient has.
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
    """The Variables of some outputs of one function, where the user holds them, with their gradients."""
    found = []
    for node in nodes:
        variable = node.get_variable_or_none()
        if variable is not None:
            gy = gys[node.index]
            found.append((variable, gy if differentiable else as_gradient_array(gy)))
    return found


def node_key(node: VariableNode) -> Any:
    """Under which a gradient is kept: the node of a leaf, or the function and output that a variable came from."""
    return node if node.creator_node is None else (node.creator_node, node.index)


def _relevant_targets(starts: list[Start], wanted: set[Any]) -> dict[FunctionNode, tuple[int, ...]]:
    """For each function on a path from `starts` to a wanted key, the inputs through which a path leads."""
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
    """Where a pass starts.

    Returns:
        The nodes with their gradients; and the outputs whose `grad` changes when the pass has come to its end, with
        what it becomes. A leaf that has a `grad` has it already: started from, it would get it twice.
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
        elif y.size > 1:  # that of an empty one is empty
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
            f"backward from {without._describe()}: only a variable with one element has a gradient to start from. "
            "Reduce it first (sum, mean), or assign its `grad`."
        )
    return starts, used


def _grad_array(variable: Variable) -> Any:
    """The `grad` of a Variable. That attribute itself is for programs: tracers see it read."""
    from renga_core.graph.variable import Variable

    grad = variable._grad
    return grad._array if isinstance(grad, Variable) else grad


def _given_gradient(variable: Variable, gradient: Any) -> Variable:
    """A gradient that the user gives, as a Variable; refused if it does not fit."""
    from renga_core.graph.variable import Variable

    if isinstance(gradient, Variable):
        variable._check_grad(gradient._array)
        return gradient
    return Variable(variable._check_grad(gradient), requires_grad=False)


def _initial_gradient(y: Variable, loss_scale: float | None) -> Any:
    """Ones, or `loss_scale`, in the shape of `y`."""
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
    """A gradient as an array: sums of zero-dimensional arrays are scalars in some libraries."""
    return gradient if gradient.__class__ in array_types else as_array_of(get_backend(gradient), gradient)
