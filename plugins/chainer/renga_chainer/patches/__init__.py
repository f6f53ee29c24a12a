"""Methods and attributes that `renga_chainer` adds to Renga's classes, for code that uses Chainer.

Programs for Chainer use Renga's own Variables and Links, so Chainer's attributes are added to these classes. Each is an
`Either` (see `scope`): the calling code decides whether it sees Chainer's attribute or Renga's.
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
    n_step,
    old_arguments,
    operators,
    optimizers,
    order_sampler,
    pretrained_classifier,
    processes,
    refusals,
    resnet,
    sequential,
    single_sample,
    spectral_normalization,
    summary,
    tabular,
    text,
    update_rule,
    variable,
    walker_alias,
    windows,
)
from renga_chainer.scope import ABSENT, either

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
    *n_step.ADDITIONS,
    *old_arguments.ADDITIONS,
    *operators.ADDITIONS,
    *optimizers.ADDITIONS,
    *order_sampler.ADDITIONS,
    *pretrained_classifier.ADDITIONS,
    *processes.ADDITIONS,
    *refusals.ADDITIONS,
    *resnet.ADDITIONS,
    *sequential.ADDITIONS,
    *single_sample.ADDITIONS,
    *spectral_normalization.ADDITIONS,
    *summary.ADDITIONS,
    *tabular.ADDITIONS,
    *text.ADDITIONS,
    *update_rule.ADDITIONS,
    *variable.ADDITIONS,
    *walker_alias.ADDITIONS,
    *windows.ADDITIONS,
    *deprecations.ADDITIONS,  # they wrap attributes that others above have added
]
"""Class (or module), name, value."""
_BASES = ("__bases__",)
"""Changes for all code, because they cannot differ by caller. Renga's `InvalidType` becomes one of Chainer's errors."""
_NAMES = ("__name__",)
"""Additions that only Chainer's code uses, or that cannot differ by caller."""
_OPERATORS = ("__floordiv__", "__rfloordiv__")
"""Special methods that Python looks up in the class, and that Renga's `Variable` lacks."""
_before: list[tuple[Any, str, Any]] = []


def install(*, everywhere: bool = False) -> None:
    """Apply all patches: for code that uses Chainer, or for all code."""
    last = {(id(holder), name): (holder, name, value) for holder, name, value in _PATCHES}
    for holder, name, value in _PATCHES if everywhere else last.values():
        if name in _BASES or (everywhere and name in _NAMES):
            before = getattr(holder, name)  # inherited by the class
        elif name in _NAMES:
            continue
        else:
            before = vars(holder).get(name, ABSENT)
            if not everywhere:
                value = either(holder, name, value, operators.undefined if name in _OPERATORS else before)
        _before.append((holder, name, before))
        setattr(holder, name, value)


def uninstall() -> None:
    """Undo all patches."""
    while _before:
        holder, name, value = _before.pop()
        if value is ABSENT:
            delattr(holder, name)
        else:
            setattr(holder, name, value)
