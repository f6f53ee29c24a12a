"""Keys: the names, or the numbers, of the elements of an example.

A data set has one key if an example is a single element, otherwise a tuple of keys. A key is a name, or None for an
element without a name; its index then selects the element.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Key", "Keys", "as_tuple", "key_index", "key_indices"]

Key = str | int | None
Keys = Key | tuple[Key, ...]


def as_tuple(keys: Keys | list[Key]) -> tuple[Key, ...]:
    """Return keys as a tuple, given a tuple, a list, or one key."""
    return tuple(keys) if isinstance(keys, (tuple, list)) else (keys,)


def key_index(key: Any, keys: tuple[Key, ...]) -> int:
    """Return the position of a key, given its name or its index; negative indexes count from the end.

    Raises:
        KeyError: No element has this name.
        IndexError: The index is out of range.
    """
    if isinstance(key, (int, np.integer)):
        if not -len(keys) <= key < len(keys):
            raise IndexError(f"element {key} of an example with {len(keys)}: {_listed(keys)}")
        return int(key) % len(keys)
    if key is None or key not in keys:
        raise KeyError(f"no element {key!r}; there are {_listed(keys)}")
    return keys.index(key)


def key_indices(chosen: Any, keys: Keys) -> tuple[int, ...] | int:
    """Return the positions of a tuple or list of keys, or the position of one key. For errors, see `key_index`."""
    known = as_tuple(keys)
    if isinstance(chosen, (tuple, list)):
        return tuple(key_index(key, known) for key in chosen)
    return key_index(chosen, known)


def _listed(keys: tuple[Key, ...]) -> str:
    return ", ".join("(without a name)" if key is None else repr(key) for key in keys) or "none"
