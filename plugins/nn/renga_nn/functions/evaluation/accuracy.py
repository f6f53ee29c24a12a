"""How many answers are right."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array, get_array_module
from renga_core.graph import FunctionNode, InvalidType, Variable, no_backprop_mode
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import reshape
from renga_nn.functions.checks import as_integer, labels_of, require_array, require_floating

__all__ = ["accuracy", "binary_accuracy"]


def accuracy(y: Any, t: Any, ignore_label: int | None = None) -> Variable:
    """The part of the entries whose largest score is that of the right class. No gradient flows through it.

    Args:
        y: Scores ``(N, classes, ...)`` of a floating dtype. Axes of size 1 at the end may be too many.
        t: Classes ``(N, ...)``, integers.
        ignore_label: Entries of this class do not count.

    Returns:
        Variable: a scalar from 0 to 1 of the dtype of `y`; 0 where no entry counts.

    Raises:
        InvalidType: Shapes or dtypes do not fit.

    >>> import numpy as np
    >>> accuracy(np.array([[0.9, 0.1], [0.8, 0.2]]), np.array([0, 1])).array.tolist()
    0.5
    """
    require_floating("accuracy", "y", y)
    require_array("accuracy", "t", t)
    end = t.ndim + 1
    if all(size == 1 for size in y.shape[end:]):
        y = reshape(y, y.shape[:end])
    labels_of("accuracy", y, t, "y")
    label = None if ignore_label is None else as_integer("accuracy", "ignore_label", ignore_label)
    with no_backprop_mode():
        return Accuracy(label).apply((y, t))[0]


def binary_accuracy(y: Any, t: Any) -> Variable:
    """The part of the elements on the right side of zero. No gradient flows through it.

    Args:
        y: Scores of any shape and a floating dtype; from 0 upwards they mean yes.
        t: Integers of the same shape: 1 for yes, 0 for no, -1 for elements that do not count.

    Returns:
        Variable: a scalar from 0 to 1 of the dtype of `y`; 0 where no element counts.

    Raises:
        InvalidType: Shapes or dtypes do not fit.

    >>> import numpy as np
    >>> binary_accuracy(np.array([1.0, -1.0, 2.0]), np.array([1, 1, -1])).array.tolist()
    0.5
    """
    require_floating("binary_accuracy", "y", y)
    require_array("binary_accuracy", "t", t)
    if t.dtype.kind not in "iu" or t.shape != y.shape:
        expected = f"integers in the shape of y: {describe_array(y)}"
        raise InvalidType("binary_accuracy", "t", expected, describe_array(t))
    with no_backprop_mode():
        return BinaryAccuracy().apply((y, t))[0]


class Accuracy(FunctionNode):
    """The part of the labels that have the largest score.

    Args:
        ignore_label: Entries of this class do not count; None: all count.
    """

    def __init__(self, ignore_label: int | None) -> None:
        self.ignore_label = ignore_label

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Count."""
        y, labels = inputs
        right = y.argmax(axis=1) == labels
        if self.ignore_label is None:
            return (_part(y, right.sum(), labels.size),)
        counts = labels != self.ignore_label
        return (_part(y, (right & counts).sum(), counts.sum()),)


class BinaryAccuracy(FunctionNode):
    """The part of the answers that have the sign of their score; an answer of -1 does not count."""

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Count."""
        y, answers = inputs
        counts = answers != -1
        right = (y >= 0) == (answers == 1)
        return (_part(y, (right & counts).sum(), counts.sum()),)


def _part(y: Array, right: Any, number: Any) -> Array:
    xp = get_array_module(y)
    return xp.asarray(right / xp.maximum(number, 1), dtype=y.dtype)
