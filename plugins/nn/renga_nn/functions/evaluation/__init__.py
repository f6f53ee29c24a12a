"""Measures of how good predictions are. They are for reports: no gradient flows through them.

- `accuracy`: the part of answers that are right; also `binary_accuracy`.
"""

from renga_nn.functions.evaluation.accuracy import accuracy, binary_accuracy

__all__ = ["accuracy", "binary_accuracy"]
