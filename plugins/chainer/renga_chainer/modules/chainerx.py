"""``chainerx`` without ChainerX: it can be imported and reports that it is not available."""

__all__ = ["is_available", "ndarray"]


class ndarray:
    """Stand-in for ChainerX arrays; no array is an instance."""


def is_available() -> bool:
    """Return False."""
    return False
