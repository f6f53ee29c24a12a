"""Loads libgomp, the OpenMP library: kernels of several plugins share its pool of threads."""

from __future__ import annotations

import os

__all__ = ["LIBRARY", "prepare"]

LIBRARY = "libgomp.so.1"

_SPIN = "1000"
"""Number of checks for new work before a thread of libgomp sleeps. By default they hold their cores for milliseconds
that other threads need."""


def prepare() -> None:
    """Set the environment variables that libgomp reads when loaded, unless they are set already."""
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ.setdefault("GOMP_SPINCOUNT", _SPIN)
