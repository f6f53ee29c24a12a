"""``chainermn.global_except_hook``."""

__all__ = ["add_hook"]


def add_hook() -> None:
    """Nothing: each of Renga's communicators sees to it that an error on one rank ends all."""
