"""Methods and attributes that Renga's classes get while `renga_chainer` is installed.

Programs of Chainer's hold Renga's own Variables and Links, so that what they expect of them has to be put there.
"""

from __future__ import annotations

from typing import Any

from renga_chainer import configuration
from renga_chainer.additions import (
    computational_graph,
    device,
    distributions,
    function_node,
    initial_weights,
    invalid_type,
    iterator_snapshot,
    labels,
    link,
    link_loading,
    lstm,
    old_arguments,
    operators,
    optimizers,
    order_sampler,
    pretrained_classifier,
    processes,
    sequential,
    summary,
    tabular,
    text,
    update_rule,
    variable,
    walker_alias,
)

__all__ = ["install", "uninstall"]

_ADDITIONS: list[tuple[Any, str, Any]] = [
    *configuration.ADDITIONS,
    *computational_graph.ADDITIONS,
    *device.ADDITIONS,
    *distributions.ADDITIONS,
    *function_node.ADDITIONS,
    *initial_weights.ADDITIONS,
    *invalid_type.ADDITIONS,
    *iterator_snapshot.ADDITIONS,
    *link_loading.ADDITIONS,
    *labels.ADDITIONS,
    *link.ADDITIONS,
    *lstm.ADDITIONS,
    *old_arguments.ADDITIONS,
    *operators.ADDITIONS,
    *optimizers.ADDITIONS,
    *order_sampler.ADDITIONS,
    *pretrained_classifier.ADDITIONS,
    *processes.ADDITIONS,
    *sequential.ADDITIONS,
    *summary.ADDITIONS,
    *tabular.ADDITIONS,
    *text.ADDITIONS,
    *update_rule.ADDITIONS,
    *variable.ADDITIONS,
    *walker_alias.ADDITIONS,
]
"""Class (or module), name, value."""
_before: list[tuple[Any, str, Any]] = []
_ABSENT = object()


def install() -> None:
    """Put all there."""
    for cls, name, value in _ADDITIONS:
        # What a class derives from is not in its own dictionary.
        before = cls.__bases__ if name == "__bases__" else cls.__dict__.get(name, _ABSENT)
        _before.append((cls, name, before))
        setattr(cls, name, value)


def uninstall() -> None:
    """Put things back as they were."""
    while _before:
        cls, name, value = _before.pop()
        if value is _ABSENT:
            delattr(cls, name)
        else:
            setattr(cls, name, value)
