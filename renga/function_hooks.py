"""Hooks that watch functions: `renga_nn.function_hooks`; those for CUDA: `renga_backend_cupy.profiling`."""

from renga_backend_cupy.profiling import *
from renga_backend_cupy.profiling import __all__ as _with_cupy
from renga_nn.function_hooks import *
from renga_nn.function_hooks import __all__ as _on_every_backend

__all__ = [*_on_every_backend, *_with_cupy]
