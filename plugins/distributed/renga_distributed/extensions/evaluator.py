"""Means over a validation set that is divided among ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from renga_core.backend import to_host
from renga_core.communicator import CommunicatorBase
from renga_serializers.npz import DictionarySerializer, NpzDeserializer
from renga_training.extensions import Evaluator
from renga_training.summary import DictSummary

__all__ = ["create_multi_node_evaluator"]


def create_multi_node_evaluator(actual_evaluator: Any, communicator: CommunicatorBase) -> Any:
    """Let an evaluator report means over the examples of all ranks. Every rank calls this, and later the evaluator.

    The evaluator's own `evaluate` computes results for this rank's part; they are combined with those of the other
    ranks, and every rank reports the same.

    - `Evaluator`, and subclasses that do not override `evaluate`: the result is the mean over all examples, as a single
      process would compute it, whatever the lengths of the parts. Parts may be empty, and ranks may report different
      keys, as parts of a model do.
    - Other evaluators: the result of their `evaluate`, a nested structure of dictionaries, lists, numbers and arrays,
      is averaged entry by entry. A rank's weight is the number of examples in the data set of its main iterator. If
      this is unknown on some rank, all ranks have the same weight, as in ChainerMN. This is right only for means over
      examples. For other metrics, such as average precision in detection, use `GenericMultiNodeEvaluator`.

    Args:
        actual_evaluator: The evaluator; its `evaluate` is replaced.
        communicator: The communicator.

    Returns:
        The evaluator.

    Raises:
        ValueError: From the evaluator: results of ranks have different structures or shapes; raised on every rank.

    Source: ChainerMN's documentation, *Step 2: Datasets and Evaluators*.
    """
    evaluator = actual_evaluator
    own: Callable[[], Any] = evaluator.evaluate
    plain = getattr(own, "__func__", None) is Evaluator.evaluate

    def evaluate() -> Any:
        if plain:
            return _sum_up(evaluator.summarize(), communicator).compute_mean()
        found = communicator.allgather_obj((_on_host(own()), _examples(evaluator)))
        # A rank without examples has no results, or a mean of nothing.
        values, sizes = zip(*([one for one in found if one[1] != 0] or found), strict=True)
        return _average(values, np.ones(len(sizes)) if None in sizes or 0 in sizes else np.array(sizes, np.float64))

    evaluator.evaluate = evaluate
    return evaluator


def _sum_up(mine: DictSummary, communicator: CommunicatorBase) -> DictSummary:
    """The summary of everything added on any rank, summed in the order of ranks."""
    saved: dict[str, Any] = {}
    DictionarySerializer(saved).save(mine)  # this copies the sums to the host
    total = DictSummary()
    for each in communicator.allgather_obj(saved):
        summary = DictSummary()
        NpzDeserializer(each).load(summary)
        total.merge(summary)
    return total


def _examples(evaluator: Any) -> int | None:
    """The number of examples of a third party's evaluator; None if unknown."""
    try:
        return len(evaluator.get_iterator("main").dataset)
    except (AttributeError, KeyError, TypeError):
        return None


def _on_host(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _on_host(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_on_host(item) for item in value]
    value = getattr(value, "array", value)
    return to_host(value) if hasattr(value, "shape") else value


def _average(values: Sequence[Any], weights: Any) -> Any:
    """The mean of the ranks' results, entry by entry; a missing entry is averaged over the ranks that have it."""
    kinds = {type(value) if isinstance(value, (dict, list)) else None for value in values}
    if kinds == {dict}:
        keys = dict.fromkeys(key for value in values for key in value)
        having = {key: [rank for rank, value in enumerate(values) if key in value] for key in keys}
        return {key: _average([values[r][key] for r in ranks], weights[ranks]) for key, ranks in having.items()}
    if kinds == {list} and len({len(value) for value in values}) == 1:
        return [_average(entries, weights) for entries in zip(*values, strict=True)]
    if kinds != {None}:
        raise ValueError(f"evaluators of ranks return results with different structures: {values}")
    return np.average(np.stack(values), axis=0, weights=weights)
