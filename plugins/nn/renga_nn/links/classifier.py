"""`Classifier`: a model with its loss."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any

from renga_core.graph import InvalidType, Variable
from renga_core.link import Chain, Link
from renga_core.reporter import report
from renga_nn.functions.evaluation import accuracy
from renga_nn.functions.loss import softmax_cross_entropy

__all__ = ["Classifier"]


class Classifier(Chain):
    """Compares a model's predictions with labels; a trainer can train it.

    Calling it computes the loss, and reports ``loss`` and ``accuracy``.

    Args:
        predictor: The model, a link; called with all arguments except the label.
        lossfun: Called with prediction and label; returns the loss.
        accfun: Called with prediction and label; returns the accuracy.
        label_key: The label argument: its position (-1, the last) or its keyword.

    Attributes:
        y, loss, accuracy: Results of the last call. `accuracy` is None if `compute_accuracy` is False.
        compute_accuracy: Whether to compute the accuracy.

    >>> import numpy as np
    >>> from renga_nn.links import Linear
    >>> model = Classifier(Linear(3, 2))
    >>> loss = model(np.ones((4, 3), np.float32), np.array([0, 1, 1, 0]))
    >>> loss.shape, model.accuracy.shape
    ((), ())
    >>> model.predictor(np.ones((1, 3), np.float32)).shape  # scores of two classes
    (1, 2)
    """

    compute_accuracy = True

    def __init__(
        self,
        predictor: Link,
        lossfun: Callable[[Any, Any], Variable] = softmax_cross_entropy,
        accfun: Callable[[Any, Any], Any] = accuracy,
        label_key: int | str = -1,
    ) -> None:
        try:
            label_key = label_key if isinstance(label_key, str) else index(label_key)
        except TypeError:
            message = f"label_key must be the position or the keyword of the label, not {label_key!r}"
            raise TypeError(message) from None
        super().__init__()
        self.lossfun = lossfun
        self.accfun = accfun
        self.label_key = label_key
        self.y: Any = None
        self.loss: Variable | None = None
        self.accuracy: Any = None
        with self.init_scope():
            self.predictor = predictor

    def forward(self, *args: Any, **kwargs: Any) -> Variable:
        """Compute the loss.

        Args:
            args, kwargs: The arguments of the predictor, and the label at `label_key`.

        Raises:
            InvalidType: There is no label.
        """
        inputs = list(args)
        if isinstance(self.label_key, str):
            if self.label_key not in kwargs:
                expected = f"the label as keyword {self.label_key!r}"
                raise InvalidType("Classifier", "arguments", expected, f"keywords {sorted(kwargs)}")
            t = kwargs.pop(self.label_key)
        elif -len(inputs) <= self.label_key < len(inputs):
            t = inputs.pop(self.label_key)
        else:
            expected = f"the label as argument number {self.label_key}"
            raise InvalidType("Classifier", "arguments", expected, f"{len(inputs)} argument(s)")
        # Drop the results of the previous call first: its graph may be most of the memory in use.
        self.y = self.loss = self.accuracy = None
        self.y = self.predictor(*inputs, **kwargs)
        self.loss = loss = self.lossfun(self.y, t)
        report({"loss": loss}, self)
        if self.compute_accuracy:
            self.accuracy = self.accfun(self.y, t)
            report({"accuracy": self.accuracy}, self)
        return loss
