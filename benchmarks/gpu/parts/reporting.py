"""Shared code of the parts."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Callable
from typing import Any

from benchmarks.gpu.hour import NO_GPU

__all__ = ["attempt", "emit", "require_gpu"]


def require_gpu() -> None:
    """End the part with the reason if Renga's backend `cupy` cannot be used."""
    from renga_core.kinds import ARRAY_BACKEND
    from renga_core.plugin import ProviderUnavailable, registry

    try:
        registry(ARRAY_BACKEND).load("cupy", probe=True)
    except ProviderUnavailable as error:
        said = " ".join(str(error).split())
        print(f"no GPU: {said.partition(' is not available: ')[2] or said}")
        sys.exit(NO_GPU)


def emit(**row: Any) -> None:
    """A row of results, as a line of output."""
    print(json.dumps(row), flush=True)


def attempt(what: str, run: Callable[[], object], **more: Any) -> bool:
    """Emit whether something works, and the error if it does not."""
    try:
        run()
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        said = f"{type(error).__name__}: {error}".splitlines()[0][:300]
        emit(what=what, works="no", why=f"{said} ({where.filename.rpartition('/')[2]}:{where.lineno})", **more)
        return False
    emit(what=what, works="yes", why="", **more)
    return True
