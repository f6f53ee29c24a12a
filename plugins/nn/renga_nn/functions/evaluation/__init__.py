"""Metrics of predictions, for reports: no gradient flows through them.

- `accuracy`: the fraction of correct predictions; also `binary_accuracy`.
- `classification_summary`: `precision`, `recall` and `f1_score` for each class, and all three together.
- `r2_score`: the fraction of variance that is explained.
"""

from renga_nn.functions.evaluation.accuracy import accuracy, binary_accuracy
from renga_nn.functions.evaluation.classification_summary import classification_summary, f1_score, precision, recall
from renga_nn.functions.evaluation.r2_score import r2_score

__all__ = ["accuracy", "binary_accuracy", "classification_summary", "f1_score", "precision", "r2_score", "recall"]
