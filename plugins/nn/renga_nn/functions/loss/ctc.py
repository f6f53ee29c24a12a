"""Connectionist temporal classification: labels in the correct order, without positions in time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend, same_dtype
from renga_core.graph import FunctionNode, InvalidType, as_array
from renga_core.graph.errors import describe_array
from renga_nn.functions.activation import log_softmax
from renga_nn.functions.array import concat, get_item, stack, where
from renga_nn.functions.checks import (
    as_integer,
    require_array,
    require_choice,
    require_floating,
    require_labels_in_range,
    wide,
)
from renga_nn.functions.composed import gradients_of
from renga_nn.functions.math import logsumexp, sum

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["connectionist_temporal_classification"]

# A finite stand-in for the logarithm of 0, small enough that sums do not become NaN.
_NEVER = -1e30


def connectionist_temporal_classification(
    x: Sequence[Any],
    t: Any,
    blank_symbol: int,
    input_length: Any = None,
    label_length: Any = None,
    reduce: str = "mean",
) -> Variable:
    """The CTC loss: minus the log-probability of a sequence of labels at unknown times (Graves et al. 2006).

    At each time step the network outputs a label or nothing (`blank_symbol`), with probabilities ``softmax(x[i])``. The
    output is read by merging repeated labels and removing blanks: ``a a _ a b b`` reads as ``a a b``. The loss of a
    sequence is minus the logarithm of the probability that the output reads as `t`, summed over all paths by the
    forward-backward algorithm (section 4.1), computed with logarithms.

    Args:
        x: Scores for each time step, a list of arrays ``(B, V)``; softmax is applied here.
        t: Labels ``(B, M)``, integers from 0 to V - 1, without `blank_symbol`.
        blank_symbol: The class that stands for nothing.
        input_length: Number of time steps of each sequence, integers ``(B,)``; None: all.
        label_length: Number of labels of each sequence, integers ``(B,)``; None: all. Later entries of `t` are ignored.
        reduce: ``"mean"`` over sequences, or ``"no"`` for the loss of each.

    Returns:
        Variable of the dtype of `x`: a scalar, or ``(B,)`` with ``reduce="no"``. If the labels do not fit into the time
        steps, the loss is infinite and the gradient 0.

    Raises:
        InvalidType: Shapes or dtypes do not fit together, or `x` is not a list.
        ValueError: `reduce` is invalid, or a label, class or length is out of range.

    >>> import numpy as np
    >>> x = [np.log([[0.5, 0.25, 0.25]]), np.log([[0.125, 0.75, 0.125]])]  # nothing, a, b; at two times
    >>> loss = connectionist_temporal_classification(x, np.array([[1]]), blank_symbol=0)
    >>> round(float(np.exp(-loss.array)), 5)  # _a, a_, aa
    0.59375
    """
    name = "connectionist_temporal_classification"
    require_choice(name, "reduce", reduce, ("mean", "no"))
    if not isinstance(x, (list, tuple)) or not x:
        raise InvalidType(name, "x", "a list of arrays (B, V), one for each time", type(x).__name__)
    for i, scores in enumerate(x):
        require_floating(name, f"x[{i}]", scores)
        if scores.ndim != 2 or scores.shape != x[0].shape or not same_dtype(scores, x[0]):
            expected = f"(B, V), one shape and dtype for all: {describe_array(x[0])}"
            raise InvalidType(name, f"x[{i}]", expected, describe_array(scores))
    batch, classes = x[0].shape
    blank_symbol = as_integer(name, "blank_symbol", blank_symbol)
    if not 0 <= blank_symbol < classes:
        raise ValueError(f"{name}: blank_symbol is {blank_symbol!r}, but classes are 0 to {classes - 1}")
    require_array(name, "t", t)
    labels = as_array(t)
    if labels.dtype.kind not in "iu" or labels.ndim != 2 or labels.shape[0] != batch:
        raise InvalidType(name, "t", f"integers ({batch}, M), as many rows as x", describe_array(labels))
    xp = get_backend(labels).xp
    times = _lengths("input_length", xp, input_length, batch, len(x))
    counts = _lengths("label_length", xp, label_length, batch, labels.shape[1])
    # Entries after a sequence's labels need not be classes.
    labels = xp.where(xp.arange(labels.shape[1]) < counts[:, None], labels, blank_symbol)
    require_labels_in_range(name, labels, classes)
    loss = CTC(labels, blank_symbol, times, counts).apply((stack(x),))[0]
    return sum(loss) / max(1, batch) if reduce == "mean" else loss


def _lengths(argument: str, xp: Any, given: Any, batch: int, longest: int) -> Array:
    if given is None:
        return xp.full((batch,), longest, dtype=xp.int32)
    name = "connectionist_temporal_classification"
    require_array(name, argument, given)
    lengths = as_array(given)
    if lengths.dtype.kind not in "iu" or tuple(lengths.shape) != (batch,):
        raise InvalidType(name, argument, f"integers ({batch},)", describe_array(lengths))
    if batch and (int(lengths.min()) < 0 or int(lengths.max()) > longest):
        raise ValueError(
            f"{name}: {argument} has {int(lengths.min())} to {int(lengths.max())}, not within 0..{longest}"
        )
    return lengths


class CTC(FunctionNode):
    """Compute losses ``(B,)`` from scores ``(T, B, V)``.

    Labels, with blanks before, between and after them, are the states ``(B, 2 M + 1)`` of an automaton. In each step it
    stays, advances by one, or skips a blank between different labels.
    """

    fresh_gradients = True

    def __init__(self, labels: Array, blank: int, times: Array, counts: Array) -> None:
        xp = get_backend(labels).xp
        batch, size = labels.shape
        self.path = xp.full((batch, 2 * size + 1), blank, dtype=labels.dtype)
        self.path[:, 1::2] = labels
        place = xp.arange(2 * size + 1)
        self.skips = (self.path != blank) & (place > 1)
        self.skips[:, 2:] &= self.path[:, 2:] != self.path[:, :-2]
        self.times = times
        # Valid final states: the last label, or the blank after it.
        last = 2 * counts[:, None]
        self.ends = (place == last) | (place == last - 1)
        self.states = place <= last

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Forward pass: `ways[i]` is the log-probability of all paths to a state at time i."""
        (x,) = inputs
        self.retain_inputs((0,))
        backend = get_backend(x)
        xp = backend.xp
        scores = wide(x)
        shifted = scores - scores.max(axis=2, keepdims=True)
        self._log_y = shifted - xp.log(xp.exp(shifted).sum(axis=2, keepdims=True))
        said = self._log_y[_everywhere(xp, self.path, x.shape[0])]
        self._ways = xp.empty(said.shape, dtype=scores.dtype)
        ways = self._start(xp, scores.dtype)
        skips = xp.where(self.skips, 0, xp.asarray(_NEVER, dtype=scores.dtype))
        for i in range(x.shape[0]):
            # After the end of a sequence the state stays.
            now = _log_sum(xp, ways, _moved(xp, ways, 1), _moved(xp, ways, 2) + skips) + said[i]
            ways = xp.where((self.times > i)[:, None], now, ways)
            self._ways[i] = ways
        self._log_p = _log_sum_along(xp, xp.where(self.ends, ways, _NEVER))
        self._possible = self._log_p > _NEVER / 2
        return (xp.where(self._possible, -self._log_p, xp.inf).astype(x.dtype, copy=False),)

    def _start(self, xp: Any, dtype: Any) -> Array:
        """The state before the first time step: in the first blank."""
        ways = xp.full(self.path.shape, _NEVER, dtype=dtype)
        ways[:, 0] = 0
        return ways

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """``softmax(x)`` minus the posterior probability of each label at each time step."""
        (x,) = self.saved_inputs
        backend = get_backend(x)
        xp = backend.xp
        never = xp.asarray(_NEVER, dtype=self._log_y.dtype)
        index = _everywhere(xp, self.path, x.shape[0])
        said = self._log_y[index]
        ends = xp.where(self.ends, 0, never)
        skips = xp.where(self.skips, 0, never)
        rest = ends
        given = xp.empty(said.shape, dtype=said.dtype)
        for i in reversed(range(x.shape[0])):
            if i + 1 < x.shape[0]:
                after = rest + said[i + 1]
                later = _log_sum(xp, after, _moved(xp, after, -1), _moved(xp, after + skips, -2))
                rest = xp.where((self.times > i + 1)[:, None], later, ends)
            given[i] = rest
        given += self._ways
        given -= xp.where(self._possible, self._log_p, 0)[:, None]
        given = xp.exp(xp.minimum(given, 0))
        gx = xp.exp(self._log_y)
        backend.scatter_add(gx, index, -given)
        weight = grad_outputs[0] * self._possible
        counts = (xp.arange(x.shape[0])[:, None] < self.times) * weight
        return ((gx * counts[:, :, None]).astype(x.dtype, copy=False),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Differentiate the forward pass, composed of functions."""
        return gradients_of(self._composed, self.get_retained_inputs(), target_input_indexes, grad_outputs)

    def _composed(self, x: Variable) -> Sequence[Variable]:
        xp = x.xp
        dtype = x.dtype
        x = x.astype("float32") if dtype == "float16" else x
        said = get_item(log_softmax(x, axis=2), _everywhere(xp, self.path, x.shape[0]))
        ways: Any = self._start(xp, x.dtype)
        never = xp.full((ways.shape[0], 2), _NEVER, dtype=x.dtype)
        skips = xp.where(self.skips, 0, xp.asarray(_NEVER, dtype=x.dtype))
        for i in range(x.shape[0]):
            before = concat((never, ways), axis=1)
            moves = (ways, before[:, 1:-1], before[:, :-2] + skips)
            now = logsumexp(stack(moves), axis=0) + said[i]
            ways = where(xp.broadcast_to((self.times > i)[:, None], ways.shape), now, ways)
        log_p = logsumexp(where(self.ends, ways, _NEVER), axis=1)
        return (where(self._possible, -log_p, xp.inf).astype(dtype),)


def _everywhere(xp: Any, path: Array, times: int) -> tuple[Array, ...]:
    """The index that selects the classes of each sequence's states from ``(T, B, V)``."""
    return xp.arange(times).reshape(-1, 1, 1), xp.arange(path.shape[0]).reshape(1, -1, 1), path[None]


def _moved(xp: Any, ways: Array, by: int) -> Array:
    """Shift states by `by` (backwards if negative)."""
    y = xp.full(ways.shape, _NEVER, dtype=ways.dtype)
    if by > 0:
        y[:, by:] = ways[:, :-by]
    else:
        y[:, :by] = ways[:, -by:]
    return y


def _log_sum(xp: Any, *terms: Array) -> Array:
    """``log(exp(terms[0]) + exp(terms[1]) + ...)``."""
    largest = terms[0]
    for term in terms[1:]:
        largest = xp.maximum(largest, term)
    total = xp.exp(terms[0] - largest)
    for term in terms[1:]:
        total += xp.exp(term - largest)
    return largest + xp.log(total)


def _log_sum_along(xp: Any, x: Array) -> Array:
    largest = x.max(axis=1, keepdims=True)
    return (largest + xp.log(xp.exp(x - largest).sum(axis=1, keepdims=True)))[:, 0]
