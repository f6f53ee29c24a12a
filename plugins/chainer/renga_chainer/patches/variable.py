"""`Variable`, its node, and `Parameter`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_chainer.modules.chainer.function import FunctionAdapter
from renga_chainer.scope import called_by_renga
from renga_core.backend import Array, Device
from renga_core.backend.lookup import to_host
from renga_core.graph import FunctionNode, Parameter, Variable, VariableNode, backprop
from renga_nn.functions import average
from renga_nn.initializers import NaN

__all__ = ["ADDITIONS", "variable_repr", "variable_str", "zerograd_of_parameter"]

_new = Variable.__init__
_creator_node: Any = Variable.creator_node
_mean = Variable.mean
_reshape = Variable.reshape
_check_grad = Variable._check_grad
_init_of_parameter = Parameter.__init__
_initialize = Parameter.initialize
_cleargrad_of_parameter = Parameter.cleargrad
_zerograd = Variable.zerograd


# --- Variable ---------------------------------------------------------------------------------------------------------


def _init(self: Variable, data: Array | None = None, **options: Any) -> None:
    """Like Renga's; refuses an argument of Chainer 1.

    Raises:
        ValueError: `volatile` is given.
    """
    if "volatile" in options:
        raise ValueError("volatile argument is not supported anymore. Use chainer.using_config")
    options.pop("grad_valid", None)
    if options.pop("layout", None) is not None:
        raise ValueError("Renga has only the usual memory layout; the others need cuDNN")
    _new(self, data, **options)


def _check_grad_shape_first(self: Variable, grad: Array) -> Array:
    """Like Renga's.

    Raises:
        TypeError: The gradient is a scalar.
        ValueError: The shapes differ.
    """
    if isinstance(grad, np.generic):
        raise TypeError(f"a gradient must be an array, not a NumPy scalar ({type(grad).__name__})")
    shape = getattr(grad, "shape", None)
    if self._array is not None and shape is not None and tuple(shape) != tuple(self._array.shape):
        raise ValueError(f"Shape of data and grad mismatch\ngrad: {tuple(shape)} != data: {tuple(self._array.shape)}")
    return _check_grad(self, grad)


def _backward(
    self: Variable, retain_grad: bool = False, enable_double_backprop: bool = False, loss_scale: float | None = None
) -> None:
    """Like Renga's.

    Raises:
        TypeError: The variable has several elements and no `grad`: functions of Chainer would multiply None.
    """
    if self.creator_node is None or not self._requires_grad:
        return
    if self._grad is None and self.size > 1:
        raise TypeError(
            f"backward from {self._describe()}: only a variable with one element has a default gradient. "
            "Next: reduce it first (sum, mean), or assign its `grad`."
        )
    outputs = [self]
    del self  # from here only the graph is needed; it is freed step by step
    backprop.run_backward(outputs, None, retain_grad, enable_double_backprop, loss_scale)


def _no_comparison(sign: str) -> Any:
    """A comparison that raises an error."""

    def compare(self: Variable, other: Any) -> Any:
        raise TypeError(f"Variables do not support the operator {sign}; compare their arrays, or use `is`")

    return compare


_COMPARISONS = {"__eq__": "==", "__ne__": "!=", "__lt__": "<", "__le__": "<=", "__gt__": ">", "__ge__": ">="}


def variable_repr(var: Variable) -> str:
    """``variable([1., 2.])``, ``variable W([1., 2.])``."""
    prefix = f"variable {var.name}" if var.name else "variable"
    if var.array is None:
        return f"{prefix}(None)"
    array = to_host(var.array)
    if array.size > 0 or array.shape == (0,):
        return f"{prefix}({np.array2string(array, separator=', ', prefix=prefix + '(')})"
    return f"{prefix}([], shape={array.shape})"


def variable_str(var: Variable) -> str:
    """``variable([1. 2.])``."""
    prefix = f"variable {var.name}" if var.name else "variable"
    array = None if var.array is None else to_host(var.array)
    text = "None" if array is None else np.array2string(array, prefix=prefix + "(")
    return f"{prefix}({text})"


def _summary(self: Variable) -> str:
    """``<variable x>``; a variable without a name shows its address."""
    return f"<variable {self.name}>" if self.name else f"<variable at 0x{id(self):x}>"


def _debug_print(self: Variable) -> str:
    """Several lines: device, array type, shape, dtype, and mean and deviation of array and gradient."""

    def statistics(x: Array) -> str:
        return f"mean={float(x.mean()):.8f}, std={float(x.std()):.8f}"

    array, grad = self.array, None if self.grad is None else to_host(self.grad)
    there = array is not None
    values = {
        "device": None if not there else "CPU" if isinstance(array, np.ndarray) else array.device,
        "backend": type(array) if there else None,
        "shape": array.shape if there else None,
        "dtype": array.dtype if there else None,
        "statistics": statistics(to_host(array)) if there else None,
        "grad": None if grad is None else statistics(grad) if grad.any() else 0,
    }
    return "\n".join([_summary(self), *(f"- {name}: {value}" for name, value in values.items())])


def _to_cpu(self: Variable) -> None:
    """Move to the CPU."""
    self.to_device("numpy")


def _to_gpu(self: Variable, device: Any = None) -> None:
    """Move to an NVIDIA GPU, given by number or CuPy device; None means the first."""
    self.to_device(device if isinstance(device, Device) else f"cupy:{int(getattr(device, 'id', device or 0))}")


def _no_intel64(self: Variable) -> None:
    """Raise an error: Renga has no iDeep."""
    raise RuntimeError("iDeep is not available; use to_device('@numpy')")


def _no_chainerx(self: Any) -> Any:
    """Raise an error: Renga has no ChainerX."""
    raise RuntimeError("ChainerX is not available.")


def _no_chainerx_array(self: Variable) -> Any:
    """Raise an error: Renga has no ChainerX arrays."""
    raise ValueError("chx_array is not available for a variable that is not ChainerX's")


def _nothing(self: Any, *_: Any) -> None:
    """Do nothing."""


def _set_creator_node(self: Any, fnode: FunctionNode | None) -> None:
    """Set the function that computed this variable; None cuts the graph here."""
    node: VariableNode = self.node if isinstance(self, Variable) else self
    node.creator_node = fnode


def _set_creator(self: Any, gen_func: Any) -> None:
    """Like `set_creator_node`, but also accepts an old-style Function."""
    _set_creator_node(self, gen_func if gen_func is None or isinstance(gen_func, FunctionNode) else gen_func.node)


def _creator(self: Any) -> Any:
    """The function that computed this variable, in the old or new style; None for a leaf."""
    node = self.creator_node
    return node.function if isinstance(node, FunctionAdapter) else node


def _reshape_or_itself(self: Variable, *shape: Any) -> Variable:
    """Reshape; return the variable itself if it already has this shape."""
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    return self if tuple(sizes) == self.shape else _reshape(self, *shape)


def _as_layout(self: Variable, layout: Any) -> Variable:
    """Return this variable: there is only one layout."""
    return self


def _weighted_mean(self: Variable, axis: Any = None, *, weights: Any = None, keepdims: bool = False) -> Variable:
    """The mean along axes, weighted if `weights` are given."""
    if weights is None:
        return _mean(self, axis, keepdims=keepdims)
    return average(self, axis, weights, keepdims=keepdims)


# --- VariableNode -----------------------------------------------------------------------------------------------------


def _node_data(self: VariableNode) -> Array | None:
    """The array, while the Variable exists."""
    variable = self.get_variable_or_none()
    return None if variable is None else variable.array


def _node_grad(self: VariableNode) -> Array | None:
    """The gradient, while the Variable exists."""
    variable = self.get_variable_or_none()
    return None if variable is None else variable.grad


def _node_grad_var(self: VariableNode) -> Variable | None:
    """The gradient as a Variable, while the Variable exists."""
    variable = self.get_variable_or_none()
    return None if variable is None else variable.grad_var


def _get_variable(self: VariableNode) -> Variable:
    """The Variable of this node, or a new one without an array if it no longer exists."""
    variable = self.get_variable_or_none()
    if variable is None:
        variable = Variable(requires_grad=self.requires_grad, name=self.name)
        variable._node = self
    return variable


# --- Parameter --------------------------------------------------------------------------------------------------------

_GRADIENT = "gradient_when_initialized"
"""Key in a parameter's `__dict__`: initial value of its gradient once it has an array. NaN unless cleared before."""


