"""`Evaluator`: means over a validation data set."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from renga_core.backend import Device
from renga_core.configuration import using_config
from renga_core.dataset import Iterator
from renga_core.graph import no_backprop_mode
from renga_core.reporter import Reporter, report, report_scope
from renga_core.serializers import AbstractSerializer
from renga_core.training import PRIORITY_WRITER, Extension, TrainerLike
from renga_data.convert import concat_examples
from renga_training.extensions.moving_average import averaged
from renga_training.summary import DictSummary
from renga_training.updaters.parts import call, converted, on_device

__all__ = ["Evaluator", "from_the_start"]


class Evaluator(Extension):
    """Calls the model on each batch of a validation set, and reports the means of the values it reports.

    The model runs in test mode (``config.train`` is False) and builds no graph. Each *example* has the same weight in a
    mean: a batch is weighted by its number of examples (Chainer gave a short last batch the weight of a full one). A
    value reported as a pair ``(value, weight)`` has that weight.

    In a trainer, names begin with the extension's name: ``validation/main/loss``. It can also be called without a
    trainer.

    Args:
        iterator: Iterates once over the data (``repeat=False``); or a dictionary of iterators, of which ``"main"`` is
            used.
        target: The model; or a dictionary of models, of which ``"main"`` is used. All may report.
        converter: Makes arrays from a batch: ``converter(batch, device)``.
        device: Device for the batches; None: leave examples where they are.
        eval_hook: Called with the evaluator before each evaluation.
        eval_func: Called with the arrays of each batch; None: the main model.
    """

    trigger = (1, "epoch")
    priority = PRIORITY_WRITER

    def __init__(
        self,
        iterator: Iterator | Mapping[str, Iterator],
        target: Any,
        converter: Callable[..., Any] = concat_examples,
        device: Device | str | None = None,
        eval_hook: Callable[[Evaluator], object] | None = None,
        eval_func: Callable[..., Any] | None = None,
    ) -> None:
        self._iterators = dict(iterator) if isinstance(iterator, Mapping) else {"main": iterator}
        self._targets = dict(target) if isinstance(target, Mapping) else {"main": target}
        self.converter = converter
        self.device = device
        self.eval_hook = eval_hook
        self.eval_func = eval_func

    @property
    def default_name(self) -> str:
        """``"validation"``."""
        return "validation"

    def get_iterator(self, name: str) -> Iterator:
        """The iterator with this name; a single iterator is named ``"main"``."""
        return self._iterators[name]

    def get_target(self, name: str) -> Any:
        """The model with this name; a single model is named ``"main"``."""
        return self._targets[name]

    def __call__(self, trainer: TrainerLike | None = None) -> dict[str, Any]:
        """Evaluate, and report the means to the current reporter.

        Returns:
            The means by name.
        """
        prefix = "" if self.name is None else self.name + "/"
        reporter = Reporter()
        for name, target in self._targets.items():
            reporter.add_observer(prefix + name, target)
            reporter.add_observers(prefix + name, target.namedlinks(skipself=True))
        with reporter, using_config("train", False), no_backprop_mode(), averaged(trainer):
            means = self.complete(self.evaluate())
        report(means)
        return means

    def evaluate(self) -> dict[str, Any]:
        """Iterate once over the data. Override it to change the evaluation.

        Returns:
            The mean of each reported value, by name.
        """
        return self.summarize().compute_mean()

    def complete(self, means: dict[str, Any]) -> dict[str, Any]:
        """Return the values to report, given the means. Override it to add values that are not means over examples.

        If several processes evaluate, the means are over the examples of all processes.
        """
        return means

    def summarize(self) -> DictSummary:
        """Iterate once over the data, and sum up each reported value; `evaluate` makes means of the sums."""
        if self.eval_hook is not None:
            self.eval_hook(self)
        function = self.eval_func or self._targets["main"]
        summary = DictSummary()
        for batch in from_the_start(self._iterators["main"]):
            size = len(batch)
            if size == 0:  # if ranks share batches, a small last batch is empty on some ranks
                continue
            observation: dict[str, Any] = {}
            with report_scope(observation), on_device(self.device):
                call(function, converted(self.converter, batch, self.device))
            summary.add({k: v if isinstance(v, tuple) else (v, size) for k, v in observation.items()})
        return summary

    def finalize(self) -> None:
        """Finalize the iterators; there are none if a subclass did not call `Evaluator.__init__`."""
        for iterator in getattr(self, "_iterators", {}).values():
            iterator.finalize()

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the iterators, because an iterator that shuffles has a random state."""
        for name, iterator in self._iterators.items():
            iterator.serialize(serializer["iterator:" + name])


def from_the_start(iterator: Iterator) -> Iterator:
    """Return the iterator, reset to its start if possible; otherwise a copy, so that it can be used again."""
    reset = getattr(iterator, "reset", None)
    if reset is None:
        return copy.copy(iterator)
    reset()
    return iterator
