"""The base class of tasks."""

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
"""One result, as a row of a table: text and numbers by the names of the columns."""


class Task:
    """What a network is trained for.

    A subclass defines `target`. The rest has defaults, and is defined where the task has more to say::

        class Ranking(Task):
            \"\"\"Of each pair of examples, the second is the better one.\"\"\"

            figures = ("loss",)

            def target(self, model):
                return LossOf(model, self.loss)

            def loss(self, model, worse, better):
                return F.mean(F.softplus(model(worse) - model(better)))

    The keyword arguments of its constructor are the keys that a run file may give beside ``use`` in ``[task]``.

    Attributes:
        figures: Names of what the target reports, or `summarize` adds; in the log they are ``main/loss`` and
            ``validation/main/loss``. Parts of the loss that depend on the model need not be named here; their names
            end with ``_loss``.
        headline: The one that tells how good a network is.
        higher_is_better: Whether a larger headline is better.
        updater: Name of the updater that a run has where it names none.
        converter: Name of the converter that a run has where it names none.
        evaluator: Name of the evaluator that a run has where it names none.
        shuffle: Whether examples are trained on in a random order, where the run does not say.
        target_type: What a data set that can give both has to give: ``"class"``, ``"number"``, or None.
        preprocessing: How the data set made numbers of raw values, with the names of the classes; None where the data
            set does not tell. The run sets it before it calls `target`.
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
        """Return the link that is trained: called with what the converter makes of a batch, it returns the loss, a
        mean over examples, and reports `figures`. Its child is the model.
        """
        raise NotImplementedError(f"{type(self).__qualname__} must define target(model)")

    def optimized(self, target: Link) -> Mapping[str, Link]:
        """Return the links that have an optimizer of their own, by its name. The target, unless overridden."""
        return {"main": target}

    @contextmanager
    def evaluating(self, target: Link) -> Iterator[None]:
        """Entered while the test data are gone through. A network with a state keeps it from the training's here."""
        yield

    def summarize(self, means: Mapping[str, float]) -> Mapping[str, float]:
        """Return the figures of the whole test data, given the means over examples of what the target has reported.

        Those means, unless a task adds what is not a mean (a perplexity), or reports what is only for computing others.
        """
        return means

    def predict(self, target: Link, inputs: Any) -> list[Row]:
        """Return what a trained network says of a batch, a row for each example.

        Args:
            target: The trained link, in test mode.
            inputs: Inputs without labels, as the converter has made them, on the target's device.

        Raises:
            RengaError: Networks of this task predict nothing.
        """
        raise RengaError(f"a network of task {type(self).__name__} predicts nothing from files")

    def predict_into(self, target: Link, examples: Iterable[tuple[str, Any]], folder: Path) -> None:
        """Write what a trained network says of examples into a folder: for results that are not rows, such as pictures.

        Args:
            target: The trained link, in test mode.
            examples: The name of each, and its input, on the host.
            folder: It exists, and is empty.

        Raises:
            RengaError: What networks of this task say are rows.
        """
        raise RengaError(
            f"what a network of task {type(self).__name__} says are rows: write them to a .csv or .jsonl file"
        )

    def inference(self, target: Link, batch: Any) -> Inference:
        """Return what of a trained network is used elsewhere: what `renga export` writes as ONNX.

        Args:
            target: The trained link, in test mode.
            batch: What the converter has made of examples, labels included.

        Raises:
            RengaError: The task does not tell.
        """
        raise RengaError(
            f"task {type(self).__name__} does not say which inputs and outputs a trained network has.\n"
            "Next: define its method inference(target, batch) (docs/how-to/write-a-task.md)."
        )

    def generate(self, target: Link, prompt: str | None, number: int) -> Any:
        """Return something new that a trained network makes: text, or images ``(number, channels, height, width)``.

        Args:
            target: The trained link, in test mode.
            prompt: What it begins with, for text; None where nothing was given.
            number: How many images, or how many characters.

        Raises:
            RengaError: Networks of this task generate nothing.
        """
        raise RengaError(f"a network of task {type(self).__name__} makes nothing by itself: name files to read")

    def samples(self, target: Link, examples: Sequence[Any]) -> Any:
        """Return what is to be looked at while training goes on: text, images ``(N, C, H, W)``, or None: nothing.

        Args:
            target: The link that is trained, in test mode.
            examples: The first of the test data.
        """
        return None
