"""A layer that goes along sequences step by step, as one node of the graph.

`Recurrence` walks over the steps, `Cell` is what happens in each: `n_step_lstm`, `n_step_gru` and `n_step_rnn` bring
their cells. What can be done for all steps at once is: the input's product with its weights comes in finished, and the
weights' gradients are products over all steps. A step is one matrix product and what is done element by element.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend
from renga_core.configuration import config
from renga_core.graph import FunctionNode
from renga_nn.functions.array import concat
from renga_nn.functions.checks import wide
from renga_nn.functions.composed import gradients_of
from renga_nn.functions.connection import linear

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["Cell", "Recurrence"]

Arrays = tuple[Array, ...]


class Cell(ABC):
    """One step of a recurrent layer with N units, for n sequences.

    Attributes:
        states: Number of arrays ``(n, N)`` that go from step to step; the first one is the output.
        gates: Number of matrices ``(N, ...)`` that the input, and the output of the step before, are multiplied with.
        adds: Whether the two products are only ever added, so that they have one gradient.
    """

    states: int
    gates: int
    adds: bool = True

    @abstractmethod
    def step(self, xp: Any, upward: Array, lateral: Array, states: Arrays) -> tuple[Arrays, Arrays]:
        """The new states, and what `step_back` needs besides.

        Args:
            xp: Array namespace.
            upward: Product of the input with its weights, plus their biases, ``(n, gates N)``.
            lateral: The same of the output of the step before. Is this step's to overwrite.
            states: Of the step before.
        """

    @abstractmethod
    def step_back(
        self, xp: Any, kept: Arrays, states: Arrays, gradients: Sequence[Array]
    ) -> tuple[Array, Array, Arrays]:
        """Gradients of `upward`, `lateral` (the same array if the cell `adds`), and of the states by all other ways.

        Args:
            xp: Array namespace.
            kept: From `step`.
            states: Of the step before.
            gradients: Of the new states.
        """

    @abstractmethod
    def composed(self, upward: Variable, lateral: Variable, states: Sequence[Variable]) -> Sequence[Variable]:
        """The new states by differentiable functions."""


class Recurrence(FunctionNode):
    """A layer in one direction.

    Inputs: the input of the gates for all steps, one step after another, ``(sum of sizes, gates N)``; weights
    ``(gates N, N)`` and biases ``(gates N,)`` of the output of the step before; initial states ``(B, N)``. Outputs: the
    outputs of all steps ``(sum of sizes, N)``; final states ``(B, N)``.

    Args:
        cell: What happens in a step.
        sizes: Number of sequences in each step, never more than in the step before: they are sorted, longest first. In
            a step, the states' first rows take part. So states stay where sequences have ended; and backwards, those
            that have not begun are as they were.
        backwards: Go from the last step to the first.
    """

    fresh_gradients = True

    def __init__(self, cell: Cell, sizes: Sequence[int], backwards: bool) -> None:
        self.cell = cell
        self.sizes = sizes
        self.backwards = backwards

    def _steps(self) -> Iterator[slice]:
        """The rows of each step, in the order of computation."""
        ends = list(accumulate(self.sizes))
        rows = [slice(end - size, end) for size, end in zip(self.sizes, ends, strict=True)]
        return reversed(rows) if self.backwards else iter(rows)

    def forward(self, inputs: Arrays) -> Arrays:
        """Step by step."""
        upward, W, b, *initial = inputs
        self.retain_inputs(range(len(inputs)))
        xp = get_backend(upward).xp
        states = [xp.copy(state) for state in initial]
        ys = xp.empty((upward.shape[0], W.shape[1]), dtype=upward.dtype)
        self._kept: list[tuple[Arrays, Arrays]] = []
        transposed = W.T
        keep = config.enable_backprop
        for rows in self._steps():
            n = rows.stop - rows.start
            before = tuple([xp.copy(state[:n]) for state in states])
            lateral = before[0] @ transposed
            lateral += b
            new, kept = self.cell.step(xp, upward[rows], lateral, before)
            if keep:
                self._kept.append((before, kept))
            for state, value in zip(states, new, strict=True):
                state[:n] = value
            ys[rows] = new[0]
        return (ys, *states)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Step by step, back; the weights' gradients at the end, from all steps at once."""
        upward, W, b, *initial = self.saved_inputs
        xp = get_backend(upward).xp
        gys = grad_outputs[0]
        totals = [xp.zeros_like(s) if g is None else xp.copy(g) for s, g in zip(initial, grad_outputs[1:], strict=True)]
        gupward = xp.empty(upward.shape, dtype=upward.dtype)
        glateral = gupward if self.cell.adds else xp.empty(upward.shape, dtype=upward.dtype)
        outputs = xp.empty((upward.shape[0], W.shape[1]), dtype=upward.dtype)
        for rows, (before, kept) in zip(reversed(list(self._steps())), reversed(self._kept), strict=True):
            n = rows.stop - rows.start
            gradients = [total[:n] for total in totals]
            if gys is not None:
                gradients[0] = gradients[0] + gys[rows]
            gupward[rows], of_lateral, direct = self.cell.step_back(xp, kept, before, gradients)
            if not self.cell.adds:
                glateral[rows] = of_lateral
            for total, gradient in zip(totals, direct, strict=True):
                total[:n] = gradient
            totals[0][:n] += of_lateral @ W
            outputs[rows] = before[0]
        found: list[Any] = [gupward, None, None, *totals]
        if 1 in target_input_indexes:
            found[1] = glateral.T @ outputs
        if 2 in target_input_indexes:
            found[2] = wide(glateral).sum(axis=0).astype(b.dtype, copy=False)
        return [found[i] for i in target_input_indexes]

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Through composed steps."""
        return gradients_of(self._composed, self.get_retained_inputs(), target_input_indexes, grad_outputs)

    def _composed(self, upward: Variable, W: Variable, b: Variable, *initial: Variable) -> Sequence[Variable]:
        states = list(initial)
        outputs = []
        for rows in self._steps():
            n = rows.stop - rows.start
            before = [state[:n] for state in states]
            new = self.cell.composed(upward[rows], linear(before[0], W, b), before)
            outputs.append(new[0])
            states = [concat((value, state[n:]), axis=0) for value, state in zip(new, states, strict=True)]
        return (concat(outputs[::-1] if self.backwards else outputs, axis=0), *states)
