"""`Variable`: an array with a gradient and a place in the graph."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from renga_core.backend import (
    Array,
    Device,
    get_array_module,
    get_backend,
    get_device,
    get_device_of,
    in_native_order,
)
from renga_core.backend.lookup import array_types
from renga_core.configuration import config, unusual
from renga_core.graph import backprop
from renga_core.graph.errors import GraphError, describe_array
from renga_core.graph.function_node import _set_variable_class, functions_behind
from renga_core.graph.node import VariableNode
from renga_core.graph.operators.methods import Operators
from renga_core.tracepoints import changed, created, read

if TYPE_CHECKING:
    from renga_core.graph.function_node import FunctionNode

__all__ = ["Variable", "as_array", "as_variable"]


class Variable(Operators):
    """An array that functions can be applied to, with a gradient.

    Args:
        data: The array, of any backend; None for a Parameter of unknown shape. An array of foreign byte order (``>f4``)
            is converted to native order.
        name: Name for messages and drawings of the graph.
        grad: An initial gradient, of the shape and dtype of `data`.
        requires_grad: Whether gradients with respect to this variable are needed.

    Raises:
        TypeError: `data` is not an array, or `grad` does not fit it.
    """

    __slots__ = ("__weakref__", "_array", "_grad", "_name", "_node", "_requires_grad")

    _array: Array
    _grad: Any
    _node: VariableNode | None

    def __init__(
        self,
        data: Array | None = None,
        *,
        name: str | None = None,
        grad: Array | None = None,
        requires_grad: bool = True,
    ) -> None:
        if data is not None and (type(data) not in array_types or not getattr(data.dtype, "isnative", True)):
            data = _checked_array(data)
        self._array = data
        self._node = None
        self._grad = None
        self._requires_grad = requires_grad
        self._name = name
        if unusual and config.tracers:
            created(self)
        if grad is not None:
            self.grad = grad

    @staticmethod
    def _make(array: Array, node: VariableNode | None, requires_grad: bool) -> Variable:
        """Make a Variable without the constructor's checks, for the outputs of functions."""
        made = _new(Variable)
        made._array = array
        made._node = node
        made._grad = None
        made._requires_grad = requires_grad
        made._name = None
        return made

    # --- the array --------------------

    @property
    def array(self) -> Array:
        """The array; None for a Parameter of unknown shape."""
        return read(self, self._array) if unusual and config.tracers else self._array

    @array.setter
    def array(self, value: Array | None) -> None:
        if value is not None and (type(value) not in array_types or not getattr(value.dtype, "isnative", True)):
            value = _checked_array(value)
        self._array = value
        if self._node is not None and value is not None:
            self._node.shape, self._node.dtype = value.shape, value.dtype
        if unusual and config.tracers:
            changed(self, "array")

    data = array

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array.

        Raises:
            GraphError: There is no array yet (`Parameter`); `ndim` and `size` raise it too.
        """
        if self._array is None:
            raise GraphError(
                f"{self._title()} has no shape yet. Call its link once, or initialize() it, before using it."
            )
        return tuple(self._array.shape)

    @property
    def dtype(self) -> Any:
        """Dtype of the array."""
        return self._array.dtype

    @property
    def ndim(self) -> int:
        """Number of axes of the array."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements of the array."""
        return math.prod(self.shape)

    @property
    def xp(self) -> Any:
        """Namespace of the array's library."""
        return get_array_module(self._array)

    @property
    def device(self) -> Device:
        """Where the array lives."""
        return get_device_of(self._array)

    def to_device(self, device: str | Device) -> None:
        """Move the array and the gradient to a device. The variable must be a leaf of the graph.

        Raises:
            GraphError: The variable was computed by a function, which would lose its gradient.
        """
        if self._requires_grad and self._node is not None and self._node.creator_node is not None:
            raise GraphError("only a leaf of the graph can be moved in place; copy with a function, or move it earlier")
        target = get_device(device)
        if self._array is not None:
            self._array = target.send(self._array)
        if self._grad is not None:
            self._grad = target.send(self.grad)
        self._node = None
        if unusual and config.tracers:
            changed(self, "to_device")

    def item(self) -> Any:
        """The value of a variable with one element as a Python number."""
        array = self.array
        return get_backend(array).to_host(array).item()

    # --- the gradient --------------------

    @property
    def grad(self) -> Array | None:
        """The gradient as an array; None before backward, and if nothing depends on this variable."""
        grad = self._grad
        found = grad._array if isinstance(grad, Variable) else grad
        return read(self, found) if unusual and config.tracers else found

    @grad.setter
    def grad(self, value: Array | None) -> None:
        if value is not None:
            if isinstance(value, Variable):
                raise TypeError("`grad` is an array; assign a Variable to `grad_var`")
            value = self._check_grad(value)
        self._grad = value
        if unusual and config.tracers:
            changed(self, "grad")

    @property
    def grad_var(self) -> Variable | None:
        """The gradient as a Variable; part of a graph if backward ran with ``enable_double_backprop=True``."""
        if self._grad is not None and not isinstance(self._grad, Variable):
            self._grad = Variable(self.grad)
        return self._grad

    @grad_var.setter
    def grad_var(self, value: Variable | None) -> None:
        if value is not None:
            if not isinstance(value, Variable):
                raise TypeError("`grad_var` is a Variable; assign an array to `grad`")
            self._check_grad(value._array)
        self._grad = value
        if unusual and config.tracers:
            changed(self, "grad")

    def _check_grad(self, grad: Array) -> Array:
        """Return the gradient as an array; raise an error if it does not fit."""
        if type(grad) not in array_types or not getattr(grad.dtype, "isnative", True):
            grad = _checked_array(grad)
        if self._array is not None and (tuple(grad.shape) != self.shape or grad.dtype != self.dtype):
            raise TypeError(
                f"the gradient of {self._describe()} must have its shape and dtype; got {describe_array(grad)}"
            )
        return grad

    def cleargrad(self) -> None:
        """Clear the gradient: the next backward starts from none."""
        self._grad = None
        if unusual and config.tracers:
            changed(self, "cleargrad")

    def zerograd(self) -> None:
        """Set the gradient to zeros."""
        self._grad = None if self._array is None else self.xp.zeros_like(self._array)
        if unusual and config.tracers:
            changed(self, "zerograd")

    def _note_loss_scale(self, scale: float) -> None:
        """Record that `grad` is the gradient of the loss times `scale`; only Parameters do."""

    def _factor_to(self, scale: float) -> float:
        """The factor that turns `grad` into the gradient of the loss times `scale`."""
        return 1.0

    def copydata(self, var: Variable) -> None:
        """Copy the array of `var`, which may live on another device, into this one's array."""
        backend = get_backend(self._array)
        backend.assign(self._array, get_device_of(self._array).send(var._array))
        if unusual and config.tracers:
            changed(self, "copydata")

    def addgrad(self, var: Variable) -> None:
        """Add the gradient of `var`, which may live on another device, to this one's."""
        theirs, device = var.grad, get_device_of(self._array)
        if theirs is not None:
            with device.use():
                moved = device.send(theirs)
                self._grad = moved.copy() if self._grad is None else self.grad + moved
        if unusual and config.tracers:
            changed(self, "addgrad")

    # --- the graph --------------------

    @property
    def name(self) -> str | None:
        """Name for messages and drawings of the graph."""
        return self._name

    @name.setter
    def name(self, value: str | None) -> None:
        self._name = value
        if self._node is not None:
            self._node.name = value

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient with respect to this variable is wanted."""
        return self._requires_grad

    @property
    def node(self) -> VariableNode:
        """The node of this variable in the graph; made at first use."""
        node = self._node
        if node is None:
            array = self._array
            shape, dtype = ((), None) if array is None else (array.shape, array.dtype)
            node = self._node = VariableNode.make(None, 0, shape, dtype, self._requires_grad)
            node._variable = ref(self)
            node.name = self._name
        return node

    @property
    def creator_node(self) -> FunctionNode | None:
        """The function that computed this variable; None for a leaf."""
        return None if self._node is None else self._node.creator_node

    @property
    def creator(self) -> FunctionNode | None:
        """The same as `creator_node`."""
        return self.creator_node

    @property
    def rank(self) -> int:
        """Length of the longest path from a leaf to here."""
        return self.node.rank

    @property
    def label(self) -> str:
        """Shape and dtype as text."""
        return self.node.label

    def unchain(self) -> None:
        """Forget the function that computed this variable: it becomes a leaf."""
        if self._node is not None:
            self._node.unchain()
        if unusual and config.tracers:
            changed(self, "unchain")

    def unchain_backward(self) -> None:
        """Cut the graph behind this variable into pieces: later backward passes do not go beyond it.

        Use it for truncated backpropagation through time: arrays retained by earlier functions are freed.
        """
        creator = self.creator_node
        if creator is not None:
            for function in functions_behind([creator]):
                for node in function.inputs:
                    node.unchain()
                function.unchain()
            self.unchain()

    def backward(
        self, retain_grad: bool = False, enable_double_backprop: bool = False, loss_scale: float | None = None
    ) -> None:
        """Compute the gradient of this variable with respect to every leaf behind it, and add it to each `grad`.

        Starts from `grad`, which is cleared after the pass (unless `retain_grad`). A variable with one element and no
        `grad` starts from 1 (times `loss_scale`).

        If nothing else refers to this variable (``loss_function(x).backward()``), the graph and the retained arrays are
        freed during the pass.

        Args:
            retain_grad: Also set the `grad` of intermediate variables that the user still holds.
            enable_double_backprop: Build a graph of the gradients, so that they can be differentiated.
            loss_scale: Factor on the initial gradient, so that small gradients do not underflow in half precision.
                Parameters record it, and the optimizer divides by it before the update.

        Raises:
            GraphError: The variable has more than one element and no `grad`.
        """
        if self.creator_node is None:
            return
        outputs = [self]
        # Only the graph is needed from here. Python has moved the caller's temporary into `self`, so this frees it.
        del self
        backprop.run_backward(outputs, None, retain_grad, enable_double_backprop, loss_scale)

    # --- Python's protocols --------------------

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError(f"{self._describe()} has no axes and therefore no length")
        return self.shape[0]

    def __bool__(self) -> bool:
        raise TypeError("a Variable has no truth value; compare its array: `variable.array`")

    def __eq__(self, other: object) -> bool:
        raise NotImplementedError("Variables cannot be compared; compare their arrays, or use `is`")

    __hash__ = object.__hash__

    def __lt__(self, other: object) -> bool:
        return self.__eq__(other)

    __le__ = __gt__ = __ge__ = __ne__ = __lt__

    def __float__(self) -> float:
        return float(self._only_element("float"))

    def __int__(self) -> int:
        return int(self._only_element("int"))

    def _only_element(self, number: str) -> Any:
        if self._array is not None and self.size != 1:
            raise TypeError(f"{number}() takes a variable of one element, not {self._describe()}")
        return self.item()

    def __copy__(self) -> Variable:
        return self._copy(self._array)

    def __deepcopy__(self, memo: dict[int, Any]) -> Variable:
        made = self._copy(_deep_copy(self._array, memo))
        if self._grad is not None:
            made._grad = self.grad.copy()  # type: ignore[union-attr]  # not None, see above
        memo[id(self)] = made
        return made

    def _copy(self, array: Array | None) -> Variable:
        return Variable(array, name=self._name, requires_grad=self._requires_grad)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self._array, self._name, self.grad, self._requires_grad)

    def _describe(self) -> str:
        """Description for error messages: ``variable x of float32 (2, 3)``."""
        return f"{self._title()} of {describe_array(self._array)}"

    def _title(self) -> str:
        kind = type(self).__name__.lower()
        return f"{kind} {self._name}" if self._name else kind

    def __repr__(self) -> str:
        title = self._title()
        return f"{title}({np.array2string(_host(self._array), separator=', ', prefix=title + '(')})"

    __str__ = __repr__


_new = object.__new__


def as_variable(obj: Any) -> Variable:
    """Return `obj` itself if it is a Variable, otherwise a Variable with that array, which receives no gradient."""
    return obj if isinstance(obj, Variable) else Variable(obj, requires_grad=False)


def _deep_copy(array: Array | None, memo: dict[int, Any]) -> Array | None:
    """Copy an array once; objects that shared it share the copy."""
    if array is not None and id(array) not in memo:
        memo[id(array)] = array.copy()
    return None if array is None else memo[id(array)]


def as_array(obj: Any) -> Array:
    """Return the array of a Variable, an array in native byte order, or any other object unchanged."""
    return obj.array if isinstance(obj, Variable) else in_native_order(obj)


def _rebuild(array: Array, name: str | None, grad: Array | None, requires_grad: bool) -> Variable:
    return Variable(array, name=name, grad=grad, requires_grad=requires_grad)


def _host(array: Array | None) -> np.ndarray[Any, Any]:
    return np.asarray(None) if array is None else get_backend(array).to_host(array)


def _checked_array(data: Any) -> Array:
    """Convert an array of a new type or foreign byte order, or a scalar, to an array; or raise a helpful error."""
    if isinstance(data, Variable):
        raise TypeError("a Variable holds an array, not another Variable; use `variable.array`")
    # NumPy's float64 is a subclass of float.
    if isinstance(data, (int, float, complex, str, Sequence)) and not hasattr(data, "dtype"):
        raise TypeError(
            f"a Variable holds an array, not a {type(data).__name__}; make one: xp.array({data!r}, dtype=…)"
        )
    backend = get_backend(data)
    return in_native_order(data if isinstance(data, backend.array_types) else backend.asarray(data))


_set_variable_class(Variable)
