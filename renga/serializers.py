"""Saving and loading: `renga_core.serializers`."""

from renga_core.serializers import (
    DictionarySerializer,
    NpzDeserializer,
    load_npz,
    save_npz,
)

__all__ = ["DictionarySerializer", "NpzDeserializer", "load_npz", "save_npz"]
