"""Hooks that watch functions: `renga_nn.function_hooks`, and, where CuPy is there, `renga_backend_cupy.profiling`."""

from typing import Any

from renga_nn.function_hooks import *
from renga_nn.function_hooks import __all__ as _on_every_backend

_WITH_CUPY = ["CUDAProfileHook", "CupyMemoryProfileHook"]

__all__ = list(_on_every_backend)


def __getattr__(name: str) -> Any:
    if name not in _WITH_CUPY:
        names = ", ".join([*__all__, *_WITH_CUPY])
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {names}")
    try:
        from renga_backend_cupy import profiling
    except ImportError as error:
        raise RuntimeError(f"{name} needs CuPy, which cannot be imported: {error}") from error
    return getattr(profiling, name)
