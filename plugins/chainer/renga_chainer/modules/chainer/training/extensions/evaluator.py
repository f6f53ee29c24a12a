"""``Evaluator``: the mean over batches, with equal weights."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from renga_chainer.modules.chainer.dataset.convert import call_converter
from renga_core.backend import Device, get_device
from renga_core.configuration import using_config
from renga_core.graph import no_backprop_mode
from renga_core.reporter import Reporter, report, report_scope
from renga_core.serializers import AbstractSerializer
from renga_core.training import PRIORITY_WRITER
from renga_data.convert import concat_examples
from renga_data.iterators.ordered import OrderedIterator
from renga_training.extensions import Evaluator as RengaEvaluator
from renga_training.summary import DictSummary
from renga_training.updaters.parts import call

__all__ = ["Evaluator"]


class Evaluator(RengaEvaluator):
    """Evaluates models on a data set, without training and without graphs, and reports the mean over batches.

    Args:
        iterator: Iterator that visits the data set once, or a dictionary of iterators with the key ``"main"``.
        target: A link, or a dictionary of links.
        converter, device: See `StandardUpdater`.
        eval_hook: Called with this extension before each evaluation.
        eval_func: Called with the arrays of a batch; the target if None.
        progress_bar: Has no effect.
    """

    trigger = (1, "epoch")
    default_name = "validation"
    priority = PRIORITY_WRITER
    name = None

    def __init__(
        self,
        iterator: Any,
        target: Any,
        converter: Callable[..., Any] = concat_examples,
        device: Any = None,
        eval_hook: Callable[[Any], object] | None = None,
        eval_func: Callable[..., Any] | None = None,
        *,
        progress_bar: bool = False,
    ) -> None:
        self._iterators = iterator if isinstance(iterator, Mapping) else {"main": iterator}  # type: ignore[assignment]  # the program's own
        self._targets = target if isinstance(target, Mapping) else {"main": target}  # type: ignore[assignment]  # as above
        self.converter = converter
        self.device: Device | None = None if device is None else get_device(device)
        self.eval_hook = eval_hook
        self.eval_func = eval_func
        for key, each in self._iterators.items():
            if isinstance(each, OrderedIterator) and each.repeat:
                warnings.warn(
                    f"The `repeat` property of the iterator {key} is set to `True`: the evaluation would not end. "
                    "Next: create the iterator with repeat=False",
                    stacklevel=2,
                )

    def get_iterator(self, name: str) -> Any:
        """The iterator with this name."""
        return self._iterators[name]

    def get_all_iterators(self) -> dict[str, Any]:
        """All iterators by name."""
        return dict(self._iterators)

    def get_target(self, name: str) -> Any:
        """The link with this name."""
        return self._targets[name]

    def get_all_targets(self) -> dict[str, Any]:
        """All links by name."""
        return dict(self._targets)

    def __call__(self, trainer: Any = None) -> dict[str, Any]:
        """Evaluate, report the means and return them."""
        prefix = "" if self.name is None else self.name + "/"
        reporter = Reporter()
        for name, target in self._targets.items():
            reporter.add_observer(prefix + name, target)
            reporter.add_observers(prefix + name, target.namedlinks(skipself=True))
        with reporter, using_config("train", False):
            result: dict[str, Any] = self.evaluate()
        report(result)
        return result

    def evaluate(self) -> dict[str, Any]:
        """Return the means over the batches of the main iterator. Programs may override it."""
        iterator = self._iterators["main"]
        eval_func = self.eval_func or self._targets["main"]
        if self.eval_hook:
            self.eval_hook(self)
        if hasattr(iterator, "reset"):
            iterator.reset()
        else:
            warnings.warn(
                "This iterator does not have the reset method. Evaluator copies the iterator instead of resetting.",
                DeprecationWarning,
                stacklevel=2,
            )
            iterator = copy.copy(iterator)
        summary = DictSummary()
        for batch in iterator:
            observation: dict[str, Any] = {}
            with report_scope(observation):
                arrays = call_converter(self.converter, batch, self.device)
                with no_backprop_mode():
                    call(eval_func, arrays)
            summary.add(observation)
        return summary.compute_mean()

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Do nothing."""

    def finalize(self) -> None:
        """Finalize the iterators, if there are any: a subclass may have none."""
        for iterator in getattr(self, "_iterators", {}).values():
            iterator.finalize()
