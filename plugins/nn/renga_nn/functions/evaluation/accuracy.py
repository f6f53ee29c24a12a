"""Accuracy."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array, get_array_module
from renga_core.graph import FunctionNode, InvalidType, Variable, no_backprop_mode
from renga_core.graph.errors import describe_array
from renga_core.graph.operators import reshape
from renga_nn.functions.checks import as_integer, labels_of, require_array, require_floating

__all__ = ["accuracy", "binary_accuracy"]


def accuracy(y: Any, t: Any, ignore_label: int | None = None) -> Variable:
    """The fraction of entries whose largest score belongs to the correct class. No gradient flows through it.

    Args:
        y: Scores ``(N, classes, ...)`` of a floating dtype. Additional trailing axes of size 1 are allowed.
        t: Classes ``(N, ...)``, integers.
        ignore_label: Entries of this class are ignored.

    Returns:
        Variable: a scalar in [0, 1] in the dtype of `y`; 0 if all entries are ignored.

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
    """The fraction of elements whose score has the correct sign. No gradient flows through it.

    Args:
        y: Scores of any shape and a floating dtype; 0 and above mean yes.
        t: Integers of the same shape: 1 for yes, 0 for no, -1 for elements to ignore.

    Returns:
        Variable: a scalar in [0, 1] in the dtype of `y`; 0 if all elements are ignored.

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
    """The fraction of labels that have the largest score.

    Args:
        ignore_label: Entries of this class are ignored; None: none.
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
    """The fraction of answers with the sign of their score; answers of -1 are ignored."""

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Count."""
        y, answers = inputs
        counts = answers != -1
        right = (y >= 0) == (answers == 1)
        return (_part(y, (right & counts).sum(), counts.sum()),)


def _part(y: Array, right: Any, number: Any) -> Array:
    xp = get_array_module(y)
    return xp.asarray(right / xp.maximum(number, 1), dtype=y.dtype)
