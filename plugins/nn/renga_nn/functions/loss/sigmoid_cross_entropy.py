"""Cross entropy between scores and binary labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend
from renga_core.graph import FunctionNode, InvalidType, as_array
from renga_core.graph.errors import describe_array
from renga_nn.functions.activation import sigmoid
from renga_nn.functions.activation.sigmoid import sigmoid_array
from renga_nn.functions.checks import require_array, require_choice, require_floating, wide

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["sigmoid_cross_entropy"]

IGNORED = -1


def sigmoid_cross_entropy(x: Any, t: Any, normalize: bool = True, reduce: str = "mean") -> Variable:
    """``-t log(sigmoid(x)) - (1 - t) log(1 - sigmoid(x))``, element by element, and its mean.

    Computed as ``max(x, 0) - x t + log(1 + exp(-|x|))``, which neither overflows nor takes the logarithm of 0.

    Args:
        x: Scores of any shape and a floating dtype.
        t: Integers of the same shape: 1 for yes, 0 for no, -1 for elements to ignore.
        normalize: Divide by the number of elements that are not ignored; otherwise by the length of axis 0.
        reduce: ``"mean"``, or ``"no"`` for the loss of each element.

    Returns:
        Variable of the dtype of `x`: a scalar, or the shape of `x` with ``reduce="no"``.

    Raises:
        InvalidType: Shapes or dtypes do not fit.
        ValueError: `reduce` is no such word.

    >>> import numpy as np
    >>> x = np.array([[0.0, 100.0, -100.0]])
    >>> sigmoid_cross_entropy(x, np.array([[1, 0, -1]]), reduce="no").array.round(4).tolist()
    [[0.6931, 100.0, 0.0]]
    """
    require_floating("sigmoid_cross_entropy", "x", x)
    require_choice("sigmoid_cross_entropy", "reduce", reduce, ("mean", "no"))
    require_array("sigmoid_cross_entropy", "t", t)
    answers = as_array(t)
    if answers.dtype.kind not in "iu" or answers.shape != x.shape:
        expected = f"integers in the shape of x: {describe_array(x)}"
        raise InvalidType("sigmoid_cross_entropy", "t", expected, describe_array(answers))
    return SigmoidCrossEntropy(answers, normalize, reduce == "mean").apply((x,))[0]


class SigmoidCrossEntropy(FunctionNode):
    """Scores to loss in one node; the derivative is ``sigmoid(x) - t``, weighted."""

    fresh_gradients = True

    def __init__(self, answers: Array, normalize: bool, mean: bool) -> None:
        self.answers = answers
        self.normalize = normalize
        self.mean = mean

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """The loss; what each element counts is kept as `weight`."""
        (x,) = inputs
        xp = get_backend(x).xp
        self.retain_inputs((0,))
        scores = wide(x)
        counts = self.answers != IGNORED
        self.weight = counts.astype(scores.dtype)
        if self.mean:
            number = xp.maximum(counts.sum(), 1) if self.normalize else max(1, x.shape[0] if x.ndim else 1)
            self.weight = self.weight / xp.asarray(number, dtype=scores.dtype)
        loss = xp.maximum(scores, 0) - xp.where(self.answers == 1, scores, 0) + xp.log1p(xp.exp(-abs(scores)))
        loss = xp.where(counts, loss * self.weight, 0)
        return ((loss.sum() if self.mean else loss).astype(x.dtype, copy=False),)

    def backward_arrays(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """``(sigmoid(x) - t) * weight * gy``."""
        (x,) = self.saved_inputs
        scores = wide(x)
        gx = (sigmoid_array(get_backend(x).xp, scores) - (self.answers == 1)) * (self.weight * grad_outputs[0])
        return (gx.astype(x.dtype, copy=False),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """The same, differentiable."""
        (x,) = self.get_retained_inputs()
        yes = (self.answers == 1).astype(x.dtype)
        return ((sigmoid(x) - yes) * (grad_outputs[0] * self.weight.astype(x.dtype, copy=False)),)
