"""Saving and loading for kits, by the public names of `renga.serializers`, because kits import no plugin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from renga_core.kinds import NAMESPACE
from renga_core.plugin import Namespace, RengaPluginError, registry
from renga_core.plugin.provider import resolve
from renga_core.serializers import Serializable

__all__ = ["copy_state", "load_state", "saved_state"]


def saved_state(obj: Serializable) -> dict[str, np.ndarray[Any, Any]]:
    """Return the saved values of `obj` by path, as host copies. Raises TypeError for a value that cannot be saved."""
    serializer = _public("DictionarySerializer")()
    obj.serialize(serializer)
    return {path: np.array(value) for path, value in serializer.target.items()}


def load_state(state: Mapping[str, np.ndarray[Any, Any]], target: Serializable) -> None:
    """Load the result of `saved_state` into `target`."""
    target.serialize(_public("NpzDeserializer")(state))


def copy_state(source: Serializable, target: Serializable) -> None:
    """Copy the saved state of `source` into `target`."""
    load_state(saved_state(source), target)


def _public(name: str) -> Any:
    """Return the object with this name in `renga.serializers`."""
    for offer, _ in registry(NAMESPACE).list():
        space = offer.provider
        if isinstance(space, Namespace) and space.name == "renga.serializers":
            for home, names in space.names.items():
                if name in names.split():
                    return resolve(f"{home}:{name}")
    raise RengaPluginError(f"kits save and load by renga.serializers.{name}; no loaded plugin has it")
