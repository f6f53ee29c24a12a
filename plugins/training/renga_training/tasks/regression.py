"""`Regression`: predicting numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from renga_core.backend import to_host
from renga_core.configuration import config
from renga_core.errors import RengaError
from renga_core.graph import Variable
from renga_core.link import Chain, Link
from renga_core.reporter import report
from renga_nn.functions.loss import mean_squared_error
from renga_training.tasks.inference import Computing, Inference, inputs_by_name
from renga_training.tasks.task import Row, Task

__all__ = ["Regression"]


class Regression(Task):
    """Each example has one or several target numbers. The model returns them, ``(N, numbers)``.

    An example consists of inputs and, last, an array of the target numbers; a single number counts as an array of one.
    The loss is the mean squared error. ``absolute_error`` is reported in the units of the data, even if the data set
    scales them. ``r2`` is the fraction of the variance that the model explains: 1 is perfect, 0 is as good as the mean
    of the test data.
    """

    figures = ("loss", "absolute_error", "r2")
    target_type = "number"
    headline = "absolute_error"

    def target(self, model: Link) -> Link:
        """Return the link with the loss of a model."""
        return _Regressor(model, getattr(self.preprocessing, "target_scale", 1.0))

    def summarize(self, means: Mapping[str, float]) -> Mapping[str, float]:
        """Add ``r2``, from the mean squared error and the variance of the targets."""
        figures = {name: means[name] for name in ("loss", "absolute_error")}
        variance = float(means["target_square"] - means["target_mean"] ** 2)
        return {**figures, "r2": 1 - float(means["loss"]) / variance} if variance > 0 else figures

    def inference(self, target: Link, batch: Any) -> Inference:
        """Return the predicted numbers, in the units of the data."""
        model: Any = target.predictor  # type: ignore[attr-defined]  # it is a _Regressor
        scale = getattr(self.preprocessing, "target_scale", 1.0)
        shift = getattr(self.preprocessing, "target_shift", 0.0)
        network = Computing(model, lambda *inputs: model(*inputs) * scale + shift)
        inputs = inputs_by_name(self.preprocessing, batch[:-1])
        return Inference(network, inputs, ["values"], {name: {0: "batch"} for name in inputs})

    def predict(self, target: Link, inputs: Any) -> list[Row]:
        """Describe the outputs: the numbers, in the units of the data."""
        numbers = to_host(target.predictor(inputs).array)  # type: ignore[attr-defined]  # it is a _Regressor
        scale = getattr(self.preprocessing, "target_scale", 1.0)
        shift = getattr(self.preprocessing, "target_shift", 0.0)
        names = getattr(self.preprocessing, "targets", ()) or [f"y{i}" for i in range(numbers.shape[1])]
        return [
            dict(zip(names, (float(f"{value:.7g}") for value in each), strict=True)) for each in numbers * scale + shift
        ]


class _Regressor(Chain):
    """The mean squared error of a model's predictions.

    Args:
        predictor: The model.
        scale: The size of one unit of the model's output, in units of the data.
    """

    def __init__(self, predictor: Link, scale: float) -> None:
        super().__init__()
        self._scale = scale
        with self.init_scope():
            self.predictor = predictor

    def forward(self, *args: Any) -> Variable:
        """The loss of inputs and, last, the targets ``(N, numbers)`` or ``(N,)``."""
        *inputs, t = args
        y = self.predictor(*inputs)
        if t.ndim == 1:
            t = t[:, None]
        if y.shape != t.shape:
            raise RengaError(
                f"regression: the model returns numbers of shape {y.shape}, but the targets have shape {t.shape}. "
                "Next: let the model return as many numbers as there are targets (model.n_out)"
            )
        loss = mean_squared_error(y, t)
        t = getattr(t, "array", t)
        error = abs(y.array - t).mean() * self._scale
        report({"loss": loss, "absolute_error": error}, self)
        if not config.train:
            report({"target_mean": t.mean(), "target_square": (t * t).mean()}, self)
        return loss
