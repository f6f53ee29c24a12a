"""Keep the state that an attempt changes before its commit, so that it can be repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from renga_core.backend import Array, is_array, is_floating, to_host
from renga_core.dataset import Iterator
from renga_core.graph import Parameter
from renga_core.link import Link
from renga_data.iterators.ordered import OrderedIterator
from renga_distributed.links import MultiNodeBatchNormalization
from renga_distributed.recovery.memory import saved

__all__ = [
    "Links",
    "Undo",
    "attributes",
    "contents",
    "iterators_of",
    "nothing",
    "on_host",
    "optimizer_state",
    "plain",
    "position",
    "serialized",
]

Undo = Callable[[], None]


def attributes(obj: Any) -> Undo:
    """Keep the attributes of an object, but not the objects they refer to."""
    before = dict(vars(obj))

    def undo() -> None:
        vars(obj).clear()
        vars(obj).update(before)

    return undo


def iterators_of(updater: Any) -> list[Iterator]:
    """Return the iterators in an updater's attributes, or in dictionaries among its attributes."""
    found: dict[int, Iterator] = {}
    for value in vars(updater).values():
        for each in value.values() if isinstance(value, Mapping) else (value,):
            if isinstance(each, Iterator):
                found[id(each)] = each
    return list(found.values())


def position(iterator: Any) -> Undo:
    """Keep the position of an iterator. Restoring also drops prefetched batches, which belong to another share."""
    if isinstance(iterator, OrderedIterator):
        state = iterator.state

        def undo() -> None:
            iterator.state = state

        return undo
    before = saved(iterator)
    return lambda: iterator.serialize(before)


class Links:
    """Keeps the attributes and the persistent values of trees of links; their parameters are not touched.

    Args:
        roots: Roots of the trees.
    """

    def __init__(self, roots: Iterable[Link]) -> None:
        self._links = {id(link): link for root in roots for link in root.links()}
        self._attributes = [attributes(link) for link in self._links.values()]
        self._arrays: list[tuple[Link, Array, Array]] = []
        for link in self._links.values():
            for name in sorted(link._persistent):
                value = vars(link)[name]
                if is_array(value):
                    self._arrays.append((link, value, value.copy()))

    def undo(self) -> None:
        """Restore the values."""
        for undo in self._attributes:
            undo()
        for _, array, before in self._arrays:
            array[...] = before

    def changes(self) -> list[tuple[Array, Array]]:
        """Floating persistent arrays that each rank computes by itself, as running means: now, and as they were."""
        return [
            (array, before)
            for link, array, before in self._arrays
            if is_floating(array.dtype) and not isinstance(link, MultiNodeBatchNormalization)
        ]


def plain(optimizer: Any) -> Any:
    """Return the optimizer itself, or the one inside a multi-node optimizer."""
    return getattr(optimizer, "actual_optimizer", optimizer)


def optimizer_state(optimizer: Any) -> Undo:
    """Keep the parameters of an optimizer's target, and the optimizer's state."""
    undo = [attributes(optimizer)]
    if (hyperparam := getattr(optimizer, "hyperparam", None)) is not None:
        undo.append(attributes(hyperparam))
    if (scale := optimizer._dynamic_loss_scale) is not None:
        undo.append(attributes(scale))
    undo += [_parameter(param) for param in optimizer.target.params()]

    def restore() -> None:
        for each in undo:
            each()

    return restore


def _parameter(param: Parameter) -> Undo:
    array = param.array
    rule: Any = param.update_rule
    before = None if array is None else array.copy()
    known = None if rule is None else attributes(rule)
    state = None if rule is None or rule._state is None else _copied(rule._state)
    wide = None if rule is None or rule._fp32_param is None else rule._fp32_param.array.copy()

    def undo() -> None:
        if array is not None:
            array[...] = before
            param.array = array
        if known is not None:
            known()
            rule._state = None if state is None else _copied(state)
            if rule._fp32_param is not None:
                rule._fp32_param.array[...] = wide

    return undo


def _copied(state: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value.copy() if is_array(value) else value for name, value in state.items()}


def nothing() -> Undo:
    """Undo nothing."""
    return lambda: None


def serialized(obj: Any) -> Undo:
    """Keep the serialized state of an object; a trigger may be a function without state."""
    if not hasattr(obj, "serialize"):
        return lambda: None
    before = saved(obj)
    return lambda: obj.serialize(before)


def contents(mapping: dict[str, Any]) -> Undo:
    """Keep the entries of a dictionary."""
    before = dict(mapping)

    def undo() -> None:
        mapping.clear()
        mapping.update(before)

    return undo


def on_host(value: Any) -> Any:
    """Convert an observed value for sending to another process."""
    array = getattr(value, "array", value)
    return to_host(array) if hasattr(array, "ndim") else array
