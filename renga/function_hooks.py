"""Hooks that watch functions: those of `renga_nn.function_hooks`, for CUDA those of `renga_backend_cupy.profiling`."""

from renga.view import view

__getattr__, __dir__ = view(__name__)
