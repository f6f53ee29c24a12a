"""``chainermn.extensions``."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from renga import distributed
from renga_core.communicator import CommunicatorBase

__all__ = [
    "GenericMultiNodeEvaluator",
    "MultiNodeEarlyStoppingTrigger",
    "create_multi_node_evaluator",
    "multi_node_snapshot",
]

multi_node_snapshot = distributed.multi_node_snapshot


class GenericMultiNodeEvaluator(distributed.GenericMultiNodeEvaluator):
    """Like Renga's, but the model runs in the program's current mode, as in ChainerMN, not in test mode."""

    default_name = "validation"  # also an attribute of the class

    def _mode(self) -> AbstractContextManager[None]:
        return nullcontext()


class MultiNodeEarlyStoppingTrigger(distributed.MultiNodeEarlyStoppingTrigger):
    """Like Renga's; `patients` is Chainer's other name for `patience`.

    Raises:
        TypeError: Both were given.
    """

    def __init__(
        self,
        comm: CommunicatorBase,
        *,
        check_trigger: Any = (1, "epoch"),
        monitor: str = "main/loss",
        patience: int | None = None,
        mode: Any = "auto",
        verbose: bool = False,
        max_trigger: Any = (100, "epoch"),
        suffix: str = "_aggregated",
        patients: int | None = None,
    ) -> None:
        if patience is not None and patients is not None:
            raise TypeError("patience and patients are the same: specify only patience")
        super().__init__(
            comm,
            check_trigger=check_trigger,
            monitor=monitor,
            patience=next((given for given in (patience, patients) if given is not None), 3),
            mode=mode,
            verbose=verbose,
            max_trigger=max_trigger,
            suffix=suffix,
        )


def create_multi_node_evaluator(actual_evaluator: Any, communicator: CommunicatorBase) -> Any:
    """Return the evaluator itself. From now on its results are means over all ranks, with equal weights."""
    evaluate = actual_evaluator.evaluate

    def mean_over_ranks() -> dict[str, Any]:
        found = sorted(evaluate().items())
        return {name: communicator.allreduce_obj(value) / communicator.size for name, value in found}

    actual_evaluator.evaluate = mean_over_ranks
    return actual_evaluator
