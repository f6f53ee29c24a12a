"""Precision and recall as in Chainer: NaN for a class that is never predicted, or never present."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array, get_array_module
from renga_core.graph import Variable, as_array
from renga_nn.functions.evaluation import classification_summary as renga_summary

__all__ = ["classification_summary", "f1_score", "precision", "recall"]


def classification_summary(
    y: Any, t: Any, label_num: int | None = None, beta: float = 1.0, ignore_label: int = -1
) -> tuple[Variable, Variable, Variable, Variable]:
    """Like `renga.functions.classification_summary`, but in float64, and NaN for a division by zero.

    ``numpy.nanmean`` over classes ignores NaN; the 0 of Renga's own function would lower the mean.
    """
    scores, labels = as_array(y), as_array(t)
    xp = get_array_module(scores)
    precision, recall, _, support = renga_summary(scores.astype("float64"), labels, label_num, beta, ignore_label)
    answers = scores.argmax(axis=1).reshape(-1)[labels.reshape(-1) != ignore_label]
    taken = (answers.reshape(1, -1) == xp.arange(support.size).reshape(-1, 1)).any(axis=1)
    p = xp.where(taken, precision.array, xp.nan)
    r = xp.where(support.array > 0, recall.array, xp.nan)
    f = _divide(xp, (1 + beta * beta) * p * r, beta * beta * p + r)
    p_of, r_of, f_of = (Variable(x, requires_grad=False) for x in (p, r, f))
    return p_of, r_of, f_of, support


def _divide(xp: Any, number: Array, by: Array) -> Array:
    """Return ``number / by``, or NaN if `by` is 0, without a warning."""
    return xp.where(by == 0, xp.nan, number / xp.where(by == 0, 1.0, by))


def precision(y: Any, t: Any, label_num: int | None = None, ignore_label: int = -1) -> tuple[Variable, Variable]:
    """Return precision and number of entries of each class."""
    found, _, _, support = classification_summary(y, t, label_num, 1.0, ignore_label)
    return found, support


def recall(y: Any, t: Any, label_num: int | None = None, ignore_label: int = -1) -> tuple[Variable, Variable]:
    """Return recall and number of entries of each class."""
    _, found, _, support = classification_summary(y, t, label_num, 1.0, ignore_label)
    return found, support


def f1_score(y: Any, t: Any, label_num: int | None = None, ignore_label: int = -1) -> tuple[Variable, Variable]:
    """Return F-score (β = 1) and number of entries of each class."""
    _, _, found, support = classification_summary(y, t, label_num, 1.0, ignore_label)
    return found, support
