"""`GenericMultiNodeEvaluator`: metrics that are not means over parts."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import zip_longest
from typing import Any

from renga_core.backend import Device
from renga_core.communicator import CommunicatorBase
from renga_core.configuration import using_config
from renga_core.dataset import Iterator
from renga_core.graph import no_backprop_mode
from renga_core.training import PRIORITY_WRITER, Extension, TrainerLike
from renga_data.convert import concat_examples
from renga_training.extensions.evaluator import from_the_start
from renga_training.updaters.parts import call, converted

__all__ = ["GenericMultiNodeEvaluator"]

_NOTHING = object()


class GenericMultiNodeEvaluator(Extension):
    """Calls `calc_local` for each batch on each rank, then `aggregate` on one rank with all results.

    Use it for metrics that are not means over examples, such as average precision in detection, which need the outputs
    for all examples in one place. A subclass defines the two methods; `aggregate` may report its results or return
    them. The model runs in test mode (``config.train`` is False) and builds no graph. Parts of the data may differ in
    length, so call `scatter_dataset` with ``force_equal_length=False``.

    Args:
        comm: The communicator; None for one process.
        iterator: Iterates once over this rank's part (``repeat=False``).
        target: The model.
        device: Device for the batches; None: leave examples where they are.
        converter: Makes arrays from a batch: ``converter(batch, device)``.
        root: The rank that aggregates.
        progress_hook: Called on rank `root` after each of its batches.

    Raises:
        ValueError: There is no rank `root`.

    Source: ChainerMN's documentation of this class.
    """

    trigger = (1, "epoch")
    priority = PRIORITY_WRITER

    def __init__(
        self,
        comm: CommunicatorBase | None,
        iterator: Iterator,
        target: Any,
        device: Device | str | None = None,
        converter: Callable[..., Any] = concat_examples,
        root: int = 0,
        *,
        progress_hook: Callable[[list[Any]], object] | None = None,
    ) -> None:
        if not 0 <= root < (1 if comm is None else comm.size):
            raise ValueError(f"there is no rank {root} to aggregate on")
        self.comm = comm
        self.iterator = iterator
        self.device = device
        self.converter = converter
        self.root = root
        self._targets = {"main": target}
        self._progress_hook = progress_hook

    @property
    def default_name(self) -> str:
        """``"validation"``."""
        return "validation"

    def __call__(self, trainer: TrainerLike | None = None) -> Any:
        """Evaluate; called on every rank.

        Returns:
            The result of `aggregate` on rank `root`; None on the others.
        """
        here = self.comm is None or self.comm.rank == self.root
        results = []
        with self._mode(), no_backprop_mode():
            for batch in from_the_start(self.iterator):
                results.append(call(self.calc_local, converted(self.converter, batch, self.device)))
                if here and self._progress_hook is not None:
                    self._progress_hook(batch)
        gathered = [results] if self.comm is None else self.comm.gather_obj(results, self.root)
        if gathered is None:
            return None
        rounds = zip_longest(*gathered, fillvalue=_NOTHING)
        return self.aggregate([result for each in rounds for result in each if result is not _NOTHING])

    def _mode(self) -> AbstractContextManager[None]:
        """The context in which the model runs."""
        return using_config("train", False)

    def calc_local(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the results for one batch; override it. By default, call the model.

        Args:
            args: The converter's result, if it is a tuple or a single object.
            kwargs: The converter's result, if it is a dictionary.

        Returns:
            Any object that can be pickled.
        """
        return self._targets["main"](*args, **kwargs)

    def aggregate(self, results: list[Any]) -> Any:
        """Combine the results of all batches; override it. By default, return them.

        It is called once per evaluation, on rank `root`, where it may report values.

        Args:
            results: Results of `calc_local`: for the first batch of rank 0, of rank 1 …, then for the second batches,
                and so on.
        """
        return results

    def finalize(self) -> None:
        """Finalize the iterator."""
        self.iterator.finalize()
