"""OpenMP's library (libgomp), which kernels of several plugins compute with: one pool of threads for all of them."""

from __future__ import annotations

import os

__all__ = ["LIBRARY", "prepare"]

LIBRARY = "libgomp.so.1"

_SPIN = "1000"
"""How often libgomp's threads look for more work before they sleep. By default they hold their cores for milliseconds
that other threads need."""


def prepare() -> None:
    """Set the environment variables that libgomp reads when it is loaded, unless the environment says otherwise."""
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", _SPIN)
