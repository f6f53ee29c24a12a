"""`Classification`: assigning each example to a class."""

from __future__ import annotations

from typing import Any

from renga_core.backend import to_host
from renga_core.link import Link
from renga_nn.functions.activation import softmax
from renga_nn.links.classifier import Classifier
from renga_training.tasks.inference import Inference, inputs_by_name
from renga_training.tasks.task import Row, Task

__all__ = ["Classification"]


class Classification(Task):
    """Each example belongs to one class. The model returns a score for each class, ``(N, classes)``.

    An example consists of inputs and, last, the number of its class. The loss is the softmax cross entropy.
    """

    figures = ("loss", "accuracy")
    target_type = "class"
    headline = "accuracy"
    higher_is_better = True

    def target(self, model: Link) -> Link:
        """Return a `Classifier`."""
        return Classifier(model)

    def inference(self, target: Link, batch: Any) -> Inference:
        """Describe the model, which returns scores of the classes. Their softmax gives probabilities."""
        model: Link = target.predictor  # type: ignore[attr-defined]  # it is a Classifier
        inputs = inputs_by_name(self.preprocessing, batch[:-1])
        return Inference(model, inputs, ["scores"], {name: {0: "batch"} for name in inputs})

    def predict(self, target: Link, inputs: Any) -> list[Row]:
        """Return the class and its probability. The class is a name if the data set has names, else a number."""
        scores = target.predictor(inputs)  # type: ignore[attr-defined]  # it is a Classifier
        probabilities = to_host(softmax(scores).array)
        names = getattr(self.preprocessing, "classes", ())
        rows = []
        for each in probabilities:
            best = int(each.argmax())
            rows.append({"class": names[best] if names else best, "probability": round(float(each[best]), 6)})
        return rows
