"""Reports versions and plugins of this process, for bug reports and for code that asks for cuDNN."""

from __future__ import annotations

import platform
import sys
from typing import Any, TextIO

import numpy as np

from renga_core.plugin import State, get_manager, registry
from renga_core.plugin.entry_points import renga_version

__all__ = ["print_runtime_info", "should_use_cudnn", "should_use_cudnn_tensor_core"]

_LEVELS = ("==always", ">=auto")


def print_runtime_info(out: TextIO | None = None) -> None:
    """Print Python's, Renga's and NumPy's versions, the platform, and the plugins with their states.

    Imports no library of a plugin. `renga doctor` tests the installed ones.

    Args:
        out: File to print to; standard output if None.
    """
    lines = [
        ("Platform", platform.platform()),
        ("Python", platform.python_version()),
        ("Renga", renga_version() or "not installed"),
        ("NumPy", np.__version__),
        *[(f"Plugin {plugin.name}", f"{plugin.origin}, {plugin.status.state}") for plugin in get_manager().plugins()],
    ]
    width = max(len(what) for what, _ in lines)
    print("\n".join([f"{what:{width}}  {is_}" for what, is_ in lines]), file=out or sys.stdout)


def should_use_cudnn(level: str, lowest_version: int = 0) -> bool:
    """Whether cuDNN's kernels are available. The setting ``[kernels]`` determines which kernels run.

    Args:
        level: ``"==always"`` or ``">=auto"``; both mean the same here.
        lowest_version: Least version of cuDNN, as its own number, such as 9000.

    Raises:
        ValueError: `level` has another value.
    """
    if level not in _LEVELS:
        raise ValueError(f"should_use_cudnn: level must be one of {', '.join(map(repr, _LEVELS))}, not {level!r}")
    offers = [candidate.offer for candidate in registry("kernel").list() if "cudnn" in candidate.offer.provider.needs]
    if not any(offer.status.state is State.READY and offer.probe().state is State.READY for offer in offers):
        return False
    import cudnn

    return bool(cudnn.backend_version() >= lowest_version)


def should_use_cudnn_tensor_core(dtype: Any) -> bool:
    """Whether cuDNN is available and the dtype is half precision, which runs on tensor cores."""
    return np.dtype(dtype) == np.float16 and should_use_cudnn(">=auto")