def _fill_grad(self: Parameter) -> None:
    """Fill the gradient of a new parameter with NaN, as in Chainer, so that a missing cleargrads shows in results."""
    value = self.__dict__.get(_GRADIENT, float("nan"))
    if value is not None and self._array is not None and self._array.dtype.kind == "f":
        self._grad = self.xp.full_like(self._array, value)


def _init_parameter(self: Parameter, initializer: Any = None, shape: Any = None, name: str | None = None) -> None:
    """Without an initializer, the value is NaN (the object itself)."""
    _init_of_parameter(self, NaN() if initializer is None else initializer, shape, name)


def _initialize_with_grad(self: Parameter, shape: Sequence[int]) -> None:
    """Like Renga's; then the gradient is NaN, unless it was cleared."""
    was_open = self._array is None
    _initialize(self, shape)
    if was_open:
        _fill_grad(self)


def _cleargrad_parameter(self: Parameter) -> None:
    """Delete the gradient."""
    _cleargrad_of_parameter(self)
    if self._array is None:
        self.__dict__[_GRADIENT] = None


def zerograd_of_parameter(self: Parameter) -> None:
    """Set the gradient to zeros."""
    _zerograd(self)
    if self._array is None:
        self.__dict__[_GRADIENT] = 0.0


def _grad_of_parameter(self: Parameter) -> Array | None:
    """The gradient as an array.

    Raises:
        RuntimeError: The parameter has no array yet, and its gradient was never cleared.
    """
    grad = self._grad
    unknown = grad is None and self._array is None and _GRADIENT not in self.__dict__
    if unknown and not called_by_renga():
        raise RuntimeError("Cannot retrieve Variable.grad: set it, call cleargrad(), or give the parameter a shape")
    return grad._array if isinstance(grad, Variable) else grad


