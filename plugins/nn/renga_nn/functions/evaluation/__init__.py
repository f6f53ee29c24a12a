"""Measures of how good predictions are. They are for reports: no gradient flows through them.

- `accuracy`: the part of answers that are right; also `binary_accuracy`.
- `classification_summary`: `precision`, `recall` and `f1_score` of each class, and all three.
- `r2_score`: how much of what varies is predicted.
"""

from renga_nn.functions.evaluation.accuracy import accuracy, binary_accuracy
from renga_nn.functions.evaluation.classification_summary import classification_summary, f1_score, precision, recall
from renga_nn.functions.evaluation.r2_score import r2_score

__all__ = ["accuracy", "binary_accuracy", "classification_summary", "f1_score", "precision", "r2_score", "recall"]
