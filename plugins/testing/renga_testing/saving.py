"""What kits save and load by: kits know no plugin, so these are the public names of `renga.serializers`."""

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
    """What `obj` saves, by path; copies, on the host. Raises TypeError if it has a value that cannot be stored."""
    serializer = _public("DictionarySerializer")()
    obj.serialize(serializer)
    return {path: np.array(value) for path, value in serializer.target.items()}


def load_state(state: Mapping[str, np.ndarray[Any, Any]], target: Serializable) -> None:
    """Have `target` load what `saved_state` returned."""
    target.serialize(_public("NpzDeserializer")(state))


def copy_state(source: Serializable, target: Serializable) -> None:
    """Have `target` be what `source` is, as far as that is saved."""
    load_state(saved_state(source), target)


def _public(name: str) -> Any:
    """What stands in `renga.serializers` under this name."""
    for offer, _ in registry(NAMESPACE).list():
        space = offer.provider
        if isinstance(space, Namespace) and space.name == "renga.serializers":
            for home, names in space.names.items():
                if name in names.split():
                    return resolve(f"{home}:{name}")
    raise RengaPluginError(f"kits save and load by renga.serializers.{name}; no loaded plugin has it")
