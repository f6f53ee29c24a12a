"""``chainermn.extensions``."""

from __future__ import annotations

from typing import Any

from renga_core.communicator import CommunicatorBase

__all__ = ["create_multi_node_evaluator"]


def create_multi_node_evaluator(actual_evaluator: Any, communicator: CommunicatorBase) -> Any:
    """The evaluator itself, whose results are means over all ranks from now on; each rank counts alike."""
    evaluate = actual_evaluator.evaluate

    def mean_over_ranks() -> dict[str, Any]:
        found = sorted(evaluate().items())
        return {name: communicator.allreduce_obj(value) / communicator.size for name, value in found}

    actual_evaluator.evaluate = mean_over_ranks
    return actual_evaluator
