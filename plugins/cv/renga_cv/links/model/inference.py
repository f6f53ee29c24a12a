"""The mode in which networks run in `predict`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from renga_core.configuration import using_config
from renga_core.graph import no_backprop_mode

__all__ = ["inference"]


@contextmanager
def inference() -> Iterator[None]:
    """In this ``with`` block, networks run in test mode, and no graph is built."""
    with no_backprop_mode(), using_config("train", False):
        yield
