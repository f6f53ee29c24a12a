"""Precision, recall and F-score of each class."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array, get_array_module, get_backend
from renga_core.graph import Variable, as_array
from renga_nn.functions.checks import as_integer, as_number, labels_of, require_floating, require_labels_in_range

__all__ = ["classification_summary", "f1_score", "precision", "recall"]


def classification_summary(
    y: Any, t: Any, label_num: int | None = None, beta: float = 1.0, ignore_label: int = -1
) -> tuple[Variable, Variable, Variable, Variable]:
    """Precision, recall, F-score and support of each class. No gradient flows through them.

    - precision: the fraction of entries predicted as a class that belong to it;
    - recall: the fraction of entries of a class that are predicted as this class;
    - F-score: ``(1 + β²) precision recall / (β² precision + recall)``. A larger β gives recall more weight; with 1 it
      is the harmonic mean.

    They are 0 where the divisor is 0.

    Args:
        y: Scores ``(N, classes, ...)`` of a floating dtype; the class with the largest score is the prediction.
        t: Classes ``(N, ...)``, integers.
        label_num: Number of classes to report; None: all up to the largest in `t`.
        beta: β.
        ignore_label: Entries of this class are ignored.

    Returns:
        Variables ``(label_num,)``: precision, recall, F-score in the dtype of `y`, and number of entries in `t`, int32.

    Raises:
        InvalidType: Shapes or dtypes do not fit.
        ValueError: `t` has labels outside `label_num`.

    >>> import numpy as np
    >>> y = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
    >>> precision, recall, f_score, support = classification_summary(y, np.array([0, 1, 1]))
    >>> precision.array.tolist(), recall.array.tolist(), support.array.tolist()
    ([0.5, 1.0], [1.0, 0.5], [1, 2])
    """
    return _summary("classification_summary", y, t, label_num, beta, ignore_label)


def precision(y: Any, t: Any, label_num: int | None = None, ignore_label: int = -1) -> tuple[Variable, Variable]:
    """Precision and number of entries of each class: see `classification_summary`.

    >>> import numpy as np
    >>> precision(np.array([[0.9, 0.1], [0.8, 0.2]]), np.array([0, 1]))[0].array.tolist()
    [0.5, 0.0]
    """
    found, _, _, support = _summary("precision", y, t, label_num, 1.0, ignore_label)
    return found, support


def recall(y: Any, t: Any, label_num: int | None = None, ignore_label: int = -1) -> tuple[Variable, Variable]:
    """Recall and number of entries of each class: see `classification_summary`.

    >>> import numpy as np
    >>> recall(np.array([[0.9, 0.1], [0.8, 0.2]]), np.array([0, 1]))[0].array.tolist()
    [1.0, 0.0]
    """
    _, found, _, support = _summary("recall", y, t, label_num, 1.0, ignore_label)
    return found, support


def f1_score(y: Any, t: Any, label_num: int | None = None, ignore_label: int = -1) -> tuple[Variable, Variable]:
    """F-score with β = 1 and number of entries of each class: see `classification_summary`.

    >>> import numpy as np
    >>> f1_score(np.array([[0.9, 0.1], [0.8, 0.2]]), np.array([0, 1]))[0].array.round(4).tolist()
    [0.6667, 0.0]
    """
    _, _, found, support = _summary("f1_score", y, t, label_num, 1.0, ignore_label)
    return found, support


def _summary(
    name: str, y: Any, t: Any, label_num: int | None, beta: float, ignore_label: int
) -> tuple[Variable, Variable, Variable, Variable]:
    require_floating(name, "y", y)
    labels = labels_of(name, y, t, "y").reshape(-1)
    answers = as_array(y).argmax(axis=1).reshape(-1)
    counts = labels != as_integer(name, "ignore_label", ignore_label)
    beta = as_number(name, "beta", beta)
    xp = get_array_module(y)
    labels = xp.where(counts, labels, 0)
    if label_num is None:
        label_num = int(labels.max()) + 1 if labels.size and counts.any() else 0
    label_num = as_integer(name, "label_num", label_num, least=0)
    if label_num or (labels.size and counts.any()):
        require_labels_in_range(name, labels, label_num)
    support = _numbers(labels, counts, label_num)
    taken = _numbers(answers, counts & (answers < label_num), label_num)
    right = _numbers(labels, counts & (answers == labels), label_num)
    square = beta * beta
    # The definition with precision and recall inserted, which is 0/0 only for a class that is neither present nor
    # predicted.
    parts = [_part(right, taken), _part(right, support), _part((1 + square) * right, square * support + taken)]
    p, r, f = (Variable(part.astype(y.dtype), requires_grad=False) for part in parts)
    return p, r, f, Variable(support.astype(xp.int32), requires_grad=False)


def _numbers(labels: Array, counts: Array, label_num: int) -> Array:
    """The weighted count of each label, in float64, which is exact."""
    xp = get_array_module(labels)
    numbers = xp.zeros((label_num,), dtype="float64")
    if label_num:
        get_backend(labels).scatter_add(numbers, xp.where(counts, labels, 0), counts.astype("float64"))
    return numbers


def _part(number: Array, of: Array) -> Array:
    xp = get_array_module(number)
    return number / xp.where(of == 0, 1.0, of)
