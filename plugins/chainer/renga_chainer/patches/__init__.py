"""Methods and attributes that Renga's classes get while `renga_chainer` is installed.

Programs of Chainer's hold Renga's own Variables and Links, so that what they expect of them has to be put there.
"""

from __future__ import annotations

from typing import Any

from renga_chainer import configuration
from renga_chainer.patches import (
    attributes,
    computational_graph,
    dataset_mixin,
    decorrelated,
    deprecations,
    device,
    distributions,
    function_attributes,
    function_node,
    indices,
    initial_weights,
    initialize_params,
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
    refusals,
    sequential,
    single_sample,
    spectral_normalization,
    summary,
    tabular,
    text,
    update_rule,
    variable,
    walker_alias,
)

__all__ = ["install", "uninstall"]

_PATCHES: list[tuple[Any, str, Any]] = [
    *configuration.ADDITIONS,
    *attributes.ADDITIONS,
    *computational_graph.ADDITIONS,
    *dataset_mixin.ADDITIONS,
    *decorrelated.ADDITIONS,
    *device.ADDITIONS,
    *distributions.ADDITIONS,
    *function_attributes.ADDITIONS,
    *function_node.ADDITIONS,
    *indices.ADDITIONS,
    *initial_weights.ADDITIONS,
    *initialize_params.ADDITIONS,
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
    *refusals.ADDITIONS,
    *sequential.ADDITIONS,
    *single_sample.ADDITIONS,
    *spectral_normalization.ADDITIONS,
    *summary.ADDITIONS,
    *tabular.ADDITIONS,
    *text.ADDITIONS,
    *update_rule.ADDITIONS,
    *variable.ADDITIONS,
    *walker_alias.ADDITIONS,
    *deprecations.ADDITIONS,  # of what others above have put there
]
"""Class (or module), name, value."""
_before: list[tuple[Any, str, Any]] = []
_ABSENT = object()


def install() -> None:
    """Put all there."""
    for cls, name, value in _PATCHES:
        # What a class derives from, and what it is called, is not in its own dictionary.
        before = getattr(cls, name) if name in ("__bases__", "__name__") else cls.__dict__.get(name, _ABSENT)
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
