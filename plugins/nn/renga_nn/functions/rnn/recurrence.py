"""A recurrent layer over all time steps as one node of the graph.

`Recurrence` is the node, `Cell` computes one step; `n_step_lstm`, `n_step_gru` and `n_step_rnn` define cells. The
computation is the operation ``recurrence``, so a kernel can compute a whole layer at once. The reference loops over the
steps, but computes the products of inputs, and of all gradients, with weights for all steps at once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend
from renga_core.configuration import config
from renga_core.graph import FunctionNode
from renga_core.graph.operators.product import multiply_matrices
from renga_core.kernel import Operation
from renga_nn.functions.array import concat
from renga_nn.functions.checks import wide
from renga_nn.functions.composed import gradients_of
from renga_nn.functions.connection import linear

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["RECURRENCE", "Cell", "Recurrence", "Walk"]

Arrays = tuple[Array, ...]


class Cell(ABC):
    """One step of a recurrent layer with N units, for n sequences.

    Attributes:
        name: Name by which kernels recognize the computation.
        states: Number of state arrays ``(n, N)``; the first one is the output.
        gates: Number of matrices ``(N, ...)`` by which the input and the previous output are multiplied.
        adds: Whether the two products are only added, so that they have the same gradient.
    """

    name: str
    states: int
    gates: int
    adds: bool = True

    @abstractmethod
    def step(self, xp: Any, input_gates: Array, hidden_gates: Array, states: Arrays) -> tuple[Arrays, Arrays]:
        """Return the new states, and what `step_back` needs.

        Args:
            xp: Array namespace.
            input_gates: Product of the input with its weights, plus their biases, ``(n, gates N)``.
            hidden_gates: The same for the previous output. The step may overwrite it.
            states: States of the previous step.
        """

    @abstractmethod
    def step_back(
        self, xp: Any, kept: Arrays, states: Arrays, gradients: Sequence[Array]
    ) -> tuple[Array, Array, Arrays]:
        """Gradients of `input_gates` and `hidden_gates` (one if the cell `adds`), and the direct gradients of states.

        Args:
            xp: Array namespace.
            kept: The second result of `step`.
            states: States of the previous step.
            gradients: Gradients of the new states.
        """

    @abstractmethod
    def composed(self, input_gates: Variable, hidden_gates: Variable, states: Sequence[Variable]) -> Sequence[Variable]:
        """The new states by differentiable functions."""


@dataclass(frozen=True)
class Walk:
    """A cell, and the steps that it processes.

    Attributes:
        cell: The computation of one step.
        sizes: Number of sequences in each step, not increasing: they are sorted, longest first. A step uses the first
            rows of the states. So the states of ended sequences stay unchanged, and so do, when going backwards, those
            of sequences that have not begun.
        backwards: Go from the last step to the first.
        keep: Keep what gradients need.
    """

    cell: Cell
    sizes: tuple[int, ...]
    backwards: bool
    keep: bool

    def steps(self) -> Iterator[slice]:
        """The rows of each step, in the order of computation."""
        ends = list(accumulate(self.sizes))
        rows = [slice(end - size, end) for size, end in zip(self.sizes, ends, strict=True)]
        return reversed(rows) if self.backwards else iter(rows)


def _forward(walk: Walk, x: Array, Wx: Array, bx: Array, Wh: Array, bh: Array, *initial: Array) -> tuple[Any, ...]:
    """Compute step by step.

    Args:
        walk: The cell and the steps.
        x: Inputs of all steps, one step after another, ``(sum of sizes, I)``.
        Wx, bx: Weights ``(gates N, I)`` and biases ``(gates N,)`` of the input.
        Wh, bh: Weights ``(gates N, N)`` and biases ``(gates N,)`` of the previous output.
        initial: States ``(B, N)``, as many as the cell has.

    Returns:
        The outputs of all steps ``(sum of sizes, N)``; the final states ``(B, N)``; and what `_backward` needs
        (undefined unless `walk.keep`).
    """
    xp = get_backend(x).xp
    input_gates = multiply_matrices(x, Wx.T)
    input_gates += bx
    states = [xp.copy(state) for state in initial]
    ys = xp.empty((x.shape[0], Wh.shape[1]), dtype=x.dtype)
    kept: list[tuple[Arrays, Arrays]] = []
    transposed = Wh.T
    for rows in walk.steps():
        n = rows.stop - rows.start
        before = tuple([xp.copy(state[:n]) for state in states])
        hidden_gates = multiply_matrices(before[0], transposed)
        hidden_gates += bh
        new, more = walk.cell.step(xp, input_gates[rows], hidden_gates, before)
        if walk.keep:
            kept.append((before, more))
        for state, value in zip(states, new, strict=True):
            state[:n] = value
        ys[rows] = new[0]
    return ys, *states, kept


def _backward(walk: Walk, inputs: Arrays, kept: Any, gradients: Sequence[Array | None]) -> Arrays:
    """Backward, step by step; the gradients of weights are computed at the end, for all steps at once.

    Args:
        walk, inputs: The arguments of forward.
        kept: The last result of forward.
        gradients: Gradients of the other results; None for zeros.

    Returns:
        The gradients of all inputs.
    """
    x, Wx, bx, Wh, bh, *initial = inputs
    xp = get_backend(x).xp
    gys = gradients[0]
    totals = [xp.zeros_like(s) if g is None else xp.copy(g) for s, g in zip(initial, gradients[1:], strict=True)]
    ginput_gates = xp.empty((x.shape[0], Wx.shape[0]), dtype=x.dtype)
    ghidden_gates = ginput_gates if walk.cell.adds else xp.empty(ginput_gates.shape, dtype=x.dtype)
    outputs = xp.empty((x.shape[0], Wh.shape[1]), dtype=x.dtype)
    for rows, (before, more) in zip(reversed(list(walk.steps())), reversed(kept), strict=True):
        n = rows.stop - rows.start
        of_states = [total[:n] for total in totals]
        if gys is not None:
            of_states[0] = of_states[0] + gys[rows]
        ginput_gates[rows], of_hidden_gates, direct = walk.cell.step_back(xp, more, before, of_states)
        if not walk.cell.adds:
            ghidden_gates[rows] = of_hidden_gates
        for total, gradient in zip(totals, direct, strict=True):
            total[:n] = gradient
        totals[0][:n] += multiply_matrices(of_hidden_gates, Wh)
        outputs[rows] = before[0]
    gbx, gbh = [wide(g).sum(axis=0).astype(b.dtype, copy=False) for g, b in ((ginput_gates, bx), (ghidden_gates, bh))]
    gWx, gWh = multiply_matrices(ginput_gates.T, x), multiply_matrices(ghidden_gates.T, outputs)
    return multiply_matrices(ginput_gates, Wx), gWx, gbx, gWh, gbh, *totals


RECURRENCE = Operation("recurrence", _forward, _backward, samples="renga_nn.functions.example_arguments:recurrence")


class Recurrence(FunctionNode):
    """A layer in one direction; inputs and outputs are those of the operation.

    Args:
        cell, sizes, backwards: See `Walk`.
    """

    fresh_gradients = True

    def __init__(self, cell: Cell, sizes: Sequence[int], backwards: bool) -> None:
        self.walk = Walk(cell, tuple(sizes), backwards, config.enable_backprop)

    def forward(self, inputs: Arrays) -> Arrays:
        """Keeps all inputs."""
        self.retain_inputs(range(len(inputs)))
        self._implementation = RECURRENCE.select(get_backend(inputs[0]), self.walk, *inputs)
        *results, self._kept = self._implementation.forward(self.walk, *inputs)
        return tuple(results)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """All gradients, since they share most terms."""
        assert self._implementation.backward is not None
        gradients = self._implementation.backward(self.walk, self.saved_inputs, self._kept, grad_outputs)
        return [gradients[i] for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Differentiate composed steps."""
        return gradients_of(self._composed, self.get_retained_inputs(), target_input_indexes, grad_outputs)

    def _composed(
        self, x: Variable, Wx: Variable, bx: Variable, Wh: Variable, bh: Variable, *initial: Variable
    ) -> Sequence[Variable]:
        walk = self.walk
        input_gates = linear(x, Wx, bx)
        states = list(initial)
        outputs = []
        for rows in walk.steps():
            n = rows.stop - rows.start
            before = [state[:n] for state in states]
            new = walk.cell.composed(input_gates[rows], linear(before[0], Wh, bh), before)
            outputs.append(new[0])
            states = [concat((value, state[n:]), axis=0) for value, state in zip(new, states, strict=True)]
        return (concat(outputs[::-1] if walk.backwards else outputs, axis=0), *states)
