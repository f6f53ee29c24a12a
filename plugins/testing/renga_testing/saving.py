"""What kits save and load by: kits know no plugin, so these are the public names of `renga.serializers`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from renga_core.plugin import PublicModule
from renga_core.serializers import Serializable

__all__ = ["copy_state", "load_state", "saved_state"]

_serializers = PublicModule("renga.serializers")


def saved_state(obj: Serializable) -> dict[str, np.ndarray[Any, Any]]:
    """What `obj` saves, by path; copies, on the host. Raises TypeError if it has a value that cannot be stored."""
    serializer = _serializers.load("DictionarySerializer")()
    obj.serialize(serializer)
    return {path: np.array(value) for path, value in serializer.target.items()}


def load_state(state: Mapping[str, np.ndarray[Any, Any]], target: Serializable) -> None:
    """Have `target` load what `saved_state` returned."""
    target.serialize(_serializers.load("NpzDeserializer")(state))


def copy_state(source: Serializable, target: Serializable) -> None:
    """Have `target` be what `source` is, as far as that is saved."""
    load_state(saved_state(source), target)
