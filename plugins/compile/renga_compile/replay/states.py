"""States of links: arrays that a step finds in attributes of links, and replaces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from renga_core.graph import Variable

__all__ = ["States"]


class States:
    """The attributes of links that must look in a replay as they did when the step was recorded."""

    def __init__(self) -> None:
        self._attributes: list[tuple[dict[str, Any], str, Any]] = []

    def watch(self, own: dict[str, Any], key: str) -> None:
        """Expect a state that looks as it does now.

        Args:
            own: Attributes of a link.
            key: The name of one.
        """
        self._attributes.append((own, key, _look(own[key])))

    def watch_unset(self, attributes: Iterable[tuple[dict[str, Any], str]]) -> None:
        """Expect None: the step sets these attributes, and may do another thing where they are set before."""
        self._attributes += [(own, key, None) for own, key in attributes]

    def are_there(self) -> bool:
        """Whether all look as expected: a program may take a state away between two calls."""
        return all(_look(own.get(key)) == look for own, key, look in self._attributes)


def _look(state: Any) -> Any:
    """What must be the same: None, or how the array lies in memory; False of anything else."""
    if state is None:
        return None
    if type(state) is not Variable or state.creator_node is not None or type(state._array) is not np.ndarray:
        return False
    return state._array.shape, state._array.dtype, state._array.strides
