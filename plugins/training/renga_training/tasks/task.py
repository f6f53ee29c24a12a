"""`Task`: the base class of tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from renga_core.errors import RengaError
from renga_core.link import Link
from renga_training.tasks.inference import Inference

__all__ = ["Row", "Task"]

Row = dict[str, Any]
"""A result as a row of a table: text and numbers by column name."""


class Task:
    """Defines what a network is trained for.

    A subclass defines `target`. Everything else has a default::

        class Ranking(Task):
            \"\"\"Of each pair of examples, the second is the better one.\"\"\"

            figures = ("loss",)

            def target(self, model):
                return RankingLoss(model)  # a Chain that computes and reports the loss of a batch

    The keyword arguments of its constructor are the keys of ``[task]`` in a run file, beside ``use``.

    Attributes:
        figures: Names of the metrics that the target reports or `summarize` adds. The log calls them ``main/loss`` and
            ``validation/main/loss``. Parts of the loss that depend on the model need not be listed; their names end
            with ``_loss``.
        headline: The main metric.
        higher_is_better: Whether a larger main metric is better.
        updater: Name of the default updater.
        converter: Name of the default converter.
        evaluator: Name of the default evaluator.
        shuffle: Whether to shuffle the training examples by default.
        target_type: The type of targets that the data set must provide, if it has a choice: ``"class"``, ``"number"``,
            or None.
        preprocessing: How the data set makes inputs from raw values, with the names of the classes; None if the data
            set does not say. The run sets it before it calls `target`.
    """

    figures: Sequence[str] = ("loss",)
    headline: str = "loss"
    higher_is_better: bool = False
    updater: str = "standard"
    converter: str = "concat"
    evaluator: str = "standard"
    shuffle: bool = True
    target_type: str | None = None
    preprocessing: Any = None

    def target(self, model: Link) -> Link:
        """Return the link to train. Called with the converted batch, it returns the loss, a mean over examples, and
        reports `figures`. Its child is the model.
        """
        raise NotImplementedError(f"{type(self).__qualname__} must define target(model)")

    def optimized(self, target: Link) -> Mapping[str, Link]:
        """Return the links with their own optimizer, by the optimizer's name. Default: the target."""
        return {"main": target}

    @contextmanager
    def evaluating(self, target: Link) -> Iterator[None]:
        """Context during evaluation. A network with a state uses it to keep the training state unchanged."""
        yield

    def summarize(self, means: Mapping[str, float]) -> Mapping[str, float]:
        """Return the metrics of the whole test data, given the means over examples of the reported values.

        The default returns these means. A task may add metrics that are not means (a perplexity) or remove auxiliary
        ones.
        """
        return means

    def predict(self, target: Link, inputs: Any) -> list[Row]:
        """Return the predictions for a batch, one row for each example.

        Args:
            target: The trained link, in test mode.
            inputs: Converted inputs, without labels, on the target's device.

        Raises:
            RengaError: Networks of this task make no predictions.
        """
        raise RengaError(f"a network of task {type(self).__name__} makes no predictions from files")

    def predict_into(self, target: Link, examples: Iterable[tuple[str, Any]], folder: Path) -> None:
        """Write results that are not rows, such as images, into a folder.

        Args:
            target: The trained link, in test mode.
            examples: Pairs of the name and the input of each example, on the host.
            folder: An existing empty folder.

        Raises:
            RengaError: Results of this task are rows.
        """
        raise RengaError(f"results of task {type(self).__name__} are rows: write them to a .csv or .jsonl file")

    def inference(self, target: Link, batch: Any) -> Inference:
        """Describe the trained network for use elsewhere; `renga export` writes it as ONNX.

        Args:
            target: The trained link, in test mode.
            batch: Converted examples, labels included.

        Raises:
            RengaError: The task does not define this.
        """
        raise RengaError(
            f"task {type(self).__name__} does not define the inputs and outputs of a trained network.\n"
            "Next: define its method inference(target, batch) (docs/how-to/write-a-task.md)."
        )

    def generate(self, target: Link, prompt: str | None, number: int) -> Any:
        """Return something that a trained network generates: text, or images ``(number, channels, height, width)``.

        Args:
            target: The trained link, in test mode.
            prompt: The beginning of a text; None if none was given.
            number: The number of images or characters.

        Raises:
            RengaError: Networks of this task generate nothing.
        """
        raise RengaError(f"a network of task {type(self).__name__} generates nothing by itself: give files to read")

    def samples(self, target: Link, examples: Sequence[Any]) -> Any:
        """Return samples to look at during training: text, images ``(N, C, H, W)``, or None for nothing.

        Args:
            target: The trained link, in test mode.
            examples: The first examples of the test data.
        """
        return None
