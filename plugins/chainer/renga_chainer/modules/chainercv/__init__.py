"""``chainercv``: can be imported; nothing is in it yet."""

__all__ = ["__version__"]

__version__ = "0.13.1"
