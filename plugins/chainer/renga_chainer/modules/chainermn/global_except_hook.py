"""``chainermn.global_except_hook``."""

__all__ = ["add_hook"]


def add_hook() -> None:
    """Nothing: a process that is alone keeps nobody waiting when it fails."""
