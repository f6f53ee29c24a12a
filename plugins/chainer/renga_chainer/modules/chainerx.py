"""``chainerx`` as on a machine without it: it can be imported, and says that it is not there."""

__all__ = ["is_available", "ndarray"]


class ndarray:
    """No array is one of these."""


def is_available() -> bool:
    """False."""
    return False
