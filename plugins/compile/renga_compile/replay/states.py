"""States of links: arrays that a step finds in attributes of links, and replaces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from renga_core.graph import Variable

__all__ = ["States"]


class States:
    """The attributes of links that must be in the same state in a replay as during recording."""

    def __init__(self) -> None:
        self._attributes: list[tuple[dict[str, Any], str, Any]] = []

    def watch(self, own: dict[str, Any], key: str) -> None:
        """Expect a state of the present form.

        Args:
            own: Attributes of a link.
            key: The name of one.
        """
        self._attributes.append((own, key, _look(own[key])))

    def watch_unset(self, attributes: Iterable[tuple[dict[str, Any], str]]) -> None:
        """Expect None: the step sets these attributes, and may behave differently if they are already set."""
        self._attributes += [(own, key, None) for own, key in attributes]

    def are_there(self) -> bool:
        """Whether all are as expected: a program may reset a state between two calls."""
        return all(_look(own.get(key)) == look for own, key, look in self._attributes)


def _look(state: Any) -> Any:
    """The property that must be equal: None, or the memory layout of the array; False for other values."""
    if state is None:
        return None
    if type(state) is not Variable or state.creator_node is not None or type(state._array) is not np.ndarray:
        return False
    return state._array.shape, state._array.dtype, state._array.strides
