"""Whether this machine can compute with CuPy."""

from __future__ import annotations

import os

__all__ = ["no_cublas", "unavailable"]

_OLDEST = 14


def unavailable() -> str | None:
    """Why CuPy cannot be used here, in a sentence; None if it can.

    Imports CuPy and asks the driver for devices, but makes no context on any: that happens with the first array.
    """
    try:
        import cupy
    except Exception as error:  # an ImportError, or any error of an incomplete CUDA
        return f"CuPy cannot be imported: {error}"
    version = str(cupy.__version__)
    if int(version.partition(".")[0]) < _OLDEST:
        return f"CuPy {version} is installed, and this backend needs CuPy {_OLDEST} or newer"
    try:
        count = int(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError as error:
        return f"CuPy {version} finds no NVIDIA GPU that it could use: {error}{_hidden()}"
    return None if count else f"CuPy {version} finds no NVIDIA GPU{_hidden()}"


def _hidden() -> str:
    """Say that a variable may hide GPUs, if it is set."""
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    return "" if chosen is None else f"; CUDA_VISIBLE_DEVICES={chosen!r} may hide it, which RENGA_OWN_DEVICE sets, too"


def no_cublas() -> str | None:
    """Why cuBLAS cannot be called, in a sentence; None if it can."""
    reason = unavailable()
    if reason is None:
        from renga_backend_cupy.cublas import library

        try:
            library()
        except (ImportError, OSError, AttributeError) as error:
            return f"CuPy is there, and cuBLAS cannot be loaded: {error}"
    return reason
