"""An object to be saved, and a made-up file format to save it in."""

import json

__all__ = ["Json", "Saved", "save_json"]


class Saved:
    """One value."""

    def __init__(self, value=0):
        self.value = value

    def serialize(self, serializer):
        """Save it, or load it."""
        self.value = serializer("value", self.value)


def save_json(filename, obj):
    """Save as text."""
    with open(filename, "w") as file:
        json.dump(obj.value, file)


class Json:
    """The format, as a plugin offers it: target ``json_format:Json``."""

    save = staticmethod(save_json)

    def load(self, filename, obj, path="", strict=True, ignore_names=None):
        """Load from text."""
        with open(filename) as file:
            obj.value = json.load(file)
