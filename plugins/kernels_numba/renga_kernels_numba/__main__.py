"""Compile all loops in advance: ``python -m renga_kernels_numba``, for example when a container is built."""

from __future__ import annotations

import sys
import time

from renga_kernels_numba import disk
from renga_kernels_numba.availability import unavailable
from renga_kernels_numba.in_advance import prepare_all


def main() -> int:
    """Compile all loops that are not on disk yet; return 1 if that fails."""
    reason = unavailable()
    if reason is not None:
        print(f"Loops cannot be compiled: {reason}", file=sys.stderr)
        return 1
    start = time.monotonic()
    number = prepare_all()
    print(f"{number} loops are ready in {disk.folder()} ({time.monotonic() - start:.1f} s)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