ADDITIONS: list[tuple[Any, str, Any]] = [
    (Variable, "__init__", _init),
    *[(Variable, name, _no_comparison(sign)) for name, sign in _COMPARISONS.items()],
    (Variable, "__repr__", variable_repr),
    (Variable, "__str__", variable_str),
    (Variable, "creator", property(_creator, _set_creator)),
    (Variable, "creator_node", property(_creator_node.fget, _set_creator_node)),
    (Variable, "raw_array", Variable.array),
    (Variable, "chx_array", property(_no_chainerx_array)),
    (Variable, "layout", None),
    (Variable, "as_layout", _as_layout),
    (Variable, "summary", _summary),
    (Variable, "debug_print", _debug_print),
    (Variable, "to_cpu", _to_cpu),
    (Variable, "to_gpu", _to_gpu),
    (Variable, "to_intel64", _no_intel64),
    (Variable, "to_chx", _no_chainerx),
    (Variable, "from_chx", _nothing),
    (Variable, "retain_data", _nothing),
    (Variable, "set_creator", _set_creator),
    (Variable, "set_creator_node", _set_creator_node),
    (Variable, "mean", _weighted_mean),
    (Variable, "reshape", _reshape_or_itself),
    (Variable, "backward", _backward),
    (Variable, "_check_grad", _check_grad_shape_first),
    (VariableNode, "data", property(_node_data)),
    (VariableNode, "grad", property(_node_grad)),
    (VariableNode, "grad_var", property(_node_grad_var)),
    (VariableNode, "get_variable", _get_variable),
    (VariableNode, "retain_data", _nothing),
    (VariableNode, "set_creator", _set_creator),
    (VariableNode, "set_creator_node", _set_creator_node),
    (VariableNode, "creator", property(_creator, _set_creator)),
    (Parameter, "__init__", _init_parameter),
    (Parameter, "__repr__", variable_repr),
    (Parameter, "__str__", variable_str),
    (Parameter, "grad", property(_grad_of_parameter, Variable.__dict__["grad"].fset)),
    (Parameter, "initialize", _initialize_with_grad),
    (Parameter, "cleargrad", _cleargrad_parameter),
    (Parameter, "zerograd", zerograd_of_parameter),
]
