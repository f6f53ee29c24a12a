"""`FunctionNode`: a function applied to variables, which is a node of the graph."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import ref

from renga_core.backend import Array, as_array_of, get_backend, in_native_order
from renga_core.backend.lookup import array_types
from renga_core.configuration import config, unusual
from renga_core.graph.errors import GraphError, WrongGradient, argument_of, describe_arrays, no_array
from renga_core.graph.node import VariableNode
from renga_core.tracepoints import changed, traced

if TYPE_CHECKING:
    from renga_core.graph.function_hook import FunctionHook
    from renga_core.graph.variable import Variable

__all__ = ["FunctionNode"]

_FIRST, _SECOND, BOTH = (0,), (1,), (0, 1)
_new = object.__new__

next_order = itertools.count().__next__
"""The number of the next function to be applied. Numbers increase along each path of a graph."""


class FunctionNode:
    """A differentiable function, applied once. Subclass it, and call `apply`.

    A subclass defines `forward` on arrays and `backward` on Variables. `forward` calls `retain_inputs` and
    `retain_outputs` for the arrays that backward needs; no others are kept. `backward` uses differentiable functions,
    so that it can be differentiated itself. If that is too slow for a first-order pass, the subclass also defines
    `backward_arrays`, which computes the same on arrays.

        class Square(FunctionNode):
            def forward(self, inputs):
                self.retain_inputs((0,))
                return (inputs[0] * inputs[0],)

            def backward(self, target_input_indexes, grad_outputs):
                (x,) = self.get_retained_inputs()
                return (2 * x * grad_outputs[0],)

        y, = Square().apply((x,))

    An instance can be applied once. After `apply` it is a node of the graph.

    Attributes:
        inputs: Nodes of the inputs; empty if no graph was built, or after `unchain`.
        function_name: Name of the public function, for messages such as ``arccos: x: expected a floating dtype``. The
            default is the name in the module's ``__all__`` that equals the class name, apart from case and underscores:
            `ReLU` is ``relu``, `BroadcastTo` is ``broadcast_to``; or else the class name.
        fresh_gradients: Set it on a class whose `backward_arrays` returns only arrays that share no memory with each
            other, with incoming gradients or with retained arrays. They become a `grad` without a copy.
        formula: Formulas of `forward` and, for each input, of `backward_arrays`, as text. A replay computes them
            instead of calling the methods, whose overhead is large for small arrays. ``{0}``, ``{1}`` … are the inputs,
            ``{gy}`` is the incoming gradient; there is one output.
        stack: Where the program called the function; recorded in debug mode only.
    """

    fresh_gradients: ClassVar[bool] = False
    formula: ClassVar[tuple[str, tuple[str, ...]] | None] = None
    function_name: str

    inputs: tuple[VariableNode, ...] = ()
    stack: Sequence[Any] | None = None
    _order: int = -1
    _targets: tuple[int, ...] = ()
    _output_count: int = 1
    _input_indexes: tuple[int, ...] = ()
    _output_indexes: tuple[int, ...] = ()
    _saved_inputs: tuple[Array, ...] = ()
    _saved_outputs: tuple[Array, ...] = ()
    _hooks: dict[str, FunctionHook] | None = None

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "function_name" not in cls.__dict__:
            exported = getattr(sys.modules.get(cls.__module__), "__all__", ())
            plain = cls.__name__.lower()
            cls.function_name = next((name for name in exported if name.replace("_", "") == plain), cls.__name__)

    # --- what a subclass defines --------------------

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute the outputs from the inputs. Gets arrays, returns a tuple of arrays."""
        split = ", and forward_cpu and forward_gpu are not called" if hasattr(self, "forward_cpu") else ""
        raise NotImplementedError(f"{type(self).__name__} does not define forward(inputs){split}")

    def backward(
        self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]
    ) -> Sequence[Variable | None]:
        """Compute gradients with respect to some inputs, using differentiable functions.

        Args:
            target_input_indexes: Indexes of the inputs for which gradients are needed, in ascending order.
            grad_outputs: Gradient with respect to each output; None if nothing depends on that output.

        Returns:
            One gradient, or None for zero, for each entry of `target_input_indexes`; or for each input, of which those
            not needed are ignored.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define backward(target_input_indexes, grad_outputs)")

    def backward_arrays(
        self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Array | None]
    ) -> Sequence[Array | None]:
        """Like `backward`, but on arrays, for a pass that need not be differentiated.

        The default calls `backward`; graph building is off then. Override it for speed. The retained arrays are
        `saved_inputs` and `saved_outputs`.
        """
        variable = _Variable
        grads = self.backward(
            target_input_indexes,
            tuple([None if g is None else variable(g, requires_grad=False) for g in grad_outputs]),
        )
        return [None if g is None else g._array for g in require_gradients(self, grads)]

    @property
    def label(self) -> str:
        """Name of the node in drawings of the graph and in hooks; default: the class name."""
        return type(self).__name__

    # --- what a subclass calls --------------------

    def retain_inputs(self, indexes: Sequence[int]) -> None:
        """Keep these inputs for backward. Call it in `forward`."""
        self._input_indexes = tuple(indexes)

    def retain_outputs(self, indexes: Sequence[int]) -> None:
        """Keep these outputs for backward. Call it in `forward`."""
        self._output_indexes = tuple(indexes)

    @property
    def saved_inputs(self) -> tuple[Array, ...]:
        """Arrays of the retained inputs, in the order of `retain_inputs`."""
        return self._saved_inputs

    @property
    def saved_outputs(self) -> tuple[Array, ...]:
        """Arrays of the retained outputs, in the order of `retain_outputs`."""
        return self._saved_outputs

    def get_retained_inputs(self) -> tuple[Variable, ...]:
        """The retained inputs as Variables connected to the graph, in the order of `retain_inputs`."""
        return tuple(
            [_connected(self.inputs[i], x) for i, x in zip(self._input_indexes, self._saved_inputs, strict=True)]
        )

    def get_retained_outputs(self) -> tuple[Variable, ...]:
        """The retained outputs as Variables connected to the graph, in the order of `retain_outputs`.

        The node of an output may have been freed with the user's Variable; then it is made again. Nothing else is
        needed, because gradients are routed by function and index, not by the node's identity.
        """
        made = []
        for i, y in zip(self._output_indexes, self._saved_outputs, strict=True):
            made.append(_connected(VariableNode.make(self, i, y.shape, y.dtype, True), y))
        return tuple(made)

    # --- applying --------------------

    def apply(self, inputs: Sequence[Variable | Array]) -> tuple[Variable, ...]:
        """Compute the outputs. Join the graph, unless graph building is off or no input needs a gradient.

        Args:
            inputs: Variables, or arrays, which receive no gradient.

        Raises:
            GraphError: This instance has been applied already.
            TypeError: An input or an output is not an array, or `forward` did not return a tuple.
        """
        watched = False
        if unusual or self._hooks is not None:
            if config.tracers:
                return traced("apply", FunctionNode.apply, self, inputs)
            watched = bool(config.debug or config.function_hooks or self._hooks is not None)
            if not config.enable_backprop:
                return self._apply_outside(inputs, watched)
        if self._order >= 0:
            return self._apply_again(inputs)
        variable = _Variable
        xs: tuple[Array, ...]
        nodes: tuple[VariableNode, ...]
        targets: tuple[int, ...]
        # Every step counts for small arrays: for one or two Variables, this is twice as fast as the loop.
        if len(inputs) == 1 and isinstance(x := inputs[0], variable):
            xs = (x._array,)
            nodes = (x._node or x.node,)
            targets = _FIRST if x._requires_grad else ()
        elif len(inputs) == 2 and isinstance(x0 := inputs[0], variable) and isinstance(x1 := inputs[1], variable):
            xs = (x0._array, x1._array)
            nodes = (x0._node or x0.node, x1._node or x1.node)
            if x0._requires_grad:
                targets = BOTH if x1._requires_grad else _FIRST
            else:
                targets = _SECOND if x1._requires_grad else ()
        else:
            xs = nodes = targets = ()
            for i, x in enumerate(inputs):
                if isinstance(x, variable):
                    xs += (x._array,)
                    nodes += (x._node or x.node,)
                    if x._requires_grad:
                        targets += (i,)
                else:
                    array: Array = x
                    if type(array) not in array_types or not getattr(array.dtype, "isnative", True):
                        array = _as_input(self, i, x)
                    xs += (array,)
                    nodes += (VariableNode.make(None, 0, array.shape, array.dtype, False),)
        if watched:
            ys = self._forward_watched(xs)
        else:
            try:
                ys = self.forward(xs)
            except Exception as error:
                self._explain_failure(xs, error)
                raise
            if ys.__class__ is not tuple:
                raise _not_a_tuple(self, ys)
        if not targets:
            return self._constants(nodes, ys)
        self.inputs = nodes
        self._targets = targets
        self._order = next_order()
        if len(ys) == 1:
            # Inlined from `_output`, because calls would take longer than the rest.
            (y,) = ys
            if y.__class__ not in array_types:
                y = as_output(self, y)
                ys = (y,)
            node = VariableNode()
            node.creator_node = self
            node.index = 0
            node.shape = y.shape
            node.dtype = y.dtype
            node.requires_grad = True
            node.name = None
            made = _new(variable)
            made._array = y
            made._node = node
            made._grad = made._name = None
            made._requires_grad = True
            node._variable = ref(made)
            outputs: tuple[Variable, ...] = (made,)
        else:
            self._output_count = len(ys)
            outputs = tuple([self._output(i, y) for i, y in enumerate(ys)])
        kept = self._input_indexes
        if kept:
            all_kept = len(xs) == 1 or (kept is BOTH and len(xs) == 2)
            self._saved_inputs = xs if all_kept else tuple([xs[i] for i in kept])
        if self._output_indexes:
            self._saved_outputs = ys if len(ys) == 1 else tuple([outputs[i]._array for i in self._output_indexes])
        return outputs

    def _apply_again(self, inputs: Sequence[Variable | Array]) -> tuple[Variable, ...]:
        """`apply` of an instance that has been applied already."""
        raise GraphError(f"{self.label} has been applied already; make a new instance for each call")

    def _constants(self, nodes: tuple[VariableNode, ...], ys: tuple[Array, ...]) -> tuple[Variable, ...]:
        """The outputs if no input needs a gradient: outside the graph."""
        return tuple([_make(as_output(self, y), None, False) for y in ys])

    def _output(self, index: int, y: Array) -> Variable:
        """An output as a Variable in the graph."""
        y = as_output(self, y)
        node = VariableNode.make(self, index, y.shape, y.dtype, True)
        made = _make(y, node, True)
        node._variable = ref(made)
        return made

    def _apply_outside(self, inputs: Sequence[Variable | Array], watched: bool) -> tuple[Variable, ...]:
        """`apply` if no graph is built."""
        xs: tuple[Array, ...] = ()
        requires_grad = False
        for i, x in enumerate(inputs):
            if isinstance(x, _Variable):
                xs += (x._array,)
                requires_grad = requires_grad or x._requires_grad
            else:
                array: Array = x
                if type(array) not in array_types or not getattr(array.dtype, "isnative", True):
                    array = _as_input(self, i, x)
                xs += (array,)
        return self._wrap(self._forward_watched(xs) if watched else self._forward_checked(xs), requires_grad)

    def _wrap(self, ys: tuple[Array, ...], requires_grad: bool) -> tuple[Variable, ...]:
        """The outputs as Variables outside the graph."""
        return tuple([_make(as_output(self, y), None, requires_grad) for y in ys])

    def _forward_checked(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Call `forward`; an error gets a note that says where it was raised."""
        try:
            ys = self.forward(xs)
        except Exception as error:
            self._explain_failure(xs, error)
            raise
        if ys.__class__ is not tuple:
            raise _not_a_tuple(self, ys)
        return ys

    def _forward_watched(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Call `forward` with function hooks and debug mode; the computation is the same."""
        from renga_core.graph import debug
        from renga_core.graph.function_hook import watching

        if config.debug:
            self.stack = debug.user_stack()
        with watching(self, "forward", xs):
            ys = tuple([as_output(self, y) for y in self._forward_checked(xs)])
            if config.debug:
                debug.check_no_nan(f"output of {self.label}", ys, self)
        return ys

    def _explain_failure(self, xs: tuple[Array, ...], error: Exception) -> None:
        """Add a note that says which function failed and on which arrays; the error itself is unchanged.

        A subclass that can say more raises its own error.
        """
        if any(x is None for x in xs):
            error.add_note(
                "An input is a Parameter whose shape is not known yet. "
                "Call its link once, or initialize() it, before using it."
            )
        error.add_note(f"In {self.label}.forward, called with {describe_arrays(xs)}")

    # --- the node in the graph --------------------

    @property
    def rank(self) -> int:
        """Length of the longest path from a leaf to this function."""
        ranks: dict[FunctionNode, int] = {}
        for function in reversed(functions_behind([self])):
            behind = [0 if node.creator_node is None else ranks[node.creator_node] + 1 for node in function.inputs]
            ranks[function] = max(behind, default=0)
        return ranks[self]

    def unchain(self) -> None:
        """Remove this function from the graph: it drops its inputs and retained arrays, and backward stops here."""
        self.inputs = ()
        self._targets = ()
        self._saved_inputs = self._saved_outputs = ()
        if unusual and config.tracers:
            changed(self, "unchain")

    def add_hook(self, hook: FunctionHook, name: str | None = None) -> None:
        """Call `hook` before and after forward and backward of this function only.

        Raises:
            KeyError: A hook of this name is registered already.
        """
        key = name or hook.name
        hooks = self._hooks or {}
        if key in hooks:
            raise KeyError(f"{self.label} has a hook named {key!r} already; give this one another name")
        self._hooks = {**hooks, key: hook}
        hook.added(self)

    def delete_hook(self, name: str) -> None:
        """Remove the hook with this name from this function.

        Raises:
            KeyError: There is no such hook.
        """
        hooks = dict(self._hooks or {})
        if name not in hooks:
            raise KeyError(f"{self.label} has no hook named {name!r}; it has {sorted(hooks) or 'none'}")
        hooks.pop(name).deleted(self)
        self._hooks = hooks or None

    def __repr__(self) -> str:
        return f"<{self.label} of ({', '.join(n.label for n in self.inputs)})>"


def functions_behind(starts: Sequence[FunctionNode]) -> list[FunctionNode]:
    """The functions that `starts` depend on, including themselves, latest first (a topological order)."""
    seen = set(starts)
    todo = list(starts)
    while todo:
        for node in todo.pop().inputs:
            creator = node.creator_node
            if creator is not None and creator not in seen:
                seen.add(creator)
                todo.append(creator)
    return sorted(seen, key=lambda function: -function._order)


def functions_since(starts: Sequence[FunctionNode], order: int) -> set[FunctionNode]:
    """Like `functions_behind`, but only functions applied since `next_order` had the value `order`; in no order."""
    todo = [function for function in starts if function._order >= order]
    seen = set(todo)
    while todo:
        for node in todo.pop().inputs:
            creator = node.creator_node
            if creator is not None and creator._order >= order and creator not in seen:
                seen.add(creator)
                todo.append(creator)
    return seen


def _connected(node: VariableNode, array: Array) -> Variable:
    """The Variable of a node: the user's, if it still exists and has this array, else a new one on the same node."""
    alive = node.get_variable_or_none()
    return alive if alive is not None and alive._array is array else _make(array, node, node.requires_grad)


def _as_input(function: FunctionNode, index: int, x: Any) -> Array:
    """Convert an input that is neither a Variable nor a native array: foreign byte order, a scalar, or an error."""
    if hasattr(x, "dtype"):
        return in_native_order(as_array_of(get_backend(x), x))
    raise no_array(*(argument_of(x) or (function.function_name, f"input {index}")), x)


def as_output(function: FunctionNode, y: Any) -> Array:
    """Convert an output that is not of a known array type: a subclass, a scalar of the library, or an error."""
    if y.__class__ in array_types:
        return y
    if not hasattr(y, "dtype"):
        raise TypeError(f"{function.label}.forward returned a tuple that contains {y!r}; it must contain arrays only")
    return as_array_of(get_backend(y), y)


def require_gradients(function: FunctionNode, gradients: Sequence[Any]) -> Sequence[Variable | None]:
    """Check that `backward` returned Variables and None only.

    Raises:
        WrongGradient: It returned something else.
    """
    for gradient in gradients:
        if gradient is not None and not isinstance(gradient, _Variable):
            raise WrongGradient(
                f"the backward of {function.label} returned a tuple with a {type(gradient).__name__} in it; "
                "it must return Variables, or None for zero (backward_arrays returns arrays)"
            )
    return gradients


def _not_a_tuple(function: FunctionNode, ys: Any) -> TypeError:
    return TypeError(
        f"{function.label}.forward returned a {type(ys).__name__}; it must return a tuple of arrays, even of one"
    )


_Variable: type[Variable]
_make: Callable[[Array, VariableNode | None, bool], Variable]


def _set_variable_class(cls: type[Variable]) -> None:
    """Register the class Variable, whose module imports this one."""
    global _Variable, _make
    _Variable, _make = cls, cls._make
