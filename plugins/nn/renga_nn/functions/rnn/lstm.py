"""One step of a long short-term memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_array_module, get_backend, is_floating, same_dtype
from renga_core.graph import FunctionNode, InvalidType
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import reshape
from renga_core.kernel import Operation
from renga_nn.functions.activation import sigmoid, tanh
from renga_nn.functions.array import concat, stack
from renga_nn.functions.checks import require_array

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["lstm"]


def lstm(c_prev: Any, x: Any) -> tuple[Variable, Variable]:
    """One step of a long short-term memory (Hochreiter & Schmidhuber 1997) with a forget gate (Gers et al. 2000).

    With `a, i, f, o` interleaved along axis 1 of `x` (unit `j` has ``x[:, 4 j : 4 j + 4]``)::

        c = tanh(a) * sigmoid(i) + c_prev * sigmoid(f)
        h = tanh(c) * sigmoid(o)

    A batch may contain sequences of different lengths, sorted by length, longest first: if `x` has fewer rows than
    `c_prev`, the remaining sequences have ended, and their cells are returned unchanged.

    Args:
        c_prev: Cells ``(N', M, ...)``.
        x: Gate inputs, ``(N, 4 M, ...)`` with ``N <= N'``: the sum of linear layers of the input and of the previous
            output.

    Returns:
        The new cells ``c (N', M, ...)`` and the output ``h (N, M, ...)``.

    Raises:
        InvalidType: Shapes or dtypes do not fit together.

    >>> import numpy as np
    >>> c, h = lstm(np.zeros((1, 1)), np.array([[1.0, 100.0, 0.0, 100.0]]))
    >>> round(float(c), 4), round(float(h), 4)
    (0.7616, 0.642)
    """
    require_array("lstm", "x", x)
    require_array("lstm", "c_prev", c_prev)
    shape, cells = tuple(x.shape), tuple(c_prev.shape)
    if not is_floating(x.dtype) or len(shape) < 2 or shape[1] % 4:
        raise InvalidType("lstm", "x", "floating, (N, 4 M, ...)", describe_array(x))
    units = (shape[1] // 4, *shape[2:])
    if cells[1:] != units or cells[0] < shape[0] or not same_dtype(c_prev, x):
        expected = f"{x.dtype} {('N', *units)} with at least {shape[0]} rows, to fit x: {describe_array(x)}"
        raise InvalidType("lstm", "c_prev", expected, describe_array(c_prev))
    c, h = LSTM().apply((c_prev, x))
    return c, h


def _forward(c_prev: Array, x: Array) -> tuple[Array, Array]:
    """Both formulas."""
    xp = get_array_module(x)
    a, i, f, o = _gates(xp, x)
    n = x.shape[0]
    new = a
    new *= i
    new += f * c_prev[:n]
    h = xp.tanh(new)
    h *= o
    c = new if n == c_prev.shape[0] else xp.concatenate((new, c_prev[n:]))
    return c.astype(x.dtype, copy=False), h.astype(x.dtype, copy=False)


def _backward(c_prev: Array, x: Array, c: Array, gc: Array | None, gh: Array | None) -> tuple[Array, Array]:
    """The chain rule through both formulas; gates are recomputed instead of kept."""
    xp = get_array_module(x)
    n = x.shape[0]
    a, gates = _all_gates(xp, x)
    i, f, o = [gates[:, gate::4] for gate in (1, 2, 3)]
    gx = gates - gates * gates  # the derivatives of the sigmoids
    # The gradient of the cell: direct, and through the output.
    total = xp.zeros(c.shape, dtype=c.dtype) if gc is None else xp.copy(gc)
    here = total[:n]
    if gh is None:
        gx[:, 3::4] = 0
    else:
        tanh_c = xp.tanh(c[:n])
        of_o = gh * tanh_c
        gx[:, 3::4] *= of_o
        here += (gh - of_o * tanh_c) * o
    gx[:, 1::4] *= here * a
    gx[:, 2::4] *= here * c_prev[:n]
    gx[:, 0::4] = here * i * (1 - a * a)
    here *= f
    return total, gx


def _gates(xp: Any, x: Array) -> tuple[Array, Array, Array, Array]:
    """``tanh(a)`` and the sigmoids of the other gates, each ``(N, M, ...)``."""
    a, gates = _all_gates(xp, x)
    return a, gates[:, 1::4], gates[:, 2::4], gates[:, 3::4]


def _all_gates(xp: Any, x: Array) -> tuple[Array, Array]:
    """``tanh(a)``, ``(N, M, ...)``; and the sigmoids of the other gates, interleaved as in `x`.

    The sigmoid is ``tanh(x / 2) / 2 + 1 / 2``, which never overflows, so one contiguous pass computes all four gates.
    """
    gates = x * 0.5
    gates[:, 0::4] *= 2
    gates = xp.tanh(gates)
    a = xp.copy(gates[:, 0::4])
    gates *= 0.5
    gates += 0.5
    return a, gates


LSTM_STEP = Operation("lstm", _forward, _backward, samples="renga_nn.functions.example_arguments:lstm")


class LSTM(FunctionNode):
    """One step; inputs are the cells and the gate inputs, outputs the cells and the output."""

    fresh_gradients = True

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Keeps the inputs and the cells."""
        c_prev, x = inputs
        self.retain_inputs((0, 1))
        self.retain_outputs((0,))
        self._implementation = LSTM_STEP.select(get_backend(x), c_prev, x)
        c, h = self._implementation.forward(c_prev, x)
        return c, h

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Both gradients, since they share most terms."""
        assert self._implementation.backward is not None
        gradients = self._implementation.backward(*self.saved_inputs, *self.saved_outputs, *grad_outputs)
        return [gradients[t] for t in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        c_prev, x = self.get_retained_inputs()
        (c,) = self.get_retained_outputs()
        gc, gh = grad_outputs
        n = x.shape[0]
        grouped = reshape(x, (n, x.shape[1] // 4, 4, *x.shape[2:]))
        a = tanh(grouped[:, :, 0])
        i, f, o = [sigmoid(grouped[:, :, gate]) for gate in (1, 2, 3)]
        tanh_c = tanh(c[:n])
        here = None if gc is None else gc[:n]
        go = grouped[:, :, 3] * 0
        if gh is not None:
            through_output = gh * o * (1 - tanh_c * tanh_c)
            here = through_output if here is None else here + through_output
            go = gh * tanh_c * o * (1 - o)
        if here is None:
            return [None for _ in target_input_indexes]
        gates = (here * i * (1 - a * a), here * a * i * (1 - i), here * c_prev[:n] * f * (1 - f), go)
        gc_prev = here * f
        if n < c_prev.shape[0]:
            ended = gc[n:] if gc is not None else c_prev[n:] * 0
            gc_prev = concat((gc_prev, ended), axis=0)
        gradients = (gc_prev, reshape(stack(gates, axis=2), x.shape))
        return [gradients[t] for t in target_input_indexes]
