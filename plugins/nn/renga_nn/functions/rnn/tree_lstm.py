"""Long short-term memory for trees: computes a cell from the cells of its children."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend, same_dtype
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import reshape
from renga_nn.functions.activation import sigmoid, tanh
from renga_nn.functions.activation.sigmoid import sigmoid_array
from renga_nn.functions.array import split_axis
from renga_nn.functions.checks import require_array, require_floating
from renga_nn.functions.composed import gradients_of

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["slstm", "tree_lstm"]


def tree_lstm(*inputs: Any) -> tuple[Variable, Variable]:
    """One node of a tree LSTM (Tai, Socher & Manning 2015; Bowman et al. 2016).

    With ``a, i, o, f_1 ... f_K`` concatenated along axis 1 of `x`, for K children with cells ``c_1 ... c_K``::

        c = tanh(a) * sigmoid(i) + c_1 * sigmoid(f_1) + ... + c_K * sigmoid(f_K)
        h = tanh(c) * sigmoid(o)

    Args:
        inputs: The cells of the children, each ``(N, M, ...)``, and last the gate inputs `x`, ``(N, (3 + K) M, ...)``.

    Returns:
        The cells `c` and the output `h` of the node, both ``(N, M, ...)``.

    Raises:
        InvalidType: There are no children, or shapes or dtypes do not fit together.

    >>> import numpy as np
    >>> x = np.array([[0.0, 0.0, 100.0, 100.0, -100.0]])
    >>> c, h = tree_lstm(np.array([[0.5]]), np.array([[7.0]]), x)
    >>> round(float(c), 4), round(float(h), 4)
    (0.5, 0.4621)
    """
    if len(inputs) < 2:
        expected = "the cells of at least one child, and the input of the gates"
        raise InvalidType("tree_lstm", "inputs", expected, f"{len(inputs)} arrays")
    *cells, x = inputs
    _require_gates("tree_lstm", f"inputs[{len(cells)}]", x, 3 + len(cells))
    units = (x.shape[0], x.shape[1] // (3 + len(cells)), *x.shape[2:])
    for k, c in enumerate(cells):
        _require_cells("tree_lstm", f"inputs[{k}]", c, units, x)
    c, h = TreeLSTM().apply(inputs)
    return c, h


def slstm(c_prev1: Any, c_prev2: Any, x1: Any, x2: Any) -> tuple[Variable, Variable]:
    """One node of a binary tree LSTM in which both children feed all gates (Zhu et al. 2015).

    With `a, i, f, o` of each child interleaved along axis 1 of `x1` and `x2` (unit `j` has ``x1[:, 4 j : 4 j + 4]``)::

        c = tanh(a1) * sigmoid(i1) + tanh(a2) * sigmoid(i2) + c_prev1 * sigmoid(f1) + c_prev2 * sigmoid(f2)
        h = tanh(c) * sigmoid(o1 + o2)

    Args:
        c_prev1, c_prev2: Cells of the children, ``(N, M, ...)``.
        x1, x2: Gate inputs from each child, ``(N, 4 M, ...)``.

    Returns:
        The cells `c` and the output `h`, both ``(N, M, ...)``.

    Raises:
        InvalidType: Shapes or dtypes do not fit together.

    >>> import numpy as np
    >>> x = np.array([[0.0, 0.0, 100.0, 100.0]])
    >>> c, h = slstm(np.array([[0.5]]), np.array([[0.25]]), x, x)
    >>> round(float(c), 4), round(float(h), 4)
    (0.75, 0.6351)
    """
    _require_gates("slstm", "x1", x1, 4)
    units = (x1.shape[0], x1.shape[1] // 4, *x1.shape[2:])
    require_array("slstm", "x2", x2)
    if x2.shape != x1.shape or not same_dtype(x2, x1):
        raise InvalidType("slstm", "x2", f"the shape and dtype of x1: {describe_array(x1)}", describe_array(x2))
    _require_cells("slstm", "c_prev1", c_prev1, units, x1)
    _require_cells("slstm", "c_prev2", c_prev2, units, x1)
    c, h = SLSTM().apply((c_prev1, c_prev2, x1, x2))
    return c, h


def _require_gates(function: str, argument: str, x: Any, gates: int) -> None:
    require_floating(function, argument, x)
    if x.ndim < 2 or x.shape[1] % gates:
        raise InvalidType(function, argument, f"(N, {gates} M, ...)", describe_array(x))


def _require_cells(function: str, argument: str, c: Any, units: tuple[int, ...], x: Any) -> None:
    require_array(function, argument, c)
    if tuple(c.shape) != units or not same_dtype(c, x):
        raise InvalidType(function, argument, f"{x.dtype} {units}, to fit x: {describe_array(x)}", describe_array(c))


class TreeLSTM(FunctionNode):
    """One node; inputs are the children's cells and the gate inputs, outputs the cells and the output."""

    fresh_gradients = True

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Both formulas."""
        *cells, x = inputs
        self.retain_inputs(range(len(inputs)))
        self.retain_outputs((0,))
        xp = get_backend(x).xp
        a, gates = _activated(xp, x, len(cells))
        c = a * gates[:, 0]
        for k, child in enumerate(cells, 2):
            c += gates[:, k] * child
        return c, xp.tanh(c) * gates[:, 1]

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The chain rule through both formulas; gates are recomputed instead of kept."""
        *cells, x = self.saved_inputs
        (c,) = self.saved_outputs
        xp = get_backend(x).xp
        a, gates = _activated(xp, x, len(cells))
        total, of_output = _through_output(xp, c, gates[:, 1], grad_outputs)
        gx = xp.empty((x.shape[0], 3 + len(cells), *c.shape[1:]), dtype=x.dtype)
        gx[:, 0] = total * gates[:, 0] * (1 - a * a)
        gx[:, 1] = total * a
        gx[:, 2] = of_output
        for k, child in enumerate(cells, 3):
            gx[:, k] = total * child
        gx[:, 1:] *= gates * (1 - gates)
        gradients = [*[total * gates[:, k] for k in range(2, 2 + len(cells))], gx.reshape(x.shape)]
        return [gradients[i] for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Through the composed formulas."""
        return gradients_of(_composed_tree, self.get_retained_inputs(), target_input_indexes, grad_outputs)


class SLSTM(FunctionNode):
    """One node of a binary tree; inputs are cells and gates of both children, outputs the cells and the output."""

    fresh_gradients = True

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Both formulas."""
        c1, c2, x1, x2 = inputs
        self.retain_inputs((0, 1, 2, 3))
        self.retain_outputs((0,))
        xp = get_backend(x1).xp
        a1, i1, f1, a2, i2, f2, o = _both_activated(xp, x1, x2)
        c = a1 * i1 + a2 * i2 + f1 * c1 + f2 * c2
        return c, xp.tanh(c) * o

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The chain rule through both formulas; gates are recomputed instead of kept."""
        c1, c2, x1, x2 = self.saved_inputs
        (c,) = self.saved_outputs
        xp = get_backend(c).xp
        a1, i1, f1, a2, i2, f2, o = _both_activated(xp, x1, x2)
        total, of_output = _through_output(xp, c, o, grad_outputs)
        of_output = of_output * o * (1 - o)
        gradients = [total * f1, total * f2]
        for a, i, f, child in ((a1, i1, f1, c1), (a2, i2, f2, c2)):
            gx = xp.empty((*c.shape[:2], 4, *c.shape[2:]), dtype=c.dtype)
            gx[:, :, 0] = total * i * (1 - a * a)
            gx[:, :, 1] = total * a * i * (1 - i)
            gx[:, :, 2] = total * child * f * (1 - f)
            gx[:, :, 3] = of_output
            gradients.append(gx.reshape(x1.shape))
        return [gradients[i] for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Through the composed formulas."""
        return gradients_of(_composed_pair, self.get_retained_inputs(), target_input_indexes, grad_outputs)


def _activated(xp: Any, x: Array, children: int) -> tuple[Array, Array]:
    """``tanh(a)``, and the sigmoids of the other gates ``(N, 2 + children, M, ...)``."""
    gates = x.reshape(x.shape[0], 3 + children, x.shape[1] // (3 + children), *x.shape[2:])
    return xp.tanh(gates[:, 0]), sigmoid_array(xp, gates[:, 1:])


def _both_activated(xp: Any, x1: Array, x2: Array) -> tuple[Array, ...]:
    """``tanh(a)`` and the sigmoids of `i` and `f` for each child; and the sigmoid of the common gate `o`."""
    gates = []
    grouped = [x.reshape(x.shape[0], x.shape[1] // 4, 4, *x.shape[2:]) for x in (x1, x2)]
    for one in grouped:
        gates += [xp.tanh(one[:, :, 0]), sigmoid_array(xp, one[:, :, 1]), sigmoid_array(xp, one[:, :, 2])]
    return (*gates, sigmoid_array(xp, grouped[0][:, :, 3] + grouped[1][:, :, 3]))


def _through_output(xp: Any, c: Array, o: Array, grad_outputs: Sequence[Any]) -> tuple[Array, Array]:
    """The complete gradient of the cell, direct and through the output; and the gradient of the gate `o`."""
    gc, gh = grad_outputs
    if gh is None:
        return gc, xp.zeros_like(c)
    tanh_c = xp.tanh(c)
    through = gh * o * (1 - tanh_c * tanh_c)
    return through if gc is None else through + gc, gh * tanh_c


def _composed_tree(*inputs: Variable) -> tuple[Variable, Variable]:
    *cells, x = inputs
    a, i, o, *fs = split_axis(x, 3 + len(cells), axis=1)
    c = tanh(a) * sigmoid(i)
    for f, child in zip(fs, cells, strict=True):
        c = c + sigmoid(f) * child
    return c, tanh(c) * sigmoid(o)


def _composed_pair(c1: Variable, c2: Variable, x1: Variable, x2: Variable) -> tuple[Variable, Variable]:
    shape = (x1.shape[0], x1.shape[1] // 4, 4, *x1.shape[2:])
    one, two = reshape(x1, shape), reshape(x2, shape)
    c = sigmoid(one[:, :, 2]) * c1 + sigmoid(two[:, :, 2]) * c2
    for gates in (one, two):
        c = c + tanh(gates[:, :, 0]) * sigmoid(gates[:, :, 1])
    return c, tanh(c) * sigmoid(one[:, :, 3] + two[:, :, 3])
